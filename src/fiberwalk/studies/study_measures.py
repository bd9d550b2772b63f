"""The measures of a study of tables: a risk and a utility by name, or functions of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..maps.map_axis import known_name
from ..maps.map_utilities import UTILITIES, Kept
from ..maps.own_functions import called, number_from
from ..protect.count_changes import CountChanges
from ..risk.table_risks import TABLE_RISKS

RISK_WORDS = TABLE_RISKS["split"].words.format("")
UTILITY_WORDS = "1 - Hellinger distance / sqrt(N)"


@dataclass(frozen=True, eq=False)
class StudyMeasures:
    """How risk and utility are measured, each with its words."""

    before: Callable[[np.ndarray], float]
    after: Callable[[np.ndarray, np.ndarray, Sequence[CountChanges]], float]
    utility: Callable[[np.ndarray, np.ndarray], float]
    risk_words: str
    utility_words: str
    by_changes: bool
    """Does the risk ask how counts were changed?"""
    may_rise: str
    """What must be said where the risk is larger after protection than before."""


def study_measures(risk: Any, utility: Any, weights: Any) -> StudyMeasures:
    """The measures that a study asks for."""
    utility_of, utility_words = _utility(utility)
    if callable(risk):
        if weights is not None:
            raise InputError("table_study(): weights= go with the name of a risk, not with a function of your own.")

        def own(true: np.ndarray, published: np.ndarray) -> float:
            return number_from(lambda: risk(true, published), "risk=")

        return StudyMeasures(
            lambda true: own(true, true), lambda true, published, changes: own(true, published), utility_of, called(risk),
            utility_words, False, "",
        )  # fmt: skip
    named = TABLE_RISKS[known_name("risk", risk, TABLE_RISKS)]
    return StudyMeasures(
        lambda true: float(named.before(true, weights)),
        lambda true, published, changes: float(named.after(true, published, changes, weights)),
        utility_of, named.words.format(""), utility_words, named.by_changes, named.may_rise,
    )  # fmt: skip


def _utility(utility: Any) -> tuple[Callable[[np.ndarray, np.ndarray], float], str]:
    if callable(utility):
        return lambda true, published: number_from(lambda: utility(true, published), "utility="), called(utility)
    of_tables = {name: measure for name, measure in UTILITIES.items() if isinstance(measure, Kept)}
    named = of_tables[known_name("utility", utility, of_tables)]
    return lambda true, published: float(named.of(true, published)), named.words
