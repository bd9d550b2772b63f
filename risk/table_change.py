"""What analyses of a table lose by its protection: changes in its association and in the variance of its margins.

These are changes, published less original: 0 is best, and larger is worse in either direction. A published table of zeros
shows no association.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from ..base.errors import InputError
from .utility import as_counts


def chi_square(table: Any) -> float:
    """Pearson's chi-square statistic of independence; in more than two dims, of their mutual independence.

    Examples
    --------
    >>> chi_square([[10, 20], [20, 10]])
    6.666666666666667
    """
    return _chi_square(_crossed(table, "the table"))


def _chi_square(counts: np.ndarray) -> float:
    total = counts.sum()
    if total <= 0:
        return 0.0
    expected = np.full(counts.shape, total)
    for axis in range(counts.ndim):
        others = tuple(i for i in range(counts.ndim) if i != axis)
        expected = expected * counts.sum(axis=others, keepdims=True) / total
    positive = expected > 0
    return float(((counts - expected)[positive] ** 2 / expected[positive]).sum())


def cramers_v(table: Any) -> float:
    """Cramer's V = sqrt(chi-square / (N (k - 1))) of a two-way table, k its smaller number of occupied rows or columns.

    It is 0 under independence and 1 where one dim decides the other.

    Examples
    --------
    >>> round(cramers_v([[10, 20], [20, 10]]), 6)
    0.333333
    """
    counts = _crossed(table, "the table")
    if counts.ndim != 2:
        raise InputError(f"Cramer's V is of a table of two dims; this one has {counts.ndim}.")
    return _cramers_v(counts)


def _cramers_v(counts: np.ndarray) -> float:
    smaller = min(int((counts.sum(axis=axis) > 0).sum()) for axis in (0, 1))
    return 0.0 if smaller < 2 else float(np.sqrt(_chi_square(counts) / (counts.sum() * (smaller - 1))))


def chi_square_change(F: Any, G: Any, *, relative: bool = False) -> float:
    """By how much the chi-square statistic of independence changes, published less original; 0 is best.

    In more than two dims it is the statistic of mutual independence. With `relative`, as a share of the original
    statistic: -1 where all association is lost.

    Examples
    --------
    >>> chi_square_change([[10, 20], [20, 10]], [[15, 15], [15, 15]], relative=True)
    -1.0
    """
    original, published = _pair(F, G)
    before, after = _chi_square(original), _chi_square(published)
    if not relative:
        return after - before
    if before <= 1e-12 * original.sum():
        raise InputError(
            "the original table shows no association (chi-square 0), so that no change can be a share of it; look at "
            "cramers_v_change()."
        )
    return after / before - 1


def cramers_v_change(F: Any, G: Any) -> float:
    """By how much Cramer's V changes, published less original; 0 is best, and it lies between -1 and 1.

    In more than two dims, that of the pair of dims whose V changes most.

    Examples
    --------
    >>> round(cramers_v_change([[10, 20], [20, 10]], [[15, 15], [15, 15]]), 6)
    -0.333333
    """
    original, published = _pair(F, G)
    changes = []
    for pair in combinations(range(original.ndim), 2):
        others = tuple(i for i in range(original.ndim) if i not in pair)
        changes.append(_cramers_v(published.sum(axis=others)) - _cramers_v(original.sum(axis=others)))
    return max(changes, key=abs)


def margin_variance_change(F: Any, G: Any) -> float:
    """By what share the variance of the one-way margins changes, of all dims on average; 0 is best.

    Of each dim it is |V(G)/V(F) - 1|, V being the variance of its totals: protection by noise spreads them, smoothing draws
    them together. In a table of one dim the cells are the margin. Dims whose totals are all equal have no variance that
    could be kept, and are left out.

    Examples
    --------
    >>> margin_variance_change([[2, 4], [4, 8]], [[2, 4], [4, 8]])
    0.0
    >>> margin_variance_change([3, 6, 9], [4, 6, 8])
    0.5555555555555556
    """
    original, published = _pair(F, G, dims=1)
    changes = []
    for axis in range(original.ndim):
        others = tuple(i for i in range(original.ndim) if i != axis)
        before, after = np.var(original.sum(axis=others)), np.var(published.sum(axis=others))
        if before > 1e-12 * original.sum():
            changes.append(abs(after / before - 1))
    if not changes:
        raise InputError(
            "the totals of every dim are all equal: their variance is 0, so that no change is a share of it."
        )
    return float(np.mean(changes))


def _pair(F: Any, G: Any, dims: int = 2) -> tuple[np.ndarray, np.ndarray]:
    original, published = _crossed(F, "the original table, F,", dims), as_counts(G, "G")
    if original.shape != published.shape:
        raise InputError(f"F and G are not the same table: their shapes are {original.shape} and {published.shape}.")
    return original, published


def _crossed(table: Any, name: str, dims: int = 2) -> np.ndarray:
    counts = as_counts(table, name)
    if counts.ndim < dims:
        raise InputError(f"association is between two dims or more, and {name} has {counts.ndim}.")
    if counts.sum() <= 0:
        raise InputError(f"{name} is empty: it sums to 0.")
    return counts
