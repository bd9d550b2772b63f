"""Record swapping (Dalenius and Reiss 1982; SAE15 3.1; the confidentiality edit of DFKPR01).

Records in pairs exchange their value of one dim, such as the region, with a partner from another category of it who is
alike in some control dims. This keeps, whatever happens, how many records each category has within each stratum of the
controls, and the table of all other dims together.

What one published cell says. Take a stratum of N records, a category of n records in it, and a combination of the other
dims with m records. If j pairs involve the category, j of its n records left it and j of the N - n others came: of the x
records of the cell a hypergeometric number left, and of the m - x others alike a hypergeometric number came in. With two
categories all pairs involve both, and this is the law of the cell; with more, j is taken as binomial. It is an
*approximation* because the cells of a stratum are taken one by one: D categories times O combinations have only
(D - 1)(O - 1) figures that can vary, so that every cell counts as (D - 1)(O - 1) / (D O) of a figure (exactly right in
2 x 2, and where changes are about normal and cells alike).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

import numpy as np

from ...base.errors import InputError, TooLarge, did_you_mean
from ...base.saved_forms import saved
from ...fiber.laws.raking import groups_of, members
from ...release.facts.facts import Applied, Evidence
from ...release.publish import parse_margins, publish_margins
from ...release.release import Release, of_table
from ...release.tables.dims import Dim, Margin, parse_margin
from ...release.tables.table_forms import Hierarchies
from ..mechanism.cell_keys import taken_seed
from ..mechanism.mechanism import CELLWISE, counts_of
from ..mechanism.moved_records import published_as

NAME = "record swapping"
WHY = "cells are taken one by one, each for its share of what can vary, although a pair of records changes four at once"
LEAST = 1e-15
"""No value that is possible counts for less than this part of the most probable: an approximation excludes nothing."""
MOST_PAIRS = 1_000_000
MOST_NUMBERS = 64
"""Of records that leave a category, that are told apart."""
MANY = 400
"""Records that leave or enter a cell on average, beyond which its change is taken as normal."""
FAR = 8.0
"""Standard deviations beyond which a value counts for no more than that."""


@saved("Swapping")
@dataclass(frozen=True)
class Swapping:
    """Record swapping, as far as it is public besides its words."""

    rate: float


def swap(
    table: Any,
    dim: str,
    *,
    rate: float = 0.1,
    within: Any = (),
    targeted: int | None = None,
    seed: int | None = None,
    exact: Iterable[Any] = (),
    hierarchies: Hierarchies | None = None,
    decimals: int = 0,
    count: str | None = None,
) -> Release:
    """Publish a table of counts after pairs of records have exchanged their value of one dim.

    In every stratum of `within` with N records, `rate` N / 2 pairs (up or down at random where that is no whole number)
    are formed one after the other, each uniformly among all pairs of records from different categories of `dim` that are
    in no pair yet. The margins dim x within and all other dims together (at the level of `dim` that `within` names) stay
    as they are, and are facts.

    The likelihood is a cellwise approximation. Measured as the total variation between the law of a cell that an audit
    gives and the true one, on average over what may be published: on 3 x 3 tables with all sums 3, of which a third are
    swapped, it is 0.05 off (0.26 without the evidence), with targeted=1 0.12 (0.36); on 2 x 3 tables 0.01 (0.09); on 2 x 2
    tables without targeting it is exact. (pytest tests/protect/records -k gap)

    Parameters
    ----------
    dim
        The dim whose values are exchanged.
    rate
        The expected share of records that are swapped; fewer where a stratum runs out of partners.
    within
        Dims (or levels of dims) in which partners agree, as a margin; `dim` itself only at a coarser level.
    targeted
        Records in cells of at most this many come first: while there are any, a pair begins with one of them.
    seed
        Of the random numbers. Left out: a new one, which
        `release.applied` keeps; one that can be guessed protects nothing.
    exact
        Further margins that are published as they are.
    hierarchies, count
        As for `publish`; decimals must be 0.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.swap([[4, 9], [2, 7]], "A", rate=0.1, seed=9)
    >>> r.published.values.tolist()
    [[3, 10], [3, 6]]
    >>> fw.audit(r).pmf(A="1", B="1").round(2).to_dict()
    {1: 0.02, 2: 0.31, 3: 0.46, 4: 0.2, 5: 0.01}
    """
    labelled = counts_of(table, "swap", hierarchies, decimals, count)
    names = [one.name for one in labelled.dims]
    axis, alike = checked_swap(labelled.dims, dim, rate, within, targeted)
    release = of_table(labelled)
    by_category = tuple(dim if i == axis else level for i, level in enumerate(alike))
    all_others = tuple(alike[i] if i == axis else name for i, name in enumerate(names))
    release = publish_margins(release, [by_category, all_others, *parse_margins(exact, labelled.dims)])
    seed = taken_seed(seed)
    strata = strata_of(groups_of(release, alike)[0], release.keys[:, axis])
    refuse_useless(labelled.values.ravel(), strata, dim)
    refuse_too_many(rate, int(labelled.values.sum()))
    figures = swapped_within(labelled.values.ravel(), strata, rate, targeted or 0, np.random.default_rng(seed))
    found = [one for cells in strata for one in _evidence(release, cells, figures[cells], rate, targeted or 0)]
    controls = ", ".join(level for level in alike if level)
    words = f"about {rate:.3g} of the records exchanged their value of {dim} in pairs"
    words += f" that agree in {controls}" if controls else ""
    words += f", records in cells of at most {targeted} first" if targeted else ""
    applied = Applied(NAME, CELLWISE, f"{words}; {WHY}", seed, Swapping(float(rate)))
    return published_as(replace(release, evidence=(*release.evidence, *found)), figures, applied)


def checked_swap(dims: Sequence[Dim], dim: str, rate: Any, within: Any, targeted: Any) -> tuple[int, Margin]:
    """Refuse parameters that make no sense; the axis whose values are exchanged, and the margin that partners agree in."""
    names = [one.name for one in dims]
    if dim not in names:
        raise InputError(f"swap() exchanges the values of {dim!r}, which is no dim; {did_you_mean(str(dim), names)}")
    checked_rate(rate)
    if targeted is not None and (
        isinstance(targeted, bool) or not isinstance(targeted, (int, np.integer)) or targeted < 1
    ):
        raise InputError(f"swap(targeted={targeted!r}): a whole number of records, at least 1.")
    axis = names.index(dim)
    alike = parse_margin(within, dims)
    if alike[axis] == dim:
        raise InputError(f"swap(within=): partners come from different categories of {dim!r}; they cannot agree in it.")
    return axis, alike


def checked_rate(rate: Any) -> float:
    """The share of records that are swapped, if it can be one."""
    if isinstance(rate, bool) or not isinstance(rate, (int, float, np.number)) or not 0 < rate <= 1:
        raise InputError(f"swap(rate={rate!r}): the share of records that are swapped, above 0 and at most 1.")
    return float(rate)


def refuse_useless(truth: np.ndarray, strata: list[np.ndarray], dim: str) -> None:
    """Refuse where no exchange could change the table, which would then be published as it is."""
    for cells in strata:
        stratum = truth[cells]
        if (stratum.sum(axis=1) > 0).sum() > 1 and (stratum.sum(axis=0) > 0).sum() > 1:
            return
    raise InputError(
        f"swap(): no exchange of {dim!r} changes the table, which would be published as it is: there must be records in two "
        f"categories of {dim!r} that agree in within= and differ in another dim; name fewer dims in within=."
    )


def refuse_too_many(rate: float, records: int) -> None:
    """Refuse more pairs than can be formed one by one."""
    if rate * records / 2 > MOST_PAIRS:
        raise TooLarge(
            f"swap(rate={rate:g}): {records:,} records; pairs are formed one by one, {MOST_PAIRS:,} at most: choose a lower "
            "rate."
        )


def strata_of(groups: np.ndarray, category: np.ndarray) -> list[np.ndarray]:
    """The cells of every group: categories down, combinations of the other dims across."""
    found = []
    for cells in members(groups):
        in_order = cells[np.argsort(category[cells], kind="stable")]
        found.append(in_order.reshape(len(np.unique(category[cells])), -1))
    return found


# --- the method ---------------------------------------------------------------------------------------------------


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
    for kind, flows in enumerate(_flows(kinds.sum(axis=2), pairs, random)):
        left = kinds[kind]
        for d, e in np.argwhere(flows):
            # Records of a kind and category are alike to the choice of pairs: any of them may be the ones.
            gone = random.multivariate_hypergeometric(left[d], flows[d, e])
            left[d] -= gone
            after[d] -= gone
            after[e] += gone
    return after


def _flows(unused: np.ndarray, pairs: int, random: np.random.Generator) -> np.ndarray:
    """How many records of each kind go from each category to each other; `unused` are those in no pair yet."""
    kinds, n = unused.shape
    flows = np.zeros((kinds, n, n), dtype=np.int64)
    alike = np.argwhere(unused).tolist()
    if (
        len(alike) == 2 and alike[0][1] != alike[1][1]
    ):  # two categories with records of one kind each: pairs are all alike
        (one, d), (other, e) = alike
        flows[one, d, e] = flows[other, e, d] = min(pairs, unused[one, d], unused[other, e])
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
        d = _picked(begin, u[0])
        kind = _picked([row[d] for row in left], u[1]) if kind < 0 else kind
        e = _picked([0 if other == d else size for other, size in enumerate(sizes)], u[2])
        partner = _picked([row[e] for row in left], u[3])
        for one, here, there in ((kind, d, e), (partner, e, d)):
            moved.append((one, here, there))
            left[one][here] -= 1
            sizes[here] -= 1
    np.add.at(flows, tuple(np.array(moved, dtype=np.int64).reshape(-1, 3).T), 1)
    return flows


def _picked(weights: list[int], u: float) -> int:
    """The place at which the cumulated weights pass a random number."""
    steps = list(accumulate(weights))
    return bisect_right(steps, u * steps[-1])


# --- what a published cell says -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Category:
    """The cells of one category in a stratum: its records, all records, and the law of how many leave it."""

    size: int
    total: int
    leaving: np.ndarray
    chances: np.ndarray
    most: int
    log_factorials: np.ndarray
    """Of 0 to the total; then, where negative places lead, infinite ones, of numbers that there cannot be."""
    small: int = 0
    odds: float = 1.0
    """Records in cells of at most `small` are chosen with other odds than the rest."""
    rows: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)

    def log_law(self, published: int, alike: int) -> tuple[int, np.ndarray]:
        """The first value a cell may have, and log P(published | value) from there on; `alike` is its combination's sum."""
        others = self.total - self.size
        first = max(0, alike - others, published - self.most)
        last = min(self.size, alike, published + self.most)
        found = np.zeros(last - first + 1)
        mean = float(self.leaving @ self.chances)
        moved = mean * (published / self.size + (alike - published) / others)
        near = int(np.ceil(FAR * (1 + np.sqrt(moved))))
        if moved > MANY:
            values = np.arange(max(first, published - near), min(last, published + near) + 1)
            found[values - first] = self.normal(values, published, alike)
            return first, np.log(np.maximum(found, LEAST * found.max()))
        for x in range(max(first, published - near), min(last, published + near) + 1):
            left, came = self.chosen(x, self.size), self.chosen(alike - x, others)
            gain = published - x
            low = max(0, -gain)
            high = max(low, min(len(left), len(came) - gain))
            found[x - first] = self.chances @ (left[low:high] * came[low + gain : high + gain]).sum(axis=0)
        return first, np.log(np.maximum(found, LEAST * found.max()))

    def normal(self, x: np.ndarray, published: int, alike: int) -> np.ndarray:
        """P(published | value) for some values, up to a factor, where many records move: the change is about normal."""
        mean = float(self.leaving @ self.chances)
        spread = float((self.leaving - mean) ** 2 @ self.chances)
        others = self.total - self.size
        change, variance, share = np.zeros(len(x)), np.full(len(x), 1 / 12), []
        for sign, these, of in ((-1, x, self.size), (1, alike - x, others)):
            odds = np.where(these <= self.small, self.odds, 1.0)
            chance = odds * mean / (of - mean + odds * mean)
            change += sign * these * chance
            variance += these * chance * (1 - chance) * (of - these) / max(of - 1, 1)
            share.append(these / of)
        variance += spread * (share[1] - share[0]) ** 2
        distance = (published - x - change) ** 2 / variance
        weights: np.ndarray = np.exp(-(distance - distance.min()) / 2) / np.sqrt(variance)
        return weights

    def chosen(self, these: int, of: int) -> np.ndarray:
        """P(k of these records are among those chosen of a larger number), a column for each number chosen.

        Hypergeometric; where these are few and come first, with other odds (Fisher's noncentral law).
        """
        if (these, of) not in self.rows:
            usual = float(self.leaving[-1]) * these / of
            most = min(these, int(self.leaving[-1]), int(np.ceil(usual + FAR * (1 + np.sqrt(usual)))))
            k, j = np.arange(most + 1), self.leaving[:, None]
            f = self.log_factorials
            others = j - k  # among those chosen: there must be as many, and no fewer than none
            ways = f[these] - f[k] - f[these - k] + f[of - these] - f[others]
            ways = ways - f[of - these - others] - f[of] + f[j] + f[of - j]
            row = np.exp(np.minimum(ways, 0.0))
            if these <= self.small:
                row = row * self.odds**k
                row /= row.sum(axis=1, keepdims=True)
            self.rows[these, of] = np.ascontiguousarray(row.T)
        return self.rows[these, of]


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
    share, rest = (float(np.clip(one, 0.5 / (total + 1), 1 - 0.5 / (total + 1))) for one in (share, rest))
    return share / (1 - share) / (rest / (1 - rest))


def _evidence(
    release: Release, cells: np.ndarray, published: np.ndarray, rate: float, small: int
) -> Iterable[Evidence]:
    """What the published cells of one stratum say, each by itself and for its share of what can vary."""
    sizes, alike = published.sum(axis=1), published.sum(axis=0)
    categories, combinations = int((sizes > 0).sum()), int((alike > 0).sum())
    if categories < 2 or combinations < 2:
        return
    weight = (categories - 1) * (combinations - 1) / (categories * combinations)
    odds = odds_of_small_cells(published, rate, small) if small else 1.0
    known: dict[tuple[int, int, int], tuple[int, np.ndarray]] = {}
    law = {d: category_law(sizes, d, rate, small, odds) for d in np.flatnonzero(sizes).tolist()}
    for d, o in np.argwhere((sizes[:, None] > 0) & (alike > 0)).tolist():
        asked = int(published[d, o]), d, int(alike[o])
        if asked not in known:
            first, logs = law[d].log_law(asked[0], asked[2])
            known[asked] = first, weight * logs
        first, logs = known[asked]
        key = release.keys[cells[d, o]]
        cell = cells[d, o : o + 1].astype(np.int64)
        yield Evidence(cell, np.ones(1, dtype=np.int64), first, logs, key=key, figure=asked[0])
