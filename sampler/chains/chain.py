"""One chain on one unit: its table, its random stream, its tally, and the batches that its diagnostics need.

Batches (for batch means) are equally long. When there are as many as fit, neighbours are joined and each is twice as long;
so a chain of any length keeps between half and all of them, and no draws. How surprising the values of a batch were is told
by a reference, what all chains had counted when they were last full; from one reference to the next is an *epoch*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..kernels.kernel import Place
from ..lines.line import LONGEST
from ..tallies.spread import Spread, is_kept
from ..tallies.tally import NO_CREDITS, Tally, give_credits
from ..tallies.windows import (
    Windows,
    apart,
    compact,
    empty_windows,
    first_windows,
    most_counters,
    surprises,
    value_sums,
    widened,
    zeros_apart,
)
from .settings import BATCHES, FIRST_LENGTH
from .unit import Unit


class Reference(NamedTuple):
    """What all chains had counted when an epoch began, and log2 of the share of each value: surprisals are taken from it."""

    windows: Windows
    logs: np.ndarray
    epoch: int
    """Counted from 1 on."""


class Chain:
    """The state of one chain; it can be pickled, and goes on the same anywhere."""

    def __init__(
        self,
        unit: Unit,
        start: np.ndarray,
        random: np.ndarray,
        *,
        joint: Sequence[Sequence[int]] = (),
    ) -> None:
        n_questions = unit.n_questions
        table = apart((start - unit.offset).astype(np.int64))
        self.place = Place(table, unit.lower, unit.upper, random, zeros_apart(LONGEST))
        self.rooms = [kernel.room() for kernel in unit.kernels]
        self.turn, self.made = 0, 0
        self.counts = True
        lower, upper = unit.question_bounds()
        values = np.concatenate([table, unit.sums @ table])
        sums = unit.sums
        self.most = most_counters(n_questions)
        self.tally = Tally(
            windows=first_windows(values, lower, upper),
            waiting=np.zeros((unit.most_waiting, 3), dtype=np.int64),
            n_waiting=zeros_apart(1, np.int64),
            by_steps=apart(np.ones(1, dtype=np.int64)),
            # the same for all chains, whose sums are compared
            centre=unit.first_values().astype(float),
            sums=zeros_apart(n_questions),
            squares=zeros_apart(n_questions),
            sum_start=sums.indptr.astype(np.int64),
            sum_column=sums.indices.astype(np.int64),
            sum_value=sums.data.astype(np.int64),
            **_joint_arrays(joint, lower, upper),
            kept=np.zeros((0, 0), dtype=np.int64),
            keep=np.zeros(0, dtype=np.int64),
            kept_state=zeros_apart(3, np.int64),
        )
        self.batch = 0
        self.length = FIRST_LENGTH
        self.sums, self.squares = np.zeros((BATCHES, n_questions)), np.zeros((BATCHES, n_questions))
        self.surprise, self.means = np.zeros((BATCHES, n_questions)), np.zeros((BATCHES, n_questions))
        """Of each batch the mean surprisal, -log2 p(x), and the mean, by what was counted."""
        self.epoch, self.epoch_began = 0, 0
        """The epoch, and the batch with which it began."""
        self.spread: Spread | None = None
        self.stride = zeros_apart(n_questions, np.int64)
        """The greatest common divisor of a question's differences, as far as batches show; 0 where it never moved."""
        # Before the current batch: sums of surprisals and of values over all that was counted, and how often it was.
        self.before, self.values_before, self.credits_before = (np.zeros(n_questions) for _ in range(3))

    def advance(self, unit: Unit, draws: int) -> None:
        """Make so many draws, the kernels in turn by their shares."""
        place, n = self.place, len(unit.columns)
        while draws > 0:
            kernel, stretch = unit.kernels[self.turn], unit.stretched(self.turn)
            wanted = min(draws, unit.shares[self.turn] - self.made)
            credits_lines = kernel.credits_lines and stretch == 1
            self.tally.by_steps[0] = credits_lines if self.counts else NO_CREDITS
            done = kernel.walk(place, self.tally, self.rooms[self.turn], wanted, stretch * kernel.steps(n))
            if self.tally.n_waiting[0]:
                self._make_room()
            draws -= done
            self.made += done
            if self.made == unit.shares[self.turn]:
                self.turn, self.made = (self.turn + 1) % len(unit.kernels), 0

    def keep(self, unit: Unit, questions: np.ndarray, draws: int, thin: int = 1) -> np.ndarray:
        """Make draws of which one in `thin` is kept: the values of some questions, [draw, question]."""
        kept = np.zeros((draws, len(questions)), dtype=np.int64)
        self.tally = self.tally._replace(kept=kept, keep=questions.astype(np.int64))
        self.tally.kept_state[:3] = 0, 0, thin
        self.advance(unit, draws * thin)
        self.tally = self.tally._replace(kept=np.zeros((0, 0), dtype=np.int64), keep=np.zeros(0, dtype=np.int64))
        return kept + unit.question_offset()[questions]

    def advance_batch(self, unit: Unit, reference: Reference | None) -> None:
        """Make one more batch; with a reference, note how surprising its values are."""
        if self.batch == BATCHES:
            self.join_batches()
        if reference is not None and self.epoch != reference.epoch:
            self.epoch, self.epoch_began = reference.epoch, self.batch
            self.note_what_was(reference)
            self.spread = Spread(reference.windows) if is_kept(reference.windows) else None
            if self.spread is not None:
                self.spread.begin(self.tally.windows, reference.windows)
        self.credits_before[:] = self.tally.windows.credits
        self.advance(unit, self.length)
        tally = self.tally
        self.sums[self.batch], self.squares[self.batch] = tally.sums, tally.squares
        tally.sums[:], tally.squares[:] = 0.0, 0.0
        self._credit_the_untouched()
        values = np.concatenate([self.place.table, unit.sums @ self.place.table])
        np.gcd(self.stride, np.abs(values - unit.first_values()), out=self.stride)
        if reference is not None:
            windows, credits = self.tally.windows, self.tally.windows.credits - self.credits_before
            now, values = np.empty_like(self.before), np.empty_like(self.before)
            surprises(windows, reference.windows, reference.logs, now)
            value_sums(windows, self.tally.centre, values)
            self.surprise[self.batch] = (now - self.before) / credits
            self.means[self.batch] = (values - self.values_before) / credits
            self.before, self.values_before = now, values
            if self.spread is not None:
                self.spread.note(windows, reference.windows, credits)
        self.batch += 1

    def note_what_was(self, reference: Reference) -> None:
        """Note what was counted before the batch that comes next."""
        surprises(self.tally.windows, reference.windows, reference.logs, self.before)
        value_sums(self.tally.windows, self.tally.centre, self.values_before)

    def _credit_the_untouched(self) -> None:
        """Credit the values of cells that no step of a batch touched, so that every batch says something of each."""
        table = self.place.table
        n = len(table)
        untouched = np.flatnonzero(self.tally.windows.credits[:n] == self.credits_before[:n])
        if len(untouched):
            self._give(np.stack([untouched, table[untouched], table[untouched]], axis=1))

    def join_batches(self) -> None:
        """Join neighbouring batches: half as many, twice as long."""
        half = self.batch // 2
        for batches in (self.sums, self.squares):
            batches[:half] = batches[0 : 2 * half : 2] + batches[1 : 2 * half : 2]
        for batches in (self.surprise, self.means):
            batches[:half] = 0.5 * (batches[0 : 2 * half : 2] + batches[1 : 2 * half : 2])
        self.batch, self.length = half, 2 * self.length
        self.tally = self.tally._replace(windows=compact(self.tally.windows))

    def forget(self, windows: Windows, centre: np.ndarray) -> None:
        """Discard all that was noted; the next batch is the first, counted in windows like these and from a new centre."""
        tally = self.tally = self.tally._replace(
            windows=empty_windows(windows.origin, windows.size, windows.shift), centre=centre.copy()
        )
        tally.sums[:], tally.squares[:], tally.joint_counts[:] = 0.0, 0.0, 0
        self.batch = 0

    def _make_room(self) -> None:
        """Widen windows for the credits that wait, and give them."""
        waiting = self.tally.waiting[: self.tally.n_waiting[0]].copy()
        self.tally.n_waiting[0] = 0
        self._give(waiting)

    def _give(self, credits: np.ndarray) -> None:
        """Give credits (question, first and last value), after the windows were made wide enough."""
        questions, where = np.unique(credits[:, 0], return_inverse=True)
        low, high = np.full(len(questions), np.iinfo(np.int64).max), np.full(len(questions), np.iinfo(np.int64).min)
        np.minimum.at(low, where, credits[:, 1])
        np.maximum.at(high, where, credits[:, 2])
        windows = self.tally.windows
        short = (low < windows.origin[questions]) | (
            high >= windows.origin[questions] + (windows.size[questions] << windows.shift[questions])
        )
        if short.any():
            windows = widened(windows, questions[short], low[short], high[short], self.most)
            self.tally = self.tally._replace(windows=windows)
        give_credits(self.tally, credits)


def _joint_arrays(joint: Sequence[Sequence[int]], lower: np.ndarray, upper: np.ndarray) -> dict[str, Any]:
    """Arrays for joint counts of some questions, the last varying fastest."""
    start, question, stride, first = [0], [], [], [0]
    for group in joint:
        sizes = [int(upper[q] - lower[q] + 1) for q in group]
        strides = np.concatenate([np.cumprod(sizes[:0:-1])[::-1], [1]]).astype(np.int64)
        question += list(group)
        stride += strides.tolist()
        start.append(len(question))
        first.append(first[-1] + int(np.prod(sizes)))
    questions = np.array(question, dtype=np.int64)
    return dict(
        joint_start=np.array(start, dtype=np.int64),
        joint_question=questions,
        joint_lowest=lower[questions].astype(np.int64),
        joint_stride=np.array(stride, dtype=np.int64),
        joint_first=np.array(first, dtype=np.int64),
        joint_counts=np.zeros(first[-1], dtype=np.int64),
    )
