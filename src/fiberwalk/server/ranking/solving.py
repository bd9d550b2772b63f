"""What the figures of a neighbourhood tell of its cells, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.errors import Contradiction, TooLarge
from ...fiber.exact.solved import Budget
from ...posterior.keyed_figures.figures import Part
from ...posterior.keyed_figures.sweep import Law, swept
from ...protect.mechanism.mechanism import Reading
from ...release.facts.facts import NO_LIMIT
from .groups import Group, Groups
from .neighbourhoods import NO_DIM, Neighbourhood

BUDGET = Budget(operations=30_000_000, bytes=200_000_000, foreseen=True)
"""What one neighbourhood may cost; one of two dims that costs more is taken line by line."""
MOST_CELLS = 60


class Told(NamedTuple):
    """What is known of a cell: between which counts it lies, and which one is the most probable."""

    lower: int
    upper: int
    value: int
    p: float


def told_by(law: Law) -> Told:
    """What a law tells, in short."""
    able, best = np.flatnonzero(law.possible), int(law.p.argmax())
    return Told(law.first + int(able[0]), law.first + int(able[-1]), law.first + best, float(law.p[best]))


def probability(law: Law, value: int) -> float:
    """How probable a count is."""
    place = value - law.first
    return float(law.p[place]) if 0 <= place < len(law.p) else 0.0


class Figure(NamedTuple):
    """A figure of a neighbourhood, as it is read."""

    group: Group
    published: int


@dataclass(frozen=True, eq=False)
class Solver:
    """Reads figures of people who are published by one draw each."""

    groups: Groups
    reading: Reading
    keyed: bool
    """Are the same people one draw?"""
    known: dict[int, tuple[int, np.ndarray]] = field(default_factory=dict)
    """P(figure | count), worked out once for each figure."""

    def laws(self, where: Neighbourhood, figures: Sequence[Figure]) -> dict[Group, Law] | None:
        """What figures tell of the cells of a neighbourhood; None where it is too large to be read at once."""
        dims = [dim for dim in (where.one, where.other) if dim != NO_DIM]
        classes = [self._classes(dim, [figure.group[dim] for figure in figures]) for dim in dims]
        shape = tuple(map(len, classes))
        if int(np.prod(shape)) > MOST_CELLS:
            return None
        inside = [self._inside(figure.group, dims, classes) for figure in figures]
        covered = np.logical_or.reduce(inside) & self._possible(where, dims, classes)
        place = np.cumsum(covered.ravel()) - 1
        numbers = [np.sort(place[np.flatnonzero((cells & covered).ravel())]) for cells in inside]
        kept = [n for n, cells in enumerate(numbers) if len(cells)]
        if not kept:
            return {}
        part = self._part(int(covered.sum()), [numbers[n] for n in kept], [figures[n].published for n in kept])
        if part is None:
            return {}
        weights = [np.zeros(int(high - low) + 1) for low, high in zip(part.low, part.high, strict=True)]
        try:
            laws = swept(part, weights, sp.csr_array((0, len(part.cells))), BUDGET).cells
        except TooLarge:
            return None
        except Contradiction:
            return {}
        found = {}
        for cell, law in zip(np.argwhere(covered), laws, strict=True):
            group = list(where.group)
            for dim, of_dim, label in zip(dims, classes, cell, strict=True):
                group[dim] = self.groups.number(dim, of_dim[label])
            found[tuple(group)] = law
        return found

    def _classes(self, dim: int, numbers: Sequence[int]) -> list[np.ndarray]:
        """Labels that all figures treat alike, without those that none names."""
        masks = np.stack([self.groups.meant(dim, number) for number in dict.fromkeys(numbers)])
        _, first, kind = np.unique(masks, axis=1, return_index=True, return_inverse=True)
        return [kind.ravel() == number for number in np.argsort(first) if masks[:, first[number]].any()]

    def _inside(self, group: Group, dims: Sequence[int], classes: Sequence[Sequence[np.ndarray]]) -> np.ndarray:
        """Which cells a group has."""
        axes = []
        for dim, of_dim in zip(dims, classes, strict=True):
            meant = self.groups.meant(dim, group[dim])
            axes.append(np.array([bool(meant[label].any()) for label in of_dim]))
        return np.logical_and.outer(*axes) if len(axes) == 2 else axes[0]

    def _possible(
        self, where: Neighbourhood, dims: Sequence[int], classes: Sequence[Sequence[np.ndarray]]
    ) -> np.ndarray:
        """Which cells somebody can be in."""
        possible = np.ones(tuple(map(len, classes)), dtype=bool)
        for box in self.groups.cube.impossible:
            names = {self.groups.dims.index(name): labels for name, labels in box.items()}
            others = (dim for dim in names if dim not in dims)
            if any((self.groups.meant(dim, where.group[dim]) & ~names[dim]).any() for dim in others):
                continue
            axes = []
            for dim, of_dim in zip(dims, classes, strict=True):
                labels = names.get(dim)
                axes.append(np.array([labels is None or not (own & ~labels).any() for own in of_dim]))
            possible &= ~(np.logical_and.outer(*axes) if len(axes) == 2 else axes[0])
        return possible

    def _part(self, cells: int, numbers: Sequence[np.ndarray], published: Sequence[int]) -> Part | None:
        """The figures as arrays, with bounds of the cells; None where they contradict each other."""
        for figure in set(published) - set(self.known):
            self.known[figure] = self.reading.given(figure, NO_LIMIT)
        given = [self.known[figure] for figure in published]
        last = [first + len(logs) - 1 for first, logs in given]
        high = np.full(cells, np.iinfo(np.int64).max)
        low = np.zeros(cells, dtype=np.int64)
        for of_figure, most in zip(numbers, last, strict=True):
            high[of_figure] = np.minimum(high[of_figure], most)
        for _ in range(3):
            for of_figure, (first, _logs), most in zip(numbers, given, last, strict=True):
                rest_high, rest_low = high[of_figure].sum() - high[of_figure], low[of_figure].sum() - low[of_figure]
                low[of_figure] = np.maximum(low[of_figure], first - rest_high)
                high[of_figure] = np.minimum(high[of_figure], most - rest_low)
        if (low > high).any():
            return None
        columns = np.concatenate(numbers)
        starts = np.cumsum([0, *map(len, numbers)])
        incidence = sp.csr_array((np.ones(len(columns), dtype=np.int64), columns, starts), shape=(len(numbers), cells))
        return Part(
            np.arange(cells), low, high, incidence, np.array([first for first, _ in given]),
            np.cumsum([0, *(len(logs) for _, logs in given)]), np.concatenate([logs for _, logs in given]),
            np.array(published, dtype=np.int64), np.full(len(numbers), self.keyed),
        )  # fmt: skip
