"""The methods of an R-U map: what a user may give for one, and how each is applied to the table."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ..base.errors import InputError, did_you_mean
from ..protect.methods import method_named
from ..release.publish import publish
from ..release.release import Release
from ..release.tables.tables import Table
from ..report.words import ORIGINAL, setting_words

FORMS = (
    "a function of the table and a seed, a release, the name of a method, or a pair of a function (or name) and its "
    "parameters, such as ('random_round', {'base': [3, 5, 10]})"
)


WHOLE = frozenset({"additive", "contributors", "dims", "exact", "fits", "largest", "margins", "matrix", "second", "squares",
                   "where", "within"})  # fmt: skip
"""Parameters of our own methods that are lists by nature: several values of these can only be several arrays."""


@dataclass(frozen=True)
class Candidate:
    """One point of the map: a method with its parameters, or a publication as it stands."""

    method: str
    parameter: str = ""
    """The parameter that differs along the line of its method."""
    value: Any = None
    """What the parameter is here: a number, or a text."""
    publish: Callable[[int], Release] = field(repr=False, kw_only=True)
    """The release for a seed."""
    random: bool = False
    """Does it depend on the seed?"""

    @property
    def setting(self) -> str:
        """The parameter with its value, in words."""
        return setting_words(self.parameter, self.value)


def original_of(table: Table) -> Candidate:
    """The table itself, published as it is."""
    whole = publish(table, margins=[tuple(dim.name for dim in table.dims)])
    return Candidate(ORIGINAL, publish=lambda seed: whole)


def candidates(methods: Any, given: Any, table: Table) -> list[Candidate]:
    """The points that the methods of a map stand for; `given` is the table in the user's own form."""
    if not isinstance(methods, Mapping):
        raise InputError(f"methods= is a dict of name to method, each {FORMS}.")
    if not methods:
        raise InputError(f"ru_map() needs at least one method: {FORMS}.")
    found: list[Candidate] = []
    for name, method in methods.items():
        found += _points(str(name), method, given, table)
    seen: set[tuple[str, str]] = set()
    for one in found:
        if (one.method, one.setting) in seen:
            raise InputError(
                f"method {one.method!r} is there twice{' with ' + one.setting if one.setting else ''}: the same runs would "
                "count twice."
            )
        seen.add((one.method, one.setting))
    return found


def _points(name: str, method: Any, given: Any, table: Table) -> list[Candidate]:
    if isinstance(method, Release):
        return [Candidate(name, publish=lambda seed: method)]
    plain = not isinstance(method, tuple)
    function, parameters = (method, {}) if plain else _pair(name, method)
    if isinstance(function, str):
        function = method_named(function).function(function.replace("-", "_"))
    if not callable(function):
        raise InputError(f"method {name!r} is a {type(function).__name__}; it must be {FORMS}.")
    seed, needed = _asks(function)
    if plain and needed > 1 and not seed:
        return [Candidate(name, publish=lambda seed: function(given, seed), random=True)]
    taken = table if _ours(function) else given
    _check_parameters(name, function, parameters)

    def published(fixed: Mapping[str, Any], number: int) -> Release:
        return function(taken, **fixed, **({"seed": number} if seed else {}))

    varied, values = _varied(name, parameters, WHOLE if _ours(function) else frozenset())
    fixed = {key: one for key, one in parameters.items() if key != varied}
    if not varied:
        return [Candidate(name, publish=partial(published, fixed), random=seed)]
    return [
        Candidate(
            name, varied, shown_value(value, place), publish=partial(published, {**fixed, varied: value}), random=seed
        )
        for place, value in enumerate(values, start=1)
    ]


def _pair(name: str, method: tuple[Any, ...]) -> tuple[Any, Mapping[str, Any]]:
    if len(method) != 2 or not isinstance(method[1], Mapping):
        raise InputError(f"method {name!r}: a pair is a function and its parameters, such as (fw.protect.random_round, "
                         "{'base': [3, 5, 10]}).")  # fmt: skip
    if "seed" in method[1]:
        raise InputError(f"method {name!r}: seeds are given to the whole map, by seeds=.")
    return method[0], {str(key): value for key, value in method[1].items()}


def _varied(name: str, parameters: Mapping[str, Any], whole: frozenset[str]) -> tuple[str, list[Any]]:
    """The one parameter of which several values are given, and these."""
    several = several_values(name, parameters, whole)
    if len(several) > 1:
        first, second = list(several)[:2]
        raise InputError(
            f"method {name!r}: {first} and {second} are both lists, and a line has one parameter; fix the other one with a "
            "function of your own, or functools.partial."
        )
    return next(iter(several.items()), ("", []))


def several_values(name: str, parameters: Mapping[str, Any], whole: frozenset[str]) -> dict[str, list[Any]]:
    """The parameters of a method of which several values are given, and these."""
    lists = {key: _arrays(value) if key in whole else _listed(value) for key, value in parameters.items()}
    several = {key: values for key, values in lists.items() if values is not None}
    for key, values in several.items():
        if not values:
            raise InputError(f"method {name!r}: the list of values of {key} is empty.")
    return several


def _listed(value: Any) -> list[Any] | None:
    if isinstance(value, np.ndarray):
        return value.tolist() if value.ndim == 1 else None
    return list(value) if isinstance(value, (list, tuple, range)) else None


def _arrays(value: Any) -> list[Any] | None:
    """A list of tables or matrices; of anything else, the list is one value."""
    several = isinstance(value, (list, tuple)) and len(value) and all(getattr(one, "ndim", 0) > 1 for one in value)
    return list(value) if several else None


def shown_value(value: Any, place: int) -> Any:
    """A value as the map names it: numbers and texts as they are, anything else by its place in the list."""
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, (bool, int, float, str)) else f"#{place}"


def _asks(function: Callable[..., Any]) -> tuple[bool, int]:
    """Whether a function takes seed= by name, and how many arguments it cannot do without by position."""
    try:
        taken = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False, 2
    placed = [one for one in taken if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    named = any(one.name == "seed" and one.kind is not one.POSITIONAL_ONLY for one in taken)
    return named, sum(one.default is one.empty for one in placed)


def _check_parameters(name: str, function: Callable[..., Any], parameters: Mapping[str, Any]) -> None:
    """Refuse a parameter that the method does not have, and miss one that it needs, before any work."""
    try:
        taken = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return
    known = [one for one in list(taken)[1:] if one != "seed"]
    if not any(one.kind is one.VAR_KEYWORD for one in taken.values()):
        for key in parameters:
            if key not in known:
                raise InputError(f"method {name!r} has no parameter {key!r}; {did_you_mean(key, known)}")
    if not taken:
        raise InputError(f"method {name!r} is a function of nothing; it must be {FORMS}.")
    for key in known:
        one = taken[key]
        if (
            one.default is one.empty
            and key not in parameters
            and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        ):
            raise InputError(f"method {name!r} needs its {key}=.")


def _ours(function: Any) -> bool:
    """Is it one of fiberwalk's own methods, which read a table with its hierarchies and decimals as we have it?"""
    while isinstance(function, partial):
        function = function.func
    home = str(getattr(function, "__module__", ""))
    package = __package__.rpartition(".")[0]  # that of the rooms; this file is one folder below it
    return function is publish or home.startswith(f"{package}.protect.")


def run_seeds(seeds: Any, seed: int) -> list[int]:
    """The seeds of repeated protection: as given, or so many that follow from one."""
    if isinstance(seeds, (int, np.integer)) and not isinstance(seeds, bool):
        if seeds < 1:
            raise InputError(f"seeds={seeds}: random methods are applied at least once.")
        sequence = np.random.SeedSequence(seed, spawn_key=(0,))  # not the stream of the audits' chains
        return [int(one) for one in sequence.generate_state(int(seeds))]
    if isinstance(seeds, (str, bytes, bool)) or not isinstance(seeds, Iterable):
        raise InputError(f"seeds={seeds!r}: how many times random methods are applied, or a list of seeds.")
    found = list(seeds)
    if not found:
        raise InputError("seeds= is empty: give at least one seed, or a number of them.")
    for one in found:
        if isinstance(one, bool) or not isinstance(one, (int, np.integer)) or one < 0:
            raise InputError(f"seeds=: a seed is a whole number of at least 0; this is {one!r}.")
    if len(set(found)) < len(found):
        raise InputError("seeds= has the same seed twice: that would be the same run twice.")
    return [int(one) for one in found]
