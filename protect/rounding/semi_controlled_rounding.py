"""Semi-controlled random rounding: how many cells go up is fixed, which ones is random (SAE15, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...fiber.laws.raking import groups_of
from ...release.facts.facts import Applied
from ...release.publish import parse_margins, publish_margins
from ...release.release import Release, of_table
from ...release.tables.dims import parse_margin
from ...release.tables.table_forms import Hierarchies
from ...release.tables.tables import as_table
from ..mechanism.cell_keys import KEY_WORDS, random_numbers, taken_seed
from ..mechanism.mechanism import CELLWISE, Figures, figures_of, seen_through
from .random_rounding import RandomRounding
from .rounding import checked_base

_RANKED = "; those with the lowest random numbers go up, so that a cell mostly goes the same way in every table"


def semi_controlled_round(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    table: Any,
    base: float = 3,
    *,
    within: Any = None,
    seed: int | None = None,
    exact: Iterable[Any] = (),
    keys: Any = None,
    hierarchies: Hierarchies | None = None,
    decimals: int = 0,
    count: str | None = None,
) -> Release:
    """Publish every cell rounded up or down at random, with the number of those that go up fixed beforehand.

    Of the n cells with the same remainder r, as many go up as random rounding would send up on average, n r / base
    rounded to the nearest whole number (halves up); they are drawn without replacement. So the sum of the published
    cells does not depend on chance: each remainder moves it by at most base / 2, all together by less than `base` to base
    3 and by at most (base - 1) (base // 2) in general. Multiples of the base stay.

    The likelihood is a cellwise approximation: an intruder is taken to see every cell through random rounding by itself.
    That leaves out that the draws depend on each other, and that the sum of the published cells is near the truth. Of
    cells whose values 0 to 5 are equally likely beforehand, and to base 3, the approximate distribution of a cell given
    what was published differs from the true one by a total variation of 0.157 on average in tables of 2 cells and of
    0.110 in tables of 3 (its test, `gap`, computes it from all tables); the more cells have the
    same remainder, the smaller the difference.

    Parameters
    ----------
    base
        Figures are published as multiples of it.
    within
        A dim or margin: the numbers are fixed in each of its categories, so that its sums are kept as near as the total
        is otherwise. The fewer cells a category has, the worse is the approximation.
    seed
        Of the random choices; whoever has it can undo the rounding. Left out: a new one, which
        `release.applied` keeps; one that can be guessed protects nothing.
    exact
        Margins that are published as they are.
    keys
        None: which cells go up is drawn anew. "labels", or a table of summed record keys (as for `random_round`): of each
        remainder those with the lowest keys go up, so that a cell mostly goes the same way in every table (see the notes).
    hierarchies, decimals, count
        As for `publish`.

    Notes
    -----
    With keys, n cells of a remainder r have a threshold: the highest key that still goes up, which is r / base within about
    sqrt(r (base - r) / n) / base. A cell of the same count and key goes the same way in two tables unless its key lies
    between their two thresholds: certainly where the cells of its remainder (and category of `within`) are the same, and
    else with a probability of about 1 - 0.8 sqrt(r (base - r) (1 / n1 + 1 / n2)) / base. To base 3 and with 50 cells in
    either class that is 0.92; without keys it is 0.56. An audit of several such tables together takes each as drawn anew.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.semi_controlled_round([[1, 4, 7], [2, 5, 3]], base=3, seed=1)
    >>> int(r.published.sum()), r.likelihood
    (21, 'cellwise approximation')
    """
    labelled = as_table(table, hierarchies=hierarchies, decimals=decimals, count=count)
    step = checked_base(base, labelled.decimals, "semi_controlled_round")
    release = publish_margins(of_table(labelled), parse_margins(exact, labelled.dims))
    where = "in the whole table"
    groups = np.zeros(release.n_cells, dtype=np.intp)
    margin = parse_margin(() if within is None else within, labelled.dims)
    if any(margin):
        groups, sums = groups_of(release, margin)
        refuse_single_cells(sums.shape[0], release.n_cells, "semi_controlled_round", within)
        where = f"in each category of {', '.join(level for level in margin if level)}"
    shown, matrix = figures_of(release, ())
    truth = labelled.values.ravel()
    numbers, kind = random_numbers(release, shown, matrix, truth, seed := taken_seed(seed), keys)
    figures = rounded_by_number(truth, step, groups, numbers)
    words = (
        f"cells go up or down to a multiple of {base} at random, of each remainder as many up as there would be on average "
        f"{where}; what an intruder sees is taken cell by cell, though cells are drawn without replacement"
    )
    words += _RANKED if kind else ""
    rounding = RandomRounding(step, labelled.decimals)
    applied = Applied("semi-controlled rounding", CELLWISE, words + KEY_WORDS[kind], seed, rounding, keys=kind)
    return seen_through(release, rounding, Figures(shown, matrix, figures), applied)


def refuse_single_cells(categories: int, cells: int, method: str, within: Any) -> None:
    """Refuse categories of one cell each."""
    if categories == cells:
        raise InputError(
            f"{method}(within={within!r}): every category has one cell, which nothing random would happen to; name a margin "
            "that sums over some dim."
        )


def rounded_by_number(values: np.ndarray, step: int, groups: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The cells rounded: in every group, of each remainder, the expected number goes up, those of the lowest numbers.

    With random numbers, uniform on [0, 1), they are drawn without replacement.
    """
    remainder = values % step
    figures = values - remainder
    # Sorted by class, and by number within one: the first of each class go up.
    order = np.lexsort((numbers, remainder, groups))
    kind = groups[order] * step + remainder[order]
    _, first, size = np.unique(kind, return_index=True, return_counts=True)
    rank = np.arange(len(values)) - np.repeat(first, size)
    figures[order] += step * (rank < number_up(np.repeat(size, size), remainder[order], step))
    return figures


def number_up(cells: np.ndarray, remainder: np.ndarray, step: int) -> np.ndarray:
    """How many of so many cells with the same remainder go up: the expected number, halves rounded up."""
    return np.asarray((2 * cells * remainder + step) // (2 * step))
