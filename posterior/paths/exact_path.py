"""Small tables: P(published | x_0) of every table x_0 exactly, summed over all paths.

Backwards from the published table, step by step: to every table that can come before, with the probability of the step (the
backward recursion of a hidden Markov chain). Tables that are reached in several ways are joined, so that the work grows
with the tables and not with the paths. Where the order of the squares is secret, all orders are summed over by the sets of
squares that come last, not one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base.errors import TooLarge
from ...protect.perturbation.markov_perturbation import log_step_likelihood
from .path_groups import PathGroup
from .paths import HiddenPaths, no_path

MOST_SQUARES = 12
"""Squares whose order may be secret: the sets of them are 2 to this power."""


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The likelihood of every table from which the published one can be reached; all others have none."""

    tables: np.ndarray
    """[table, cell], of the cells of a group of squares."""
    given_theta: np.ndarray
    """[theta, table]: log P(published | table, theta)."""


def exact_likelihood(paths: HiddenPaths, group: PathGroup, most: int) -> Likelihood:
    """Sum over all paths; refused where more than `most` tables, counted at each step, would have to be looked at."""
    cells, squares = group.cells, group.local
    if not paths.order_known and len(squares) > MOST_SQUARES:
        raise TooLarge(f"the orders of {len(squares)} squares cannot be summed over.")
    marks = np.random.default_rng(0).integers(1, 2**63, len(cells), dtype=np.uint64)
    by_theta = []
    for theta in paths.thetas:
        work = _Work(squares, float(theta), paths.capped, marks, most // len(paths.thetas))
        end = _Tables(group.end[None, :], np.ones(1))
        by_theta.append(work.in_order(end) if paths.order_known else work.in_any_order(end))
    if not any(map(len, by_theta)):
        raise no_path(paths, int(group.squares[work.stuck]))
    tables = _joined(
        _Tables(np.concatenate([reached.tables for reached in by_theta]), np.ones(sum(map(len, by_theta)))), marks
    ).tables
    place = {row.tobytes(): k for k, row in enumerate(tables)}
    logs = np.full((len(by_theta), len(tables)), -np.inf)
    for k, reached in enumerate(by_theta):
        logs[k, [place[row.tobytes()] for row in reached.tables]] = np.log(reached.weights)
    return Likelihood(tables, logs)


@dataclass(frozen=True, eq=False)
class _Tables:
    tables: np.ndarray
    weights: np.ndarray

    def __len__(self) -> int:
        return len(self.tables)


class _Work:
    """The steps back of one theta, counted."""

    def __init__(self, squares: np.ndarray, theta: float, capped: bool, marks: np.ndarray, most: int) -> None:
        self.squares, self.theta, self.capped, self.marks, self.left = squares, theta, capped, marks, most
        self.known: dict[tuple[int, ...], tuple[int, np.ndarray]] = {}
        self.stuck = 0
        """A square of which no step ends where later steps begin."""

    def in_order(self, end: _Tables) -> _Tables:
        """All steps, the last one first."""
        for square in range(len(self.squares) - 1, -1, -1):
            end = _joined(self.back(end, square), self.marks)
        return end

    def in_any_order(self, end: _Tables) -> _Tables:
        """The mean over all orders, by dynamic programming over the sets of squares that came last: each such set is a
        smaller one and the square that came before it."""
        sets = {frozenset[int](): end}
        for size in range(1, len(self.squares) + 1):
            parts: dict[frozenset[int], list[_Tables]] = {}
            for last, tables in sets.items():
                for square in set(range(len(self.squares))) - last:
                    parts.setdefault(last | {square}, []).append(self.back(tables, square))
            sets = {
                squares_last: _joined(
                    _Tables(
                        np.concatenate([way.tables for way in ways]),
                        np.concatenate([way.weights for way in ways]) / size,
                    ),
                    self.marks,
                )
                for squares_last, ways in parts.items()
            }
        return sets[frozenset(range(len(self.squares)))]

    def back(self, after: _Tables, number: int) -> _Tables:
        """All tables before a step, with the probability of it."""
        if not len(after):
            return after
        square = self.squares[number]
        four = after.tables[:, square]
        kinds, kind = np.unique(four, axis=0, return_inverse=True)
        kind = kind.ravel()
        laws = [self._before(tuple(corners)) for corners in kinds.tolist()]
        many = np.array([len(odds) for _, odds in laws])[kind]
        self.left -= int(many.sum())
        if self.left < 0:
            raise TooLarge("there are too many paths to be summed over.")
        came_from = np.repeat(np.arange(len(after)), many)
        corner = np.concatenate([laws[k][0] + np.arange(len(laws[k][1])) for k in kind])
        odds = np.concatenate([laws[k][1] for k in kind])
        tables = after.tables[came_from]
        grew = tables[:, square[0]] - corner
        tables[:, square] -= grew[:, None] * np.array([1, -1, -1, 1])
        possible = odds > 0
        if not possible.any():
            self.stuck = number
        return _Tables(tables[possible], (after.weights[came_from] * odds)[possible])

    def _before(self, four: tuple[int, ...]) -> tuple[int, np.ndarray]:
        if four not in self.known:
            a, b, c, d = four
            low, logs = log_step_likelihood(a, a + b, a + c, a + b + c + d, self.theta, self.capped)
            self.known[four] = low, np.exp(logs)
        return self.known[four]


def _joined(reached: _Tables, marks: np.ndarray) -> _Tables:
    """Equal tables as one, with the sum of their weights. Tables are told apart by a mark of 64 random bits."""
    if not len(reached):
        return reached
    mark = (reached.tables.astype(np.uint64) * marks).sum(axis=1)
    _, first, table_of = np.unique(mark, return_index=True, return_inverse=True)
    return _Tables(reached.tables[first], np.bincount(table_of.ravel(), weights=reached.weights))
