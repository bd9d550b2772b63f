"""Independent two-way tables by scipy.stats.random_table, asked for many tables at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import random_table

NAME = "scipy random_table"
METHODS = ("patefield", "boyett")


def drawing(values: np.ndarray, size: int, method: str) -> Callable[[], np.ndarray]:
    """A job that draws so many tables with the row and column sums of this one."""
    law, random = random_table(values.sum(axis=1), values.sum(axis=0)), np.random.default_rng(1)
    return lambda: law.rvs(size=size, method=method, random_state=random)
