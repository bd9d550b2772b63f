"""The law of a method, which attackers know: how probable each published figure is, given the true count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from fiberwalk.protect.protected_counts import protected_counts

STEPS = 1200
"""Cell keys that are tried, evenly spread: probabilities are multiples of 1/1200."""
IMPOSSIBLE = -np.inf


@dataclass(frozen=True, eq=False)
class Law:
    """P(figure | count) for all counts up to a largest one."""

    probabilities: tuple[Mapping[int, float], ...]

    def support(self, figure: int) -> tuple[int, int]:
        """The least and the largest count that may be published as this figure; (1, 0) where none may."""
        window = self._windows().get(figure)
        return (1, 0) if window is None else (window[0], window[0] + len(window[1]) - 1)

    def logs(self, figure: int) -> tuple[int, np.ndarray]:
        """The first count that may be published as this figure, and log P(figure | count) from there on."""
        return self._windows().get(figure, (0, np.array([IMPOSSIBLE])))

    @cache  # noqa: B019  (a law lives as long as the contest)
    def _windows(self) -> dict[int, tuple[int, np.ndarray]]:
        counts: dict[int, dict[int, float]] = {}
        for count, row in enumerate(self.probabilities):
            for figure, probability in row.items():
                counts.setdefault(figure, {})[count] = probability
        windows = {}
        for figure, row in counts.items():
            first, last = min(row), max(row)
            with np.errstate(divide="ignore"):
                windows[figure] = first, np.log([row.get(count, 0.0) for count in range(first, last + 1)])
        return windows


def law_of(method: str, parameters: Mapping[str, Any], most: int, zeros_stay: bool) -> Law:
    """The law of a method whose cells are changed by a number of their own, found by trying all numbers."""
    if method == "exact":
        return Law(tuple({count: 1.0} for count in range(most + 1)))
    keys = (np.arange(STEPS) + 0.5) / STEPS
    counts = np.repeat(np.arange(most + 1), STEPS)
    figures = protected_counts(counts, method, parameters, seed=0, keys=np.tile(keys, most + 1))
    rows = []
    for row in figures.reshape(most + 1, STEPS):
        values, times = np.unique(row, return_counts=True)
        rows.append(dict(zip(values.tolist(), (times / STEPS).tolist(), strict=True)))
    if zeros_stay:
        rows[0] = {0: 1.0}
    return Law(tuple(rows))
