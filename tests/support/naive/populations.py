"""Populations drawn behind a sample, and exact laws to compare them with."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np

import fiberwalk as fw
from support.protocol import chi_square

DRAWS = 20_000


def drawn(sample, people=None, model="log-linear", draws=DRAWS, seed=1):
    """Populations [draw, cell]."""
    tables = fw.survey.draw_populations(sample, people, model, draws=draws, seed=seed, progress=False)["table"].values
    return tables.reshape(tables.shape[0] * tables.shape[1], -1)


def agreement(tables, law):
    """The p-value of drawn tables under an exact law, a dict of table -> probability."""
    seen = Counter(map(tuple, tables.tolist()))
    assert set(seen) <= set(law), "a table was drawn that the law holds for impossible"
    keys = list(law)
    return chi_square(np.array([seen[key] for key in keys], dtype=float), np.array([law[key] for key in keys]))


def compositions(total, parts):
    """All ways to share so many people among so many cells."""
    for bars in itertools.combinations(range(total + parts - 1), parts - 1):
        yield tuple(b - a - 1 for a, b in itertools.pairwise((-1, *bars, total + parts - 1)))


def urn_law(sample, outside, theta):
    """The law of the urn, ball by ball: a coloured one in proportion to its number, a black one for an empty cell."""
    law = {tuple(sample): 1.0}
    for _ in range(outside):
        after: dict[tuple[int, ...], float] = {}
        for table, p in law.items():
            unopened = [i for i, x in enumerate(table) if x == 0]
            black = theta if unopened else 0.0
            for i, x in enumerate(table):
                weight = x if x else black / len(unopened)
                if weight:
                    key = (*table[:i], x + 1, *table[i + 1 :])
                    after[key] = after.get(key, 0.0) + p * weight / (sum(table) + black)
        law = after
    return law
