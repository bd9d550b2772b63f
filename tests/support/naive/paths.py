"""Hidden paths the plain way: every path that ends at a published table, one by one, in nested sums."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations
from math import comb

Table = tuple[int, ...]
Square = tuple[int, int, int, int]
State = tuple[Table, Table, Table, float]
"""x_0, the steps of all squares, the place of each square in the order, and theta."""


@cache
def step_odds(square: Table, step: int, theta: float) -> float:
    """P(the corner of a square grows by so much), over all pairs of those who stay and those who come."""
    a, b, c, d = square
    top, left = sorted((a + b, a + c))
    low, high = max(0, a - d), top
    f = 0.0 if a == high else min(1.0, a * theta / (left - a))
    return sum(
        comb(a - low, stay) * (1 - theta) ** stay * theta ** (a - low - stay)
        * comb(high - a, come) * f**come * (1 - f) ** (high - a - come)
        for stay in range(a - low + 1)
        for come in range(high - a + 1)
        if low + stay + come == a + step
    )  # fmt: skip


def before(table: Table, square: Square, step: int) -> Table:
    """The table that a step came from."""
    found = list(table)
    for cell, sign in zip(square, (1, -1, -1, 1), strict=True):
        found[cell] -= sign * step
    return tuple(found)


def paths_to(end: Table, squares: Sequence[Square], order: Table, theta: float) -> Iterator[tuple[Table, Table, float]]:
    """x_0, the steps and the probability of every path, the last step first."""
    if not order:
        yield end, (0,) * len(squares), 1.0
        return
    last, square = order[-1], squares[order[-1]]
    a, b, c, d = (end[cell] for cell in square)
    for step in range(-min(b, c), min(a, d) + 1):
        earlier = before(end, square, step)
        odds = step_odds(tuple(earlier[cell] for cell in square), step, theta)
        if odds > 0:
            for first, steps, p in paths_to(earlier, squares, order[:-1], theta):
                yield first, (*steps[:last], step, *steps[last + 1 :]), p * odds


def posterior(
    end: Table,
    squares: Sequence[Square],
    thetas: Mapping[float, float],
    order_known: bool,
    law: Callable[[Table], float],
) -> dict[State, float]:
    """How probable every path is, with its order and theta, given where it ended; empty where there is none."""
    given = tuple(range(len(squares)))
    found: dict[State, float] = defaultdict(float)
    for theta, prior in thetas.items():
        for order in [given] if order_known else permutations(given):
            for first, steps, p in paths_to(end, squares, tuple(order), theta):
                weight = prior * p * law(first)
                if weight > 0:
                    place = tuple(order.index(square) for square in given)
                    found[first, steps, place, theta] += weight
    total = sum(found.values())
    return {state: p / total for state, p in found.items()}


def law_of(states: Mapping[State, float], of: Callable[[State], object]) -> dict:
    """The law of something that follows from a path."""
    found: dict = defaultdict(float)
    for state, p in states.items():
        found[of(state)] += p
    return dict(found)
