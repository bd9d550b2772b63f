"""The tables that a law and the evidence give any weight at all.

Zero weights at the ends of a cell's range are bounds like any other. Zero weights in between are *gaps*: a walk in small
steps may be unable to cross them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ...base.errors import Contradiction, InputError
from ...base.interruption import check_time
from ...release.facts.facts import Evidence
from ...release.release import Release
from ..blocks.presolve import Block, Presolved, presolve
from .by_name import as_law
from .law import GammaRatio, Law, Poisson, Tail, Weigh, alike, relative_weights
from .own_units import log_namings, removed_units
from .uniform import Uniform

NO_TABLE = "the law and the evidence leave no possible table: "


@dataclass(frozen=True, eq=False)
class Support:
    """A release and a law: presolved within the bounds that the law leaves, with its weights and which columns have gaps."""

    release: Release
    """As it was published."""
    law: Law
    narrowed: Release
    """The same within the bounds that the law leaves; where these are narrower, without the truth."""
    solved: Presolved
    weigh: WithEvidence
    gaps: np.ndarray

    def only(self, blocks: Iterable[Block]) -> Support:
        """The same with no other blocks than these."""
        return replace(self, solved=replace(self.solved, blocks=tuple(blocks)))


@dataclass(frozen=True, eq=False)
class WithEvidence:
    """A law's weights, multiplied with what the release's evidence says of each column; slacks have no law."""

    law: Weigh
    n_cells: int
    evidence: tuple[tuple[int, Evidence], ...]
    own: np.ndarray | None = None
    """Units of each cell that are the intruder's own, and are taken out of what the law weighs."""

    def __call__(self, column: int, first: int, last: int) -> np.ndarray | None:
        """The log-weights of some values of a column."""
        return self._with(self.law, column, first, last)

    def relative(self, column: int, first: int, last: int) -> np.ndarray | None:
        """The same up to a constant, and exact for counts of any size."""
        return self._with(partial(relative_weights, self.law), column, first, last)

    def _with(self, law: Weigh, column: int, first: int, last: int) -> np.ndarray | None:
        total = law(column, first, last) if column < self.n_cells else None
        if self.takes_out(column):
            assert self.own is not None
            namings = log_namings(int(self.own[column]), first, last)
            total = namings if total is None else total + namings
        for item in self._of_column.get(column, ()):
            of_evidence = item.log_weights[first - item.first : last - item.first + 1]
            total = of_evidence if total is None else total + of_evidence
        return total

    def tail(self, column: int) -> Tail | None:
        """A formula for the large values of a column, where nothing but the law weighs these."""
        alone = column < self.n_cells and column not in self._of_column and not self.takes_out(column)
        return self.law.tail(column) if alone and hasattr(self.law, "tail") else None

    def takes_out(self, column: int) -> bool:
        """Does she have units of her own in a column?"""
        return self.own is not None and column < self.n_cells and bool(self.own[column])

    @cached_property
    def _of_column(self) -> dict[int, list[Evidence]]:
        by_column: dict[int, list[Evidence]] = {}
        for where, item in self.evidence:
            by_column.setdefault(where, []).append(item)
        return by_column

    def signature(self, columns: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> list[np.ndarray]:
        """Arrays that tell these weights of some columns from others: laws of one's own may share a name."""
        arrays = [
            array
            for column in columns.tolist()
            for item in self._of_column.get(column, ())
            for array in (np.array([column, item.first]), item.log_weights)
        ]
        if self.own is not None:
            arrays.append(self.own[columns[columns < self.n_cells]])
        if isinstance(self.law, Poisson):
            return [*arrays, self.law.means[columns[columns < self.n_cells]]]
        if isinstance(self.law, GammaRatio):
            return [*arrays, self.law.shapes[columns[columns < self.n_cells]]]
        if self.law is alike:
            return arrays
        for column, first, last in zip(columns, lower, upper, strict=True):
            form = self.law.signature(int(column)) if column < self.n_cells and hasattr(self.law, "signature") else None
            if form is not None:
                arrays += [np.array([column]), np.frombuffer(form, dtype=np.uint8)]
                continue
            weights = self.law(int(column), int(first), int(last)) if column < self.n_cells else None
            arrays += [] if weights is None else [np.array([column]), np.asarray(weights)]
        return arrays

    def excludes_nothing(self, column: int) -> bool:
        """Is it plain that every value of a column has a positive weight?"""
        if column in self._of_column:
            return False
        if column >= self.n_cells or self.law is alike or isinstance(self.law, GammaRatio):
            return True
        if hasattr(self.law, "excludes_nothing"):
            return bool(self.law.excludes_nothing(column))
        return isinstance(self.law, Poisson) and bool(self.law.means[column] > 0)


def with_evidence(weigh: Weigh, presolved: Presolved, own: np.ndarray | None = None) -> WithEvidence:
    """The weights of a law and of a release's evidence."""
    return WithEvidence(weigh, presolved.fiber.n_cells, presolved.fiber.evidence, own)


def refuse_impossible(release: Release, presolved: Presolved, weigh: Weigh) -> None:
    """Refuse where a value that the facts decide has probability zero under the law or the evidence."""
    for column in np.flatnonzero(presolved.decided):
        value = int(presolved.start[column])
        weight = weigh(int(column), value, value)
        if weight is not None and np.isneginf(weight[0]):
            raise InputError(
                NO_TABLE + f"{_named(release, int(column))} must be {release.show(value)}, which has probability zero."
            )


def _named(release: Release, column: int) -> str:
    return release.words(release.keys[column]) if column < release.n_cells else "a published sum"


def _refuse_law_of_counts(law: Law, release: Release) -> None:
    """Refuse a law that has no weights below 0, where cells may be there."""
    if release.signed and not getattr(law, "below_zero", False):
        known = f" ({release.beforehand})" if release.beforehand else ""
        raise InputError(
            f"law {law.name!r} is of cells of at least 0, and cells of this release may be negative{known}; take the law "
            "'uniform', or a prior that lists values."
        )


def support(release: Release, law: Any = "uniform") -> Support:
    """Presolve a release within the bounds of a law's positive weights."""
    chosen = as_law(law)
    _refuse_law_of_counts(chosen, release)
    of_law, own = chosen.on(release), removed_units(chosen, release)
    narrowed = release
    while True:
        try:
            presolved = presolve(narrowed)
        except Contradiction:
            if narrowed is release:
                raise
            raise InputError(NO_TABLE + "every feasible one has probability zero.") from None
        weigh = with_evidence(of_law, presolved, own)
        refuse_impossible(release, presolved, weigh)
        gaps = np.zeros(presolved.fiber.n_columns, dtype=bool)
        if isinstance(chosen, Uniform) and not release.evidence:
            return Support(release, chosen, narrowed, presolved, weigh, gaps)
        lower, upper = narrowed.lower.copy(), narrowed.upper.copy()
        for block in presolved.blocks:
            for column, first, last in zip(block.columns, block.lower, block.upper, strict=True):
                if weigh.excludes_nothing(int(column)):  # known without a list of all values, which may be billions
                    continue
                check_time("the weights of values were listed")
                weights = weigh(int(column), int(first), int(last))
                possible = np.arange(last - first + 1) if weights is None else np.flatnonzero(weights > -np.inf)
                if not len(possible):
                    where = _named(release, int(column))
                    among = release.between(int(first), int(last)).removeprefix("is ")
                    raise InputError(NO_TABLE + f"together they rule out every value of {where}, {among}.")
                # Cells are narrowed below, sums are not: what is excluded at the ends of a sum's range is a gap as well.
                gaps[column] = len(possible) < last - first + 1
                if column < presolved.fiber.n_cells and gaps[column]:
                    lower[column] = max(lower[column], first + possible[0])
                    upper[column] = min(upper[column], first + possible[-1])
        if (lower == narrowed.lower).all() and (upper == narrowed.upper).all():
            return Support(release, chosen, narrowed, presolved, weigh, gaps)
        narrowed = replace(narrowed.without_truth(), lower=lower, upper=upper)
