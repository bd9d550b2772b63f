"""Is an audit by chains right? All 48 entropies of the 4 x 4 x 3 table of Duncan and others, given its three margins.

The truth is counted without anything of fiberwalk, by slices: the last three of the four along I are listed,
the second and the third are joined by their sum, and the first is what is left of the margin J,K.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np

import fiberwalk as fw
from verification.parts import Check, Part, Setting, rows

WORDS = (
    "All 48 entropies of the 4 x 4 x 3 table of Duncan and others given its three two-way margins, by chains, against a "
    "count of all tables by slices that uses nothing of the product."
)
SEEDS = 5
LAWS = ("uniform", "hypergeometric")
TOLERANCE = 0.02
"""Bits that an audit promises."""


def slices_of(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Every table with these row and column sums, one row each, cell after cell."""

    def line(total: int, most: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(most) == 1:
            if total <= most[0]:
                yield (total,)
            return
        for first in range(min(total, most[0]) + 1):
            for rest in line(total - first, most[1:]):
                yield (first, *rest)

    def tables(which: int, left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if which == len(rows):
            yield ()
            return
        for one in line(int(rows[which]), left):
            for rest in tables(which + 1, tuple(a - b for a, b in zip(left, one, strict=True))):
                yield (*one, *rest)

    whole = tables(0, tuple(columns.tolist()))
    return np.array([one for one in whole if len(one) == len(rows) * len(columns)], dtype=np.int64)


@numba.njit(cache=False)
def first_slices(middle, fourths, margin, logs, first, last, of_sum):
    """All combinations of a sum of the two middle slices and the fourth: what they leave for the first slice.

    Adds up, for both laws, how often each cell of the first slice has each value, each fourth slice and each sum.
    """
    sums, counts, weights = middle
    fourth, fourth_weight = fourths
    cells = len(margin)
    left = np.zeros(cells, dtype=np.int64)
    for s in range(len(sums)):
        for f in range(len(fourth)):
            bits = fourth_weight[f]
            able = True
            for c in range(cells):
                left[c] = margin[c] - sums[s, c] - fourth[f, c]
                if left[c] < 0:
                    able = False
                    break
                bits -= logs[left[c]]
            if not able:
                continue
            weight = np.exp(bits)
            of_sum[0, s] += 1.0
            of_sum[1, s] += weight
            last[0, f] += counts[s]
            last[1, f] += weight * weights[s]
            for c in range(cells):
                first[0, c, left[c]] += counts[s]
                first[1, c, left[c]] += weight * weights[s]


def true_entropies(table: np.ndarray) -> tuple[int, np.ndarray]:
    """The number of tables, and [law, i, j, k]: the entropy in bits of each cell under the uniform and the other law."""
    listed = [slices_of(table[i].sum(axis=1), table[i].sum(axis=0)) for i in (1, 2, 3)]
    most = int(table.sum())
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])
    # Weights 1/x!, relative to those of the table itself so that no product runs out of range.
    weight = [np.exp(logs[table[i]].sum() - logs[one].sum(axis=1)) for i, one in zip((1, 2, 3), listed, strict=True)]
    of_fourth = logs[table[3]].sum() - logs[listed[2]].sum(axis=1) + logs[table[0]].sum()
    margin = table.sum(axis=0).ravel()
    second, third = listed[0], listed[1]
    digits = np.cumprod(np.concatenate([[1], margin[:-1] + 1]))
    pairs = []
    for a in range(len(second)):
        total = second[a] + third
        fits = np.flatnonzero((total <= margin).all(axis=1))
        pairs.append(np.stack([np.full(len(fits), a), fits, total[fits] @ digits], axis=1))
    pair = np.concatenate(pairs)
    codes, group = np.unique(pair[:, 2], return_inverse=True)
    of_pair = weight[0][pair[:, 0]] * weight[1][pair[:, 1]]
    sums = codes[:, None] // digits % (margin + 1)
    counts, weights = np.bincount(group).astype(float), np.bincount(group, of_pair)
    first, last = np.zeros((2, len(margin), most + 1)), np.zeros((2, len(listed[2])))
    of_sum = np.zeros((2, len(codes)))
    first_slices((sums, counts, weights), (listed[2], of_fourth), margin, logs, first, last, of_sum)
    entropies = np.zeros((2, 4, len(margin)))
    for law in range(2):
        of_slices = [
            np.bincount(pair[:, side], of_sum[law][group] * (of_pair if law else 1.0), minlength=len(listed[side]))
            for side in (0, 1)
        ]
        of_slices.append(last[law])
        for c in range(len(margin)):
            entropies[law, 0, c] = _bits(first[law, c])
            for i in (1, 2, 3):
                entropies[law, i, c] = _bits(np.bincount(listed[i - 1][:, c], of_slices[i - 1]))
    return round(last[0].sum()), entropies.reshape(2, *table.shape)


def _bits(weights: np.ndarray) -> float:
    p = weights[weights > 0] / weights.sum()
    return float(-(p * np.log2(p)).sum())


def audited(law: str, seed: int) -> tuple[np.ndarray, float, str]:
    """The entropies of an audit by chains, the largest of their stated errors, and its certificate."""
    table = fw.examples.dfkpr01().table
    audit = fw.audit(fw.publish(table, margins=["I,J", "J,K", "I,K"]), law, method="chains", seed=seed, progress=False)
    found = audit.cells["entropy"].to_xarray().transpose(*table.dims).reindex_like(table).to_numpy()
    return found, float(audit.cells["entropy_mcse"].max()), audit.certificate.word


def run(setting: Setting) -> Part:
    """Ten audits against the truth."""
    begin = time.perf_counter()
    tables, truth = true_entropies(np.asarray(fw.examples.dfkpr01().table.values))
    print(f"  {tables:,} tables, counted by slices in {time.perf_counter() - begin:.0f} s", flush=True)
    tasks = [(law, setting.seed + k) for law in LAWS for k in range(SEEDS)]
    audits = list(setting.each(audited, tasks, "audits"))
    lines, every = [], []
    for (law, seed), (found, error, word) in zip(tasks, audits, strict=True):
        apart = float(np.abs(found - truth[LAWS.index(law)]).max())
        every.append(apart)
        lines.append([law, seed, f"{apart:.4f}", f"{3 * error:.4f}", word])
    words = {word for *_, word in audits}
    largest = float(np.max(every))  # nan where an entropy is missing, which passes no check
    checks = (
        Check(f"every entropy is right to {TOLERANCE} bits", largest < TOLERANCE, f"largest error {largest:.4f} bits"),
        Check("the moves are proven to connect all tables", words == {"connected"}, ", ".join(sorted(words))),
    )
    head = ["law", "seed", "largest error of 48 entropies, bits", "three stated standard errors at most", "certificate"]
    return Part(checks, (f"{tables:,} tables.", rows(head, lines)))


def pictures(values: dict[str, Any], home: Path) -> Iterator[tuple[Path, str]]:
    """None."""
    yield from ()
