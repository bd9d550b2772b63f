"""How many random cases a property test tries: few and always the same in `make test`, many and new in `make verify`."""

from __future__ import annotations

import os

from hypothesis import settings

TIMES = int(os.environ.get("FIBERWALK_EFFORT", "1"))


def examples(number: int) -> settings:
    return settings(max_examples=number * TIMES, deadline=None, derandomize=TIMES == 1)
