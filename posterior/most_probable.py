"""The most probable table: the greatest sum of log-weights over A x = b, lower <= x <= upper, x whole.

Log-weights bend downwards for counts around a mean: each is then the lowest of its chords, which an integer program knows
how to maximise. Those that bend otherwise (evidence, priors) take a choice between all their values.
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
from ..fiber.laws.support import WithEvidence, support
from ..release.release import Release
from .paths.paths import refuse_paths

MOST_CHOICES = 20_000
"""Values that may be chosen from, of all columns of a block whose log-weights do not bend downwards."""
FEW = 40
"""With up to so many values all chords are given from the start."""
MOST_COLUMNS = 1000
"""Beyond, the integer programs take minutes to hours."""
MOST_ROUNDS = 200
MOST_NODES = 200_000
CLOSE = 1e-6
"""For each cell, how much more the log-weight of another table may be; the solver itself is not more exact."""


def most_probable(release: Release, law: Any) -> tuple[np.ndarray, float]:
    """The values of all cells in the most probable table, and its log-weight (up to a constant)."""
    refuse_paths(release, "the most probable table")
    inside = support(release, law)
    solved, weigh = inside.solved, inside.weigh
    if weigh.law is alike and not weigh.evidence and solved.blocks:
        raise InputError(
            "every feasible table is equally probable under the law 'uniform', and none the most; audit with another law=."
        )
    table, total = solved.start.copy(), 0.0
    for block in solved.blocks:
        table[block.columns] = _best(block, weigh)
    for column in range(solved.fiber.n_columns):
        given = weigh(column, int(table[column]), int(table[column]))
        total += 0.0 if given is None else float(given[0])
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
        one = list(range(2 * n + self.n_choices, 2 * n + self.n_choices + len(places)))
        self.n_choices += len(places)
        self.row(one, [1.0] * len(one), 1.0, 1.0)
        self.row([j, *one], [1.0, *(-places.astype(float)).tolist()], 0.0, 0.0)
        self.row([n + j, *one], [1.0, *(-weights).tolist()], 0.0, 0.0)

    def solve(self, weighed: np.ndarray, whole: bool) -> tuple[np.ndarray, float]:
        """The best x, counted from the lower bounds and rounded down, and what the rows allow its log-weight to be."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        block, n = self.block, len(self.block.columns)
        size = 2 * n + self.n_choices
        rest = (block.b - block.A @ block.lower).astype(float)
        A = block.A.astype(float)
        A.resize(A.shape[0], size)
        number = np.repeat(np.arange(len(self.entries)), [len(one[0]) for one in self.entries])
        places = np.array([place for one in self.entries for place in one[0]], dtype=np.int64)
        values = np.array([value for one in self.entries for value in one[1]])
        more = sp.csr_array((values, (number, places)), shape=(len(self.entries), size))
        least, most = (np.array([one[k] for one in self.entries]) for k in (2, 3))
        span = (block.upper - block.lower).astype(float)
        free = np.where(weighed, np.inf, 0.0)
        cost = np.concatenate([np.zeros(n), -weighed.astype(float), np.zeros(self.n_choices)])
        found = milp(
            cost,
            constraints=LinearConstraint(
                sp.csr_array(sp.vstack([A, more])), np.concatenate([rest, least]), np.concatenate([rest, most])
            ),
            integrality=int(whole) * np.concatenate([np.ones(n), np.zeros(n), np.ones(self.n_choices)]),
            bounds=Bounds(
                np.concatenate([np.zeros(n), -free, np.zeros(self.n_choices)]),
                np.concatenate([span, free, np.ones(self.n_choices)]),
            ),
            options={"mip_rel_gap": 0.0, "node_limit": MOST_NODES},
        )
        if found.status == 1:
            raise TooLarge("the most probable table of this release is too hard to find; use a coarser table.")
        if found.status == 2 and self.n_choices:
            raise InputError(
                "the law and the evidence leave no possible table: every feasible one has probability zero."
            )
        x = np.zeros(n) if found.x is None else found.x[:n]
        x = (np.round(x) if whole else np.floor(x)).astype(np.int64)
        if found.status != 0 or (whole and (block.A @ (x + block.lower) != block.b).any()):
            raise NumericalDoubt("the most probable table could not be found reliably; use a coarser unit.")
        return x, -float(found.fun)


def _best(block: Block, weigh: WithEvidence) -> np.ndarray:
    """The most probable values of a block's columns."""
    n = len(block.columns)
    if n > MOST_COLUMNS:
        raise TooLarge(
            f"the most probable table is found for up to {MOST_COLUMNS:,} cells that depend on each other; here are {n:,}."
        )
    program, weighed, bent = _begun(block, weigh)
    for whole in (False, True):  # first without whole numbers, which is quick and finds the chords that matter
        for _ in range(MOST_ROUNDS):
            x, bound = program.solve(weighed, whole)
            if whole:
                found = math.fsum(_weight(block, weigh, int(j), int(x[j])) for j in np.flatnonzero(weighed))
                if bound - found <= CLOSE * n + 1e-9 * abs(found):
                    return np.asarray(block.lower + x)
            before = len(program.chords)
            for j in bent:
                last = int(block.upper[j] - block.lower[j]) - 1
                for at in (int(x[j]) - 1, int(x[j]), int(x[j]) + 1):
                    _add_chord(program, weigh, j, min(max(at, 0), last))
            if not whole and len(program.chords) == before:
                break
    raise NumericalDoubt("the most probable table could not be found reliably; use a coarser unit.")


def _begun(block: Block, weigh: WithEvidence) -> tuple[_Program, np.ndarray, list[int]]:
    """A program with some chords and all choices; which columns have weights, and which of them bend downwards."""
    program = _Program(block)
    weighed = np.ones(len(block.columns), dtype=bool)
    bent = []
    for j, (column, low, high) in enumerate(zip(block.columns.tolist(), block.lower, block.upper, strict=True)):
        if not (isinstance(weigh.law, Poisson) and column < weigh.n_cells and weigh.excludes_nothing(column)):
            refuse_wide(block.lower[[j]], block.upper[[j]])
            weights = weigh(column, int(low), int(high))
            if weights is None or (weights == weights[0]).all():
                weighed[j] = False
                continue
            if not _bends_downwards(weights):
                program.choice(j, np.flatnonzero(weights > -np.inf), weights[weights > -np.inf])
                continue
        # what is left bends downwards; counts around a mean do, and need no list of all values, which may be millions
        bent.append(j)
        span = int(high - low)
        for at in range(span) if span <= FEW else np.linspace(0, span - 1, 9).astype(int).tolist():
            _add_chord(program, weigh, j, at)
    if program.n_choices > MOST_CHOICES:
        raise TooLarge(
            f"the evidence or the priors leave {program.n_choices:,} values to choose from, more than the {MOST_CHOICES:,} "
            "among which the most probable table can be found."
        )
    return program, weighed, bent


def _add_chord(program: _Program, weigh: WithEvidence, j: int, at: int) -> None:
    """A chord through two neighbouring values, unless it is there already."""
    if (j, at) not in program.chords:
        program.chords.add((j, at))
        block = program.block
        program.chord(j, at, _weight(block, weigh, j, at), _weight(block, weigh, j, at + 1))


def _weight(block: Block, weigh: WithEvidence, j: int, place: int) -> float:
    value = int(block.lower[j]) + place
    given = weigh(int(block.columns[j]), value, value)
    return 0.0 if given is None else float(given[0])


def _bends_downwards(weights: np.ndarray) -> bool:
    if not np.isfinite(weights).all():
        return False
    return bool((np.diff(weights, 2) <= 1e-12 * max(1.0, float(np.abs(weights).max()))).all())
