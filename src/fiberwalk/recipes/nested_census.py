"""A small town's census by a stated recipe: sex, and age, marital, household and family status with the groups above them.

Nobody's census: the proportions are made up, in round numbers. Whole numbers only, from draws that are the same everywhere,
so that the same seed gives the same people on every machine.
"""

from __future__ import annotations

import numpy as np

from .whole_draws import WholeDraws

YEARS = 101
_BANDS = (*(f"{first}-{first + 4}" for first in range(0, 100, 5)), "100+")
_PHASE_OF_BAND = ("0-14",) * 3 + ("15-29",) * 3 + ("30-64",) * 7 + ("65-84",) * 4 + ("85+",) * 4
_PHASES = tuple(dict.fromkeys(_PHASE_OF_BAND))
_BAND_OF_YEAR = tuple(min(year // 5, 20) for year in range(YEARS))

LEVELS: dict[str, dict[str, tuple[str, ...]]] = {
    "sex": {"sex": ("male", "female")},
    "age": {
        "age": (*(str(year) for year in range(YEARS - 1)), "100+"),
        "age_band": tuple(_BANDS[band] for band in _BAND_OF_YEAR),
        "age_phase": tuple(_PHASE_OF_BAND[band] for band in _BAND_OF_YEAR),
    },
    "marital": {
        "marital": ("never married", "married", "registered partner", "divorced", "widowed"),
        "marital_group": ("never married", "in a marriage", "in a marriage", "after a marriage", "after a marriage"),
    },
    "household": {
        "household": ("in a family", "alone", "with others", "care home", "other institution"),
        "household_form": ("in a family", "outside a family", "outside a family", "institution", "institution"),
        "household_kind": ("private", "private", "private", "institution", "institution"),
    },
    "family": {
        "family": (
            "child of a couple", "child of one parent", "spouse", "partner by register", "cohabitant", "lone parent",
            "in no family",
        ),
        "family_form": (
            "child of a couple", "child of one parent", "by law", "by law", "cohabitant", "lone parent", "in no family",
        ),
        "family_role": ("child", "child", "partner", "partner", "partner", "lone parent", "in no family"),
    },
}  # fmt: skip
"""Of every dim its labels, and for each of them its group on the coarser levels, from fine to coarse."""

# By band, 0-4 to 100+.
_PEOPLE = (540, 560, 590, 610, 620, 630, 650, 660, 680, 700, 700, 660, 610, 560, 480, 370, 250, 130, 45, 11, 3)
_PERCENT_MALE = (51, 51, 51, 51, 51, 51, 50, 50, 50, 50, 50, 50, 49, 48, 47, 44, 39, 33, 26, 20, 15)
# By band, of 1,000 of each: never married, married, registered partner, divorced, widowed.
_MARITAL = (
    (1000, 0, 0, 0, 0), (1000, 0, 0, 0, 0), (1000, 0, 0, 0, 0), (995, 5, 0, 0, 0), (920, 75, 0, 5, 0),
    (700, 273, 1, 25, 1), (480, 465, 1, 52, 2), (350, 555, 1, 90, 4), (280, 594, 1, 120, 5), (220, 615, 1, 154, 10),
    (170, 634, 0, 178, 18), (130, 653, 0, 185, 32), (100, 662, 0, 180, 58), (80, 652, 0, 160, 108),
    (70, 601, 0, 125, 204), (65, 511, 0, 95, 329), (60, 390, 0, 70, 480), (60, 250, 0, 50, 640), (65, 130, 0, 40, 765),
    (70, 60, 0, 30, 840), (80, 20, 0, 20, 880),
)  # fmt: skip
_NEVER, _MARRIED, _REGISTERED, _DIVORCED, _WIDOWED = range(5)
# By phase of life, of 1,000: in a family, alone, with others, in a care home, in another institution.
_HOUSEHOLD_NEVER_MARRIED = (
    (996, 0, 3, 0, 1), (810, 160, 27, 0, 3), (480, 485, 33, 0, 2), (110, 866, 11, 13, 0), (40, 890, 10, 60, 0),
)  # fmt: skip
_HOUSEHOLD_IN_A_MARRIAGE = (
    (1000, 0, 0, 0, 0), (975, 25, 0, 0, 0), (972, 25, 2, 0, 1), (950, 45, 1, 4, 0), (850, 120, 0, 30, 0),
)  # fmt: skip
_HOUSEHOLD_AFTER_A_MARRIAGE = (
    (1000, 0, 0, 0, 0), (550, 440, 10, 0, 0), (430, 552, 18, 0, 0), (170, 818, 5, 7, 0), (90, 850, 0, 60, 0),
)  # fmt: skip
_IN_A_FAMILY, _IN_NO_FAMILY = 0, 6
# Who lives in a family, by phase of life, of 100: the status in it, from child of a couple to lone parent.
_FAMILY_NEVER_MARRIED = (
    (78, 22, 0, 0, 0, 0), (50, 17, 0, 0, 28, 5), (8, 6, 0, 0, 68, 18), (0, 6, 0, 0, 80, 14), (0, 0, 0, 0, 70, 30),
)  # fmt: skip
_FAMILY_MARRIED, _FAMILY_REGISTERED, _FAMILY_AFTER = (1, 0, 95, 0, 2, 2), (0, 1, 0, 95, 2, 2), (3, 4, 0, 0, 55, 38)


def counted(people: int, seed: int) -> np.ndarray:
    """Draw people one by one, each status given those before it, and count them."""
    draws = WholeDraws(seed)
    band = draws.chosen(np.tile(_PEOPLE, (people, 1)))
    year = np.minimum(5 * band + draws.below(5, people), YEARS - 1)
    male = np.array(_PERCENT_MALE)[band]
    sex = draws.chosen(np.stack([male, 100 - male], axis=1))
    phase = np.array([_PHASES.index(phase_of_band) for phase_of_band in _PHASE_OF_BAND])[band]
    marital = draws.chosen(np.array(_MARITAL)[band])
    household = draws.chosen(_households()[marital, phase])
    family = np.where(household == _IN_A_FAMILY, draws.chosen(_families()[marital, phase]), _IN_NO_FAMILY)
    shape = tuple(len(levels[dim]) for dim, levels in LEVELS.items())
    cell = np.ravel_multi_index((sex, year, marital, household, family), shape)
    return np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)


def _households() -> np.ndarray:
    """Weights by marital status and phase of life."""
    weights = np.empty((5, len(_PHASES), 5), dtype=np.int64)
    weights[_NEVER] = _HOUSEHOLD_NEVER_MARRIED
    weights[[_MARRIED, _REGISTERED]] = _HOUSEHOLD_IN_A_MARRIAGE
    weights[[_DIVORCED, _WIDOWED]] = _HOUSEHOLD_AFTER_A_MARRIAGE
    return weights


def _families() -> np.ndarray:
    """Weights by marital status and phase of life, of those who live in a family."""
    weights = np.empty((5, len(_PHASES), 6), dtype=np.int64)
    weights[_NEVER] = _FAMILY_NEVER_MARRIED
    weights[_MARRIED], weights[_REGISTERED] = _FAMILY_MARRIED, _FAMILY_REGISTERED
    weights[[_DIVORCED, _WIDOWED]] = _FAMILY_AFTER
    return weights
