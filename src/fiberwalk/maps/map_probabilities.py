"""Utilities of users who estimate a joint or conditional probability: its mean squared error over what they believe.

Where the audit is exact, so is the error: from the distribution of the cell where its total (of the table, or of the
category it is in) is known, else from the joint law of both. Where chains were needed, or these laws are too large, tables
are drawn, and the Monte Carlo error is told.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import InputError, TooLarge
from ..fiber.blocks.known_sums import known_sums
from ..fiber.laws.support import support
from ..posterior.belief import QUICK
from ..posterior.joint import joint_law
from ..release.tables.tables import Table
from ..risk.probability_errors import probability_error, shares
from ..risk.utility import reciprocal
from ..sampler.chains.diagnostics import effective_draws
from ..sampling import sample
from .map_axis import Measure
from .map_seen import Seen

MOST_PAIRS = 100
"""At most so many cells have their joint law with an unknown total computed exactly; for more, tables are drawn."""
CONDITIONAL_ONLY = "given=, the dims to condition on, goes with utility='conditional probability'."
DRAWS, FEWEST, CHAINS = 500, 50, 4
"""Tables that are drawn, of each chain; fewer where they are large, and together would have more than MOST_COUNTS cells."""
MOST_COUNTS = 20_000_000


@dataclass(frozen=True)
class OfProbabilities:
    """The precision with which probabilities are known: what it is in words, and of which kind."""

    words: str
    """With a gap for the dims that are given."""
    conditional: bool

    def asked(self, name: str, table: Table, given: tuple[int, ...]) -> Measure:
        """The axis of a map that asks for it."""
        if self.conditional != bool(given):
            raise InputError(
                f"utility={name!r} needs given=, the dim or dims to condition on."
                if self.conditional
                else CONDITIONAL_ONLY
            )
        if len(given) == len(table.dims):
            raise InputError("given= names every dim: given all of them, nothing is left to be estimated.")
        if not table.values.any():
            raise InputError(f"utility={name!r}: nothing can be measured of an empty table.")
        names = " and ".join(table.dims[axis].name for axis in given)
        return Measure(
            name,
            self.words.format(given=names),
            lambda seen: reciprocal(_error(seen, given)[0]),
            error=lambda seen: _error_of_reciprocal(*_error(seen, given)),
        )


def _error_of_reciprocal(loss: float, error: float) -> float:
    return error / loss**2 if loss > 0 else 0.0


def _error(seen: Seen, given: tuple[int, ...]) -> tuple[float, float]:
    """The mean squared error of the probabilities and its standard error, computed once for each run."""
    if given not in seen.probability_errors:
        seen.probability_errors[given] = _computed(seen, given)
    return seen.probability_errors[given]


def _computed(seen: Seen, given: tuple[int, ...]) -> tuple[float, float]:
    if seen.audit.method == "exact":
        try:
            return _Exactly(seen, given).error, 0.0
        except TooLarge:
            pass
    return _by_draws(seen, given)


@dataclass(frozen=True, eq=False)
class _Exactly:
    """What the exact beliefs say of every cell and of the total that its probability is a share of."""

    seen: Seen
    given: tuple[int, ...]

    @cached_property
    def categories(self) -> np.ndarray:
        """Of each cell of the table, flat, the number of its category."""
        shape = self.seen.table.values.shape
        of_given = np.arange(math.prod(shape[axis] for axis in self.given)).reshape(
            [shape[axis] for axis in self.given]
        )
        others = [axis for axis in range(len(shape)) if axis not in self.given]
        return np.broadcast_to(np.expand_dims(of_given, others), shape).ravel()

    @cached_property
    def totals(self) -> Any:
        """The categories' totals, as sums of the release's cells."""
        n = len(self.categories)
        return sp.csr_array(
            (np.ones(n, np.int64), (self.categories, self.seen.numbers)),
            shape=(n // self.cells, self.seen.release.n_cells),
        )

    @property
    def cells(self) -> int:
        """How many cells a category has."""
        return int((self.categories == 0).sum())

    @property
    def error(self) -> float:
        """The mean squared error over the cells of all categories that somebody is in."""
        seen, true = self.seen, self.seen.table.values.ravel()
        total = np.bincount(self.categories, true).astype(np.int64)
        law = seen.audit.belief.law
        known = known_sums(seen.release, support(seen.release, law).solved, self.totals)
        scale = 100.0**seen.table.decimals
        occupied = np.flatnonzero(total[self.categories] > 0)
        by_pairs = [cell for cell in occupied.tolist() if not known[self.categories[cell]]]
        if len(by_pairs) > MOST_PAIRS:
            raise TooLarge("there are too many cells whose total is not known.")
        errors = np.zeros(len(true))
        simple = np.setdiff1d(occupied, by_pairs)
        errors[simple] = seen.squared_errors[simple] * scale / total[self.categories[simple]].astype(float) ** 2
        for cell in by_pairs:
            errors[cell] = self._by_pair(cell, true[cell] / total[self.categories[cell]])
        return float(errors[occupied].mean())

    def _by_pair(self, cell: int, true_share: float) -> float:
        """By the joint law of a cell and its category's total."""
        release = self.seen.release
        rows = sp.vstack([release.picked(self.seen.numbers[[cell]]), self.totals[[self.categories[cell]]]])
        try:
            law = joint_law(release, self.seen.audit.belief.law, sp.csr_array(rows), method="exact", budget=QUICK)
        except InputError as too_many:
            raise TooLarge(str(too_many)) from None
        values = law.first[:, None] + np.argwhere(law.possible).T
        error = shares(values[0].astype(float), values[1].astype(float), self.cells) - true_share
        return float(law.p[law.possible] @ error**2)


def _by_draws(seen: Seen, given: tuple[int, ...]) -> tuple[float, float]:
    """Over drawn tables, with the standard error of their mean."""
    belief, seed = seen.audit.belief, seen.audit.settings.get("seed", 1)
    draws = int(np.clip(MOST_COUNTS // (CHAINS * seen.table.values.size), FEWEST, DRAWS))
    drawn = sample(seen.release, belief.law, draws, CHAINS, seed, progress=False)["table"].values
    tables = drawn.reshape(draws * CHAINS, *seen.table.values.shape)
    errors = np.asarray(probability_error(seen.original, tables, stacked=True, by=list(given) or None))
    errors = np.nanmean(errors.reshape(len(tables), -1), axis=1)
    by_chain = errors.reshape(CHAINS, draws, 1)
    ess = float(effective_draws(by_chain, by_chain**2, 1)[0])
    return float(errors.mean()), float(errors.std() / math.sqrt(ess)) if ess > 0 else 0.0
