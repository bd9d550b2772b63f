"""How probable each figure is given a count, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...protect.mechanism.mechanism import Mechanism


class Rows(NamedTuple):
    """P(figure | count) of some figures, each from its first count on."""

    figures: np.ndarray
    first: np.ndarray
    begins: np.ndarray
    """Where the chances of each begin; with one more for the end."""
    chances: np.ndarray
    logs: np.ndarray


@dataclass(frozen=True, eq=False)
class Chances:
    """A mechanism that publishes 0 of nobody, over counts up to the largest there can be."""

    mechanism: Mechanism
    most: int
    _known: dict[int, tuple[int, np.ndarray]] = field(default_factory=dict, repr=False)

    def rows(self, figures: Sequence[int]) -> Rows:
        """Those of some figures."""
        given = [self._given(figure) for figure in figures]
        lengths = [len(logs) for _, logs in given]
        every = np.concatenate([np.empty(0), *(logs for _, logs in given)])
        return Rows(
            np.array(figures, dtype=np.int64),
            np.array([first for first, _ in given], dtype=np.int64),
            np.cumsum([0, *lengths]),
            np.exp(every),
            every,
        )

    def _given(self, figure: int) -> tuple[int, np.ndarray]:
        if figure not in self._known:
            self._known[figure] = self.mechanism.given(figure, self.most)
        return self._known[figure]
