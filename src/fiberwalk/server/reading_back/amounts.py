"""What a table of weighted counts, sums or means tells of the truth: between which numbers it lies, for certain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...base.errors import InputError
from ...protect.mechanism.mechanism import SUPPORT
from ...release.facts.facts import Applied
from ...release.release import Release, of_table
from ...release.tables.tables import Table
from ..cube.magnitudes import UNIT, published_sums
from ..protecting.making import Maker
from ..protecting.protection import Protection
from ..tables import Tables
from .protected_cube import Reach, reach_of


def read_amounts(tables: Tables, after: Protection | None) -> Release:
    """The release of weighted counts, about the people who were asked, or of sums of a magnitude."""
    if tables.request.mean:
        raise InputError(
            "a mean is the published sum divided by the published count: audit the table of sums (sum_of=)."
        )
    return _sums(tables.maker, tables) if tables.request.of else _weighted(tables.maker, tables, after)


def _sums(maker: Maker, tables: Tables) -> Release:
    """Sums of values each of which was changed by a limited share."""
    made, magnitude = tables.made, maker.magnitudes[tables.request.of]
    amounts = maker.cube.amounts[tables.request.of]
    if (amounts.true < 0).any():
        raise InputError(
            f"{tables.request.of} has negative values, which cancel, so that a sum says nothing for certain of the true one."
        )
    most = magnitude.changed_by[1]
    whole = float(published_sums(magnitude, amounts.changed.sum()))
    shown = made.shown.ravel()
    withheld = np.isnan(shown)
    lower = np.where(withheld, 0, np.ceil(np.maximum(shown - magnitude.step / 2, 0) / (1 + most)))
    upper = np.floor((np.where(withheld, whole, shown) + magnitude.step / 2) / (1 - most))
    assert made.counted.amounts is not None
    true = np.rint(made.counted.amounts.true * UNIT).astype(np.int64)
    words = (
        f"every value of {tables.request.of} was changed once, by at most {most:.0%}; only is used how far sums can be from "
        "the truth at most"
    )
    # true sums are rounded to whole numbers here, and so may lie one beyond
    return _between(Table(true, tables.dims), np.maximum(lower - 1, 0), upper + 1, words)


def _weighted(maker: Maker, tables: Tables, after: Protection | None) -> Release:
    """Counts of those who were asked, from how many people they are said to stand for."""
    assert maker.weighted_base is not None
    assert maker.cube.weights is not None
    per_person = maker.cube.weights / maker.cube.counts
    lightest, heaviest = float(per_person.min()), float(per_person.max())
    reach = Reach(0, 0) if after is None else reach_of(after)
    if reach is None:
        raise InputError(f"what {after and after.words} tells of a weighted count is not known: ask for counts.")
    shown = tables.made.shown.ravel()
    withheld = np.isnan(shown)
    half = maker.weighted_base / 2
    fewest = np.where(withheld, 1, np.ceil(np.maximum(shown - half, 0) / heaviest))
    most = np.where(withheld, maker.min_contributors - 1, np.floor((shown + half) / lightest))
    lower = np.maximum(fewest - reach.above, 0)
    if after is None or not after.noisy_zeros:
        lower = np.maximum(lower, (withheld | (shown > 0)).astype(float))
    words = (
        f"weighted counts in multiples of {maker.weighted_base}; only is used how many people may stand behind them, who "
        f"stand for {lightest:.4g} to {heaviest:.4g} each"
    )
    return _between(Table(tables.made.counted.counts, tables.dims), lower, most + reach.below, words)


def _between(true: Table, lower: np.ndarray, upper: np.ndarray, words: str) -> Release:
    """A release that says of each cell between which numbers it lies."""
    release = of_table(true)
    limits = lower.astype(np.int64), np.maximum(upper, lower).astype(np.int64)
    release = release.with_facts(release.keys, release.picked(np.arange(release.n_cells)), *limits)
    applied = Applied("weighted counts" if words.startswith("weighted") else "changed values", SUPPORT, words)
    note = f"{applied.name}: {applied.words} (likelihood: {applied.likelihood})"
    return replace(release, applied=(applied,), notes=(*release.notes, note))
