"""The slow, obvious twin of posterior/keyed_figures: every table, and of every set of people one draw."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple


class Shown(NamedTuple):
    """A figure: the cells that it counts, what was published, and what the draw of an empty group belongs to."""

    cells: frozenset[int]
    figure: int
    labels: Hashable = None


def likelihood(table: Sequence[int], shown: Sequence[Shown], chance: Callable[[int, int], float]) -> float:
    """The probability that all of it is published of a table: a draw for every set of occupied cells, and one for the labels
    of every empty group. `chance` is P(figure | count)."""
    draws: dict[Hashable, tuple[int, int]] = {}
    for one in shown:
        people = frozenset(cell for cell in one.cells if table[cell])
        count = sum(table[cell] for cell in one.cells)
        draw = people or ("nobody", one.labels)
        if draws.setdefault(draw, (one.figure, count)) != (one.figure, count):
            return 0.0
    return math.prod(chance(figure, count) for figure, count in draws.values())


def posterior(
    highest: Sequence[int],
    weigh: Callable[[int, int], float],
    shown: Sequence[Shown],
    chance: Callable[[int, int], float],
    fits: Callable[[Sequence[int]], bool] = lambda table: True,
) -> dict[tuple[int, ...], float]:
    """Of every possible table, how probable it is. `weigh(cell, value)` is the law."""
    weights = {}
    for table in product(*(range(most + 1) for most in highest)):
        if fits(table) and (p := likelihood(table, shown, chance)) > 0:
            weight = p * math.prod(weigh(cell, value) for cell, value in enumerate(table))
            if weight:
                weights[table] = weight
    total = math.fsum(weights.values())
    return {table: weight / total for table, weight in weights.items()}


def law_of_sum(tables: Mapping[tuple[int, ...], float], cells: Sequence[int]) -> dict[int, float]:
    """The law of the sum of some cells."""
    law: dict[int, float] = {}
    for table, p in tables.items():
        value = sum(table[cell] for cell in cells)
        law[value] = law.get(value, 0.0) + p
    return dict(sorted(law.items()))


def rounded(base: int) -> Callable[[int, int], float]:
    """Random rounding: P(figure | count)."""
    return lambda figure, count: max(0.0, 1 - abs(figure - count) / base) if figure % base == 0 else 0.0


def noisy(noise: Mapping[int, float], floor: bool = True, zeros_stay: bool = True) -> Callable[[int, int], float]:
    """Additive noise: P(figure | count)."""

    def chance(figure: int, count: int) -> float:
        if zeros_stay and count == 0:
            return float(figure == 0)
        noisy_counts = ((count + difference, p) for difference, p in noise.items())
        return math.fsum(p for value, p in noisy_counts if (max(value, 0) if floor else value) == figure)

    return chance


def by_matrix(matrix: Sequence[Sequence[float]]) -> Callable[[int, int], float]:
    """A transition matrix, whose last row is moved along for larger counts."""

    def chance(figure: int, count: int) -> float:
        row = min(count, len(matrix) - 1)
        column = figure - count + row
        return float(matrix[row][column]) if 0 <= column < len(matrix[row]) else 0.0

    return chance


def drawn(
    table: Sequence[int], groups: Sequence[tuple[frozenset[int], Hashable]], draw: Callable[[int], int]
) -> Iterator[Shown]:
    """What is published of some groups: `draw(count)` is a figure."""
    figures: dict[Hashable, int] = {}
    for cells, labels in groups:
        people = frozenset(cell for cell in cells if table[cell])
        number = people or ("nobody", labels)
        if number not in figures:
            figures[number] = draw(sum(table[cell] for cell in cells))
        yield Shown(cells, figures[number], labels)
