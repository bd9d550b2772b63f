"""How many random cases a property test tries: few and always the same in `make test`, many and new in `make verify`.

Fewer still on the other Pythons, which run the same mathematics.
"""

from __future__ import annotations

import os

from hypothesis import settings

TIMES = float(os.environ.get("FIBERWALK_EFFORT", "1"))


def cases(number: int) -> int:
    """As many as `make test` tries, more or fewer by the effort."""
    return max(2, round(number * TIMES))


def examples(number: int) -> settings:
    return settings(max_examples=cases(number), deadline=None, derandomize=TIMES <= 1)
