"""Markov perturbation (Duncan and Fienberg 1999; DFKPR01): records move within squares of four cells.

A *square* is two categories of one dim crossed with two of another, everything else fixed. A step changes its top-left
cell w and makes up for it in the other three, so that the two row and two column totals of the square stay. With the top
row total r, the left column total c and the grand total n, w lies between lo = max(0, r + c - n) and hi = min(r, c), and

    published = lo + Binomial(w - lo, 1 - theta) + Binomial(hi - w, f),    f = min(1, w theta / (c - w)),

where f = 0 at w = hi: units that can leave do so with probability theta, and as many as leave on average come in. The law
depends on the corner and on which side is called a row: a square is read so that c >= r, transposed where it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..release.dims import Dim, margin_list, parse_margin
from ..release.errors import InputError
from ..release.facts import Applied, Evidence
from ..release.release import Release, of_table
from ..release.table_forms import Hierarchies
from ..release.tables import cell_position
from .cell_keys import taken_seed
from .mechanism import EXACT, SUPPORT, counts_of
from .moved_records import published_as

MOST_SQUARES = 1_000_000
NAME = "Markov perturbation"
MORE_IS_KNOWN = (
    "only the figures that no step can change are modelled: the published cells say more of the truth, so an audit is a "
    "LOWER bound of what an intruder can learn"
)


@dataclass(frozen=True, eq=False)
class Squares:
    """Squares in their order: the positions of the two dims of each, and its four cells (flat numbers).

    The cells are top left, top right, bottom left and bottom right; the first dim goes down, the second across.
    """

    dims: np.ndarray
    cells: np.ndarray

    def __len__(self) -> int:
        return len(self.cells)


@dataclass(frozen=True, eq=False)
class MarkovPerturbation:
    """All that is public of a Markov perturbation: theta, its squares, and whether they stand in the order of the steps."""

    theta: float
    squares: Squares
    order_known: bool = True


# --- the law of one step ------------------------------------------------------------------------------------------


def oriented(row: int, column: int) -> tuple[int, int]:
    """The top row and left column total as the law reads them: the column has at least as many."""
    return (row, column) if column >= row else (column, row)


def corner_range(row: int, column: int, total: int) -> tuple[int, int]:
    """The least and the most that the top-left cell of a square can be."""
    return max(0, row + column - total), min(row, column)


def coming_in(w: int, high: int, column: int, theta: float) -> float:
    """f, the probability with which a unit of the bottom-left cell that can come in does."""
    return 0.0 if w == high else min(1.0, w * theta / (column - w))


def largest_theta(row: int, column: int, total: int) -> float:
    """The largest theta at which f stays below 1 by itself for every w < hi, so that nothing is cut off.

    DFKPR01's range also asks it of w = hi, where no unit is left to come in: 0.2 in their example, and 2/7 here.
    """
    row, column = oriented(row, column)
    low, high = corner_range(row, column, total)
    w = high - 1
    return 1.0 if w < max(low, 1) else min(1.0, (column - w) / w)


def log_step_likelihood(published: int, row: int, column: int, total: int, theta: float) -> tuple[int, np.ndarray]:
    """lo, and log P(published | w) of every w from lo to hi: what a published corner says of the true one."""
    from scipy.special import gammaln, logsumexp, xlog1py, xlogy

    row, column = oriented(row, column)
    low, high = corner_range(row, column, total)
    found = np.full(high - low + 1, -np.inf)
    log_factorial = gammaln(np.arange(high - low + 2) + 1.0)
    seen = published - low
    if not 0 <= seen <= high - low:
        return low, found
    for w in range(low, high + 1):
        inside, outside, f = w - low, high - w, coming_in(w, high, column, theta)
        stay = np.arange(max(0, seen - outside), min(inside, seen) + 1)
        come = seen - stay
        ways = log_factorial[inside] - log_factorial[stay] - log_factorial[inside - stay]
        ways = ways + log_factorial[outside] - log_factorial[come] - log_factorial[outside - come]
        terms = ways + xlog1py(stay, -theta) + xlogy(inside - stay, theta)
        found[w - low] = logsumexp(terms + xlogy(come, f) + xlog1py(outside - come, -f))
    return low, found


def step(square: np.ndarray, theta: float, random: np.random.Generator) -> int:
    """How much one step adds to the top-left cell of a square (top left, top right, bottom left, bottom right)."""
    top_left, top_right, bottom_left, bottom_right = square.tolist()
    row, column = oriented(top_left + top_right, top_left + bottom_left)
    low, high = corner_range(row, column, top_left + top_right + bottom_left + bottom_right)
    stay = int(random.binomial(top_left - low, 1.0 - theta))
    come = int(random.binomial(high - top_left, coming_in(top_left, high, column, theta)))
    return low + stay + come - top_left


# --- the method -----------------------------------------------------------------------------------------------------


def markov_perturb(
    table: Any,
    theta: float,
    *,
    squares: Any = "adjacent",
    dims: Any = None,
    order: str = "random",
    capped: bool = True,
    seed: int | None = None,
    hierarchies: Hierarchies | None = None,
    decimals: int = 0,
    count: str | None = None,
) -> Release:
    """Publish a table of counts after steps within squares of four cells, each of which keeps the square's totals.

    Figures that no step can change are facts. Where no two squares share a cell the likelihood is exact, as in DFKPR01's
    example of one square. Where they do, the published table is the end of a path whose middle nobody sees: the
    likelihood is support only, and an audit a lower bound of what an intruder can learn. The public part of the mechanism,
    with its squares, is `release.applied[-1].mechanism`.

    Parameters
    ----------
    theta
        How likely a unit that can leave the top-left cell of a square is to do so, from 0 to 1.
    squares
        "adjacent": every square of neighbouring categories; "all": every square; or a list of squares, each a pair of
        cells ({dim: label}), the top-left and the bottom-right one, that differ in two dims.
    dims
        The pairs of dims in which squares lie, such as ["A,B"]; every pair when left out.
    order
        "random": a random order, which is published; "secret": a random order, which is not; "given": as listed.
    capped
        Cut f off at 1 (as above), at the price of a bias. False: refuse a theta for which that would be needed.
    seed
        Of the random numbers. Left out: a new one, which `release.applied` keeps; one that can be guessed protects nothing.
    hierarchies, count
        As for `publish`; decimals must be 0.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.markov_perturb([[1, 14], [17, 83]], theta=0.1, seed=1)
    >>> r.published.values.tolist()
    [[2, 13], [16, 84]]
    >>> fw.audit(r).pmf(A="1", B="1").loc[1:4].round(3).to_dict()
    {1: 0.068, 2: 0.699, 3: 0.192, 4: 0.035}
    """
    labelled = counts_of(table, "markov_perturb", hierarchies, decimals, count)
    theta = _taken_theta(theta)
    if order not in ("random", "secret", "given"):
        raise InputError(f"order={order!r}: 'random', 'secret' or 'given'.")
    release = of_table(labelled)
    listed = _squares(squares, dims, release)
    seed = taken_seed(seed)
    random = np.random.default_rng(seed)
    in_order = np.arange(len(listed)) if order == "given" else random.permutation(len(listed))
    values = labelled.values.ravel().copy()
    for number in in_order:
        cells = listed.cells[number]
        if not capped:
            _refuse_cut(values[cells], theta, cells, release)
        values[cells] += step(values[cells], theta, random) * np.array([1, -1, -1, 1])
    alone = _none_shares_a_cell(listed)
    release = _with_what_stays(release, listed)
    if alone:
        release = replace(release, evidence=_evidence(release, listed, values, theta))
    public = MarkovPerturbation(theta, listed, order != "secret")
    if order == "random":
        public = replace(public, squares=Squares(listed.dims[in_order], listed.cells[in_order]))
    how = "in an order that is not published" if order == "secret" else "in a published order"
    where = "one square of four cells" if len(listed) == 1 else f"{len(listed)} squares of four cells, {how},"
    words = f"units moved within {where} with theta = {theta:g}, every step keeping its square's totals"
    words += "" if alone else f"; {MORE_IS_KNOWN}"
    applied = Applied(NAME, EXACT if alone else SUPPORT, words, seed, public)
    return published_as(release, values, applied)


def _taken_theta(theta: Any) -> float:
    good = isinstance(theta, (int, float, np.integer, np.floating)) and not isinstance(theta, bool)
    if not good or not 0 <= theta <= 1:
        raise InputError(
            f"theta={theta!r}: the probability of moving out, from 0 (nothing moves) to 1, in every square."
        )
    return float(theta)


def _refuse_cut(square: np.ndarray, theta: float, cells: np.ndarray, release: Release) -> None:
    """Refuse a theta at which units would have to come in with a probability above 1."""
    largest = largest_theta(int(square[:2].sum()), int(square[[0, 2]].sum()), int(square.sum()))
    if theta > largest:
        raise InputError(
            f"theta={theta:g} is too large for the square with the corner {release.words(release.keys[cells[0]])}: there it "
            f"may be from 0 to {largest:.4g}; choose it smaller, or let capped=True cut the probability off at 1."
        )


# --- which squares --------------------------------------------------------------------------------------------------


def _squares(asked: Any, pairs: Any, release: Release) -> Squares:
    """The squares a user asks for."""
    if isinstance(asked, Squares):
        return asked
    if isinstance(asked, str) or asked is None:
        if asked not in ("adjacent", "all", None):
            raise InputError(f"squares={asked!r}: 'adjacent', 'all', or a list of squares.")
        return _every_square(release, _pairs(pairs, release.dims), asked != "all")
    if pairs is not None:
        raise InputError("dims= goes with squares='adjacent' or 'all'; a list of squares says its dims itself.")
    if not isinstance(asked, Iterable) or isinstance(asked, Mapping):
        raise InputError("squares= is 'adjacent', 'all', or a list of pairs of cells.")
    found = [_square(one, release) for one in asked]
    if not found:
        raise InputError("squares=[] moves nothing: list at least one square.")
    return Squares(np.array([one[0] for one in found]), np.array([one[1] for one in found]))


def _pairs(asked: Any, dims: tuple[Dim, ...]) -> list[tuple[int, int]]:
    wide = [i for i, dim in enumerate(dims) if len(dim.labels) > 1]
    if asked is None:
        if len(wide) < 2:
            raise InputError("a square needs two dims with at least two categories each; this table has none.")
        return list(combinations(wide, 2))
    found = []
    for one in margin_list(asked, "dims="):
        shown = tuple(i for i, level in enumerate(parse_margin(one, dims)) if level is not None)
        if len(shown) != 2 or not set(shown) <= set(wide):
            raise InputError(f"dims={one!r}: a square lies in two dims with at least two categories each.")
        found.append((shown[0], shown[1]))
    return list(dict.fromkeys(found))


def _every_square(release: Release, pairs: list[tuple[int, int]], adjacent: bool) -> Squares:
    numbers = release.grids[0].cells
    shape = numbers.shape

    def steps(n: int) -> int:
        return n - 1 if adjacent else comb(n, 2)

    many = sum(steps(shape[a]) * steps(shape[b]) * (numbers.size // (shape[a] * shape[b])) for a, b in pairs)
    if many > MOST_SQUARES:
        raise InputError(
            f"the table has {many:,} such squares, more than {MOST_SQUARES:,}: choose dims=, or list squares."
        )
    dims, cells = [], []
    for a, b in pairs:
        planes = np.moveaxis(numbers, (a, b), (0, 1)).reshape(shape[a], shape[b], -1)
        ends = [
            [(i, i + 1) for i in range(n - 1)] if adjacent else list(combinations(range(n), 2))
            for n in (shape[a], shape[b])
        ]
        for (i, k), (j, m) in product(*ends):
            here = np.stack([planes[i, j], planes[i, m], planes[k, j], planes[k, m]], axis=1)
            cells.append(here)
            dims.append(np.tile([a, b], (len(here), 1)))
    return Squares(np.concatenate(dims), np.concatenate(cells))


def _square(asked: Any, release: Release) -> tuple[tuple[int, int], tuple[int, ...]]:
    if not isinstance(asked, (tuple, list)) or len(asked) != 2:
        raise InputError(f"a square is a pair of cells, the top-left and the bottom-right one; this is {asked!r}.")
    first, last = (cell_position(one, release.dims) for one in asked)
    differ = [i for i, (x, y) in enumerate(zip(first, last, strict=True)) if x != y]
    if len(differ) != 2:
        raise InputError(
            f"the square {dict(asked[0])} to {dict(asked[1])}: its corners must differ in two dims, not in {len(differ)}."
        )
    down, across = differ
    corners = []
    for i, j in product((first[down], last[down]), (first[across], last[across])):
        corner = list(first)
        corner[down], corner[across] = i, j
        corners.append(int(release.grids[0].cells[tuple(corner)]))
    return (down, across), tuple(corners)


# --- what stays -----------------------------------------------------------------------------------------------------


def _none_shares_a_cell(squares: Squares) -> bool:
    return len(np.unique(squares.cells)) == squares.cells.size


def _with_what_stays(release: Release, squares: Squares) -> Release:
    """The figures that no step can change, as facts: untouched cells, and sums of touched ones.

    Squares that share cells change a group of cells together. Within a group, a sum over all labels of some dims stays if
    every square of the group lies along at least one of them.
    """
    if release.truth is None:
        raise InputError("only a table whose cells are known can be perturbed.")
    n = release.n_cells
    corner, others = np.repeat(squares.cells[:, 0], 3), squares.cells[:, 1:].ravel()
    joined = sp.csr_array((np.ones(len(others)), (corner, others)), shape=(n, n))
    group = sp.csgraph.connected_components(joined, directed=False)[1]
    touched = np.zeros(n, dtype=bool)
    touched[squares.cells] = True
    still = np.flatnonzero(~touched)
    figures = release.truth[still]
    if len(still):
        release = release.with_facts(release.keys[still], release.picked(still), figures, figures, figures)
    ties: dict[int, set[tuple[int, int]]] = {}
    for number, (a, b) in zip(group[squares.cells[:, 0]].tolist(), np.sort(squares.dims, axis=1).tolist(), strict=True):
        ties.setdefault(number, set()).add((a, b))
    staying: dict[tuple[int, ...], list[int]] = {}
    for number, pairs in ties.items():
        for margin in kept_margins(len(release.dims), frozenset(pairs)):
            staying.setdefault(margin, []).append(number)
    for margin, groups in staying.items():
        release = _sums_within(release, np.where(np.isin(group, groups), group, -1), touched, margin)
    return release


@lru_cache
def kept_margins(n_dims: int, pairs: frozenset[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The largest sets of dims that hold at most one dim of every pair."""
    ties = [set(pair) for pair in pairs]
    tied = sorted(set().union(*ties))
    free = [i for i in range(n_dims) if i not in tied]
    found: list[set[int]] = []
    for size in range(len(tied), -1, -1):
        for some in combinations(tied, size):
            chosen = set(some)
            if not any(tie <= chosen for tie in ties) and not any(chosen <= larger for larger in found):
                found.append(chosen)
    return [tuple(sorted([*free, *one])) for one in found]


def _sums_within(release: Release, group: np.ndarray, touched: np.ndarray, margin: tuple[int, ...]) -> Release:
    """The sums, within each group (-1: none), of cells that share their labels on some dims, as facts."""
    assert release.truth is not None
    keys, matrix = release.margin([release.dims[i].name for i in margin])
    line = sp.csc_array(matrix).indices
    cells = np.flatnonzero(group >= 0)
    which, row = np.unique(np.stack([line[cells], group[cells]], axis=1), axis=0, return_inverse=True)
    row = row.ravel()
    # Where no other group has a cell with these labels, the sum of the margin stays, and has a place in the table.
    alone = np.bincount(line[touched], minlength=len(keys))[which[:, 0]] == np.bincount(row)
    named, parts = which[alone, 0], np.flatnonzero(~alone)
    sums = matrix[named] @ release.truth
    release = release.with_facts(keys[named], matrix[named], sums, sums, sums)
    if not len(parts):
        return release
    matrix = sp.csr_array((np.ones(len(cells), np.int64), (row, cells)), shape=(len(which), release.n_cells))[parts]
    sums = matrix @ release.truth
    words = []
    for i in range(len(parts)):
        cells = matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]]
        shown = " + ".join(f"({release.words(release.keys[cell])})" for cell in cells[:4])
        words.append(shown + (f" + {len(cells) - 4} more" if len(cells) > 4 else ""))
    nowhere = np.full((len(parts), len(release.dims)), -1, dtype=np.int64)
    return release.with_facts(nowhere, matrix, sums, sums, sums, words)


def _evidence(release: Release, squares: Squares, published: np.ndarray, theta: float) -> tuple[Evidence, ...]:
    """What the published corner of every square says of the true one, where no square touches another."""
    found = []
    for cells in squares.cells:
        square = published[cells]
        corner, row, column, total = int(square[0]), int(square[:2].sum()), int(square[[0, 2]].sum()), int(square.sum())
        low, logs = log_step_likelihood(corner, row, column, total, theta)
        if len(logs) == 1:
            continue
        key = release.keys[cells[0]]
        found.append(
            Evidence(cells[:1].astype(np.int64), np.ones(1, dtype=np.int64), low, logs, key=key, figure=corner)
        )
    return tuple(found)
