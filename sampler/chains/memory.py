"""What chains take of memory, known before they start; and the refusal of what is over a limit.

A chain holds some numbers for each question (a cell or a sum that is asked about) and none for each draw: sums over its
batches, a window of counters, a list of credits that wait. What is counted here is the most that these can come to, together
with what a look at all chains takes, which comes and goes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...base.errors import TooLarge
from ..tallies.spread import MOST_COUNTERS as MOST_SPREAD
from ..tallies.windows import most_counters
from .settings import BATCHES, ChainSettings
from .unit import Unit

NUMBER = 8
FIXED = 24
"""Numbers of a question besides batches and counters: its value and bounds, where its window is, sums, what was before."""
SPARE = 2.25
"""Counters for which there is room, for each that is used, when windows have just grown."""
ROOM = 1_000_000
"""Bytes of a kernel whatever the table: a stock of moves, weights of a line."""


def chain_bytes(unit: Unit) -> int:
    """The most that one chain on a unit holds."""
    waiting = 3 * unit.most_waiting
    stocks = sum(8 * kernel.longest() + 4 * len(unit.columns) for kernel in unit.kernels)
    counters = SPARE * _counters(unit)
    spread = 2.5 * min(_counters(unit), MOST_SPREAD)  # five arrays in single precision
    # for each batch four numbers of each question
    numbers = (4 * BATCHES + FIXED) * unit.n_questions + counters + spread + waiting + stocks
    return int(NUMBER * numbers) + ROOM * len(unit.kernels)


def look_bytes(unit: Unit, chains: int) -> int:
    """The most that a look at the chains of a unit takes for a time: their batches side by side, and what all counted."""
    counters = _counters(unit)
    batches = 4 * BATCHES + BATCHES // 2  # and what a variance is made of
    # windows while they grow, their logs, both of the look before; plain counts, and how they vary
    pooled = (5 * SPARE + 3) * counters
    spread = 2.5 * chains * min(counters, MOST_SPREAD)
    return int(NUMBER * (batches * chains * unit.n_questions + pooled + spread + 20 * unit.n_questions))


def _counters(unit: Unit) -> int:
    """The most counters that the windows of a unit can come to use."""
    lower, upper = unit.question_bounds()
    return int(np.minimum(upper - lower + 1, most_counters(len(lower))).sum()) + len(lower)


def needed_bytes(units: Sequence[Unit], chains: int, kept: int = 0) -> int:
    """The most that so many chains on all units take; each keeps `kept` bytes besides, of joint counts or of its draws."""
    held = sum(chain_bytes(unit) for unit in units) + kept
    # what each unit's last look left stays: all that was counted, what it was compared with, and its logs
    left = sum(int(NUMBER * (3 * SPARE + 1) * _counters(unit)) for unit in units[1:])
    return chains * held + left + max((look_bytes(unit, chains) for unit in units), default=0)


def refuse_what_does_not_fit(units: Sequence[Unit], settings: ChainSettings, kept: int = 0) -> None:
    """`TooLarge`, with what would fit, where chains would take more memory than they may."""
    chains, most = settings.chains, settings.memory
    needed = needed_bytes(units, chains, kept)
    if needed <= most:
        return
    asked = sum(unit.n_questions for unit in units)
    fewer = next((n for n in range(chains - 1, 1, -1) if needed_bytes(units, n, kept) <= most), None)
    less = "draw fewer tables; " if kept > needed // (2 * chains) else ""
    instead = "" if fewer is None else f", or ask for chains={fewer} (--chains {fewer}), which fit"
    rounded = float(f"{needed * 1.005:.2g}")
    rounded = rounded if rounded >= needed else float(f"{needed * 1.06:.2g}")
    raise TooLarge(
        f"{chains} chains on {asked:,} open cells and sums would take up to {needed:,} bytes of memory, and {most:,} are "
        f"allowed. Allow memory={rounded:.2g} (--memory {rounded:.2g}) if there is as much{instead}; {less}publish or "
        "leave out a part of the table; or ask for bounds only."
    )
