"""What a format of files is: how one is told from others, read and written."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from .numbered_table import NumberedTable
from .publication import Publication
from .reading_options import ReadingOptions
from .rows import PublicRows

FilePath = str | os.PathLike[str]


@dataclass(frozen=True)
class Format:
    """One format; it knows rows and figures, not releases.

    It writes either what is public or the agency's own table, or nothing where it is only read.
    """

    called: str
    """With its article, as errors say it."""
    reads: Callable[[FilePath], bool]
    """Is this a file of the format, by its name or its first lines? It exists, and may be anything."""
    read: Callable[[FilePath, ReadingOptions], Publication]
    has_columns: bool = True
    """Where it has none, the options that name columns do not apply."""
    own_options: tuple[str, ...] = ()
    """Options of `read_release` that no other format has."""
    endings: tuple[str, ...] = ()
    """How the names of files end that are written in this format, the usual ending first."""
    write_public: Callable[[PublicRows, FilePath, str], None] | None = None
    """Writes public rows; the text is what totals are called."""
    write_own: Callable[[NumberedTable, FilePath], None] | None = None
    """Writes the agency's own table, truth included."""
