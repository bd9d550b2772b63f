"""fiberwalk link: what do linked tables tell that none of them tells by itself?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .audit import audited, of_an_audit, save, tell
from .shared.file_options import read, reading_options
from .shared.knowledge_options import with_knowledge_of
from .shared.manners import check_outputs, fail, speaks_plainly
from .suppressing.tables_of_files import each_file

if TYPE_CHECKING:
    import pandas as pd

    from ..release.release import Release

_COLUMNS = ["lower alone", "upper alone", "lower", "upper"]


@click.command(
    epilog="""\b
Examples:
  fiberwalk link by_size.csv by_age.csv
  fiberwalk link by_size.csv by_age.csv --only-bounds --fail-on-disclosure    exit status 1 if a figure is known exactly
  fiberwalk link a.csv b.csv c.csv --law hypergeometric --html audit.html
  fiberwalk link by_size.csv by_age.csv --full    margins of one table, whose cells are asked for"""
)
@click.argument("files", nargs=-1, required=True, metavar="FILE FILE...", type=click.Path(path_type=Path))
@reading_options
@click.option("--full", is_flag=True, help="The files are margins of one table, whose cells are what is hidden.")
@click.option("--only-bounds", is_flag=True, help="Tell what becomes narrower, and audit nothing.")
@of_an_audit
@speaks_plainly
def link(**options: Any) -> None:
    """What do linked tables tell that none of them tells by itself?

    Cells whose labels agree are one cell, and totals that tables have in common are equal. First, for each file, which of
    its hidden figures lie in a narrower interval because of the others, or are known; then the audit of all together.
    """
    from ..base.errors import InputError
    from ..release.linking.link import linked

    files = options["files"]
    if len(files) < 2:
        raise InputError("link reads two files or more; `fiberwalk audit` reads one.")
    check_outputs(options, "html", "csv", "save", "checkpoint")
    _check(options)
    releases = [read(of_file) for of_file in each_file(options)]
    joined = with_knowledge_of(linked(releases, full=options["full"]), options["knows"])
    known = 0
    for file, release in zip(files, releases, strict=True):
        frame = _beside(release, joined)
        known += int((frame["lower"] == frame["upper"]).sum())
        for line in _told(file, frame, options["top"]):
            click.echo(line)
    if not options["only_bounds"]:
        result = audited(joined, options)
        save(result, options)
        click.echo("\nAll together:")
        tell(result, options)
    if options["fail_on_disclosure"] and known:
        fail([f"{known} hidden {'figure is' if known == 1 else 'figures are'} known exactly."])


def _check(options: dict[str, Any]) -> None:
    """Refuse options of the audit where there is none, and outputs over the files."""
    from ..base.errors import InputError
    from ..base.text_files import real_place

    inputs = [real_place(file) for file in options["files"]]
    for name in ("html", "csv", "save", "checkpoint"):
        if options[name] is not None and real_place(options[name]) in inputs:
            raise InputError(f"--{name} {options[name]} is one of the files: give it a place of its own.")
        if options[name] is not None and options["only_bounds"]:
            raise InputError(f"--{name} is about the audit, and --only-bounds asks for none.")
    if options["only_bounds"] and options["fail_above"] is not None:
        raise InputError("--fail-above is about the audit, and --only-bounds asks for none.")


def _beside(release: Release, joined: Release) -> pd.DataFrame:
    """The hidden figures of a file: their bounds by this file alone, and by all together."""
    import numpy as np
    import pandas as pd
    import scipy.sparse as sp

    from ..answers import bounds
    from ..base.errors import Contradiction, InputError
    from ..fiber.blocks.presolve import presolve
    from ..fiber.bounds.chooser import sharp_bounds
    from ..release.tables.tables import key_of

    try:
        alone = bounds(release)
    except Contradiction:
        raise
    except InputError:  # by itself the file leaves a cell without a limit, which the others may give it
        hidden = np.concatenate([release.keys[release.lower < release.upper], release.asked])
        nothing = np.full((len(hidden), 2), np.nan)
        alone = pd.DataFrame(nothing, columns=["lower", "upper"], index=release.index(hidden))
    names = [dim.name for dim in release.dims]
    labels = [label if isinstance(label, tuple) else (label,) for label in alone.index]
    keys = [key_of(dict(zip(names, label, strict=True)), joined.dims) for label in labels]
    if not keys:
        return pd.DataFrame(columns=_COLUMNS)
    found = sharp_bounds(presolve(joined), sp.csr_array(sp.vstack([joined.row(key) for key in keys])))
    both = np.column_stack([joined.own_units(found.lower), joined.own_units(found.upper)])
    return pd.DataFrame(np.column_stack([alone[["lower", "upper"]], both]), columns=_COLUMNS, index=alone.index)


def _told(file: Path, frame: pd.DataFrame, most: int) -> Sequence[str]:
    """What the other files tell of a file's hidden figures."""
    if not len(frame):
        return [f"{file}: nothing is hidden."]
    known = frame["lower"] == frame["upper"]
    narrower = ((frame["upper"] - frame["lower"]) < (frame["upper alone"] - frame["lower alone"])) | (
        frame["lower alone"].isna()
    )
    newly = known & (frame["lower alone"] != frame["upper alone"])
    if not narrower.any():
        of = "its hidden figure is not" if len(frame) == 1 else f"none of its {len(frame)} hidden figures is"
        more = f" (known exactly by this file alone: {int(known.sum())})" if known.any() else ""
        return [f"{file}: {of} narrower by the other files{more}."]
    shown = frame[narrower].assign(width=frame["upper"] - frame["lower"]).sort_values("width", kind="stable")
    shown = shown[_COLUMNS].head(most).convert_dtypes().astype(object)
    shown = shown.where(shown.notna(), "none")
    lines = [
        f"{file}: of {len(frame)} hidden figures {int(narrower.sum())} "
        f"{'is' if narrower.sum() == 1 else 'are'} narrower by the other files, {int(newly.sum())} known exactly:",
        shown.to_string(sparsify=False),
    ]
    left = int(narrower.sum()) - len(shown)
    return [*lines, f"... and {left} more (--top)"] if left > 0 else lines
