"""What is surely lost without a figure: how far others could still go, narrowed sum by sum, before any program is solved.

A sum whose figures but one stand still makes that one stand still, too; most figures of a cheap pattern cannot be given back
for such a reason, a few sums away.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

MOST_SUMS = 60
"""Sums that are looked at for one figure."""


class Needed(NamedTuple):
    """How far each figure must be able to go up and down; 0 where nothing is demanded."""

    up: np.ndarray
    down: np.ndarray

    @classmethod
    def of(cls, demands: Iterable[tuple[int, int]], size: int) -> Needed:
        """What some demands, of a figure and by how much, come to."""
        needed = cls(np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64))
        for figure, change in demands:
            side = needed.up if change > 0 else needed.down
            side[figure] = max(side[figure], abs(change))
        return needed


class Narrowing:
    """The sums of some figures, and how far each figure may be from its true value if it is withheld."""

    def __init__(self, sums: sp.csr_array, down: np.ndarray, up: np.ndarray) -> None:
        self._down, self._up = down, up
        by_figure = sp.csc_array(sums)
        self._sums_of = by_figure.indptr, by_figure.indices
        self._figures_of = sums.indptr, sums.indices, sums.data

    def stuck(self, without: int, hidden: np.ndarray, needed: Needed) -> bool:
        """Can some figure surely not go as far as it must, if one more is published? False may also mean: it is not seen."""
        reach: dict[int, tuple[int, int]] = {without: (0, 0)}
        begin, sums = self._sums_of
        waiting = deque(sums[begin[without] : begin[without + 1]].tolist())
        for _ in range(MOST_SUMS):
            if not waiting:
                return False
            now = waiting.popleft()
            for figure in self._narrowed(now, hidden, reach):
                low, high = reach[figure]
                if high < needed.up[figure] or -low < needed.down[figure]:
                    return True
                further = sums[begin[figure] : begin[figure + 1]].tolist()
                waiting.extend(one for one in further if one != now and one not in waiting)
        return False

    def _narrowed(self, one: int, hidden: np.ndarray, reach: dict[int, tuple[int, int]]) -> list[int]:
        """The figures of a sum that cannot go as far as was thought, as the others cannot make up for it."""
        begin, figures, signs = self._figures_of
        part = slice(begin[one], begin[one + 1])
        inside = [(f, s) for f, s in zip(figures[part].tolist(), signs[part].tolist(), strict=True) if hidden[f]]
        spans = []
        for figure, sign in inside:
            low, high = reach.get(figure) or (-int(self._down[figure]), int(self._up[figure]))
            spans.append((sign * low, sign * high) if sign > 0 else (sign * high, sign * low))
        least, most = sum(low for low, _ in spans), sum(high for _, high in spans)
        found = []
        for (figure, sign), (low, high) in zip(inside, spans, strict=True):
            left = max(low, high - most), min(high, low - least)
            if left != (low, high):
                reach[figure] = left if sign > 0 else (-left[1], -left[0])
                found.append(figure)
        return found
