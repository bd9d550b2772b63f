"""Slow, obvious twins of the product's machinery, written from the definitions and sharing no code with it.

A naive publication is a list of (cells that are summed, lowest, highest) over the cells of an array; the fiber is found
by trying every value of every cell.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

Fact = tuple[frozenset[int], int, int]


def margin_facts(values, axes_groups: Sequence[Sequence[object]]) -> list[Fact]:
    """Exact sums of cells that agree in the given grouping of each axis (one group label per position)."""
    shape = values.shape
    sums: dict[tuple, list[int]] = {}
    for number, position in enumerate(itertools.product(*(range(n) for n in shape))):
        group = tuple(groups[i] for groups, i in zip(axes_groups, position, strict=True))
        sums.setdefault(group, []).append(number)
    flat = values.ravel().tolist()
    return [(frozenset(cells), sum(flat[c] for c in cells), sum(flat[c] for c in cells)) for cells in sums.values()]


class TooMany(Exception):
    """More tables, or more tries, than a test wants to wait for."""


def tables(n_cells: int, facts: Iterable[Fact], most: int = 20_000) -> list[tuple[int, ...]]:
    """Every vector of n counts that satisfies all facts, by trying value after value."""
    facts = list(facts)
    limit = []
    for cell in range(n_cells):
        tops = [high for cells, _, high in facts if cell in cells]
        assert tops, "an unbounded cell"
        limit.append(min(tops))
    by_last: dict[int, list[Fact]] = {}
    for fact in facts:
        by_last.setdefault(max(fact[0]), []).append(fact)
    through: dict[int, list[Fact]] = {c: [f for f in facts if c in f[0]] for c in range(n_cells)}
    found: list[tuple[int, ...]] = []
    x = [0] * n_cells

    tries = 0

    def place(cell: int) -> None:
        nonlocal tries
        if cell == n_cells:
            found.append(tuple(x))
            return
        tries += 1
        if len(found) > most or tries > 10 * most:
            raise TooMany
        for value in range(limit[cell] + 1):
            x[cell] = value
            # counts are not negative: once a sum is over its limit, larger values are too
            if any(sum(x[c] for c in cells if c <= cell) > high for cells, _, high in through[cell]):
                break
            if all(low <= sum(x[c] for c in cells) <= high for cells, low, high in by_last.get(cell, [])):
                place(cell + 1)
        x[cell] = 0

    place(0)
    return found


def pmf(
    found: Sequence[tuple[int, ...]], cells: Iterable[int], weight: Callable[[tuple[int, ...]], float]
) -> dict[int, float]:
    """The law of the sum of some cells over the tables found."""
    cells = list(cells)
    totals: Counter[int] = Counter()
    for table in found:
        totals[sum(table[c] for c in cells)] += weight(table)  # type: ignore[assignment]
    mass = sum(totals.values())
    return {value: totals[value] / mass for value in sorted(totals)}


def uniform(table: tuple[int, ...]) -> float:
    return 1.0


def besides_own(
    weight: Callable[[tuple[int, ...]], float], own: Mapping[int, int]
) -> Callable[[tuple[int, ...]], float]:
    """A law of counts as whoever has some units of her own weighs it: by the ways to say which are hers."""

    def weighed(table: tuple[int, ...]) -> float:
        total = weight(table)
        for cell, units in own.items():
            for k in range(units):
                total *= table[cell] - k
        return total

    return weighed


def hypergeometric(table: tuple[int, ...]) -> float:
    return 1.0 / math.prod(math.factorial(x) for x in table)


def poisson(means: Sequence[float]) -> Callable[[tuple[int, ...]], float]:
    def weight(table: tuple[int, ...]) -> float:
        return math.prod(m**x / math.factorial(x) for m, x in zip(means, table, strict=True))

    return weight


def entropy(law: dict[int, float]) -> float:
    return -sum(p * math.log2(p) for p in law.values() if p > 0)


def raked(shape: tuple[int, int], rows: Sequence[float], columns: Sequence[float]) -> list[list[float]]:
    """Iterative proportional fitting of a two-way table to its margins, from ones."""
    table = [[1.0] * shape[1] for _ in range(shape[0])]
    for _ in range(200):
        for i, target in enumerate(rows):
            factor = target / sum(table[i])
            table[i] = [x * factor for x in table[i]]
        for j, target in enumerate(columns):
            factor = target / sum(row[j] for row in table)
            for row in table:
                row[j] *= factor
    return table
