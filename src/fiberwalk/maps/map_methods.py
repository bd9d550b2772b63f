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
from ..release.facts.agreement import disagreement
from ..release.publish import publish
from ..release.release import Release
from ..release.tables.tables import Table
from ..report.words import ORIGINAL, setting_words

FORMS = (
    "a function of the table and a seed, a release, the name of a method, or a pair of a function (or name) and its "
    "parameters, such as ('random_round', {'base': [3, 5, 10]})"
)


WHOLE = frozenset({"additive", "dims", "exact", "fits", "margins", "matrix", "squares", "where", "within"})
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


def candidates(methods: Any, own_form: Any, table: Table) -> list[Candidate]:
    """The points that the methods of a map stand for; `own_form` is the table as the user has it."""
    if not isinstance(methods, Mapping):
        raise InputError(f"mechanisms= is a dict of name to method, each {FORMS}.")
    if not methods:
        raise InputError(f"ru_map() needs at least one method: {FORMS}.")
    points: list[Candidate] = []
    for name, method in methods.items():
        points += _points(str(name), method, own_form, table)
    seen: set[tuple[str, str]] = set()
    for point in points:
        if (point.method, point.setting) in seen:
            setting = f" with {point.setting}" if point.setting else ""
            raise InputError(f"method {point.method!r} is there twice{setting}: the same runs would count twice.")
        seen.add((point.method, point.setting))
    return points


def _points(name: str, method: Any, own_form: Any, table: Table) -> list[Candidate]:
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
        return [Candidate(name, publish=lambda seed: function(own_form, seed), random=True)]
    taken = table if _ours(function) else own_form
    _check_parameters(name, function, parameters)

    def published(fixed: Mapping[str, Any], number: int) -> Release:
        return function(taken, **fixed, **({"seed": number} if seed else {}))

    varied, values = _varied(name, parameters, WHOLE if _ours(function) else frozenset())
    fixed = {key: value for key, value in parameters.items() if key != varied}
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
        raise InputError(f"method {name!r}: no method has a seed of its own here: all follow from seed=.")
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
    several = isinstance(value, (list, tuple)) and len(value) and all(getattr(part, "ndim", 0) > 1 for part in value)
    return list(value) if several else None


def shown_value(value: Any, place: int) -> Any:
    """A value as the map names it: numbers and texts as they are, anything else by its place in the list."""
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, (bool, int, float, str)) else f"#{place}"


def _asks(function: Callable[..., Any]) -> tuple[bool, int]:
    """Whether a function takes seed= by name, and how many positional arguments it needs."""
    try:
        taken = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False, 2
    positional = [p for p in taken if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    takes_seed = any(p.name == "seed" and p.kind is not p.POSITIONAL_ONLY for p in taken)
    return takes_seed, sum(p.default is p.empty for p in positional)


def _check_parameters(name: str, function: Callable[..., Any], parameters: Mapping[str, Any]) -> None:
    """Refuse a parameter that the method does not have, or lacks one that it needs, before any work."""
    try:
        taken = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return
    known = [parameter for parameter in list(taken)[1:] if parameter != "seed"]
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
        for key in parameters:
            if key not in known:
                raise InputError(f"method {name!r} has no parameter {key!r}; {did_you_mean(key, known)}")
    if not taken:
        raise InputError(f"method {name!r} is a function of nothing; it must be {FORMS}.")
    for key in known:
        parameter = taken[key]
        if (
            parameter.default is parameter.empty
            and key not in parameters
            and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
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
    """The seeds of repeated protection: as listed, or so many that follow from `seed`."""
    if isinstance(seeds, (int, np.integer)) and not isinstance(seeds, bool):
        if seeds < 1:
            raise InputError(f"seeds={seeds}: random methods are applied at least once.")
        sequence = np.random.SeedSequence(seed, spawn_key=(0,))  # not the stream of the audits' chains
        return [int(word) for word in sequence.generate_state(int(seeds))]
    if isinstance(seeds, (str, bytes, bool)) or not isinstance(seeds, Iterable):
        raise InputError(f"seeds={seeds!r}: how many times random methods are applied, or a list of seeds.")
    listed = list(seeds)
    if not listed:
        raise InputError("seeds= is empty: give at least one seed, or a number of them.")
    for number in listed:
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
            raise InputError(f"seeds=: a seed is a whole number of at least 0; this is {number!r}.")
    if len(set(listed)) < len(listed):
        raise InputError("seeds= has the same seed twice: that would be the same run twice.")
    return [int(number) for number in listed]


def check_release(release: Any, table: Table) -> None:
    """Refuse what is no release of this table."""
    if not isinstance(release, Release):
        raise InputError(f"it must return a release; it returned a {type(release).__name__}.")
    of_release, of_table = ([(dim.name, dim.labels) for dim in owner.dims] for owner in (release, table))
    if len(release.grids) != 1 or of_release != of_table:
        shown, wanted = (
            ", ".join(f"{name} ({len(labels)})" for name, labels in dims) for dims in (of_release, of_table)
        )
        raise InputError(
            f"its release is about other cells, {shown}, than the table, {wanted}, or labels them otherwise."
        )
    if release.decimals != table.decimals:
        raise InputError(
            f"its release has {release.decimals} decimals, and the table {table.decimals}: give both the same."
        )
    cells = np.empty(release.n_cells, dtype=np.int64)
    cells[release.grids[0].cells.ravel()] = table.values.ravel()
    if release.truth is not None and (release.truth != cells).any():
        first = int(np.flatnonzero(release.truth != cells)[0])
        raise InputError(f"its release is of another table: {release.words(release.keys[first])} differs.")
    clash = disagreement(release, cells)
    if clash is not None:
        raise InputError(f"its release cannot be of this table: {clash}.")
