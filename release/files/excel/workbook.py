"""The sheets of a workbook as rows of texts, or one sentence that says why they cannot be read."""

from __future__ import annotations

import io
import os
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ....base.errors import InputError, did_you_mean
from ..format import FilePath

MOST_BYTES = 400_000_000
"""Of what a workbook unpacks to."""
MOST_CELLS = 5_000_000
Grid = list[tuple[int, list[str]]]
"""Rows with their numbers."""


def openpyxl_for(path: FilePath, doing: str) -> Any:
    """The package that knows workbooks."""
    try:
        import openpyxl
    except ImportError:
        raise InputError(f"{os.fspath(path)}: {doing} a workbook needs openpyxl; install fiberwalk[excel].") from None
    return openpyxl


def read_sheets(path: FilePath, sheet: str | None, further: tuple[str, ...]) -> tuple[Grid, dict[str, Grid]]:
    """A sheet (by default the first) and those of `further` that are there."""
    name, openpyxl = os.fspath(path), openpyxl_for(path, "reading")
    with _plain_errors(name):
        content = Path(path).read_bytes()  # a file that openpyxl opens and refuses stays open
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            unpacked = sum(part.file_size for part in parts.infolist())
        if unpacked > MOST_BYTES:
            raise InputError(f"{name}: the workbook unpacks to {unpacked:,} bytes, which is too much.")
        values = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        formulas = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
        try:
            names = [str(one.title) for one in values.worksheets]
            if not names:
                raise InputError(f"{name}: the workbook has no sheet.")
            if sheet is not None and sheet not in names:
                raise InputError(f"{name}: there is no sheet {sheet!r}; {did_you_mean(sheet, names)}")
            chosen = names[0] if sheet is None else sheet
            wanted = dict.fromkeys([chosen, *(one for one in further if one in names)])
            found = {one: _grid(name, values[one], formulas[one]) for one in wanted}
        finally:
            values.close()
            formulas.close()
    return found[chosen], {one: grid for one, grid in found.items() if one != chosen}


@contextmanager
def _plain_errors(name: str) -> Iterator[None]:
    """Whatever is wrong inside a workbook is one sentence."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (InputError, MemoryError):
        raise
    except PermissionError:
        raise InputError(f"{name}: the file cannot be read (no permission).") from None
    except IsADirectoryError:
        raise InputError(f"{name}: this is a folder, not a file.") from None
    except Exception as problem:
        raise InputError(f"{name}: not a readable Excel workbook ({type(problem).__name__}).") from None


def _grid(name: str, values: Any, formulas: Any) -> Grid:
    """The rows of a sheet, without empty cells at their ends."""
    grid: Grid = []
    read = 0
    for sheet in (values, formulas):
        sheet.reset_dimensions()  # what a file says of its own size may be wrong
    rows = zip(values.iter_rows(values_only=True), formulas.iter_rows(values_only=True), strict=False)
    for number, (row, written) in enumerate(rows, start=1):
        read += len(row) + 1
        if read > MOST_CELLS:
            raise InputError(f"{name}: sheet {values.title!r} has more than {MOST_CELLS:,} cells.")
        cells = [_text(value) for value in row]
        for place, (text, formula) in enumerate(zip(cells, written, strict=False)):
            if not text and isinstance(formula, str) and formula.startswith("="):
                raise InputError(
                    f"{name}, row {number}: column {place + 1} has a formula without a result; open the workbook, "
                    "save it, and read it again."
                )
        while cells and not cells[-1]:
            cells.pop()
        grid.append((number, cells))
    return grid


def _text(value: Any) -> str:
    """The text of a cell: a whole number has no decimals, and 0.1 + 0.2 no more than a person sees."""
    if value is None:
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else f"{value:.15g}"
    return str(value).strip()
