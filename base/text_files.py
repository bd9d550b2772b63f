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

from .errors import InputError

Rows = list[tuple[int, list[str]]]
"""The rows of a file, each with the number of its line."""

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
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise InputError(f"{name}: the file is empty.")
    return text


def read_rows(path: str | os.PathLike[str]) -> Rows:
    """The rows of a delimited text file with their line numbers; comma, semicolon or tab, as the first line has it."""
    name = os.fspath(path)
    text = read_text(path)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter_of(text), strict=True)
    rows = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
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


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path` that takes its name only once the block has ended well.

    A link is written through, an existing file keeps its permissions, and what is no plain file (a pipe) is written to
    at the end.
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
            temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
            os.replace(temporary, target)
    except OSError as problem:
        raise InputError(f"{target}: the file cannot be written ({problem.strerror or problem}).") from None
    finally:
        temporary.unlink(missing_ok=True)


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Where a file will really be written; refused at once where that cannot be, before any long work."""
    try:
        target = Path(path).resolve()
    except TypeError:
        raise InputError(f"a file is named by its path; this is {path!r}.") from None
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
