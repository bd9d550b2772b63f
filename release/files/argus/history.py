"""A priori files (.hst), the history of tau-ARGUS: what is said of single cells beforehand.

A line has the labels of a cell or total, then what is said of it: a status (S safe, U unsafe, P to be published, M or ML
withheld for others), C or W and a cost, or PL and the lower and upper protection level.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ....base.errors import InputError
from ....base.numbers import LARGEST, is_number
from ....base.text_files import Rows, read_rows, written_whole
from ...facts.facts import HIDDEN, PRIMARY, PUBLISHED, Protection
from ...tables.dims import TOTAL, key_words
from ...tables.table_forms import axis_name
from ..format import FilePath
from ..publication import Publication
from .levels import level, number_of

if TYPE_CHECKING:
    import pandas as pd

STATUSES = {"S": "s", "U": "u", "P": "z", "M": "x", "ML": "x"}
"""What is said of a cell, and the code for it in frames: z is a cell that must be published."""
_MEANING = {"s": PUBLISHED, "z": PUBLISHED, "u": PRIMARY, "x": HIDDEN}
_COSTS, _LEVELS = ("C", "W"), "PL"
COLUMNS = ("status", "cost", "below", "above")


@dataclass
class Said:
    """What a file says of one cell or total, and where."""

    where: str
    status: str = ""
    cost: float | None = None
    below: float | None = None
    above: float | None = None


Lines = dict[tuple[str, ...], Said]
"""By the labels of a cell; a total is TOTAL."""


def read_history(path: FilePath, dims: Sequence[str] | str | None = None, *, total: str = TOTAL) -> pd.DataFrame:
    """Read an a priori file of tau-ARGUS: statuses, costs and protection levels of cells.

    A frame with a row for each cell or total that the file names, and columns `status` (s safe, u sensitive, z must be
    published, x withheld for others), `cost`, `below` and `above` (protection levels); what the file does not say is empty.

    Parameters
    ----------
    path
        A text file with columns after each other (comma, semicolon or tab).
    dims
        The names of the dims, in the order of the file's columns. Left out, they are A, B, C, ....
    total
        The label of totals in the file; an empty label is a total, too.

    Examples
    --------
    >>> import fiberwalk as fw, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "apriori.hst"
    >>> _ = path.write_text("Aby;f;U\\nAby;f;PL;3;4\\nTotal;f;C;20\\n")
    >>> fw.protect.read_history(path, ["town", "sex"])
              status  cost  below  above
    town  sex
    Aby   f        u   NaN    3.0    4.0
    Total f           20.0    NaN    NaN
    """
    import pandas as pd

    named = [part.strip() for part in dims.split(",")] if isinstance(dims, str) else dims
    rows, n_dims = _rows(path, None if named is None else len(named))
    names = [axis_name(k) for k in range(n_dims)] if named is None else [str(name) for name in named]
    lines = _said(os.fspath(path), rows, [total] * n_dims)
    index = pd.MultiIndex.from_tuples(list(lines), names=names)
    frame = pd.DataFrame([[getattr(one, column) for column in COLUMNS] for one in lines.values()], index=index)
    frame.columns = pd.Index(COLUMNS)
    return frame.astype({"status": str, "cost": float, "below": float, "above": float})


def write_history(frame: pd.DataFrame, path: FilePath, *, total: str = TOTAL) -> None:
    """Write an a priori file of tau-ARGUS, as `read_history` reads it: what an agency knows of its cells, no publication.

    Parameters
    ----------
    frame
        A row for each cell or total, its labels in the index, and any of the columns `status`, `cost`, `below` and `above`.
    path
        Of the file; its columns are separated by semicolons.
    total
        What totals are called in the file.

    Examples
    --------
    >>> import fiberwalk as fw, pandas as pd, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "apriori.hst"
    >>> fw.protect.write_history(pd.DataFrame({"status": ["u"]}, index=[["Aby"], ["f"]]), path)
    >>> path.read_text()
    'Aby;f;U\\n'
    """
    name = os.fspath(path)
    strangers = [str(column) for column in frame.columns if column not in COLUMNS]
    if strangers:
        raise InputError(f"{name}: an a priori file has no place for {strangers[0]!r}; it holds {', '.join(COLUMNS)}.")
    letters = {code: letter for letter, code in reversed(STATUSES.items())}
    lines = []
    for key, row in zip(frame.index, frame.to_dict("records"), strict=True):
        labels = [total if str(part) == TOTAL else str(part) for part in (key if isinstance(key, tuple) else (key,))]
        for label in labels:
            if label != label.strip() or not label.isprintable() or ";" in label or '"' in label:
                raise InputError(f"{name}: the label {label!r} would not survive an a priori file; rename it.")
        said = {column: value for column, value in row.items() if not _is_empty(value)}
        status = said.get("status")
        if status is not None and status not in letters:
            raise InputError(f"{name}: the status {status!r} is none of {', '.join(letters)}.")
        lines += [[*labels, letters[status]]] if status is not None else []
        lines += [[*labels, "C", _number(said["cost"], name)]] if "cost" in said else []
        if "below" in said or "above" in said:
            lines.append([*labels, _LEVELS, *(_number(said.get(side, 0), name) for side in ("below", "above"))])
    if not lines:
        raise InputError(f"{name}: nothing is said of any cell.")
    with written_whole(path) as temporary:
        temporary.write_text("".join(";".join(line) + "\n" for line in lines), encoding="utf-8")


def _is_empty(value: Any) -> bool:
    return value is None or value == "" or value != value


def _number(value: Any, name: str) -> str:
    if not is_number(value) or not 0 <= value <= LARGEST:
        raise InputError(f"{name}: {value!r} where a cost or a protection level must be, a number of at least 0.")
    return repr(int(value)) if value == int(value) else f"{float(value):.15g}"


def read_lines(path: FilePath, publication: Publication, total: str) -> Lines:
    """What a file says of the cells of a publication."""
    rows, _ = _rows(path, len(publication.dims))
    return _said(os.fspath(path), rows, [publication.totals.get(dim.name, total) for dim in publication.dims])


def _rows(path: FilePath, n_dims: int | None) -> tuple[Rows, int]:
    """The rows of a file, and how many of their first entries are labels."""
    rows = read_rows(path, as_written=True)
    if n_dims is None:
        first = rows[0][1]
        known = (*STATUSES, *_COSTS, _LEVELS)
        n_dims = max((k for k, word in enumerate(first) if k and word.upper() in known), default=0)
        if not n_dims:
            raise InputError(
                f"{os.fspath(path)}, row {rows[0][0]}: a line has the labels of a cell, then one of {', '.join(known)}."
            )
    return rows, n_dims


def _said(source: str, rows: Rows, totals: Sequence[str]) -> Lines:
    """What the rows say; `totals` is what the total of each dim is called."""
    lines: Lines = {}
    n_dims = len(totals)
    for number, row in rows:
        where = f"{source}, row {number}"
        if len(row) <= n_dims:
            raise InputError(f"{where}: {len(row)} entries where {n_dims} labels and what is said must be.")
        key = tuple(TOTAL if label in ("", total) else label for label, total in zip(row, totals, strict=False))
        about = lines.setdefault(key, Said(where))
        word, amounts = row[n_dims].upper(), [text for text in row[n_dims + 1 :] if text]
        if word in STATUSES and not amounts:
            if about.status not in ("", STATUSES[word]):
                raise InputError(f"{where}: {', '.join(key)} has two statuses; the other is in {about.where}.")
            about.status = STATUSES[word]
        elif word in _COSTS and len(amounts) == 1:
            about.cost = number_of(amounts[0], where, "a cost")
        elif word == _LEVELS and len(amounts) == 2:
            about.below, about.above = (number_of(text, where, "a protection level") for text in amounts)
        else:
            raise InputError(
                f"{where}: {' '.join(row[n_dims:])[:60]!r} after the labels; known are S, U, P, M or ML, C or W with costs, "
                "and PL with two levels."
            )
    return lines


def with_history(publication: Publication, lines: Lines) -> Publication:
    """A publication with what a file says of its cells: their statuses, and the levels of those that are sensitive."""
    place = {figure.key: k for k, figure in enumerate(publication.figures)}
    figures, wanted = list(publication.figures), dict(publication.protection or {})
    for labels, said in lines.items():
        key = tuple(
            dim.total if label == TOTAL else dim.node(label)
            for label, dim in zip(labels, publication.dims, strict=True)
        )
        words = key_words(key, publication.dims)
        if key not in place:
            raise InputError(f"{said.where}: {words} has no line in {publication.source}.")
        k = place[key]
        if said.status:
            figures[k] = replace(figures[k], status=_MEANING[said.status])
        figure = figures[k]
        if figure.status == PUBLISHED and figure.value is None and figure.lower is None and figure.upper is None:
            raise InputError(
                f"{said.where}: {words} is to be published, but {publication.source} has no figure for it."
            )
        if said.below is None or said.above is None:
            continue
        if figure.status != PRIMARY:
            raise InputError(f"{said.where}: protection levels are for sensitive cells (U), and {words} is none.")
        wanted[key] = Protection(*(level(amount, publication.decimals) for amount in (said.below, said.above)))
    return replace(publication, figures=figures, protection=wanted or None)


def notes_on(lines: Lines, source: str) -> list[str]:
    """What a release does not keep of a file."""
    costs = sum(said.cost is not None for said in lines.values())
    keep = sum(said.status == "z" for said in lines.values())
    notes = (
        [f"{costs} cells have costs in {source}, which are no part of a release (read_history gives them)"]
        if costs
        else []
    )
    return notes + ([f"{keep} cells must be published by {source}, which binds no method"] if keep else [])
