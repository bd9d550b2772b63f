"""What a census publishes of a town: tables like those of the United States, some by block, some of the whole town."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..base.errors import InputError, did_you_mean
from ..release.facts.given_table import table
from ..release.population.population import PopulationRelease, population
from .town import AGE_GROUPS, ETHNICITIES, OLDEST, RACES, SEXES, SINGLE_RACES

if TYPE_CHECKING:
    import pandas as pd

RACE_GROUPS = {
    **{f"{race} alone": (race,) for race in SINGLE_RACES},
    "two or more": tuple(race for race in RACES if "+" in race),
}
ANY_RACE = {
    f"{race}, alone or with others": tuple(several for several in RACES if race in several.split("+"))
    for race in SINGLE_RACES
}
TABLES: dict[str, tuple[tuple[str, ...], Mapping[str, Sequence[str]]]] = {
    "people": (("block",), {}),
    "race": (("block", "race"), {}),
    "race by ethnicity": (("block", "race", "ethnicity"), {}),
    "any race": (("block", "any race"), {}),
    "sex by age group": (("block", "sex", "age group"), {}),
    "sex by age under 20": (("block", "sex", "age"), {"age": tuple(map(str, range(20)))}),
    "sex by age group, of race groups": (("block", "sex", "age group", "race group"), {}),
    "sex by age group, of ethnicities": (("block", "sex", "age group", "ethnicity"), {}),
    "town: sex by age": (("sex", "age"), {}),
    "town: sex by age, of race groups": (("sex", "age", "race group"), {}),
    "town: sex by age, of ethnicities": (("sex", "age", "ethnicity"), {}),
}
"""Of each table its dims and recodes, and whom it is about where that is not everybody."""


def town_release(people: pd.DataFrame, *, without: Sequence[str] = (), method: Any = None) -> PopulationRelease:
    """What a census publishes of the people of `town()`: eleven tables, by block and of the whole town.

    Parameters
    ----------
    people
        One person a row: block, sex, age, race, ethnicity.
    without
        Tables that are not published.
    method
        What is done to each table before it is published: a function of a table that gives a release, such as
        `lambda table: fw.round_to(table, base=3, margins=[])`.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.examples.town_release(fw.examples.town(2))
    <PopulationRelease of block, sex, age, race, ethnicity: 11 tables>
    """
    import pandas as pd

    for name in without:
        if name not in TABLES:
            raise InputError(f"there is no table {name!r} of the town; {did_you_mean(name, list(TABLES))}")
    dims: dict[str, Sequence[str]] = {
        "block": tuple(sorted(people["block"].unique())),
        "sex": SEXES,
        "age": tuple(map(str, range(OLDEST + 1))),
        "race": RACES,
        "ethnicity": ETHNICITIES,
    }
    groups = {name: tuple(map(str, ages)) for name, ages in AGE_GROUPS.items()}
    recodes = {"age": {"age group": groups}, "race": {"race group": RACE_GROUPS, "any race": ANY_RACE}}
    of_recode = {name: (dim, labels) for dim, by_name in recodes.items() for name, labels in by_name.items()}
    counts = people.astype(str).groupby(list(dims)).size()
    tables = {}
    for name, (axes, about) in TABLES.items():
        if name in without:
            continue
        frame = counts.reset_index(name="count")
        for dim, kept in about.items():
            frame = frame[frame[dim].isin(kept)]
        for axis in axes:
            if axis in of_recode:
                dim, of_labels = of_recode[axis]
                pairs = [(label, group) for group, inside in of_labels.items() for label in inside]
                frame = frame.merge(pd.DataFrame(pairs, columns=[dim, axis]), on=dim)
        shown_labels = {
            axis: about.get(axis) or (tuple(of_recode[axis][1]) if axis in of_recode else dims[axis]) for axis in axes
        }
        every = pd.MultiIndex.from_product(shown_labels.values(), names=axes)
        shown = frame.set_index(list(axes))["count"].groupby(level=list(axes)).sum()
        shown.index = pd.MultiIndex.from_frame(shown.index.to_frame())
        values = shown.reindex(every, fill_value=0).to_numpy().reshape([len(own) for own in shown_labels.values()])
        table_of_counts = table(values, dims=axes, labels=shown_labels)
        tables[name] = (table_of_counts if method is None else method(table_of_counts), about)
    return population(dims, recodes=recodes).published(tables)
