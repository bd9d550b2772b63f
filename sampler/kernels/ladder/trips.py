"""Round trips on a ladder: how often chains crossed between separate peaks, and what a certificate is then about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ....base.certificate import Certificate
from ..kernel import Kernel
from .kernel import Ladder

TRIPS, TRIPS_EACH = 40, 4
"""Round trips of all chains together, and of each, before they may agree."""


def round_trips(kernel: Kernel, rooms: Sequence[Any]) -> np.ndarray | None:
    """How often each chain went from one end of its ladder to the other and back; None where there is no ladder."""
    return np.array([room.trips for room in rooms]) if isinstance(kernel, Ladder) else None


def crossed(certificate: Certificate, kernel: Kernel, rooms: Sequence[Any]) -> Certificate:
    """The certificate of a unit, which is about the peaks that were found where there are separate ones."""
    if not isinstance(kernel, Ladder):
        return certificate
    trips = sum(room.trips for room in rooms)
    about_peaks = (
        f"its law has separate peaks, and this is about those that were found: by a ladder of {len(kernel.powers)} "
        f"powers of the weights, on which chains went {trips:,} times from one end to the other and back"
    )
    return replace(certificate, reason=f"{certificate.reason}; {about_peaks}")
