"""The measures of a server: risk before and after protection, utility."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..protect.count_changes import CountChanges, changes_of
from ..release.tables.dims import Dim
from ..release.tables.tables import labelled
from ..risk.hellinger import hellinger_utility
from ..risk.split_entropy import SMALL, perturbed_risk, split_risk
from ..risk.whole_table import r1, r2
from .hypercube import Counted
from .protection import Protection
from .request import Request

MEASURES = ("split", "r1", "sample")


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
        return kept_of(true, published)

    def on(self, counted: Counted, dims: Sequence[Dim], request: Request, seed: int) -> MeasuredTable:
        """The measure of one table."""
        return MeasuredTable(self, counted.counts, tuple(dims))

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


@dataclass(frozen=True, eq=False)
class MeasuredTable:
    """A measure of one table of true counts."""

    measure: Measure
    true: np.ndarray
    dims: tuple[Dim, ...]

    def before(self, cut: Any) -> float:
        """The risk of some cells of the table as it is."""
        return float(self.measure.before(self.true[cut]))

    def after(self, published: np.ndarray, cut: Any) -> float:
        """The risk that protection leaves."""
        return float(self.measure.after(self.true[cut], published[cut]))

    def by(self, name: str, published: np.ndarray) -> Any:
        """The risk of each category of a dim; where the table is published as it is, that of the table as it is."""
        true = labelled(self.true, self.dims)
        if published is self.true:
            return self.measure.before(true, by=name)
        return self.measure.after(true, labelled(published, self.dims), by=name)


def kept_of(true: np.ndarray, published: np.ndarray) -> float:
    """What is kept of a table, from 0 to 1."""
    return float(hellinger_utility(true, np.maximum(published, 0)))


def as_measure(name: Any, weights: Any, protections: Sequence[Protection]) -> Measure:
    """A measure by its name, for what goes through some methods."""
    if name not in MEASURES:
        raise InputError(f"measure={name!r}: it is 'split', 'r1' or 'sample'.")
    if name == "r1":
        return Measure(name, weights)
    return Measure(name, weights, tuple(changes_of(one.name, one.parameters) for one in protections))
