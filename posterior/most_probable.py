"""The most probable table (the mode of the posterior): the greatest sum of log-weights over A x = b, lower <= x <= upper,
x whole.

Log-weights of counts around a mean are concave: each is then the lowest of its chords, and an integer program maximises it,
to which chords are added as they are needed (cutting planes). Those that are not concave (evidence, priors) take a choice
between all their values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import InputError, NumericalDoubt, TooLarge
from ..fiber.blocks.presolve import Block
from ..fiber.exact.solved import refuse_wide
from ..fiber.laws.law import Poisson, alike
from ..fiber.laws.support import WithEvidence
from ..fiber.laws.support import support as support_of
from ..fiber.solvers.branch_and_bound import INFEASIBLE, LIMIT, OPTIMAL, Program, branch_and_bound
from ..release.release import Release
from .keyed_figures.figures import refuse_keyed
from .paths.paths import refuse_paths

MOST_CHOICES = 20_000
"""Values that may be chosen from, of all columns of a block whose log-weights are not concave."""
FEW = 40
"""With up to so many values all chords are given from the start."""
MOST_COLUMNS = 1000
"""Beyond, the integer programs take minutes to hours."""
MOST_ROUNDS = 200
MOST_NODES = 200_000
CLOSE = 1e-6
"""For each cell, how much larger the log-weight of another table may be; the solver itself is not more exact."""


def most_probable(release: Release, law: Any) -> tuple[np.ndarray, float]:
    """The values of all cells in the most probable table, and its log-weight (up to a constant)."""
    refuse_paths(release, "the most probable table")
    refuse_keyed(release, "the most probable table")
    support = support_of(release, law)
    solved, weigh = support.solved, support.weigh
    if weigh.law is alike and not weigh.evidence and solved.blocks:
        raise InputError(
            "every feasible table is equally probable under the law 'uniform', and none the most; audit with another law=."
        )
    table, total = solved.start.copy(), 0.0
    for block in solved.blocks:
        table[block.columns] = _best(block, weigh)
    for column in range(solved.fiber.n_columns):
        log_weight = weigh(column, int(table[column]), int(table[column]))
        total += 0.0 if log_weight is None else float(log_weight[0])
    return table[: release.n_cells], total


@dataclass(eq=False)
class _Program:
    """Maximise the sum of t within rows of the variables: the columns x, their log-weights t, then choices."""

    block: Block
    n_choices: int = 0
    entries: list[tuple[list[int], list[float], float, float]] = field(default_factory=list)
    """Rows: places, coefficients, least and most."""
    chords: set[tuple[int, int]] = field(default_factory=set)

    def row(self, places: list[int], coefficients: list[float], least: float, most: float) -> None:
        """One more row."""
        self.entries.append((places, coefficients, least, most))

    def chord(self, j: int, at: int, low: float, high: float) -> None:
        """t_j lies below the line through (at, low) and (at + 1, high); x_j is counted from its lower bound."""
        n, slope = len(self.block.columns), high - low
        self.row([n + j, j], [1.0, -slope], -np.inf, low - slope * at)

    def choice(self, j: int, places: np.ndarray, weights: np.ndarray) -> None:
        """x_j is one of some places, and t_j its weight."""
        n = len(self.block.columns)
        choices = list(range(2 * n + self.n_choices, 2 * n + self.n_choices + len(places)))
        self.n_choices += len(places)
        self.row(choices, [1.0] * len(choices), 1.0, 1.0)
        self.row([j, *choices], [1.0, *(-places.astype(float)).tolist()], 0.0, 0.0)
        self.row([n + j, *choices], [1.0, *(-weights).tolist()], 0.0, 0.0)

    def solve(self, weighed: np.ndarray, integral: bool) -> tuple[np.ndarray, float]:
        """The best x, counted from the lower bounds and rounded down, and what the rows allow its log-weight to be."""
        block, n = self.block, len(self.block.columns)
        size = 2 * n + self.n_choices
        b = (block.b - block.A @ block.lower).astype(float)
        A = block.A.astype(float)
        A.resize(A.shape[0], size)
        number = np.repeat(np.arange(len(self.entries)), [len(entry[0]) for entry in self.entries])
        places = np.array([place for entry in self.entries for place in entry[0]], dtype=np.int64)
        values = np.array([value for entry in self.entries for value in entry[1]])
        rows = sp.csr_array((values, (number, places)), shape=(len(self.entries), size))
        least, most = (np.array([entry[k] for entry in self.entries]) for k in (2, 3))
        span = (block.upper - block.lower).astype(float)
        free = np.where(weighed, np.inf, 0.0)
        cost = np.concatenate([np.zeros(n), -weighed.astype(float), np.zeros(self.n_choices)])
        program = Program(
            cost,
            sp.csr_array(sp.vstack([A, rows])),
            np.concatenate([b, least]),
            np.concatenate([b, most]),
            np.concatenate([np.zeros(n), -free, np.zeros(self.n_choices)]),
            np.concatenate([span, free, np.ones(self.n_choices)]),
            int(integral) * np.concatenate([np.ones(n), np.zeros(n), np.ones(self.n_choices)]),
        )
        solution = branch_and_bound(program, nodes=MOST_NODES)
        if solution.status == LIMIT:
            raise TooLarge("the most probable table of this release is too hard to find; use a coarser table.")
        if solution.status == INFEASIBLE and self.n_choices:
            raise InputError(
                "the law and the evidence leave no possible table: every feasible one has probability zero."
            )
        x = np.zeros(n) if solution.x is None else solution.x[:n]
        x = (np.round(x) if integral else np.floor(x)).astype(np.int64)
        if solution.status != OPTIMAL or (integral and (block.A @ (x + block.lower) != block.b).any()):
            raise NumericalDoubt("the most probable table could not be found reliably; use a coarser unit.")
        return x, -solution.cost


def _best(block: Block, weigh: WithEvidence) -> np.ndarray:
    """The most probable values of a block's columns."""
    n = len(block.columns)
    if n > MOST_COLUMNS:
        raise TooLarge(
            f"the most probable table is found for up to {MOST_COLUMNS:,} cells that depend on each other; here are {n:,}."
        )
    program, weighed, concave = _begun(block, weigh)
    for integral in (False, True):  # first without whole numbers, which is quick and finds the chords that matter
        for _ in range(MOST_ROUNDS):
            x, bound = program.solve(weighed, integral)
            if integral:
                attained = math.fsum(_weight(block, weigh, int(j), int(x[j])) for j in np.flatnonzero(weighed))
                if bound - attained <= CLOSE * n + 1e-9 * abs(attained):
                    return np.asarray(block.lower + x)
            before = len(program.chords)
            for j in concave:
                last = int(block.upper[j] - block.lower[j]) - 1
                for at in (int(x[j]) - 1, int(x[j]), int(x[j]) + 1):
                    _add_chord(program, weigh, j, min(max(at, 0), last))
            if not integral and len(program.chords) == before:
                break
    raise NumericalDoubt("the most probable table could not be found reliably; use a coarser unit.")


def _begun(block: Block, weigh: WithEvidence) -> tuple[_Program, np.ndarray, list[int]]:
    """A program with some chords and all choices; which columns have weights, and which of these are concave."""
    program = _Program(block)
    weighed = np.ones(len(block.columns), dtype=bool)
    concave = []
    for j, (column, low, high) in enumerate(zip(block.columns.tolist(), block.lower, block.upper, strict=True)):
        if not (isinstance(weigh.law, Poisson) and column < weigh.n_cells and weigh.excludes_nothing(column)):
            refuse_wide(block.lower[[j]], block.upper[[j]])
            weights = weigh(column, int(low), int(high))
            if weights is None or (weights == weights[0]).all():
                weighed[j] = False
                continue
            if not _is_concave(weights):
                program.choice(j, np.flatnonzero(weights > -np.inf), weights[weights > -np.inf])
                continue
        # what is left is concave; counts around a mean are, and need no list of all values, which may be millions
        concave.append(j)
        span = int(high - low)
        for at in range(span) if span <= FEW else np.linspace(0, span - 1, 9).astype(int).tolist():
            _add_chord(program, weigh, j, at)
    if program.n_choices > MOST_CHOICES:
        raise TooLarge(
            f"the evidence or the priors leave {program.n_choices:,} values to choose from, more than the {MOST_CHOICES:,} "
            "among which the most probable table can be found."
        )
    return program, weighed, concave


def _add_chord(program: _Program, weigh: WithEvidence, j: int, at: int) -> None:
    """A chord through two neighbouring values, unless it is there already."""
    if (j, at) not in program.chords:
        program.chords.add((j, at))
        block = program.block
        program.chord(j, at, _weight(block, weigh, j, at), _weight(block, weigh, j, at + 1))


def _weight(block: Block, weigh: WithEvidence, j: int, place: int) -> float:
    value = int(block.lower[j]) + place
    log_weight = weigh(int(block.columns[j]), value, value)
    return 0.0 if log_weight is None else float(log_weight[0])


def _is_concave(weights: np.ndarray) -> bool:
    if not np.isfinite(weights).all():
        return False
    return bool((np.diff(weights, 2) <= 1e-12 * max(1.0, float(np.abs(weights).max()))).all())
