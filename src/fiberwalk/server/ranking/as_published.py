"""Counts that are published as they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class AsPublished:
    """A figure is the count itself."""

    name: str = "as published"
    words: str = "figures are published as they are"

    def given(self, figure: int, most: int) -> tuple[int, np.ndarray]:
        """P(figure | count): 1 for the count itself."""
        return figure, np.zeros(1)
