"""The law of a method, which attackers know: how probable each published figure is, given the true count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

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


def rounding(base: int, most: int) -> Law:
    """Random rounding: up with the probability (remainder / base)."""
    rows = []
    for count in range(most + 1):
        down, left = count - count % base, count % base
        rows.append({down: 1 - left / base, down + base: left / base} if left else {count: 1.0})
    return Law(tuple(rows))


def noise(differences: Mapping[int, float], most: int, zeros_stay: bool, floor: bool = True) -> Law:
    """A random difference is added; floored: what falls below zero is shown as 0."""
    rows: list[dict[int, float]] = []
    for count in range(most + 1):
        row: dict[int, float] = {}
        for difference, probability in differences.items():
            figure = max(count + difference, 0) if floor else count + difference
            row[figure] = row.get(figure, 0.0) + probability
        rows.append(row)
    return Law(({0: 1.0}, *rows[1:]) if zeros_stay else tuple(rows))


def transitions(changes: Mapping[int, Mapping[int, float]], most: int) -> Law:
    """A perturbation table, whose last row is that of all larger counts."""
    last = max(changes)
    larger = ({figure + count - last: p for figure, p in changes[last].items()} for count in range(last + 1, most + 1))
    return Law((*(changes[count] for count in range(last + 1)), *larger))
