"""Ratios of seconds, new to old, with intervals; and what they come to.

A round runs new, old, old, new, so that a machine that grows busier or quieter does so for both. Its ratio is that of the
quicker run of each: what disturbs a run only ever adds to it. Of the logarithms of the ratios of all rounds, the mean is
taken without the highest and lowest fifth, with the interval of Tukey and McLaughlin: Student's t on the winsorized
variance. So a few bad rounds neither shift a ratio nor widen its interval much.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

TRIMMED = 0.2
"""The part of the rounds that is left out at each end."""
LEVEL = 0.95


@dataclass(frozen=True)
class Round:
    """Seconds of the two runs of each side."""

    new: tuple[float, float]
    old: tuple[float, float]

    @property
    def log_ratio(self) -> float:
        """Of the quicker runs."""
        return math.log(min(self.new) / min(self.old))


@dataclass(frozen=True)
class Ratio:
    """New seconds in times of the old ones; `half` is half the width of its interval on the logarithmic scale."""

    log: float
    half: float

    @property
    def value(self) -> float:
        """Above 1: slower."""
        return math.exp(self.log)

    @property
    def low(self) -> float:
        """Where the interval begins."""
        return math.exp(self.log - self.half)

    @property
    def high(self) -> float:
        """Where it ends."""
        return math.exp(self.log + self.half)


def ratio_of(rounds: Sequence[Round]) -> Ratio:
    """The ratio of one contest; without any idea of its width from fewer than three rounds."""
    logs = np.sort([one.log_ratio for one in rounds])
    n, out = len(logs), int(TRIMMED * len(logs))
    kept = logs[out : n - out]
    if n < 3:
        return Ratio(float(kept.mean()), math.inf)
    winsorized = np.clip(logs, kept[0], kept[-1])
    error = winsorized.std(ddof=1) / ((1 - 2 * out / n) * math.sqrt(n))
    return Ratio(float(kept.mean()), float(stdtrit(len(kept) - 1, (1 + LEVEL) / 2) * error))


def mean_of(ratios: Sequence[Ratio]) -> Ratio:
    """The geometric mean over contests, whose errors have nothing to do with each other."""
    logs, halves = [one.log for one in ratios], [one.half for one in ratios]
    return Ratio(sum(logs) / len(logs), math.hypot(*halves) / len(ratios))


@dataclass(frozen=True)
class Limits:
    """From where on a change counts as slower."""

    mean: float = 1.03
    """The geometric mean over contests."""
    contest: float = 1.10
    """A contest whose interval lies wholly above."""


def complaints(ratios: Mapping[str, Ratio], limits: Limits) -> list[str]:
    """What has become too slow, a sentence for each; nothing where nothing has."""
    found = []
    if ratios and (mean := mean_of(list(ratios.values()))).value > limits.mean:
        found.append(f"the geometric mean is {percent(mean.value)}; {percent(limits.mean)} may be.")
    for name, one in ratios.items():
        if one.low > limits.contest:
            found.append(f"{name} is {percent(one.value)}, its interval wholly above {percent(limits.contest)}.")
    return found


def percent(ratio: float) -> str:
    """A ratio in words."""
    return f"{abs(ratio - 1):.1%} {'slower' if ratio >= 1 else 'quicker'}"
