"""Swapping of households (SAE15 3.1): of microdata, all members move together to where a household like theirs was.

Two households are partners if they have as many members of every combination of the controls, and so the same size: a pair
changes neither how many people of each combination live in a category, nor the table of all dims that are not exchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...fiber.laws.raking import members
from ...release.facts.facts import Applied
from ...release.release import Release, of_table
from ...release.tables.tables import Table
from ..mechanism.cell_keys import taken_seed
from ..mechanism.mechanism import SUPPORT
from ..mechanism.moved_records import published_as
from .microdata import counted, read_microdata
from .swapped_pairs import flows_of, pairs_wanted
from .swapping_checks import (
    NAME,
    Exchange,
    Swapping,
    checked_swap,
    kept_margins,
    refuse_too_many,
    useless,
    words_of,
)

WHY = (
    "only the margins that stay are modelled, not how near the published table is to the true one, which depends on "
    "households that it does not show: an audit is a LOWER bound of what an intruder can learn"
)


@dataclass(frozen=True, eq=False)
class Households:
    """Microdata as numbers, a row for each person; households are numbered from 0."""

    home: np.ndarray
    """The household of every person."""
    codes: np.ndarray
    """The place of every person's label on each dim of the table, a column for each."""
    controls: np.ndarray
    """What partners agree in: a column of numbers for each."""

    @property
    def number(self) -> int:
        """How many households there are."""
        return int(self.home.max()) + 1

    @property
    def first(self) -> np.ndarray:
        """A member of every household."""
        return np.unique(self.home, return_index=True)[1]


def swap_households(  # noqa: PLR0913  (the keywords of `swap`, handed on)
    frame: Any,
    dim: Any,
    household: Any,
    columns: Any,
    *,
    rate: float,
    within: Any,
    targeted: int | None,
    seed: int | None,
    exact: Iterable[Any],
) -> Release:
    """See `swap`."""
    people, dims = read_microdata(frame, columns, "swap", household)
    labelled = counted(people[dims])
    further, inside = _controls(within, labelled, people, household)
    exchange = checked_swap(labelled.dims, dim, rate, inside, targeted)
    names = exchange.names(labelled.dims)
    homes = _numbers(people, str(household), labelled, exchange, further)
    _refuse_divided(homes, people, str(household), names, exchange)
    refuse_too_many(rate, homes.number, "households")
    strata = _strata(homes)
    _refuse_useless(homes, strata, exchange, names)
    seed = taken_seed(seed)
    cells = _cells(homes.codes, labelled)
    risky = np.bincount(homes.home, labelled.values.ravel()[cells] <= (targeted or 0), homes.number) > 0
    place, places = _places(homes, exchange)
    after = exchanged(place, strata, risky, rate, np.random.default_rng(seed))
    codes = homes.codes.copy()
    codes[:, list(exchange.axes)] = places[after][homes.home]
    figures = np.bincount(_cells(codes, labelled), minlength=labelled.values.size).astype(np.int64)
    alike = ", ".join(["size", *(level for level in exchange.alike if level), *further])
    first = f"those with a member in a cell of at most {targeted}" if targeted else ""
    applied = Applied(
        NAME, SUPPORT, f"{words_of('households', names, rate, alike, first)}; {WHY}", seed, Swapping(float(rate))
    )
    return published_as(kept_margins(of_table(labelled), exchange, exact), figures, applied)


def exchanged(
    place: np.ndarray, strata: np.ndarray, first: np.ndarray, rate: float, random: np.random.Generator
) -> np.ndarray:
    """Where every household is after the swaps of every stratum; those that are `first` begin the pairs.

    Households of a stratum, kind and place are alike to the choice of pairs, so it is enough to draw how many of them
    go where, and then which.
    """
    after = place.copy()
    for homes in members(strata):
        distinct, local = np.unique(place[homes], return_inverse=True)
        if len(distinct) < 2:
            continue
        kinds = np.where(first[homes], 0, 1)
        unused = np.zeros((2, len(distinct)), dtype=np.int64)
        np.add.at(unused, (kinds, local), 1)
        least, more, most = pairs_wanted(unused.sum(axis=0), rate)
        pairs = min(least + int(random.random() < more), most)
        flows = (
            flows_of(unused, pairs, random) if pairs else np.zeros((2, len(distinct), len(distinct)), dtype=np.int64)
        )
        for kind, origin in np.argwhere(flows.sum(axis=2)):
            goes_to = np.repeat(distinct, flows[kind, origin])
            chosen = random.permutation(homes[(kinds == kind) & (local == origin)])[: len(goes_to)]
            after[chosen] = goes_to
    return after


# --- what is given --------------------------------------------------------------------------------------------------


def _controls(within: Any, labelled: Table, people: Any, household: Any) -> tuple[list[str], list[str]]:
    """What partners agree in: columns that are no dims of the table, and dims or levels that are."""
    if isinstance(within, str):
        named = [name.strip() for name in within.split(",")]
    elif isinstance(within, Iterable):
        named = [str(name) for name in within if name is not None]
    else:
        raise InputError(f"swap(within={within!r}): what partners agree in, as 'age,sex' or a list.")
    levels = {level for dim in labelled.dims for level in dim.level_names}
    further = [
        name for name in named if name and name not in levels and name in people.columns and name != str(household)
    ]
    return further, [name for name in named if name and name not in further]


def _numbers(people: Any, household: str, labelled: Table, exchange: Exchange, further: Sequence[str]) -> Households:
    import pandas as pd

    codes = np.stack(
        [pd.Categorical(people[dim.name], categories=list(dim.labels)).codes for dim in labelled.dims], axis=1
    ).astype(np.int64)
    controls = [
        dim.nodes_at(level)[codes[:, axis]]
        for axis, (dim, level) in enumerate(zip(labelled.dims, exchange.alike, strict=True))
        if level is not None
    ]
    controls += [pd.factorize(people[name])[0] for name in further]
    together = np.stack(controls, axis=1) if controls else np.zeros((len(people), 1), dtype=np.int64)
    return Households(pd.factorize(people[household])[0], codes, together)


def _refuse_divided(homes: Households, people: Any, household: str, names: Sequence[str], exchange: Exchange) -> None:
    """Refuse a household whose members are not in one place."""
    for name, axis in zip(names, exchange.axes, strict=True):
        own = homes.codes[:, axis]
        apart = np.flatnonzero(own != own[homes.first][homes.home])
        if len(apart):
            raise InputError(
                f"swap(): households move as a whole, and members of household {people[household].iloc[apart[0]]!r} differ "
                f"in {name!r}."
            )


# --- who is like whom -----------------------------------------------------------------------------------------------


def _cells(codes: np.ndarray, labelled: Table) -> np.ndarray:
    """The cell of every person."""
    return np.ravel_multi_index(tuple(codes.T), labelled.values.shape)


def _places(homes: Households, exchange: Exchange) -> tuple[np.ndarray, np.ndarray]:
    """The number of the place of every household, and what it is on the exchanged dims."""
    places, place = np.unique(homes.codes[homes.first][:, list(exchange.axes)], axis=0, return_inverse=True)
    return place.reshape(-1), places


def _strata(homes: Households) -> np.ndarray:
    """The number of the stratum of every household: those with as many members of every combination of the controls."""
    return compositions(homes.home, np.unique(homes.controls, axis=0, return_inverse=True)[1].reshape(-1))


def compositions(home: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """A number for every household, the same for those with as many members of every kind."""
    order = np.lexsort((kind, home))
    sizes = np.bincount(home)
    starts = np.cumsum(sizes) - sizes
    numbers = np.empty(len(sizes), dtype=np.int64)
    known = 0
    for size in np.unique(sizes):
        of_size = np.flatnonzero(sizes == size)
        rows = kind[order][starts[of_size][:, None] + np.arange(size)]
        own = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
        numbers[of_size] = known + own
        known += int(own.max()) + 1
    return numbers


def _refuse_useless(homes: Households, strata: np.ndarray, exchange: Exchange, names: Sequence[str]) -> None:
    """Refuse where no swap could change the table: partners are alike in all that it shows besides their place."""
    others = [i for i in range(homes.codes.shape[1]) if i not in exchange.axes]
    alike = np.unique(homes.codes[:, others], axis=0, return_inverse=True)[1].reshape(-1) if others else homes.home * 0
    own, place = compositions(homes.home, alike), _places(homes, exchange)[0]
    for stratum in members(strata):
        if len(np.unique(own[stratum])) > 1 and len(np.unique(place[stratum])) > 1:
            return
    raise InputError(useless(names, "households of the same size"))
