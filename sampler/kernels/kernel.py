"""What every kernel offers: steps that leave the law as it is, so many to a draw, what a step costs, and when it fits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...base.certificate import Certificate
from ...fiber.blocks.presolve import Block
from ...moves.chooser import Moves
from ...moves.families.move_set import MoveSet
from ..lines.weights import Weights, weights_on
from ..tallies.tally import Tally

if TYPE_CHECKING:
    from ..chains.unit import Unit

WORK_PER_CELL, LEAST_WORK = 40.0, 400.0
"""Nanoseconds of work from one draw to the next. Draws of all kernels take about the same time, so that what a kernel is
worth is its effective draws per draw; the nanoseconds are stored figures and no clock is ever looked at."""
LARGEST = 2**31
"""Figures up to this are moved by the quickest kernels."""


class Place(NamedTuple):
    """Where a chain is: its table, the bounds of its columns, and its random stream."""

    table: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    random: np.ndarray
    weight: np.ndarray
    """Room for the weights of a line."""


Lasting = tuple[tuple[np.ndarray, float | np.ndarray, float | np.ndarray], ...]
"""Arrays of a room, each with the least and the largest number that may stand in it, or in each of its places."""
ANYTHING = (-np.inf, np.inf)


class Kernel(ABC):
    """Steps of one kind on one unit: a Markov transition that has the law as its stationary distribution.

    Kernels hold no state: what a chain writes to is in its `room`.
    """

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

    def draw_cost(self, n_columns: int) -> float:
        """About how many nanoseconds a draw takes, by which kernels are weighed against each other."""
        return self.steps(n_columns) * self.cost

    def steps(self, n_columns: int) -> int:
        """Steps to a draw."""
        return max(1, ceil(max(LEAST_WORK, WORK_PER_CELL * n_columns) / self.cost))

    def longest(self) -> int:
        """The most columns that one step changes."""
        return 4

    def most_credits(self, n_columns: int) -> int:
        """How many credits of its steps may have to wait at a time: those of a draw, unless it stops within one."""
        return self.steps(n_columns) * self.longest()

    def room(self) -> Any:
        """What a chain needs to make these steps."""
        return None

    def lasting(self, room: Any) -> Lasting:
        """What of a room later steps depend on; everything else in it is only worked with."""
        return ()

    def learned(self, unit: Unit, start: np.ndarray, random: np.ndarray) -> Kernel:
        """The kernel after it learnt from a short trial what it needs to; from then on it is the same for all chains."""
        return self

    @abstractmethod
    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Make so many draws, or fewer if credits have to wait; how many were made."""


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be walked: a block, by moves of one family, under the weights of a law."""

    block: Block
    moves: MoveSet
    weights: Weights
    alone: bool = True
    """Are these all the moves of the block? Otherwise kernels take turns, and none may order its columns to its liking."""

    @property
    def n_columns(self) -> int:
        """How many columns the block has."""
        return len(self.block.columns)

    @property
    def is_small(self) -> bool:
        """Are all figures small enough for the quickest kernels?"""
        return bool(self.block.upper.max() < LARGEST)


@dataclass(frozen=True, eq=False)
class WholeTask:
    """All blocks of a release at once, for kernels that draw whole tables."""

    moves: Moves

    @cached_property
    def columns(self) -> np.ndarray:
        """The columns that are open, of all blocks."""
        return np.flatnonzero(~self.moves.support.solved.decided)

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The lower and upper bounds of these columns."""
        blocks = self.moves.support.solved.blocks
        in_order = np.argsort(np.concatenate([block.columns for block in blocks]))
        lower, upper = (np.concatenate([getattr(block, end) for block in blocks]) for end in ("lower", "upper"))
        return lower[in_order], upper[in_order]

    @cached_property
    def weights(self) -> Weights:
        """What the law says of these columns."""
        return weights_on(self.moves.support.weigh, self.columns, *self.bounds, tails=True)


@dataclass(frozen=True, eq=False)
class Fit:
    """The kernels that are right for a task, and how they want it."""

    kernels: tuple[Kernel, ...]
    order: np.ndarray | None = None
    """The columns of the block in the order in which the kernels take them; None: as they are."""
    offset: np.ndarray | None = None
    """What is counted off each of these columns; None: nothing."""
    certificate: Certificate | None = None
    """Where it is another than that of the moves."""
