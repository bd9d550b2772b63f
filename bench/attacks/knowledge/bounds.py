"""What is certain: the least and the largest count of a finest cell over all tables that agree with every figure.

Figures are intervals of sums. Where the same people are published alike, a group and a part of it that were published
differently also say that there is somebody in the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import highspy
import numpy as np
import scipy.sparse as sp

from .evidence import Figure
from .population import Box
from .world import World

NEARLY = 1e-5
MOST_NODES = 2000
UNKNOWN = 10**9
Range = tuple[int, int]


class Rows(NamedTuple):
    """Sums of finest cells that lie between two counts."""

    matrix: sp.csr_matrix
    lower: np.ndarray
    upper: np.ndarray


class Certain(NamedTuple):
    """Bounds of every finest cell; of those that were not looked at, none."""

    lower: np.ndarray
    upper: np.ndarray
    undecided: int = 0
    """Cells whose bounds may be sharper."""
    impossible: bool = False
    """Is there no table at all, so that what is known of the code is wrong?"""


def certain(
    world: World, figures: Sequence[Figure], wanted: Mapping[int, Range], *, most: int = UNKNOWN, whole: bool = True
) -> Certain:
    """Bounds of some cells: sharp ones, or those that are wanted; none of cells that may be larger than `most`.

    whole: by integer programs, too.
    """
    rows = rows_of(world, figures)
    lower, upper = propagated(rows, world)
    claimed, undecided = Certain(np.zeros_like(lower), np.full_like(upper, UNKNOWN)), 0
    if (lower > upper).any():
        return claimed._replace(impossible=True)
    program = Program(rows, lower, upper)
    for cell, (fewest, largest) in wanted.items():
        high, sharp = upper[cell], True
        if high > largest:
            bound, sharp = program.least(cell, -largest, -1, whole=whole)
            high = min(high, -bound)
        if high > most:
            undecided += not sharp
            continue
        low = lower[cell]
        if low < fewest:
            bound, lowest = program.least(cell, fewest, whole=whole)
            low, sharp = max(low, bound), sharp and lowest
        if low > high:
            return Certain(np.zeros_like(lower), np.full_like(upper, UNKNOWN), impossible=True)
        claimed.lower[cell], claimed.upper[cell] = low, high
        undecided += not sharp
    return claimed._replace(undecided=undecided)


def rows_of(world: World, figures: Sequence[Figure]) -> Rows:
    """All figures as rows, the finest cells first."""
    boxes: dict[Box, tuple[int, int]] = {figure.box: (figure.lower, figure.upper) for figure in figures}
    if world.consistent:
        for box in somebody_in(world, figures):
            low, high = boxes.get(box, (0, 2 * world.people))
            boxes[box] = max(low, 1), high
    cells = [world.frame.cells(box) for box in boxes]
    order = np.argsort([len(of_box) for of_box in cells], kind="stable")
    cells = [cells[place] for place in order]
    ends = np.array(list(boxes.values()))[order]
    columns = np.concatenate(cells)
    starts = np.cumsum([0, *map(len, cells)])
    matrix = sp.csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(cells), world.frame.size))
    return Rows(matrix, ends[:, 0], ends[:, 1])


def somebody_in(world: World, figures: Sequence[Figure]) -> set[Box]:
    """Groups with somebody in them: what is left of a group that was published otherwise than its part.

    Parts that differ in one dim are looked at. Where empty groups are changed, too, the part must have somebody in it: two
    empty groups need not be alike.
    """
    published = {figure.box: figure.published for figure in figures if figure.published is not None}
    zeros_alike = len(world.law.probabilities[0]) == 1
    parts = {figure.box for figure in figures if zeros_alike or figure.lower > 0}
    found: set[Box] = set()
    lines: dict[tuple[int, Box], list[int]] = {}
    for box in published:
        for axis in range(len(box)):
            lines.setdefault((axis, (*box[:axis], 0, *box[axis + 1 :])), []).append(box[axis])
    for (axis, rest), masks in lines.items():
        for whole in masks:
            of_whole = published[(*rest[:axis], whole, *rest[axis + 1 :])]
            for part in masks:
                of_part = (*rest[:axis], part, *rest[axis + 1 :])
                if part == whole or part & ~whole or of_part not in parts or published[of_part] == of_whole:
                    continue
                left = world.frame.canonical((*rest[:axis], whole & ~part, *rest[axis + 1 :]))
                if left is not None:
                    found.add(left)
    return found


def propagated(rows: Rows, world: World) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the cells by going from row to row until nothing changes."""
    possible = world.frame.possible
    lower = np.zeros(world.frame.size, dtype=np.int64)
    upper = np.where(possible, 2 * world.people, 0)
    matrix = rows.matrix
    of_row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    for _ in range(100):
        least, most = (matrix @ lower).astype(np.int64), (matrix @ upper).astype(np.int64)
        cells = matrix.indices
        low, high = lower.copy(), upper.copy()
        np.maximum.at(low, cells, (rows.lower - most)[of_row] + upper[cells])
        np.minimum.at(high, cells, (rows.upper - least)[of_row] + lower[cells])
        if (low > high).any() or ((low == lower).all() and (high == upper).all()):
            lower, upper = low, high
            break
        lower, upper = low, high
    return lower, upper


def some_table(world: World, figures: Sequence[Figure]) -> np.ndarray | None:
    """A table that agrees with all figures, to begin with; None where none was found."""
    rows = rows_of(world, figures)
    lower, upper = propagated(rows, world)
    return None if (lower > upper).any() else Program(rows, lower, upper).some_table()


class Program:
    """An integer program over the finest cells; rows are brought in when they are broken."""

    def __init__(self, rows: Rows, lower: np.ndarray, upper: np.ndarray) -> None:
        self.rows, self.lower, self.upper = rows, lower, upper
        least, most = rows.matrix @ lower, rows.matrix @ upper
        self.useful = np.flatnonzero((least < rows.lower) | (most > rows.upper))
        self.held = np.zeros(rows.matrix.shape[0], dtype=bool)
        self.solver = highspy.Highs()
        self.solver.setOptionValue("output_flag", False)
        self.solver.setOptionValue("threads", 1)
        size = len(lower)
        self.solver.addVars(size, lower.astype(float), upper.astype(float))
        self._hold(self.useful[:1500])

    def _hold(self, numbers: np.ndarray) -> None:
        part = self.rows.matrix[numbers]
        self.held[numbers] = True
        self.solver.addRows(
            len(numbers), self.rows.lower[numbers].astype(float), self.rows.upper[numbers].astype(float),
            part.nnz, part.indptr[:-1].astype(np.int32), part.indices.astype(np.int32), part.data.astype(float),
        )  # fmt: skip

    def least(self, cell: int, enough: int, sign: int = 1, *, whole: bool = True) -> tuple[int, bool]:
        """The least count of a cell (or minus the largest), or a proof that it is at least so much; and is it sharp?"""
        self.solver.changeColCost(int(cell), float(sign))
        value, sharp = self._solved(), False
        if np.ceil(value - NEARLY) < enough and whole:
            better, sharp = self._whole()
            value = max(value, better)
        self.solver.changeColCost(int(cell), 0.0)
        least = int(np.ceil(value - NEARLY))
        return least, sharp or least >= enough

    def some_table(self) -> np.ndarray | None:
        """Any whole solution that breaks no row."""
        for _ in range(50):
            self._whole()
            point = np.rint(np.array(self.solver.getSolution().col_value))
            if len(point) != len(self.lower):
                return None
            sums = self.rows.matrix[self.useful] @ point
            broken = (sums < self.rows.lower[self.useful]) | (sums > self.rows.upper[self.useful])
            new = self.useful[broken & ~self.held[self.useful]]
            if not len(new):
                return None if broken.any() else point.astype(np.int64)
            self._hold(new[:500])
        return None

    def _solved(self) -> float:
        while True:
            self.solver.run()
            if self.solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
                return -1e9
            point = np.array(self.solver.getSolution().col_value)
            sums = self.rows.matrix[self.useful] @ point
            broken = np.maximum(self.rows.lower[self.useful] - sums, sums - self.rows.upper[self.useful])
            broken[self.held[self.useful]] = 0
            worst = np.argsort(-broken)[:200]
            worst = worst[broken[worst] > NEARLY]
            if not len(worst):
                return float(self.solver.getInfo().objective_function_value)
            self._hold(self.useful[worst])

    def _whole(self) -> tuple[float, bool]:
        """The bound of the integer program after so many nodes, and was it searched to the end?"""
        every = np.arange(len(self.lower), dtype=np.int32)
        self.solver.changeColsIntegrality(len(every), every, np.full(len(every), highspy.HighsVarType.kInteger))
        self.solver.setOptionValue("mip_max_nodes", MOST_NODES)
        self.solver.run()
        bound = float(self.solver.getInfo().mip_dual_bound)
        ended = self.solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
        self.solver.changeColsIntegrality(len(every), every, np.full(len(every), highspy.HighsVarType.kContinuous))
        return (bound, ended) if np.isfinite(bound) else (-1e9, False)
