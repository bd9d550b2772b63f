"""How the people of a kind fall among its k records: which of them there is somebody of, which are of exactly one person.

Where all populations count alike, each way to have X people among k records is as probable as any other (Bose and Einstein);
where counts are Poisson, each person is as probably of one record as of another, independently.
"""

from __future__ import annotations

import numpy as np


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


def fallen(people: int, k: int, alike: bool, rng: np.random.Generator) -> np.ndarray:
    """The record of each of some people of a kind, drawn."""
    if k == 1:
        return np.zeros(people, dtype=np.int64)
    if not alike:
        return rng.integers(0, k, people)
    # where the people stand among people and the k - 1 bars between records: every such row is equally probable
    standing = np.sort(rng.choice(people + k - 1, people, replace=False))
    return np.asarray(standing - np.arange(people))
