"""The formats that are known: a new one is a file of this folder and a line of the registry."""

from __future__ import annotations

import os
from collections.abc import Collection

from ...base.errors import InputError
from .argus.tab_file import TAU_ARGUS
from .crosstab_file import CROSSTAB
from .excel.excel_file import EXCEL
from .format import FilePath, Format
from .jj_file import JJ
from .long_file import LONG_TEXT
from .parquet_file import PARQUET

REGISTRY: tuple[Format, ...] = (
    JJ,  # known by its first lines, under any name
    TAU_ARGUS,
    EXCEL,
    PARQUET,
    CROSSTAB,
    LONG_TEXT,  # takes any file, and so comes last
)
"""In the order in which they are asked whether a file is theirs."""


def format_of(path: FilePath, options: Collection[str] = ()) -> Format:
    """The format of a file that is there: the one that has all of these options of its own, else the first that says so."""
    if not options:
        return next(known for known in REGISTRY if known.reads(path))
    for known in REGISTRY:
        if set(options) <= set(known.own_options):
            return known
    named = " and ".join(f"{option}=" for option in options)
    raise InputError(f"{os.fspath(path)}: {named} do not go together: no file is of both kinds.")


def format_to_write(path: FilePath) -> Format:
    """The format that the name of a file to be written asks for."""
    name = os.fspath(path)
    written = [known for known in reversed(REGISTRY) if known.endings]
    for known in written:
        if name.lower().endswith(known.endings):
            return known
    *others, last = [known.endings[0] for known in written]
    raise InputError(f"{name}: the file's name must end in {', '.join(others)} or {last}.")
