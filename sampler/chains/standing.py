"""Where a run of chains stands: how far it is, how well its answers are known, and how long it may take, in words."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from ...release.release import Release
from .chain import BATCHES
from .diagnostics import LEAST_DRAWS
from .names import QuestionNames

if TYPE_CHECKING:
    from .run import Run, UnitRun


class Standing:
    """How far a run is and how long it may take, in words."""

    def __init__(self, run: Run, began: float) -> None:
        self.run, self.began = run, began
        self.before = sum(_done(one) for one in run.units)

    def words(self, release: Release | None = None) -> str:
        """Draws, the worst R-hat and error of an entropy, and about how long it may take."""
        units = self.run.units
        going = [one for one in units if not one.finished]
        if not going:
            return f"all {len(units)} sampled blocks done"
        done, wanted = sum(map(_done, units)), sum(self._wanted(one) for one in units)
        spent = time.monotonic() - self.began
        left = spent * (wanted - done) / max(done - self.before, 1.0)
        worst = max(going, key=self._wanted)
        share = min(1.0, done / wanted)
        bar = ("#" * round(20 * share)).ljust(20, "-")
        text = f"[{bar}] {share:4.0%}  {worst.draws:,} draws a chain"
        if worst.diagnosis is not None:
            text += f"  R-hat {worst.diagnosis.rhat.max():.3f}"
        if worst.diagnosis is not None and self.run.looks > 1:  # the first look has no errors yet
            goal = f" (wanted {self.run.tolerance:g})" if np.isfinite(self.run.tolerance) else ""
            text += f"  entropy error {3 * worst.diagnosis.entropy_error.max():.3f}{goal}  about {_time(left)} left"
        if len(units) > 1:
            text += f"  {len(going)} of {len(units)} blocks open"
        if worst.diagnosis is not None and release is not None:
            text += f"  worst: {worst.diagnosis.worst(QuestionNames(release, worst.unit))}"
        return text

    def _wanted(self, one: UnitRun) -> float:
        """The work of a unit until it passes the stop rule twice, if errors go on shrinking as they should, or gives up."""
        first = 2.0 * BATCHES * one.chains[0].length * len(one.unit.columns)
        if one.finished:
            return _done(one)
        if one.diagnosis is None or not one.draws:
            return first
        found = one.diagnosis
        error, ess = found.entropy_error.max(initial=0.0), found.ess.min(initial=np.inf)
        times = max((3 * error / self.run.tolerance) ** 2, LEAST_DRAWS / max(ess, 1.0), 1.0)
        again = 1.0 if one.good_looks else 2.0
        most = max(self.run.most_draws - one.discarded, one.draws) * len(one.unit.columns)
        return min(_done(one) * again * 2 ** float(np.ceil(np.log2(min(times, 1e6)))), float(most))


def _done(one: UnitRun) -> float:
    return float(one.draws * len(one.unit.columns))


def _time(seconds: float) -> str:
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
