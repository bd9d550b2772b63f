"""A ladder for laws with separate peaks: replicas of the table under powers of the weights, which trade places.

The lowest rung has the law itself, and is what is counted. The higher a rung, the smaller the power of what the law says
value by value, so that on the highest the valleys between peaks are shallow. Neighbours trade tables with the probability
that leaves the law of all rungs together as it is (replica exchange or parallel tempering, Geyer 1991), every other pair of
them by turns. A table that came down from the highest rung was drawn anew as far as peaks are concerned: how often that
happens is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....moves.families.mixture import Mixture
from ....moves.families.move_set import MoveSet
from ....moves.families.stock import Stock, Supplier, empty_stock
from ...lines.line import LONGEST
from ...lines.weights import Weights, log_weight_of
from ...tallies.tally import Tally, idle_tally
from ...tallies.windows import zeros_apart
from ..kernel import Fit, Kernel, Lasting, Place, Task
from ..stocked_moves import MoveKernel, lasting_of, supplier_of
from . import rungs
from .peaks import has_separate_peaks, least_power, without_gaps
from .walk import ACCEPTED, TOP, TRADES, TRIPS, Rungs, climb

if TYPE_CHECKING:
    from ...chains.unit import Unit

TRIAL = 192
"""Draws from which it is learnt how log-weights spread on a rung; and for trades, eight times as many."""
LEAST_STEPS = 4
VISIT = 300_000.0
"""Nanoseconds of each visitor on every rung whenever the stock of moves is filled, which lasts for about ten times that."""


def fits(task: Task, others: Callable[[MoveSet], tuple[Kernel, ...]]) -> Fit | None:
    """Laws with separate peaks, where some moves are written in advance; `others` gives kernels for those that are not."""
    if not has_separate_peaks(task.weights, task.block.lower, task.block.upper):
        return None
    parts = task.moves.parts if isinstance(task.moves, Mixture) else (task.moves,)
    stocked = tuple(part for part in parts if part.supplier() is not None)
    if not stocked:
        return None
    visitors = tuple(kernel for part in parts if part.supplier() is None for kernel in others(part))
    block = task.block
    start = np.zeros((0, task.n_columns), dtype=np.int64)
    return Fit((Ladder(stocked, visitors, task.weights, block.lower, block.upper, np.ones(1), start),))


class LadderRoom(NamedTuple):
    """What a chain has on all rungs but the lowest, and where each table came from."""

    sources: tuple[Supplier, ...]
    stock: Stock
    filled: np.ndarray
    """[0]: how often the stock was filled, by one source after the other."""
    tables: np.ndarray
    """[rung - 1, column]"""
    ends: np.ndarray
    """Of the table on each rung: at which end it was last; 0 for neither."""
    noted: np.ndarray
    unnoted: Tally
    visitors: tuple[tuple[Any, ...], ...]
    """[rung][visitor]: their rooms."""

    @property
    def trips(self) -> int:
        """How often a table came down from the highest rung after one had gone up."""
        return int(self.noted[TRIPS])


@dataclass(frozen=True, eq=False)
class Ladder(Kernel):
    """Hit-and-run on every rung along the moves of one family after the other, and kernels that visit all rungs at times."""

    moves: tuple[MoveSet, ...]
    visitors: tuple[Kernel, ...]
    weights: Weights
    lower: np.ndarray
    upper: np.ndarray
    powers: np.ndarray
    """Of the weights on each rung, from 1 on."""
    start: np.ndarray
    """Where a table begins on each higher rung, [rung - 1, column]; it comes far before anything counts."""

    @property
    def words(self) -> str:  # type: ignore[override]
        """The families', and the ladder."""
        families = ", ".join(
            [f"hit-and-run along {family.words}" for family in self.moves]
            + [visitor.words for visitor in self.visitors]
        )
        return f"{families} on a ladder of {len(self.powers)} powers of the weights"

    @cached_property
    def cost(self) -> float:  # type: ignore[override]
        """A step on every rung."""
        return len(self.powers) * float(np.mean([MoveKernel(family, self.weights).cost for family in self.moves]))

    @cached_property
    def soft(self) -> Weights:
        """The weights of the higher rungs, but for the power."""
        return without_gaps(self.weights)

    @cached_property
    def _visitors(self) -> tuple[tuple[Kernel, ...], ...]:
        """[rung]: the visitors under its weights."""
        tempered = [self.weights, *(self.soft._replace(power=float(power)) for power in self.powers[1:])]
        return tuple(tuple(replace(visitor, weights=weights) for visitor in self.visitors) for weights in tempered)  # type: ignore[type-var]

    @cached_property
    def _longest(self) -> int:
        return max(MoveKernel(family, self.weights).longest() for family in self.moves)

    def steps(self, n_columns: int) -> int:
        """On each rung, from one trade to the next."""
        return max(LEAST_STEPS, n_columns // 2)

    def work(self, n_columns: int) -> float:
        """Every rung works."""
        return self.steps(n_columns) * self.cost

    def longest(self) -> int:
        """The longest move of all families."""
        return self._longest

    def room(self) -> LadderRoom:
        """An empty stock, and tables at their starts."""
        sources = tuple(supplier_of(family) for family in self.moves)
        n, n_rungs = len(self.lower), len(self.powers)
        return LadderRoom(
            sources,
            empty_stock(self._longest),
            np.zeros(1, dtype=np.int64),
            self.start.astype(np.int64),
            np.zeros(n_rungs, dtype=np.int64),
            np.zeros(ACCEPTED + n_rungs - 1, dtype=np.int64),
            idle_tally(n, n + max([self._longest, *(visitor.most_credits(n) for visitor in self.visitors)])),
            tuple(tuple(visitor.room() for visitor in visitors) for visitors in self._visitors),
        )

    def lasting(self, room: LadderRoom) -> Lasting:
        """Stock, tables, and where they come from."""
        return (
            *lasting_of(room.stock, len(self.lower)),
            (room.filled, 0, np.inf),
            (room.tables, self.lower, self.upper),
            (room.ends, 0, TOP),
            (room.noted[:TRADES], 0, len(self.powers) - 1),
            (room.noted[TRADES:], 0, np.inf),
            *(
                lasting
                for kernels, rooms in zip(self._visitors, room.visitors, strict=True)
                for kernel, visitor_room in zip(kernels, rooms, strict=True)
                for lasting in kernel.lasting(visitor_room)
            ),
        )

    def walk(self, place: Place, tally: Tally, room: LadderRoom, draws: int, steps: int) -> int:
        """Moves from the stock on all rungs, filled whenever it is empty."""
        stock, done = room.stock, 0
        rungs = Rungs(self.soft, self.powers, room.tables, room.unnoted, room.ends, room.noted)
        while done < draws and not tally.n_waiting[0]:
            if stock.state[0] == stock.state[1]:
                room.sources[room.filled[0] % len(room.sources)].fill(stock, place.random)
                room.filled[0] += 1
                self._visit(place, room)
            done += climb(stock, self.weights, rungs, place, tally, draws - done, steps, self._longest)
        return done

    def _visit(self, place: Place, room: LadderRoom) -> None:
        """Draws of the visitors on every rung; none of them counts."""
        for k, (kernels, rooms) in enumerate(zip(self._visitors, room.visitors, strict=True)):
            here = place if k == 0 else place._replace(table=room.tables[k - 1])
            for kernel, visitor_room in zip(kernels, rooms, strict=True):
                steps = kernel.steps(len(place.table))
                kernel.walk(here, room.unnoted, visitor_room, ceil(VISIT / (steps * kernel.cost)), steps)

    def learned(self, unit: Unit, start: np.ndarray, random: np.ndarray) -> Ladder:
        """The same with rungs that are found in short trials."""
        visitors = tuple(visitor.learned(unit, start, random) for visitor in self.visitors)
        return replace(self, visitors=visitors)._with_rungs(unit, start, random)

    def _with_rungs(self, unit: Unit, start: np.ndarray, random: np.ndarray) -> Ladder:
        table = (start - unit.offset).astype(np.int64)
        place = Place(table, self.lower, self.upper, random, zeros_apart(LONGEST))
        only_listed = self.soft._replace(counted=np.zeros_like(self.soft.counted))

        def spread(power: float) -> float:
            """The standard deviation of the listed log-weights under a power of them; the table goes on from there."""
            alone = replace(self, weights=self.soft._replace(power=power))
            alone._try(place, TRIAL // 4)
            energies = np.empty(TRIAL)
            room = alone.room()
            for k in range(TRIAL):
                alone._try(place, 1, room)
                energies[k] = log_weight_of(only_listed, table)
            return float(np.std(energies))

        def accepted(powers: np.ndarray) -> np.ndarray:
            """The share of trades that are made between neighbours."""
            ladder = self._with(powers, start - unit.offset)
            room = ladder.room()
            ladder._try(Place((start - unit.offset).astype(np.int64), *place[1:]), 8 * TRIAL, room)
            return np.asarray(room.noted[ACCEPTED:] / max(1.0, room.noted[TRADES] / 2.0))

        least = least_power(self.weights, self.lower, self.upper)
        return self._with(rungs.choose_powers(least, spread, accepted), start - unit.offset)

    def _with(self, powers: np.ndarray, start: np.ndarray) -> Ladder:
        return replace(self, powers=powers, start=np.tile(start.astype(np.int64), (len(powers) - 1, 1)))

    def _try(self, place: Place, draws: int, room: LadderRoom | None = None) -> None:
        """Make draws that nobody counts."""
        room = room or self.room()
        self.walk(place, room.unnoted, room, draws, self.steps(len(place.table)))
