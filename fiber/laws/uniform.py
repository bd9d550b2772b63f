"""The uniform law: every feasible table is as probable as any other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...base.saved_forms import saved
from ...release.release import Release
from .law import Weigh, alike


@saved("Uniform")
@dataclass(frozen=True)
class Uniform:
    """Every feasible table is as probable as any other."""

    name: str = "uniform"
    words: str = "every table that agrees with the release is equally probable"
    below_zero: ClassVar[bool] = True

    def on(self, release: Release) -> Weigh:
        """No weights."""
        return alike
