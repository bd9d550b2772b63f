"""Are the chains done? Split R-hat, effective draws (effective sample size, ESS) and the error of each entropy, by batches.

Arrays are `[chain, batch, column]`: sums and sums of squares of x - centre over batches of `length` draws, for the
columns (cells) of one block. What a column's numbers mean:

* It moved: its split R-hat and its effective number of draws for the mean, as ArviZ would give for the draws.
* It stands still because its bounds leave it no room: it is *exact*. Nothing was estimated, so R-hat does not apply and
  the effective draws are infinite. `Diagnosis.exact` says so; the R-hat kept there is 1, so that no NaN gets around.
* It *never moved* though its bounds let it. On its own this shows nothing, so R-hat is infinite and there are 0
  effective draws. But 0 draws would keep a run from ever ending for a cell whose other values have probability
  1e-12, while a cell that moved once looks like independent draws. So `diagnose` judges both by the other columns. The same
  moves drive all columns of a block: a column that moved in fewer than 20 batches counts as mixing no better than the
  worst column that moved in more, and one that never moved as mixing three times worse, since a value that is rarely
  left may be rarely reached. With n effective draws and no other value seen, the others have together at
  most probability 3/n (the rule of three, 95%), and the entropy that leaves room for is the error. A column that is
  truly stuck while all others move cannot be told from a rare one by looking at the chains: `never_moved` lists them,
  and they must be named where results are shown. Where nothing in the block moved there is nothing to judge by, and
  the verdict stays at 0 draws; where all moved seldom, at the number of batches in which they did.
* Chains that each stand at a value of their own: infinite R-hat, and about as many effective draws as chains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import fdtri

from ...base.jit import jit
from .batch_means import half_chains, inside_batches, mean_variance

LEAST_DRAWS = 400
LARGEST_RHAT = 1.01
SELDOM = 20
"""Fewer batches with a move than this (some ten visits to other values), and a column's own correlation cannot be told."""
FEW = 0.02
"""Where the variance of surprisals, as so many effective draws show it, has a relative error with a square above this, few
rare values make up most of it, and batches that saw none of them would take it for far too small."""
LOOKED = 1.07
"""Times by which errors of entropies are larger than batches show: chains are stopped where these happen to show little."""
CAUTION = 3.0
"""How much worse than the other columns one that never moved may mix. Measured on a fiber of nine tables: the table that no
chain met has probability 0.0005, and a chain that meets it stays far longer than in any table that all chains met."""
_LN2 = float(np.log(2.0))
_ADDED = 4.5


class Names(Protocol):
    """What columns are called: a list, or anything that gives a name for a number."""

    def __getitem__(self, column: int, /) -> str:
        """The name of a column."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class Diagnosis:
    """What the chains tell of each column; never a NaN."""

    rhat: np.ndarray
    ess: np.ndarray
    entropy_error: np.ndarray
    """Standard error of the entropy in bits."""
    exact: np.ndarray
    """Columns that cannot change: R-hat does not apply to them."""
    never_moved: np.ndarray
    """Columns that could change and did not; judged by the other columns of the block."""
    mean_error: np.ndarray
    """Standard error of the mean."""
    growth: np.ndarray
    """How many times the variance of the mean is that of independent batches."""
    excess: np.ndarray
    """Bits by which counting in bins makes an entropy too large; how far that is an estimate is in its error."""
    shortfall: np.ndarray
    """Bits by which the entropy of what was counted is too small on average, as the logarithm is curved."""

    def worst(self, names: Names | None = None) -> str:
        """The worst figures and whose they are, in one sentence."""
        if self.exact.all():
            return "no cell can change: nothing was estimated"

        def name(column: np.integer) -> str:
            return f"cell {column}" if names is None else str(names[int(column)])

        rhat = np.argmax(np.where(self.exact, -np.inf, self.rhat))
        ess = np.argmin(np.where(self.exact, np.inf, self.ess))
        error = np.argmax(np.where(self.exact, -np.inf, self.entropy_error))
        words = (
            f"largest R-hat {self.rhat[rhat]:.3f} ({name(rhat)}), "
            f"fewest effective draws {self.ess[ess]:.0f} ({name(ess)}), "
            f"largest standard error of an entropy {self.entropy_error[error]:.2g} bits ({name(error)})"
        )
        still = np.flatnonzero(self.never_moved)
        if len(still):
            shown = ", ".join(name(column) for column in still[:3]) + (", ..." if len(still) > 3 else "")
            words += f"; {len(still)} never moved though bounds allow it ({shown})"
        return words


class Batches(NamedTuple):
    """The draws of all chains in batches."""

    sums: np.ndarray
    """[chain, batch, column]: the sums of the draws, and of their squares."""
    squares: np.ndarray
    length: int


class Counted(NamedTuple):
    """What was counted of each column, in which whole lines may be credited, not only the draws."""

    support: np.ndarray
    """The number of values each column can take, or was seen to take."""
    total_draws: int
    """Of all chains together; batches may have fewer."""
    tallies: tuple[np.ndarray, np.ndarray] | None = None
    """The pooled ones and where each column's start; without them, errors of columns with rare values come out too small."""
    surprise: np.ndarray | None = None
    """[chain, batch, column]: the mean surprisal, -log2 p(x), of each of the newest batches; None: nothing is known yet."""
    means: np.ndarray | None = None
    """The means of the same batches; without them the error of the mean is that of the draws."""
    curvature: np.ndarray | None = None
    """The shortfall of each column's entropy as the shares' own variances show it, if batches are independent; without it,
    and where it is NaN, it is that of independent draws."""


def diagnose(batches: Batches, can_change: np.ndarray, counted: Counted) -> Diagnosis:
    """All diagnostics of the columns of one block."""
    sums, squares, length = batches
    support, total = counted.support, counted.total_draws
    rhat = split_rhat(sums, squares, length)
    ess = effective_draws(sums, squares, length)
    still = constant_columns(sums, squares, length)
    exact, never, moved = still & ~can_change, still & can_change, ~still
    rhat[exact], ess[exact] = 1.0, np.inf
    moves = batches_with_a_move(sums, squares, length)
    seldom = ~exact & (moves < SELDOM)
    company = ~exact & ~seldom
    ess[seldom] = np.minimum(np.where(never, np.inf, ess), ess[company].min() if company.any() else moves)[seldom]
    ess[never] /= CAUTION
    if moved.any():
        rhat[never] = rhat[moved].max()
    mean_error, growth = _mean_error(batches, ess, counted.means, total)
    shortfall = miller_madow(support, np.minimum(ess, total))
    if counted.curvature is not None:
        shortfall = np.where(np.isfinite(counted.curvature) & ~seldom, counted.curvature * growth, shortfall)
    guard = None if counted.tallies is None else guard_against_rare(*counted.tallies, np.minimum(ess, total))
    surprise = np.full(sums.shape, np.nan) if counted.surprise is None else counted.surprise
    error = entropy_error(surprise, length, total, support, ess, guard, shortfall)
    # a third, as the stop rule looks at three standard errors
    error[never] = unseen_entropy(np.maximum(support[never], 2), ess[never]) / 3.0
    error[exact] = 0.0
    return Diagnosis(rhat, ess, error, exact, never, mean_error, growth, np.zeros(len(ess)), shortfall)


def _mean_error(
    batches: Batches, ess: np.ndarray, means: np.ndarray | None, total: int
) -> tuple[np.ndarray, np.ndarray]:
    """The standard error of the mean, and how many times its variance is that of independent batches."""
    sums, squares, length = batches
    draws = sums.shape[0] * sums.shape[1] * length
    spread = np.maximum(squares.sum(axis=(0, 1)) / draws - (sums.sum(axis=(0, 1)) / draws) ** 2, 0.0)
    by_draws = np.sqrt(np.divide(spread, ess, out=np.zeros_like(spread), where=ess > 0))
    by_draws[np.isinf(ess)] = 0.0
    if means is None or not np.isfinite(means).all():
        return by_draws, np.ones(len(ess))
    effective = np.minimum(ess, total)
    variance = _surprise_variance(means, length, total, effective)
    share = min(1.0, means.shape[0] * means.shape[1] * length / total)
    n = means.shape[0] * means.shape[1]
    plain = share * means.var(axis=(0, 1), ddof=1) / n
    growth = np.maximum(np.divide(variance, plain, out=np.ones_like(plain), where=plain > 0), 1.0)
    return np.where(np.isfinite(variance), np.sqrt(variance), by_draws), growth


def good_enough(diagnosis: Diagnosis, tolerance: float) -> bool:
    """The stop rule at one look: three standard errors, effective draws and R-hat of every column that can change."""
    open_columns = ~diagnosis.exact
    return bool(
        np.all(3.0 * diagnosis.entropy_error[open_columns] < tolerance)
        and np.all(diagnosis.ess[open_columns] >= LEAST_DRAWS)
        and np.all(diagnosis.rhat[open_columns] < LARGEST_RHAT)
    )


def constant_columns(sums: np.ndarray, squares: np.ndarray, length: int) -> np.ndarray:
    """Columns that had one and the same value in every draw of every chain."""
    constant = np.ptp(sums, axis=(0, 1)) == 0
    if constant.any():
        constant[constant] = half_chains(sums[:, :, constant], squares[:, :, constant], length).within == 0
    return constant


def batches_with_a_move(sums: np.ndarray, squares: np.ndarray, length: int) -> np.ndarray:
    """In how many batches, of all chains together, each column changed or had changed since the batch before."""
    moves = np.empty(sums.shape[2])
    for columns in _blocks(sums):
        moved = inside_batches(sums[:, :, columns], squares[:, :, columns], length) > 0
        moved[:, 1:] |= np.diff(sums[:, :, columns], axis=1) != 0
        moves[columns] = moved.sum(axis=(0, 1))
    return moves


def split_rhat(sums: np.ndarray, squares: np.ndarray, length: int, can_change: np.ndarray | None = None) -> np.ndarray:
    """Split R-hat per column, equal to ArviZ's `rhat(method="split")` of the draws for an even number of batches.

    Infinite where the half chains stand still, unless the column cannot change (`can_change`): there it is 1. Infinite
    too for a single batch of a single chain, which has nothing to be compared with.
    """
    rhat = np.empty(sums.shape[2])
    for columns in _blocks(sums):
        series = half_chains(sums[:, :, columns], squares[:, :, columns], length)
        n = series.draws
        within = series.within * (n / (n - 1)) if n > 1 else np.zeros_like(series.within)
        known = (within > 0) & (len(series.means) > 1)
        ratio = np.divide(n * series.between, within, out=np.full_like(within, np.inf), where=known)
        rhat[columns] = np.sqrt((ratio + (n - 1)) / n)
    if can_change is not None:
        rhat[constant_columns(sums, squares, length) & ~can_change] = 1.0
    return rhat


def effective_draws(
    sums: np.ndarray, squares: np.ndarray, length: int, can_change: np.ndarray | None = None
) -> np.ndarray:
    """Effective number of draws for the mean of each column, over all chains.

    The variance of the draws over the variance of their mean (see `batch_means`). Batches of one draw give ArviZ's
    `ess(method="mean")`. At most n log10(n), as there. 0 where nothing moved, unless the column cannot change
    (`can_change`): there it is infinite.
    """
    ess = np.empty(sums.shape[2])
    for columns in _blocks(sums):
        series = half_chains(sums[:, :, columns], squares[:, :, columns], length)
        spread, error = series.within + series.between, mean_variance(series)
        total = len(series.means) * series.draws
        most = total * max(np.log10(total), 1.0)
        effective = np.divide(spread, error, out=np.full_like(spread, most), where=error > 0)
        effective[spread == 0] = 0.0
        ess[columns] = np.minimum(effective, most) if len(series.means) > 1 else 0.0
    if can_change is not None:
        ess[constant_columns(sums, squares, length) & ~can_change] = np.inf
    return ess


def entropy_error(
    surprise: np.ndarray,
    length: int,
    total_draws: int,
    support: np.ndarray,
    ess: np.ndarray,
    guard: np.ndarray | None = None,
    shortfall: np.ndarray | None = None,
) -> np.ndarray:
    """Standard error in bits of the plug-in entropy of the pooled pmf, by the delta method.

    To first order the entropy errs as the mean of -log2 p(x) over the draws does, so its variance is that of the mean
    of the batches' surprises, -sum_v p_b(v) log2 pbar(v), carried over from the newest batches to all `total_draws`.
    A difference between chains that is far larger than their own fluctuation explains is taken as one that more
    draws do not shrink. Batches that saw none or few of a rare value fluctuate too little: the variance is at least
    `guard` (`guard_against_rare` of the pooled tallies), which is 0 where they saw enough.

    Near the uniform law surprises do not vary, and the second order is all there is: for independent draws chi-square with
    m - 1 degrees of freedom over 2 n ln 2, whose mean is the `shortfall`. Added in squares is this mean, or for m up to 5,
    where that is more, a third of the 99.73% point less the mean, close to sqrt(2(m-1)) + 1.27 for a mean of m - 1. No error
    is larger than log2 m.
    """
    effective = np.minimum(ess, total_draws)  # alternating draws make a mean better, not a pmf
    first_order = _surprise_variance(surprise, length, total_draws, effective)
    if guard is not None:
        first_order = np.maximum(first_order, guard)
    others = np.maximum(support - 1.0, 0.0)
    if shortfall is None:
        shortfall = miller_madow(support, effective)
    second_order = shortfall * np.maximum(1.0, (np.sqrt(2.0 * others) + 1.27) / np.maximum(others, 1.0))
    error = LOOKED * np.sqrt(np.nan_to_num(first_order, nan=np.inf, posinf=np.inf) + second_order**2)
    error[np.isinf(ess)] = 0.0
    return np.minimum(error, np.log2(np.maximum(support, 1.0)))


def _surprise_variance(surprise: np.ndarray, length: int, total_draws: int, effective: np.ndarray) -> np.ndarray:
    """The variance of the mean surprisal of all draws."""
    chains, batches, _ = surprise.shape
    share = min(1.0, chains * batches * length / total_draws)
    # the surprises' own spread is not kept: what correlation hides between batches is taken from the column's mean
    growth = np.divide(total_draws, effective, out=np.ones(len(effective)), where=effective > 0)
    variances = np.full(surprise.shape[2], np.inf)
    # of many columns some differ this much by chance alone: about one look in a hundred takes any of them for real
    far = fdtri(max(1, chains - 1), max(1, chains * (batches - 1)), 1.0 - 0.01 / max(1, surprise.shape[2]))
    for columns in _blocks(surprise):
        values = surprise[:, :, columns]
        series = half_chains(values * length, None, length)
        if len(series.means) == 1:
            continue
        variance = share * mean_variance(series, np.minimum(growth[columns], length))
        if chains > 1:
            within = mean_variance(series._replace(between=np.zeros_like(series.between)), np.ones_like(variance))
            apart = values.mean(axis=1).var(axis=0, ddof=1) / chains
            variance = np.where(apart > far * within, np.maximum(variance, apart), variance)
        variances[columns] = variance
    return variances


def guard_against_rare(tallies: np.ndarray, starts: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """The least variance of each column's mean surprisal, by as many independent draws as are effective.

    `tallies` of all columns one after the other, column j from `starts[j]` on. It is the variance of -log2 p(x), in bits
    squared, over the draws, where each value that was seen gets 4.5 more draws: Agresti and Coull's (1998) z^2/2 for
    intervals of z = 3 standard errors. They make room for a rare value being less rare than it looked. And it is 0 where
    the draws are many enough that batches show this variance themselves: that estimate has the squared relative error
    (kurtosis - 1)/n, which is about one over the number of draws of the values that matter.
    """
    guard = np.zeros(len(starts))
    number = np.where(np.isfinite(draws), draws, 1e18).astype(float)
    _guard(tallies, np.append(starts, len(tallies)).astype(np.int64), number, guard)
    return guard


@jit
def _guard(tallies: np.ndarray, starts: np.ndarray, draws: np.ndarray, guard: np.ndarray) -> None:
    for j in range(len(guard)):
        counts, n = tallies[starts[j] : starts[j + 1]], draws[j]
        scale = n / counts.sum()
        total = n + _ADDED * (counts > 0).sum()
        mean = square = fourth = 0.0
        for count in counts:
            if count > 0:
                share = (count * scale + _ADDED) / total
                mean -= share * np.log2(share)
        for count in counts:
            if count > 0:
                share = (count * scale + _ADDED) / total
                from_mean = (-np.log2(share) - mean) ** 2
                square += share * from_mean
                fourth += share * from_mean**2
        if n <= 0.0:
            guard[j] = np.inf if total > _ADDED else 0.0
        elif fourth - square**2 > FEW * n * square**2:
            guard[j] = square / n


def miller_madow(support: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """The bits by which the plug-in entropy of independent draws falls short on average, (m-1)/(2 n ln 2).

    m should be the number of values *seen* where many attainable ones have next to no probability.
    """
    others = np.maximum(support - 1.0, 0.0)
    return np.divide(others, 2.0 * _LN2 * draws, out=np.where(others > 0, np.inf, 0.0), where=draws > 0)


def corrected_entropy(plugin: np.ndarray, support: np.ndarray, shortfall: np.ndarray) -> np.ndarray:
    """The plug-in entropy in bits with what it falls short by added, at most log2 m."""
    return np.minimum(plugin + shortfall, np.log2(np.maximum(support, 1.0)))


def unseen_entropy(support: np.ndarray, ess: np.ndarray) -> np.ndarray:
    """The largest entropy of a column of which one value was seen in `ess` effective draws (rule of three)."""
    most = np.log2(np.maximum(support, 1.0))
    others = np.maximum(support - 1.0, 1.0)
    rest = np.minimum(np.divide(3.0, ess, out=np.ones(len(support)), where=ess > 3.0), others / (others + 1.0))
    rest = np.where(np.isinf(ess), 0.0, rest)
    modal = 1.0 - rest
    parts = [-p * np.log2(p, out=np.zeros_like(p), where=p > 0) for p in (modal, rest)]
    return np.minimum(parts[0] + parts[1] + rest * np.log2(others), most)


def _blocks(batches: np.ndarray) -> Iterator[slice]:
    """Some hundred columns at a time: what is computed from them stays in the processor's cache."""
    chains, number, columns = batches.shape
    width = max(16, 2**18 // max(1, chains * number))
    for start in range(0, columns, width):
        yield slice(start, start + width)
