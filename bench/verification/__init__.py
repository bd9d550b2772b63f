"""The parts of the verification at length, in the order in which they are told. Each is a module here with

WORDS                    some sentences for the report: what is held to what, and how
run(setting)             does the work, prints progress, and gives a Part (see parts.py)
pictures(values, home)   draws its pictures from the stored values; yields the path of each and what it shows
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

NAMES = (
    "laws",
    "calibration",
    "kinds",
    "hard_starts",
    "adversarial",
    "three_way",
    "hidden_paths",
    "joint_beliefs",
    "suppressions",
    "properties",
    "damaged_files",
)


def part(name: str) -> ModuleType:
    """The module of a part."""
    return import_module(f"verification.{name}")
