"""The contests, in the order in which they are told. Each is a module here with

WORDS                a sentence for the report: what is measured, and how
run(quick)           yields Figure, Skipped and Curve (see figures.py) as they are found; `quick` is for the guard:
                     a few problems, seconds each, enough draws that a ratio is good to a tenth or so
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

NAMES = (
    "effective draws",
    "steps",
    "tallies",
    "independent tables",
    "answers",
    "bounds",
    "exact",
    "suppression",
    "beliefs",
    "moves",
    "threads",
    "start up",
    "growth",
)


def contest(name: str) -> ModuleType:
    """The module of a contest."""
    return import_module(f"contests.{name.replace(' ', '_')}")
