"""Files of data as frames: CSV and Parquet."""

from __future__ import annotations

import io
import os
import re
from typing import Any

from ...base.errors import InputError
from ...base.text_files import delimiter_of, read_text
from ...release.files.parquet_file import parquet_frame

MOST_READ = 2_000
"""Columns of a file."""


def read_frame(path: str | os.PathLike[str]) -> Any:
    """A CSV (comma, semicolon or tab) or Parquet file as a frame whose columns hold texts."""
    import pandas as pd

    name = os.fspath(path)
    if name.lower().endswith((".parquet", ".pq")):
        if not os.path.exists(path):
            raise InputError(f"{name}: there is no such file.")
        return parquet_frame(path)
    text = read_text(path)
    header = _header(text)
    if len(header) > MOST_READ:
        raise InputError(
            f"{name}: {len(header):,} columns; data have one row a person or cell, and a column for each dim."
        )
    try:
        frame = pd.read_csv(
            io.StringIO(text), sep=delimiter_of(text), dtype=str, keep_default_na=False, skipinitialspace=True,
            index_col=False,
        )  # fmt: skip
    except pd.errors.EmptyDataError:
        raise InputError(f"{name}: the file is empty.") from None
    except (pd.errors.ParserError, pd.errors.ParserWarning) as problem:
        raise InputError(f"{name}: not a well-formed CSV file ({str(problem).strip()}).") from None
    frame.columns = [str(column).strip() for column in frame.columns]
    for column in frame.columns:
        if re.fullmatch(r"Unnamed: \d+|.*\.\d+", column) and header.count(re.sub(r"\.\d+$", "", column)) != 1:
            raise InputError(f"{name}: a column has no name, or the name of another; give each a name of its own.")
    return frame


def _header(text: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.strip())
    return [field.strip().strip('"') for field in line.split(delimiter_of(text))]
