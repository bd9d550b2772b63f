"""Which cells an R-U map is about, and the words for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..release.facts.knowledge import Rule
from ..release.tables.tables import Table, cell_mask, cell_position


def chosen_cells(cell: Any, where: Any, table: Table) -> np.ndarray | None:
    """The cells that the map is about: one, those of a rule such as "< 3", or any other condition."""
    if cell is not None and where is not None:
        raise InputError("cell= and where=: give one of them, a single cell or a condition for several.")
    if cell is not None:
        mask = np.zeros(table.values.shape, dtype=bool)
        mask[cell_position(cell, table.dims)] = True
    elif where is None:
        return None
    elif isinstance(where, str):
        rule = Rule.parse(where, decimals=table.decimals)
        mask = (table.values >= rule.lower) & (table.values <= rule.upper)
    else:
        mask = cell_mask(where, table)
    if not mask.any():
        raise InputError(f"where={where!r} hits no cell of the table." if isinstance(where, str) else
                         "where= hits no cell of the table.")  # fmt: skip
    return mask.ravel()


def whose_risk(cells: Sequence[str] | None, over: str) -> str:
    """The cells at risk, in words."""
    if cells is None:
        return "the worst hidden cell" if over == "worst" else "mean of the hidden cells"
    if len(cells) == 1:
        return f"cell {cells[0]}"
    return f"{'the worst' if over == 'worst' else 'mean'} of {len(cells)} chosen cells"
