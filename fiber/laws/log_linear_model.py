"""Log-linear models of a table: expected counts by iterative proportional fitting to margins, and how well they fit."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError, TooLarge
from ...base.numbers import in_own_units
from ...release.publish import parse_margins
from ...release.tables.dims import Dim, Margin
from ...release.tables.tables import Table, as_table, labelled
from .raking import MOST_ROUNDS, raked

if TYPE_CHECKING:
    import xarray as xr

SOON = 200
"""Fits that take more rounds than this are slow for a reason; with empty cells in the table it is looked for."""
MOST_SUMS = 3000
"""Of so many sums the independent ones are still counted by linear algebra."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A log-linear model fitted to a table: expected counts with the table's own margins, and the tests of fit.

    Cells that no table with these margins can fill have the expected count 0 and are no part of the tests.
    """

    observed: np.ndarray
    expected: np.ndarray
    margins: tuple[Margin, ...]
    dims: tuple[Dim, ...]
    converged: bool = True

    @cached_property
    def g2(self) -> float:
        """The likelihood ratio statistic, 2 sum x log(x / mu)."""
        from scipy.special import xlogy

        x, mu = self._tested
        return max(0.0, float(2 * (xlogy(x, x / mu) - (x - mu)).sum()))

    @cached_property
    def x2(self) -> float:
        """Pearson's statistic, sum (x - mu)^2 / mu."""
        x, mu = self._tested
        return float(((x - mu) ** 2 / mu).sum())

    @cached_property
    def df(self) -> int:
        """Degrees of freedom: cells that can be filled, less independent sums among those fitted."""
        open_cells = (self.expected > 0).ravel()
        plain = all(
            level in (None, dim.name) for margin in self.margins for level, dim in zip(margin, self.dims, strict=True)
        )
        if plain and open_cells.all():
            return len(open_cells) - _independent_sums(self.margins, self.expected.shape)
        sums = sp.csr_array(design(self.margins, self.dims)[:, np.flatnonzero(open_cells)])
        sums = sums[np.flatnonzero(np.diff(sums.indptr))]
        if sums.shape[0] > MOST_SUMS:
            raise TooLarge(
                f"the degrees of freedom of {sums.shape[0]} sums of a table with empty cells are too many to count (at most "
                f"{MOST_SUMS}); fit smaller margins."
            )
        independent = np.linalg.matrix_rank((sums @ sums.T).toarray().astype(float), hermitian=True)
        return int(open_cells.sum() - independent)

    @property
    def p(self) -> float:
        """How probable so large a likelihood ratio is if the model holds (chi-square, for counts that are not small)."""
        return self._probability(self.g2)

    @property
    def p_pearson(self) -> float:
        """The same for Pearson's statistic."""
        return self._probability(self.x2)

    def __repr__(self) -> str:
        shown = "; ".join(" x ".join(level for level in margin if level) or "total" for margin in self.margins)
        return f"<Fit of {shown}: G2 {self.g2:.4g}, X2 {self.x2:.4g}>"

    @property
    def _tested(self) -> tuple[np.ndarray, np.ndarray]:
        tested = self.expected > 0
        return self.observed[tested], self.expected[tested]

    def _probability(self, statistic: float) -> float:
        from scipy.stats import chi2

        return float(chi2.sf(statistic, self.df)) if self.df else 1.0


def fit(
    table: Any,
    margins: Iterable[Any],
    *,
    add: float = 0.0,
    shut: np.ndarray | None = None,
) -> Fit:
    """Fit the log-linear model of some margins to a table, and say how well it fits; parameters as for `log_linear`.

    A `Table` is taken with its own dims, so that tables of the same shape can be tested one after the other. Cells that are
    `shut`, which nobody can be in, are no part of the model: of two dims this is quasi-independence.
    """
    if isinstance(table, (list, tuple)) and any(_is_table(item) for item in table):
        raise InputError(
            f"log_linear() takes one table, and this is a list of {len(table)}; fitted_cube() fits a table to published "
            "margins."
        )
    source = as_table(table)
    if margins is None:
        raise InputError("log_linear() needs margins=, a list such as ['I,J', 'J,K'].")
    kept = tuple(parse_margins(margins, source.dims))
    if not kept:
        raise InputError("log_linear() needs at least one margin; [''] fits the grand total alone.")
    if isinstance(add, bool) or not isinstance(add, (int, float)) or not 0 <= add < math.inf:
        raise InputError(f"log_linear(add={add!r}): a number of at least 0, such as 0.5.")
    observed = np.asarray(in_own_units(source.values, source.decimals), dtype=float)
    possible = np.ones(observed.shape, dtype=bool) if shut is None else ~shut
    observed = np.where(possible, observed + add, 0.0)
    expected, converged = _fitted(observed, kept, source.dims, possible)
    if not converged:
        warnings.warn(
            "the log-linear fit has not come to rest: the expected counts do not have the margins of the table. Zeros may "
            "be the reason; add=0.5 adds a little to every cell.",
            stacklevel=3,
        )
    return Fit(observed, expected, kept, source.dims, converged)


def log_linear(
    table: Any,
    margins: Iterable[Any],
    *,
    add: float = 0.0,
) -> xr.DataArray:
    """Expected counts of a table under the log-linear model of some margins: as even as these margins allow.

    They have the margins of the table and no further interaction (iterative proportional fitting). For an intruder who
    believes that an older or a similar table still tells how the dims go together:
    `fw.laws.expected(fw.laws.log_linear(older, ["A,B", "B,C"]))`.

    Parameters
    ----------
    table
        Any form of a table.
    margins
        What the model keeps: "A,B" for the interaction of A and B, and all that is part of it. Levels of hierarchies are
        margins too.
    add
        Added to every cell before the fit. Where a margin of the table is 0 the expected counts are 0, and an intruder
        who believes them holds every count but 0 for impossible; with 0.5, say, she does not.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.laws.log_linear([[8, 2], [4, 6]], ["A", "B"]).values.tolist()
    [[6.0, 4.0], [6.0, 4.0]]
    """
    model = fit(table, margins, add=add)
    return labelled(model.expected, model.dims)


def _fitted(
    values: np.ndarray, margins: Sequence[Margin], dims: Sequence[Dim], possible: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Expected counts, and do they have the margins of the table?"""
    targets = [(group, np.bincount(group, values.ravel())) for group in (groups(margin, dims) for margin in margins)]
    start = possible.astype(float)
    expected, converged = raked(start, targets, SOON)
    if converged:
        return expected, True
    if (values == 0).any():
        # What cannot be filled goes to 0 so slowly that the fit never comes to rest: such cells are taken out.
        can_be = fillable(values.ravel(), design(margins, dims), possible.ravel())
        start[~can_be.reshape(values.shape)] = 0.0
    return raked(start, targets, MOST_ROUNDS)


def groups(margin: Margin, dims: Sequence[Dim]) -> np.ndarray:
    """For each cell the number of the sum of a margin that it belongs to."""
    places = [np.unique(dim.nodes_at(level), return_inverse=True)[1] for level, dim in zip(margin, dims, strict=True)]
    sizes = [int(of_dim.max()) + 1 for of_dim in places]
    shape = [len(of_dim) for of_dim in places]
    return np.broadcast_to(np.ravel_multi_index(np.ix_(*places), sizes), shape).ravel()


def design(margins: Sequence[Margin], dims: Sequence[Dim]) -> Any:
    """Which cells each sum of the margins adds up, one row per sum."""
    rows = []
    for margin in margins:
        group = groups(margin, dims)
        rows.append(sp.csr_array((np.ones(len(group), np.int64), (group, np.arange(len(group))))))
    return sp.csr_array(sp.vstack(rows))


def fillable(values: np.ndarray, sums: Any, possible: np.ndarray) -> np.ndarray:
    """Which cells are positive in some table, of real numbers, with the same margins: one linear program finds them all.

    Such tables are x + (a change that the margins do not see). The program looks for the change that lifts as many empty
    cells as possible up to 1; it may be large elsewhere, since any fraction of it serves as well. If some cells cannot be
    filled, the model has a maximum likelihood estimate in the extended sense only, with 0 for these.
    """
    from scipy.optimize import linprog

    empty = np.flatnonzero((values == 0) & possible)
    n_cells, n_empty = len(values), len(empty)
    # columns: the change of each cell, then how far each empty cell counts as lifted
    lifted = sp.csr_array((np.full(n_empty, -1.0), (np.arange(n_empty), empty)), shape=(n_empty, n_cells))
    program = linprog(
        np.concatenate([np.zeros(n_cells), -np.ones(n_empty)]),
        A_ub=sp.hstack([lifted, sp.eye_array(n_empty)], format="csr"),
        b_ub=np.zeros(n_empty),
        A_eq=sp.hstack([sums.astype(float), sp.csr_array((sums.shape[0], n_empty))], format="csr"),
        b_eq=np.zeros(sums.shape[0]),
        bounds=[
            (0 if count == 0 else None, None if open_cell else 0)
            for count, open_cell in zip(values, possible, strict=True)
        ]
        + [(0, 1)] * n_empty,
        method="highs",
    )
    can_be = values > 0
    can_be[empty] = program.x[n_cells:] > 0.5 if program.status == 0 else True
    return can_be


def _is_table(item: Any) -> bool:
    """Is it a table or an array by itself, and not the row of a nested list?"""
    return isinstance(item, (Table, np.ndarray)) or type(item).__module__.split(".")[0] in ("xarray", "pandas")


def _independent_sums(margins: Sequence[Margin], shape: Sequence[int]) -> int:
    """How many sums of some margins of a complete table do not follow from others: one for each effect of the model."""
    shown = [[i for i, level in enumerate(margin) if level is not None] for margin in margins]
    effects = {
        part
        for dims_shown in shown
        for part in chain.from_iterable(combinations(dims_shown, size) for size in range(len(dims_shown) + 1))
    }
    return sum(math.prod(shape[i] - 1 for i in part) for part in effects)
