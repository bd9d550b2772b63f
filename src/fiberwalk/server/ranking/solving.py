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

BUDGET = Budget(operations=10_000_000, bytes=200_000_000, foreseen=True)
"""What figures that are tied together may cost; those of two dims that cost more are taken line by line."""
MOST_CELLS = 200
MOST_SOLVED = 20_000
"""Sets of figures whose laws are kept."""
WIDEST = 100
"""Values of a cell between its bounds; figures that sum cells with more of them tell next to nothing of small ones."""


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


class Read(NamedTuple):
    """What figures of a neighbourhood told."""

    laws: dict[Group, Law | None]
    """None: the cell is not one of a few people."""
    whole: bool
    """False: they are too large to be read at once, and some were not."""


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
    small: int
    """The largest count that is looked at."""
    known: dict[int, tuple[int, np.ndarray]] = field(default_factory=dict)
    """P(figure | count), worked out once for each figure."""
    solved: dict[tuple, tuple[Law, ...] | None] = field(default_factory=dict)
    """The laws of cells by the figures that tie them."""

    def read(self, where: Neighbourhood, figures: Sequence[Figure]) -> Read:
        """What figures tell of the cells of a neighbourhood."""
        dims = [dim for dim in (where.one, where.other) if dim != NO_DIM]
        classes = [self._classes(dim, [figure.group[dim] for figure in figures]) for dim in dims]
        shape = tuple(map(len, classes))
        if int(np.prod(shape)) > MOST_CELLS:
            return Read({}, whole=False)
        # all labels of a class are treated alike, and so one of them speaks for it
        speaking = [np.array([own.argmax() for own in of_dim]) for of_dim in classes]
        inside = [self._inside(figure.group, dims, speaking) for figure in figures]
        covered = np.logical_or.reduce(inside) & self._possible(where, dims, classes)
        sums = np.stack(inside)[:, covered]
        kept = np.flatnonzero(sums.any(axis=1))
        laws, whole = self._laws(sums[kept], [figures[n].published for n in kept.tolist()])
        found: dict[Group, Law | None] = {}
        cells = np.argwhere(covered)
        for number, law in laws.items():
            group = list(where.group)
            for dim, of_dim, label in zip(dims, classes, cells[number], strict=True):
                group[dim] = self.groups.number(dim, of_dim[label])
            found[tuple(group)] = law
        return Read(found, whole)

    def _laws(self, sums: np.ndarray, published: Sequence[int]) -> tuple[dict[int, Law | None], bool]:
        """Of figures [figure, cell]: the laws of cells that may be small, and None for others; were all worked out?"""
        bounds = self._bounds(sums, published)
        if bounds is None:
            return {}, True
        low, high = bounds
        narrow = np.flatnonzero(~(sums & (high - low >= WIDEST)).any(axis=1))
        found: dict[int, Law | None] = {}
        whole = True
        for rows, tied in tied_together(sums[narrow]):
            if (low[tied] > self.small).all():
                found.update(dict.fromkeys(tied.tolist()))
                continue
            laws = self._tied(sums[narrow[rows]][:, tied], low[tied], high[tied], [published[n] for n in narrow[rows]])
            whole &= laws is not None
            found.update(zip(tied.tolist(), laws or (), strict=False))
        return found, whole

    def _classes(self, dim: int, numbers: Sequence[int]) -> list[np.ndarray]:
        """Labels that all figures treat alike, without those that none names."""
        masks = np.stack([self.groups.meant(dim, number) for number in dict.fromkeys(numbers)])
        _, first, kind = np.unique(masks, axis=1, return_index=True, return_inverse=True)
        return [kind.ravel() == number for number in np.argsort(first) if masks[:, first[number]].any()]

    def _inside(self, group: Group, dims: Sequence[int], speaking: Sequence[np.ndarray]) -> np.ndarray:
        """Which cells a group has."""
        axes = [self.groups.meant(dim, group[dim])[labels] for dim, labels in zip(dims, speaking, strict=True)]
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

    def _bounds(self, sums: np.ndarray, published: Sequence[int]) -> tuple[np.ndarray, np.ndarray] | None:
        """Between which counts each cell lies by single figures and those beside them; None: they contradict each other."""
        given = [self._given(figure) for figure in published]
        last = [first + len(logs) - 1 for first, logs in given]
        high = np.full(sums.shape[1], np.iinfo(np.int64).max)
        low = np.zeros(sums.shape[1], dtype=np.int64)
        for of_figure, most in zip(sums, last, strict=True):
            high[of_figure] = np.minimum(high[of_figure], most)
        for _ in range(3):
            for of_figure, (first, _logs), most in zip(sums, given, last, strict=True):
                rest_high, rest_low = high[of_figure].sum() - high[of_figure], low[of_figure].sum() - low[of_figure]
                low[of_figure] = np.maximum(low[of_figure], first - rest_high)
                high[of_figure] = np.minimum(high[of_figure], most - rest_low)
        return None if (low > high).any() else (low, high)

    def _tied(
        self, sums: np.ndarray, low: np.ndarray, high: np.ndarray, published: list[int]
    ) -> tuple[Law, ...] | None:
        """The laws of cells that figures [figure, cell] tie together, none where they contradict; None: too large.

        A few small figures that add up to another are met again and again, and solved once.
        """
        key = sums.tobytes(), low.tobytes(), high.tobytes(), tuple(published)
        if key not in self.solved:
            if len(self.solved) >= MOST_SOLVED:
                self.solved.clear()
            try:
                self.solved[key] = tuple(_swept(self._part(sums, low, high, published)))
            except TooLarge:
                self.solved[key] = None
            except Contradiction:
                self.solved[key] = ()
        return self.solved[key]

    def _part(self, sums: np.ndarray, low: np.ndarray, high: np.ndarray, published: Sequence[int]) -> Part:
        """Figures [figure, cell] that are tied together, as arrays."""
        given = [self._given(figure) for figure in published]
        return Part(
            np.arange(len(low)), low, high, sp.csr_array(sums.astype(np.int64)), np.array([first for first, _ in given]),
            np.cumsum([0, *(len(logs) for _, logs in given)]), np.concatenate([logs for _, logs in given]),
            np.array(published, dtype=np.int64), np.full(len(published), self.keyed),
        )  # fmt: skip

    def _given(self, published: int) -> tuple[int, np.ndarray]:
        """P(figure | count), from the first count on that it may be of."""
        if published not in self.known:
            self.known[published] = self.reading.given(published, NO_LIMIT)
        return self.known[published]


def _swept(part: Part) -> Sequence[Law]:
    """The laws of the cells of a part."""
    if len(part.first) == len(part.cells) == 1:  # most are: a cell, and what was published of it
        begin = int(part.low[0] - part.first[0])
        p = np.exp(part.row(0)[begin : begin + int(part.high[0] - part.low[0]) + 1])
        return [Law(int(part.low[0]), p / p.sum(), p > 0)]
    weights = [np.zeros(int(most - least) + 1) for least, most in zip(part.low, part.high, strict=True)]
    return swept(part, weights, sp.csr_array((0, len(part.cells))), BUDGET).cells


def tied_together(sums: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Figures and their cells, of [figure, cell], apart where no figure ties them; without cells that none sums."""
    found = []
    left = np.ones(len(sums), dtype=bool)
    while left.any():
        mine, tied = left, np.arange(len(sums)) == left.argmax()
        while (tied != mine).any():
            mine, tied = tied, sums[:, sums[tied].any(axis=0)].any(axis=1)
        left = left & ~mine
        found.append((np.flatnonzero(mine), np.flatnonzero(sums[mine].any(axis=0))))
    return found
