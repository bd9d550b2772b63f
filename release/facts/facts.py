"""The parts a release is made of: the grids its cells stand in, facts about sums, and evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.certificate import LIKELIHOODS
from ...base.errors import Contradiction
from ...base.saved_forms import saved
from ..tables.dims import Dim, Key, Margin

NO_LIMIT = int(np.iinfo(np.int64).max // 4)
"""Upper limit of a cell or sum of which nothing is known."""
NO_VALUE = int(np.iinfo(np.int64).min)
"""Stands where no single figure was published (a range, or outside knowledge)."""


PUBLISHED, PRIMARY, HIDDEN, UNSHOWN = 0, 1, 2, 3
"""How a cell was released: exactly; withheld because a rule calls it sensitive (primary suppression); withheld otherwise
(secondary suppression); or never shown by itself (only margins, or rounded)."""


@saved("Grid")
@dataclass(frozen=True, eq=False)
class Grid:
    """One table of a release: the nodes it crosses on each dim, and the number of the cell at each crossing.

    On a dim that the table does not have, the only node is the dim's total. Linked tables may share cells.
    """

    nodes: tuple[np.ndarray, ...]
    cells: np.ndarray

    def keys(self) -> np.ndarray:
        """The nodes of every crossing, one row each, in the order of `cells.ravel()`."""
        return np.stack([axis.ravel() for axis in np.meshgrid(*self.nodes, indexing="ij")], axis=1)

    def margin(self, margin: Margin, dims: Sequence[Dim], n_cells: int) -> tuple[np.ndarray, Any] | None:
        """The sums of a margin: their keys, and which cells each sums; None where this grid cannot tell."""
        groups, targets = [], []
        for nodes, level, dim in zip(self.nodes, margin, dims, strict=True):
            coarse = dim.coarsen(nodes, level)
            if coarse is None:
                return None
            distinct, group = np.unique(coarse, return_inverse=True)
            targets.append(distinct)
            groups.append(group)
        return Grid(tuple(targets), np.empty(0)).keys(), self.summed(groups, n_cells)

    def summed(self, groups: Sequence[np.ndarray], n_cells: int) -> Any:
        """The matrix that sums cells whose positions fall in the same group on every dim."""
        sizes = [int(group.max()) + 1 for group in groups]
        group_of_cell = np.ravel_multi_index(np.ix_(*groups), sizes)
        row = np.broadcast_to(group_of_cell, self.cells.shape).ravel()
        ones = np.ones(len(row), dtype=np.int64)
        return sp.csr_array((ones, (row, self.cells.ravel())), shape=(int(np.prod(sizes)), n_cells))

    def row(self, key: Key, dims: Sequence[Dim], n_cells: int) -> Any | None:
        """The one-row matrix of the sum at a key, or None where this grid cannot tell it."""
        picks = []
        for nodes, node, dim in zip(self.nodes, key, dims, strict=True):
            inside = dim.within(nodes, int(node))
            if sum(len(dim.leaves[part]) for part in nodes[inside]) != len(dim.leaves[node]):
                return None
            picks.append(np.flatnonzero(inside))
        cells = self.cells[np.ix_(*picks)].ravel()
        return sp.csr_array(
            (np.ones(len(cells), dtype=np.int64), (np.zeros(len(cells), dtype=np.intp), cells)),
            shape=(1, n_cells),
        )


@saved("Sums")
@dataclass(frozen=True, eq=False)
class Sums:
    """Facts about sums of cells: lower <= matrix @ cells <= upper, an equality where the two coincide.

    `keys` are the nodes of each sum, or -1 where the fact is a relation without a place in the table; `value` is
    the published figure where there is one; `words` say what the sum is, or, where `stated`, the whole fact.
    """

    matrix: Any
    lower: np.ndarray
    upper: np.ndarray
    value: np.ndarray
    keys: np.ndarray
    words: tuple[str, ...]
    stated: tuple[bool, ...] = ()
    """Empty where it is true of none."""

    def __post_init__(self) -> None:
        for array in (self.lower, self.upper, self.value, self.keys, self.matrix.data):
            array.setflags(write=False)

    @staticmethod
    def none(n_cells: int, n_dims: int) -> Sums:
        """No facts yet."""
        empty = np.empty(0, dtype=np.int64)
        return Sums(
            sp.csr_array((0, n_cells), dtype=np.int64),
            empty,
            empty,
            empty,
            np.empty((0, n_dims), np.int64),
            (),
        )

    def joined(self, more: Sums, between: Callable[[int, int], str]) -> Sums:
        """These facts and more; one that is known already is tightened, not repeated. `between` says a range in words."""
        rows = sp.csr_array(sp.vstack([self.matrix, more.matrix]))
        rows.sort_indices()
        lower, upper = np.concatenate([self.lower, more.lower]), np.concatenate([self.upper, more.upper])
        value, keys = np.concatenate([self.value, more.value]), np.concatenate([self.keys, more.keys])
        words = (*self.words, *more.words)
        stated = tuple(one.stated[i] if one.stated else False for one in (self, more) for i in range(len(one)))
        said = [word if whole else f"{word} {between(int(low), int(high))}"
                for word, whole, low, high in zip(words, stated, lower, upper, strict=True)]  # fmt: skip
        first_with: dict[tuple[bytes, bytes], int] = {}
        kept = []
        for row in range(rows.shape[0]):
            part = slice(rows.indptr[row], rows.indptr[row + 1])
            content = (rows.indices[part].tobytes(), rows.data[part].tobytes())
            known = first_with.setdefault(content, row)
            if known == row:
                kept.append(row)
                continue
            low, high = max(lower[known], lower[row]), min(upper[known], upper[row])
            if low > high:
                clash = said[known], said[row]
                raise Contradiction(f"two facts contradict each other: {clash[0]}, and {clash[1]}.", clash)
            lower[known], upper[known] = low, high
            if value[known] == NO_VALUE:
                value[known] = value[row]
        whole = tuple(stated[i] for i in kept) if any(stated) else ()
        return Sums(rows[kept], lower[kept], upper[kept], value[kept], keys[kept], tuple(words[i] for i in kept), whole)

    def __len__(self) -> int:
        return len(self.lower)


@saved("Evidence")
@dataclass(frozen=True, eq=False)
class Evidence:
    """What a random mechanism's figure says of a cell or sum: log P(published | value), as plain data.

    `log_weights[k]` belongs to the value `first + k`; every other value is impossible.
    """

    cells: np.ndarray
    coefficients: np.ndarray
    first: int
    log_weights: np.ndarray
    words: str = ""
    key: np.ndarray | None = None
    """The nodes of the cell or sum, where it has a place in the table."""
    figure: int = NO_VALUE
    """What was published."""
    draw: str = ""
    """The name of the random draw where several tables share it: the same figure seen twice is one piece of evidence."""


LABELS, RECORDS = "labels", "records"
"""What a random number is keyed to where it is not drawn afresh: the labels of a cell or total, or the records in it."""


@saved("Applied")
@dataclass(frozen=True)
class Applied:
    """A protection method that made a release: what it is called, how well its likelihood is known, what it did."""

    name: str
    likelihood: str
    words: str
    """What it did, as every reader may know it."""
    seed: int | None = None
    """The seed of its random numbers. Like the truth, only the agency knows it."""
    mechanism: Any = field(default=None, compare=False, repr=False)
    """What else is public of it, where words do not say all: what it does to a figure, or the squares of a Markov
    perturbation."""
    keys: str = ""
    """What its random numbers belong to: LABELS or RECORDS; empty for fresh ones."""
    beyond_evidence: bool = False
    """Does `mechanism` hold the likelihood, because it is no product over cells and sums that evidence could hold?"""

    own_words: str = ""
    """What else it did, in words that only the agency may read."""

    def __post_init__(self) -> None:
        if self.likelihood not in LIKELIHOODS:
            raise ValueError(f"a likelihood is one of {LIKELIHOODS}, not {self.likelihood!r}")


def weakest_likelihood(applied: Iterable[Applied]) -> str:
    """The weakest likelihood of several methods; "exact" where there is none."""
    return max((method.likelihood for method in applied), key=LIKELIHOODS.index, default=LIKELIHOODS[0])


@saved("Protection")
@dataclass(frozen=True)
class Protection:
    """The lower, upper and sliding protection levels that an agency wants for a cell or sum.

    Values so far `below` and `above` the truth must stay possible, and the range of possible values be so wide.
    """

    below: int = 0
    above: int = 0
    width: int = 0
