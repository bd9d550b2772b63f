"""sample: tables that agree with a release, drawn from what an intruder believes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

import numpy as np

from .base.errors import InputError
from .base.numbers import check_whole
from .base.progress import Progress, shown
from .fiber.exact.solved import Budget
from .fiber.laws.support import Support, support
from .moves.own_moves import APART, moves_for
from .posterior.keyed_figures.figures import refuse_keyed
from .posterior.paths.path_draws import draw_first_tables
from .posterior.paths.paths import hidden_paths
from .release.release import Release, as_release
from .sampler.arviz_adapter import cells_to_arviz, to_arviz
from .sampler.chains.settings import MOST_BYTES, ChainSettings
from .sampler.drawn_tables import WARM_UP, draw_tables

if TYPE_CHECKING:
    import xarray

SHORT_WARM_UP = 1 << 15
"""Draws of a chain that are discarded as warm-up where the moves keep chains apart for good."""


def sample(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    release: Release,
    law: Any = "uniform",
    draws: int = 1000,
    chains: int = 4,
    seed: int | None = 1,
    *,
    which: str = "all",
    moves: Any = None,
    thin: int | None = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    memory: int = MOST_BYTES,
    progress: Progress | bool | None = None,
) -> xarray.Dataset:
    """Tables that agree with a release, drawn from what an intruder believes; ready for ArviZ.

    Parameters
    ----------
    release, law
        As for `fiberwalk.audit`.
    draws, chains
        How many tables each chain keeps, and how many chains run. Chains start at tables far from each other; what they
        draw until they agree (the warm-up, or burn-in) is discarded.
    seed
        The same seed gives the same tables, whatever the number of threads or processes; None: a new one each time.
    which
        "all": whole tables. "hidden": only the cells that the published figures leave open, along one dim `cell`; ArviZ
        has nothing to say of cells that never change, and warns of them. Linked tables can be sampled in this form.
    moves
        Moves that the chains are to use, and no others, in any form that `fiberwalk.moves.check_connected` takes; by default
        those of `fiberwalk.moves.choose_moves`. Moves of your own are `connected` only where there are so few tables that a
        walk through all of them shows it.
    thin
        How many draws lie between two that are kept; by default as many as make them nearly independent.
    executor
        Where chains run: any `concurrent.futures.Executor`, such as that of a Dask client (`client.get_executor()`). By
        default threads of this process.
    checkpoint
        A file to which the work is saved now and then. If it is there already, the work is taken up from it.
    memory
        The most bytes that the chains and the tables may take; what would take more is refused before it starts.
    progress
        As for `fiberwalk.audit`.

    Returns
    -------
    xarray.Dataset
        `table` with the dims chain, draw and those of the table (or `cell`). Its attributes say how the tables were drawn:
        the certificate, the largest R-hat and fewest effective draws of the warm-up, and how many cells (or rounded
        sums) had one and the same value in all chains though their bounds allow others. Cells are whole, an
        insider's own part included. All of ArviZ's functions take it.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> tables = fw.sample(fw.publish([[3, 1, 2], [2, 4, 1]], margins=["A", "B"]), draws=50, chains=2)
    >>> dict(tables.sizes)
    {'chain': 2, 'draw': 50, 'A': 2, 'B': 3}
    >>> bool((tables["table"].sum("A") == [5, 5, 3]).all())
    True

    The hidden cells alone, with moves of your own:

    >>> release = fw.suppress([[1, 5, 4], [7, 2, 6], [3, 8, 9]], where=[{"A": a, "B": b} for a in "12" for b in "13"])
    >>> hidden = fw.sample(release, draws=50, which="hidden", moves=[[[1, 0, -1], [-1, 0, 1], [0, 0, 0]]])
    >>> hidden["cell"].values.tolist()
    ['A=1, B=1', 'A=1, B=3', 'A=2, B=1', 'A=2, B=3']
    >>> hidden.attrs["certificate_reason"]
    'moves of your own; a walk through all 6 tables found that they reach every one'
    """
    release = as_release(release)
    refuse_keyed(release, "the law of whole tables")
    check_whole(draws=draws, thin=1 if thin is None else thin)
    settings = ChainSettings(
        seed, chains, executor=executor, checkpoint=checkpoint, memory=Budget.given(1, memory).bytes
    )
    if which not in ("all", "hidden"):
        raise InputError(f"which={which!r}: 'all' or 'hidden'.")
    if len(release.grids) != 1 and which == "all":
        raise InputError(
            f"sample() gives the draws of one table, and these are {len(release.grids)} linked ones; link them with "
            "full=True, as margins of the one crossed table, or ask for which='hidden'."
        )
    # the same whole numbers have the same name in a checkpoint, whatever their type
    draws, thin = int(draws), None if thin is None else int(thin)
    inside, paths = support(release, law), hidden_paths(release)
    if paths is not None and moves is not None:
        raise InputError(
            "moves= are steps from table to table; what Markov perturbation published is sampled by paths."
        )
    with shown(progress) as tell:
        if paths is not None:
            tables, how = draw_first_tables(paths, inside, settings, draws=draws, thin=thin, progress=tell)
        else:
            walked = moves_for(inside, moves, tell)
            # chains that cannot meet need not be waited for
            warm_up = SHORT_WARM_UP if walked.certificate.reason.startswith(APART) else WARM_UP
            tables, how = draw_tables(walked, settings, draws=draws, thin=thin, progress=tell, warm_up=warm_up)
    # NetCDF's classic format has no integers beyond 32 bits
    shown_seed = "none" if settings.seed is None else settings.seed if settings.seed < 2**31 else str(settings.seed)
    facts = {"law": inside.law.name, "seed": shown_seed, **how}
    warn_of_doubt(facts)
    if which == "hidden":
        return _open_cells(inside, tables, facts)
    grid = release.grids[0]
    values = release.own_units(tables[:, :, grid.cells.ravel()].reshape(*tables.shape[:2], *grid.cells.shape))
    labels = [[dim.node_labels[node] for node in nodes] for dim, nodes in zip(release.dims, grid.nodes, strict=True)]
    return to_arviz(values, [dim.name for dim in release.dims], labels, facts)


def _open_cells(inside: Support, tables: np.ndarray, facts: Mapping[str, Any]) -> xarray.Dataset:
    """Of drawn tables, only the cells that the published figures do not decide."""
    release = inside.release
    still_open = np.flatnonzero(~inside.solved.decided[: release.n_cells])
    if not len(still_open):
        raise InputError("which='hidden': there are no such cells, the published figures decide every cell.")
    keys = release.keys[still_open]
    labels = {str(name): list(values) for name, values in release.index(keys).to_frame().items()}
    return cells_to_arviz(
        release.own_units(tables[:, :, still_open]), [release.words(key) for key in keys], labels, facts
    )


def warn_of_doubt(facts: Mapping[str, Any]) -> None:
    """Warn where chains did not agree, or cannot as they are in parts that no move joins."""
    if str(facts.get("certificate_reason", "")).startswith(APART):
        warnings.warn(
            f"{facts['certificate_reason']}. Each chain stays in the part where it starts (largest R-hat "
            f"{facts['rhat']:.3f}): the tables kept are not to be trusted, whether the chains agree or not.",
            stacklevel=3,
        )
    elif facts.get("converged") == "no":
        warnings.warn(
            f"the chains did not agree well enough after {WARM_UP:,} draws each (largest R-hat {facts['rhat']:.3f}, fewest "
            f"effective draws {facts['ess']:.0f}): the tables kept are not to be trusted as they are. Look at "
            "fiberwalk.moves.choose_moves(release), and take more draws.",
            stacklevel=3,
        )
