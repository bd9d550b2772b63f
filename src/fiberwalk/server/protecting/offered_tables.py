"""A server's offered tables, rounded once when it is set up: every request within them is answered from the same figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...protect.mechanism.cell_keys import CellNumbers
from ...protect.rounding.lattice import Lattice, between
from ...protect.rounding.lattice_rounding import (
    RoundedLattice,
    applied_lattice,
    offered_lattice,
    rounded_lattice,
    wanted_tables,
)
from ...protect.rounding.rounding import checked_base, with_rounded
from ...release.facts.facts import RECORDS, Applied
from ...release.publish import parse_margins, publish_margins
from ...release.release import Release, of_table
from ...release.tables.dims import margin_list
from ...release.tables.tables import Table
from ..cube.hypercube import Counted, Hypercube
from ..cube.request import Request, as_request

METHOD = "round_lattice"
_NEARLY_1 = np.nextafter(1.0, 0.0)
"""A number that rounds down."""


@dataclass(frozen=True, eq=False)
class OfferedCounts:
    """Counts of a table that follow from what is offered, and how far each may be from the truth at most."""

    counts: np.ndarray
    slack: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class RoundedTables:
    """The tables that a server offers, all rounded at once so that they add up and agree (see `round_lattice`)."""

    cube: Hypercube
    names: tuple[tuple[str | None, ...], ...]
    """The columns of each dim that spans the cube: itself, its levels, and None for its total."""
    lattice: Lattice
    rounded: RoundedLattice
    keys: np.ndarray
    """The sum of the record keys of each figure, by which the same people are known."""
    step: int
    applied: Applied

    def __repr__(self) -> str:
        return f"<RoundedTables: {len(self.lattice.tables):,} tables of {self.lattice.n_figures:,} figures>"

    def shown(self, request: Request) -> OfferedCounts | None:
        """The counts of a request, its dims in the order of the cube; None where they do not follow from what is offered.

        The filters must follow as well: one by a single label shows a part of an offered table, one by several labels sums
        as many of its figures, and may be as many times further from the truth.
        """
        table = self._showing({*request.dims, *dict(request.where)})
        if table is None:
            return None
        wanted = self.cube.shown(request)
        inside = np.ones(self.lattice.shapes[table], dtype=bool)
        cell = np.zeros(inside.shape, dtype=np.int64)
        chosen = dict(request.where)
        for name in (*wanted, *(filtered for filtered in chosen if filtered not in wanted)):
            axis, codes = self._codes(name, table)
            labels = self.cube.labels[name]
            kept = chosen.get(name, labels)
            place = np.full(len(labels), -1)
            place[[self.cube.column[name].place[label] for label in kept]] = np.arange(len(kept))
            there = place[codes].reshape([-1 if dim == axis else 1 for dim in range(inside.ndim)])
            inside &= there >= 0
            if name in wanted:
                cell = cell * len(kept) + there
        part = self.lattice.part(table)
        shape = tuple(len(labels) for labels in wanted.values())
        sums = []
        for of_figures in (self.rounded.figures[part], self.rounded.steps[part] * self.step - 1):
            summed = np.zeros(shape, dtype=np.int64)
            np.add.at(summed.reshape(-1), cell[inside], of_figures[inside.ravel()])
            sums.append(summed)
        return OfferedCounts(*sums)

    def deciding(self, counted: Counted, numbers: CellNumbers) -> CellNumbers:
        """The numbers that decide how the cells of a table are rounded that is not offered.

        They are the cells' own; but people who are an offered figure by themselves are rounded as they are there.
        """
        order = np.argsort(self.keys, kind="stable")
        place = order[np.minimum(np.searchsorted(self.keys, counted.keys, sorter=order), len(order) - 1)]
        same = (self.keys[place] == counted.keys) & (counted.counts > 0)
        decided = np.where(same, np.where(self.rounded.figures[place] > counted.counts, 0.0, _NEARLY_1), numbers)
        return decided.view(CellNumbers)

    def release(self, request: Request, true: Table, exact: Any = ()) -> Release:
        """What an answer tells by itself: each count and each of its sums, as precisely as it is known."""
        release = publish_margins(of_table(true), parse_margins(exact, true.dims))
        names = [dim.name for dim in true.dims]
        for how_many in range(len(names), -1, -1):
            for dims in combinations(names, how_many):
                shown = self.shown(replace(request, dims=dims))
                assert shown is not None
                keys, matrix = release.margin(dims)
                release = with_rounded(release, keys, matrix, shown.counts.ravel(), shown.slack.ravel() + 1, "within")
        counts = self.shown(request)
        assert counts is not None
        return replace(
            release,
            figures=counts.counts.ravel(),
            applied=(self.applied,),
            notes=(f"{self.applied.name}: {self.applied.words} (likelihood: {self.applied.likelihood})",),
        )

    def _showing(self, columns: set[str]) -> tuple[int, ...] | None:
        """The coarsest offered table from which some columns follow."""
        table = []
        for axis, names in enumerate(self.names):
            asked = [place for place, name in enumerate(names) if name in columns]
            levels = self.lattice.dims[axis]
            enough = [level for level, below in enumerate(self.lattice.below[axis]) if below.issuperset(asked)]
            table.append(min(enough, key=lambda level: levels[level].max()) if asked else len(names) - 1)
        return tuple(table) if tuple(table) in self.lattice.shapes else None

    def _codes(self, name: str, table: tuple[int, ...]) -> tuple[int, np.ndarray]:
        """The axis of a table that tells a column, and the label of the column for each of its groups there."""
        axis = next(place for place, names in enumerate(self.names) if name in names)
        levels = self.lattice.dims[axis]
        return axis, between(levels[table[axis]], levels[self.names[axis].index(name)])


def rounded_tables(cube: Hypercube, parameters: Mapping[str, Any], seed: int) -> RoundedTables:
    """Round the tables that a server offers, by the keys of who is in them."""
    left = dict(parameters)
    base, max_dims, margins = left.pop("base", 3), left.pop("max_dims", None), left.pop("margins", None)
    if left:
        raise InputError(f"a server's {METHOD} has base, margins and max_dims for parameters, not {min(left)!r}.")
    step = checked_base(base, 0, METHOD)
    columns = [
        [cube.column[dim], *(column for column in cube.columns if column.level_of == dim)] for dim in cube.spanning
    ]
    names = tuple((*(column.name for column in of_dim), None) for of_dim in columns)
    groups = [
        [
            *(np.arange(len(column.labels)) if column.group is None else column.group for column in of_dim),
            np.zeros(len(of_dim[0].labels), dtype=np.int64),
        ]
        for of_dim in columns
    ]
    named = None if margins is None else [_table(margin, names, cube) for margin in margin_list(margins, "margins=")]
    lattice = offered_lattice(groups, wanted_tables(named, max_dims, [len(of_dim) - 1 for of_dim in names]))
    true, numbers, keys = (np.concatenate(parts) for parts in zip(*_cuts(cube, names, lattice), strict=True))
    rounded = rounded_lattice(lattice, true, numbers, step, base)
    relaxed = [" x ".join(_shown(table, names)) or "the grand total" for table in rounded.relaxed]
    applied = replace(applied_lattice(rounded, relaxed, base, RECORDS), seed=seed)
    return RoundedTables(cube, names, lattice, rounded, keys, step, applied)


def _cuts(cube: Hypercube, names: Any, lattice: Lattice) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The true counts of every table of a lattice, the number that decides about each, and the keys of who is in it."""
    cuts = []
    for table, shape in lattice.shapes.items():
        shown = _shown(table, names)
        request = Request(shown)
        cut = cube.cut(request)
        order = [cube.in_order(request).index(name) for name in shown]
        # A level may have labels that no label of its dim belongs to; nobody has them, and groups stop before them.
        kept = tuple(
            slice(size) for size, of_dim, level in zip(shape, names, table, strict=True) if of_dim[level] is not None
        )
        counts, numbers, keys = (
            array.transpose(order)[kept].ravel() for array in (cut.counts, cube.numbers(cut.keys), cut.keys)
        )
        cuts.append((counts, numbers, keys))
    return cuts


def _shown(table: tuple[int, ...], names: Any) -> tuple[str, ...]:
    return tuple(of_dim[level] for of_dim, level in zip(names, table, strict=True) if of_dim[level] is not None)


def _table(margin: Any, names: Any, cube: Hypercube) -> tuple[int, ...]:
    """A table as users name it."""
    shown = () if margin in ("", ()) else as_request(margin, None, cube.labels).dims
    levels = []
    for of_dim in names:
        here = [name for name in shown if name in of_dim]
        if len(here) > 1:
            raise InputError(
                f"{METHOD}: the table {margin!r} shows {here[0]!r} and {here[1]!r}, of which one is enough."
            )
        levels.append(of_dim.index(here[0]) if here else len(of_dim) - 1)
    return tuple(levels)
