"""Studies of population models: how near they come to the risk of samples whose population is known (ASE15, section 6)."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError
from ..base.progress import Progress, shown
from ..base.saved_file import save
from ..base.saved_forms import saved
from ..maps.map_methods import run_seeds
from ..posterior.populations.fiber_population import FiberPopulation
from ..posterior.populations.models import as_model
from ..protect.records.sample_drawing import draw_sample
from ..release.release import Release
from ..release.tables.tables import as_table
from ..risk.whole_table import r1
from .sampled_populations import sample_risk
from .zero_levels import Generated, levels, with_zeros

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


LEVELS = ("random_zeros", "structural_zeros")
"""Names of the index where levels of zeros were asked for."""


@saved("SampleStudy", kind="sample study")
@dataclass(frozen=True, eq=False, repr=False)
class SampleStudy:
    """What models of the population say of samples whose population is known.

    Attributes
    ----------
    runs : DataFrame
        A row for every fraction, model and seed: r1, r2 and zeros, the means over the populations that were drawn; q2.5 and
        q97.5, between which the middle 95% of their R2 lie; true_r2, that of the true population; doubt, what must be said
        beside these figures (chains that did not converge), empty where nothing must. Where levels of zeros were asked for,
        there is a row for each of these too, with true_zeros, the empty cells of the population that was generated.
    people, cells, zeros, r1
        Of the true population: how many people, cells and empty cells its table has, and its R1.
    draws : int
        How many populations were drawn for each sample.
    models : dict
        What the names of the models stand for.
    """

    runs: pd.DataFrame
    people: int
    cells: int
    zeros: int
    r1: float
    draws: int
    models: Mapping[str, str]

    def __repr__(self) -> str:
        fractions, models, seeds = (len(self.runs.index.unique(name)) for name in ("fraction", "model", "seed"))
        return f"<SampleStudy of {fractions} fractions, {models} models and {seeds} samples of {self.people:,} people>"

    def _repr_html_(self) -> str | None:
        from ..base.html import in_notebook
        from ..report.notebook_form import sample_study_html

        return in_notebook(sample_study_html, self)

    @property
    def frame(self) -> pd.DataFrame:
        """Over the samples, a row for every fraction and model, and for every level of zeros where these were asked for.

        true_r2 and r2 are means, bias is their difference, rms the root of the mean squared error, sd the standard
        deviation of r2 from sample to sample; inside is the coverage, the share of samples whose true R2 lies in the middle
        95% of those drawn; doubtful is the share with a doubt.
        """
        import pandas as pd

        runs = self.runs
        each = pd.DataFrame(
            {
                "true_r2": runs["true_r2"],
                "r2": runs["r2"],
                "bias": runs["r2"] - runs["true_r2"],
                "inside": (runs["q2.5"] <= runs["true_r2"]) & (runs["true_r2"] <= runs["q97.5"]),
                "doubtful": runs["doubt"] != "",
            }
        )
        by = [name for name in runs.index.names if name != "seed"]
        grouped = each.groupby(level=by, sort=False)
        frame = grouped.mean()
        frame.insert(3, "rms", (each["bias"] ** 2).groupby(level=by, sort=False).mean() ** 0.5)
        frame.insert(4, "sd", grouped["r2"].std())
        return frame

    def plot(self, axes: Any = None, title: str | None = None) -> Figure:
        """The error of every model in every sample, a panel for each fraction; and the coverage of the 95% intervals.

        Open dots are samples whose figures have a doubt: chains that did not converge.
        """
        from ..report.plots.sample_study_plot import draw_sample_study

        return draw_sample_study(self, axes, title)

    def plot_errors(self, ax: Axes | None = None, title: str | None = None) -> Figure:
        """The root mean squared error of every model against the sampling fraction."""
        from ..report.plots.sample_study_plot import draw_errors

        return draw_errors(self, ax, title)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, from which `fiberwalk.load` makes it again."""
        save(self, path)


def sample_study(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    population: Any,
    fractions: float | Iterable[float] = (0.1, 0.05, 0.01),
    models: Mapping[str, Any] | Iterable[str] = ("log-linear", "urn", "shrunk", "fiber"),
    *,
    random_zeros: float | Iterable[float] | None = None,
    structural_zeros: float | Iterable[float] | None = None,
    tell_zeros: bool = True,
    exact: Iterable[Any] | None = None,
    seeds: int | Iterable[int] = range(1, 21),
    draws: int = 400,
    weights: Any = (0.1, 0.8, 0.1),
    progress: Progress | bool | None = None,
) -> SampleStudy:
    """Try models of the population on samples of a population that is known.

    For every fraction and seed a sample is drawn, `draw_sample(population, fraction, exact=exact, seed=seed)`, and each
    model is asked for its risk, `sample_risk(sample, model=model, draws=draws, seed=seed)`. All models see the same samples.

    Parameters
    ----------
    population
        The table of the whole population, in any form and any number of dims.
    fractions
        Shares of the population in the samples.
    models
        Names of models, or models of `fw.survey.populations` with names of yours.
    random_zeros, structural_zeros
        Shares of the cells that are empty: structural zeros cannot have anybody, random ones happen to have nobody. For
        every seed a population with just so many is generated from the log-linear model with main effects of `population`,
        with as many people. Left out, both of them: the population as it is.
    tell_zeros
        Are the models told which cells are structural zeros (as by `release.knows(cell, exactly=0)`)?
    exact
        Margins of the population that the model "fiber" is told; the others have the sample and the size of the population
        alone. Left out: those of every single dim.
    seeds
        One for each sample; a number: as many samples.
    draws
        Populations drawn for each sample.
    weights, progress
        As for `sample_risk`.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> people = fw.examples.ase15().table
    >>> study = fw.survey.sample_study(people, [0.1], ["log-linear", "shrunk"], seeds=range(1, 11), draws=200)
    >>> study
    <SampleStudy of 1 fractions, 2 models and 10 samples of 2,449 people>
    >>> study.frame["inside"].to_dict()
    {(0.1, 'log-linear'): 0.3, (0.1, 'shrunk'): 0.6}

    What structural zeros do to a model that is not told of them:

    >>> zeros = {"structural_zeros": [0, 0.4], "seeds": range(1, 6), "draws": 100}
    >>> told = fw.survey.sample_study(people, [0.1], ["log-linear"], tell_zeros=True, **zeros)
    >>> not_told = fw.survey.sample_study(people, [0.1], ["log-linear"], tell_zeros=False, **zeros)
    >>> [study.frame["bias"].round(3).tolist() for study in (told, not_told)]
    [[0.014, 0.028], [0.014, -0.112]]
    """
    import pandas as pd

    table = as_table(population)
    margins = [dim.name for dim in table.dims] if exact is None else list(exact)
    chosen = _models(models)
    tried = [float(share) for share in fractions] if isinstance(fractions, Iterable) else [float(fractions)]
    if not tried or len(set(tried)) < len(tried):
        raise InputError(f"sample_study(fractions={fractions!r}): different shares of the population, at least one.")
    with_levels = random_zeros is not None or structural_zeros is not None
    by_chance, by_structure = levels("random_zeros", random_zeros), levels("structural_zeros", structural_zeros)
    each_seed = run_seeds(seeds, 1)
    runs: dict[tuple[Any, ...], dict[str, Any]] = {}
    asked = list(product(by_chance, by_structure, tried, each_seed))
    with shown(progress) as tell:
        for number, (chance, structure, fraction, seed) in enumerate(asked, 1):
            generated = (
                with_zeros(table, chance, structure, seed) if with_levels else Generated(table, np.zeros(0, dtype=bool))
            )
            sample, with_margins = (
                _sampled(generated, fraction, exactly, seed, tell_zeros) for exactly in ([""], margins)
            )
            for name, model in chosen.items():
                seen = with_margins if isinstance(as_model(model), FiberPopulation) else sample
                result = sample_risk(seen, model=model, weights=weights, draws=draws, seed=seed)
                row = result.summary.loc["r2"]
                place = (chance, structure) if with_levels else ()
                runs[*place, fraction, name, seed] = {
                    **result.summary["mean"], "q2.5": row["q2.5"], "q97.5": row["q97.5"], "true_r2": row["truth"],
                    "doubt": result.doubt, **({"true_zeros": result.summary.loc["zeros", "truth"]} if with_levels else {}),
                }  # fmt: skip
            if tell is not None:
                tell(f"{number:,} of {len(asked):,} samples")
    names = [*(LEVELS if with_levels else ()), "fraction", "model", "seed"]
    frame = pd.DataFrame.from_dict(runs, orient="index")
    frame.index = pd.MultiIndex.from_tuples(runs, names=names)
    order = [*((by_chance, by_structure) if with_levels else ()), tried, list(chosen), each_seed]
    return SampleStudy(
        runs=frame.reindex(pd.MultiIndex.from_product(order, names=names)),
        people=int(table.values.sum()),
        cells=table.values.size,
        zeros=int((table.values == 0).sum()),
        r1=float(r1(table.values, weights)),
        draws=math.ceil(draws),
        models={name: as_model(model).words for name, model in chosen.items()},
    )


def _sampled(population: Generated, fraction: float, exact: Iterable[Any], seed: int, tell_zeros: bool) -> Release:
    """A sample of a population, and what is told of it: some margins, and which cells are structural zeros."""
    release = draw_sample(population.table, fraction, exact=exact, seed=seed)
    if not tell_zeros or not population.shut.any():
        return release
    return replace(release, upper=np.where(population.shut, 0, release.upper))


def _models(models: Any) -> dict[str, Any]:
    if isinstance(models, str) or not isinstance(models, (Mapping, Iterable)):
        raise InputError(
            f"sample_study(models={models!r}): a list of names such as ['urn', 'shrunk'], or a dict of models."
        )
    by_name = dict(models) if isinstance(models, Mapping) else {name: name for name in models}
    if not by_name:
        raise InputError("sample_study() needs models; none are given.")
    for model in by_name.values():
        as_model(model)
    return {str(name): model for name, model in by_name.items()}
