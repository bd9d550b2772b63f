"""The two axes of an R-U map: risks and utilities by name, or a function of the user's own."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..base.errors import FiberwalkError, InputError, did_you_mean
from ..base.numbers import in_own_units
from ..frames.cell_questions import harmful_values
from ..posterior.parts.pmf import Pmf
from ..protect.records.sample_drawing import Sampling
from ..release.facts.facts import NO_VALUE
from ..release.facts.knowledge import Rule
from ..release.release import Release
from ..release.tables.tables import Table, cell_mask, cell_position
from ..results.audit_result import Audit
from ..risk.expected_harm import expected_harm
from ..risk.hellinger import hellinger_utility
from ..risk.table_change import chi_square_change, cramers_v_change, margin_variance_change
from ..risk.table_entropy import conditional_entropy, table_entropy
from ..risk.utility import reciprocal, share_published
from .map_categories import Categories
from .map_whole_table import RISKS, whole_table_risk

OVER = ("worst", "mean")


@dataclass(frozen=True, eq=False)
class Seen:
    """One protected table beside its truth: what an intruder, and a user, learn of every cell."""

    table: Table
    release: Release
    """What was published."""
    chosen: np.ndarray | None
    """The cells that the map is about, flat and true or false; None where none are chosen."""
    look: Callable[[], Audit]
    """Audits the release, which may take long."""

    @cached_property
    def audit(self) -> Audit:
        """What an intruder learns: worked out where a measure asks for it."""
        return self.look()

    @property
    def audited(self) -> Audit | None:
        """The audit, if any measure has asked for it."""
        return self.__dict__.get("audit")

    @cached_property
    def numbers(self) -> np.ndarray:
        """For each cell of the table, its number in the release."""
        return self.release.grids[0].cells.ravel()

    @cached_property
    def pmfs(self) -> list[Pmf | None]:
        """The distribution of every cell of the table; None where it is published as it is."""
        place = np.full(self.release.n_cells, -1)
        place[self.release.hidden] = np.arange(len(self.release.hidden))
        return [self.audit.belief.pmfs[i] if i >= 0 else None for i in place[self.numbers].tolist()]

    @cached_property
    def truth(self) -> np.ndarray:
        """The true values in scaled integers, less what is the intruder's own."""
        return self.table.values.ravel() - self.release.own[self.numbers]

    @property
    def at_risk(self) -> np.ndarray:
        """The cells whose risk is looked at: the chosen ones; else the hidden ones, or all where nothing is hidden."""
        if self.chosen is not None:
            return np.flatnonzero(self.chosen)
        hidden = np.array([one is not None for one in self.pmfs])
        return np.flatnonzero(hidden if hidden.any() else ~hidden)

    @cached_property
    def known(self) -> int:
        """How many of these are known exactly."""
        return sum(_bits(self.pmfs[i]) <= 0 for i in self.at_risk)

    @cached_property
    def squared_errors(self) -> np.ndarray:
        """E(x - truth)^2 of every cell, in the table's own units; 0 where it is published."""
        found = np.zeros(len(self.pmfs))
        for i, pmf in enumerate(self.pmfs):
            if pmf is not None:
                middle = pmf.values + (pmf.width - 1) / 2 - self.truth[i]
                found[i] = pmf.probabilities @ (middle**2 + (pmf.width**2 - 1) / 12)
        return found / 100.0**self.table.decimals

    @cached_property
    def figures(self) -> np.ndarray:
        """What was published of every cell, flat; NO_VALUE where nothing was."""
        return self.release.cell_figures[self.numbers]

    @cached_property
    def shown(self) -> np.ndarray:
        """The table as a user works with it: published figures, and for withheld cells what is to be expected.

        A negative figure, as noise makes them, stands for 0; sample counts are grossed up to the population, whose total
        is published.
        """
        figures = self.figures.astype(float)
        for i in np.flatnonzero(self.figures == NO_VALUE):
            pmf = self.pmfs[i]
            figures[i] = self.table.values.flat[i] if pmf is None else pmf.mean + self.release.own[self.numbers[i]]
        figures = np.maximum(figures, 0)
        if any(one.name == Sampling.name for one in self.release.applied) and figures.any():
            figures *= self.table.values.sum() / figures.sum()
        return figures.reshape(self.table.values.shape) / 10.0**self.table.decimals

    @property
    def original(self) -> np.ndarray:
        """The true table in its own units."""
        return in_own_units(self.table.values, self.table.decimals)


@dataclass(frozen=True, eq=False)
class Measure:
    """One axis of the map: what it is called, in words for people, and how it is worked out."""

    name: str
    words: str
    of: Callable[[Seen], float]
    error: Callable[[Seen], float] = lambda seen: 0.0 if seen.audit.method == "exact" else math.nan
    """The standard error that chains leave; not a number where it is not known."""
    of_cells: bool = True
    """Is it of single cells? Otherwise it is of the table as a whole, and no cell is at risk by itself."""


def chosen_cells(cell: Any, where: Any, table: Table) -> np.ndarray | None:
    """The cells that the map is about: one, those of a rule such as "< 3", or any other condition."""
    if cell is not None and where is not None:
        raise InputError("cell= and where=: give one cell, or say which cells by where=.")
    if cell is not None:
        found = np.zeros(table.values.shape, dtype=bool)
        found[cell_position(cell, table.dims)] = True
    elif where is None:
        return None
    elif isinstance(where, str):
        rule = Rule.parse(where, decimals=table.decimals)
        found = (table.values >= rule.lower) & (table.values <= rule.upper)
    else:
        found = cell_mask(where, table)
    if not found.any():
        raise InputError(f"where={where!r} hits no cell of the table." if isinstance(where, str) else
                         "where= hits no cell of the table.")  # fmt: skip
    return found.ravel()


# --- risk ---------------------------------------------------------------------------------------------------------


def risk_measure(
    risk: Any,
    *,
    which: str,
    over: str,
    base: float,
    harm: Any,
    weights: Any,
    table: Table,
    chosen: bool,
    parts: Categories,
) -> Measure:
    """The vertical axis; `which` says in words whose risk it is, `parts` of which categories a risk of whole tables."""
    if over not in OVER:
        raise InputError(f"over={over!r}: the risk is that of the 'worst' cell, or the 'mean'.")
    if isinstance(base, bool) or not isinstance(base, (int, float)) or not 1 < base < math.inf:
        raise InputError(f"base={base!r}: the base of a logarithm is a number above 1, 2 for bits and math.e for nats.")
    if (harm is not None) != (risk == "expected harm"):
        raise InputError(
            "risk='expected harm' needs harm=, how bad it is to know that a value is k: a function of k, or a dict."
            if harm is None
            else "harm= goes with risk='expected harm'."
        )
    whole = isinstance(risk, str) and risk.lower() in RISKS
    for option, given in (("weights", weights is not None), ("by", bool(parts.dims))):
        if given and not whole:
            *some, last = map(repr, RISKS)
            raise InputError(f"{option}= goes with the risks of the whole table, {', '.join(some)} and {last}.")
    if whole:
        if chosen or (over != "worst" and not parts.dims) or base != 2:
            raise InputError(
                f"risk={risk!r} is of the whole table: leave out cell=, where= and base=, and over= unless with by=."
            )
        name = risk.lower()
        of = whole_table_risk(name, table, weights, parts)
        return Measure(name, RISKS[name].in_words(parts), of, _error_of_shown, of_cells=False)
    if callable(risk):
        return Measure(_called(risk), _called(risk), lambda seen: _number(lambda: risk(seen.audit), "risk="))
    together = max if over == "worst" else _mean

    def entropy(seen: Seen) -> float:
        bits = [_bits(seen.pmfs[i]) for i in seen.at_risk]
        left = min(bits) if over == "worst" else _mean(bits)
        return reciprocal(left / math.log2(base))

    def entropy_error(seen: Seen) -> float:
        pmfs = [seen.pmfs[i] for i in seen.at_risk]
        errors = [0.0 if one is None else one.entropy_error for one in pmfs]
        bits = [_bits(one) for one in pmfs]
        left = min(bits) if over == "worst" else _mean(bits)
        error = errors[int(np.argmin(bits))] if over == "worst" else math.hypot(*errors) / len(errors)
        return 0.0 if left <= 0 else error / left**2 * math.log2(base)  # of 1/H, to first order

    def exact(seen: Seen) -> float:
        return together([_p_truth(seen, i) for i in seen.at_risk])

    def expected(seen: Seen) -> float:
        return together([_harm(seen, i, harm) for i in seen.at_risk])

    unit = {2.0: "1/bits", math.e: "1/nats"}.get(float(base), f"logarithms to base {base:g}")
    known: dict[str, tuple[str, Callable[[Seen], float]]] = {
        "entropy": (f"1/H ({unit}), {which}", entropy),
        "exact": (f"probability of the true value, {which}", exact),
        "expected harm": (f"expected harm, sum of r(k) p(k), {which}", expected),
    }
    measure = _named("risk", risk, known, RISKS)
    return replace(measure, error=entropy_error) if measure.name == "entropy" else measure


def whose_risk(cells: Sequence[str] | None, over: str) -> str:
    """The cells at risk, in words."""
    if cells is None:
        return "the worst hidden cell" if over == "worst" else "mean of the hidden cells"
    if len(cells) == 1:
        return f"cell {cells[0]}"
    return f"{'the worst' if over == 'worst' else 'mean'} of {len(cells)} chosen cells"


def _error_of_shown(seen: Seen) -> float:
    """Where all figures are published, nothing is estimated."""
    complete = (seen.figures != NO_VALUE).all()
    return 0.0 if complete or seen.audit.method == "exact" else math.nan


def _bits(pmf: Pmf | None) -> float:
    return 0.0 if pmf is None else pmf.entropy


def _p_truth(seen: Seen, i: int) -> float:
    pmf, truth = seen.pmfs[i], int(seen.truth[i])
    return 1.0 if pmf is None else pmf.between(truth, truth)


def _harm(seen: Seen, i: int, r: Any) -> float:
    pmf = seen.pmfs[i]
    if pmf is None:
        return expected_harm({np.asarray(seen.release.own_units(seen.truth[i])).item(): 1.0}, r)
    return expected_harm(harmful_values(pmf, r, seen.release), r)


# --- utility --------------------------------------------------------------------------------------------------------


def utility_measure(utility: Any, which: str, table: Table, parts: Categories) -> Measure:
    """The horizontal axis; `which` says in words which cells are chosen, `parts` of which categories it is, if it can be."""
    if callable(utility):
        return Measure(_called(utility), _called(utility), _own_utility(utility))
    known: dict[str, tuple[str, Callable[[Seen], float]]] = {
        "mean squared precision": (f"mean squared precision, {which}", lambda seen: _precision(seen, seen.chosen)),
        "overall precision": ("mean squared precision, all cells", lambda seen: _precision(seen, None)),
        "published": ("share of cells published as they are", lambda seen: share_published(seen.release)),
    } | {name: (kept.in_words(parts), partial(kept.compared, parts=parts)) for name, kept in KEPT.items()}
    measure = _named("utility", utility, known)
    if measure.name in KEPT:
        original = in_own_units(table.values, table.decimals)
        try:
            KEPT[measure.name].of(original, original)
        except InputError as problem:
            raise InputError(f"utility={measure.name!r}: {problem}") from None
    return measure


@dataclass(frozen=True)
class Kept:
    """How much of a table is kept in another one: what it is in words, and how it is worked out of both."""

    words: str
    of: Callable[..., Any]
    by_category: bool = False
    """Does it take by=? Otherwise it is of the table as a whole in any case."""

    def in_words(self, parts: Categories) -> str:
        """What the axis is called."""
        return self.words + (parts.words() if self.by_category else "")

    def compared(self, seen: Seen, parts: Categories) -> float:
        """The utility of what was published."""
        if not self.by_category:
            return float(self.of(seen.original, seen.shown))
        return parts.one(self.of(seen.original, seen.shown, by=parts.axes), worst=np.min)


def _entropy_told(original: np.ndarray, shown: np.ndarray, by: Any = None) -> np.ndarray:
    """The share of the entropy of a table that another takes away, as in R2: all of it where there is none.

    None of it in a category that is published as if nobody were in it.
    """
    entropy = np.asarray(table_entropy(original, by=by))
    left = np.asarray(conditional_entropy(original, shown, by=by))
    told = np.divide(entropy - left, entropy, out=np.ones_like(entropy), where=entropy != 0)
    return np.where(np.isnan(left) & ~np.isnan(entropy), 0.0, told)


KEPT = {
    "hellinger": Kept("1 - Hellinger distance / sqrt(N)", hellinger_utility, by_category=True),
    "conditional entropy": Kept("share of the entropy told, 1 - H(X|Y)/H(X)", _entropy_told, by_category=True),
    "chi-square": Kept(
        "1 - relative change of chi-square",
        lambda original, shown: 1 - abs(chi_square_change(original, shown, relative=True)),
    ),
    "cramer's v": Kept(
        "1 - change of Cramer's V", lambda original, shown: 1 - abs(cramers_v_change(original, shown))
    ),
    "margins": Kept(
        "1 - relative change of the margins' variance",
        lambda original, shown: 1 - margin_variance_change(original, shown),
    ),
}  # fmt: skip


def _precision(seen: Seen, cells: np.ndarray | None) -> float:
    errors = seen.squared_errors
    return reciprocal(float((errors if cells is None else errors[cells]).mean()))


def _own_utility(utility: Callable[..., Any]) -> Callable[[Seen], float]:
    try:
        inspect.signature(utility).bind(None, None, None)
        three = True
    except (TypeError, ValueError):
        three = False

    def of(seen: Seen) -> float:
        given = (seen.table.to_xarray(), seen.release, *([seen.audit] if three else []))
        return _number(lambda: utility(*given), "utility=")

    return of


def _named(
    axis: str, name: Any, known: Mapping[str, tuple[str, Callable[[Seen], float]]], others: Iterable[str] = ()
) -> Measure:
    if not isinstance(name, str):
        raise InputError(f"{axis}= is the name of a measure or a function; it is {name!r}.")
    if name.lower() not in known:
        raise InputError(f"{axis}={name!r}: there is no such {axis}; {did_you_mean(name.lower(), [*known, *others])}")
    words, of = known[name.lower()]
    return Measure(name.lower(), words, of)


def _called(function: Any) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return "a function of your own" if name == "<lambda>" else str(name).replace("_", " ")


def _number(ask: Callable[[], Any], where: str) -> float:
    value = in_words(ask, f"{where}: your function failed, ")
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{where}: your function must return a number; it returned {value!r}.") from None
    if math.isnan(found) or found == -math.inf:
        raise InputError(f"{where}: your function returned {found}, which has no place on a map.")
    return found


def in_words(call: Callable[[], Any], before: str = "") -> Any:
    """What a function of the user's gives; where it fails, that is no failure of ours."""
    try:
        return call()
    except FiberwalkError:
        raise
    except Exception as problem:
        raise InputError(f"{before}{type(problem).__name__}: {problem}") from problem


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))
