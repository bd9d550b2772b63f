"""Reading text with errors in one sentence, and writing files whole or not at all."""

from __future__ import annotations

import csv
import io
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import InputError

if TYPE_CHECKING:
    import pandas as pd

Rows = list[tuple[int, list[str]]]
"""The rows of a file, each with the number of its line."""

MOST_COLUMNS = 200
PIECE = 1 << 20
"""Bytes that are looked at together."""
_FORMULA = re.compile(r"'*[=+\-@]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file, or one sentence that says why it cannot be read."""
    name = os.fspath(path)
    try:
        raw = _bytes_of_text(path)
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file.") from None
    except IsADirectoryError:
        raise InputError(f"{name}: this is a folder, not a file.") from None
    except OSError as problem:
        raise InputError(f"{name}: the file cannot be read ({problem.strerror}).") from None
    if raw is None:
        raise InputError(f"{name}: this is a binary file, not a table of text; export it as CSV in UTF-8.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", errors="replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise InputError(f"{name}: the file is empty.")
    return text


def _bytes_of_text(path: str | os.PathLike[str]) -> bytes | None:
    """The bytes of a file; None as soon as they are seen to be no text, as a device has no end."""
    pieces = []
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            if b"\x00" in piece:
                return None
            pieces.append(piece)
    return b"".join(pieces)


def read_rows(path: str | os.PathLike[str], delimiter: str | None = None, *, as_written: bool = False) -> Rows:
    """The rows of a delimited text file with their line numbers; comma, semicolon or tab, as the first line has it.

    `as_written`: no spreadsheet was to be kept from taking a text for a formula, and so nothing is taken off it.
    """
    name = os.fspath(path)
    text = read_text(path)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter or delimiter_of(text), strict=True)
    rows = []
    try:
        for row in reader:
            cells = [cell.strip() if as_written else as_label(cell.strip()) for cell in row]
            if any(cells):
                rows.append((reader.line_num, cells))
    except csv.Error as problem:
        raise InputError(f"{name}: not a well-formed CSV file ({problem}); was it cut short?") from None
    if not rows:
        raise InputError(f"{name}: the file is empty.")
    check_width(name, len(rows[0][1]))
    return rows


def delimiter_of(text: str) -> str:
    """What stands between columns: the most frequent of comma, semicolon and tab in the first line."""
    first = text.lstrip("\n ").partition("\n")[0]
    outside_quotes = re.sub(r'"[^"]*"', "", first)
    return max(",;\t", key=outside_quotes.count)


def check_width(name: str, columns: int) -> None:
    """Refuse a wide table where a long one is needed."""
    if columns > MOST_COLUMNS:
        raise InputError(
            f"{name}: {columns} columns; a release is a long file with one row per cell "
            "(a column per dim, one for the value), not a wide table."
        )


def write_csv(frame: pd.DataFrame, path: str | os.PathLike[str], *, index: bool = False, private: bool = False) -> None:
    """Write a frame as CSV, whole or not at all, so that no spreadsheet takes its texts for formulas.

    `private`: nobody but the owner may read it.
    """
    import pandas as pd

    columns = [(name, frame.iloc[:, place]) for place, name in enumerate(frame.columns)]
    if index:
        levels = [(name, frame.index.get_level_values(place)) for place, name in enumerate(frame.index.names)]
        columns = [*(("" if name is None else name, pd.Series(level)) for name, level in levels), *columns]
    safe = [column.reset_index(drop=True) for _, column in columns]
    safe = [column if pd.api.types.is_numeric_dtype(column) else column.map(_cell) for column in safe]
    with written_whole(path, private=private) as temporary:
        pd.concat(safe, axis=1).to_csv(temporary, index=False, header=[as_text(str(name)) for name, _ in columns])


def _cell(value: object) -> object:
    return as_text(value) if isinstance(value, str) else value


def as_text(label: str) -> str:
    """A text as a CSV file holds it: what a spreadsheet would run as a formula has an apostrophe before it."""
    return f"'{label}" if _FORMULA.match(label) and not _NUMBER.fullmatch(label) else label


def as_label(text: str) -> str:
    """The label that `as_text` wrote."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def write_private(text: str, path: str | os.PathLike[str]) -> None:
    """Write a text for the agency alone, whole or not at all: nobody else may read the file, even if it was there before."""
    with written_whole(path, private=True) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextmanager
def written_whole(path: str | os.PathLike[str], *, private: bool = False) -> Iterator[Path]:
    """A temporary path beside `path` that takes its name only once the block has ended well.

    A link is written through, an existing file keeps its permissions unless it is to be private, and what is no plain file
    (a pipe) is written to at the end.
    """
    target = check_writable(path)
    try:
        special = target.exists() and not target.is_file()
        handle, name = tempfile.mkstemp(dir=None if special else target.parent, prefix=".", suffix=target.suffix)
    except OSError as problem:
        raise InputError(f"{target}: the file cannot be written ({problem.strerror}).") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        if special:
            with open(target, "wb") as out:
                out.write(temporary.read_bytes())
        else:
            usual = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
            temporary.chmod(0o600 if private else usual)
            os.replace(temporary, target)
    except OSError as problem:
        raise InputError(f"{target}: the file cannot be written ({problem.strerror or problem}).") from None
    finally:
        temporary.unlink(missing_ok=True)


def real_place(path: str | os.PathLike[str]) -> Path:
    """What a path stands for when links are followed; one that runs in a circle stands for itself."""
    return Path(os.path.realpath(path))


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Where a file will really be written; refused at once where that cannot be, before any long work."""
    try:
        target = real_place(path)
    except TypeError:
        raise InputError(f"a file is named by its path; this is a {type(path).__name__}.") from None
    if target.is_dir():
        raise InputError(f"{os.fspath(path)}: this is a folder, not a file; the file cannot be written.")
    if not target.parent.is_dir():
        raise InputError(f"{os.fspath(path)}: the file cannot be written (there is no folder {target.parent}).")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise InputError(f"{os.fspath(path)}: the file cannot be written (no permission).")
    return target


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
