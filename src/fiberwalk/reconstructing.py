"""reconstruct: from the tables of a population to the people behind them."""

from __future__ import annotations

from typing import Any

from .base.errors import InputError, did_you_mean
from .base.interruption import check_max_seconds, plain_interrupts, time_limit
from .base.progress import Progress, shown
from .posterior.belief import METHODS, budget_for
from .posterior.records.rebuilt import rebuild
from .release.population.population import PopulationRelease
from .results.reconstruction_result import Reconstruction
from .sampler.chains.settings import ChainSettings


def reconstruct(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    release: PopulationRelease,
    law: Any = "uniform",
    *,
    region: str | None = None,
    method: str = "auto",
    seed: int | None = 1,
    tolerance: float = 0.02,
    max_draws: int | None = None,
    max_seconds: float | None = None,
    chains: int = 4,
    limit: int | None = None,
    memory: int | None = None,
    progress: Progress | bool | None = None,
) -> Reconstruction:
    """Who may be behind the tables of a population, and how probable each record is, given all that was published.

    Parameters
    ----------
    release
        From `fw.population(...).published(tables)`.
    law
        What is believed beforehand: "uniform" (every population that agrees alike), "hypergeometric" (people have the
        published features independently, as in the log-linear model of the figures), or `fw.laws.expected(mu)`, mu a
        table over any dims and recodes: what is known from the level above, or from an older census.
    region
        The dim of the places where people live. Beside each probability then stands what somebody would give for it who
        knows the figures of all places together: what everybody could guess is no disclosure.
    method, seed, tolerance, max_draws, max_seconds, chains, limit, memory, progress
        As for `fiberwalk.audit`.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> people = fw.population({"sex": ["f", "m"], "age": ["young", "old"]})
    >>> by_sex = fw.table([3, 2], dims="sex", labels={"sex": ["f", "m"]})
    >>> by_age = fw.table([4, 1], dims="age", labels={"age": ["young", "old"]})
    >>> found = fw.reconstruct(people.published([by_sex, by_age]))
    >>> found.records[["sex", "age", "p", "expected"]]
      sex    age    p  expected
    0   m  young  1.0       1.5
    1   f  young  1.0       2.5
    2   f    old  0.5       0.5
    3   m    old  0.5       0.5
    >>> found.populations
    2
    """
    if not isinstance(release, PopulationRelease):
        raise InputError(
            f"reconstruct() needs the tables of a population, from fw.population(...).published(tables); it was given a "
            f"{type(release).__name__}."
        )
    if method not in METHODS:
        raise InputError(f"method={method!r}: there is no such method; use {', '.join(map(repr, METHODS))}.")
    dims = release.population.domain.names
    if region is not None and region not in dims:
        raise InputError(f"region={region!r}: the population has no such dim; {did_you_mean(str(region), list(dims))}")
    check_max_seconds(max_seconds)
    settings = ChainSettings(seed, chains, tolerance, max_draws)
    budget = budget_for(method, limit, memory, settings.tolerance)
    told = {"law": law, "method": method, "limit": limit, "memory": memory, "max_seconds": max_seconds}
    with shown(progress) as tell, plain_interrupts(), time_limit(max_seconds):
        rebuilt = rebuild(release, law, method=method, budget=budget, settings=settings, progress=tell)
    return Reconstruction(rebuilt, told | settings.decisive, region)
