"""The protection methods by name: for the command line, and for outsiders who know which method was used.

A new method is one file with a function `verb(table, ...) -> Release`, and one entry here.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..release.dims import did_you_mean
from ..release.errors import InputError
from ..release.numbers import scaled
from ..release.release import Release
from .mechanism import EXACT, Mechanism


@dataclass(frozen=True)
class Method:
    """A protection method: where it lives, what it does in a line, how an outsider reads what it published."""

    home: str
    words: str
    read: Callable[..., tuple[Mechanism, str]] | None = None
    """(decimals, **parameters) -> what the method did to every figure, and how well that is known."""
    instead: str = ""
    """What an outsider does where figures are not read one by one."""

    def function(self, name: str) -> Callable[..., Release]:
        """The function that applies it."""
        found: Callable[..., Release] = getattr(importlib.import_module(f".{self.home}", __package__), name)
        return found


def _random_rounding(decimals: int, base: float = 3) -> tuple[Mechanism, str]:
    from .random_rounding import RandomRounding

    return RandomRounding(scaled(base, decimals, "random_round(base=)")), EXACT


METHODS: dict[str, Method] = {
    "random_round": Method(
        "random_rounding", "up or down to a multiple of the base at random, right on average", _random_rounding
    ),
}


def method_named(name: str) -> Method:
    """A method by its name; dashes are as good as underscores."""
    shown = str(name).replace("-", "_")
    if shown not in METHODS:
        raise InputError(f"there is no method {name!r}; {did_you_mean(shown, METHODS)}")
    return METHODS[shown]


def mechanism_of(name: str, decimals: int, parameters: Mapping[str, Any]) -> tuple[Mechanism, str]:
    """What a method with some parameters does to every figure, and how well that is known."""
    method = method_named(name)
    if method.read is None:
        raise InputError(f"what {name} published cannot be read figure by figure; {method.instead}.")
    taken = [one for one in inspect.signature(method.read).parameters if one != "decimals"]
    for one in parameters:
        if one not in taken:
            raise InputError(f"{name} has no parameter {one!r}; {did_you_mean(one, taken)}")
    return method.read(decimals, **parameters)
