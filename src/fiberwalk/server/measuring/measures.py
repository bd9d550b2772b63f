"""The measures of a server: risk before and after protection, utility."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...protect.count_changes import CountChanges, changes_of
from ...release.tables.dims import Dim
from ...release.tables.tables import labelled
from ...risk.hellinger import hellinger_utility
from ...risk.table_risks import TABLE_RISKS, TableRisk
from ..cube.hypercube import Counted
from ..cube.request import Request
from ..protecting.protection import Protection

MEASURES = {"split": "split", "split mean": "split mean", "r1": "r2", "thin lines": "thin lines"}
"""The names of measures here, and their names among the risks of whole tables."""
SAMPLE = "sample"
"""The measure of data that are a sample: see `sample_measure`."""


@dataclass(frozen=True, eq=False)
class Measure:
    """How risky a table is, by a risk of whole tables."""

    risk: TableRisk
    weights: Any = None
    changes: tuple[CountChanges, ...] = ()
    """What the methods do to counts, one after the other."""

    @property
    def may_rise(self) -> str:
        """What must be said where the risk is larger after protection than before."""
        return self.risk.may_rise

    def before(self, true: Any, by: Any = None) -> Any:
        """The risk of the table as it is."""
        return self.risk.before(true, self.weights, by)

    def after(self, true: Any, published: Any, by: Any = None) -> Any:
        """The risk that protection leaves."""
        return self.risk.after(true, np.maximum(published, 0), self.changes, self.weights, by)  # noise may go below

    def utility(self, true: np.ndarray, published: np.ndarray) -> float:
        """What is kept of the table, from 0 to 1."""
        return kept_of(true, published)

    def on(self, counted: Counted, dims: Sequence[Dim], request: Request, seed: int) -> MeasuredTable:
        """The measure of one table."""
        return MeasuredTable(self, counted.counts, tuple(dims))


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
    """A measure by its name, for counts that go through some methods."""
    if name not in MEASURES:
        raise InputError(f"risk={name!r}: there is no such measure; {did_you_mean(str(name), [*MEASURES, SAMPLE])}")
    risk = TABLE_RISKS[MEASURES[name]]
    risk.before(np.ones((2, 2)), weights)  # weights that make no sense are refused now, and not as a table's fault
    by_method = (changes_of(protection.name, protection.parameters) for protection in protections)
    changes = tuple(by_method) if risk.by_changes else ()
    return Measure(risk, weights, changes)
