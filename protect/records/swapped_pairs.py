"""Pairs that exchange what they have: how many are formed in a stratum, one after the other, and who goes where."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

import numpy as np

from ...fiber.laws.raking import members


def strata_of(groups: np.ndarray, category: np.ndarray) -> list[np.ndarray]:
    """The cells of every group: categories down, combinations of the other dims across."""
    strata = []
    for cells in members(groups):
        in_order = cells[np.argsort(category[cells], kind="stable")]
        strata.append(in_order.reshape(len(np.unique(category[cells])), -1))
    return strata


def pairs_wanted(sizes: np.ndarray, rate: float) -> tuple[int, float, int]:
    """The number of pairs in a stratum of categories of these sizes: at least, the chance of one more, and at most."""
    total = int(sizes.sum())
    wanted = rate * total / 2
    least = int(np.floor(wanted + 1e-9))
    return least, max(wanted - least, 0.0), min(total // 2, total - int(sizes.max(initial=0)))


def swapped_within(
    values: np.ndarray, strata: Iterable[np.ndarray], rate: float, small: int, random: np.random.Generator
) -> np.ndarray:
    """The cells after the swaps of every stratum."""
    figures = values.copy()
    for cells in strata:
        figures[cells] = swapped(figures[cells], rate, small, random)
    return figures


def swapped(stratum: np.ndarray, rate: float, small: int, random: np.random.Generator) -> np.ndarray:
    """A stratum (categories x combinations) after its swaps; records in cells of at most `small` come first."""
    least, more, most = pairs_wanted(stratum.sum(axis=1), rate)
    pairs = min(least + int(random.random() < more), most)
    if not pairs:
        return stratum
    first = stratum <= small
    kinds = np.stack([np.where(first, stratum, 0), np.where(first, 0, stratum)])
    after = stratum.copy()
    for kind, flows in enumerate(flows_of(kinds.sum(axis=2), pairs, random)):
        left = kinds[kind]
        for origin, target in np.argwhere(flows):
            # Records of a kind and category are alike to the choice of pairs: any of them may be the ones.
            gone = random.multivariate_hypergeometric(left[origin], flows[origin, target])
            left[origin] -= gone
            after[origin] -= gone
            after[target] += gone
    return after


def flows_of(unused: np.ndarray, pairs: int, random: np.random.Generator) -> np.ndarray:
    """How many records of each kind go from each category to each other; `unused` are those in no pair yet."""
    kinds, n = unused.shape
    flows = np.zeros((kinds, n, n), dtype=np.int64)
    alike = np.argwhere(unused).tolist()
    # Two categories with records of one kind each: pairs are all alike.
    if len(alike) == 2 and alike[0][1] != alike[1][1]:
        (first_kind, origin), (second_kind, target) = alike
        flows[first_kind, origin, target] = flows[second_kind, target, origin] = min(
            pairs, unused[first_kind, origin], unused[second_kind, target]
        )
        return flows
    # Few numbers, again and again: lists are much faster here than arrays.
    left = unused.tolist()
    sizes = unused.sum(axis=0).tolist()
    moved: list[tuple[int, int, int]] = []
    for u in random.random((pairs, 4)).tolist():
        total = sum(sizes)
        kind = 0
        begin = [first if total > size else 0 for first, size in zip(left[0], sizes, strict=True)]
        if not any(begin):
            begin = [size * (total - size) for size in sizes]
            if not any(begin):
                break
            kind = -1
        origin = _picked(begin, u[0])
        kind = _picked([row[origin] for row in left], u[1]) if kind < 0 else kind
        target = _picked([0 if other == origin else size for other, size in enumerate(sizes)], u[2])
        partner = _picked([row[target] for row in left], u[3])
        for moved_kind, leaves, enters in ((kind, origin, target), (partner, target, origin)):
            moved.append((moved_kind, leaves, enters))
            left[moved_kind][leaves] -= 1
            sizes[leaves] -= 1
    np.add.at(flows, tuple(np.array(moved, dtype=np.int64).reshape(-1, 3).T), 1)
    return flows


def _picked(weights: list[int], u: float) -> int:
    """The place at which the cumulated weights pass a random number."""
    steps = list(accumulate(weights))
    return bisect_right(steps, u * steps[-1])
