"""The exact mechanisms under one protocol: how each publishes many times, and how an outsider reads one publication.

A case that claims an exact likelihood is held to it twice: what it publishes has the distribution that its evidence says,
and the truth ranks evenly in the posterior that follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

import fiberwalk as fw
from fiberwalk.protect.mechanism import Mechanism

SHAPE = (2, 3)
ROWS, COLUMNS = (5, 4), (4, 3, 2)


@dataclass(frozen=True)
class Case:
    """A mechanism: `draw` publishes one truth n times, `read` gives the release of one publication."""

    name: str
    draw: Callable[[np.ndarray, int, np.random.Generator], np.ndarray]
    read: Callable[[np.ndarray], fw.Release]
    constant: float = 1.0
    """What the product of the evidence has to be multiplied with to be a probability."""


def totals() -> list[pd.Series]:
    """The margins that are published as they are, as an outsider has them."""
    return [
        pd.Series(list(sums), index=pd.Index([str(i + 1) for i in range(len(sums))], name=name))
        for name, sums in (("A", ROWS), ("B", COLUMNS))
    ]


def figurewise(name: str, mechanism: Mechanism, method: str, constant: float = 1.0, **parameters) -> Case:
    """A mechanism that treats figures one by one, beside exact row and column totals."""

    def draw(truth: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        numbers = rng.random(n * truth.size)
        return mechanism.publish(np.tile(truth.ravel(), n), numbers).reshape(n, truth.size)

    def read(published: np.ndarray) -> fw.Release:
        return fw.as_protected(published.reshape(SHAPE), method, exact=totals(), **parameters)

    return Case(name, draw, read, constant)


def cases() -> list[Case]:
    """Every mechanism whose likelihood is exact."""
    from fiberwalk.protect.random_rounding import RandomRounding

    return [figurewise("random rounding", RandomRounding(3), "random_round", base=3)]


def claimed(release: fw.Release, truth: np.ndarray) -> float:
    """What the evidence of a release says of how probable its figures were for a truth."""
    log_p = 0.0
    for item in release.evidence:
        value = int(item.coefficients @ truth[item.cells]) - item.first
        if not 0 <= value < len(item.log_weights):
            return 0.0
        log_p += float(item.log_weights[value])
    return math.exp(log_p)
