"""Equations that are a flow in disguise: a graph in which cells are arcs and every sum is kept by a node.

Its incidence matrix is totally unimodular, so that linear programs over it have solutions in whole numbers. Bounds, decided
cells and independent parts of such a system are questions about paths and cycles. Two-way tables are of this kind, with any
margins and with a hierarchy in one dimension; three-way tables with all margins are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.jit import sparingly
from .network_kernel import nearest_containers, orientations, two_families

MOST_PAIRS = 300_000_000
"""Comparing rows costs the squares of the numbers of rows per column; beyond this sum nothing is tried."""

Entries = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Where each row (or column) starts, the columns (or rows) of its entries, and their values."""


@dataclass(frozen=True, eq=False)
class Network:
    """A directed graph with an arc for every column; the last node is the outside.

    The integer solutions of A x = b are the flows with `combine @ b` as what every node but the outside takes in less
    what it gives out. A column that no equation has is a loop at the outside: it is free within its limits.
    """

    tail: np.ndarray
    head: np.ndarray
    n_nodes: int
    combine: Any
    """The rows of A that make up each node's equation: `combine @ A` is the incidence matrix without the outside."""

    @cached_property
    def incidence(self) -> Any:
        """For every node but the outside: 1 at arcs that enter it, -1 at arcs that leave it."""
        arcs = np.arange(len(self.tail))
        ends = np.concatenate([self.head, self.tail])
        values = np.repeat(np.array([1, -1], dtype=np.int64), len(arcs))
        full = sp.coo_array((values, (ends, np.tile(arcs, 2))), shape=(self.n_nodes, len(arcs))).tocsr()
        return full[: self.n_nodes - 1]


def as_network(A: Any) -> Network | None:
    """A network with the same solutions as A x = b for every b, or None where none was found.

    Rows are sorted into two families in which any two rows are disjoint or nested, as far as columns of more than two
    rows are concerned. Each row then gives up the rows directly inside it, which leaves every column in two rows at most.
    """
    A = sp.csr_array(A, dtype=np.int64, copy=True)
    A.sum_duplicates()
    A.eliminate_zeros()
    if (np.abs(A.data) != 1).any():
        return None
    times = np.bincount(A.indices, minlength=A.shape[1])
    if (times.astype(float) ** 2).sum() > MOST_PAIRS:
        return None
    # A column of one row only (the slack of a range, say) never stands in the way: with its row it moves into one more.
    shared = times > 1
    by_rows, by_columns = _entries(A if shared.all() else A[:, np.flatnonzero(shared)])
    pairs = float((np.diff(by_columns[0]).astype(float) ** 2).sum())
    family = sparingly(two_families, pairs)(*by_rows, *by_columns)
    if len(family) < A.shape[0]:
        return None
    container, sign = sparingly(nearest_containers, pairs)(*by_rows, *by_columns, family)
    inside = np.flatnonzero(container >= 0)
    give_up = sp.csr_array((sign[inside], (container[inside], inside)), shape=(A.shape[0], A.shape[0]))
    return _from_incidence(A, sp.csr_array(sp.eye_array(A.shape[0], dtype=np.int64) - give_up))


def _from_incidence(A: Any, combine: Any) -> Network | None:
    """The network whose nodes are the rows of `combine @ A`, if these are an incidence matrix up to signs."""
    nodes = sp.csr_array(combine @ A)
    nodes.eliminate_zeros()
    nonempty = np.flatnonzero(np.diff(nodes.indptr))
    nodes, combine = sp.csr_array(nodes[nonempty]), sp.csr_array(combine[nonempty])
    if (np.abs(nodes.data) != 1).any() or np.bincount(nodes.indices, minlength=1).max() > 2:
        return None
    (row_start, columns, signs), (column_start, rows, _) = _entries(nodes)
    factor = sparingly(orientations, len(columns))(row_start, columns, signs, column_start, rows)
    if len(factor) < len(nonempty):
        return None
    signs = signs * np.repeat(factor, np.diff(row_start))
    node = np.repeat(np.arange(len(nonempty)), np.diff(row_start))
    tail, head = np.full((2, A.shape[1]), len(nonempty), dtype=np.int64)
    head[columns[signs > 0]] = node[signs > 0]
    tail[columns[signs < 0]] = node[signs < 0]
    return Network(tail, head, len(nonempty) + 1, sp.csr_array(sp.diags_array(factor, dtype=np.int64) @ combine))


def _entries(A: Any) -> tuple[Entries, Entries]:
    """A sparse matrix by rows and by columns, as the arrays that kernels take."""
    return _arrays(sp.csr_array(A)), _arrays(sp.csc_array(A))


def _arrays(form: Any) -> Entries:
    return form.indptr.astype(np.int64), form.indices.astype(np.int64), form.data.astype(np.int64)
