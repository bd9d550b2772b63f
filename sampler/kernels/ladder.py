"""A ladder for laws with separate peaks: replicas of the table under powers of the weights, which trade places.

The lowest rung has the law itself, and is what is counted. The higher a rung, the smaller the power of what the law says
value by value, so that on the highest the valleys between peaks are shallow. Neighbours trade tables now and then with the
probability that leaves the law of all rungs together as it is (replica exchange, Geyer 1991). A table that came down from
the highest rung was drawn anew as far as peaks are concerned: how often that happens is counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...base.random_streams import fraction
from ..lines.weights import Weights, log_weight_of
from ..tallies.tally import NO_CREDITS, Tally
from ..tallies.windows import apart, first_windows, zeros_apart
from .kernel import ANYTHING, Kernel, Lasting, Place

BETWEEN = 8
"""Draws of every rung from one trade to the next."""
BOTTOM, TOP = 1, 2
"""Which end of the ladder a table was at last."""


class Rung(NamedTuple):
    """The kernels of a unit under one power of its weights, and how many draws of each are made in turn."""

    power: float
    weights: Weights
    kernels: tuple[Kernel, ...]


class LadderRoom(NamedTuple):
    """What a chain has on all rungs but the lowest, and where each table came from."""

    tables: np.ndarray
    """[rung - 1, column]"""
    rooms: tuple[tuple[Any, ...], ...]
    turns: np.ndarray
    """[rung, 0]: which kernel, [rung, 1]: how many draws it made."""
    ends: np.ndarray
    """Of the table on each rung: at which end it was last; 0 for neither."""
    counts: np.ndarray
    """[0] round trips, [1] draws since the last trade, [2] trades, [3 + k] accepted between rungs k and k + 1."""
    unnoted: Tally


@dataclass(frozen=True, eq=False)
class Ladder(Kernel):
    """All kernels of a unit on every rung."""

    rungs: tuple[Rung, ...]
    shares: tuple[int, ...]
    lower: np.ndarray
    upper: np.ndarray
    start: np.ndarray
    """Where replicas begin."""
    words: str = "a ladder of tempered chains"
    cost: float = 1.0

    @property
    def _lowest(self) -> tuple[Kernel, ...]:
        return self.rungs[0].kernels

    def work(self, n_columns: int) -> float:
        """Every rung works."""
        return len(self.rungs) * max(one.work(n_columns) for one in self._lowest)

    def steps(self, n_columns: int) -> int:
        """What is a step here is a draw."""
        return 1

    def longest(self) -> int:
        """The most columns that one step changes."""
        return max(one.longest() for one in self._lowest)

    def most_credits(self, n_columns: int) -> int:
        """Those of the lowest rung, which alone is counted."""
        return max(one.most_credits(n_columns) for one in self._lowest)

    def room(self) -> LadderRoom:
        """Replicas at the start, from which they come far before anything counts."""
        more = len(self.rungs) - 1
        n = len(self.start)
        return LadderRoom(
            np.tile(self.start, (more, 1)),
            tuple(tuple(one.room() for one in rung.kernels) for rung in self.rungs),
            np.zeros((len(self.rungs), 2), dtype=np.int64),
            np.zeros(len(self.rungs), dtype=np.int64),
            np.zeros(3 + more, dtype=np.int64),
            _noting_nothing(n, n + self.most_credits(n)),
        )

    def lasting(self, room: LadderRoom) -> Lasting:
        """Everything but what the replicas do not count."""
        inner = [
            part
            for rung, rooms in zip(self.rungs, room.rooms, strict=True)
            for kernel, one in zip(rung.kernels, rooms, strict=True)
            for part in kernel.lasting(one)
        ]
        turns = np.array([len(self.shares) - 1, max(self.shares)])
        return (
            (room.tables, self.lower, self.upper),  # type: ignore[arg-type]
            (room.turns, 0, turns),  # type: ignore[arg-type]
            (room.ends, 0, TOP),
            (room.counts, *ANYTHING),
            *inner,
        )

    def walk(self, place: Place, tally: Tally, room: LadderRoom, draws: int, steps: int) -> int:
        """Make draws on all rungs, and trades in between."""
        done = 0
        while done < draws:
            some = min(draws - done, BETWEEN - int(room.counts[1]))
            made = self._draw(0, place, tally, room, some)
            for k in range(1, len(self.rungs)):
                self._draw(k, place._replace(table=room.tables[k - 1]), room.unnoted, room, made)
            done += made
            room.counts[1] += made
            if room.counts[1] == BETWEEN:
                room.counts[1] = 0
                self._trade(place, room)
            if tally.n_waiting[0]:
                break
        return done

    def _draw(self, k: int, place: Place, tally: Tally, room: LadderRoom, draws: int) -> int:
        """Draws on one rung, its kernels in turn by their shares; fewer where credits have to wait."""
        rung, turns, n, done = self.rungs[k], room.turns[k], len(place.table), 0
        while done < draws:
            kernel = rung.kernels[turns[0]]
            if k == 0 and tally.by_steps[0] != NO_CREDITS:
                tally.by_steps[0] = kernel.credits_lines
            wanted = int(min(draws - done, self.shares[turns[0]] - turns[1]))
            made = kernel.walk(place, tally, room.rooms[k][turns[0]], wanted, kernel.steps(n))
            done += made
            turns[1] += made
            if turns[1] == self.shares[turns[0]]:
                turns[0], turns[1] = (turns[0] + 1) % len(rung.kernels), 0
            if k == 0 and tally.n_waiting[0]:
                break
        return done

    def _trade(self, place: Place, room: LadderRoom) -> None:
        """Offer trades to every other pair of neighbours, the other pairs next time."""
        tables = [place.table, *room.tables]
        for low in range(int(room.counts[2] % 2), len(self.rungs) - 1, 2):
            here, there = self.rungs[low].weights, self.rungs[low + 1].weights
            now = log_weight_of(here, tables[low]) + log_weight_of(there, tables[low + 1])
            then = log_weight_of(here, tables[low + 1]) + log_weight_of(there, tables[low])
            if then - now >= np.log(1.0 - fraction(place.random)):
                held = tables[low].copy()
                tables[low][:] = tables[low + 1]
                tables[low + 1][:] = held
                room.ends[[low, low + 1]] = room.ends[[low + 1, low]]
                room.counts[3 + low] += 1
        room.counts[2] += 1
        room.counts[0] += int(room.ends[0] == TOP)
        room.ends[0], room.ends[-1] = BOTTOM, TOP


def _noting_nothing(n: int, waiting: int) -> Tally:
    """A tally for replicas that nobody counts; kernels that look whether credits would find room to wait find it."""
    nothing = np.zeros(n, dtype=np.int64)
    none, one = np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return Tally(
        windows=first_windows(nothing, nothing, nothing),
        waiting=np.zeros((waiting, 3), dtype=np.int64),
        n_waiting=zeros_apart(1, np.int64),
        by_steps=apart(np.full(1, NO_CREDITS, dtype=np.int64)),
        centre=np.zeros(n),
        sums=zeros_apart(n),
        squares=zeros_apart(n),
        sum_start=one,
        sum_column=none,
        sum_value=none,
        joint_start=one,
        joint_question=none,
        joint_lowest=none,
        joint_stride=none,
        joint_first=one,
        joint_counts=none,
        kept=np.zeros((0, 0), dtype=np.int64),
        keep=none,
        kept_state=zeros_apart(3, np.int64),
    )
