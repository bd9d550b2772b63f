"""Studies of protection methods on tables cut from a hypercube, before or after the cut (SAE15, section 5)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError
from ..base.saved_file import save
from ..base.saved_forms import saved
from ..maps.map_methods import run_seeds
from ..release.tables.tables import as_table
from .cuts import cut_of
from .study_measures import RISK_WORDS, UTILITY_WORDS, StudyMeasures, study_measures
from .treatments import treatments

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
        else), risk (SAE15's measure after protection, or the one that was chosen) and utility (1 is a table that was not
        changed).
    originals : DataFrame
        A row for every table: its people, cells, zeros (a share) and small cells (of 1 and 2), and its risk.
    methods : dict
        What the names of the methods stand for.
    settings : dict
        Of every method the parameters of which several values were given, and what they are: {"RR base=3": {"base": 3}}.
    risk, utility : str
        What the measures are, in words.
    """

    runs: pd.DataFrame
    originals: pd.DataFrame
    methods: Mapping[str, str]
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    risk: str = RISK_WORDS
    utility: str = UTILITY_WORDS
    may_rise: str = ""
    """What must be said where the risk is larger after protection than before."""

    def __repr__(self) -> str:
        tables, methods, seeds = (self.runs.index.unique(name) for name in ("table", "method", "seed"))
        return f"<TableStudy of {len(tables)} tables, {len(methods)} methods and {len(seeds)} seeds>"

    def _repr_html_(self) -> str | None:
        from ..base.html import in_notebook
        from ..report.notebook_form import study_html

        return in_notebook(study_html, self)

    @property
    def frame(self) -> pd.DataFrame:
        """Means over the seeds, a row for every table and method, with the standard deviations of risk and utility."""
        runs = self.runs.groupby(level=["table", "method"], sort=False)
        frame = runs.mean()
        for measure in ("risk", "utility"):
            frame[f"{measure}_sd"] = runs[measure].std()
        frame.insert(1, "risk_before", self.originals["risk"].reindex(frame.index.get_level_values("table")).to_numpy())
        return frame

    @property
    def raised(self) -> pd.Series:
        """The share of runs in which the risk is larger after protection than before, of every table and method."""
        before = self.originals["risk"].reindex(self.runs.index.get_level_values("table")).to_numpy()
        larger = self.runs["risk"] > before + 1e-12
        return larger.groupby(level=["table", "method"], sort=False).mean().rename("raised")

    @property
    def remark(self) -> str:
        """What must be said of the risks, in a sentence; nothing where there is nothing to say."""
        raised = self.raised[self.raised > 0]
        if not self.may_rise or not len(raised):
            return ""
        which = ", ".join(" ".join(map(str, names)) for names in raised.index[:6])
        which += " and more" if len(raised) > 6 else ""
        return f"In some runs the risk is larger than before ({which}): {self.may_rise}."

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
    mechanisms: Mapping[str, tuple[str, str, Any]],
    *,
    seeds: int | Iterable[int] = range(1, 6),
    risk: Any = "split",
    utility: Any = "hellinger",
    weights: Any = None,
) -> TableStudy:
    """Compare methods that protect a hypercube before tables are cut from it, or the tables themselves.

    Of parameters, lists of values can be given: a method is then studied with every combination of them.

    Parameters
    ----------
    cube
        Counts over all dims: a DataArray, a Series with a MultiIndex, a long frame.
    tables
        Of every table the dims that span it and who is in it: {"T1": ("age,occupation", {"region": "1"})}.
    mechanisms
        Of every method "before" or "after" (the cut), its name, and its parameters: {"rounded": ("after", "random_round",
        {"base": 3})}. Parameters may be a function of the counts that they are for, such as a matrix made for a table.
        A parameter that names a dim which a table does not have is an error. {"base": [3, 5, 10]} stands for three
        methods, "rounded base=3" and so on; lists of two parameters for every pair (but margins, a matrix and the like,
        which are lists by nature, are one value).
    seeds
        Random methods are applied once for each; a number: as many times.
    risk
        "split" (SAE15's), "split mean", "r1", "r2" or "thin lines", as for `ru_map`; or a function of (true, published),
        two arrays of counts, that returns a number. All but the first two are of any method with a figure for every cell.
    utility
        "hellinger", "conditional entropy", "chi-square", "cramer's v" or "margins", as for `ru_map`; or such a function.
    weights
        Of the terms of the risk, where it has some.

    Examples
    --------
    >>> import fiberwalk as fw, numpy as np
    >>> cube = np.random.default_rng(1).poisson(2, (4, 5, 6))
    >>> study = fw.studies.table_study(cube, {"T": ("A,B", {"C": "1"})}, {"RR": ("after", "random_round", {"base": 3})})
    >>> study
    <TableStudy of 1 tables, 1 methods and 5 seeds>
    >>> bool(study.frame.loc[("T", "RR"), "risk"] < study.originals.loc["T", "risk"])
    True
    >>> grid = {"RR": ("after", "random_round", {"base": [3, 5]})}
    >>> study = fw.studies.table_study(cube, {"T": ("A,B", {"C": "1"})}, grid, risk="r2", utility="cramer's v")
    >>> list(study.methods), study.risk
    (['RR base=3', 'RR base=5'], 'R2 (Antal, Shlomo and Elliot)')
    """
    import pandas as pd

    whole = as_table(cube)
    measures = study_measures(risk, utility, weights)
    cuts = {name: cut_of(whole, name, table) for name, table in _named(tables, "tables").items()}
    studied = treatments(_named(mechanisms, "mechanisms"))
    runs: dict[tuple[str, str, int], dict[str, float]] = {}
    names = [dim.name for dim in whole.dims]
    for seed in run_seeds(seeds, 1):
        for name, treatment in studied.items():
            for of_table, true, shown, changes in treatment.applied(
                whole.values, names, cuts, seed, measures.by_changes
            ):
                published = np.maximum(shown, 0)  # noise may go below
                runs[of_table, name, seed] = {
                    "small_changed": _share(published != true, (true >= 1) & (true <= FEW)),
                    "risk": measures.after(true, published, changes),
                    "utility": measures.utility(true, published),
                }
    frame = pd.DataFrame.from_dict(runs, orient="index")
    frame.index = pd.MultiIndex.from_tuples(runs, names=["table", "method", "seed"])
    order = {name: place for place, name in enumerate(cuts)}
    frame = frame.sort_index(level="table", key=lambda names: names.map(order), sort_remaining=False, kind="stable")
    originals = pd.DataFrame(
        {name: _facts(cut.of(whole.values), measures) for name, cut in cuts.items()}
    ).T.rename_axis("table")
    return TableStudy(
        frame,
        originals.astype({"people": int, "cells": int, "small": int}),
        {name: f"{treatment.method} {treatment.when}" for name, treatment in studied.items()},
        {name: treatment.setting for name, treatment in studied.items() if treatment.setting},
        measures.risk_words,
        measures.utility_words,
        measures.may_rise,
    )


def _named(by_name: Any, kind: str) -> Any:
    if not isinstance(by_name, Mapping):
        raise InputError(f"table_study(): {kind} are a dict, each with its name; they are {by_name!r}.")
    if not by_name:
        raise InputError(f"table_study() needs {kind}; none are given.")
    return by_name


def _share(hit: np.ndarray, among: np.ndarray) -> float:
    return float(hit[among].mean()) if among.any() else np.nan


def _facts(table: np.ndarray, measures: StudyMeasures) -> dict[str, float]:
    return {
        "people": int(table.sum()),
        "cells": table.size,
        "zeros": float((table == 0).mean()),
        "small": int(((table >= 1) & (table <= FEW)).sum()),
        "risk": measures.before(table),
    }
