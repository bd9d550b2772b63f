"""Tables of counts from FILE, for commands that have a table and no publication: options about the latter are refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from .file_options import KNOWN, read

if TYPE_CHECKING:
    from ...release.tables.tables import Table


def hide_options(command: click.Command, names: Sequence[str]) -> None:
    """Leave options that say nothing here out of a command's help."""
    for option in command.params:
        if option.name in names and isinstance(option, click.Option):
            option.hidden = True


def refuse_options(options: dict[str, Any], names: Sequence[str], about: str) -> None:
    """Refuse options that say nothing here."""
    from ...base.errors import InputError

    for name in names:
        if options[name] or (options[name] == 0 and name in KNOWN):
            raise InputError(f"--{name.replace('_', '-')} says nothing about {about}.")


def table_of_counts(options: dict[str, Any], count: str) -> Table:
    """The table of FILE, all of whose cells have a figure."""
    from ...base.errors import InputError
    from ...release.tables.tables import Table

    release = read(options)
    if release.truth is None or len(release.grids) != 1:
        raise InputError(f"{options['file']}: every cell needs its {count}; some have no figure.")
    return Table(release.truth[release.grids[0].cells], release.dims)
