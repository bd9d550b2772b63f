"""sample_risk and draw_populations: what a sample table tells of its population, and what that risks (ASE15)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError, TooLarge
from ..base.numbers import check_seed, check_whole
from ..base.progress import Progress, shown
from ..posterior.populations.models import as_model
from ..posterior.populations.population import Drawing, Drawn, Each
from ..posterior.populations.sample_table import SampleTable, as_sample
from ..release.release import Release
from ..release.tables.tables import Table, as_table
from ..results.sample_risk_result import SampleRisk
from ..risk.population_risk import MEASURES, measure_populations
from ..risk.table_arrays.table_shapes import arranged
from ..sampler.arviz_adapter import to_arviz
from ..sampling import warn_of_doubt

if TYPE_CHECKING:
    import xarray as xr

MOST_NUMBERS = 1_000_000_000
"""The most numbers of populations that are kept: 8 GB."""


def sample_risk(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    sample: Any,
    people: int | Mapping[str, Mapping[str, int]] | None = None,
    model: Any = None,
    weights: Any = (0.1, 0.8, 0.1),
    *,
    draws: int = 1000,
    chains: int = 4,
    seed: int | None = 1,
    population: Any = None,
    sampling_weights: Any = None,
    count: str | None = None,
    progress: Progress | bool | None = None,
) -> SampleRisk:
    """The disclosure risk R2 of a table of sample counts, when the population is not known (Antal, Shlomo, Elliot 2015).

    R2 depends on the population. It is drawn, many times, from a model of the people outside the sample given the sample;
    each population gives an R2, and all of them together its posterior distribution.

    Parameters
    ----------
    sample
        The table of sample counts, in any form and any number of dims; or a release of one, made by `fw.protect.draw_sample`
        or `fw.protect.as_protected(table, "draw_sample", exact=[...])`, which also says how large the population is, which
        of its margins are published, and by `release.knows` which cells are empty or bounded. Every model keeps to that.
    people
        How many people the population has; a release says it itself. Of a stratified sample, the size of each stratum:
        {"region": {"N": 1000, "S": 500}}, for the models "log-linear" and "shrunk".
    model
        "log-linear", "urn", "shrunk" (the default for a table), "fiber" (the default for a release), or one of
        `fw.survey.populations` with its parameters.
    weights
        Of the three terms of R1 and R2: zeros, entropy, size; or "l2".
    draws
        How many populations are drawn.
    chains
        Chains of the model "fiber", among which the draws are shared; the other models need none.
    seed
        The same seed gives the same populations; None: new ones each time.
    population
        The true population table, where it is known, to be compared with; a release of the agency carries it.
    sampling_weights
        How many people each person in the sample stands for, herself included, where not everybody was as likely to be in
        it: a table like the sample (one weight a cell), or the name of a column of a long frame, which has a row a person,
        or a row for people alike and a column of their count. `people` may then be left out: it is what the weights add up
        to. For "log-linear" and "shrunk".
    count
        The column of counts of a long frame with sampling weights, where its name does not say so.
    progress
        As for `audit`.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> people = fw.examples.ase15().table  # 2,449 people, 10 areas by religion
    >>> release = fw.protect.draw_sample(people, 0.1, seed=3)
    >>> risk = fw.survey.sample_risk(release.published, people=2449, model="log-linear")
    >>> risk.summary.loc["r2", ["mean", "sd"]].round(3).to_dict()
    {'mean': 0.14, 'sd': 0.004}
    """
    table = as_sample(sample, people, count=count, sampling_weights=sampling_weights)
    measured = measure_populations(table, weights)
    truth = _truth(table, population, count)
    chosen, drawn = _drawn(table, model, measured, draws, chains, seed, progress)
    return SampleRisk(
        values=drawn.values,
        model=chosen.name,
        words=chosen.words,
        n=table.n,
        size=table.size,
        weights=weights if isinstance(weights, str) else tuple(map(float, weights)),
        seed=None if seed is None else int(seed),
        facts=dict(drawn.facts),
        truth=None if truth is None else dict(zip(MEASURES, measured(truth[None])[0].tolist(), strict=True)),
    )


def draw_populations(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    sample: Any,
    people: int | Mapping[str, Mapping[str, int]] | None = None,
    model: Any = None,
    *,
    draws: int = 1000,
    chains: int = 4,
    seed: int | None = 1,
    sampling_weights: Any = None,
    count: str | None = None,
    progress: Progress | bool | None = None,
) -> xr.Dataset:
    """Population tables that may stand behind a sample table, ready for ArviZ; parameters as for `sample_risk`.

    Returns
    -------
    xarray.Dataset
        `table` with the dims chain, draw and those of the sample (one chain, where the model needs none). Its attributes
        say how the populations were drawn.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> tables = fw.survey.draw_populations([[3, 0], [2, 5]], people=100, model="urn", draws=50)["table"]
    >>> dict(tables.sizes), bool((tables.sum(["A", "B"]) == 100).all())
    ({'chain': 1, 'draw': 50, 'A': 2, 'B': 2}, True)
    """
    table = as_sample(sample, people, count=count, sampling_weights=sampling_weights)
    check_whole(draws=draws)
    if draws * len(table.counts) > MOST_NUMBERS:
        raise TooLarge(
            f"{draws:,} populations of {len(table.counts):,} cells are more than {MOST_NUMBERS:,} numbers; draw fewer, or "
            "ask sample_risk(), which keeps none of them."
        )
    chosen, drawn = _drawn(table, model, lambda tables: tables, draws, chains, seed, progress)
    warn_of_doubt(drawn.facts)
    labels = [dim.labels for dim in table.dims]
    facts = {"model": chosen.name, "words": chosen.words, "seed": "none" if seed is None else str(seed), **drawn.facts}
    return to_arviz(
        drawn.values.reshape(*drawn.values.shape[:2], *table.shape), [dim.name for dim in table.dims], labels, facts
    )


def _drawn(
    sample: SampleTable, model: Any, function: Each, draws: int, chains: int, seed: Any, progress: Any
) -> tuple[Any, Drawn]:
    check_whole(draws=draws, chains=chains)
    check_seed(seed)
    if model is None:
        model = "fiber" if sample.release is not None else "shrunk"
    chosen = as_model(model)
    populations = chosen.given(sample)

    def checked(tables: np.ndarray) -> np.ndarray:
        # a model of the user's own may have ignored what is known
        broken = sample.outside_facts.broken_by(tables)
        if broken is not None:
            raise InputError(f"model {chosen.name!r} does not keep to what is known of the population: {broken}.")
        return function(tables)

    with shown(progress) as tell:
        return chosen, populations.each(
            checked, Drawing(int(draws), None if seed is None else int(seed), int(chains), tell)
        )


def _truth(sample: SampleTable, population: Any, count: str | None) -> np.ndarray | None:
    """The true population, if it is known and can be the one that the sample is from."""
    if population is None:
        return sample.truth
    if isinstance(population, Release):
        if population.truth is None or len(population.grids) != 1:
            raise InputError("population= is a release that does not hold the table itself.")
        population = Table(population.truth[population.grids[0].cells], population.dims)
    table = as_table(population, count=count if count in getattr(population, "columns", ()) else None)
    values = arranged(sample.table, table, names=("the sample", "population=")).arrays[1].ravel()
    if int(values.sum()) != sample.size:
        raise InputError(f"population= has {int(values.sum()):,} people, and people= says {sample.size:,}.")
    if (values < sample.counts).any():
        raise InputError("population=: a cell of the sample has more people than that of the population.")
    return values
