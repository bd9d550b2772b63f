"""Data that the recipes make, as users ask for it: hypercubes, enterprises, and how activities add up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..base.numbers import check_whole
from ..protect.mechanism.cell_keys import taken_seed
from ..release.tables.dims import Dim
from ..release.tables.tables import labelled

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


def hypercube(people: int = 1_500_000, seed: int = 1) -> xr.DataArray:
    """Draw a census hypercube of region, sex, age, activity, occupation, education and citizenship: 245,700 cells.

    It stands in for the hypercube of Shlomo, Antal and Elliot (2015, section 5.1), which is not public: the same shape
    (2 x 2 x 21 x 5 x 13 x 9 x 5) and number of people, about 92% zeros (structural and random), a few very large counts.

    The recipe. Every cell has a proportion: that of its region, sex and age, times that of its citizenship given region
    and age, times that of its activity given sex and age, of its education given age, and of its occupation given all of
    these but region and citizenship. People are drawn from these proportions, all at once (a multinomial distribution).
    Structural zeros: up to 14 there is neither activity nor education nor occupation; at 15-74 occupation is the present
    or last one, which the employed always have and others need not; from 75 on it is not asked for. Occupations go with
    the education that suits them, and with sex and age; foreigners are young, and more are in region 1. All proportions
    are in `recipes/census.py`.

    Parameters
    ----------
    people
        How many are drawn.
    seed
        Of the draw: the proportions do not depend on it.

    Returns
    -------
    xarray.DataArray
        The counts. As a long frame: `hypercube().to_series()`.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> cube = fw.examples.hypercube()
    >>> cube.shape, int(cube.sum()), round(float((cube == 0).mean()), 2)
    ((2, 2, 21, 5, 13, 9, 5), 1500000, 0.92)
    """
    from .census import LABELS, proportions

    check_whole(people=people)
    chance = proportions()
    counts = np.random.default_rng(taken_seed(seed)).multinomial(people, (chance / chance.sum()).ravel())
    return labelled(counts.reshape(chance.shape), [Dim(dim, labels) for dim, labels in LABELS.items()]).rename("people")


def nested_hypercube(people: int = 10_000, seed: int = 1) -> xr.DataArray:
    """Draw the census of a small town: sex by age, marital, household and family status, the four of them in nested levels.

    35,350 cells, 96% of them empty. Ages are years, in bands of five and in phases of life; the coarser levels of each dim
    are coordinates along it, and `fw.table(hierarchies=)` takes their names, from coarse to fine: {"age": ["age_phase",
    "age_band"], "marital": ["marital_group"], "household": ["household_kind", "household_form"], "family": ["family_role",
    "family_form"]}. Some labels are alone in their group.

    The recipe. Each person has an age, then a sex and a marital status that depend on it, then a household status given
    these, and a family status if that is in a family. All proportions are in `recipes/nested_census.py`.

    Parameters
    ----------
    people
        How many are drawn.
    seed
        Of the draw: the same seed draws the same people on every machine.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> town = fw.examples.nested_hypercube()
    >>> town.shape, int(town.sum()), round(float((town == 0).mean()), 2)
    ((2, 101, 5, 5, 7), 10000, 0.96)
    >>> by_age = town.sum(["sex", "household", "family"])
    >>> fw.publish(
    ...     fw.table(by_age, hierarchies={"age": "age_band", "marital": "marital_group"}), ["age_band,marital_group", "age"]
    ... )
    <Release of age, marital (101 x 5): 505 cells, 504 hidden, 163 known sums, with its truth>
    """
    from .nested_census import LEVELS, counted

    check_whole(people=people)
    counts = counted(int(people), taken_seed(seed))
    cube = labelled(counts, [Dim(dim, levels[dim]) for dim, levels in LEVELS.items()]).rename("people")
    coarser = {
        name: (dim, list(groups)) for dim, levels in LEVELS.items() for name, groups in levels.items() if name != dim
    }
    return cube.assign_coords(coarser)


def town(blocks: int = 50, seed: int = 1) -> pd.DataFrame:
    """Draw the people of a small town, household by household: some 80 in each block, 4,000 in 50.

    The recipe. Each block belongs to one of four kinds of neighbourhoods, which differ in their households and in the races
    and ethnicities of those at their head. A household is a person alone, a couple, a family, a parent with children, or
    people who share a flat; partners are of like age, mostly of the same race and ethnicity, and children have the races of
    both parents. All proportions are in `recipes/town.py`.

    Parameters
    ----------
    blocks
        How many there are.
    seed
        Of the draw: the same seed draws the same people on every machine.

    Returns
    -------
    pandas.DataFrame
        The columns block, household, sex, age, race (one of 63 sets of races) and ethnicity; one person a row.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> people = fw.examples.town()
    >>> len(people), people["household"].nunique()
    (4047, 1844)
    """
    from .town import residents

    check_whole(blocks=blocks)
    return residents(int(blocks), taken_seed(seed))


def enterprises(number: int = 4000, seed: int = 1) -> pd.DataFrame:
    """Draw the enterprises of an economy, one a row: microdata to make tables of, and to know who stands behind a cell.

    The recipe. Each enterprise has an activity, a number of employees that follows Zipf's law (many small, few very large),
    a legal form that suits its size, and a region. Its turnover, in thousands, is that of an employee of its activity times
    their number, times a random factor; a few enterprises have a large part of all. Its profit is a random part of turnover,
    negative for about a sixth. Of those with 20 employees and more nearly half belong to one of 28 holdings, most of which
    keep to one kind of activity. All proportions are in `recipes/economy.py`.

    Parameters
    ----------
    number
        How many are drawn.
    seed
        Of the draw: the same seed draws the same enterprises on every machine.

    Returns
    -------
    pandas.DataFrame
        The columns enterprise, holding (who owns it: an enterprise that no holding owns is its own), activity, size,
        legal_form, region, employees, turnover and profit; the last three are whole numbers. `activities()` says how
        activities add up.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> firms = fw.examples.enterprises()
    >>> turnover = firms.groupby(["activity", "size"])["turnover"].sum()
    >>> fw.publish(fw.table(turnover, hierarchies={"activity": fw.examples.activities()}), ["activity:2,size"])
    <Release of activity, size (34 x 3): 102 cells, 87 hidden, 24 known sums, with its truth>
    """
    from .economy import enterprises as drawn

    check_whole(number=number)
    return drawn(int(number), taken_seed(seed))


def activities() -> dict[str, list[str]]:
    """How the activities of `enterprises()` add up, for `fw.table(hierarchies=)`: parents and children, on three levels.

    Some activities stand beside groups, two are in no group, and one group has a single member.

    >>> import fiberwalk as fw
    >>> fw.examples.activities()["textiles"]
    ['cloth', 'clothing', 'leather']
    """
    from .economy import TREE

    return {parent: list(children) for parent, children in TREE.items()}


def activities_hrc() -> str:
    """The same as the text of a `.hrc` file, for `--hierarchy activity=FILE` and for tau-ARGUS.

    >>> import fiberwalk as fw
    >>> fw.examples.activities_hrc().splitlines()[:4]
    ['making', '@food', '@@bread', '@@dairy']
    """
    from .economy import hierarchy_file

    return hierarchy_file()
