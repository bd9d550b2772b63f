"""Magnitudes: no single value is probable, but is the intruder's guess near enough to do harm?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import InputError
from ..posterior.parts.pmf import Pmf


def check_percent(percent: Any, where: str) -> float:
    """The percentage, if it can be one."""
    if isinstance(percent, bool) or not isinstance(percent, (int, float, np.number)) or not 0 <= percent < np.inf:
        raise InputError(f"{where}(percent={percent!r}): a percentage of at least 0.")
    return float(percent)


def within_percent(value: int, percent: float) -> tuple[int, int]:
    """The whole numbers that are at most so many percent away from a value."""
    away = int(np.floor(abs(value) * percent / 100 + 1e-9))
    return value - away if value < 0 else max(0, value - away), value + away


def best_guess(pmf: Pmf, percent: float) -> tuple[int, float]:
    """The guess that is within so many percent of the cell with the greatest probability, and that probability.

    What is meant is P(|x - guess| <= percent of |guess|), for an intruder who does not know the truth.
    """
    begin = pmf.first + pmf.width * np.flatnonzero(pmf.p > 0)
    end = begin + pmf.width - 1
    # A best window begins where a bin begins, or ends where one ends: otherwise it could be moved and lose nothing.
    guesses = np.ceil(end / (1 + percent / 100) - 1e-9)
    if percent < 100:
        guesses = np.concatenate([guesses, np.floor(begin / (1 - percent / 100) + 1e-9)])
    if pmf.lower < 0:  # the same seen from the other side of 0
        guesses = np.concatenate([guesses, -np.ceil(-begin / (1 + percent / 100) - 1e-9)])
        if percent < 100:
            guesses = np.concatenate([guesses, -np.floor(-end / (1 - percent / 100) + 1e-9)])
    guesses = np.unique(np.clip(guesses, pmf.lower, pmf.upper).astype(np.int64))
    away = np.floor(np.abs(guesses) * (percent / 100) + 1e-9)
    chance = pmf.up_to(guesses + away) - pmf.up_to(guesses - away - 1)
    best = int(chance.argmax())
    return int(guesses[best]), float(min(1.0, chance[best]))
