"""Which bounds of columns say more than the equations do."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from ...release.facts.facts import NO_LIMIT
from ..equations.propagation import tighten
from .presolve import Block


def only_nought_bounds(block: Block) -> bool:
    """Is a table without negative cells in which the equations hold within all bounds?

    So it is where propagation from 0 alone finds them all again; a bound that follows in another way only counts as one that
    does not, which is the safe side. A walk then has to look at 0 and at nothing else.
    """
    rows = block.A if block.every_row is None else block.every_row
    lower, upper = np.zeros_like(block.lower), np.full_like(block.upper, NO_LIMIT)
    possible = tighten(rows, rows @ block.start, lower, upper) < 0
    return bool(possible and (block.lower >= 0).all() and (lower >= block.lower).all() and (upper <= block.upper).all())


def upper_of_their_own(block: Block) -> np.ndarray:
    """For each column whether its upper bound may say more than the equations do.

    An equation whose coefficients have one sign bounds each of its columns: by what is left of its sum when all others are
    at their lower bounds. A bound that only several equations together imply counts as the column's own, which is the safe
    side.
    """
    A = sp.csr_array(block.A)
    remainder = A @ (block.start - block.lower)
    rows = [A.data[begin:end] for begin, end in pairwise(A.indptr)]
    sign = np.sign(np.array([row.sum() if len(row) else 0 for row in rows]))
    one_sided = np.array([(row * of_row > 0).all() for row, of_row in zip(rows, sign, strict=True)])
    implied = np.full(A.shape[1], np.iinfo(np.int64).max)
    for row in np.flatnonzero(one_sided):
        part = slice(A.indptr[row], A.indptr[row + 1])
        share = (remainder[row] * sign[row]) // (A.data[part] * sign[row])
        implied[A.indices[part]] = np.minimum(implied[A.indices[part]], share)
    return block.upper - block.lower < implied
