"""A pool of tables: drawn from a law, and with each figure weighed, drawn again and moved on (sequential Monte Carlo)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...base.random_streams import streams
from .answering import LEAST_EFFECTIVE, TWIN, Answers, Asked, Judged, Weighed, look_up, tell_too_much, weigh
from .chances import Chances
from .likelihood import room_for
from .steps import ground, walk
from .told import Told, by_cells, told


@dataclass(frozen=True, eq=False)
class TableLaw:
    """Independent counts, one law for each cell of a grid."""

    shape: tuple[int, ...]
    logs: np.ndarray
    """Log-weights [cell, count], from 0 to the largest count."""

    @property
    def probabilities(self) -> np.ndarray:
        """Of each count of each cell."""
        weights = np.exp(self.logs - self.logs.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def drawn(self, number: int, random: np.random.Generator) -> np.ndarray:
        """Tables of this law, [table, cell]."""
        edges = self.probabilities.cumsum(axis=1)
        columns = [np.searchsorted(row[:-1], random.random(number), side="right") for row in edges]
        return np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Pool:
    """Tables, all equally probable given the figures so far. It follows from the law, the figures and a seed alone."""

    law: TableLaw
    chances: Chances
    tables: np.ndarray
    """[table, cell]"""
    groups: np.ndarray
    """[figure, cell]: which cells each figure sums."""
    figures: tuple[int, ...]
    seed: int
    steps: int
    """Of each table, after each figure."""
    lost: bool = False
    """Did too few tables speak for a figure? Then nothing is known of what later figures tell."""
    shared: bool = True

    @property
    def cost(self) -> int:
        """Steps that one more figure takes."""
        return len(self.tables) * self.steps

    def with_figure(self, group: np.ndarray, figure: int) -> Pool:
        """The pool when one more figure is known."""
        groups, figures = np.vstack([self.groups, group]), (*self.figures, int(figure))
        after = replace(self, groups=groups, figures=figures)
        if self.lost:
            return after
        asked, n = self._asked(group[None, :]), len(self.tables)
        weights, able = np.zeros(n), np.zeros(n, dtype=np.int64)
        left = weigh(asked, self.chances.rows([int(figure)]), np.zeros(1, dtype=np.int64), weights, able)
        kept, weights = able[:left].copy(), weights[able[:left]]
        if left == 0 or weights.sum() ** 2 < LEAST_EFFECTIVE * (weights**2).sum():
            return replace(after, lost=True)
        start = np.random.default_rng(after._numbers).random()
        edges = np.cumsum(weights) * (n / weights.sum())
        places = np.minimum(np.searchsorted(edges, np.arange(n) + start, side="right"), left - 1)
        tables = self.tables[kept[places]]
        on, random = ground(self.law.logs, self.law.shape), streams(after._numbers, 1)[0]
        walk(tables, after._told, on, room_for(len(figures)), self.steps, random)
        return replace(after, tables=tables)

    def telling_too_much(self, groups: np.ndarray, judged: Judged, number: int, allowed: int) -> int:
        """Of so many imagined answers about new groups, how many would make a predicate too probable or improbable.

        Tables of the pool, as if each were the truth, are asked in turn. It stops above what is allowed.
        """
        asked = self._asked(groups)
        truths = np.arange(number) * len(self.tables) // number
        figures = self._answers(asked, truths)
        answers, often = np.unique(figures, axis=0, return_counts=True)
        distinct, rows = np.unique(answers, return_inverse=True)
        order, n = np.argsort(-often, kind="stable"), len(self.tables)
        imagined = Answers(
            self.chances.rows(distinct.tolist()), rows.reshape(answers.shape)[order].astype(np.int64), often[order]
        )
        room = Weighed(np.zeros(n), np.zeros(n, dtype=np.int64), np.zeros(judged.low.shape))
        return tell_too_much(self.tables, asked, imagined, judged, room, allowed)

    def _answers(self, asked: Asked, truths: np.ndarray) -> np.ndarray:
        """What some tables of the pool would have answered, [table, group]."""
        codes = asked.codes[:, truths]
        drawn = self.chances.mechanism.publish(np.maximum(codes, 0).ravel(), asked.numbers[:, truths].ravel())
        figures = np.where(codes < 0, -1 - codes, drawn.reshape(codes.shape))
        for group, place in np.argwhere(codes <= TWIN):
            figures[group, place] = figures[TWIN - codes[group, place], place]
        return np.ascontiguousarray(figures.T)

    def _asked(self, groups: np.ndarray) -> Asked:
        """What every table says of new groups."""
        size = (len(groups), len(self.tables))
        asked = Asked(np.zeros(size, dtype=np.int64), np.zeros(size))
        of_start, of_cell = by_cells(groups)
        word = self._numbers.generate_state(1, np.uint64)[0]
        room, new = room_for(len(self.figures)), room_for(len(groups))
        look_up(self.tables, self._told, room, of_start, of_cell, new, asked, word)
        return asked

    @property
    def _told(self) -> Told:
        return told(self.groups, self.figures, self.chances, marks_of(self.seed, self.tables.shape[1]), self.shared)

    @property
    def _numbers(self) -> np.random.SeedSequence:
        """Random numbers that belong to this pool: those of its figures before are others."""
        return np.random.SeedSequence(self.seed, spawn_key=(len(self.figures),))


def drawn_pool(law: TableLaw, chances: Chances, draws: int, steps: int, seed: int, shared: bool = True) -> Pool:
    """The pool before any figure is known: tables of the law itself."""
    tables = law.drawn(draws, np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)).spawn(2)[1]))
    none = np.zeros((0, tables.shape[1]), dtype=bool)
    return Pool(law, chances, tables, none, (), seed, steps, shared=shared)


def poisson_law(means: np.ndarray, most: int) -> TableLaw:
    """Poisson counts of at most so many, with a mean for each cell of a grid; a cell with the mean 0 is empty."""
    from scipy.special import gammaln

    counts = np.arange(most + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = counts * np.log(means.reshape(-1, 1)) - gammaln(counts + 1.0)
    logs[:, 0] = 0.0
    return TableLaw(means.shape, logs)


def marks_of(seed: int, cells: int) -> np.ndarray:
    """A random number of each cell."""
    return np.random.SeedSequence(seed, spawn_key=(0,)).spawn(1)[0].generate_state(cells, np.uint64)


def probable(pool: Pool, values: Sequence[int]) -> np.ndarray:
    """Of each cell: how probable it is that its count is one of some values."""
    return np.asarray(np.isin(pool.tables, values).mean(axis=0))
