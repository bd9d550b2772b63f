"""The measures of a server: risk before and after protection, utility."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..protect.count_changes import CountChanges, changes_of
from ..risk.hellinger import hellinger_utility
from ..risk.split_entropy import SMALL, perturbed_risk, split_risk
from ..risk.whole_table import r1, r2
from .protection import Protection

MEASURES = ("split", "r1")


@dataclass(frozen=True, eq=False)
class Measure:
    """How risky a table is: "split", the measure of Shlomo, Antal and Elliot; "r1", that of Antal, Shlomo and Elliot."""

    name: str
    weights: Any = None
    changes: tuple[CountChanges, ...] = ()
    """What the methods do to counts, one after the other."""

    def before(self, true: Any, by: Any = None) -> Any:
        """The risk of the table as it is."""
        measure = split_risk if self.name == "split" else r1
        return measure(true, **self._weights, by=by)

    def after(self, true: Any, published: Any, by: Any = None) -> Any:
        """The risk that protection leaves."""
        shown = np.maximum(published, 0)  # noise may go below
        if self.name == "split":
            return perturbed_risk(true, shown, self.changes[-1], **self._weights, multiplier=self._multiplier, by=by)
        return r2(true, shown, **self._weights, by=by)

    def utility(self, true: np.ndarray, published: np.ndarray) -> float:
        """What is kept of the table, from 0 to 1."""
        return float(hellinger_utility(true, np.maximum(published, 0)))

    @property
    def _multiplier(self) -> tuple[float, float] | None:
        """How probable it is that a small or large count stays: through two methods, through both."""
        if len(self.changes) < 2:
            return None
        parts = ((0, SMALL), (SMALL + 1, None))
        small, large = (prod(one.kept(*part) for one in self.changes) for part in parts)
        return small, large

    @property
    def _weights(self) -> dict[str, Any]:
        return {} if self.weights is None else {"weights": self.weights}


def as_measure(name: Any, weights: Any, protections: Sequence[Protection]) -> Measure:
    """A measure by its name, for what goes through some methods."""
    if name not in MEASURES:
        raise InputError(f"measure={name!r}: it is 'split' or 'r1'.")
    if name == "r1":
        return Measure(name, weights)
    return Measure(name, weights, tuple(changes_of(one.name, one.parameters) for one in protections))
