"""The entropy of a table, and its conditional entropy given another table (ASE15, section 3). In nats."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from .table_arrays.table_shapes import Tables, arranged


def table_entropy(F: Any, *, stacked: bool = False, by: Any = None) -> Any:
    """H(X) = -sum F/N ln F/N: how evenly people are spread over the cells of a table, in nats.

    It is 0 where all are in one cell, and at most ln K, K being the number of cells, where all cells are equal.

    Parameters
    ----------
    F
        A table, in any form; an array of any shape is one table.
    stacked, by
        As for `r1`.

    Examples
    --------
    >>> round(table_entropy([[1, 1], [1, 1]]), 6)
    1.386294
    """
    tables = arranged(F, stacked=stacked, by=by)
    return tables.told(compared(tables).entropy)


def conditional_entropy(F: Any, G: Any, *, stacked: bool = False, by: Any = None) -> Any:
    """H(X|Y): the conditional entropy of table F for a reader of table G, in nats.

    The two tables are taken as shares, p = F/N and q = G/M. As many people as possible are in the same cell of both, and the
    others are spread evenly over all pairs of cells: P(X=i | Y=j) = (delta_ij m_j + d_i e_j / S) / q_j, with m = min(p, q),
    d = p - m, e = q - m and S = sum d. It is 0 where the shares agree, and at most H(X).

    Parameters
    ----------
    F, G
        The original table, and a sample of it or what was published of it.
    stacked, by
        As for `r2`.

    Examples
    --------
    >>> conditional_entropy([3, 3, 0], [1, 1, 0])
    0.0
    >>> round(conditional_entropy([3, 3, 0], [0, 0, 5]), 6)
    0.693147
    """
    tables = arranged(F, G, stacked=stacked, by=by)
    return tables.told(compared(tables).conditional)


@dataclass(frozen=True, eq=False)
class Compared:
    """Measures of pairs of tables F and G, each with a figure for every pair."""

    total: np.ndarray
    other_total: np.ndarray
    zeros: np.ndarray
    """Of F."""
    all_zeros: np.ndarray
    """Cells that are zero in either."""
    shared_zeros: np.ndarray
    entropy: np.ndarray
    conditional: np.ndarray
    """Like the entropy not a number where nobody is in a category."""


def compared(tables: Tables) -> Compared:
    """Compare every pair of tables; tables without a partner with themselves. An empty table is an error."""
    from .table_arrays.whole_table_kernel import CONDITIONAL, ENTROPY, OTHER_TOTAL, TOTAL, compare

    measures = np.empty((tables.number, len(fields(Compared))))
    for rows, pair in tables.blocks():
        compare(pair[0], pair[-1], measures[rows])
    for total, name in ((TOTAL, "F"), (OTHER_TOTAL, "G")):
        tables.refuse_empty(measures[:, total], name)
        measures[measures[:, total] <= 0, ENTROPY : CONDITIONAL + 1] = np.nan
    return Compared(*measures.T)
