"""Attribute disclosure: is everybody in a row or column of the table in one and the same cell?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..base.errors import InputError
from ..base.numbers import largest_first
from ..fiber.blocks.known_sums import known_sums
from ..fiber.blocks.presolve import presolve
from ..posterior.belief import Belief

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("total", "probability", "mcse", "cell", "p_cell")


class _Line(NamedTuple):
    """The cells along one dim, the other dims fixed; `key` has the total of that dim."""

    dim: int
    key: tuple[int, ...]
    cells: np.ndarray
    labels: tuple[str, ...]


def concentration_frame(belief: Belief) -> pd.DataFrame:
    """See `Audit.concentration`."""
    import pandas as pd

    release = belief.release
    if release.signed:
        raise InputError(
            "concentration(): where cells may be negative, a cell that holds a whole total does not empty others."
        )
    lines = _lines_with_hidden_cells(belief)
    rows: list[tuple[Any, ...]] = []
    keys: list[tuple[int, ...]] = []
    if lines:
        sizes = [len(line.cells) for line in lines]
        matrix = sp.csr_array(
            (np.ones(sum(sizes), np.int64), np.concatenate([line.cells for line in lines]), np.cumsum([0, *sizes])),
            shape=(len(lines), release.n_cells),
        )
        solved = presolve(release)
        known = known_sums(release, solved, matrix)
        totals = matrix @ solved.start[: release.n_cells]
        open_cells = {int(cell): row for row, cell in enumerate(release.hidden)}
        for line, total, sure in zip(lines, totals.tolist(), known, strict=True):
            if sure and total > 0:
                keys.append(line.key)
                rows.append((release.own_units(total), *_whole_in_one(belief, line, total, open_cells)))
    frame = pd.DataFrame(rows, columns=list(COLUMNS), index=release.index(np.array(keys, dtype=np.int64)))
    return frame.iloc[largest_first(frame["probability"])]


def _whole_in_one(
    belief: Belief, line: _Line, total: int, open_cells: dict[int, int]
) -> tuple[float, float, str, float]:
    """The probability that a cell holds the whole total (only one can), its error, and the most probable one."""
    release = belief.release
    chance, variance = np.zeros(len(line.cells)), 0.0
    for place, cell in enumerate(line.cells.tolist()):
        if cell in open_cells:
            pmf, wanted = belief.pmfs[open_cells[cell]], total - int(release.own[cell])
            chance[place] = pmf.between(wanted, wanted)
            variance += pmf.between_error(wanted, wanted) ** 2 if pmf.lower <= wanted <= pmf.upper else 0.0
        else:
            chance[place] = float(release.value[cell] == total)
    best = int(chance.argmax())
    label = line.labels[best] if chance[best] > 0 else ""
    return min(1.0, float(chance.sum())), float(np.sqrt(variance)), label, float(chance[best])


def _lines_with_hidden_cells(belief: Belief) -> list[_Line]:
    release = belief.release
    hidden = np.zeros(release.n_cells, dtype=bool)
    hidden[release.hidden] = True
    lines: dict[tuple[int, ...], _Line] = {}
    for grid in release.grids:
        for axis, dim in enumerate(release.dims):
            nodes = grid.nodes[axis]
            if len(nodes) < 2:
                continue
            labels = tuple(dim.node_labels[node] for node in nodes)
            along = np.moveaxis(grid.cells, axis, -1)
            for place in np.argwhere(hidden[along].any(axis=-1)):
                others = iter(place)
                key = tuple(
                    dim.total if position == axis else int(nodes_there[next(others)])
                    for position, nodes_there in enumerate(grid.nodes)
                )
                lines.setdefault(key, _Line(axis, key, along[tuple(place)].ravel(), labels))
    return list(lines.values())
