"""Between which numbers of populations there are that agree with the tables, where they are too many to be counted.

Blocks that can be counted are. Of the others: a population is told by the numbers of people of some kinds, from which the
equations give the rest, and by how the people of each kind fall among its records. Where all populations are as probable as
each other, the bits of both are at least those of the population, estimates with three standard errors; else as many values
as bounds leave are taken. At least as many there are as one kind has values that came up, or as ways in which the people of
one feasible table fall among records.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from ...base.errors import TooLarge
from ...fiber.blocks.presolve import Block, presolve
from ...fiber.equations.rowspace import affordable, independent_rows
from ...fiber.exact.solved import Budget
from ...fiber.laws.law import alike
from ...fiber.laws.support import WithEvidence, with_evidence
from ..counting import number_in_block, number_of_tables
from .among_records import bits_of_falling

if TYPE_CHECKING:
    from .rebuilt import Rebuilt

MOST_RECORDS = 50_000
"""Records that are looked at one by one."""
COUNTED = Budget(operations=4_000_000_000, bytes=1_000_000_000, foreseen=True)
"""What counting all populations may cost."""
ERRORS = 3.0
"""Standard errors by which estimated bits are raised."""


def number_of_populations(rebuilt: Rebuilt) -> int | None:
    """How many populations agree with the tables, counted; None where that would take too long.

    A population is how many people there are of each record, so that each record is a column here.
    """
    if int(rebuilt.release.kinds.multiplicity.sum()) > MOST_RECORDS:
        return None
    try:
        return number_of_tables(rebuilt.release.records_apart.release, COUNTED)
    except TooLarge:
        return None


def bits_between(rebuilt: Rebuilt) -> tuple[float, float]:
    """Between which numbers of bits that of all populations lies."""
    kinds, one_by_one = rebuilt.kinds, int(rebuilt.kinds.multiplicity.sum()) <= MOST_RECORDS
    columns = rebuilt.release.records_apart if one_by_one else kinds
    solved = presolve(columns.release)
    weigh = with_evidence(alike, solved)
    kind_of = columns.among(kinds)
    people = np.bincount(kind_of, solved.start[: len(columns)], minlength=len(kinds)).round().astype(np.int64)
    least = most = 0.0
    settled = np.ones(len(kinds), dtype=bool)
    for block in solved.blocks:
        own = np.unique(kind_of[block.columns[block.columns < len(columns)]])
        settled[own] = False
        exact = one_by_one and all(rebuilt.belief.pmfs[kind].method == "exact" for kind in own)
        counted = _counted(block, weigh) if exact else None
        if counted is not None:
            least, most = least + counted, most + counted
        else:
            least += _at_least(rebuilt, own, people)
            most += _at_most(rebuilt, block, kind_of, own)
    if not one_by_one:  # of a kind whose number is known it is still open of which records they are
        among = sum(float(_ways(people[[kind]], kinds.multiplicity[kind])[0]) for kind in np.flatnonzero(settled))
        least, most = least + among, most + among
    return least, max(least, most)


def bits_at_most(rebuilt: Rebuilt) -> float:
    """Bits that are left to guess of the population, at most: of kinds that tell the others, and of how people fall."""
    pmfs, n = rebuilt.belief.pmfs, len(rebuilt.kinds)
    bits, errors = np.array([pmf.entropy for pmf in pmfs]), np.array([pmf.entropy_error for pmf in pmfs])
    most, each = rebuilt.bits_among(np.arange(n)), np.arange(n)
    for block in presolve(rebuilt.kinds.release).blocks:
        own = block.columns[block.columns < n]
        most += min(_told_by(block, each, own, bits[own], errors[own]), _of_all(bits[own], errors[own]))
    return most


def _of_all(bits: np.ndarray, errors: np.ndarray) -> float:
    """The bits of several kinds together, were they independent."""
    return float(bits.sum()) + ERRORS * float(np.sqrt((errors**2).sum()))


def _counted(block: Block, weigh: WithEvidence) -> float | None:
    """The bits of a block that can be counted."""
    try:
        number = number_in_block(block, weigh, COUNTED)
    except TooLarge:
        return None
    return math.log2(number)


def _ways(people: np.ndarray, k: int) -> np.ndarray:
    """Bits of the ways in which so many people fall among the k records of a kind."""
    return bits_of_falling(people, int(k), True)


def _at_least(rebuilt: Rebuilt, kinds: np.ndarray, people: np.ndarray) -> float:
    """Bits of a block: of the values of one of its kinds that came up, or of one of its tables."""
    of_table = of_values = 0.0
    for kind in kinds:
        pmf, k = rebuilt.belief.pmfs[kind], rebuilt.kinds.multiplicity[kind]
        of_table += float(_ways(people[[kind]], k)[0])
        came_up = pmf.first + pmf.width * np.flatnonzero(pmf.p > 0)
        of_values = max(of_values, float(logsumexp(_ways(came_up, k) * math.log(2))) / math.log(2))
    return max(of_table, of_values)


def _at_most(rebuilt: Rebuilt, block: Block, kind_of: np.ndarray, kinds: np.ndarray) -> float:
    """Bits of a block: of the kinds that tell the others, and of how the people of each fall among its records."""
    pmfs, sizes = [rebuilt.belief.pmfs[kind] for kind in kinds], rebuilt.kinds.multiplicity[kinds]
    ranges = np.log2([pmf.upper - pmf.lower + 1.0 for pmf in pmfs])
    most_among = sum(float(_ways(np.array([pmf.upper]), k)[0]) for pmf, k in zip(pmfs, sizes, strict=True))
    of_ranges = _told_by(block, kind_of, kinds, ranges, np.zeros(len(kinds))) + most_among
    if not rebuilt.alike or rebuilt.kinds.release.evidence:
        return of_ranges
    bits, errors = np.array([pmf.entropy for pmf in pmfs]), np.array([pmf.entropy_error for pmf in pmfs])
    return min(of_ranges, _told_by(block, kind_of, kinds, bits, errors) + rebuilt.bits_among(kinds))


def _told_by(block: Block, kind_of: np.ndarray, kinds: np.ndarray, bits: np.ndarray, errors: np.ndarray) -> float:
    """The bits of those kinds, as few as are found, that tell all columns of a block by its equations.

    They are those that are left without as many independent columns as there are, the ones of the most bits first.
    """
    is_cell = block.columns < len(kind_of)
    other = np.flatnonzero(~is_cell)
    of_cells = np.flatnonzero(is_cell)
    _, first = np.unique(kind_of[block.columns[of_cells]], return_index=True)
    order = np.concatenate([other, of_cells[first][np.argsort(-bits, kind="stable")]])
    telling = np.ones(len(order), dtype=bool)
    if affordable(block.A.shape):
        telling[independent_rows(block.A.tocsc()[:, order].toarray().T)] = False
    also = other[telling[: len(other)]]
    left = np.argsort(-bits, kind="stable")[telling[len(other) :]]
    return _of_all(bits[left], errors[left]) + float(np.log2(block.upper[also] - block.lower[also] + 1.0).sum())
