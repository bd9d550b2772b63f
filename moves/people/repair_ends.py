"""Where rounds of replaced people lead: all of them are gone side by side, and those that meet on the way go on together."""

from __future__ import annotations

import numpy as np

from ..families.move_set import MOST_LISTED, too_many
from .repair_steps import MOST_APART, Replacements

AT_ONCE = 4_000_000
"""Pairs of a population on the way and a replacement that are looked at together."""


def ends_of_rounds(to: Replacements, table: np.ndarray) -> np.ndarray:
    """The populations to which rounds from a population lead, a row each."""
    change = changes_of(to)
    here, last, apart = table[None, :], np.array([-1]), np.zeros((1, change.shape[1]), dtype=np.int64)
    ends, size = [table[:0].reshape(0, len(table))], max(1, AT_ONCE // len(to.source))
    for _ in range(to.longest):
        parts = [
            _after_one_more(to, change, here[k : k + size], last[k : k + size], apart[k : k + size])
            for k in range(0, len(here), size)
        ]
        if not parts:
            break
        here, last, apart = (np.concatenate(some) for some in zip(*parts, strict=True))
        whole = ~apart.any(axis=1)
        ends.append(here[whole])
        _, first = np.unique(np.column_stack([here, last])[~whole], axis=0, return_index=True)
        if len(first) > MOST_LISTED:
            raise too_many(MOST_LISTED)
        here, last, apart = (some[~whole][first] for some in (here, last, apart))
    return np.unique(np.concatenate(ends), axis=0)


def changes_of(to: Replacements) -> np.ndarray:
    """What each replacement does to each figure, a row for each replacement."""
    change = np.zeros((len(to.source), len(to.row_start) - 1), dtype=np.int64)
    change[np.repeat(np.arange(len(change)), np.diff(to.change_start)), to.changed_rows] = to.change
    return change


def _after_one_more(
    to: Replacements, change: np.ndarray, here: np.ndarray, last: np.ndarray, apart: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same of all populations after one more replacement: each must mend a figure that the last one broke."""
    may = (here > to.lower)[:, to.source] & (here < to.upper)[:, to.target]
    if (last >= 0).all():  # else nobody was replaced yet, and anybody may be
        broken = change[last] * apart > 0
        # in floating point, as NumPy multiplies whole numbers slowly
        fewer, more = (change < 0).T.astype(np.float32), (change > 0).T.astype(np.float32)
        may &= (broken & (apart > 0)).astype(np.float32) @ fewer + (broken & (apart < 0)).astype(np.float32) @ more > 0
        may[np.arange(len(last)), to.back[last]] = False
    one, edge = np.nonzero(may)
    after = apart[one] + change[edge]
    near = np.abs(after).sum(axis=1) < MOST_APART
    one, edge, after = one[near], edge[near], after[near]
    there, row = here[one], np.arange(len(one))
    there[row, to.source[edge]] -= 1
    there[row, to.target[edge]] += 1
    return there, edge, after
