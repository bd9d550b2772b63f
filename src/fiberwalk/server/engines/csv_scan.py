"""CSV as DuckDB reads it, told beforehand what pandas would find out."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...base.errors import InputError
from ...base.text_files import PIECE, delimiter_of
from ..cube.data_files import MOST_READ
from .sql import text_of


@dataclass(frozen=True)
class CsvScan:
    """Some CSV files with the same header; all their columns hold texts."""

    files: tuple[str, ...]
    columns: tuple[str, ...]
    delimiter: str
    skipped: int
    """Empty lines before the header."""

    @property
    def relation(self) -> str:
        """What DuckDB selects from: nothing is left to its guessing."""
        types = ", ".join(f"{text_of(name)}: 'VARCHAR'" for name in self.columns)
        return (
            f"read_csv([{', '.join(map(text_of, self.files))}], columns = {{{types}}}, delim = {text_of(self.delimiter)}, "
            f"skip = {self.skipped}, header = true, auto_detect = false, quote = '\"', escape = '\"', nullstr = '', "
            "hive_partitioning = false)"
        )

    def is_text(self, column: str) -> bool:
        """All columns hold texts."""
        return True

    def is_whole(self, column: str) -> bool:
        """No column holds numbers, but texts that may be some."""
        return False

    def as_read(self, column: str, values: Any) -> Any:
        """The values of a column that DuckDB found, as pandas reads them."""
        import pyarrow.compute as pc

        if pc.any(pc.match_substring_regex(values, '["\r\n]')).as_py():
            raise InputError(
                f"a label in column {column!r} has a quotation mark or a line break, where programs read CSV differently; "
                "write the data as Parquet."
            )
        return values


def csv_scan(files: Sequence[str]) -> CsvScan:
    """CSV files, looked at by their headers."""
    scans = [_by_header(file) for file in files]
    for scan in scans:
        if (scan.columns, scan.delimiter, scan.skipped) != (scans[0].columns, scans[0].delimiter, scans[0].skipped):
            raise InputError(f"{scan.files[0]}: its header is not that of {files[0]}.")
    return CsvScan(tuple(files), scans[0].columns, scans[0].delimiter, scans[0].skipped)


def _by_header(file: str) -> CsvScan:
    try:
        with open(file, "rb") as read:
            start = read.read(PIECE)
        # what is cut off at the end may be a part of a letter
        text = start.decode("utf-8-sig", errors="strict" if len(start) < PIECE else "ignore")
    except UnicodeDecodeError:
        raise InputError(f"{file}: DuckDB reads CSV in UTF-8, and this is in another encoding.") from None
    except OSError as problem:
        raise InputError(f"{file}: the file cannot be read ({problem.strerror}).") from None
    if "\x00" in text:
        raise InputError(f"{file}: this is a binary file, not a table of text; export it as CSV in UTF-8.")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    skipped = next((place for place, line in enumerate(lines) if line.strip()), None)
    if skipped is None:
        raise InputError(f"{file}: the file is empty.")
    delimiter = delimiter_of(lines[skipped])
    header = next(csv.reader(io.StringIO(lines[skipped]), delimiter=delimiter, skipinitialspace=True))
    if len(header) > MOST_READ:
        raise InputError(
            f"{file}: {len(header):,} columns; data have one row a person or cell, and a column for each dim."
        )
    if not all(name.strip() for name in header):
        raise InputError(f"{file}: a column has no name, or the name of another; give each a name of its own.")
    return CsvScan((file,), tuple(name.strip() for name in header), delimiter, skipped)
