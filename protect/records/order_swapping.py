"""Swapping of order k (Dalenius and Reiss 1982): records move, and every margin of k dims stays as it is.

Moves that change no such margin are made one after the other, beginning at the true table: in two dims, two records
exchange one value; in more, the moves that `choose_moves` finds for these margins.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from ...base.errors import InputError, TooLarge
from ...base.random_streams import below, streams
from ...fiber.laws.support import support
from ...moves.chooser import Moves, choose
from ...release.facts.facts import Applied
from ...release.publish import publish_margins
from ...release.release import Release, of_table
from ..mechanism.cell_keys import taken_seed
from ..mechanism.mechanism import SUPPORT, counts_of
from ..mechanism.moved_records import published_as

NAME = "order swapping"
MORE_IS_KNOWN = (
    "only the margins that stay are modelled, not that the published table is few swaps from the true one: the published "
    "cells say more, so an audit is a LOWER bound of what an intruder can learn"
)
TRIES = 2000
"""Moves that are drawn in a row without one that can be made, before the method gives up."""
ENOUGH = 50
"""Swaps for each record, beyond which a share that is still not reached never will be."""
USUAL_SHARE = 0.1
MOST_SWAPS = 200_000
"""The most swaps: they are made one by one, which takes about a minute."""


def swap_preserving(
    table: Any,
    ways: int = 2,
    *,
    swaps: int | None = None,
    rate: float | None = None,
    seed: int | None = None,
) -> Release:
    """Publish a table of counts after random swaps that keep every margin of `ways` dims.

    These margins are facts. How close the published table is to the true one follows from the number of swaps and is *not*
    modelled: the likelihood is support only, and an audit gives a lower bound of what an intruder can learn. Where that is
    not good enough, `simulate` publishes a table that says nothing beyond its margins.

    Parameters
    ----------
    ways
        How many dims the margins have that stay: from 1 to one less than the table has.
    swaps
        How many swaps are made.
    rate
        Instead: swaps are made until at least this share of the records stand in another cell (0.1 if neither is given).
    seed
        The seed of the random numbers. Left out: a new one, kept in `release.applied`. A seed that can be guessed protects
        nothing.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.protect.swap_preserving([[4, 9, 1], [2, 7, 3]], ways=1, swaps=2, seed=1)
    >>> r.published.sum("A").values.tolist(), r.published.sum("B").values.tolist(), r.likelihood
    ([6, 16, 4], [14, 12], 'support only')
    """
    labelled = counts_of(table, "swap_preserving")
    n_dims = len(labelled.dims)
    if n_dims < 2:
        raise InputError(
            "swap_preserving() needs at least two dims: in a table of one, every swap would change its margin."
        )
    if isinstance(ways, bool) or not isinstance(ways, (int, np.integer)) or not 1 <= ways < n_dims:
        raise InputError(
            f"swap_preserving(ways={ways!r}): the margins that stay have from 1 to {n_dims - 1} of the {n_dims} dims."
        )
    _check_amount(swaps, rate)
    names = [dim.name for dim in labelled.dims]
    kept = [tuple(name if name in chosen else None for name in names) for chosen in combinations(names, int(ways))]
    release = publish_margins(of_table(labelled), kept)
    moves = choose(support(release))
    if not moves.sets:
        raise InputError(
            f"swap_preserving(ways={ways}): these margins decide every cell, and no record can move; choose a lower number."
        )
    seed = taken_seed(seed)
    if rate is None and swaps is None:
        rate = USUAL_SHARE
    _refuse_too_many(swaps or 0, rate or 0.0, int(labelled.values.sum()))
    figures = _walked(labelled.values.ravel(), moves, swaps or 0, rate or 0.0, seed)
    amount = f"{swaps} random swaps" if swaps is not None else f"random swaps until {rate:.3g} of the records had moved"
    words = f"{amount}, each of which keeps every margin of {ways} dim{'s' if ways > 1 else ''}; {MORE_IS_KNOWN}"
    if moves.certificate.word == "unproven":
        words += "; the swaps are not proven to reach every table of these margins"
    return published_as(release, figures, Applied(NAME, SUPPORT, words, seed))


def _check_amount(swaps: Any, share: Any) -> None:
    if swaps is not None and share is not None:
        raise InputError("swap_preserving() takes swaps= (how many) or share= (of the records that move), not both.")
    if swaps is not None and (isinstance(swaps, bool) or not isinstance(swaps, (int, np.integer)) or swaps < 1):
        raise InputError(f"swap_preserving(swaps={swaps!r}): a whole number of at least 1.")
    if share is not None and (isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share <= 1):
        raise InputError(f"swap_preserving(rate={share!r}): the share of records that move, above 0 and at most 1.")


def _refuse_too_many(swaps: int, share: float, records: int) -> None:
    if max(swaps, share * records / 2) > MOST_SWAPS:
        wanted = f"swaps={swaps:,}" if swaps else f"share={share:g} of {records:,} records"
        raise TooLarge(
            f"swap_preserving({wanted}): swaps are made one by one, {MOST_SWAPS:,} at most; ask for fewer, or simulate() a "
            "table with these margins."
        )


def _walked(truth: np.ndarray, moves: Moves, swaps: int, share: float, seed: int) -> np.ndarray:
    """The table after so many swaps, or as many as move so large a share of its records."""
    random = streams(seed, 1)[0]
    blocks = moves.support.solved.blocks
    ends = np.cumsum([len(block.columns) for block in blocks])
    now = [truth[block.columns] for block in blocks]
    away = [0] * len(blocks)
    records = int(truth.sum())
    made = in_vain = farthest = 0
    while made < swaps or sum(away) < 2 * share * records:
        # a block with twice the cells is swapped in twice as often
        b = int(np.searchsorted(ends, below(random, int(ends[-1])), side="right"))
        move = moves.sets[b].draw(random, now[b])
        in_vain += 1
        if len(move.columns) and move.range_on(now[b], blocks[b].lower, blocks[b].upper)[1] >= 1:
            now[b] = move.on(now[b])
            away[b] = int(np.abs(now[b] - truth[blocks[b].columns]).sum())
            farthest = max(farthest, sum(away) // 2)
            made, in_vain = made + 1, 0
        if in_vain > TRIES or (share and made > min(TRIES + ENOUGH * records, MOST_SWAPS)):
            raise InputError(
                f"{made:,} swaps moved at most {farthest / records:.3g} of the records, and more did not help: ask for "
                "less, or choose a lower number."
            )
    figures = truth.copy()
    for block, values in zip(blocks, now, strict=True):
        figures[block.columns] = values
    return figures
