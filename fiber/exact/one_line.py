"""Blocks with one degree of freedom, at whatever size: their tables lie on one line, and its law is summed about its mode.

Under weights mu^x / x! the law along a line is log-concave: from the mode on the ratio of neighbours falls, so that all that
comes after a point where it is r is at most r / (1 - r) of what that point has. The sum ends where this is next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...base.errors import TooLarge
from ...base.jit import jit
from ..blocks.presolve import Block
from ..equations.lattice import integer_kernel

LEFT_OUT = 1e-16
"""Of all probability, on each side, at most."""
SUMMED = 4_000_000_000
"""Tables that are looked at, at most: some ten seconds."""
FACTORS = 16
"""Columns whose weights are multiplied as they are; products of more may run over, and are added up as logarithms."""


@dataclass(frozen=True, eq=False)
class Line:
    """All tables of a block: start + t * step for t from `first` to `last`."""

    start: np.ndarray
    step: np.ndarray
    first: int
    last: int

    @property
    def tables(self) -> int:
        """How many there are."""
        return self.last - self.first + 1


@dataclass(frozen=True, eq=False)
class LineLaw:
    """p[k] is the probability of the `width` tables from `first + k * width` on; those beyond have next to none."""

    first: int
    width: int
    p: np.ndarray
    bits: float


def line_of(block: Block) -> Line | None:
    """The line on which all tables of a block lie, if it is one."""
    if len(block.columns) - len(block.b) > 1:  # not even if no equation follows from the others
        return None
    basis = integer_kernel(block.A).basis
    if basis.shape[0] != 1:
        return None
    step = np.asarray(basis.toarray())[0].astype(np.int64)
    if (step == 0).any():
        return None
    room_up, room_down = block.upper - block.start, block.start - block.lower
    ahead = np.where(step > 0, room_up, room_down) // np.abs(step)
    back = np.where(step > 0, room_down, room_up) // np.abs(step)
    return Line(block.start.astype(np.int64), step, -int(back.min()), int(ahead.min()))


def law_on(line: Line, means: np.ndarray, counted: np.ndarray, most: int) -> LineLaw:
    """The law along a line, in at most `most` numbers: weights mu^x / x! of the `counted` columns, with these means."""
    if not counted.any():
        width = _width(line.tables, most)
        ends = np.minimum(np.arange(0, line.tables + width, width), line.tables)
        ends = ends[: -(-line.tables // width) + 1]
        return LineLaw(line.first, width, np.diff(ends) / line.tables, float(np.log2(line.tables)))
    log_tilt = float(line.step[counted] @ np.log(means))
    line = replace(line, start=line.start[counted], step=line.step[counted])
    mode = _mode(line, log_tilt)
    up, down = (
        _reach(line.start, line.step, mode, log_tilt, direction, end, SUMMED)
        for direction, end in _directions(line, mode)
    )
    if up < 0 or down < 0:
        raise TooLarge(f"the tables lie on one line, but more than {SUMMED:,} of them are not negligible.")
    first, n_tables = mode - down, up + down + 1
    width = _width(n_tables, most)
    p = np.zeros(-(-n_tables // width))
    mass, bits = _sum(line.start, line.step, mode, log_tilt, up, down, width, p)
    return LineLaw(first, width, p / mass, bits)


def _width(tables: int, most: int) -> int:
    """How many tables are put together, a power of two, so that there are at most so many numbers."""
    return 1 << max(0, (-(-tables // most) - 1).bit_length())


def _directions(line: Line, mode: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Upwards and downwards, and how many tables there are from the mode on."""
    return (1, line.last - mode), (-1, mode - line.first)


def _mode(line: Line, log_tilt: float) -> int:
    """A table after which weights fall and before which they rise, up to what rounding can tell."""
    low, high = line.first, line.last
    while low < high:
        middle = (low + high) // 2
        if _log_ratio(line.start, line.step, middle, log_tilt) > 0:  # the next one weighs more
            low = middle + 1
        else:
            high = middle
    return low


@jit
def _log_ratio(start: np.ndarray, step: np.ndarray, t: int, log_tilt: float) -> float:
    """The log of the weight of table t + 1 over that of table t."""
    log_ratio = log_tilt
    for j in range(len(step)):
        x, slope = start[j] + t * step[j], step[j]
        for k in range(abs(slope)):
            log_ratio += -np.log(float(x + 1 + k)) if slope > 0 else np.log(float(x - k))
    return log_ratio


@jit
def _ratio(start: np.ndarray, step: np.ndarray, t: int, direction: int, log_tilt: float) -> float:
    """The weight of the next table over that of table t, upwards or downwards."""
    if len(step) > FACTORS:
        return np.exp(
            _log_ratio(start, step, t, log_tilt) if direction > 0 else -_log_ratio(start, step, t - 1, log_tilt)
        )
    ratio = np.exp(direction * log_tilt)
    for j in range(len(step)):
        x, slope = start[j] + t * step[j], direction * step[j]
        for k in range(abs(slope)):
            ratio = ratio / float(x + 1 + k) if slope > 0 else ratio * float(x - k)
    return ratio


@jit
def _reach(
    start: np.ndarray, step: np.ndarray, mode: int, log_tilt: float, direction: int, most: int, summed: int
) -> int:
    """How many tables from the mode on cannot be left out; -1 where these are too many."""
    weight = 1.0
    for distance in range(min(most, summed)):
        ratio = _ratio(start, step, mode + direction * distance, direction, log_tilt)
        # ratios only fall: what comes after is at most a geometric series
        if ratio < 1.0 and weight * ratio / (1.0 - ratio) < LEFT_OUT:
            return distance
        weight *= ratio
    return most if most <= summed else -1


@jit
def _sum(
    start: np.ndarray, step: np.ndarray, mode: int, log_tilt: float, up: int, down: int, width: int, p: np.ndarray
) -> tuple[float, float]:
    """Write the weights of all tables that count; their sum, and the entropy in bits."""
    mass = surprise = 0.0
    for direction in (1, -1):
        weight = 1.0
        for distance in range(1 if direction < 0 else 0, (up if direction > 0 else down) + 1):
            if distance > 0:
                weight *= _ratio(start, step, mode + direction * (distance - 1), direction, log_tilt)
            p[(down + direction * distance) // width] += weight
            mass += weight
            if weight > 0.0:
                surprise -= weight * np.log(weight)
    return mass, (np.log(mass) + surprise / mass) / np.log(2.0)
