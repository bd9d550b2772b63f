"""Reading text with errors in one sentence, and writing files whole or not at all."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import InputError

MOST_COLUMNS = 200


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file, or one sentence that says why it cannot be read."""
    name = os.fspath(path)
    try:
        raw = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file.") from None
    except IsADirectoryError:
        raise InputError(f"{name}: this is a folder, not a file.") from None
    except OSError as problem:
        raise InputError(f"{name}: the file cannot be read ({problem.strerror}).") from None
    if b"\x00" in raw:
        raise InputError(f"{name}: this is a binary file, not a table of text; export it as CSV in UTF-8.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", errors="replace")
    if not text.strip():
        raise InputError(f"{name}: the file is empty.")
    return text


def read_rows(path: str | os.PathLike[str]) -> list[list[str]]:
    """The rows of a delimited text file; comma, semicolon and tab are recognised by the first line."""
    name = os.fspath(path)
    text = read_text(path)
    first = text.lstrip("\n").splitlines()[0]
    delimiter = max(",;\t", key=first.count)
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter, strict=True) if any(row)]
    except csv.Error as problem:
        raise InputError(f"{name}: not a well-formed CSV file ({problem}); was it cut short?") from None
    if len(rows[0]) > MOST_COLUMNS:
        raise InputError(
            f"{name}: {len(rows[0])} columns; a release is a long file with one row per cell "
            "(a column per dim, one for the value), not a wide table."
        )
    return [[cell.strip() for cell in row] for row in rows]


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path` that takes its name only once the block has ended well."""
    target = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=target.suffix)
    except OSError as problem:
        raise InputError(f"{target}: the file cannot be written ({problem.strerror}).") from None
    os.close(handle)
    try:
        yield Path(temporary)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, target)
    except OSError as problem:
        raise InputError(f"{target}: the file cannot be written ({problem.strerror}).") from None
    finally:
        Path(temporary).unlink(missing_ok=True)
