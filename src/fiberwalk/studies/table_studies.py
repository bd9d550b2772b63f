"""Studies of protection methods on tables cut from a hypercube, before or after the cut (SAE15, section 5)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError, did_you_mean
from ..base.saved_file import save
from ..base.saved_forms import saved
from ..maps.map_methods import run_seeds
from ..protect.count_changes import CountChanges, changes_of
from ..protect.protected_counts import protected_counts
from ..release.tables.dims import parse_margin
from ..release.tables.tables import Table, as_table
from ..risk.hellinger import hellinger_utility
from ..risk.split_entropy import perturbed_risk, split_risk

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BEFORE, AFTER = "before", "after"
FEW = 2
"""Cells of 1 to so many are small: a person in one may be recognised."""


@saved("TableStudy", kind="table study")
@dataclass(frozen=True, eq=False, repr=False)
class TableStudy:
    """What methods did to the tables of a study.

    Attributes
    ----------
    runs : DataFrame
        A row for every table, method and seed: small_changed (the share of cells of 1 and 2 that were published as something
        else), risk (SAE15's measure after protection) and utility (1 is a table that was not changed).
    originals : DataFrame
        A row for every table: its people, cells, zeros (a share) and small cells (of 1 and 2), and its risk.
    methods : dict
        What the names of the methods stand for.
    """

    runs: pd.DataFrame
    originals: pd.DataFrame
    methods: Mapping[str, str]

    def __repr__(self) -> str:
        tables, methods, seeds = (self.runs.index.unique(one) for one in ("table", "method", "seed"))
        return f"<TableStudy of {len(tables)} tables, {len(methods)} methods and {len(seeds)} seeds>"

    def _repr_html_(self) -> str | None:
        from ..base.html import in_notebook
        from ..report.notebook_form import study_html

        return in_notebook(study_html, self)

    @property
    def frame(self) -> pd.DataFrame:
        """Means over the seeds, a row for every table and method, with the standard deviations of risk and utility."""
        runs = self.runs.groupby(level=["table", "method"], sort=False)
        found = runs.mean()
        for one in ("risk", "utility"):
            found[f"{one}_sd"] = runs[one].std()
        found.insert(1, "risk_before", self.originals["risk"].reindex(found.index.get_level_values("table")).to_numpy())
        return found

    def plot(self, ax: Axes | None = None, title: str | None = None) -> Figure:
        """Risk upwards, utility to the right: a point for every table and method, and the tables as they were."""
        from ..report.plots.study_plot import draw_study

        return draw_study(self, ax, title)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, from which `fiberwalk.load` makes it again."""
        save(self, path)


def table_study(
    cube: Any,
    tables: Mapping[str, tuple[Any, Mapping[str, Any] | None]],
    methods: Mapping[str, tuple[str, str, Any]],
    *,
    seeds: int | Iterable[int] = range(1, 6),
    count: str | None = None,
) -> TableStudy:
    """Compare methods that protect a hypercube before tables are cut from it, or the tables themselves.

    Parameters
    ----------
    cube
        Counts over all dims: a DataArray, a Series with a MultiIndex, a long frame.
    tables
        Of every table the dims that span it and who is in it: {"T1": ("age,occupation", {"region": "1"})}.
    methods
        Of every method "before" or "after" (the cut), its name, and its parameters: {"rounded": ("after", "random_round",
        {"base": 3})}. Parameters may be a function of the counts that they are for, such as a matrix made for a table.
        A parameter that names a dim which a table does not have is an error.
    seeds
        Random methods are applied once for each; a number: as many times.
    count
        The count column of a long frame, where its name does not say so.

    Examples
    --------
    >>> import fiberwalk as fw, numpy as np
    >>> cube = np.random.default_rng(1).poisson(2, (4, 5, 6))
    >>> study = fw.table_study(cube, {"T": ("A,B", {"C": "1"})}, {"RR": ("after", "random_round", {"base": 3})})
    >>> study
    <TableStudy of 1 tables, 1 methods and 5 seeds>
    >>> bool(study.frame.loc[("T", "RR"), "risk"] < study.originals.loc["T", "risk"])
    True
    """
    import pandas as pd

    whole = as_table(cube, count=count)
    cuts = {name: _cut(whole, name, one) for name, one in _some(tables, "tables").items()}
    treatments = {name: _treatment(name, one) for name, one in _some(methods, "methods").items()}
    runs: dict[tuple[str, str, int], dict[str, float]] = {}
    names = [dim.name for dim in whole.dims]
    for seed in run_seeds(seeds, 1):
        for name, treatment in treatments.items():
            for of_table, true, shown, changes in treatment.applied(whole.values, names, cuts, seed):
                published = np.maximum(shown, 0)  # noise may go below
                runs[of_table, name, seed] = {
                    "small_changed": _share(published != true, (true >= 1) & (true <= FEW)),
                    "risk": float(perturbed_risk(true, published, changes)),
                    "utility": float(hellinger_utility(true, published)),
                }
    frame = pd.DataFrame.from_dict(runs, orient="index")
    frame.index = pd.MultiIndex.from_tuples(runs, names=["table", "method", "seed"])
    order = {name: place for place, name in enumerate(cuts)}
    frame = frame.sort_index(level="table", key=lambda names: names.map(order), sort_remaining=False, kind="stable")
    originals = pd.DataFrame({name: _facts(cut.of(whole.values)) for name, cut in cuts.items()}).T.rename_axis("table")
    meanings = {name: f"{one.method} {one.when}" for name, one in treatments.items()}
    return TableStudy(frame, originals.astype({"people": int, "cells": int, "small": int}), meanings)


@dataclass(frozen=True)
class Cut:
    """A table of a hypercube: who is in it, and the dims that span it."""

    chosen: tuple[Any, ...]
    """Of every dim of the cube the place of its label; all of them where nothing is chosen."""
    axes: tuple[int, ...]
    names: tuple[str, ...]

    def of(self, counts: np.ndarray) -> np.ndarray:
        """The table, cut from the counts of a cube."""
        part = counts[self.chosen]
        away = tuple(i for i in range(part.ndim) if i not in self.axes)
        return np.asarray(part.sum(axis=away).transpose(np.argsort(np.argsort(self.axes))))


def _cut(whole: Table, name: str, given: Any) -> Cut:
    if not isinstance(given, (tuple, list)) or len(given) != 2 or not isinstance(given[1], Mapping | None):
        raise InputError(
            f"table_study(): table {name!r} is a pair of its dims and who is in it, ('A,B', {{'C': '1'}})."
        )
    spanning, where = given
    names = [dim.name for dim in whole.dims]
    parse_margin(spanning, whole.dims)  # refuses what is no dim
    wanted = (
        [one.strip() for one in spanning.split(",")] if isinstance(spanning, str) else [str(one) for one in spanning]
    )
    if not any(wanted):
        raise InputError(f"table_study(): table {name!r} has no dim; {did_you_mean('', names)}")
    chosen: list[Any] = [slice(None)] * len(names)
    for dim, label in (where or {}).items():
        if dim not in names or dim in wanted:
            raise InputError(
                f"table_study(): {name!r} chooses people by {dim!r}, which "
                + ("spans it already." if dim in names else f"is no dim; {did_you_mean(str(dim), names)}")
            )
        labels = whole.dims[names.index(dim)].labels
        if str(label) not in labels:
            raise InputError(
                f"table_study(): {name!r}: {dim!r} has no label {label!r}; {did_you_mean(str(label), labels)}"
            )
        place = labels.index(str(label))
        chosen[names.index(dim)] = slice(place, place + 1)
    return Cut(tuple(chosen), tuple(names.index(one) for one in wanted), tuple(wanted))


@dataclass(frozen=True, eq=False)
class Treatment:
    """A method, its parameters, and when it is applied."""

    when: str
    method: str
    parameters: Mapping[str, Any] | Callable[[np.ndarray], Mapping[str, Any]]

    def applied(
        self, counts: np.ndarray, names: list[str], cuts: Mapping[str, Cut], seed: int
    ) -> Iterator[tuple[str, np.ndarray, np.ndarray, CountChanges]]:
        """Of every table its name, the true and the published counts, and the law of the changes."""
        if self.when == BEFORE:
            parameters, changes = self._given(counts)
            protected = protected_counts(counts, self.method, parameters, dims=names, seed=seed)
            yield from ((name, cut.of(counts), cut.of(protected), changes) for name, cut in cuts.items())
            return
        for name, cut in cuts.items():
            true = cut.of(counts)
            parameters, changes = self._given(true)
            yield name, true, protected_counts(true, self.method, parameters, dims=cut.names, seed=seed), changes

    def _given(self, counts: np.ndarray) -> tuple[Mapping[str, Any], CountChanges]:
        given = self.parameters(counts) if callable(self.parameters) else self.parameters
        return given, changes_of(self.method, given)


def _treatment(name: str, given: Any) -> Treatment:
    if not isinstance(given, (tuple, list)) or len(given) != 3 or given[0] not in (BEFORE, AFTER):
        raise InputError(
            f"table_study(): method {name!r} is 'before' or 'after', the name of a method and its parameters, such as "
            "('after', 'random_round', {'base': 3})."
        )
    when, method, parameters = given
    return Treatment(when, method, {} if parameters is None else parameters)


def _some(given: Any, what: str) -> Any:
    if not isinstance(given, Mapping):
        raise InputError(f"table_study(): {what} are a dict, each with its name; they are {given!r}.")
    if not given:
        raise InputError(f"table_study() needs {what}; none are given.")
    return given


def _share(of: np.ndarray, among: np.ndarray) -> float:
    return float(of[among].mean()) if among.any() else np.nan


def _facts(table: np.ndarray) -> dict[str, float]:
    return {
        "people": int(table.sum()),
        "cells": table.size,
        "zeros": float((table == 0).mean()),
        "small": int(((table >= 1) & (table <= FEW)).sum()),
        "risk": float(split_risk(table)),
    }
