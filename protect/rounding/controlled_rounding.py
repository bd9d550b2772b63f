"""Controlled rounding: cells and margins go up or down to multiples of a base so that they still add up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...fiber.solvers.integer_program import least_cost
from ...release.facts.facts import Applied
from ...release.publish import parse_margins
from ...release.release import Release, of_table
from ...release.tables.dims import Dim, Margin
from ...release.tables.tables import as_table
from ..mechanism.cell_keys import taken_seed
from ..mechanism.mechanism import SUPPORT, figures_of
from .random_rounding import RandomRounding
from .rounding import Ranges, checked_base, with_rounded

MOST_NODES = 1000
"""Nodes of the branch and bound for the nearest rounding; two-way tables need none."""
SEARCHED_OUT, NEAR_ENOUGH = 3_000, 0.05
"""With more cells than this the search may end within this share of the least cost; two-way tables never need it."""
_FINEST = 1e-7
"""The least weight of the margins that the solver can tell from nothing."""


def controlled_round(
    table: Any,
    base: float = 3,
    *,
    unbiased: bool = False,
    seed: int | None = None,
    margins: Iterable[Any] | None = None,
) -> Release:
    """Publish every cell and margin rounded to a base so that the rounded figures add up.

    Each cell, and each margin that is published, becomes one of the two multiples of the base next to it; multiples stay
    as they are (zero-restricted controlled rounding). An intruder is taken to know just that: every figure is less than
    `base` away from the truth. Which rounding was chosen would tell her a little more; that is not modelled, so the
    likelihood is "support only".

    Parameters
    ----------
    base
        Figures are published as multiples of it.
    unbiased
        False: of all such roundings the nearest one, by the sum of the cells' absolute changes and, among equals, of the
        margins' (a mixed-integer program; DFKPR01's Table 2 is made this way). Further ties depend on the seed,
        and on the version of SciPy, whose solver breaks them.
        True: a random one in which every cell and every margin is right on average (Cox 1987); tables of two dims only,
        without levels.
    seed
        The seed of the random choices. Left out: a new one, kept in `release.applied`. A seed that can be guessed protects
        nothing.
    margins
        The margins that are published (all of them, at every level, when left out). Sums that are not are free to end
        up further away. In three or more dims no rounding need exist that suits all margins: then name fewer.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.protect.controlled_round([[4, 8, 5], [2, 7, 3]], base=3, seed=1)
    >>> r.published.values.tolist()
    [[3, 9, 6], [3, 6, 3]]
    >>> fw.bounds(r).iloc[2].to_dict()
    {'lower': 4, 'upper': 8}
    """
    labelled = as_table(table)
    step = checked_base(base, labelled.decimals, "controlled_round")
    shown = parse_margins(margins, labelled.dims)
    random = np.random.default_rng(seed := taken_seed(seed))
    release = of_table(labelled)
    keys, matrix = figures_of(release, shown)
    if unbiased:
        _refuse_unless_two_way(labelled.dims, shown)
        rows = labelled.values.reshape(-1, labelled.values.shape[-1])
        cells = unbiased_rounding(rows, step, lambda part, whole: int(random.integers(whole)) < part).ravel()
        how = "at random, so that all add up and are right on average"
    else:
        cells, proven = _nearest(labelled.values.ravel(), matrix[release.n_cells :], step, random, base)
        how = "so that all add up and the cells change as little as possible"
        how += "" if proven else " (as far as was searched: not proven to be the least)"
    figures = matrix @ cells
    words = f"cells and margins go up or down to a multiple of {base}, {how}; each is known to less than {base}"
    kind = RandomRounding(step, labelled.decimals) if unbiased else Ranges(step, "within", labelled.decimals)
    applied = Applied("controlled rounding", SUPPORT, words, seed, kind)
    return replace(
        with_rounded(release, keys, matrix, figures, step, "within"),
        figures=cells,
        applied=(applied,),
        notes=(f"{applied.name}: {applied.words} (likelihood: {applied.likelihood})",),
    )


def _nearest(
    values: np.ndarray, sums: Any, step: int, random: np.random.Generator, base: float
) -> tuple[np.ndarray, bool]:
    found, proven = nearest_rounding(values, sums, step, random.permutation(len(values)))
    if found is not None:
        return found, proven
    problem = f"controlled_round(base={base}): "
    problem += "no rounding exists" if proven else f"no rounding was found (in {MOST_NODES:,} nodes of the search)"
    raise InputError(
        f"{problem} in which every cell and every published margin is a multiple next to its true value; publish fewer "
        "margins (margins=), for instance without those of the most dims."
    )


def nearest_rounding(values: np.ndarray, sums: Any, step: int, order: np.ndarray) -> tuple[np.ndarray | None, bool]:
    """The cells rounded so that they and their sums are next to the truth, changed as little as possible; and is it proven?

    Going up by one step changes a cell by (step - remainder) instead of the remainder, and the same holds for sums: the
    distance of either is linear in which cells go up. None: there is no such rounding (or none was found). Ties depend
    on the order in which the solver sees the cells.
    """
    down, remainder = np.divmod(values, step)
    sum_down, sum_remainder = np.divmod(sums @ values, step)
    # All sums together weigh less than the smallest difference between cells.
    weight = max(1 / (step * len(sum_down) + 1), _FINEST)
    cost = (step - 2 * remainder) + weight * (sums.T @ np.where(sum_remainder > 0, step - 2 * sum_remainder, 0))
    missing = sum_down - sums @ down
    moving = order[remainder[order] > 0]
    up, proven = least_cost(
        cost[moving] / step,
        sums[:, moving],
        missing,
        missing + (sum_remainder > 0),
        np.ones(len(moving)),
        nodes=MOST_NODES,
        gap=0.0 if len(moving) <= SEARCHED_OUT else NEAR_ENOUGH,
    )
    if up is None:
        return None, proven
    down[moving] += up
    return down * step, proven


def unbiased_rounding(values: np.ndarray, step: int, chance: Callable[[int, int], bool]) -> np.ndarray:
    """A two-way table rounded at random to multiples next to the truth: cells, margins and total, each right on average.

    One more row and column fill every sum up to a multiple. Then, as long as there are cells between two multiples, a
    cycle of them is taken on which rows and columns alternate: what its odd cells gain its even cells lose, in one of the
    two directions as far as a cell becomes a multiple, chosen so that nothing changes on average (Cox 1987).
    `chance(part, whole)` is true with the probability part / whole.
    """
    n_rows, n_columns = values.shape
    rest = np.zeros((n_rows + 1, n_columns + 1), dtype=np.int64)
    rest[:-1, :-1] = values % step
    rest[:-1, -1] = -values.sum(axis=1) % step
    rest[-1, :-1] = -values.sum(axis=0) % step
    rest[-1, -1] = values.sum() % step
    # Rows and columns are the nodes of a graph, the cells between multiples its edges; every node has none or several.
    neighbours: list[dict[int, None]] = [{} for _ in range(n_rows + n_columns + 2)]
    for i, j in np.argwhere(rest > 0).tolist():
        neighbours[i][n_rows + 1 + j] = None
        neighbours[n_rows + 1 + j][i] = None
    left = rest.tolist()
    path: list[int] = []
    place: dict[int, int] = {}
    for start in range(n_rows + 1):
        while path or neighbours[start]:
            if not path:
                path, place = [start], {start: 0}
            before = path[-2] if len(path) > 1 else -1
            following = next((node for node in neighbours[path[-1]] if node != before), None)
            if following is None:
                del place[path.pop()]
            elif following in place:
                first = place[following]
                _shift(left, neighbours, [*path[first:], following], n_rows + 1, step, chance)
                for node in path[first + 1 :]:
                    del place[node]
                del path[first + 1 :]
            else:
                place[following] = len(path)
                path.append(following)
    return values - values % step + np.array(left)[:-1, :-1]


def _shift(
    left: list[list[int]],
    neighbours: list[dict[int, None]],
    cycle: Sequence[int],
    n_rows: int,
    step: int,
    chance: Callable[[int, int], bool],
) -> None:
    """Move along a cycle of nodes (the first one again at its end) until one of its cells is a multiple."""
    cells = [(min(a, b), max(a, b) - n_rows) for a, b in pairwise(cycle)]
    odd, even = [left[i][j] for i, j in cells[::2]], [left[i][j] for i, j in cells[1::2]]
    forth = min(step - max(odd), min(even))
    back = min(min(odd), step - max(even))
    by = forth if chance(back, forth + back) else -back
    for number, (i, j) in enumerate(cells):
        left[i][j] += -by if number % 2 else by
        if left[i][j] in (0, step):
            del neighbours[i][n_rows + j]
            del neighbours[n_rows + j][i]


def _refuse_unless_two_way(dims: Sequence[Dim], margins: Sequence[Margin]) -> None:
    if len(dims) > 2:
        raise InputError(
            f"controlled_round(unbiased=True) is for tables of two dims; this one has {len(dims)}. Leave unbiased= out, "
            "or round its two-way margins."
        )
    for margin in margins:
        for dim, level in zip(dims, margin, strict=True):
            if level not in (None, dim.name):
                raise InputError(
                    f"controlled_round(unbiased=True) knows rows, columns and the total, not the level {level!r} of "
                    f"{dim.name!r}: leave it out of margins=, or leave unbiased= out."
                )
