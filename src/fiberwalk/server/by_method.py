"""What other methods would make of a table: risk that is left against utility that is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError
from ..protect.count_changes import changes_of
from .answering import Answering
from .cube.request import Request
from .measuring.measures import Measure
from .protecting.protection import Protection, as_protection

if TYPE_CHECKING:
    import pandas as pd

MECHANISMS: dict[str, tuple[str, Mapping[str, Any]]] = {
    "random rounding to base 3": ("random_round", {"base": 3}),
    "random rounding to base 5": ("random_round", {"base": 5}),
    "random rounding to base 10": ("random_round", {"base": 10}),
    "rounding to base 5": ("round_to", {"base": 5}),
    "noise up to 1": ("add_noise", {"noise": {-1: 0.25, 0: 0.5, 1: 0.25}, "floor": True}),
    "noise up to 2": ("add_noise", {"noise": {-2: 0.1, -1: 0.2, 0: 0.4, 1: 0.2, 2: 0.1}, "floor": True}),
}
"""What is looked at where nothing else is asked for: by each, the same people are published alike in every table."""
FORM = "such as {'rounded': ('random_round', {'base': 3})}"
UNPROTECTED, OWN = "unprotected", "this server"


def by_method(answering: Answering, request: Request, mechanisms: Any) -> pd.DataFrame:
    """A row for each method: the risk that it leaves, the utility that it keeps, and how many figures it changes."""
    import pandas as pd

    if request.of or answering.maker.weighted_base is not None:
        raise InputError("methods are compared on tables of counts; leave out sum_of= and mean_of=.")
    given = MECHANISMS if mechanisms is None else mechanisms
    if not isinstance(given, Mapping):
        raise InputError(f"mechanisms= is a dict of name to method, {FORM}; this is {given!r}.")
    ways = {UNPROTECTED: _with(answering, None), OWN: answering}
    if answering.maker.after is None and answering.before is None:
        del ways[OWN]
    ways |= {str(name): _with(answering, _protection(one)) for name, one in given.items()}
    rows = [_row(name, way, request) for name, way in ways.items()]
    return pd.DataFrame(rows, columns=["method", "risk", "utility", "changed"]).set_index("method")


def _protection(given: Any) -> Protection:
    """A method, as it is named for a server."""
    if not isinstance(given, tuple) or len(given) != 2 or given[0] is None:
        raise InputError(f"mechanisms= is a dict of name to method, {FORM}; one of them is {given!r}.")
    protection = as_protection(*given)
    assert protection is not None
    protection.refuse_after()
    return protection


def _with(answering: Answering, protection: Protection | None) -> Answering:
    """What makes answers, with another method, and with nothing that was published by the one that there is."""
    measure = answering.measure
    if isinstance(measure, Measure) and measure.risk.by_changes:
        changes = () if protection is None else (changes_of(protection.name, protection.parameters),)
        measure = replace(measure, changes=changes)
    maker = replace(answering.maker, after=protection, protected_cube=None, lattice=None, elsewhere=None)
    return replace(answering, maker=maker, measure=measure, before=None)


def _row(name: str, way: Answering, request: Request) -> tuple[Any, ...]:
    view = way.of(request).view
    assert view is not None
    risk = None if view.unknown else view.risk_after
    changed = float(np.mean(view.published != view.counted.counts)) if view.published.size else 0.0
    return name, risk, view.utility, changed
