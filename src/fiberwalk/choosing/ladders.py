"""The strengths of each mechanism that are tried, from the weakest upward.

A mechanism that shall have strengths of its own has one line in `LADDERS`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from ..base.errors import InputError, did_you_mean
from ..maps.map_methods import Candidate, candidates
from ..maps.own_functions import called
from ..protect.methods import METHODS, method_named
from ..protect.perturbation.noise import uniform_noise
from ..release.publish import parse_margins
from ..release.release import Release
from ..release.tables.tables import Table

SUPPRESSION, MERGE = "suppression", "merge"
SEARCHED = (SUPPRESSION, MERGE)
"""Mechanisms that are searched for, and have no list of strengths."""
BASES = (3, 5, 10, 25, 50)
"""Of rounding; then 100, 250, 500, 1000 and so on."""
FINER = (1, 2)
"""Largest changes by noise, below these."""


class Strength(NamedTuple):
    """A parameter that says how strong a mechanism is, its value as people read it, and what it is called with."""

    parameter: str
    value: Any
    passed: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Ladder:
    """One mechanism, and the strengths of it that are tried."""

    name: str
    kind: str = ""
    """ "suppression" or "merge" where it is searched for."""
    rungs: Iterable[Candidate] = ()
    climbed: bool = False
    """Does the first strength that reaches the target end it? Of values that users list all are tried."""


def bases(table: Table) -> Iterator[int]:
    """3, 5, 10, 25, 50, 100, 250, ... until none of the cells is larger."""
    largest, place, base = int(abs(table.values).max()) / 10**table.decimals, 0, 0
    while base <= largest:
        base = BASES[place] if place < len(BASES) else (100, 250, 500)[(place - 5) % 3] * 10 ** ((place - 5) // 3)
        place += 1
        yield base


def _by_base(table: Table) -> Iterator[Strength]:
    for base in bases(table):
        yield Strength("base", base, {"base": base})


def _by_cell_keys(table: Table) -> Iterator[Strength]:
    """Every change up to a largest one is equally probable: its variance grows with that."""
    for change in (*FINER, *bases(table)):
        yield Strength("max_change", change, {"noise": uniform_noise(change), "floor": True, "keys": "labels"})


LADDERS: dict[str, Callable[[Table], Iterator[Strength]]] = {
    "round_to": _by_base,
    "random_round": _by_base,
    "semi_controlled_round": _by_base,
    "controlled_round": _by_base,
    "add_noise": _by_cell_keys,
}


def ladders(mechanisms: Any, table: Table, as_given: Any, margins: Any) -> list[Ladder]:
    """The ladders that users allow: names of mechanisms, or a dict of these with their own values as for `ru_map`.

    `as_given` is the table as the user has it, for functions of their own; `margins` are the totals that are published.
    """
    if isinstance(mechanisms, (str, tuple)) or callable(mechanisms):
        mechanisms = [mechanisms]
    if not isinstance(mechanisms, (Mapping, list)) or not mechanisms:
        raise InputError(
            f"mechanisms= says what is allowed: some of {', '.join(map(repr, (*SEARCHED, *LADDERS)))} in a list, or a dict "
            "of names and mechanisms with their parameters, as for ru_map()."
        )
    named = mechanisms if isinstance(mechanisms, Mapping) else _with_names(mechanisms)
    return [_ladder(str(name), given, table, as_given, margins) for name, given in named.items()]


def _with_names(listed: list[Any]) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for given in listed:
        what = _ours(given[0] if isinstance(given, tuple) and given else given)
        name = what.replace("-", "_") if isinstance(what, str) else called(what) if callable(what) else repr(what)
        if name in names:
            raise InputError(f"mechanisms= has {name!r} twice; give each a name of its own, in a dict.")
        names[name] = given
    return names


def _ours(given: Any) -> Any:
    """The name of a mechanism of ours that is given as a function."""
    name = getattr(given, "__name__", "")
    if name == SUPPRESSION or (name in METHODS and method_named(name).function(name) is given):
        return name
    return given


def _ladder(name: str, given: Any, table: Table, as_given: Any, margins: Any) -> Ladder:
    alone = not isinstance(given, tuple)
    what = _ours(given if alone or not given else given[0])
    if not isinstance(what, str):
        return Ladder(name, rungs=candidates({name: given}, as_given, table))
    what = what.replace("-", "_")
    if what == SUPPRESSION and not alone:
        raise InputError("mechanisms=: what suppression is to do is said beside it, by minimise= and others.")
    if what in SEARCHED and alone:
        return Ladder(name, what, climbed=True)
    if what not in METHODS:
        raise InputError(f"mechanisms=: there is no mechanism {what!r}; {did_you_mean(what, [SUPPRESSION, *METHODS])}")
    function = method_named(what).function(what)
    fixed = (
        {}
        if "margins" not in inspect.signature(function).parameters
        else {"margins": parse_margins(margins, table.dims)}
    )
    if alone and what in LADDERS:
        made = partial(_rung, name, function, fixed, table)
        return Ladder(name, rungs=map(made, LADDERS[what](table)), climbed=True)
    pair = (what, {}) if alone else given
    if len(pair) == 2 and isinstance(pair[1], Mapping) and what != MERGE:
        pair = (what, {**fixed, **pair[1]})
    return Ladder(name, rungs=candidates({name: pair}, as_given, table))


def _rung(
    name: str, function: Callable[..., Release], fixed: Mapping[str, Any], table: Table, strength: Strength
) -> Candidate:
    random = "seed" in inspect.signature(function).parameters

    def publish(seed: int) -> Release:
        return function(table, **fixed, **strength.passed, **({"seed": seed} if random else {}))

    return Candidate(name, strength.parameter, strength.value, publish=publish, random=random)
