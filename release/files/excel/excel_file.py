"""Excel workbooks: a crosstab in a sheet, or a long table; what we write has decimals and hierarchies in further sheets."""

from __future__ import annotations

import os
from dataclasses import replace

from ....base.errors import InputError
from ....base.text_files import Rows, check_width
from ..format import FilePath, Format
from ..long_reading import publication_of_rows
from ..publication import Publication
from ..reading_options import ReadingOptions
from .crosstab_sheet import FIGURES, crosstab_rows, is_long, long_rows
from .excel_writing import ABOUT_SHEET, DECIMALS, HIERARCHIES, HIERARCHY_HEAD, TOTALS, write
from .workbook import Grid, read_sheets

ENDINGS = (".xlsx", ".xlsm")


def reads(path: FilePath) -> bool:
    """A workbook is known by its name."""
    return os.fspath(path).lower().endswith(ENDINGS)


def read(path: FilePath, options: ReadingOptions) -> Publication:
    """Read the sheet that is named, or the first one."""
    source = os.fspath(path)
    grid, further = read_sheets(path, options.sheet, (ABOUT_SHEET, HIERARCHIES))
    if is_long(grid, options.value):
        names, rows = long_rows(source, grid)
        check_width(source, len(names))
        return publication_of_rows(source, names, rows, options)
    named = [name for name in ("value", "status", "contributors", "largest", "second") if getattr(options, name)]
    if named:
        raise InputError(f"{source}: the sheet is a crosstab and has no column to name; {named[0]}= does not apply.")
    dims, rows = crosstab_rows(source, grid, options.dims)
    about = {row[0]: row[1] for _, row in further.get(ABOUT_SHEET, []) if len(row) > 1}
    decimals = about.get(DECIMALS, "0")
    total = about.get(TOTALS, options.total)
    for _, row in rows:
        row[: len(dims)] = [options.total if label == total else label for label in row[: len(dims)]]
    columns, rows = _with_groups(source, dims, rows, further.get(HIERARCHIES, []), options)
    said = replace(
        options,
        dims=dims,
        value=FIGURES[0],
        status=FIGURES[1],
        decimals=options.decimals or (int(decimals) if decimals.isdecimal() and len(decimals) < 3 else 0),
    )
    return publication_of_rows(source, columns, rows, said)


def _with_groups(
    source: str, dims: list[str], rows: Rows, hierarchies: Grid, options: ReadingOptions
) -> tuple[list[str], Rows]:
    """The rows with a column for each level of a hierarchy that the workbook has, as long files have them."""
    if not hierarchies or tuple(hierarchies[0][1]) != HIERARCHY_HEAD:
        return [*dims, *FIGURES], rows
    groups: dict[tuple[str, str], dict[str, str]] = {}
    for number, row in hierarchies[1:]:
        if len(row) != len(HIERARCHY_HEAD) or not all(row):
            raise InputError(f"{source}, sheet {HIERARCHIES!r}, row {number}: an entry is missing.")
        dim, level, label, group = row
        if dim in dims and dim not in options.hierarchies:
            groups.setdefault((dim, level), {})[label] = group
    told = []
    for number, row in rows:
        further = [of.get(row[dims.index(dim)], "") for (dim, _), of in groups.items()]
        told.append((number, [*row[: len(dims)], *further, *row[len(dims) :]]))
    columns = [level if level.startswith(f"{dim}:") else f"{dim}:{level}" for dim, level in groups]
    return [*dims, *columns, *FIGURES], told


EXCEL = Format("a workbook", reads, read, own_options=("sheet",), endings=(".xlsx",), write_public=write)
