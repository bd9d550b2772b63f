"""A sheet with a crosstab becomes the rows of a long file.

The last row of the head has names of dims, then the labels of the last dim; a row above may have the name of that dim over
its first label. Below, a row begins with its labels; a label that is left out is the one above it. The table ends at an
empty row.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....base.errors import InputError
from ....base.text_files import Rows
from ...tables.table_forms import COUNT_NAMES, axis_name
from ..long_columns import STATUS_NAMES
from .cell_texts import said, says_something
from .workbook import Grid

FIGURES = ("value", "status", "lower", "upper")


def is_long(grid: Grid, value: str | None) -> bool:
    """Is a sheet a long table, with a column of figures by name, and no crosstab?"""
    filled = [row for _, row in grid if any(row)]
    if not filled:
        return False
    names = [name.lower() for name in filled[0]]
    known = {*COUNT_NAMES, *STATUS_NAMES, *([value.lower()] if value else [])}
    return len(names) > 2 and bool(known & set(names))


def long_rows(source: str, grid: Grid) -> tuple[list[str], Rows]:
    """The names and rows of a long table in a sheet."""
    (_, names), *rows = [(number, row) for number, row in grid if any(row)]
    width = len(names)
    for number, row in rows:
        if len(row) > width:
            raise InputError(f"{source}, row {number}: {len(row)} columns where the first row has {width}.")
    return names, [(number, [*row, *[""] * (width - len(row))]) for number, row in rows]


def crosstab_rows(source: str, grid: Grid, dims: Sequence[str] | None) -> tuple[list[str], Rows]:
    """The names of the dims, and a row of labels, figure, status and range for every cell that says something."""
    start = next((k for k, (_, row) in enumerate(grid) if _begins(row)), None)
    if start is None:
        raise InputError(f"{source}: the sheet has no crosstab.")
    above = grid[start][1]
    named = not above[0] and sum(map(bool, above)) == 1 and len(grid) > start + 1
    head, body = grid[start + named], _until_empty(grid[start + named + 1 :])
    if not body or not head[1]:
        raise InputError(f"{source}: there is no row below the head of the crosstab.")
    one_dim = len(head[1]) == 2 and head[1][1].lower() in COUNT_NAMES
    width = len(above) - 1 if named else 1 if one_dim else _labels_wide(body, len(head[1]))
    if dims is not None:
        width = len(dims) if one_dim else len(dims) - 1
    if not 0 < width < len(head[1]):
        raise InputError(
            f"{source}: {len(head[1])} columns, of which {width} would be labels; say what the dims are with dims=."
        )
    names = [name or axis_name(k) for k, name in enumerate(head[1][:width])]
    names += [] if one_dim else [above[-1] if named else axis_name(width)]
    across = [[]] if one_dim else [[label] for label in head[1][width:]]
    if [""] in across:
        raise InputError(f"{source}, row {head[0]}: column {width + across.index(['']) + 1} has no label.")
    return list(dims) if dims is not None else names, _told(source, _filled(source, body, width), width, across)


def _begins(row: Sequence[str]) -> bool:
    """Does a crosstab begin here? A title above it stands alone, in the first column."""
    return sum(map(bool, row)) > 1 or (bool(row) and not row[0])


def _told(source: str, body: Grid, width: int, across: Sequence[list[str]]) -> Rows:
    """A row for every cell that says something; of an empty one the user must say whether it is withheld."""
    told: Rows = []
    for number, row in body:
        if len(row) > width + len(across):
            raise InputError(f"{source}, row {number}: {len(row)} columns where the head has {width + len(across)}.")
        for label, text in zip(across, row[width:], strict=False):
            if text:
                told.append((number, [*row[:width], *label, *said(text)]))
    if not told:
        raise InputError(f"{source}: no cell of the crosstab says anything.")
    return told


def _until_empty(grid: Grid) -> Grid:
    """The rows before the first empty one; below it stand notes."""
    end = next((k for k, (_, row) in enumerate(grid) if not any(row)), len(grid))
    return grid[:end]


def _labels_wide(body: Grid, width: int) -> int:
    """How many columns have labels: the first, and those after it in which something is no figure."""
    for place in range(1, width):
        if all(says_something(row[place]) for _, row in body if len(row) > place and row[place]):
            return place
    return width


def _filled(source: str, body: Grid, width: int) -> Grid:
    """The rows with all of their labels: one that is left out is that of the row above."""
    filled: Grid = []
    above = [""] * width
    for number, row in body:
        labels = [*row[:width], *[""] * (width - len(row))]
        first = next((place for place, label in enumerate(labels) if label), width)
        labels[: min(first, width - 1)] = above[: min(first, width - 1)]
        if "" in labels:
            raise InputError(f"{source}, row {number}: column {labels.index('') + 1} has no label.")
        above = labels
        filled.append((number, [*labels, *row[width:]]))
    return filled
