"""Where a run of chains stands: how far it is, how well its answers are known, and how long it may take, in words."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from ...release.release import Release
from .names import QuestionNames
from .settings import BATCHES
from .unit_run import CONFIRMED, UnitRun

if TYPE_CHECKING:
    from .run import Run

MOST_TIMES = 1e9
LONG = 2 * 86_400.0
"""Seconds beyond which nobody wants to know more exactly."""


class Standing:
    """How far a run is and how long it may take, in words."""

    def __init__(self, run: Run, began: float) -> None:
        self.run, self.began = run, began
        self.before = sum(_made(unit_run) for unit_run in run.units)
        self.share = 0.0

    def words(self, release: Release | None = None) -> str:
        """Draws, the worst R-hat and error of an entropy, and about how long it may take."""
        units = self.run.units
        going = [unit_run for unit_run in units if not unit_run.finished]
        if not going:
            return f"all {len(units)} sampled blocks done"
        made, left = sum(map(_made, units)), sum(map(self._left, going))
        spent = time.monotonic() - self.began
        # what a run does not know beforehand may come up: what was shown as done stays so
        self.share = max(self.share, min(0.99, made / (made + left)))
        worst = max(going, key=self._left)
        bar = ("#" * int(20 * self.share)).ljust(20, "-")
        text = f"[{bar}] {self.share:4.0%}  {worst.draws:,} draws a chain"
        if worst.diagnosis is not None:
            text += f"  R-hat {worst.diagnosis.rhat.max():.3f}"
        if worst.diagnosis is not None and worst.reference is not None and self.run.looks > 1:
            goal = f" (wanted {self.run.settings.tolerance:g})" if np.isfinite(self.run.settings.tolerance) else ""
            text += f"  entropy error {3 * worst.diagnosis.entropy_error.max():.3f}{goal}"
        if worst.diagnosis is not None:
            text += f"  {_time(spent * left / max(made - self.before, 1.0))} left"
        if len(units) > 1:
            text += f"  {len(going)} of {len(units)} blocks open"
        if worst.diagnosis is not None and release is not None:
            text += f"  worst: {worst.diagnosis.worst(QuestionNames(release, worst.unit))}"
        return text

    def _left(self, unit_run: UnitRun) -> float:
        """The work of a unit until it passes the stop rule twice, if errors go on shrinking as they should, or gives up."""
        first = 2.0 * BATCHES * unit_run.chains[0].length
        if unit_run.diagnosis is None or not unit_run.draws:
            return max(first - unit_run.draws, 1.0) * len(unit_run.unit.columns)
        times = min(unit_run.times_needed(self.run.settings.tolerance), MOST_TIMES)
        wanted = CONFIRMED * (unit_run.good_since if unit_run.good_looks else unit_run.draws * times)
        if self.run.settings.max_draws is not None:
            wanted = min(wanted, float(max(self.run.settings.max_draws - unit_run.discarded, unit_run.draws)))
        return max(wanted - unit_run.draws, 1.0) * len(unit_run.unit.columns)


def _made(unit_run: UnitRun) -> float:
    return float(unit_run.made * len(unit_run.unit.columns))


def _time(seconds: float) -> str:
    if seconds > LONG:
        return "more than two days"
    for size, name in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"about {seconds / size:.0f} {name}"
    return f"about {seconds:.0f} s"
