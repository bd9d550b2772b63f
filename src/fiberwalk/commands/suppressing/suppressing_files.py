"""Suppression of the tables of one or several files: solved together, each published by itself, with one note."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from .suppression_options import MECHANISM


def suppress_files(options: dict[str, Any], of_others: Sequence[str]) -> None:
    """What `fiberwalk protect --mechanism suppression` does; `of_others` are options that other methods have."""
    from ...withholding.suppressing import suppression
    from .agency_note import note_of
    from .known_cells import warn_of_known_cells
    from .published_files import check_places, places_of, published_tables, write_with_note
    from .tables_of_files import tables_of_files
    from .wishes import wishes_of

    _check(options, of_others)
    places = places_of(options["files"], options["out"])
    note = options["note"] or _note_beside(options["out"], places)
    check_places(options["files"], places, note)
    tables = tables_of_files(options)
    wishes = wishes_of(tables, options)
    seed = options["seed"] if options["seed"] is not None else secrets.randbits(32)
    given = [one.table for one in tables]
    result = suppression(
        given if len(given) > 1 else given[0], until=list(options["until"]) or None,
        law=list(options["laws"]) or "uniform", seed=seed, max_seconds=options["max_seconds"],
        **({} if options["rounds"] is None else {"rounds": options["rounds"]}), **wishes,
    )  # fmt: skip
    published = published_tables(result, tables)
    write_with_note(published, places, note, note_of(result, options, places, seed), options["total"])
    click.echo(_summary(published, places))
    for place in places:
        click.echo(f"published table: {place}", err=True)
    click.echo(f"note, for the agency alone: {note}", err=True)
    warn_of_known_cells(result.release)


def _summary(published: list[Any], places: list[Path]) -> str:
    """How much is withheld of each table, as its readers see it themselves."""
    lines = [f"{place}: {release.applied[-1].words}" for release, place in zip(published, places, strict=True)]
    return "\n".join([*lines, "What is sensitive, what it cost and what is proven stands in the note."])


def _note_beside(out: Path, places: list[Path]) -> Path:
    """Where the note goes if nothing is said: beside the table, or beside the folder of several tables."""
    if len(places) == 1:
        return places[0].with_suffix(".note.txt")
    if out.is_dir():  # and not in it, as the folder is what is published
        return out.resolve().with_name(f"{out.resolve().name}.note.txt")
    return out.with_name(f"{out.stem.replace('{}', 'all')}.note.txt")


def _check(options: dict[str, Any], of_others: Sequence[str]) -> None:
    """Refuse what is of other methods, or belongs together."""
    from ...base.errors import InputError

    for name in of_others:
        if options[name] not in (None, (), False):
            raise InputError(f"--{name.replace('_', '-')} does not go with --mechanism {MECHANISM}.")
    if options["laws"] and not options["until"]:
        raise InputError("--law goes with --until: without it nothing depends on what is believed.")
