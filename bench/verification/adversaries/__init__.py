"""Releases on which chains might converge to what is wrong, each with the right answer from elsewhere.

A kind of them is a module with `case(rng)`, which gives a Case or None where chance made none, and one line below.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

KINDS = ("peaks", "large_counts", "thin_fibers", "chance", "insiders")


def kind(name: str) -> ModuleType:
    """The module of a kind."""
    return import_module(f"verification.adversaries.{name}")
