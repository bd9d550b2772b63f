"""How the people of a kind fall among its k records: which of them there is somebody of, which are of exactly one person.

Where all populations count alike, each way to have X people among k records is as probable as any other (Bose and Einstein);
where counts are Poisson, each person is as probably of one record as of another, independently.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

MOST_SUMMED = 1_000
"""People of a kind of whom the entropy is summed; of more it is said to be at most that of as many ways alike."""


def of_one_record(first: int, p: np.ndarray, k: int, alike: bool) -> tuple[float, float]:
    """For one of the k records the probability that there is somebody of it, and that there is exactly one person, where
    the kind has `first`, `first + 1`, ... people with probabilities p."""
    x = first + np.arange(len(p), dtype=float)
    if k == 1:
        return float(p[x >= 1].sum()), float(p[x == 1].sum())
    if alike:
        nobody = (k - 1) / (x + k - 1)
        # C(x - 1 + k - 2, k - 2) of C(x + k - 1, k - 1)
        one = np.where(x >= 1, x * (k - 1) / ((x + k - 1) * np.maximum(x + k - 2, 1)), 0.0)
    else:
        nobody = (1 - 1 / k) ** x
        one = np.where(x >= 1, x / k * (1 - 1 / k) ** np.maximum(x - 1, 0), 0.0)
    return float(p @ (1 - nobody)), float(p @ one)


def bits_of_falling(people: np.ndarray, k: int, alike: bool) -> np.ndarray:
    """Bits that tell how many of so many people of a kind are of each of its k records."""
    x = np.asarray(people, dtype=float)
    if k == 1:
        return np.zeros(len(x))
    ways = np.asarray(gammaln(x + k) - gammaln(x + 1) - gammaln(k)) / np.log(2)
    if alike:
        return ways
    return np.array([least if n > MOST_SUMMED else _of_counts(int(n), k) for n, least in zip(x, ways, strict=True)])


def _of_counts(people: int, k: int) -> float:
    """The entropy of how many of some people are of each of k records that each is as probably of."""
    n = np.arange(people + 1)
    log_p = gammaln(people + 1) - gammaln(n + 1) - gammaln(people - n + 1)
    log_p += n * np.log(1 / k) + (people - n) * np.log1p(-1 / k)
    nats = people * np.log(k) - gammaln(people + 1) + k * (np.exp(log_p) @ gammaln(n + 1))
    return max(float(nats) / float(np.log(2)), 0.0)


def fallen(people: int, k: int, alike: bool, rng: np.random.Generator) -> np.ndarray:
    """The record of each of some people of a kind, drawn."""
    if k == 1:
        return np.zeros(people, dtype=np.int64)
    if not alike:
        return rng.integers(0, k, people)
    # where the people stand among people and the k - 1 bars between records: every such row is equally probable
    standing = np.sort(rng.choice(people + k - 1, people, replace=False))
    return np.asarray(standing - np.arange(people))
