"""Where the tables of a suppression go, and what of each is published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..shared.standard_input import STANDARD_INPUT
from .tables_of_files import TrueTable

if TYPE_CHECKING:
    from ...release.release import Release
    from ...withholding.suppression_result import Suppression

PLACE = "{}"
"""In the name of --out: what stands here is the name of each file, without its ending."""


def places_of(files: Sequence[Path], out: Path) -> list[Path]:
    """Where each table goes: --out itself, or for several files a place in that folder or of that pattern."""
    from ...base.errors import InputError

    if PLACE in out.name:
        places = [out.with_name(out.name.replace(PLACE, file.stem)) for file in files]
    elif len(files) == 1:
        return [out]
    elif out.is_dir():
        places = [out / (file.name if str(file) != STANDARD_INPUT else "input.csv") for file in files]
    else:
        raise InputError(
            f"--out {out}: for several files it is a folder that is there, or a name such as safe-{PLACE}.csv."
        )
    for number, place in enumerate(places):
        if place in places[:number]:
            raise InputError(f"--out {out}: two of the files would go to {place}; rename one.")
    return places


def check_places(files: Sequence[Path], places: Sequence[Path], note: Path) -> None:
    """Refuse before the work what cannot be written afterwards, or would be written over."""
    from ...base.errors import InputError
    from ...base.text_files import check_writable, real_place

    taken = {real_place(file): f"{file} is a FILE" for file in files}
    for option, path in [*(("out", place) for place in places), ("note", note)]:
        if option == "out":
            check_public(path)
        real = check_writable(path)
        if real in taken:
            raise InputError(f"--{option} {path}: {taken[real]} already; give each a place of its own.")
        taken[real] = f"it is for --{option}"


def check_public(out: Path) -> None:
    """Refuse a file of a kind that is not for readers."""
    from ...base.errors import InputError
    from ...release.files.formats import format_to_write

    if format_to_write(out).write_public is None:
        raise InputError(f"--out {out}: such a file holds every true value; write .csv, .parquet, .xlsx or .tab.")


def write_with_note(published: Sequence[Release], places: Sequence[Path], note: Path, words: str, total: str) -> None:
    """Write the published tables and the note, which has the seed: all of them, or none."""
    from ...base.text_files import written_whole

    with _all_or_none(places), written_whole(note, private=True) as temporary:
        temporary.write_text(words, encoding="utf-8")
        for release, place in zip(published, places, strict=True):
            release.to_file(place, total=total)


@contextmanager
def _all_or_none(places: Sequence[Path]) -> Iterator[None]:
    """Take away the tables that are there already where another, or the note, cannot be written."""
    new = [place for place in places if not place.exists()]
    try:
        yield
    except BaseException:
        for place in new:
            place.unlink(missing_ok=True)
        raise


def published_tables(result: Suppression, tables: Sequence[TrueTable]) -> list[Release]:
    """What is published of each table: one by itself, where several are linked."""
    if len(tables) == 1:
        return [result.release]
    return [_published(result, one.table) for one in tables]


def _published(result: Suppression, table: Any) -> Release:
    """One of several linked tables, as it is published."""
    import numpy as np

    from ...protect.withholding.figures.figures import figures_of
    from ...release.facts.facts import Applied

    figures, own = result.withheld.problem.figures, figures_of([table])
    dims = own.start.dims
    place = np.array([
        figures.named({dim.name: dim.node_labels[node] for dim, node in zip(dims, key, strict=True)})
        for key in own.keys.tolist()
    ])  # fmt: skip
    hidden, offered = result.withheld.hidden[place], figures.offered[place]
    release = replace(own, offered=offered).released(hidden, result.withheld.problem.primary[place])
    words = f"{int((hidden & offered).sum()):,} of {int(offered.sum()):,} cells and totals are withheld"
    applied = replace(result.release.applied[-1], words=words, own_words="")
    assert isinstance(applied, Applied)
    return replace(release, applied=(applied,), notes=(f"{applied.name}: {words}",))
