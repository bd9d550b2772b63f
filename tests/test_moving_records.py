"""Methods that move records: what they keep, the laws they claim, and how far an approximation is off."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import product

import numpy as np

import fiberwalk as fw
from fiberwalk.protect.record_swapping import pairs_wanted

# --- record swapping: a slow twin -------------------------------------------------------------------------------


def fiber_of(margins: tuple[tuple[int, ...], tuple[int, ...]]) -> list[np.ndarray]:
    """Every two-way table with these row and column sums."""
    rows, columns = (np.array(one) for one in margins)
    corner = product(*(range(min(r, c) + 1) for r in rows[:-1] for c in columns[:-1]))
    found = []
    for values in corner:
        table = np.zeros((len(rows), len(columns)), dtype=np.int64)
        table[:-1, :-1] = np.reshape(values, (len(rows) - 1, len(columns) - 1))
        table[:-1, -1] = rows[:-1] - table[:-1, :-1].sum(axis=1)
        table[-1] = columns - table[:-1].sum(axis=0)
        if (table >= 0).all():
            found.append(table)
    return found


def swap_law(table: np.ndarray, rate: float, small: int = 0) -> dict[bytes, float]:
    """P(published | table), by going through all pairs of records one after the other."""
    least, more, most = pairs_wanted(table.sum(axis=1), rate)
    law: dict[bytes, float] = defaultdict(float)
    places = list(np.ndindex(table.shape))
    first_kind = table <= small

    def go_on(unused: np.ndarray, now: np.ndarray, pairs: int, chance: float) -> None:
        ways = [(a, b, unused[a] * unused[b]) for a in places for b in places if a[0] != b[0]]
        ways = [one for one in ways if one[2]]
        begun = [one for one in ways if first_kind[one[0]]]
        if begun:  # the first of a pair is uniform among the targeted ones, whatever the number of its partners
            ways = [(a, b, unused[a] * unused[b] / (unused.sum() - unused[a[0]].sum())) for a, b, _ in begun]
        if not pairs or not ways:
            law[now.tobytes()] += chance
            return
        for a, b, weight in ways:
            left, after = unused.copy(), now.copy()
            left[a] -= 1
            left[b] -= 1
            after[a] -= 1
            after[b] -= 1
            after[b[0], a[1]] += 1
            after[a[0], b[1]] += 1
            go_on(left, after, pairs - 1, chance * weight / sum(one[2] for one in ways))

    go_on(table, table, min(least, most), 1.0 - more)
    if more:
        go_on(table, table, min(least + 1, most), more)
    return law


def gaps(margins, rate: float, small: int = 0, tries: int = 60) -> dict[str, float]:
    """How far the audit's law of a cell is from the true one: mean total variation over what may be published."""
    tables = fiber_of(margins)
    laws = [swap_law(one, rate, small) for one in tables]
    off = {"as declared": [], "every cell in full": [], "no evidence": []}
    random = np.random.default_rng(5)
    for seed in range(tries):
        release = fw.swap(tables[random.integers(len(tables))], "A", rate=rate, targeted=small or None, seed=seed)
        published = release.published.values.astype(np.int64).tobytes()
        true = np.array([law[published] for law in laws])
        true /= true.sum()
        n = np.count_nonzero(release.published.values.sum(1)), np.count_nonzero(release.published.values.sum(0))
        full = n[0] * n[1] / ((n[0] - 1) * (n[1] - 1))
        readings = {
            "as declared": release,
            "every cell in full": replace(
                release, evidence=tuple(replace(e, log_weights=e.log_weights * full) for e in release.evidence)
            ),
            "no evidence": replace(release, evidence=()),
        }
        for name, reading in readings.items():
            found = fw.audit(reading)
            for a, b in np.ndindex(tables[0].shape):
                pmf = found.pmf(A=str(a + 1), B=str(b + 1))
                values = np.array([one[a, b] for one in tables])
                points = range(int(values.max()) + 1)
                off[name].append(0.5 * sum(abs(pmf.get(v, 0.0) - true[values == v].sum()) for v in points))
    return {name: float(np.mean(some)) for name, some in off.items()}
