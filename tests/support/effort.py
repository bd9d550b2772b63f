"""How many random cases a property test tries: few and always the same in `make test`, many and new in `make verify`."""

from __future__ import annotations

import os

from hypothesis import settings

TIMES = float(os.environ.get("FIBERWALK_EFFORT", "1"))
USUAL = 0.2
"""The part of the number that a test names which `make test` has time for."""


def cases(number: int) -> int:
    """As many as `make test` tries of so many, more or fewer by the effort."""
    return max(2, round(number * USUAL * TIMES))


def examples(number: int) -> settings:
    return settings(max_examples=cases(number), deadline=None, derandomize=TIMES <= 1)
