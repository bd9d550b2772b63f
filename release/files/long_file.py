"""Long text files: one row per cell, totals included, a value that may be empty, an optional status."""

from __future__ import annotations

import os

from ...base.errors import InputError
from ...base.text_files import Rows, read_rows, write_csv
from ..tables.table_forms import axis_name
from .format import FilePath, Format
from .long_checks import refuse_data_as_names, refuse_status_as_value
from .long_reading import publication_of_rows
from .long_writing import long_frame
from .publication import Publication
from .reading_options import ReadingOptions
from .rows import PublicRows


def reads(_: FilePath) -> bool:
    """Any file that no other format takes; one that is no long file is refused when it is read."""
    return True


def read(path: FilePath, options: ReadingOptions) -> Publication:
    """Read a CSV file (comma, semicolon or tab)."""
    return publication_of_rows(os.fspath(path), *_text_rows(path, options), options)


def _text_rows(path: FilePath, options: ReadingOptions) -> tuple[list[str], Rows]:
    """The names of its columns, and its rows."""
    rows = read_rows(path)
    if options.header:
        names, rows = rows[0][1], rows[1:]
        if all(len(row) == len(names) for _, row in rows):
            refuse_data_as_names(os.fspath(path), names, rows, options)
        return names, rows
    dims, status = options.dims, options.status
    if dims is None and status is None:
        refuse_status_as_value(os.fspath(path), rows)
    extra = 2 if status is not None else 1
    n_dims = len(rows[0][1]) - extra
    if n_dims < 1:
        raise InputError(f"{os.fspath(path)}: too few columns; without a header they are the dims, then the value.")
    shown = list(dims) if dims is not None else [axis_name(i) for i in range(n_dims)]
    if len(shown) != n_dims:
        raise InputError(
            f"{os.fspath(path)}: {n_dims} dims by its columns, but dims= names {len(shown)}; without a header the "
            "columns are the dims, then the value, then (where status= is given) the status."
        )
    return [*shown, options.value or "value", *([status] if status is not None else [])], rows


def write(rows: PublicRows, path: FilePath, total: str) -> None:
    """Write public rows; `total` is what totals are called."""
    write_csv(long_frame(rows, total), path)


LONG_TEXT = Format("a long file", reads, read, endings=(".csv", ".txt"), write_public=write)
