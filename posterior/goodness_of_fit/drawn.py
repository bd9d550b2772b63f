"""The p-value of a statistic from drawn tables: batch after batch until its error is small enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.interruption import INTERRUPTED, TIME_UP, time_left
from ...base.progress import Progress
from ...moves.chooser import Moves
from ...sampler.chains.diagnostics import LARGEST_RHAT, LEAST_DRAWS, effective_draws, split_rhat
from ...sampler.chains.settings import ChainSettings
from ...sampler.drawn_tables import table_portions
from .statistics import Statistic

FIRST_LENGTH = 64
"""Draws in a batch at first; batches are joined in pairs whenever there are `BATCHES`."""
BATCHES, LOOK_AT = 64, (48, 64)
NUMBERS = 4_000_000
"""Cells of tables that are drawn at a time."""
ENDLESS = 1 << 50


@dataclass(frozen=True)
class Drawn:
    """A p-value from drawn tables, and how far it can be trusted."""

    p: float
    error: float
    draws: int
    ess: float
    rhat: float
    settled: bool
    """Was the error small enough at two looks in a row?"""
    stopped: str
    facts: dict[str, Any]


@dataclass(eq=False)
class Batches:
    """Sums of the statistic and of its tail over batches of draws, [chain, batch, 2], and of their squares."""

    chains: int
    length: int = FIRST_LENGTH
    sums: list[np.ndarray] = field(default_factory=list)
    squares: list[np.ndarray] = field(default_factory=list)

    def add(self, statistic: np.ndarray, tail: np.ndarray) -> None:
        """One more batch, [chain, draw] each."""
        pairs = np.stack([statistic, tail.astype(float)], axis=-1)
        self.sums.append(pairs.sum(axis=1))
        self.squares.append((pairs**2).sum(axis=1))

    def join(self) -> None:
        """Half as many batches, twice as long."""
        for noted in (self.sums, self.squares):
            noted[:] = [first + second for first, second in zip(noted[::2], noted[1::2], strict=True)]
        self.length *= 2

    @property
    def draws(self) -> int:
        """Of all chains."""
        return self.chains * self.length * len(self.sums)

    def judged(self) -> tuple[float, float, float, float]:
        """The p-value, its error, effective draws, and the largest R-hat.

        Where the tail was never or always met its draws tell nothing of how well chains mix, and those of the statistic do.
        """
        sums, squares = np.stack(self.sums, axis=1), np.stack(self.squares, axis=1)
        p = float(sums[..., 1].sum() / self.draws)
        moved = np.array([True, 0.0 < p < 1.0])
        ess = float(np.min(effective_draws(sums, squares, self.length)[moved].clip(max=self.draws)))
        rhat = float(np.max(split_rhat(sums, squares, self.length)[moved]))
        # one draw more on either side: a tail that was never met has an error all the same
        near = (p * ess + 1.0) / (ess + 2.0)
        return p, float(np.sqrt(near * (1.0 - near) / max(ess, 1.0))), ess, rhat


def by_draws(
    moves: Moves,
    statistic: Statistic,
    observed: float,
    settings: ChainSettings,
    *,
    tolerance: float,
    progress: Progress | None = None,
) -> Drawn:
    """Draw tables until the standard error of the p-value is at most the tolerance, time is up, or Ctrl-C is pressed."""
    least = statistic.least(observed)
    noted = Batches(settings.chains)
    cells = max(1, moves.support.solved.fiber.n_cells)
    portion = max(1, min(1 << 14, NUMBERS // (cells * settings.chains)))
    portions, facts = table_portions(moves, settings, draws=ENDLESS, portion=portion, progress=progress)
    stream = _batches(portions, noted, statistic)
    good, looked_at, stopped = 0, 0, ""
    judged = (np.nan, np.inf, 0.0, np.inf)
    try:
        while good < 2 and not stopped:
            noted.add(values := next(stream), values >= least)
            if len(noted.sums) in LOOK_AT:
                judged, looked_at = noted.judged(), noted.draws
                p, error, ess, rhat = judged
                good = good + 1 if error <= tolerance and ess >= LEAST_DRAWS and rhat < LARGEST_RHAT else 0
                if progress is not None:
                    progress(f"p = {p:.4f} ± {error:.4f} after {noted.draws:,} tables; ± {tolerance:g} is wanted")
            if len(noted.sums) == BATCHES:
                noted.join()
            if time_left() == 0.0 and np.isfinite(judged[1]):
                stopped = TIME_UP
    except KeyboardInterrupt:
        if not np.isfinite(judged[1]):
            raise  # there is nothing to tell yet
        stopped = INTERRUPTED
    p, error, ess, rhat = judged
    return Drawn(p, error, looked_at, ess, rhat, good >= 2 and facts["converged"] == "yes", stopped, facts)


def _batches(portions: Iterator[np.ndarray], noted: Batches, statistic: Statistic) -> Iterator[np.ndarray]:
    """Statistics of drawn tables, [chain, draw], as many at a time as a batch has."""
    waiting: list[np.ndarray] = []
    for tables in portions:
        waiting.append(statistic.of(tables))
        number = sum(statistics.shape[1] for statistics in waiting)
        if number < noted.length:
            continue
        together = np.concatenate(waiting, axis=1)
        done = 0
        while number - done >= noted.length:
            length = noted.length
            yield together[:, done : done + length]
            done += length
        waiting = [together[:, done:]]
