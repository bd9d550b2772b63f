"""The risk of a table whose small counts matter most, before and after protection (Shlomo, Antal and Elliot; SAE15)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import InputError
from ..protect.count_changes import ByMatrix, CountChanges
from ..protect.perturbation.transition_matrix import as_transitions
from .table_arrays.table_shapes import Tables, arranged
from .table_arrays.weighting import together
from .whole_table import concentration, fewness, shared_zeros

WEIGHTS = (0.1, 0.7, 0.1, 0.1)
TERMS = ("zeros", "small", "large", "size")
SMALL = 6
MOST = 10**12
"""The largest count: sums of many are still whole numbers."""
MAY_RISE = (
    "this measure may rise when a table is protected (see `risk.perturbed_risk`), and 'split mean' hardly ever does"
)
"""To be said wherever it did."""


def split_risk(F: Any, weights: Any = WEIGHTS, *, small: int = SMALL, stacked: bool = False, by: Any = None) -> Any:
    """The disclosure risk of a table of counts as a whole, small counts apart from large ones (SAE15, section 4.1).

    R1 with its second term split in two: the cells of at most `small`, zeros among them, and the larger ones are tables of
    their own, each with its own total and number of cells, and 1 - H/ln K is taken of both.

    Conventions: 1 - H/ln K is 1 where all people of a part are in one of its cells, and 0 where nobody is in it. A
    part of a single cell is spread as evenly as can be: 0 (were it 1, one small cell would count for more than two
    alike); in a table of one cell everybody is in the same, and it is 1. A table that sums to 0 is an error; with
    `by`, a category that nobody is in has no risk (not a number).

    Parameters
    ----------
    F
        The table, in any form; an array of any shape is one table.
    weights
        Of the four terms (zeros, small counts, large counts, size), at least 0 and summing to 1; or "l2": the root of the
        mean of the squared terms instead.
    small
        The largest small count.
    stacked, by
        As for `r1`.

    Examples
    --------
    >>> round(split_risk([[1, 5, 9], [7, 2, 60]]), 4)
    0.2015
    """
    combine, small = together(weights, TERMS), _checked(small)
    tables = arranged(F, stacked=stacked, by=by)
    terms = np.empty((4, tables.number))
    for rows, (counts,) in tables.blocks():
        zeros = (counts == 0).sum(axis=1)
        is_small = counts <= small
        total = counts.sum(axis=1)
        terms[:, rows] = [
            zeros / tables.cells,
            _part(counts, is_small),
            _part(counts, ~is_small),
            np.where(total > 0, fewness(total), np.nan),
        ]
    tables.refuse_empty(np.nan_to_num(terms[3]), "F")
    return tables.told(combine(terms))


def perturbed_risk(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    F: Any,
    G: Any,
    changes: Any,
    weights: Any = WEIGHTS,
    *,
    small: int = SMALL,
    multiplier: Any = None,
    means: bool = False,
    stacked: bool = False,
    by: Any = None,
) -> Any:
    """The disclosure risk of a table of counts after its counts were changed at random (SAE15, section 4.2).

    `split_risk` with three of its terms made smaller. The share of zeros becomes (|A|/K)^(|A u B| / |A n B|), A and B being
    the zeros of F and of G, or 0 where they share none. In the entropy every published count j is replaced by what is to
    be expected of it, sum_i i n_i p_ij / n'_j, where n_i original cells have the count i and n'_j published ones j: small
    and large are the cells by their published count. Each part is multiplied by how probable it is that a count of it is
    published as it is.

    Conventions as for `split_risk`; besides, G may be a table of zeros. The multiplier of a part is the mean diagonal over
    its counts, 0..small and those above, each count alike, whether it occurs or not (of a matrix that ends at a cap, up to
    the cap); of rounding it is 1/base in both, of swapping 1 - rate. (SAE15 print .75 for the small counts of their matrix,
    whose mean diagonal is .8 from 0 to 6, and .767 from 1 on: multiplier=(0.75, 0.9) gives theirs.)

    SAE15 want it to be less than before protection (their property e), and their formula does not ensure it: of a table
    whose counts are all equal the entropy terms are 0, and any change makes them larger. Four cells of 5 of which one is
    published as 6 by swapping of a tenth stand for 6, 6, 6 and 0.2 people: people to be expected are shared among the cells
    that *happen* to be published so, one here, where 0.04 are expected. In skewed tables of 5 x 6 cells the
    figure rises in some 13% (swapping) and 9% (perturbation), and more often in even ones; with the swapping matrix up to
    the largest count, as printed, in 31% (bench/studies/protected_risk.py). `means=True` shares them among the cells that
    are to be expected, and rises in less than 1%.

    Parameters
    ----------
    F, G
        The original and the published table; counts, whole numbers.
    changes
        How probable it is that a count is published as another: a transition matrix, as `perturb` takes it, whose last row
        is for all larger counts; or `changes_of(method, parameters)` of a method.
    weights, small
        As for `split_risk`.
    multiplier
        Instead of the mean diagonal: a number from 0 to 1, or a pair of them for small and large counts.
    means
        A published count j stands for the mean of the true counts that are published as j, sum_i i n_i p_ij / sum_i n_i
        p_ij, instead of the paper's share, sum_i i n_i p_ij / n'_j. The two are the same where as many cells are published
        as j as is to be expected.
    stacked
        The first axis is the tables. F or G may also be one table, which then belongs to all of the other.
    by
        As for `r1`; each category has frequencies n_i and n'_j of its own.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> table = [[1, 5, 9], [7, 2, 60]]
    >>> rounding = fw.risk.changes_of("random_round", {"base": 3})
    >>> round(fw.risk.perturbed_risk(table, [[0, 6, 9], [6, 3, 60]], rounding), 4)
    0.0591
    >>> swapping = fw.risk.changes_of("swap", {"rate": 0.1})
    >>> [round(fw.risk.perturbed_risk([5, 5, 5, 5], [5, 5, 5, 6], swapping, (0, 1, 0, 0), means=one), 4)
    ...  for one in (False, True)]
    [0.1553, 0.0]
    """
    combine, small = together(weights, TERMS), _checked(small)
    law = as_changes(changes)
    tables = _counted(arranged(F, G, stacked=stacked, by=by))
    factors = _multipliers(multiplier, law, small)
    terms = np.empty((4, tables.number))
    for row, (original, published) in enumerate(tables.pairs()):
        before, after = original == 0, published == 0
        zeros, all_zeros, shared = (np.array([mask.sum()]) for mask in (before, before | after, before & after))
        expected = expected_counts(original, published, law, means)[None]
        is_small = published[None] <= small
        terms[:, row] = [
            shared_zeros(zeros, all_zeros, shared, tables.cells)[0],
            factors[0] * _part(expected, is_small)[0],
            factors[1] * _part(expected, ~is_small)[0],
            fewness(np.array([float(original.sum())]))[0],
        ]
    tables.refuse_empty(np.nan_to_num(terms[3]), "F")
    return tables.told(combine(terms))


def as_changes(changes: Any) -> CountChanges:
    """How counts are changed: as it is, or by a transition matrix whose last row is for larger counts."""
    if all(hasattr(changes, name) for name in ("probability", "kept", "largest", "reach")):
        law: CountChanges = changes
        return law
    if isinstance(changes, (str, bytes)):
        raise InputError(
            f"changes={changes!r}: give a transition matrix, or risk.changes_of({changes!r}, parameters) of a method."
        )
    return ByMatrix(as_transitions(changes))


def expected_counts(
    original: np.ndarray, published: np.ndarray, changes: CountChanges, means: bool = False
) -> np.ndarray:
    """The expected true count of each published cell: the people expected in all cells with its figure, shared evenly.

    They are shared among the cells that are published so or, with `means`, among as many as are expected to be; a figure
    that the changes could not lead to stands for itself.
    """
    true, how_often = np.unique(original, return_counts=True)
    shown, place, shown_often = np.unique(published, return_inverse=True, return_counts=True)
    people = _moved_to(shown, true, true * how_often, changes)
    cells = _moved_to(shown, true, how_often, changes) if means else shown_often
    expected = np.divide(people, cells, out=shown.astype(float), where=cells > 0)
    if changes.largest is not None:
        expected = np.where(shown > changes.largest, shown, expected)
    return expected[place.reshape(-1)]


def _moved_to(shown: np.ndarray, true: np.ndarray, people: np.ndarray, law: CountChanges) -> np.ndarray:
    """The expected number of people (or cells) with each published count; `people` are those with each true one."""
    if law.reach is None:
        return np.array([law.probability(int(count), true) @ people for count in shown])
    # Only pairs of counts that are within reach of each other.
    first = np.searchsorted(true, shown - law.reach)
    number = np.searchsorted(true, shown + law.reach, side="right") - first
    to = np.repeat(np.arange(len(shown)), number)
    of = np.arange(len(to)) + np.repeat(first - np.cumsum(number) + number, number)
    return np.bincount(to, law.probability(shown[to], true[of]) * people[of], minlength=len(shown))


def _part(values: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """1 - H/ln K of the cells inside a part of each table: 0 where nobody is in them, or where it is one cell of several."""
    kept = np.where(inside, values, 0.0)
    total = kept.sum(axis=1)
    p = kept / np.where(total > 0, total, 1.0)[:, None]
    logs = np.log(p, out=np.zeros_like(p), where=p > 0)
    cells = inside.sum(axis=1)
    uneven = concentration(-(p * logs).sum(axis=1), np.maximum(cells, 1))
    lone = (cells == 1) & (inside.shape[1] > 1)
    return np.where((total > 0) & ~lone, uneven, 0.0)


def _checked(small: Any) -> int:
    if isinstance(small, bool) or not isinstance(small, (int, np.integer)) or small < 0:
        raise InputError(f"small={small!r}: the largest small count, a whole number of at least 0.")
    return int(small)


def _counted(tables: Tables) -> Tables:
    """Whole numbers, as counts are."""
    whole = []
    for name, array in zip("FG", tables.arrays, strict=True):
        if array.max() > MOST:
            raise InputError(f"{name} has a count above {MOST:,}, which is too large for one.")
        counts = array.astype(np.int64, copy=False)
        if array.dtype.kind == "f" and (counts != array).any():
            raise InputError(f"{name} is a table of counts: whole numbers.")
        whole.append(counts)
    return tables.of(*whole)


def _multipliers(multiplier: Any, changes: CountChanges, small: int) -> tuple[float, float]:
    if multiplier is None:
        return changes.kept(0, small), changes.kept(small + 1, None)
    pair = multiplier if isinstance(multiplier, (list, tuple, np.ndarray)) else (multiplier, multiplier)
    try:
        factors = np.array(pair, dtype=float)
    except (TypeError, ValueError):
        factors = np.empty(0)
    if factors.shape != (2,) or not ((factors >= 0) & (factors <= 1)).all():
        raise InputError(
            f"multiplier={multiplier!r}: a number from 0 to 1, or a pair of them for small and large counts."
        )
    return float(factors[0]), float(factors[1])
