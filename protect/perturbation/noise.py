"""Additive noise: a random whole number with known probabilities is added to every figure."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.numbers import scaled, written
from ...base.saved_forms import saved
from ...release.release import Release
from ...release.tables.tables import as_table
from ..mechanism.mechanism import protected

NEGLIGIBLE = 1e-9
"""Without a limit, geometric noise is cut off where less than this probability lies beyond."""


@saved("Noise")
@dataclass(frozen=True)
class Noise:
    """A difference is added to a figure, with probabilities that are the same for all; floored: no figure below zero.

    Where zeros are not noisy, a figure of 0 is published as it is, and all others may become 0.
    """

    differences: tuple[int, ...]
    probabilities: tuple[float, ...]
    floor: bool = False
    decimals: int = 0
    noisy_zeros: bool = True
    name: str = "additive noise"

    @property
    def words(self) -> str:
        """What it does."""
        mark = hashlib.blake2b(repr((self.differences, self.probabilities)).encode(), digest_size=4).hexdigest()
        mean = math.fsum(d * p for d, p in zip(self.differences, self.probabilities, strict=True))
        spread = (
            math.fsum((d - mean) ** 2 * p for d, p in zip(self.differences, self.probabilities, strict=True)) ** 0.5
        )
        return (
            f"a random number from {written(self.differences[0], self.decimals)} to "
            f"{written(self.differences[-1], self.decimals)} (standard deviation {spread / 10**self.decimals:.4g}, "
            f"distribution {mark}) is added to every figure"
            + (" but those that are 0" * (not self.noisy_zeros))
            + (", and what falls below zero is shown as 0" * self.floor)
        )

    def publish(self, values: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Add the difference where the cumulated probabilities pass the random number."""
        edges = np.cumsum(self.probabilities)[:-1]
        noisy: np.ndarray = values + np.array(self.differences)[np.searchsorted(edges, u, side="right")]
        if not self.noisy_zeros:
            noisy[values == 0] = 0
        return np.maximum(noisy, 0) if self.floor else noisy

    def given(self, figure: int, most: int) -> tuple[int, np.ndarray]:
        """The probability of the difference; at a floor, of every difference that leads to it or below."""
        lowest, highest = self.differences[0], self.differences[-1]
        first, last = max(figure - highest, 0), min(figure - lowest, most)
        if figure == 0 and not self.noisy_zeros:
            first, last = 0, max(last, 0)
        if last < first or (self.floor and figure < 0):
            return 0, np.empty(0)
        weights = np.zeros(last - first + 1)
        for difference, probability in zip(self.differences, self.probabilities, strict=True):
            value = figure - difference
            if self.floor and figure == 0:
                weights[: max(value - first + 1, 0)] += probability
            elif first <= value <= last:
                weights[value - first] = probability
        if first == 0 and not self.noisy_zeros:
            weights[0] = figure == 0
        with np.errstate(divide="ignore"):
            return first, np.log(weights)


def add_noise(
    table: Any,
    noise: Mapping[float, float],
    *,
    floor: bool = False,
    noisy_zeros: bool = True,
    seed: int | None = None,
    margins: Iterable[Any] = (),
    exact: Iterable[Any] = (),
    keys: Any = None,
) -> Release:
    """Publish every cell with random noise added to it. The likelihood is exact.

    Parameters
    ----------
    noise
        The probability of every difference, in the table's own units: {-1: 0.2, 0: 0.6, 1: 0.2}; see `geometric_noise`
        and `uniform_noise`.
    floor
        Publish 0 for what falls below zero; else figures may be negative.
    noisy_zeros
        False: a true 0 is published as 0, as cell-key methods have it. Small counts should then be able to become 0, too.
    seed
        The seed of the random numbers; whoever has it can undo the noise. Left out: a new one, kept in `release.applied`. A
        seed that can be guessed protects nothing.
    margins
        Margins that are published too, each with noise of its own, so that they need not add up.
    exact
        Margins that are published as they are.
    keys
        None: every figure has a random number of its own. "labels": it follows from the labels and the seed, so that a
        cell or total has the same noise in every table. A table of summed record keys, whole numbers of
        64 bits, or a dict of those of their halves (`fw.server.record_keys`): it follows from who is in the cell.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.protect.add_noise([[4, 9], [2, 0]], {-1: 0.25, 0: 0.5, 1: 0.25}, seed=1, exact=["A"])
    >>> r.published.values.tolist()
    [[4, 10], [1, 1]]
    >>> fw.audit(r).pmf(A="2", B="1").round(3).to_dict()
    {0: 0.167, 1: 0.667, 2: 0.167}
    """
    labelled = as_table(table)
    mechanism = as_noise(noise, floor, labelled.decimals, noisy_zeros)
    return protected(labelled, mechanism, seed=seed, margins=margins, exact=exact, keys=keys)


def as_noise(noise: Any, floor: bool, decimals: int, noisy_zeros: bool = True) -> Noise:
    """Check the probabilities of differences, and scale the differences."""
    if not isinstance(noise, Mapping) or not noise:
        raise InputError("noise= is a dict of differences and their probabilities, such as {-1: 0.2, 0: 0.6, 1: 0.2}.")
    chance: dict[int, float] = {}
    for difference, probability in noise.items():
        amount = scaled(difference, decimals, "the noise")
        number = isinstance(probability, (int, float, np.number)) and not isinstance(probability, bool)
        if not number or not 0 <= probability <= 1:
            raise InputError(f"the noise {difference} has probability {probability!r}; it must be from 0 to 1.")
        if amount in chance:
            raise InputError(f"the noise {difference} is given twice.")
        chance[amount] = float(probability)
    total = math.fsum(chance.values())
    if abs(total - 1) > 1e-9:
        raise InputError(f"the probabilities of the noise sum to {total:.10g}, not to 1.")
    possible = sorted(difference for difference, probability in chance.items() if probability > 0)
    chances = tuple(chance[difference] / total for difference in possible)
    return Noise(tuple(possible), chances, bool(floor), decimals, bool(noisy_zeros))


def uniform_noise(max_change: int) -> dict[int, float]:
    """Noise that is equally probable from -largest to largest.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.protect.uniform_noise(2)
    {-2: 0.2, -1: 0.2, 0: 0.2, 1: 0.2, 2: 0.2}
    """
    k = _limit(max_change, "uniform_noise")
    return dict.fromkeys(range(-k, k + 1), 1 / (2 * k + 1))


def geometric_noise(
    epsilon: float | None = None, *, scale: float | None = None, max_change: int | None = None
) -> dict[int, float]:
    """Two-sided geometric noise: every step away from zero is exp(-epsilon) times as probable as the one before.

    The discrete Laplace distribution. It is cut off at `max_change` and divided by its sum, so that smaller differences keep
    their ratios and larger ones are impossible: figures near the cut tell more than epsilon-differential privacy allows.

    Parameters
    ----------
    epsilon, scale
        One of them; scale = 1 / epsilon.
    max_change
        The largest difference; by default so large that less than 1e-9 lay beyond.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> {k: round(p, 4) for k, p in fw.protect.geometric_noise(1, max_change=2).items()}
    {-2: 0.0675, -1: 0.1834, 0: 0.4984, 1: 0.1834, 2: 0.0675}
    """
    if (epsilon is None) == (scale is None):
        raise InputError("geometric_noise() needs epsilon or scale=, one of them.")
    chosen = epsilon if scale is None else scale
    if isinstance(chosen, bool) or not isinstance(chosen, (int, float, np.number)) or not 1e-6 <= chosen <= 1e6:
        named = "epsilon" if scale is None else "scale"
        raise InputError(f"geometric_noise(): {named} is {chosen!r}; it must be from 1e-6 to 1e6.")
    step = float(chosen) if scale is None else 1 / float(chosen)
    # The tails beyond k have the probability 2 a^(k+1) / (1 + a), a = exp(-step).
    beyond = math.ceil(math.log(2 / (NEGLIGIBLE * (1 + math.exp(-step)))) / step)
    k = beyond if max_change is None else _limit(max_change, "geometric_noise")
    weights = np.exp(-step * np.abs(np.arange(-k, k + 1)))
    return dict(zip(range(-k, k + 1), (weights / weights.sum()).tolist(), strict=True))


def _limit(largest: Any, method: str) -> int:
    if isinstance(largest, bool) or not isinstance(largest, (int, np.integer)) or largest < 1:
        raise InputError(f"{method}(): the largest difference is {largest!r}; it must be a whole number of at least 1.")
    return int(largest)
