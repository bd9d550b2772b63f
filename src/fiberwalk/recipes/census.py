"""A census hypercube by a stated recipe: who lives where, of which sex and age, does what, and comes from where.

Nobody's census: the proportions are made up, in round numbers, so that the cube has the shape, the size and the skewed
distribution of counts of the one in Shlomo, Antal and Elliot (2015, section 5.1), which is not public.
"""

from __future__ import annotations

import numpy as np

LABELS: dict[str, tuple[str, ...]] = {
    "region": ("1", "2"),
    "sex": ("male", "female"),
    "age": (*(f"{first}-{first + 4}" for first in range(0, 100, 5)), "100+"),
    "activity": ("employed", "unemployed", "below working age", "pensioner", "other"),
    "occupation": (
        "managers", "professionals", "technicians", "clerks", "services and sales", "agriculture", "crafts",
        "operators", "elementary", "armed forces", "apprentices", "not stated", "not applicable",
    ),
    "education": (
        "none", "primary", "lower secondary", "upper secondary", "post-secondary", "bachelor", "master", "not stated",
        "not applicable",
    ),
    "citizenship": ("national", "EU", "other Europe", "outside Europe", "stateless"),
}  # fmt: skip
_N_AGES = len(LABELS["age"])
_EMPLOYED, _UNEMPLOYED, _BELOW, _PENSIONER, _OTHER = range(5)
_YOUNG, _ASKED, _OLD = slice(0, 3), slice(3, 15), slice(15, None)
"""Ages 0-14; 15-74, who are asked for an occupation; 75 and over."""

# By age, 0-4 to 100+.
_PEOPLE = np.array([60, 64, 66, 62, 60, 65, 77, 78, 70, 64.4, 69, 57, 49, 44, 40, 34, 22, 13, 5, 1.2, 0.15])
_PERCENT_MALE = np.array([51.2] * 4 + [49.8] * 8 + [49, 48, 46, 42, 37, 31, 24, 20, 14])
_FOREIGN_PER_1000 = np.array([50, 45, 40, 45, 90, 120, 100, 70, 50, 35, 25, 18, 12, 8, 5, 3, 1.5, 0.7, 0.3, 0.2, 0.1])
# By age, 15-19 to 70-74; who is none of these is a student, looks after the home, or has other reasons not to work.
_PERCENT_EMPLOYED = np.array([35, 68, 80, 82, 83, 84, 84, 82, 70, 48, 15, 6])
_PERCENT_UNEMPLOYED = np.array([7, 8, 5, 4, 4, 3.5, 3.5, 3.5, 4, 3, 0.3, 0.1])
_PERCENT_PENSIONED = np.array([0.05, 0.2, 0.4, 0.6, 1, 1.5, 3, 6, 16, 42, 82, 92])
_PERCENT_NEVER_WORKED = {
    _EMPLOYED: np.zeros(12),
    _UNEMPLOYED: np.array([45, 20, 10] + [5] * 9),
    _PENSIONER: np.array([60] * 3 + [12] * 9),
    _OTHER: np.array([92, 70, 40] + [30] * 9),
}
_WOMEN_TO_MEN = {_EMPLOYED: 0.82, _UNEMPLOYED: 0.7, _PENSIONER: 1.0}
# By occupation, managers to not stated.
_OCCUPIED = np.array([14, 12, 13, 13, 15, 2, 11, 8, 11, 0.4, 0.6, 1])
_WOMEN_TO_A_MAN = np.array([0.6, 1, 0.9, 3.5, 2.6, 0.35, 0.12, 0.25, 1, 0.1, 0.5, 1])
_EDUCATION_THAT_SUITS = np.array([4.2, 5.4, 4.4, 3.3, 2.7, 2.2, 2.7, 2.2, 1.4, 3.2, 2.6])
"""On the scale 0 (none) to 6 (master); for all but `not stated`."""
# By region: a city, whose people are younger, better educated and more often foreign, and the country around it.
_OLDER_BY_BAND = np.array([-0.04, 0.05])
_BETTER_EDUCATED = np.array([0.2, -0.2])
_MORE_FOREIGN = np.array([1.3, 0.6])
_OCCUPIED_IN_REGION = np.array(
    [[1.1, 1.15, 1.1, 1, 1, 0.5, 0.9, 0.9, 1, 0.8, 1, 1], [0.9, 0.8, 0.85, 1, 1, 1.6, 1.15, 1.15, 1, 1.2, 1, 1]]
)


def proportions() -> np.ndarray:
    """The proportion of people in every cell: that of region, age and sex, then of citizenship and work given these."""
    region = np.array([854_539, 645_461]) / 1_500_000
    male = _PERCENT_MALE / 100
    sex = np.stack([male, 1 - male])
    age = _PEOPLE * np.exp(_OLDER_BY_BAND[:, None] * np.arange(_N_AGES))
    age /= age.sum(axis=1, keepdims=True)
    work = np.stack([_work(number) for number in range(len(region))])
    return np.einsum("r,ra,sa,rsaoje,rac->rsaojec", region, age, sex, work, _citizenship())


def _citizenship() -> np.ndarray:
    """Of every region and age."""
    foreign = _MORE_FOREIGN[:, None] * _FOREIGN_PER_1000 / 1000
    origins = np.array([0.5, 0.1, 0.399, 0.001])
    return np.concatenate([1 - foreign[..., None], foreign[..., None] * origins], axis=-1)


def _education(region: int) -> np.ndarray:
    """Of every age, from none to not stated: bell-shaped about a level that is the higher, the younger people are."""
    usual = np.clip(3.9 - 0.16 * (np.arange(_N_AGES) - 5), 1.2, 3.9) + _BETTER_EDUCATED[region]
    level = np.exp(-0.28 * (np.arange(7) - usual[:, None]) ** 2)
    level[:, 0] *= 0.25
    level[3] = [0.01, 0.05, 0.6, 0.34, 0, 0, 0]  # at 15-19 nobody has finished more
    level[4, 6] *= 0.05
    return np.concatenate([0.985 * level / level.sum(axis=1, keepdims=True), np.full((_N_AGES, 1), 0.015)], axis=1)


def _occupation(region: int) -> np.ndarray:
    """Of every sex, age and education, among those who have an occupation, or had one."""
    suits = np.ones((8, 12))
    suits[:7, :11] = np.exp(-1.15 * (np.arange(7)[:, None] - _EDUCATION_THAT_SUITS) ** 2)
    by_sex = np.stack([_OCCUPIED / (1 + _WOMEN_TO_A_MAN), _OCCUPIED * _WOMEN_TO_A_MAN / (1 + _WOMEN_TO_A_MAN)])
    by_age, age = np.ones((_N_AGES, 12)), np.arange(_N_AGES)
    by_age[:, 0] = np.minimum(1, np.exp(0.8 * (age - 6)))  # managers are rare before 30,
    by_age[:, 9] = 2 * np.exp(-0.35 * np.maximum(age - 4, 0))  # soldiers after 25,
    by_age[:, 10] = 40 * np.exp(-1.1 * np.maximum(age - 3, 0))  # apprentices after 20
    share = np.einsum("o,so,ao,eo->saeo", _OCCUPIED_IN_REGION[region], by_sex, by_age, suits)
    return share / share.sum(axis=-1, keepdims=True)


def _work(region: int) -> np.ndarray:
    """Of every sex and age: activity x occupation x education."""
    shares = np.zeros((2, _N_AGES, *(len(LABELS[dim]) for dim in ("activity", "occupation", "education"))))
    education, occupation = _education(region), _occupation(region)
    shares[:, _YOUNG, _BELOW, -1, -1] = 1
    shares[:, _OLD, _PENSIONER, -1, :-1] = 0.97 * education[_OLD]
    shares[:, _OLD, _OTHER, -1, :-1] = 0.03 * education[_OLD]
    percent = {_EMPLOYED: _PERCENT_EMPLOYED, _UNEMPLOYED: _PERCENT_UNEMPLOYED, _PENSIONER: _PERCENT_PENSIONED}
    share = {activity: np.stack([men, _WOMEN_TO_MEN[activity] * men]) / 100 for activity, men in percent.items()}
    share[_OTHER] = 1 - sum(share.values(), np.zeros((2, 12)))
    for activity, of_all in share.items():
        never = _PERCENT_NEVER_WORKED[activity] / 100
        shares[:, _ASKED, activity, -1, :-1] = np.einsum("sa,ae->sae", of_all * never, education[_ASKED])
        shares[:, _ASKED, activity, :-1, :-1] = np.einsum(
            "sa,ae,saeo->saoe", of_all * (1 - never), education[_ASKED], occupation[:, _ASKED]
        )
    return shares
