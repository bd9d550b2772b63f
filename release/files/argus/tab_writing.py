"""Public rows become a .tab file, with the .rda that says what its columns are and a .hrc for each hierarchy."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ....base.errors import InputError
from ....base.text_files import check_writable, written_whole
from ...tables.dims import Dim
from ...tables.hierarchies import tree_of
from ..format import FilePath
from ..long_writing import long_frame
from ..rows import PublicRows
from .metadata import metadata_beside

if TYPE_CHECKING:
    import pandas as pd

_CODES = {"s": "S", "u": "U", "x": "M"}


def write(rows: PublicRows, path: FilePath, total: str) -> None:
    """Write public rows, a withheld figure empty; `total` is what totals are called."""
    frame = long_frame(rows, total)
    _refuse(rows, frame)
    stem = os.path.splitext(os.path.basename(os.fspath(path)))[0]
    files: dict[str, list[str]] = {}
    metadata = ['  <SEPARATOR> ";"']
    for number, dim in enumerate(rows.dims, start=1):
        metadata += [dim.name if " " not in dim.name else f'"{dim.name}"', "  <RECODEABLE>", f'  <TOTCODE> "{total}"']
        if dim.levels:
            name = f"{stem}_{number}.hrc"
            files[name] = _steps(rows.source, dim)
            metadata += ["  <HIERARCHICAL>", f'  <HIERCODELIST> "{name}"', '  <HIERLEADSTRING> "@"']
    metadata += ["value", "  <NUMERIC>", f"  <DECIMALS> {rows.decimals}", "status", "  <STATUS>"]
    files[f"{stem}.rda"] = metadata
    dims = [dim.name for dim in rows.dims]
    labels = [[f'"{label}"' for label in row] for row in frame[dims].to_numpy().tolist()]
    figures = [[value, _CODES[status]] for value, status in zip(frame["value"], frame["status"], strict=True)]
    lines = [";".join([*row, *figure]) for row, figure in zip(labels, figures, strict=True)]
    folder = os.path.dirname(os.fspath(path))
    check_writable(path)
    if os.path.exists(os.path.join(folder, f"{stem}.rda")) and metadata_beside(path) is None:
        raise InputError(f"{rows.source}: {stem}.rda is there and says nothing about a table; choose another name.")
    with ExitStack() as whole:
        for name, told in [*files.items(), (os.path.basename(os.fspath(path)), lines)]:
            temporary = whole.enter_context(written_whole(os.path.join(folder, name)))
            temporary.write_text("\n".join(told) + "\n", encoding="utf-8")


def _refuse(rows: PublicRows, frame: pd.DataFrame) -> None:
    """Refuse what such a file cannot say, or would not give back."""
    if "lower" in frame:
        raise InputError(f"{rows.source}: a table of tau-ARGUS cannot hold ranges; write CSV.")
    if "p" in frame["status"].to_numpy():
        raise InputError(
            f"{rows.source}: a table of tau-ARGUS cannot say that figures were perturbed at random; write CSV."
        )
    for dim in rows.dims:
        for label in (dim.name, *dim.node_labels):
            if '"' in label or label.startswith(("@", "<")) or not label.isprintable():
                raise InputError(
                    f"{rows.source}: the label {label!r} would not survive a table of tau-ARGUS; rename it."
                )


def _steps(source: str, dim: Dim) -> list[str]:
    """The lines of a .hrc file: a label, with an @ for each label above it."""
    tree = tree_of(dim)
    if tree is None:
        raise InputError(
            f"{source}: dim {dim.name!r} has levels that cross, or sums of no level, and a .hrc file holds one tree; "
            "write CSV."
        )
    below = {child for children in tree.values() for child in children}
    tops = dict.fromkeys(label for label in (*tree, *dim.labels) if label not in below)
    lines: list[str] = []
    left = [(top, 0) for top in reversed(list(tops))]
    while left:
        label, depth = left.pop()
        lines.append("@" * depth + label)
        left += [(child, depth + 1) for child in reversed(tree.get(label, []))]
    return lines
