"""The exact law of a part: cell by cell, with no more kept of the cells before than figures still ask for.

That is, of every figure whose cells are not all passed, their sum so far; and of every two figures that may be the same
people, whether somebody was met who is in one of them and not in the other. Tables that agree in this go on alike. When the
last cell of a figure is passed its count is known, and it is weighed unless another one of the same people was. (Variable
elimination along an order of the cells, forward and backward; a transfer matrix.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.errors import Contradiction, TooLarge
from ...base.interruption import check_time
from ...fiber.exact.solved import Budget
from .figures import Part
from .same_people import may_be_the_same

WORK_PER_NUMBER = 150
"""Operations that each number of a state takes."""
BYTES_PER_NUMBER = 32
"""Of the states up to a cell, with what is worked out beside them."""
BITS = 62
"""Marks of pairs that are held in one whole number."""
EXACT_FLOATS = 2.0**53
"""Numbers of tables below this are counted exactly."""
NO_LIMIT = 2**62
FINE = 1_000_000
"""Parts of a natural logarithm, by which sizes are compared."""
DONE = 2**62
"""The cost of a cell that is in the order already."""
NOTHING = np.zeros((0, 0), dtype=np.int64)


class Law(NamedTuple):
    """How probable the values of a cell or sum are, from the first one on, and which of them any table has."""

    first: int
    p: np.ndarray
    possible: np.ndarray


class Swept(NamedTuple):
    """The laws of all cells of a part, those of the sums that were asked for, and how many tables there are, if so few that
    they were counted."""

    cells: list[Law]
    sums: list[Law]
    tables: int | None


class Step(NamedTuple):
    """What happens at one cell."""

    cell: int
    opened: int
    """Sums that begin here; they stand behind the others."""
    marked: tuple[int, ...]
    """Pairs that begin here, each by its bit."""
    added: np.ndarray
    """The sums that the cell is part of, each with ..."""
    times: np.ndarray
    least: np.ndarray
    """... what it must be at least and at most by now, so that its figure can still be met."""
    most: np.ndarray
    parted: tuple[int, ...]
    """Bits of pairs that the cell tells apart, if somebody is in it."""
    closed: tuple[Closing, ...]
    kept: np.ndarray
    """The sums that go on."""
    cleared: tuple[int, ...]


class Closing(NamedTuple):
    """A figure whose count is known now."""

    figure: int
    place: int
    """Of its sum."""
    alike: tuple[int, ...]
    """Bits of the pairs with figures that are weighed already and were published alike, ..."""
    unlike: tuple[int, ...]
    """... and otherwise."""


class States(NamedTuple):
    """What tables have in common up to some cell: sums and marks, with the weight of all such tables and their number."""

    sums: np.ndarray
    marks: np.ndarray
    weight: np.ndarray
    tables: np.ndarray


class Ways(NamedTuple):
    """How tables go on at a cell: from which state, with how many people there, to which, and by what weight."""

    begin: np.ndarray
    value: np.ndarray
    end: np.ndarray
    weight: np.ndarray


def swept(part: Part, weights: Sequence[np.ndarray], sums: Any, budget: Budget) -> Swept:
    """The laws of all cells of a part and of some sums of its cells; `TooLarge` where the budget does not suffice.

    `weights` are the log-weights of each cell's values between its bounds.
    """
    passage = _Passage(part, weights, budget.of_block(len(part.cells)))
    order = _order(part)
    plan, width = _planned(part, order, None)
    states, history = passage.forward(plan, _beginning(width))
    cells = _marginals(plan, history)
    tables = float(states.tables.sum())
    laws = []
    for row in range(sums.shape[0]):
        asked = np.zeros(len(part.cells), dtype=np.int64)
        asked[sums.indices[sums.indptr[row] : sums.indptr[row + 1]]] = sums.data[
            sums.indptr[row] : sums.indptr[row + 1]
        ]
        plan, width = _planned(part, order, asked)
        ended, _ = passage.forward(plan, _beginning(width, asked=True), keep=False)
        laws.append(_law(ended.sums[:, 0], ended.weight))
    return Swept(cells, laws, int(tables) if tables < EXACT_FLOATS else None)


def _order(part: Part) -> list[int]:
    """The cells in an order in which few sums are open at a time, and these small ones."""
    by_cell, by_figure = sp.csc_array(part.incidence), sp.csr_array(part.incidence)
    sizes = np.log1p(np.minimum(part.last, part.incidence @ part.high))
    size = np.rint(FINE * sizes).astype(np.int64).tolist()  # whole, so that what is added up one by one is exact
    left = np.diff(by_figure.indptr).tolist()
    of_figure = np.split(by_figure.indices, by_figure.indptr[1:-1])
    of_cell = [figures.tolist() for figures in np.split(by_cell.indices, by_cell.indptr[1:-1])]
    # What a cell adds to the sizes of open sums: its figures open with it, unless they close with it, or they close.
    adds = [0 if number == 1 else of for number, of in zip(left, size, strict=True)]
    cost = np.array([sum(adds[figure] for figure in mine) for mine in of_cell])
    order: list[int] = []
    for _ in of_cell:
        cell = int(cost.argmin())
        order.append(cell)
        for figure in of_cell[cell]:
            left[figure] -= 1
            now = -size[figure] if left[figure] == 1 else 0
            cost[of_figure[figure]] += now - adds[figure]
            adds[figure] = now
        cost[order] = DONE
    return order


def _planned(part: Part, order: list[int], asked: np.ndarray | None) -> tuple[list[Step], int]:
    """What happens at each cell, and how many numbers hold the marks; what is asked for is a sum that begins first and ends
    never."""
    by_cell = sp.csc_array(part.incidence)
    sizes = np.diff(part.incidence.indptr)
    pairs = may_be_the_same(part)
    partners: list[list[tuple[int, int]]] = [[] for _ in sizes]
    for number, (one, other) in enumerate(pairs.tolist()):
        partners[one].append((other, number))
        partners[other].append((one, number))
    rest_low, rest_high = part.incidence @ part.low, part.incidence @ part.high
    passed, closed = np.zeros(len(sizes), dtype=np.int64), np.zeros(len(sizes), dtype=bool)
    live: list[int] = [] if asked is None else [-1]
    bit_of: dict[int, int] = {}
    free: list[int] = []
    width, plan = 0, []
    for cell in order:
        mine = by_cell.indices[by_cell.indptr[cell] : by_cell.indptr[cell + 1]].tolist()
        inside = set(mine)
        opened = [figure for figure in mine if not passed[figure]]
        live += opened
        marked = []
        for figure in opened:
            for _, pair in partners[figure]:
                if pair not in bit_of:
                    bit_of[pair] = free.pop() if free else width
                    width = max(width, bit_of[pair] + 1)
                    marked.append(bit_of[pair])
        parted = sorted(
            {
                bit_of[pair]
                for figure in mine
                for other, pair in partners[figure]
                if pair in bit_of and other not in inside
            }
        )
        passed[mine] += 1
        rest_low[mine] -= part.low[cell]
        rest_high[mine] -= part.high[cell]
        added, times = [live.index(figure) for figure in mine], [1] * len(mine)
        least, most = (part.first[mine] - rest_high[mine]).tolist(), (part.last[mine] - rest_low[mine]).tolist()
        if asked is not None and asked[cell]:
            added, times = [0, *added], [int(asked[cell]), *times]
            least, most = [-NO_LIMIT, *least], [NO_LIMIT, *most]
        closing, cleared = [], []
        for figure in mine:
            if passed[figure] < sizes[figure]:
                continue
            done = [(other, pair) for other, pair in partners[figure] if closed[other]]
            same = [part.published[other] == part.published[figure] for other, _ in done]
            closing.append(
                Closing(
                    figure, live.index(figure),
                    tuple(bit_of[pair] for (_, pair), alike in zip(done, same, strict=True) if alike),
                    tuple(bit_of[pair] for (_, pair), alike in zip(done, same, strict=True) if not alike),
                )
            )  # fmt: skip
            closed[figure] = True
            cleared += [pair for _, pair in done]
        kept = [place for place, figure in enumerate(live) if figure < 0 or not closed[figure]]
        live = [live[place] for place in kept]
        bits = tuple(bit_of.pop(pair) for pair in cleared)
        free += bits
        plan.append(
            Step(
                cell, len(opened), tuple(marked), np.array(added, dtype=np.int64), np.array(times, dtype=np.int64),
                np.array(least, dtype=np.int64), np.array(most, dtype=np.int64), tuple(parted), tuple(closing),
                np.array(kept, dtype=np.int64), bits,
            )
        )  # fmt: skip
    return plan, width


@dataclass(eq=False)
class _Passage:
    """The way through all cells of a part."""

    part: Part
    weights: Sequence[np.ndarray]
    budget: Budget
    numbers: int = 0
    """All that was written down so far."""

    def forward(
        self, plan: list[Step], states: States, *, keep: bool = True
    ) -> tuple[States, list[tuple[Ways, States]]]:
        """The states after the last cell; with `keep`, of every cell the ways to it and the states that these came from."""
        history = []
        for k, step in enumerate(plan):
            check_time("exact laws were worked out")
            before, left = states, len(plan) - k
            states, ways = self._passed(step, states, left if self.budget.foreseen else 1)
            if keep:
                history.append((ways, before._replace(sums=NOTHING, marks=NOTHING)))
        return states, history

    def _passed(self, step: Step, states: States, left: int) -> tuple[States, Ways]:
        """Past one cell, with every number of people in it; too large where `left` such cells would be."""
        low = int(self.part.low[step.cell])
        sums = np.concatenate([states.sums, np.zeros((len(states.sums), step.opened), dtype=np.int64)], axis=1)
        marks = states.marks.copy()
        _set(marks, step.marked)
        kept: list[tuple[np.ndarray, ...]] = []
        numbers = 0
        for k, weight in enumerate(self.weights[step.cell].tolist()):
            if weight == -np.inf:
                continue
            new = sums[:, step.added] + (low + k) * step.times
            able = np.flatnonzero(((new >= step.least) & (new <= step.most)).all(axis=1))
            if not len(able):
                continue
            there, own = sums[able], marks[able]
            there[:, step.added] = new[able]
            if low + k:
                _clear(own, step.parted)
            logs = np.full(len(able), weight)
            for closing in step.closed:
                logs += self._weighed(closing, there[:, closing.place], own)
            good = np.flatnonzero(logs > -np.inf)
            _clear(own, step.cleared)
            kept.append((there[good][:, step.kept], own[good], able[good], np.full(len(good), low + k), logs[good]))
            numbers += len(good) * (len(step.kept) + own.shape[1] + 4)
            if (
                WORK_PER_NUMBER * (self.numbers + numbers * left) > self.budget.operations
                or BYTES_PER_NUMBER * numbers > self.budget.bytes
            ):
                raise TooLarge(
                    f"the figures tie {len(self.part.cells):,} cells together in more ways than are followed exactly; leave "
                    "it to chains, or allow more operations and memory (limit=, memory=)."
                )
        if not any(len(found[2]) for found in kept):
            raise Contradiction("no table agrees with all figures, if the same people are always published alike.")
        self.numbers += numbers
        new_sums, new_marks, begin, value, logs = (np.concatenate(columns) for columns in zip(*kept, strict=True))
        first, end = _distinct(np.concatenate([new_sums, new_marks], axis=1))
        weight = _log_sums(states.weight[begin] + logs, end, len(first))
        tables = np.bincount(end, states.tables[begin], len(first))
        return States(new_sums[first], new_marks[first], weight, tables), Ways(begin, value, end, logs)

    def _weighed(self, closing: Closing, counts: np.ndarray, marks: np.ndarray) -> np.ndarray:
        """The log-weight of a figure whose counts are known; none where the same people were weighed already."""
        logs = self.part.row(closing.figure)[counts - self.part.first[closing.figure]]
        occupied = counts > 0
        if closing.alike:
            logs = np.where(occupied & _any(marks, closing.alike), 0.0, logs)
        if closing.unlike:
            logs = np.where(occupied & _any(marks, closing.unlike), -np.inf, logs)
        return logs


def _beginning(width: int, asked: bool = False) -> States:
    """Before the first cell: nobody was met yet."""
    sums, marks = np.zeros((1, int(asked)), dtype=np.int64), np.zeros((1, -(-width // BITS)), dtype=np.int64)
    return States(sums, marks, np.zeros(1), np.ones(1))


def _marginals(plan: list[Step], history: list[tuple[Ways, States]]) -> list[Law]:
    """The law of every cell: the weight of what comes before it, times that of what comes after."""
    after = np.zeros(1)
    laws: dict[int, Law] = {}
    for step, (ways, before) in zip(plan[::-1], history[::-1], strict=True):
        onward = ways.weight + after[ways.end]
        laws[step.cell] = _law(ways.value, before.weight[ways.begin] + onward)
        after = _log_sums(onward, ways.begin, len(before.weight))
    return [laws[cell] for cell in range(len(plan))]


def _distinct(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of rows of whole numbers: the first of each kind, and of which kind every row is."""
    kind = np.zeros(len(columns), dtype=np.int64)
    number = 1
    for column in columns.T:
        low = int(column.min())
        span = int(column.max()) - low + 1
        if span == 1:
            continue
        if number * span >= 2**62:
            kind = np.unique(kind, return_inverse=True)[1]
            number = int(kind.max()) + 1
        if number * span >= 2**62:
            column = np.unique(column, return_inverse=True)[1]
            low, span = 0, int(column.max()) + 1
        kind, number = kind * span + (column - low), number * span
    _, first, end = np.unique(kind, return_index=True, return_inverse=True)
    return first, end


def _log_sums(logs: np.ndarray, groups: np.ndarray, number: int) -> np.ndarray:
    """The logarithm of the sum of each group."""
    most = np.full(number, -np.inf)
    np.maximum.at(most, groups, logs)
    safe = np.where(np.isfinite(most), most, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.bincount(groups, np.exp(logs - safe[groups]), number)) + safe)


def _law(values: np.ndarray, logs: np.ndarray) -> Law:
    """The law of values with these log-weights; what can go on to no end has none."""
    able = np.isfinite(logs)
    values, logs = values[able], logs[able]
    first = int(values.min())
    p = np.bincount(values - first, np.exp(logs - logs.max()))
    return Law(first, p / p.sum(), np.bincount(values - first) > 0)


def _set(marks: np.ndarray, bits: Sequence[int]) -> None:
    for bit in bits:
        marks[:, bit // BITS] |= np.int64(1) << np.int64(bit % BITS)


def _clear(marks: np.ndarray, bits: Sequence[int]) -> None:
    for word, mask in _masks(bits).items():
        marks[:, word] &= ~np.int64(mask)


def _any(marks: np.ndarray, bits: Sequence[int]) -> np.ndarray:
    found = np.zeros(len(marks), dtype=bool)
    for word, mask in _masks(bits).items():
        found |= (marks[:, word] & np.int64(mask)) != 0
    return found


def _masks(bits: Sequence[int]) -> dict[int, int]:
    """Bits as masks of the numbers that hold them."""
    masks: dict[int, int] = {}
    for bit in bits:
        masks[bit // BITS] = masks.get(bit // BITS, 0) | 1 << bit % BITS
    return masks
