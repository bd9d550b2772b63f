"""The measures of a server: risk before and after protection, utility."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import InputError, did_you_mean
from ..protect.count_changes import CountChanges, changes_of
from ..risk.hellinger import hellinger_utility
from ..risk.table_risks import TABLE_RISKS, TableRisk
from .protection import Protection

MEASURES = {"split": "split", "split mean": "split mean", "r1": "r2", "thin lines": "thin lines"}
"""What they are called here, and among the risks of whole tables."""


@dataclass(frozen=True, eq=False)
class Measure:
    """How risky a table is, by a risk of whole tables."""

    risk: TableRisk
    weights: Any = None
    changes: tuple[CountChanges, ...] = ()
    """What the methods do to counts, one after the other."""

    def before(self, true: Any, by: Any = None) -> Any:
        """The risk of the table as it is."""
        return self.risk.before(true, self.weights, by)

    def after(self, true: Any, published: Any, by: Any = None) -> Any:
        """The risk that protection leaves."""
        return self.risk.after(true, np.maximum(published, 0), self.changes, self.weights, by)  # noise may go below

    def utility(self, true: np.ndarray, published: np.ndarray) -> float:
        """What is kept of the table, from 0 to 1."""
        return float(hellinger_utility(true, np.maximum(published, 0)))


def as_measure(name: Any, weights: Any, protections: Sequence[Protection]) -> Measure:
    """A measure by its name, for what goes through some methods."""
    if name not in MEASURES:
        raise InputError(f"measure={name!r}: there is no such measure; {did_you_mean(str(name), MEASURES)}")
    risk = TABLE_RISKS[MEASURES[name]]
    changes = tuple(changes_of(one.name, one.parameters) for one in protections) if risk.by_changes else ()
    return Measure(risk, weights, changes)
