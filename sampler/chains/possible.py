"""A first table that the law does not exclude: where some values have probability zero, starts may be impossible."""

from __future__ import annotations

import numpy as np

from ...base.errors import InputError
from ...fiber.laws.support import NO_TABLE
from ..lines.weights import log_weight_of
from .chain import Chain
from .unit import Unit
from .units import with_weights

PENALTY = -50.0
"""The log-weight of an excluded value while a possible table is searched for."""
TRIES = 2000
"""Draws of that search."""


def possible_tables(unit: Unit, starts: np.ndarray, random: np.ndarray) -> np.ndarray:
    """The starts, each impossible one replaced by a possible table that chains lead to from there."""
    if not np.isneginf(unit.weights.value).any():
        return starts
    soft = unit.weights._replace(value=np.maximum(unit.weights.value, PENALTY))
    search = with_weights(unit, soft)
    found = starts.copy()
    for k, start in enumerate(starts):
        chain = Chain(search, start, random)
        for _ in range(TRIES):
            if log_weight_of(unit.weights, chain.place.table) > -np.inf:
                break
            chain.advance(search, 1)
        else:
            raise InputError(
                NO_TABLE + "no table without excluded values was found by a search of some thousand draws."
            )
        found[k] = chain.place.table + unit.offset
    return found
