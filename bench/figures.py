"""What a contest finds: a figure of ours, a peer's figure for the same problem in the same run, and their ratio."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One line of the table: of one problem, what was measured, ours, and the peer's where there is one.

    `ratio` is how many times better ours is, whichever way better goes. `target` is the least ratio wanted; of a figure
    without a peer, the most (or, where more is better, the least) that ours may be.
    """

    contest: str
    problem: str
    what: str
    unit: str
    ours: float
    peer: str = ""
    theirs: float | None = None
    more_is_better: bool = True
    target: float | None = None
    note: str = ""
    complete: bool = True
    """Did it come to its end? A target is not met otherwise."""
    guarded: bool = True
    """Does `make bench-quick` hold the ratio to the stored one? Not where it is mostly noise."""

    @property
    def ratio(self) -> float | None:
        """How many times better than the peer; None without one."""
        if self.theirs is None or not self.theirs or not self.ours:
            return None
        return self.ours / self.theirs if self.more_is_better else self.theirs / self.ours

    @property
    def met(self) -> bool | None:
        """Is the target met? None where there is none."""
        if self.target is None:
            return None
        if not self.complete:
            return False
        if self.theirs is not None:
            return self.ratio is not None and self.ratio >= self.target
        return self.ours >= self.target if self.more_is_better else self.ours <= self.target

    @property
    def key(self) -> str:
        """What names the figure from one run to the next."""
        return " | ".join((self.contest, self.problem, self.what, self.peer))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Skipped:
    """A peer that is not on this machine, and how to get it."""

    contest: str
    peer: str
    why: str

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def best_of(jobs: Mapping[str, Callable[[], object]], rounds: int, clock: Callable[[], float]) -> dict[str, float]:
    """Seconds of each job, the best of some rounds in which all take turns, so that a busy machine is busy for all.

    `clock`: `time.thread_time` for work of this thread alone, `time.process_time` for all threads,
    `time.perf_counter` where waiting counts.
    """
    best = dict.fromkeys(jobs, math.inf)
    for _ in range(rounds):
        for name, job in jobs.items():
            begin = clock()
            job()
            best[name] = min(best[name], clock() - begin)
    return best


def once(job: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> tuple[Any, float]:
    """What a job gives, and its seconds."""
    begin = clock()
    found = job()
    return found, clock() - begin


@dataclass(frozen=True)
class Curve:
    """How a cost grows: what it is the cost of, against what, and the slope on log-log paper."""

    contest: str
    of: str
    against: str
    unit: str
    points: tuple[tuple[float, float], ...]

    @property
    def slope(self) -> float:
        """The exponent: cost ~ size^slope, by least squares on the logarithms."""
        logs = [(math.log(x), math.log(y)) for x, y in self.points]
        x0, y0 = (sum(one) / len(logs) for one in zip(*logs, strict=True))
        return sum((x - x0) * (y - y0) for x, y in logs) / sum((x - x0) ** 2 for x, _ in logs)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


Finding = Figure | Skipped | Curve


def from_dict(kind: str, values: dict[str, Any]) -> Finding:
    """A finding read back from JSON."""
    if kind == "curve":
        values = {**values, "points": tuple(tuple(one) for one in values["points"])}
        return Curve(**values)
    return Skipped(**values) if kind == "skipped" else Figure(**values)


def kind_of(finding: Finding) -> str:
    """What a finding is called in JSON."""
    return type(finding).__name__.lower()
