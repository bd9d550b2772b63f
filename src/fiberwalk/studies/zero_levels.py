"""Populations with as many random and structural zeros as are asked for (ASE15, section 7, asks for such a study).

A structural zero is a cell that nobody can be in; a random one has a probability, and happens to be empty.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..base.errors import InputError
from ..base.numbers import is_number
from ..fiber.laws.log_linear_model import fit
from ..release.tables.tables import Table


class Generated(NamedTuple):
    """A population, and which of its cells nobody can be in."""

    table: Table
    shut: np.ndarray


def levels(name: str, given: Any) -> list[float]:
    """Different shares of cells, one or several; none given: no such zeros."""
    shares = [0.0] if given is None else list(given) if isinstance(given, Iterable) else [given]
    if not shares or not all(is_number(x) and 0 <= x < 1 for x in shares) or len(set(shares)) < len(shares):
        raise InputError(
            f"sample_study({name}={given!r}): different shares of the cells, from 0 to below 1, at least one."
        )
    return [float(share) for share in shares]


def with_zeros(table: Table, random_zeros: float, structural_zeros: float, seed: int) -> Generated:
    """A population of as many people as a table has, generated from its log-linear model with main effects (ASE15, 6.1).

    Structural zeros are cells chosen by chance; the model leaves them out. Random zeros are drawn among the others without
    replacement, each weighed by the odds that nobody is there. Every cell that is left has one person, and the further
    people fall into these cells with the probabilities of the model.
    """
    random = np.random.default_rng(seed)
    cells, people = table.values.size, int(table.values.sum())
    closed, empty = (math.floor(share * cells + 0.5) for share in (structural_zeros, random_zeros))
    if not 0 < cells - closed - empty <= people:
        raise InputError(
            f"sample_study(): {closed} structural and {empty} random zeros leave {cells - closed - empty} of {cells} cells "
            f"for {people} people; at least one cell must be left, and a person for each."
        )
    shut = np.zeros(cells, dtype=bool)
    shut[random.choice(cells, closed, replace=False)] = True
    kept = np.where(shut.reshape(table.values.shape), 0, table.values)
    expected = fit(
        Table(kept, table.dims), [dim.name for dim in table.dims], add=0.5, shut=shut.reshape(kept.shape)
    ).expected.ravel()
    p = expected / expected.sum()
    with np.errstate(divide="ignore"):
        nobody = people * np.log1p(-p)  # the log of the probability that a cell stays empty
        # log-odds with Gumbel noise: the largest are a draw without replacement
        log_odds = np.where(shut, -np.inf, nobody - np.log(-np.expm1(nobody)) + random.gumbel(size=cells))
    chosen = np.argsort(-log_odds, kind="stable")[:empty]
    filled = ~shut
    filled[chosen] = False
    counts = filled.astype(np.int64)
    shares = np.where(filled, p, 0.0)
    counts += random.multinomial(people - int(filled.sum()), shares / shares.sum())
    return Generated(Table(counts.reshape(table.values.shape), table.dims), shut)
