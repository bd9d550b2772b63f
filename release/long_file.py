"""Long files: one row per cell, totals included, a value that may be empty, an optional status."""

from __future__ import annotations

import os
import string
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .dims import TOTAL, Dim, did_you_mean
from .errors import InputError
from .facts import NO_LIMIT, NO_VALUE
from .figures import Figure, from_figures
from .hierarchies import hierarchy_labels, levels_from, read_hierarchy
from .release import HIDDEN, PRIMARY, PUBLISHED, Release
from .statuses import EMPTY, read_status
from .tables import COUNT_NAMES, scaled
from .text_files import read_rows, written_whole

NO_FIGURE = ("", "na", "nan", "none", "null", "..", ":", "x", "*")
STATUS_NAMES = ("status", "sdcstatus", "sdc_status", "flag")


def read_long(
    path: str | os.PathLike[str],
    *,
    dims: Sequence[str] | None,
    value: str | None,
    status: str | None,
    total: str,
    hierarchies: Mapping[str, Any] | None,
    decimals: int,
    header: bool,
    missing: str,
    tolerance: float,
) -> Release:
    """Read a CSV or Parquet file as a release (see `read_release`)."""
    name = os.fspath(path)
    names, rows = (
        _parquet_rows(path) if name.lower().endswith((".parquet", ".pq")) else _text_rows(path, header, dims, status)
    )
    if not rows:
        raise InputError(f"{name}: the file has no rows below its header.")
    columns = _columns(name, names, rows, dims, value, status)
    first_row = 2 if header else 1
    for number, row in enumerate(rows, start=first_row):
        if len(row) != len(names):
            raise InputError(
                f"{name}, row {number}: {len(row)} columns where the header has {len(names)}; was the file cut short?"
            )
    hierarchies = {dim: _loaded(tree) for dim, tree in (hierarchies or {}).items()}
    for named in hierarchies:
        if named not in columns.dims:
            raise InputError(f"{name}: a hierarchy is given for {named!r}; {did_you_mean(named, columns.dims)}")
    built = []
    for column in columns.dims:
        labels = list(dict.fromkeys(row[names.index(column)] for row in rows))
        built.append(_dim(name, column, labels, total, hierarchies.get(column)))
    figures = []
    for number, row in enumerate(rows, start=first_row):
        where = f"row {number}"
        key = []
        for dim in built:
            label = row[names.index(dim.name)]
            if not label:
                raise InputError(f"{name}, {where}: no label in column {dim.name!r}.")
            key.append(dim.total if label == total else dim.node(label))
        figures.append(_figure(name, where, tuple(key), row, names, columns, decimals))
    return from_figures(
        built,
        figures,
        source=name,
        missing=missing,
        decimals=decimals,
        tolerance=scaled(tolerance, decimals, "tolerance="),
    )


class _Columns:
    """Which column is what."""

    def __init__(self, dims: list[str], value: str, status: str | None, limits: bool):
        self.dims, self.value, self.status, self.limits = dims, value, status, limits


def _columns(
    name: str,
    names: list[str],
    rows: list[list[str]],
    dims: Sequence[str] | None,
    value: str | None,
    status: str | None,
) -> _Columns:
    if len(set(names)) < len(names):
        twice = next(one for one in names if names.count(one) > 1)
        raise InputError(f"{name}: two columns are called {twice!r}.")
    for given in [*(dims or []), value, status]:
        if given is not None and given not in names:
            raise InputError(f"{name}: there is no column {given!r}; {did_you_mean(str(given), names)}")
    free = [one for one in names if one not in (dims or [])]
    if status is None:
        status = next((one for one in free if one.lower() in STATUS_NAMES), None)
    limits = "lower" in free and "upper" in free
    free = [one for one in free if one != status and not (limits and one in ("lower", "upper"))]
    if value is None:
        named = [one for one in free if one.lower() in COUNT_NAMES]
        numeric = [
            one for one in free if _all_numbers([row[names.index(one)] for row in rows if len(row) == len(names)])
        ]
        found = named if len(named) == 1 else numeric if dims is not None or len(numeric) == 1 else []
        if len(found) != 1:
            raise InputError(
                f"{name}: it is not clear which column holds the figures (columns: {', '.join(names)}); give value= and "
                "dims= (on the command line --value and --dims)."
            )
        value = found[0]
    chosen = list(dims) if dims is not None else [one for one in free if one != value]
    if not chosen:
        raise InputError(f"{name}: no column is left for a dim (columns: {', '.join(names)}).")
    return _Columns(chosen, value, status, limits)


def _all_numbers(cells: Sequence[str]) -> bool:
    some = False
    for cell in cells:
        if cell.lower() in NO_FIGURE:
            continue
        try:
            float(cell)
        except ValueError:
            return False
        some = True
    return some


def _text_rows(
    path: str | os.PathLike[str], header: bool, dims: Sequence[str] | None, status: str | None
) -> tuple[list[str], list[list[str]]]:
    rows = read_rows(path)
    if header:
        return rows[0], rows[1:]
    extra = 2 if status is not None else 1
    n_dims = len(rows[0]) - extra
    if n_dims < 1:
        raise InputError(f"{os.fspath(path)}: too few columns; without a header they are the dims, then the value.")
    shown = list(dims) if dims is not None else list(string.ascii_uppercase[:n_dims])
    if len(shown) != n_dims:
        raise InputError(
            f"{os.fspath(path)}: {n_dims} dims by its columns, but dims= names {len(shown)}; without a header the "
            "columns are the dims, then the value, then (where status= is given) the status."
        )
    return [*shown, "value", *([status] if status is not None else [])], rows


def _parquet_rows(path: str | os.PathLike[str]) -> tuple[list[str], list[list[str]]]:
    name = os.fspath(path)
    import pandas as pd

    try:
        frame = pd.read_parquet(path)
    except ImportError:
        raise InputError(f"{name}: reading Parquet needs pyarrow; install fiberwalk[parquet].") from None
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file.") from None
    except Exception as problem:
        raise InputError(f"{name}: not a readable Parquet file ({type(problem).__name__}).") from None
    plain = frame.reset_index(drop=True)
    return [str(c) for c in plain.columns], [
        ["" if _absent(v) else str(v) for v in row] for row in plain.itertuples(index=False)
    ]


def _absent(value: Any) -> bool:
    import pandas as pd

    return bool(pd.isna(value))


def _loaded(tree: Any) -> Any:
    return read_hierarchy(tree) if isinstance(tree, (str, os.PathLike)) else tree


def _dim(source: str, name: str, labels: list[str], total: str, hierarchy: Any) -> Dim:
    """A dim from the labels of its column: those that the hierarchy calls groups are subtotals, the rest are finest."""
    if total != TOTAL and TOTAL in labels:
        raise InputError(
            f"{source}: column {name!r} has the label {TOTAL!r} although totals are called {total!r}; rename it."
        )
    shown = [label for label in labels if label not in (total, "")]
    if hierarchy is None:
        return Dim(name, tuple(shown))
    finest = list(dict.fromkeys(hierarchy_labels(name, hierarchy)))
    groups = _group_labels(name, finest, hierarchy)
    finest += [label for label in shown if label not in groups and label not in finest]
    if hasattr(hierarchy, "columns"):
        stranger = [label for label in finest if label not in set(map(str, hierarchy.iloc[:, -1]))]
        if stranger:
            raise InputError(f"{source}: the hierarchy of dim {name!r} does not know the label {stranger[0]!r}.")
    return Dim(name, tuple(finest), levels_from(name, finest, hierarchy))


def _group_labels(name: str, finest: list[str], hierarchy: Any) -> set[str]:
    return {group for level in levels_from(name, finest, hierarchy) for group in level.group_of}


def _figure(
    source: str, where: str, key: tuple[int, ...], row: list[str], names: list[str], columns: _Columns, decimals: int
) -> Figure:
    raw = row[names.index(columns.value)]
    has_value = raw.lower() not in NO_FIGURE
    limits = [row[names.index(one)] if columns.limits else "" for one in ("lower", "upper")]
    bounds = [scaled(one, decimals, f"{source}, {where}") if one.lower() not in NO_FIGURE else None for one in limits]
    code = row[names.index(columns.status)] if columns.status else ""
    meaning = read_status(code, has_value or any(b is not None for b in bounds), f"{source}, {where}")
    value = scaled(raw, decimals, f"{source}, {where}, column {columns.value!r}") if has_value else None
    if meaning == EMPTY:
        if value:
            raise InputError(f"{source}, {where}: status {code!r} means an empty cell, but its value is {raw}.")
        meaning, value = PUBLISHED, 0
    if meaning == PUBLISHED and value is None and all(b is None for b in bounds):
        raise InputError(
            f"{source}, {where}: status {code!r} means published, but column {columns.value!r} has no number."
        )
    return Figure(key, value, meaning, bounds[0], bounds[1], where)


def write_long(release: Release, path: str | os.PathLike[str], total: str) -> None:
    """Write what a release publishes, never the truth: one row per cell and per known or withheld sum."""
    facts = release.sums
    loose = np.flatnonzero((facts.keys < 0).any(axis=1))
    if len(loose) or release.evidence or release.own.any() or len(release.grids) > 1:
        what = facts.words[loose[0]] if len(loose) else "linked tables, evidence, or an insider's own part"
        raise InputError(f"{os.fspath(path)}: a long file cannot hold {what}; write the parts by themselves.")
    known = {tuple(key) for key in facts.keys}
    asked = [key for key in release.asked if tuple(key) not in known]
    keys = np.concatenate([release.keys, facts.keys, np.array(asked, dtype=np.int64).reshape(-1, len(release.dims))])
    lower = np.concatenate([release.lower, facts.lower, np.zeros(len(asked), np.int64)])
    upper = np.concatenate([release.upper, facts.upper, np.full(len(asked), NO_LIMIT)])
    figure = np.concatenate([release.value, facts.value, np.full(len(asked), NO_VALUE)])
    told = figure != NO_VALUE
    withheld = [*(np.isin(release.status, (PRIMARY, HIDDEN))), *([False] * len(facts)), *([True] * len(asked))]
    shown = told & ~np.array(withheld)
    primary = np.concatenate([release.status == PRIMARY, np.zeros(len(keys) - release.n_cells, dtype=bool)])
    published = np.concatenate(
        [release.status == PUBLISHED, told[release.n_cells :] & (lower == upper)[release.n_cells :]]
    )
    limited = ~published & ((lower > 0) | (upper < NO_LIMIT))
    frame = release.index(keys).to_frame(index=False).replace(TOTAL, total)
    frame["value"] = [release.show(int(v)) if s else "" for v, s in zip(figure, shown, strict=True)]
    frame["status"] = np.where(shown, "s", np.where(primary, "u", "x"))
    if limited.any():
        frame["lower"] = [release.show(int(v)) if one else "" for v, one in zip(lower, limited, strict=True)]
        frame["upper"] = [
            release.show(int(v)) if one and v < NO_LIMIT else "" for v, one in zip(upper, limited, strict=True)
        ]
    with written_whole(path) as temporary:
        if os.fspath(path).lower().endswith((".parquet", ".pq")):
            try:
                frame.astype(str).to_parquet(temporary, index=False)
            except ImportError:
                raise InputError(
                    f"{os.fspath(path)}: writing Parquet needs pyarrow; install fiberwalk[parquet]."
                ) from None
        else:
            frame.to_csv(temporary, index=False)
