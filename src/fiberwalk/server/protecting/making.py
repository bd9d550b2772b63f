"""From a request to figures that are protected, before it is known whether they are released."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...protect.mechanism.cell_keys import CellNumbers
from ..cube.hypercube import Counted, Hypercube, View
from ..cube.label_sets import can_be
from ..cube.magnitudes import UNIT, Magnitude, published_sums
from ..cube.request import Request
from ..cube.whom import hashes_of_labels
from .offered_tables import RoundedTables
from .protection import Protection
from .published_elsewhere import Elsewhere


@dataclass(frozen=True, eq=False)
class Made:
    """A table of protected figures, its dims in the order of the cube."""

    counted: Counted
    published: np.ndarray
    """Counts, as they are published: what the rules look at."""
    possible: np.ndarray
    """Which cells can have anybody."""
    shown: np.ndarray
    """What the table shows: these counts, or weighted ones, sums or means; not a number where a figure is withheld."""
    after: Protection | None = None
    numbers: CellNumbers | None = None
    """What decided about each cell, where record keys did."""
    lattice: RoundedTables | None = None
    beside_offered: bool = False
    of_counts: bool = True
    """Are counts what it shows?"""
    elsewhere: np.ndarray | None = None
    """Which figure that was published elsewhere each one is; -1: none."""
    differ: np.ndarray | None = None
    """Which figures were published elsewhere otherwise."""

    def part(self, view: View) -> Made:
        """A part of the table."""
        return replace(
            self,
            counted=self.counted.part(view),
            published=self.published[view],
            possible=self.possible[view],
            shown=self.shown[view],
            numbers=None if self.numbers is None else self.numbers[view].view(CellNumbers),
            elsewhere=None if self.elsewhere is None else self.elsewhere[view],
            differ=None if self.differ is None else self.differ[view],
        )


@dataclass(frozen=True, eq=False)
class Maker:
    """What makes every table of a server."""

    cube: Hypercube
    protected_cube: Hypercube | None
    after: Protection | None
    lattice: RoundedTables | None
    seed: int
    elsewhere: Elsewhere | None = None
    magnitudes: Mapping[str, Magnitude] = field(default_factory=dict)
    weighted_base: int | None = None
    """Weighted counts are shown, rounded to multiples of it; None: counts."""
    min_contributors: int = 1
    coordinates: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)
    """Labels of tables as xarray has them, kept from table to table."""

    @property
    def by_cells(self) -> Protection | None:
        """What decides about each figure of a table that is not offered."""
        return self.after if self.lattice is None else Protection("random_round", {"base": self.lattice.step})

    def made(self, request: Request) -> Made:
        """A whole table, protected."""
        made = self._as_published_elsewhere(request, self._counts(request))
        if not request.of and self.weighted_base is None:
            return replace(made, shown=made.published)
        shown = self._weighted(made) if not request.of else self._amounts(request, made)
        return replace(made, shown=shown, of_counts=False)

    def _counts(self, request: Request) -> Made:
        """The table with its counts protected."""
        counted = self.cube.cut(request)
        possible = can_be(self.cube, request)
        none = np.zeros(0)
        if self.lattice is not None and (offered := self.lattice.shown(request)) is not None:
            return Made(counted, offered.counts, possible, none, self.after, lattice=self.lattice)
        cube = self.cube if self.protected_cube is None else self.protected_cube
        behind = counted if self.protected_cube is None else cube.cut(replace(request, of=""))
        method = self.by_cells
        if method is None:
            return Made(counted, behind.counts, possible, none)
        numbers = method.numbers(cube, request, behind)
        if self.lattice is not None and numbers is not None:
            numbers = self.lattice.deciding(counted, numbers)
        published = method.publish(behind.counts, cube.in_order(request), self.seed, numbers, possible)
        beside = self.lattice is not None
        return Made(counted, published, possible, none, method, numbers, beside_offered=beside)

    def _as_published_elsewhere(self, request: Request, made: Made) -> Made:
        """The table with figures that were published elsewhere, where a cell is about the same group."""
        if self.elsewhere is None:
            return made
        places = np.where(made.possible, self.elsewhere.places(hashes_of_labels(self.cube, request)), -1)
        there, figures = places >= 0, self.elsewhere.figures[places]
        if not self.elsewhere.repeated:
            return replace(made, differ=there & (figures != made.published))
        return replace(made, published=np.where(there, figures, made.published), elsewhere=places)

    def _weighted(self, made: Made) -> np.ndarray:
        """How many people of the population those in each cell stand for, changed in proportion to their count."""
        assert self.weighted_base is not None
        assert made.counted.weights is not None
        assert self.cube.weights is not None
        counts, published = made.counted.counts, made.published
        for_nobody = self.cube.weights.sum() / self.cube.population
        mean_weight = np.where(counts > 0, made.counted.weights / np.maximum(counts, 1), for_nobody)
        weighted = (np.rint(mean_weight * published / self.weighted_base) * self.weighted_base).astype(np.int64)
        few = (published > 0) & (published < self.min_contributors)
        return np.where(few, np.nan, weighted) if few.any() else weighted

    def _amounts(self, request: Request, made: Made) -> np.ndarray:
        """Sums or means of a magnitude, withheld where too few people are published."""
        assert made.counted.amounts is not None
        sums = published_sums(self.magnitudes[request.of], made.counted.amounts.changed)
        enough = made.published >= max(self.min_contributors, 1)
        if not request.mean:
            return np.where(enough, sums, np.nan)
        # a mean is the quotient of two figures that may be asked for, and tells no more than these
        people = made.published if self.weighted_base is None else self._weighted(made)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(enough & (people > 0), sums / people, np.nan)


def true_figures(made: Made, request: Request) -> np.ndarray:
    """What the table would show if nothing were protected, for the agency."""
    counted = made.counted
    if not request.of:
        return counted.counts if made.of_counts or counted.weights is None else counted.weights
    assert counted.amounts is not None
    sums = counted.amounts.true * UNIT
    if not request.mean:
        return sums
    people = counted.counts if counted.weights is None else counted.weights
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(people > 0, sums / people, np.nan)
