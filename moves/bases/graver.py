"""The Graver basis of a lattice: the changes of a table that are no sum of two smaller ones in the same directions."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.interruption import check_time
from ...fiber.equations.lattice import Lattice
from .graver_kernel import LARGEST, add_column

MOST_ENTRIES = 50_000_000
"""Elements times columns that are held at most, 4 bytes each."""
AT_ONCE = 20_000_000
"""Operations, a tenth of a second, after which it matters how much time is left."""


def graver_basis(lattice: Lattice, width: np.ndarray, budget: int = 2_000_000_000, most: int = 200_000) -> Any | None:
    """The elements of the Graver basis with at most `width` in each column, one of each pair z and -z; None if too many.

    An element of the lattice is in its Graver basis if it is no *conformal* sum, of two others that agree with it in sign
    everywhere (0 agrees with every sign). From every table of a fiber these moves alone reach every other, within any
    bounds, each step coming closer to it (a distance-reducing Markov basis). A move with more than upper - lower in a column
    can never be made, hence `width`.

    Project and lift (Hemmecke 2003): on the columns `lead` the lattice is all integer vectors, and its Graver basis the unit
    vectors; the other columns are added one by one. In the columns done, an element of the larger basis is a conformal sum
    of elements of the smaller one. As long as two of these differ in sign in the new column, they are replaced by their
    sum, or by the elements into which that falls apart, and less is left to cancel in the new column; in the end only the
    element itself is there.

    Elements wider than `width` in the columns done can be dropped: all that ever stood in for an element is, in these
    columns, a part of it and no wider. In the new column this is not so: elements and sums of any size may cancel there, so
    that column is cut only when it is done.

    Parameters
    ----------
    budget, most
        Elementary operations and elements, also on the way, beyond which the search is given up: the answer is None.
        So it is where the lattice has no `lead` columns, or where the elements would take too much memory.

    Returns
    -------
    csr_array of int64
        One element per row, its first entry positive, from short to long.
    """
    if lattice.lead is None:
        return None
    n_lead, n_columns = lattice.basis.shape
    most = min(most, MOST_ENTRIES // max(n_columns, 1))
    # every column costs a look at every entry, if nothing else
    if (
        n_lead > most
        or n_lead * n_columns * (n_columns - n_lead) > budget
        or np.abs(lattice.basis.data).max(initial=0) > LARGEST
    ):
        return None
    entries = lattice.basis.toarray().astype(np.int32)
    waiting = np.ones(n_columns, dtype=bool)
    waiting[lattice.lead] = False
    order = np.concatenate([lattice.lead, np.flatnonzero(waiting)])
    entries = entries[width[lattice.lead] >= 1][:, order]
    weights = np.random.default_rng(0).integers(2**64, size=n_lead, dtype=np.uint64)
    spent = 0
    for done in range(n_lead, n_columns):
        if not len(entries):
            break
        if spent > AT_ONCE:
            check_time("moves were looked for")
        chosen = done + int(np.argmin(np.count_nonzero(entries[:, done:], axis=0)))
        order[[done, chosen]] = order[[chosen, done]]
        entries[:, [done, chosen]] = entries[:, [chosen, done]]
        entries = _arranged(entries, done)
        codes = entries[:, :n_lead].astype(np.uint64) @ weights
        size, work, entries = add_column(entries, codes, width[order[:done]], n_lead, done, most, budget)
        budget -= work
        spent += work
        if size < 0:
            return None
        entries = entries[:size][np.abs(entries[:size, done]) <= width[order[done]]]
    result = np.empty_like(entries)
    result[:, order] = entries
    return _sorted(result)


def _arranged(entries: np.ndarray, done: int) -> np.ndarray:
    """The elements by length in the columns done, each with the sign that leaves it not negative in the next."""
    by_length = np.argsort(np.abs(entries[:, :done]).sum(axis=1, dtype=np.int64), kind="stable")
    entries = entries[by_length]
    entries[entries[:, done] < 0] *= -1
    return entries


def _sorted(entries: np.ndarray) -> Any:
    """Elements with the first entry positive, by their length and then as words in a dictionary."""
    entries = entries.astype(np.int64)
    if len(entries):
        first = np.take_along_axis(entries, (entries != 0).argmax(axis=1)[:, None], axis=1)
        entries *= np.sign(first)
        entries = entries[np.lexsort((*entries.T[::-1], np.abs(entries).sum(axis=1)))]
    return sp.csr_array(entries)
