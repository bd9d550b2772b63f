"""Counts from a thousand to a billion: the law is close to a normal one, whose entropy and mean have formulas."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import polygamma, psi

import fiberwalk as fw

from .case import Case, Known

SEEDS = 2
SHAPES = ((2, 2), (2, 3), (3, 3), (3, 4), (2, 2, 2), (2, 3, 3), (3, 3, 3), (4, 4, 3))
SMOOTH = 30.0
"""Standard deviations from which on a law is close enough to its limit."""


def case(rng: np.random.Generator) -> Case | None:
    """A table with all margins of one dim less, or a part of its cells withheld; under 1/x! or with means of its own."""
    shape = SHAPES[rng.integers(len(SHAPES))]
    m = 10.0 ** rng.uniform(3, 9)
    spread = float(rng.choice([0.2, 1.0]))
    table = np.round(m * np.exp(rng.uniform(-spread, spread, shape))).astype(np.int64)
    names = "ABC"[: len(shape)]
    margins = [",".join(one) for one in combinations(names, len(shape) - 1)]
    hidden = np.ones(shape, dtype=bool)
    if len(shape) == 2 and rng.random() < 0.5:
        hidden = rng.random(shape) < 0.75
        if not hidden.any() or hidden.all():
            return None
        release = fw.suppress(table, where=hidden)
    else:
        release = fw.publish(table, margins=margins)
    means, law = np.ones(shape), "hypergeometric"
    if rng.random() < 0.4:
        means = 10.0 ** rng.uniform(-2, 2, shape)
        law = fw.laws.expected(means)
    cells = [{dim: str(k + 1) for dim, k in zip(names, place, strict=True)} for place in np.argwhere(hidden).tolist()]
    laws = limit(table[hidden].astype(float), _equations(shape, hidden), np.log(means[hidden]))
    if laws is None:
        return None
    words = f"{' x '.join(map(str, shape))} with counts about {m:.1g}, {int(hidden.sum())} hidden"
    return Case(words, release, law, tuple(pair for pair in zip(cells, laws, strict=True) if pair[1] is not None))


def _equations(shape: tuple[int, ...], hidden: np.ndarray) -> np.ndarray:
    """A row for every sum over one dim, over the hidden cells."""
    rows = []
    for axis in range(len(shape)):
        groups = np.broadcast_to(np.arange(hidden.size // shape[axis]).reshape(
            [1 if k == axis else n for k, n in enumerate(shape)]
        ), shape)[hidden]  # fmt: skip
        rows += [(groups == one).astype(float) for one in np.unique(groups)]
    return np.array(rows)


def limit(table: np.ndarray, A: np.ndarray, log_means: np.ndarray) -> list[Known | None] | None:
    """The normal limit of prod mu^x / x! given A x, about the most probable table, with the first correction of its mean."""
    _, values, right = np.linalg.svd(A)
    free = right[(values > 1e-9).sum() :].T
    if free.shape[1] == 0:
        return None
    x = table.copy()
    for _ in range(200):
        slope = free.T @ (log_means - psi(x + 1.0))
        bend = free.T @ (polygamma(1, x + 1.0)[:, None] * free)
        along = free @ np.linalg.solve(bend, slope)
        # no cell may leave the positive numbers
        step = min(1.0, 0.9 * float((x[along < 0] / -along[along < 0]).min(initial=np.inf)))
        x = x + step * along
        if np.abs(along / np.sqrt(x + 1.0)).max() < 1e-10:
            break
    else:
        return None
    covariance = free @ np.linalg.inv(free.T @ (polygamma(1, x + 1.0)[:, None] * free)) @ free.T
    deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    mean = x - 0.5 * covariance @ (polygamma(2, x + 1.0) * deviation**2)
    bits = 0.5 * np.log2(2 * np.pi * np.e * np.maximum(deviation, 1e-9) ** 2)
    smallest = deviation[deviation > 1e-6].min(initial=np.inf)
    if smallest < SMOOTH or (x < 9 * deviation).any():
        return None
    return [Known(float(h), float(m)) if s > 1e-6 else None for h, m, s in zip(bits, mean, deviation, strict=True)]
