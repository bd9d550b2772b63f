"""Six cells, each with an opinion that has two peaks, and a low floor in between or nothing at all; by brute force."""

from __future__ import annotations

import numpy as np

import fiberwalk as fw

from .case import Case, Known

SEEDS = 5


def case(rng: np.random.Generator) -> Case | None:
    """Two rows of three. Half the time all peaks are as far apart, so that many combinations fit the margins."""
    gapped = rng.random() < 0.4
    together = int(rng.integers(60, 800)) if rng.random() < 0.5 else 0
    weights, table = [], np.empty((2, 3), dtype=np.int64)
    for i in range(2):
        for j in range(3):
            first = int(rng.integers(20, 400))
            second = first + (together or int(rng.integers(60, 800)))
            spread, share = rng.uniform(4.0, 20.0), rng.uniform(0.2, 0.8)
            x = np.arange(2600)
            curve = share * _bell(x, first, spread) + (1 - share) * _bell(x, second, spread)
            weights.append(np.where(curve > 1e-4, curve, 0.0) if gapped else curve + 10.0 ** -rng.uniform(4, 9))
            near = first if rng.random() < 0.5 else second
            while True:
                table[i, j] = near + int(rng.normal(0.0, 0.7 * spread))
                if table[i, j] >= 0 and weights[-1][table[i, j]] > 0:
                    break
    if table.sum(axis=0).max() >= 2600 or table.sum(axis=1).max() >= 2600:
        return None
    release = fw.publish(table, margins=["A", "B"])
    cells = [{"A": str(i + 1), "B": str(j + 1)} for i in range(2) for j in range(3)]
    law = fw.laws.prior([(cell, lambda x, w=w: float(w[int(x)])) for cell, w in zip(cells, weights, strict=True)])
    laws = summed(table, weights)
    words = f"two peaks in each of six cells, {'gaps' if gapped else 'a floor'} in between"
    return Case(words, release, law, tuple(zip(cells, laws, strict=True)), seconds=30.0)


def _bell(x: np.ndarray, centre: float, spread: float) -> np.ndarray:
    return np.exp(-0.5 * ((x - centre) / spread) ** 2)


def summed(table: np.ndarray, weights: list[np.ndarray]) -> list[Known]:
    """The law of each cell, by summing over the two cells that are free."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    with np.errstate(divide="ignore"):
        logs = [np.log(one) for one in weights]
    a, b = np.arange(columns[0] + 1)[:, None], np.arange(columns[1] + 1)[None, :]
    c = rows[0] - a - b
    fits = (c >= 0) & (c <= columns[2])
    c = np.clip(c, 0, columns[2])
    total = logs[0][a] + logs[1][b] + logs[2][c]
    total = total + logs[3][columns[0] - a] + logs[4][columns[1] - b] + logs[5][columns[2] - c]
    total[~fits] = -np.inf
    p = np.exp(total - total.max())
    p /= p.sum()
    third = np.bincount(c.ravel(), weights=p.ravel(), minlength=columns[2] + 1)
    above = [p.sum(axis=1), p.sum(axis=0), third]
    return [Known.of(0, one) for one in above] + [Known.of(0, one[::-1]) for one in above]
