"""Columns that are one unknown: where an equation has two columns only, each tells the other.

In a 2 x J x K table with all two-way margins, x_2jk is the published sum less x_1jk. With every such pair taken as one
unknown, what is left of that table is a two-way table, a network.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .network import Network, as_network


@dataclass(frozen=True, eq=False)
class Twins:
    """A system in fewer unknowns: z = `spread` @ y is a solution of A z = 0 if and only if y is one of `A` y = 0.

    Each row of `spread` holds a single 1 or -1.
    """

    A: Any
    spread: Any


def without_twins(A: Any) -> Twins | None:
    """The system with pairs of columns made one (union-find with signs); None where two equations about a pair clash."""
    A = sp.csr_array(A)
    leader = np.arange(A.shape[1])
    sign = np.ones(A.shape[1], dtype=np.int64)

    def root(column: int) -> tuple[int, int]:
        path, total = column, 1
        while leader[path] != path:
            total *= int(sign[path])
            path = int(leader[path])
        leader[column], sign[column] = path, total
        return path, total

    pairs = np.flatnonzero(np.diff(A.indptr) == 2)
    for row in pairs:
        first, second = A.indices[A.indptr[row] : A.indptr[row + 1]].tolist()
        first_sign, second_sign = A.data[A.indptr[row] : A.indptr[row + 1]].tolist()
        if abs(first_sign) != 1 or abs(second_sign) != 1:
            continue
        (first_root, first_turn), (second_root, second_turn) = root(first), root(second)
        relation = -first_sign * second_sign * first_turn * second_turn  # of the two roots
        if first_root == second_root:
            if relation != 1:
                return None
        else:
            leader[second_root], sign[second_root] = first_root, relation
    ends = np.array([root(column) for column in range(A.shape[1])], dtype=np.int64).reshape(-1, 2)
    roots, unknown = np.unique(ends[:, 0], return_inverse=True)
    spread = sp.csr_array((ends[:, 1], (np.arange(A.shape[1]), unknown)), shape=(A.shape[1], len(roots)))
    reduced = sp.csr_array(A @ spread)
    reduced.eliminate_zeros()
    return Twins(sp.csr_array(reduced[np.flatnonzero(np.diff(reduced.indptr))]), spread)


def network_of_twins(A: Any) -> tuple[Network, Any] | None:
    """The network of a system after pairs of columns were made one, and how its arcs spread over the columns."""
    twins = without_twins(A)
    if twins is None or twins.spread.shape[1] == A.shape[1]:
        return None
    network = as_network(twins.A)
    return None if network is None else (network, twins.spread)
