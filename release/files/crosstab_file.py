"""Text files with a crosstab: labels of rows in the first columns, labels of the last dim in the header."""

from __future__ import annotations

import csv
import io
import os
from dataclasses import replace

from ...base.errors import InputError
from ...base.text_files import Rows, delimiter_of, read_rows
from ..tables.dims import TOTAL
from ..tables.table_forms import COUNT_NAMES
from .excel.cell_texts import says_something
from .excel.crosstab_sheet import FIGURES, crosstab_rows
from .format import FilePath, Format
from .long_columns import STATUS_NAMES
from .long_reading import publication_of_rows
from .publication import Publication
from .reading_options import ReadingOptions

BOTH = "\\"
"""In the corner, between the name of the dim down and that of the dim across."""
_BEGIN = 1 << 16
"""Bytes at the beginning of a file that are looked at to know it."""


def reads(path: FilePath) -> bool:
    """Is it a crosstab beyond doubt: two dims named in the corner, or a total beside two more columns of figures?

    A long file has a column of figures by name, or one column of figures; what is neither must be said.
    """
    rows = _first_rows(path)
    if len(rows) < 2:
        return False
    header, body = rows[0], rows[1:]
    if {*COUNT_NAMES, *STATUS_NAMES} & {name.lower() for name in header}:
        return False
    figures = [
        name
        for place, name in enumerate(header)
        if place and all(len(row) <= place or not row[place] or says_something(row[place]) for row in body)
    ]
    return (BOTH in header[0] and len(figures) == len(header) - 1) or (TOTAL in figures and len(figures) > 2)


def _first_rows(path: FilePath) -> list[list[str]]:
    """The rows with which a text file begins; none of what is no such file."""
    if not os.path.isfile(path):  # of a pipe nothing may be taken away, and a folder is refused when it is read
        return []
    try:
        with open(path, "rb") as file:
            begin = file.read(_BEGIN)
    except OSError:
        return []
    if b"\x00" in begin:
        return []
    text = begin.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").strip("\n ")
    if len(begin) == _BEGIN:
        text = text.rpartition("\n")[0]
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text), delimiter=delimiter_of(text))]
    except csv.Error:
        return []
    return [row for row in rows if any(row)]


def read(path: FilePath, options: ReadingOptions) -> Publication:
    """Read it as the rows of a long file."""
    source = os.fspath(path)
    named = [name for name in ("value", "status", "contributors", "largest", "second") if getattr(options, name)]
    if named:
        raise InputError(f"{source}: the file is a crosstab and has no column to name; {named[0]}= does not apply.")
    if not options.header:
        raise InputError(f"{source}: a crosstab has labels in its header, and header=False says that it has none.")
    dims, rows = crosstab_rows(source, _with_corner(read_rows(path)), options.dims)
    return publication_of_rows(
        source, [*dims, *FIGURES], rows, replace(options, dims=dims, value=FIGURES[0], status=FIGURES[1])
    )


def _with_corner(rows: Rows) -> Rows:
    """The rows, with a row above where the corner names the dim across, too."""
    number, header = rows[0]
    down, both, across = header[0].partition(BOTH)
    if not both:
        return rows
    return [(number, ["", across.strip()]), (number, [down.strip(), *header[1:]]), *rows[1:]]


CROSSTAB = Format("a crosstab", reads, read, own_options=("crosstab",))
