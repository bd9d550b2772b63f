"""Which figures are read together: of the same people, by up to two dims more.

A neighbourhood is a group of people and one or two finest dims. Its figures are those of the group itself, of its parts by
either dim, and of its parts by both. Who reads only these knows less than who reads everything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from .groups import Group

NO_DIM = -1


class Neighbourhood(NamedTuple):
    """Some people, and the dims by which they are divided."""

    group: Group
    one: int
    other: int
    """NO_DIM: by one dim only."""


@dataclass(eq=False)
class Neighbourhoods:
    """All figures, and the neighbourhoods that they are in."""

    figures: dict[Group, int] = field(default_factory=dict)
    requests: dict[Group, list[int]] = field(default_factory=dict)
    """The requests that each figure was shown by."""
    by_one: defaultdict[tuple[Group, int], list[Group]] = field(default_factory=lambda: defaultdict(list))
    by_two: defaultdict[tuple[Group, int, int], list[Group]] = field(default_factory=lambda: defaultdict(list))
    divided: defaultdict[Group, set[tuple[int, int]]] = field(default_factory=lambda: defaultdict(set))
    """By which two dims each group was divided."""

    def add(self, number: int, groups: Sequence[Group], figures: Sequence[int]) -> set[Neighbourhood]:
        """Take up the figures of a request; the neighbourhoods that have a figure more by it."""
        touched: set[Neighbourhood] = set()
        for group, figure in zip(groups, figures, strict=True):
            if group in self.figures:
                if self.requests[group][-1] != number:
                    self.requests[group].append(number)
                continue
            self.figures[group], self.requests[group] = figure, [number]
            touched |= self._placed(group)
        return touched

    def of(self, where: Neighbourhood) -> list[Group]:
        """The groups of a neighbourhood that have a figure."""
        found = [where.group] if where.group in self.figures else []
        found += self.by_one.get((where.group, where.one), [])
        if where.other != NO_DIM:
            found += self.by_one.get((where.group, where.other), [])
            found += self.by_two.get((where.group, where.one, where.other), [])
        return found

    def lines(self, where: Neighbourhood) -> list[Neighbourhood]:
        """The neighbourhoods of one dim that make up one of two."""
        group, one, other = where
        found = []
        for dim, across in ((one, other), (other, one)):
            found.append(Neighbourhood(group, dim, NO_DIM))
            numbers = dict.fromkeys(part[dim] for part in self.by_two.get((group, one, other), []))
            found += [Neighbourhood(_with(group, dim, number), across, NO_DIM) for number in numbers]
        return found

    def _placed(self, group: Group) -> set[Neighbourhood]:
        dims = [dim for dim, number in enumerate(group) if number]
        touched = {Neighbourhood(group, one, other) for one, other in self.divided.get(group, ())}
        touched |= {
            Neighbourhood(group, dim, NO_DIM) for dim in range(len(group)) if (group, dim) in self.by_one
        }  # fmt: skip
        for one, other in combinations(dims, 2):
            whole = _with(_with(group, one, 0), other, 0)
            self.by_two[whole, one, other].append(group)
            self.divided[whole].add((one, other))
            touched.add(Neighbourhood(whole, one, other))
        for dim in dims:
            whole = _with(group, dim, 0)
            self.by_one[whole, dim].append(group)
            touched.add(Neighbourhood(whole, dim, NO_DIM))
            touched |= {Neighbourhood(whole, *pair) for pair in self.divided.get(whole, ()) if dim in pair}
        return touched


def _with(group: Group, dim: int, number: int) -> Group:
    return (*group[:dim], number, *group[dim + 1 :])
