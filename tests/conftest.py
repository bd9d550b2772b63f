"""What holds for all tests: property tests look at no clock, and try the same cases each time unless more are asked for."""

from __future__ import annotations

from hypothesis import settings
from support.effort import TIMES

settings.register_profile("fiberwalk", deadline=None, derandomize=TIMES <= 1)
settings.load_profile("fiberwalk")
