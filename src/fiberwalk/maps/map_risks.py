"""The vertical axis of an R-U map: risks of cells by name, risks of the whole table, or a function of the user's own.

A new risk of cells has its file in `risk/` and one line in `CELL_RISKS`; one of the whole table has it in `TABLE_RISKS` of
`risk/table_risks.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..frames.cell_questions import harmful_values
from ..release.tables.tables import Table
from ..risk.harm import expected_harm
from ..risk.table_risks import TABLE_RISKS
from ..risk.utility import reciprocal
from .map_axis import Measure, known_name
from .map_categories import Categories
from .map_seen import Seen, bits_left
from .map_whole_table import risk_words, whole_table_risk
from .own_functions import called, number_from

OVER = ("worst", "mean")


@dataclass(frozen=True, eq=False)
class Asked:
    """How a risk of cells is asked for: of the worst cell or their mean, in which unit, and how bad each value is."""

    which: str
    """Whose risk it is, in words."""
    over: str
    base: float
    harm: Any

    @property
    def unit(self) -> str:
        """The unit of 1/H."""
        return {2.0: "1/bits", math.e: "1/nats"}.get(float(self.base), f"logarithms to base {self.base:g}")

    def together(self, risks: Sequence[float]) -> float:
        """One figure for the risks of all cells."""
        return max(risks) if self.over == "worst" else _mean(risks)


@dataclass(frozen=True)
class CellRisk:
    """A risk of cells by its name: what it is in words, and how it is computed."""

    words: str
    """With gaps for whose risk it is, and for the unit."""
    of: Callable[[Asked, Seen], float]
    error: Callable[[Asked, Seen], float] | None = None
    """The standard error that chains leave; None: not known."""

    def asked(self, name: str, asked: Asked) -> Measure:
        """The axis of a map that asks for it."""
        words = self.words.format(which=asked.which, unit=asked.unit)
        measure = Measure(name, words, partial(self.of, asked))
        return measure if self.error is None else replace(measure, error=partial(self.error, asked))


def _entropy(asked: Asked, seen: Seen) -> float:
    bits = [bits_left(seen.pmfs[cell]) for cell in seen.at_risk]
    left = min(bits) if asked.over == "worst" else _mean(bits)
    return reciprocal(left / math.log2(asked.base))


def _entropy_error(asked: Asked, seen: Seen) -> float:
    pmfs = [seen.pmfs[cell] for cell in seen.at_risk]
    errors = [0.0 if pmf is None else pmf.entropy_error for pmf in pmfs]
    bits = [bits_left(pmf) for pmf in pmfs]
    left = min(bits) if asked.over == "worst" else _mean(bits)
    error = errors[int(np.argmin(bits))] if asked.over == "worst" else math.hypot(*errors) / len(errors)
    return 0.0 if left <= 0 else error / left**2 * math.log2(asked.base)  # of 1/H, to first order


def _exact(asked: Asked, seen: Seen) -> float:
    return asked.together([_p_truth(seen, cell) for cell in seen.at_risk])


def _expected_harm(asked: Asked, seen: Seen) -> float:
    return asked.together([_harm(seen, cell, asked.harm) for cell in seen.at_risk])


def _p_truth(seen: Seen, cell: int) -> float:
    pmf, truth = seen.pmfs[cell], int(seen.truth[cell])
    return 1.0 if pmf is None else pmf.between(truth, truth)


def _harm(seen: Seen, cell: int, r: Any) -> float:
    pmf = seen.pmfs[cell]
    if pmf is None:
        return expected_harm({np.asarray(seen.release.own_units(seen.truth[cell])).item(): 1.0}, r)
    return expected_harm(harmful_values(pmf, r, seen.release), r)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


CELL_RISKS = {
    "entropy": CellRisk("1/H ({unit}), {which}", _entropy, _entropy_error),
    "exact": CellRisk("probability of the true value, {which}", _exact),
    "expected harm": CellRisk("expected harm, sum of r(k) p(k), {which}", _expected_harm),
}


def risk_measure(risk: Any, asked: Asked, *, weights: Any, table: Table, chosen: bool, parts: Categories) -> Measure:
    """The vertical axis; `parts` says of which categories a risk of whole tables is."""
    _check_asked(risk, asked)
    whole = isinstance(risk, str) and risk.lower() in TABLE_RISKS
    for option, stated in (("weights", weights is not None), ("by", bool(parts.dims))):
        if stated and not whole:
            *names, last = map(repr, TABLE_RISKS)
            raise InputError(f"{option}= goes with the risks of the whole table, {', '.join(names)} and {last}.")
    if whole:
        if chosen or (asked.over != "worst" and not parts.dims) or asked.base != 2:
            raise InputError(
                f"risk={risk!r} is of the whole table: leave out cell=, where= and log_base=, and over= unless with by=."
            )
        name = risk.lower()
        of = whole_table_risk(name, table, weights, parts)
        return Measure(name, risk_words(name, parts), of, _error_of_shown, of_cells=False)
    if callable(risk):
        return Measure(called(risk), called(risk), lambda seen: number_from(lambda: risk(seen.audit), "risk="))
    name = known_name("risk", risk, [*CELL_RISKS, *TABLE_RISKS])
    return CELL_RISKS[name].asked(name, asked)


def _check_asked(risk: Any, asked: Asked) -> None:
    over, base = asked.over, asked.base
    if over not in OVER:
        raise InputError(f"over={over!r}: the risk is that of the 'worst' cell, or the 'mean'.")
    if isinstance(base, bool) or not isinstance(base, (int, float)) or not 1 < base < math.inf:
        raise InputError(
            f"log_base={base!r}: the base of a logarithm is a number above 1, 2 for bits and math.e for nats."
        )
    if (asked.harm is not None) != (risk == "expected harm"):
        raise InputError(
            "risk='expected harm' needs harm=, how bad it is to know that a value is k: a function of k, or a dict."
            if asked.harm is None
            else "harm= goes with risk='expected harm'."
        )


def _error_of_shown(seen: Seen) -> float:
    """Where all figures are published, nothing is estimated."""
    return 0.0 if not len(seen.estimated) or seen.audit.method == "exact" else math.nan
