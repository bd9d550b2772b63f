"""What an attack is: a plan of requests, made as answers come in, and what it learns besides from how they were answered."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Protocol

from ..knowledge.evidence import Evidence
from ..knowledge.outside import Ask
from ..knowledge.world import World


class Attack(Protocol):
    """One attack."""

    name: str
    words: str
    """What it does, in a sentence."""

    def requests(self, evidence: Evidence) -> Iterator[Ask]:
        """The next request, which may depend on all answers so far; it ends when there is nothing left to ask."""
        ...

    def conclude(self, evidence: Evidence) -> None:
        """Note with `evidence.tell` what follows from the answers besides the law of each figure."""
        ...


class OfFigures:
    """An attack that learns from figures alone."""

    def conclude(self, evidence: Evidence) -> None:
        """Nothing besides."""


def understood(world: World, ask: Ask) -> bool:
    """May a request be answered, by what it names? Attackers know the rules and waste no request."""
    rules = world.rules
    filters = [len(labels) for name, labels in ask.filters if name not in ask.dims]
    limits = (rules.max_dims, rules.max_filters, rules.max_labels)
    found = len(ask.dims), len(filters), max(filters, default=0)
    return all(limit is None or number <= limit for limit, number in zip(limits, found, strict=True))


def most_dims(world: World) -> int:
    """How many dims a table may have, of those that there are."""
    return min(world.rules.max_dims or 99, len(world.frame.dims))


def tables(world: World, fewest: int = 1) -> Iterator[tuple[str, ...]]:
    """The dims of tables, those of most dims first."""
    for number in range(most_dims(world), fewest - 1, -1):
        yield from combinations(world.frame.dims, number)


def others(world: World, dims: tuple[str, ...]) -> list[str]:
    """Dims and levels that a table does not show."""
    frame = world.frame
    shown = {frame.dim_of(name) for name in dims}
    return [name for name in (*frame.dims, *frame.levels) if frame.dim_of(name) not in shown]


def once(asks: Iterator[Ask], world: World) -> Iterator[Ask]:
    """No request twice, and none that the rules refuse by its names."""
    asked = set()
    for ask in asks:
        if ask not in asked and understood(world, ask):
            asked.add(ask)
            yield ask
