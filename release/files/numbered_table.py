"""The agency's own table as some tools exchange it: cells by number with their true values, and relations between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...base.errors import InputError
from ..facts.facts import NO_LIMIT, PUBLISHED, Protection
from ..tables.dims import Dim
from .publication import Figure, Publication, Relation

MOST_NAMED = 20
"""Cells of a circle of totals that an error names, at most."""


@dataclass(frozen=True)
class NumberedCell:
    """A cell or total: its true value, how it was released, and what everybody knows of it (`lower`, `upper`)."""

    id: str
    value: int
    status: int
    lower: int
    upper: int
    protection: Protection
    where: str = ""


@dataclass(frozen=True)
class NumberedRelation:
    """The sum of coefficient * cell over all `terms` is `side`."""

    side: int
    terms: Mapping[str, int]
    total: str | None = None
    """The cell that is the sum of the others by this relation, if there is one."""
    where: str = ""


def total_of(side: int, terms: Mapping[str, int]) -> str | None:
    """The cell that a relation makes a total: 0 = others - total."""
    negative = [cell for cell, coefficient in terms.items() if coefficient == -1]
    if side or len(negative) != 1:
        return None
    return negative[0] if all(coefficient == 1 for cell, coefficient in terms.items() if cell != negative[0]) else None


@dataclass(frozen=True)
class NumberedTable:
    """Cells and relations, in whole numbers of 10^-decimals."""

    cells: Sequence[NumberedCell]
    relations: Sequence[NumberedRelation]
    decimals: int = 0


def as_publication(table: NumberedTable, source: str) -> Publication:
    """The table on one dim: cells that a relation calls a total are sums, the others are finest cells."""
    totals: dict[str, list[str]] = {}
    for relation in table.relations:
        if relation.total is not None:
            totals.setdefault(relation.total, [number for number in relation.terms if number != relation.total])
    finest = [cell.id for cell in table.cells if cell.id not in totals]
    if not finest:
        raise InputError(f"{source}: every cell is a total of others.")
    dim = Dim("cell", tuple(finest), (), _made_of(totals, finest, source))
    figures = [
        Figure((dim.node(cell.id),), cell.value, cell.status, *_limits(cell, cell.id in totals), where=cell.where)
        for cell in table.cells
    ]
    relations = [
        Relation(
            {(dim.node(number),): coefficient for number, coefficient in relation.terms.items()},
            relation.side,
            relation.where,
        )
        for relation in table.relations
    ]
    wanted: dict[tuple[int, ...], Protection] = {(dim.node(cell.id),): cell.protection for cell in table.cells}
    return Publication([dim], figures, source, decimals=table.decimals, relations=relations, protection=wanted)


def _made_of(
    totals: Mapping[str, Sequence[str]], finest: Sequence[str], source: str
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The finest cells that each total sums, by their positions; totals may be made of totals."""
    made_of: dict[str, tuple[int, ...]] = {cell: (i,) for i, cell in enumerate(finest)}

    for first in totals:
        # Each on the path is a total of the next; a path may be longer than Python lets functions call each other.
        path = [first]
        on_path = {first}
        while path:
            cell = path[-1]
            missing = (
                next((part for part in totals[cell] if part not in made_of), None) if cell not in made_of else None
            )
            if missing is not None:
                if missing in on_path:
                    through = ", ".join(path[path.index(missing) :][:MOST_NAMED])
                    raise InputError(f"{source}: cell {missing} is a total of itself, through {through}.")
                path.append(missing)
                on_path.add(missing)
                continue
            if cell not in made_of:
                parts = [leaf for part in totals[cell] for leaf in made_of[part]]
                if len(set(parts)) < len(parts):
                    twice = next(leaf for leaf, times in Counter(parts).items() if times > 1)
                    raise InputError(f"{source}: the total {cell} counts cell {finest[twice]} more than once.")
                made_of[cell] = tuple(sorted(parts))
            on_path.discard(path.pop())
    return tuple((cell, made_of[cell]) for cell in totals)


def _limits(cell: NumberedCell, is_total: bool) -> tuple[int | None, int | None]:
    """The limits that are told of a hidden cell; that a total is at least 0 says nothing."""
    if cell.status == PUBLISHED:
        return None, None
    says_nothing = cell.lower <= -NO_LIMIT or (cell.lower == 0 and is_total)
    return (None if says_nothing else cell.lower, cell.upper)
