"""Parquet files, read and written by pandas: long files whose rows are kept by column."""

from __future__ import annotations

import os
from typing import Any

from ...base.errors import InputError
from ...base.text_files import Rows, check_width, written_whole
from .format import FilePath, Format
from .long_reading import publication_of_rows
from .long_writing import long_frame
from .publication import Publication
from .reading_options import ReadingOptions
from .rows import PublicRows

ENDINGS = (".parquet", ".pq")


def reads(path: FilePath) -> bool:
    """A Parquet file is known by its name."""
    return os.fspath(path).lower().endswith(ENDINGS)


def read(path: FilePath, options: ReadingOptions) -> Publication:
    """Read a Parquet file as the rows of a long one."""
    return publication_of_rows(os.fspath(path), *parquet_rows(path), options)


def write(rows: PublicRows, path: FilePath, total: str) -> None:
    """Write public rows; `total` is what totals are called."""
    frame = long_frame(rows, total)
    with written_whole(path) as temporary:
        try:
            frame.astype(str).to_parquet(temporary, index=False)
        except ImportError:
            raise InputError(f"{os.fspath(path)}: writing Parquet needs pyarrow; install fiberwalk[parquet].") from None


def parquet_frame(path: FilePath) -> Any:
    """A Parquet file as a frame, or one sentence that says why it cannot be read."""
    name = os.fspath(path)
    import pandas as pd

    try:
        frame = pd.read_parquet(path)
        _decode(frame)
    except ImportError:
        raise InputError(f"{name}: reading Parquet needs pyarrow; install fiberwalk[parquet].") from None
    except PermissionError:
        raise InputError(f"{name}: the file cannot be read (no permission).") from None
    except Exception as problem:
        raise InputError(f"{name}: not a readable Parquet file ({type(problem).__name__}).") from None
    check_width(name, frame.shape[1])
    _refuse_nan(name, path, frame)
    return _with_index(frame)


def _with_index(frame: Any) -> Any:
    """The frame with its index as columns."""
    import pandas as pd

    # A frame whose rows were picked or sorted has row numbers for an index, without a name: they say nothing.
    plain = frame.index.names == [None] and pd.api.types.is_integer_dtype(frame.index)
    return frame.reset_index(drop=plain)


def frame_rows(frame: Any) -> tuple[list[str], Rows]:
    """The same of a long frame in memory, where NaN is what pandas makes of a figure that is missing."""
    check_width("the frame", frame.shape[1])
    return texts_of(_with_index(frame))


def _decode(frame: Any) -> None:
    """Decode every text once, so that one that is not UTF-8 is found now and not later."""
    import pandas as pd

    for place in range(frame.shape[1]):
        column = frame.iloc[:, place]
        texts = column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else column
        if isinstance(texts.dtype, pd.StringDtype):
            texts.unique().tolist()


def _refuse_nan(name: str, path: FilePath, frame: Any) -> None:
    """Refuse NaN among numbers: what is withheld or not known is null, and pandas shows both alike."""
    import pandas as pd

    floats = [column for column in frame.columns if pd.api.types.is_float_dtype(frame[column])]
    missing = {str(column): frame[column].isna().to_numpy() for column in floats if frame[column].isna().any()}
    if not missing:
        return
    import pyarrow.parquet as pq

    kept = pq.read_table(path)
    for column in missing.keys() & set(kept.column_names):
        wrong = missing[column] & ~kept.column(column).is_null().to_numpy()
        if wrong.any():
            raise InputError(
                f"{name}, row {int(wrong.argmax()) + 1}: NaN in column {column!r}; what is withheld or not known is left "
                "empty (null)."
            )


def parquet_rows(path: FilePath) -> tuple[list[str], Rows]:
    """The names of its columns, and its rows as numbered texts, as a CSV file has them."""
    return texts_of(parquet_frame(path))


def texts_of(frame: Any) -> tuple[list[str], Rows]:
    """The names of a frame's columns, and its rows as numbered texts; what is missing is empty."""
    texts = [
        ["" if missing else str(value) for value, missing in zip(row, absent, strict=True)]
        for row, absent in zip(frame.astype(object).to_numpy(), frame.isna().to_numpy(), strict=True)
    ]
    return [str(column) for column in frame.columns], list(enumerate(texts, start=1))


PARQUET = Format("a long file", reads, read, endings=ENDINGS, write_public=write)
