"""A plain chain on two-way tables, once as it should be and twice with a mistake that is easily made.

They go through the test that the product's chains go through: a test that cannot fail would prove nothing.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

import fiberwalk as fw
from fiberwalk.base.jit import jit
from fiberwalk.base.random_streams import below, fraction, streams
from verification.exact_laws.exact_law import ExactLaw, exact_law
from verification.exact_laws.random_releases import random_believed
from verification.exact_laws.spacing import NotApart, p_value, spaced_rows

RIGHT = "the plain chain without a mistake"
FORGETS = "steps that are refused are not counted"
MISSES = "the swaps of one cell are left out"
NAMES = (RIGHT, FORGETS, MISSES)


def swaps(shape: tuple[int, int]) -> np.ndarray:
    """All swaps in two rows and two columns: their cells, two that gain and two that lose."""
    cell = np.arange(shape[0] * shape[1]).reshape(shape)
    return np.array(
        [
            (cell[a, c], cell[b, d], cell[a, d], cell[b, c])
            for a, b in combinations(range(shape[0]), 2)
            for c, d in combinations(range(shape[1]), 2)
        ]
    )


@jit
def walk(table, moves, logs, steps, forgets, random, kept):
    """Metropolis' chain by one unit at a time; a table is kept after every so many steps that count."""
    for k in range(len(kept)):
        left, tries = steps, 0
        while left > 0 and tries < 1000 * steps:
            tries += 1
            move, sign = moves[below(random, len(moves))], 2 * below(random, 2) - 1
            ratio, able = 0.0, True
            for i in range(4):
                now = table[move[i]]
                after = now + (sign if i < 2 else -sign)
                if after < 0:
                    able = False
                    break
                ratio += logs[move[i], after] - logs[move[i], now]
            if able and np.log(fraction(random)) < ratio:
                for i in range(4):
                    table[move[i]] += sign if i < 2 else -sign
                left -= 1
            elif not forgets:
                left -= 1
        kept[k] = table


def cell_logs(law: ExactLaw, means: np.ndarray | None, priors: dict[int, dict[int, float]]) -> np.ndarray:
    """[cell, value]: the logarithms of the law's weights."""
    from scipy.special import gammaln, xlogy

    n, top = law.tables.shape[1], int(law.tables.sum(axis=1).max()) + 2
    values = np.arange(top)
    logs = np.zeros((n, top))
    for cell in range(n):
        if cell in priors:
            logs[cell] = np.log([max(priors[cell].get(int(value), 0.0), 1e-300) for value in values])
        elif means is not None:
            logs[cell] = xlogy(values, means[cell]) - gammaln(values + 1.0)
    return logs


def tried(name: str, seed: int, number: int) -> float:
    """The p-value of what the chain draws on a random table with known totals."""
    rng = np.random.default_rng([seed, number, 77])
    while True:
        shape = (int(rng.integers(2, 4)), 3)
        truth = rng.poisson(1.5, shape)
        release, believed = random_believed(rng, fw.publish(truth, ["A", "B"]))
        law = exact_law(release, believed)
        if law is None:
            continue
        moves, logs = swaps(shape), cell_logs(law, believed.means, dict(believed.priors))
        if name == MISSES:
            moves = moves[(moves != 0).all(axis=1)]
        table = law.tables[rng.choice(len(law.p), p=law.p)].copy()

        random = streams(int(rng.integers(2**31)), 1)[0]

        def draw(many: int, apart: int, table=table, moves=moves, logs=logs, random=random) -> np.ndarray:
            kept = np.empty((many, len(table)), dtype=np.int64)
            # as many steps as there are swaps, and one more: without that the chain may be in step with itself
            steps = apart * (len(moves) + 1)
            walk(table, moves, logs, steps, name == FORGETS, random, kept)
            return kept[None]

        try:
            found = spaced_rows(law, draw)
        except NotApart:
            continue
        p = p_value(law, found, rng)
        if not np.isnan(p):
            return p
