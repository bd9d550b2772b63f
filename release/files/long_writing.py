"""Public rows become those of a long file, be it text or Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...base.errors import InputError
from ...base.numbers import written
from ..facts.facts import HIDDEN, NO_VALUE, PRIMARY, PUBLISHED
from ..facts.statuses import RANDOM
from ..tables.dims import TOTAL
from .long_columns import TAKEN_NAMES
from .rows import PublicRows

if TYPE_CHECKING:
    import pandas as pd

CODES = {PUBLISHED: "s", PRIMARY: "u", HIDDEN: "x", RANDOM: "p"}


def long_frame(rows: PublicRows, total: str) -> pd.DataFrame:
    """The rows as columns of texts.

    The groups of a hierarchical dim go into columns called "dim:level", which `read_release` understands.
    """
    import pandas as pd

    _refuse_names(rows, total)
    columns: dict[str, np.ndarray | list[str]] = {}
    for nodes, dim in zip(rows.keys.T, rows.dims, strict=True):
        labels = [total if label == TOTAL else label for label in dim.node_labels]
        columns[dim.name] = np.array(labels, dtype=object)[nodes]
    for nodes, dim in zip(rows.keys.T, rows.dims, strict=True):
        for level in dim.levels:
            column = level.name if level.name.startswith(f"{dim.name}:") else f"{dim.name}:{level.name}"
            groups = [*level.group_of, *([""] * (len(dim.node_labels) - len(dim.labels)))]
            columns[column] = np.array(groups, dtype=object)[nodes]
    columns["value"] = _texts(rows.value, rows.decimals)
    columns["status"] = [CODES[status] for status in rows.status.tolist()]
    if (rows.lower != NO_VALUE).any() or (rows.upper != NO_VALUE).any():
        columns["lower"] = _texts(rows.lower, rows.decimals)
        columns["upper"] = _texts(rows.upper, rows.decimals)
    return pd.DataFrame(columns, dtype=object)


def _texts(numbers: np.ndarray, decimals: int) -> list[str]:
    return ["" if number == NO_VALUE else written(number, decimals) for number in numbers.tolist()]


def _refuse_names(rows: PublicRows, total: str) -> None:
    """Refuse names and labels that the file could not give back."""
    source = rows.source
    for dim in rows.dims:
        if dim.name.lower() in TAKEN_NAMES or ":" in dim.name:
            raise InputError(f"{source}: a long file cannot have a dim called {dim.name!r}; rename it.")
        for label in (dim.name, *dim.node_labels):
            if label != label.strip() or not label or "\r" in label or "\n" in label:
                raise InputError(f"{source}: the label {label!r} would not survive a text file; rename it.")
        if total != TOTAL and total in dim.node_labels:
            raise InputError(f"{source}: dim {dim.name!r} has a label {total!r}; choose another total=.")
