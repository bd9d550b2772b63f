"""The methods of a study: before or after tables are cut, with one value of each parameter or with several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..maps.map_methods import WHOLE, several_values, shown_value
from ..protect.count_changes import CountChanges, changes_of
from ..protect.protected_counts import protected_counts
from ..report.words import setting_words
from .cuts import Cut

BEFORE, AFTER = "before", "after"


@dataclass(frozen=True, eq=False)
class Treatment:
    """A method, its parameters, and when it is applied."""

    when: str
    method: str
    parameters: Mapping[str, Any] | Callable[[np.ndarray], Mapping[str, Any]]
    setting: Mapping[str, Any]
    """The parameters of which several values were given, and what they are here: numbers and texts."""

    def applied(
        self, counts: np.ndarray, names: list[str], cuts: Mapping[str, Cut], seed: int, by_changes: bool
    ) -> Iterator[tuple[str, np.ndarray, np.ndarray, tuple[CountChanges, ...]]]:
        """Of every table its name, the true and the published counts, and the law of the changes, where it is asked for."""
        if self.when == BEFORE:
            parameters, changes = self._given(counts, by_changes)
            protected = protected_counts(counts, self.method, parameters, dims=names, seed=seed)
            yield from ((name, cut.of(counts), cut.of(protected), changes) for name, cut in cuts.items())
            return
        for name, cut in cuts.items():
            true = cut.of(counts)
            parameters, changes = self._given(true, by_changes)
            yield name, true, protected_counts(true, self.method, parameters, dims=cut.names, seed=seed), changes

    def _given(self, counts: np.ndarray, by_changes: bool) -> tuple[Mapping[str, Any], tuple[CountChanges, ...]]:
        parameters = self.parameters(counts) if callable(self.parameters) else self.parameters
        return parameters, (changes_of(self.method, parameters),) if by_changes else ()


def treatments(methods: Mapping[str, Any]) -> dict[str, Treatment]:
    """All methods with every combination of the values that are given of their parameters."""
    by_name: dict[str, Treatment] = {}
    for name, specification in methods.items():
        for shown, treatment in _treatments(str(name), specification):
            if shown in by_name:
                raise InputError(f"table_study(): {shown!r} is there twice: the same runs would count twice.")
            by_name[shown] = treatment
    return by_name


def _treatments(name: str, specification: Any) -> Iterator[tuple[str, Treatment]]:
    if (
        not isinstance(specification, (tuple, list))
        or len(specification) != 3
        or specification[0] not in (BEFORE, AFTER)
    ):
        raise InputError(
            f"table_study(): method {name!r} is 'before' or 'after', the name of a method and its parameters, such as "
            "('after', 'random_round', {'base': 3})."
        )
    when, method, parameters = specification
    if callable(parameters):
        yield name, Treatment(when, method, parameters, {})
        return
    if not isinstance(parameters, Mapping | None):
        raise InputError(
            f"table_study(): the parameters of method {name!r} are a dict, or a function of the counts; they are "
            f"{parameters!r}."
        )
    fixed = dict(parameters or {})
    several = several_values(name, fixed, WHOLE)
    for places in product(*(range(len(values)) for values in several.values())):
        values = {key: several[key][place] for key, place in zip(several, places, strict=True)}
        setting = {key: shown_value(values[key], place + 1) for key, place in zip(several, places, strict=True)}
        words = [name, ", ".join(setting_words(key, value) for key, value in setting.items())]
        yield " ".join(filter(None, words)), Treatment(when, method, {**fixed, **values}, setting)
