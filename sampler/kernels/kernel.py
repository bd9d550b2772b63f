"""What every kernel offers: steps that leave the law as it is, so many to a draw, and what a step costs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.random_streams import streams
from ...moves.families.move_set import MoveSet
from ..lines.weights import ALIKE, Weights
from ..tallies.tally import Tally
from .stock import empty_stock, supplier
from .swaps import walk_swaps
from .walk_moves import Place, walk_moves

if TYPE_CHECKING:
    from ..chains.unit import Unit

WORK_PER_CELL, LEAST_WORK = 40.0, 400.0
"""Nanoseconds of work from one draw to the next. Draws of all kernels take about the same time, so that what a kernel is
worth is its effective draws per draw; the nanoseconds are stored figures and no clock is ever looked at."""


class Kernel(ABC):
    """Steps of one kind on one unit. Kernels hold no state: what a chain writes to is in its `room`."""

    words: str
    """What kind of steps these are, for people."""
    cost: float
    """About how many nanoseconds a step takes."""
    credits_lines: bool = True
    """Do steps credit whole lines to the tally? Otherwise every draw credits its values."""
    independent: bool = False
    """Is every draw independent of the last?"""

    def work(self, n_columns: int) -> float:
        """About how many nanoseconds a draw takes, for how often chains can be stopped."""
        return max(LEAST_WORK, WORK_PER_CELL * n_columns)

    def steps(self, n_columns: int) -> int:
        """Steps to a draw."""
        return max(1, ceil(max(LEAST_WORK, WORK_PER_CELL * n_columns) / self.cost))

    def longest(self) -> int:
        """The most columns that one step changes."""
        return 4

    def room(self) -> Any:
        """What a chain needs to make these steps."""
        return None

    def learned(self, unit: Unit, start: np.ndarray, random: np.ndarray) -> Kernel:
        """The kernel after it learnt from a short trial what it needs to; from then on it is the same for all chains."""
        return self

    @abstractmethod
    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Make so many draws, or fewer if credits have to wait; how many were made."""


@dataclass(frozen=True, eq=False)
class SwapKernel(Kernel):
    """Uniform hit-and-run on a complete two-way table, its columns in the order of rows; every lower bound is 0."""

    shape: tuple[int, int]

    words = "hit-and-run along swaps"
    cost = 15.0

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Swaps."""
        return walk_swaps(place, tally, *self.shape, draws, steps)


@dataclass(frozen=True, eq=False)
class MoveKernel(Kernel):
    """Hit-and-run along the moves of any family that draws without looking at the table."""

    moves: MoveSet
    weights: Weights

    @property
    def words(self) -> str:  # type: ignore[override]
        """The family's."""
        return f"hit-and-run along {self.moves.words}"

    @cached_property
    def cost(self) -> float:  # type: ignore[override]
        """By the usual length of a move: writing it, its range, its credits; more for weights that are no constant."""
        source = supplier(self.moves)
        stock = empty_stock(source.longest)
        source.fill(stock, streams(0, 1)[0])
        usual = stock.start[stock.state[1]] / stock.state[1]
        return float(40.0 + 45.0 * usual if self.weights.kind == ALIKE else 100.0 + 90.0 * usual)

    def longest(self) -> int:
        """The family's longest move."""
        return supplier(self.moves).longest

    def room(self) -> Any:
        """The family's own room, and an empty stock."""
        source = supplier(self.moves)
        return source, empty_stock(source.longest)

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Moves from the stock, filled whenever it is empty."""
        source, stock = room
        done = 0
        while done < draws and not tally.n_waiting[0]:
            if stock.state[0] == stock.state[1]:
                source.fill(stock, place.random)
            done += walk_moves(stock, self.weights, place, tally, draws - done, steps)
        return done
