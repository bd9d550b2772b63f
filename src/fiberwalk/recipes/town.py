"""A small town by a stated recipe: who lives in which household and block, of which sex, age, race and ethnicity.

Nobody's town: the labels are those of a census, the proportions made up, in round numbers. People live in households, which
is what makes blocks unlike each other and ages, races and sexes go together in ways that no table shows.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from .whole_draws import WholeDraws

if TYPE_CHECKING:
    import pandas as pd

OLDEST = 115
SEXES = ("female", "male")
ETHNICITIES = ("Hispanic", "not Hispanic")
SINGLE_RACES = ("white", "black", "native", "asian", "pacific", "other")
RACES = tuple("+".join(several) for n in range(1, 7) for several in combinations(SINGLE_RACES, n))
"""Every set of races that somebody may belong to: 63."""
AGE_GROUPS = {
    **{f"{first}-{last}": range(first, last + 1) for first, last in (
        (0, 4), (5, 9), (10, 14), (15, 17), (18, 19), (20, 20), (21, 21), (22, 24), (25, 29), (30, 34), (35, 39), (40, 44),
        (45, 49), (50, 54), (55, 59), (60, 61), (62, 64), (65, 66), (67, 69), (70, 74), (75, 79), (80, 84),
    )},
    "85+": range(85, OLDEST + 1),
}  # fmt: skip

# Of 1,000 heads of households in a neighbourhood so many are of each of these races; so many are Hispanic.
_HEADS = (
    "white",
    "black",
    "native",
    "asian",
    "pacific",
    "other",
    "white+black",
    "white+native",
    "white+asian",
    "black+native",
)
_RACES_OF_HEADS = np.array(
    [
        [905, 30, 6, 25, 1, 18, 4, 7, 3, 1],
        [620, 210, 12, 60, 3, 70, 11, 8, 4, 2],
        [240, 610, 15, 25, 4, 80, 14, 4, 2, 6],
        [520, 60, 15, 190, 12, 170, 10, 10, 12, 1],
    ]
)
_HISPANIC_OF_HEADS = (45, 140, 110, 330)
_KINDS = ("one, young", "one, old", "couple", "old couple", "family", "one parent", "sharing")
_KINDS_BY_NEIGHBOURHOOD = np.array(
    [[8, 17, 17, 19, 32, 6, 1], [16, 12, 16, 9, 31, 12, 4], [14, 14, 11, 9, 26, 22, 4], [13, 8, 14, 6, 38, 14, 7]]
)
_NEIGHBOURHOODS = np.array([40, 28, 16, 16])
_LEAST_HOUSEHOLDS, _MORE_HOUSEHOLDS = 8, 58
"""A block has 8 to 65 households."""
_OF_OTHER_RACE, _ALIKE_IN_ETHNICITY = 14, 88
"""Of 100 couples so many differ by chance in race, and are alike in ethnicity."""


def residents(blocks: int, seed: int) -> pd.DataFrame:
    """Draw the people of a town, one a row, household by household."""
    import pandas as pd

    draws = WholeDraws(seed)
    neighbourhood = draws.chosen(np.tile(_NEIGHBOURHOODS, (blocks, 1)))
    households = _LEAST_HOUSEHOLDS + draws.below(_MORE_HOUSEHOLDS, blocks)
    block = np.repeat(np.arange(blocks), households)
    of = neighbourhood[block]
    kind = draws.chosen(_KINDS_BY_NEIGHBOURHOOD[of])
    people: dict[str, list[np.ndarray]] = {name: [] for name in ("household", "sex", "age", "race", "ethnicity")}

    def add(household: np.ndarray, sex: np.ndarray, age: np.ndarray, race: np.ndarray, ethnicity: np.ndarray) -> None:
        for name, column in zip(people, (household, sex, np.clip(age, 0, OLDEST), race, ethnicity), strict=True):
            people[name].append(column)

    everyone = np.arange(len(block))
    head_race, head_ethnicity = _race(draws, of), _ethnicity(draws, of)
    head_sex, head_age = draws.below(2, len(block)), _head_age(draws, kind)
    add(everyone, head_sex, head_age, head_race, head_ethnicity)
    paired = np.flatnonzero(np.isin(kind, [_KINDS.index(name) for name in ("couple", "old couple", "family")]))
    same_sex = draws.below(100, len(paired)) < 2
    other_race = draws.below(100, len(paired)) < _OF_OTHER_RACE
    partner_race = np.where(other_race, _race(draws, of[paired]), head_race[paired])
    as_head = draws.below(100, len(paired)) < _ALIKE_IN_ETHNICITY
    partner_ethnicity = np.where(as_head, head_ethnicity[paired], _ethnicity(draws, of[paired]))
    older = draws.below(6, len(paired)) + draws.below(6, len(paired)) - 5
    partner_age = np.maximum(head_age[paired] + older, 18)
    add(
        paired, np.where(same_sex, head_sex[paired], 1 - head_sex[paired]), partner_age, partner_race, partner_ethnicity
    )
    second_race, second_ethnicity = head_race.copy(), head_ethnicity.copy()
    second_race[paired], second_ethnicity[paired] = partner_race, partner_ethnicity
    parents = np.flatnonzero(np.isin(kind, [_KINDS.index("family"), _KINDS.index("one parent")]))
    first_child = head_age[parents] - 19 - draws.below(18, len(parents))
    for later in (0, 3, 6, 9):
        there = np.ones(len(parents), dtype=bool) if later == 0 else draws.below(100, len(parents)) < 62 - 6 * later
        age = first_child - later + draws.below(3, len(parents)) - 1
        at_home = there & (age >= 0) & ((age < 19) | (draws.below(100, len(parents)) < 20))
        mine = parents[at_home]
        ethnic = np.minimum(head_ethnicity[mine], second_ethnicity[mine])
        add(mine, draws.below(2, len(mine)), age[at_home], head_race[mine] | second_race[mine], ethnic)
    sharing = np.flatnonzero(kind == _KINDS.index("sharing"))
    for _ in range(2):
        where = of[sharing]
        add(
            sharing,
            draws.below(2, len(sharing)),
            19 + draws.below(14, len(sharing)),
            _race(draws, where),
            _ethnicity(draws, where),
        )
    columns = {name: np.concatenate(parts) for name, parts in people.items()}
    order = np.argsort(columns["household"], kind="stable")
    columns = {name: column[order] for name, column in columns.items()}
    width = len(str(blocks))
    names = np.array([f"{number + 1:0{width}}" for number in range(blocks)])
    return pd.DataFrame(
        {
            "block": names[block[columns["household"]]],
            "household": columns["household"] + 1,
            "sex": np.array(SEXES)[columns["sex"]],
            "age": columns["age"].astype(str),
            "race": _labels()[columns["race"]],
            "ethnicity": np.array(ETHNICITIES)[columns["ethnicity"]],
        }
    )


def _race(draws: WholeDraws, neighbourhood: np.ndarray) -> np.ndarray:
    """Sets of races, as numbers whose bits are the single ones: a child has those of both parents."""
    sets = np.array([sum(1 << SINGLE_RACES.index(one) for one in head.split("+")) for head in _HEADS])
    return np.asarray(sets[draws.chosen(_RACES_OF_HEADS[neighbourhood])])


def _ethnicity(draws: WholeDraws, neighbourhood: np.ndarray) -> np.ndarray:
    """0: Hispanic; a child of one Hispanic parent is."""
    return (draws.below(1000, len(neighbourhood)) >= np.array(_HISPANIC_OF_HEADS)[neighbourhood]).astype(np.int64)


def _head_age(draws: WholeDraws, kind: np.ndarray) -> np.ndarray:
    """Ages of heads by the kind of their household: a sum of two draws, so that the middle is the most usual."""
    first = np.array([20, 62, 22, 60, 24, 22, 19])[kind]
    spread = np.array([45, 36, 42, 28, 32, 30, 12])[kind]
    n = len(kind)
    return first + draws.below(1 << 20, n) * spread // (1 << 21) + draws.below(1 << 20, n) * spread // (1 << 21)


def _labels() -> np.ndarray:
    """The label of each set of races; there is nobody of none."""
    labels = ["" for _ in range(1 << len(SINGLE_RACES))]
    for race in RACES:
        labels[sum(1 << SINGLE_RACES.index(one) for one in race.split("+"))] = race
    return np.array(labels)
