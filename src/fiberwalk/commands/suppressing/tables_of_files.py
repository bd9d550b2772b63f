"""The true tables of one or several files, and what the files say of their cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..shared.file_options import KNOWN, read
from ..shared.standard_input import STANDARD_INPUT, there

if TYPE_CHECKING:
    import pandas as pd

    from ...release.release import Release

Cell = dict[str, str]


@dataclass(frozen=True)
class TrueTable:
    """A file that holds a table in full, and what an a priori file says of it."""

    path: Path
    release: Release
    history: pd.DataFrame | None = None
    stated: Mapping[str, float | None] = field(default_factory=dict)
    """What the options state of all cells beforehand."""

    @cached_property
    def table(self) -> Any:
        """The table alone, with who stands behind its cells."""
        return table_of(self.release, self.stated)

    @property
    def with_nobody_in_empty_cells(self) -> Any:
        """The table, where a file that leaves out empty cells says nothing of who is in them."""
        import numpy as np

        from ...release.facts.facts import NO_VALUE

        empty = self.table.values.ravel() == 0
        behind = {
            name: None if known is None else np.where(empty & (known == NO_VALUE), 0, known)
            for name, known in ((name, getattr(self.table, name)) for name in ("contributors", "largest", "second"))
        }
        return replace(self.table, **behind)

    def cells(self, mask: Any) -> list[Cell]:
        """Cells of a table of true and false, as {dim: label}."""
        import numpy as np

        dims = self.release.dims
        return [
            {dim.name: dim.labels[int(at)] for dim, at in zip(dims, place, strict=True)} for place in np.argwhere(mask)
        ]

    def figures(self, keys: Any) -> list[Cell]:
        """Cells and totals by the nodes of their labels."""
        return [
            {dim.name: dim.node_labels[int(node)] for dim, node in zip(self.release.dims, key, strict=True)}
            for key in keys
        ]

    def marked(self, status: str) -> list[Cell]:
        """The cells and totals to which the a priori file gives a status."""
        return [] if self.history is None else cells_of_frame(self.history[self.history["status"] == status])


def cells_of_frame(frame: pd.DataFrame) -> list[Cell]:
    """The rows of a frame as {dim: label}."""
    names = [str(name) for name in frame.index.names]
    keys = (key if isinstance(key, tuple) else (key,) for key in frame.index)
    return [dict(zip(names, map(str, key), strict=True)) for key in keys]


def table_of(release: Release, options: Mapping[str, Any]) -> Any:
    """The true table that a release knows, with who stands behind its cells and what is stated of them beforehand."""
    from ...release.facts.given_table import with_statement
    from ...release.release import true_table
    from ...release.tables.beforehand import Statement

    table = true_table(release)
    assert table is not None
    return with_statement(table, Statement(*(options.get(name) for name in KNOWN)))


def read_in_full(options: dict[str, Any]) -> Release:
    """The release of FILE, refused where it does not hold the true table."""
    from ...base.errors import InputError

    # A rule is one of the method here, not of how FILE is read.
    truth = read({**options, "rule": None, "zeros_hidden": False})
    if truth.truth is None or len(truth.grids) != 1:
        raise InputError(
            f"{options['file']}: to be protected, a table must be known in full; some cells have no figure."
        )
    return truth


def tables_of_files(options: dict[str, Any]) -> list[TrueTable]:
    """The true tables of all files."""
    tables = []
    for of_file in each_file(options):
        release = read_in_full(of_file)
        stated = {name: of_file[name] for name in KNOWN}
        tables.append(TrueTable(of_file["file"], release, _history(of_file, release), stated))
    return tables


def each_file(options: dict[str, Any]) -> list[dict[str, Any]]:
    """The options for each file: those about reading hold for all, hierarchies for the files that have their dim."""
    from ...base.errors import InputError

    files = options["files"]
    if len(files) == 1:
        return [{**options, "file": files[0]}]
    for name in ("history", "metadata", "sheet"):
        if options[name]:
            raise InputError(f"--{name} is about one file; with several, leave it out.")
    if len({str(file) for file in files}) < len(files):
        raise InputError("a file is named twice; linked tables are different files.")
    told = [_hierarchies(file, options) for file in files]
    for text in options["hierarchy"]:
        if all(file.is_file() for file in files) and not any(text in of_file for of_file in told):
            raise InputError(f"--hierarchy {text}: no file has a dim {text.partition('=')[0].strip()!r}.")
    return [{**options, "file": file, "hierarchy": one} for file, one in zip(files, told, strict=True)]


def _hierarchies(file: Path, options: dict[str, Any]) -> tuple[str, ...]:
    """Those of --hierarchy whose dim is a column of a file, as far as its header tells."""
    from ...base.text_files import read_rows
    from ...release.files.formats import format_of
    from ...release.files.long_file import LONG_TEXT

    if str(file) != STANDARD_INPUT and not file.is_file():
        return ()  # that there is no such file is said when it is read
    path = there(file)
    if format_of(path) is not LONG_TEXT or options["no_header"]:
        return tuple(options["hierarchy"])
    names = read_rows(path)[0][1]
    return tuple(text for text in options["hierarchy"] if text.partition("=")[0].strip() in names)


def _history(options: dict[str, Any], release: Release) -> pd.DataFrame | None:
    """What an a priori file says of the cells of a table."""
    from ...release.files.argus.history import read_history

    if not options["history"]:
        return None
    return read_history(options["history"], [dim.name for dim in release.dims], total=options["total"])
