"""Further questions to an audit, computed when asked: the joint law of cells, the most probable table, drawn tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import InputError
from ..base.interruption import time_limit
from ..fiber.exact.solved import Budget
from ..posterior.belief import budget_for
from ..posterior.joint import joint_law
from ..posterior.most_probable import most_probable
from ..release.tables.tables import labelled
from ..sampler.arviz_adapter import as_posterior
from ..sampler.chains.settings import DECISIVE, MOST_BYTES, TOLERANCE, ChainSettings
from ..sampling import sample

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from .audited_cells import AuditedCells

MOST_CELLS = 12
"""More cells than this would hardly be read together."""


def joint(audit: AuditedCells, cells: Iterable[Mapping[str, Any]]) -> pd.Series:
    """The joint probabilities of a few cells or sums of an audit."""
    import pandas as pd

    if isinstance(cells, (Mapping, str)) or not isinstance(cells, Iterable):
        raise InputError('joint() takes a list of cells, such as [{"A": "1", "B": "2"}, {"A": "2", "B": "2"}].')
    places = [audit.position(cell) for cell in cells]
    if not places or len(set(places)) < len(places) or len(places) > MOST_CELLS:
        raise InputError(f"joint() takes from one to {MOST_CELLS} different cells; these are {len(places)}.")
    release, settings = audit.release, audit.settings
    rows, own = [], []
    for place in places:
        if place < len(release.hidden):
            rows.append(release.picked(release.hidden[[place]]))
            own.append(int(release.own[release.hidden[place]]))
        else:
            rows.append(release.row(audit.belief.keys[place]))
            own.append(0)
    with time_limit(settings.get("max_seconds")):
        law = joint_law(
            release, audit.belief.law, sp.csr_array(sp.vstack(rows)), method=settings.get("method", "auto"),
            budget=_budget(settings), settings=_chain_settings(settings),
        )  # fmt: skip
    combinations = np.argwhere(law.possible)
    values = release.own_units(law.first + combinations - np.array(own))
    names = [release.words(audit.belief.keys[place]) for place in places]
    index = pd.MultiIndex.from_arrays(list(np.asarray(values).T), names=names)
    series = pd.Series(law.p[law.possible], index=index, name="probability")
    series.attrs = {
        "method": law.method,
        "certificate": law.certificate.word,
        "reason": law.certificate.reason,
        "converged": law.converged,
        "ess": law.ess,
    }
    return series


def most_probable_table(audit: AuditedCells) -> xr.DataArray:
    """The table of the greatest probability, with its log-weight in the attributes."""
    release, law = audit.release, audit.belief.law
    if len(release.grids) != 1:
        raise InputError(
            f"most_probable_table() gives one table, and these are {len(release.grids)} linked ones; link them with "
            "full=True, as margins of the one crossed table."
        )
    values, log_weight = most_probable(release, law)
    table = labelled(release.own_units(values[release.grids[0].cells]), release.dims)
    table.attrs = {"law": law.name, "log_weight": log_weight, "note": "other tables may be as probable"}
    return table


def arviz_draws(audit: AuditedCells, draws: int, chains: int, cells: str) -> Any:
    """Tables drawn from the audit's release and law, in ArviZ's own form."""
    seed = audit.settings.get("seed", 1)
    return as_posterior(sample(audit.release, audit.belief.law, draws, chains, seed, which=cells))


def _budget(told: Mapping[str, Any]) -> Budget:
    return budget_for(
        told.get("method", "auto"), told.get("limit"), told.get("memory"), told.get("tolerance", TOLERANCE)
    )


def _chain_settings(told: Mapping[str, Any]) -> ChainSettings:
    given = {name: told[name] for name in DECISIVE if name in told}
    return ChainSettings(**given, memory=told.get("memory") or MOST_BYTES)
