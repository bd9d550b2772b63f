"""The slow, obvious twin of posterior/particles: every table, and of every set of people one draw."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

Table = tuple[int, ...]
Group = frozenset[int]
Chance = Callable[[int, int], float]
"""P(figure | count)."""


def people_of(table: Sequence[int], group: Group) -> Group:
    """The occupied cells of a group: who is in it."""
    return frozenset(cell for cell in group if table[cell])


def likelihood(table: Sequence[int], told: Sequence[tuple[Group, int]], chance: Chance) -> float:
    """P(all figures | table): one draw for every set of people; nobody is published as 0."""
    draws: dict[Group, tuple[int, int]] = {}
    for group, figure in told:
        people, count = people_of(table, group), sum(table[cell] for cell in group)
        if draws.setdefault(people, (figure, count)) != (figure, count):
            return 0.0
    return math.prod(
        float(figure == 0) if not people else chance(figure, count) for people, (figure, count) in draws.items()
    )


def posterior(law: Sequence[Sequence[float]], told: Sequence[tuple[Group, int]], chance: Chance) -> dict[Table, float]:
    """Of every table how probable it is; `law` has the probability of each count of each cell."""
    weights = {}
    for table in product(*(range(len(row)) for row in law)):
        weight = math.prod(row[count] for row, count in zip(law, table, strict=True))
        weights[table] = weight * likelihood(table, told, chance)
    total = math.fsum(weights.values())
    return {table: weight / total for table, weight in weights.items() if weight}


def probable(tables: dict[Table, float], cell: int, counts: Sequence[int]) -> float:
    """How probable it is that a cell has one of some counts."""
    return math.fsum(p for table, p in tables.items() if table[cell] in counts)


def rounded(base: int) -> Chance:
    """Random rounding."""
    return lambda figure, count: max(0.0, 1 - abs(figure - count) / base) if figure % base == 0 and figure >= 0 else 0.0


def answers_of(
    table: Sequence[int],
    told: Sequence[tuple[Group, int]],
    asked: Sequence[Group],
    chance: Chance,
    figures: Sequence[int],
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Everything that may be answered if a table is the true one, and how probable it is."""
    before = likelihood(table, told, chance)
    for answer in product(figures, repeat=len(asked)):
        p = likelihood(table, [*told, *zip(asked, answer, strict=True)], chance) / before
        if p > 0:
            yield answer, p


def drawn(table: Sequence[int], groups: Sequence[Group], publish: Callable[[int], Any]) -> list[tuple[Group, int]]:
    """What is published of some groups: `publish(count)` draws a figure."""
    figures: dict[Group, int] = {frozenset(): 0}
    for group in groups:
        people = people_of(table, group)
        if people not in figures:
            figures[people] = int(publish(sum(table[cell] for cell in group)))
    return [(group, figures[people_of(table, group)]) for group in groups]
