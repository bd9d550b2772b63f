"""Separate peaks: how often chains crossed between them, and what a certificate is then about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...base.certificate import Certificate
from ..kernels.ladder.kernel import Ladder
from .chain import Chain
from .unit import Unit

TRIPS, TRIPS_EACH = 40, 4
"""Round trips of all chains together, and of each, before they may agree."""


def round_trips(unit: Unit, chains: Sequence[Chain]) -> np.ndarray | None:
    """How often each chain went from one end of its ladder to the other and back; None where there is no ladder."""
    if not isinstance(unit.kernels[0], Ladder):
        return None
    return np.array([chain.rooms[0].trips for chain in chains])


def crossed(unit: Unit, chains: Sequence[Chain]) -> Certificate:
    """The certificate of a unit, which is about the peaks that were found where there are separate ones."""
    trips = round_trips(unit, chains)
    if trips is None:
        return unit.certificate
    ladder = unit.kernels[0]
    assert isinstance(ladder, Ladder)
    said = (
        f"its law has separate peaks, and this is about those that were found: by a ladder of {len(ladder.powers)} "
        f"powers of the weights, on which chains went {int(trips.sum()):,} times from one end to the other and back"
    )
    return replace(unit.certificate, reason=f"{unit.certificate.reason}; {said}")
