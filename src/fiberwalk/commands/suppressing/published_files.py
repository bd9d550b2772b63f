"""Where the tables of a suppression go, and what of each is published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..shared.standard_input import STANDARD_INPUT
from .tables_of_files import TrueTable

if TYPE_CHECKING:
    from ...release.release import Release
    from ...results.suppression_result import Suppression

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
    from ...release.files.formats import format_to_write

    taken = {real_place(file): f"{file} is a FILE" for file in files}
    for option, path in [*(("out", place) for place in places), ("note", note)]:
        if option == "out" and format_to_write(path).write_public is None:
            raise InputError(f"--out {path}: such a file holds every true value; write .csv, .parquet, .xlsx or .tab.")
        real = check_writable(path)
        if real in taken:
            raise InputError(f"--{option} {path}: {taken[real]} already; give each a place of its own.")
        taken[real] = f"it is for --{option}"


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
