"""What a cell that is published after record swapping says of the true one.

Take a stratum of N records, a category of n records in it, and a combination of the other dims with m records. If j pairs
involve the category, j of its n records left it and j of the N - n others came: of the x records of the cell a
hypergeometric number left, and of the m - x others alike a hypergeometric number came in. With two categories all pairs
involve both, and this is the law of the cell; with more, j is taken as binomial. It is an *approximation* because the cells
of a stratum are taken one by one: D categories times O combinations have only (D - 1)(O - 1) degrees of freedom, so that
every cell counts as (D - 1)(O - 1) / (D O) of a figure (exactly right in 2 x 2, and where changes are about normal and cells
alike).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ...release.facts.facts import Evidence
from ...release.release import Release
from .swapped_pairs import pairs_wanted

LEAST = 1e-15
"""No value that is possible counts for less than this part of the most probable: an approximation excludes nothing."""
MOST_NUMBERS = 64
"""How many different numbers of records that leave a category are told apart."""
MANY = 400
"""Records that leave or enter a cell on average, beyond which its change is taken as normal."""
FAR = 8.0
"""Values that are more standard deviations away than this count the least."""


@dataclass(frozen=True, eq=False)
class Category:
    """The cells of one category in a stratum: its records, all records, and the law of how many leave it."""

    size: int
    total: int
    leaving: np.ndarray
    chances: np.ndarray
    most: int
    log_factorials: np.ndarray
    """ln k! for k from 0 to the total; after them infinite ones, which negative indices reach, for impossible numbers."""
    small: int = 0
    odds: float = 1.0
    """Records in cells of at most `small` are chosen with other odds than the rest."""
    rows: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)

    def log_law(self, published: int, alike: int) -> tuple[int, np.ndarray]:
        """The first value a cell may have, and log P(published | value) from there on; `alike` is its combination's sum."""
        others = self.total - self.size
        first = max(0, alike - others, published - self.most)
        last = min(self.size, alike, published + self.most)
        likelihood = np.zeros(last - first + 1)
        mean = float(self.leaving @ self.chances)
        moved = mean * (published / self.size + (alike - published) / others)
        near = int(np.ceil(FAR * (1 + np.sqrt(moved))))
        if moved > MANY:
            values = np.arange(max(first, published - near), min(last, published + near) + 1)
            likelihood[values - first] = self.normal(values, published, alike)
            return first, np.log(np.maximum(likelihood, LEAST * likelihood.max()))
        for x in range(max(first, published - near), min(last, published + near) + 1):
            left, came = self.chosen(x, self.size), self.chosen(alike - x, others)
            gain = published - x
            low = max(0, -gain)
            high = max(low, min(len(left), len(came) - gain))
            likelihood[x - first] = self.chances @ (left[low:high] * came[low + gain : high + gain]).sum(axis=0)
        return first, np.log(np.maximum(likelihood, LEAST * likelihood.max()))

    def normal(self, x: np.ndarray, published: int, alike: int) -> np.ndarray:
        """P(published | value) for some values, up to a factor, where many records move: the change is about normal."""
        mean = float(self.leaving @ self.chances)
        spread = float((self.leaving - mean) ** 2 @ self.chances)
        others = self.total - self.size
        change, variance, share = np.zeros(len(x)), np.full(len(x), 1 / 12), []
        for sign, these, pool in ((-1, x, self.size), (1, alike - x, others)):
            odds = np.where(these <= self.small, self.odds, 1.0)
            chance = odds * mean / (pool - mean + odds * mean)
            change += sign * these * chance
            variance += these * chance * (1 - chance) * (pool - these) / max(pool - 1, 1)
            share.append(these / pool)
        variance += spread * (share[1] - share[0]) ** 2
        distance = (published - x - change) ** 2 / variance
        weights: np.ndarray = np.exp(-(distance - distance.min()) / 2) / np.sqrt(variance)
        return weights

    def chosen(self, these: int, pool: int) -> np.ndarray:
        """P(k of these records are among those chosen of a larger number), a column for each number chosen.

        Hypergeometric; where these are few and come first, with other odds (Fisher's noncentral law).
        """
        if (these, pool) not in self.rows:
            usual = float(self.leaving[-1]) * these / pool
            most = min(these, int(self.leaving[-1]), int(np.ceil(usual + FAR * (1 + np.sqrt(usual)))))
            k, j = np.arange(most + 1), self.leaving[:, None]
            f = self.log_factorials
            others = j - k  # among those chosen: there must be as many, and no fewer than none
            ways = f[these] - f[k] - f[these - k] + f[pool - these] - f[others]
            ways = ways - f[pool - these - others] - f[pool] + f[j] + f[pool - j]
            row = np.exp(np.minimum(ways, 0.0))
            if these <= self.small:
                row = row * self.odds**k
                row /= row.sum(axis=1, keepdims=True)
            self.rows[these, pool] = np.ascontiguousarray(row.T)
        return self.rows[these, pool]


def category_law(sizes: np.ndarray, category: int, rate: float, small: int = 0, odds: float = 1.0) -> Category:
    """How many records leave a category of a stratum: binomial, as if every pair were the first to be formed."""
    from scipy.special import gammaln
    from scipy.stats import binom

    n, total = int(sizes[category]), int(sizes.sum())
    least, more, most_pairs = pairs_wanted(sizes, rate)
    most = min(least + (more > 0), most_pairs, n, total - n)
    involved = min(1.0, 2 * n * (total - n) / float(total * total - (sizes * sizes).sum()))
    numbers = np.arange(most + 1)
    chances = np.zeros(most + 1)
    for pairs, chance in ((least, 1.0 - more), (least + 1, more)):
        chances += chance * binom.pmf(numbers, min(pairs, most_pairs), involved)
    if not chances.sum() > 0:
        chances[-1] = 1.0
    kept = np.flatnonzero(chances > 1e-9 * chances.max())
    kept = kept[:: -(-len(kept) // MOST_NUMBERS)]  # of very many numbers every so many will do
    logs = np.append(gammaln(np.arange(total + 1) + 1.0), np.full(most + 1, np.inf))
    return Category(n, total, numbers[kept], chances[kept] / chances[kept].sum(), most, logs, small, odds)


def odds_of_small_cells(stratum: np.ndarray, rate: float, small: int) -> float:
    """How much likelier than others a record of a small cell is chosen, by the published number of such records."""
    total = int(stratum.sum())
    few = int(stratum[stratum <= small].sum())
    least, more, most = pairs_wanted(stratum.sum(axis=1), rate)
    pairs = min(least + more, most)
    if not 0 < few < total or not pairs:
        return 1.0
    share = min(1.0, pairs * (1 + few / total) / few)
    rest = (2 * pairs - share * few) / (total - few)
    share, rest = (float(np.clip(chance, 0.5 / (total + 1), 1 - 0.5 / (total + 1))) for chance in (share, rest))
    return share / (1 - share) / (rest / (1 - rest))


def cell_evidence(
    release: Release, cells: np.ndarray, published: np.ndarray, rate: float, small: int
) -> Iterable[Evidence]:
    """What the published cells of one stratum say, each by itself and for its share of the degrees of freedom."""
    sizes, alike = published.sum(axis=1), published.sum(axis=0)
    categories, combinations = int((sizes > 0).sum()), int((alike > 0).sum())
    if categories < 2 or combinations < 2:
        return
    weight = (categories - 1) * (combinations - 1) / (categories * combinations)
    odds = odds_of_small_cells(published, rate, small) if small else 1.0
    known: dict[tuple[int, int, int], tuple[int, np.ndarray]] = {}
    law = {category: category_law(sizes, category, rate, small, odds) for category in np.flatnonzero(sizes).tolist()}
    for category, combination in np.argwhere((sizes[:, None] > 0) & (alike > 0)).tolist():
        case = int(published[category, combination]), category, int(alike[combination])
        if case not in known:
            first, logs = law[category].log_law(case[0], case[2])
            known[case] = first, weight * logs
        first, logs = known[case]
        key = release.keys[cells[category, combination]]
        cell = cells[category, combination : combination + 1].astype(np.int64)
        yield Evidence(cell, np.ones(1, dtype=np.int64), first, logs, key=key, figure=case[0])
