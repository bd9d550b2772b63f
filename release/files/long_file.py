"""Long files: one row per cell, totals included, a value that may be empty, an optional status."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...base.numbers import scaled
from ...base.text_files import Rows, read_rows, written_whole
from ..facts.facts import HIDDEN, NO_LIMIT, NO_VALUE, PRIMARY, PUBLISHED, UNSHOWN
from ..facts.statuses import EMPTY, RANDOM, read_status
from ..figures import Figure, from_figures
from ..release import Release
from ..tables.dims import TOTAL, Dim, Level
from ..tables.hierarchies import hierarchy_labels, levels_from, loaded
from ..tables.table_forms import COUNT_NAMES, axis_name, parent_columns
from .parquet_file import parquet_rows

NO_FIGURE = ("", "na", "nan", "none", "null", "..", ":", "x", "*")
TOTAL_NAMES = ("total", "all", "sum", "tot")
CONTRIBUTORS_NAME, LARGEST_NAME = "n_obs", "max"
STATUS_NAMES = ("status", "sdcstatus", "sdc_status", "flag")
_TAKEN_NAMES = (*COUNT_NAMES, *STATUS_NAMES, CONTRIBUTORS_NAME, LARGEST_NAME, "lower", "upper")


def read_long(
    path: str | os.PathLike[str],
    *,
    dims: str | Sequence[str] | None,
    value: str | None,
    status: str | None,
    total: str,
    hierarchies: Mapping[str, Any] | None,
    decimals: int,
    header: bool,
    missing: str,
    tolerance: float,
    contributors: str | None = None,
    largest: str | None = None,
    perturbed: bool = False,
) -> Release:
    """Read a CSV or Parquet file as a release (see `read_release`)."""
    name = os.fspath(path)
    if dims is not None:
        dims = [part.strip() for part in dims.split(",")] if isinstance(dims, str) else [str(one) for one in dims]
    if hierarchies is not None and not isinstance(hierarchies, Mapping):
        raise InputError("hierarchies= is a dict of dim to hierarchy.")
    if name.lower().endswith((".parquet", ".pq")):
        names, rows = parquet_rows(path)
    else:
        names, rows = _text_rows(path, header, dims, value, status)
    if not rows:
        raise InputError(f"{name}: the file has no rows below its header.")
    for number, row in rows:
        if len(row) != len(names):
            raise InputError(
                f"{name}, row {number}: {len(row)} columns where the header has {len(names)}; was the file cut short?"
            )
    trees = dict(hierarchies or {})
    columns = _columns(name, names, rows, dims, value, status, trees, contributors, largest)
    for named in trees:
        if named not in columns.dims:
            raise InputError(f"{name}: a hierarchy is given for {named!r}; {did_you_mean(named, columns.dims)}")
    built = [_dim(name, column, names, rows, columns, total, trees.get(column)) for column in columns.dims]
    figures = []
    for number, row in rows:
        where = f"row {number}"
        key = []
        for dim in built:
            label = row[names.index(dim.name)]
            if not label:
                raise InputError(f"{name}, {where}: no label in column {dim.name!r}.")
            key.append(dim.total if label == total else dim.node(label))
        figures.append(_figure(name, where, tuple(key), row, names, columns, decimals))
    if perturbed and not any(figure.status == RANDOM for figure in figures):
        figures = [replace(one, status=RANDOM) if _is_shown_cell(one, built) else one for one in figures]
    return from_figures(
        built,
        figures,
        source=name,
        missing=missing,
        decimals=decimals,
        tolerance=scaled(tolerance, decimals, "tolerance="),
    )


def _is_shown_cell(figure: Figure, dims: Sequence[Dim]) -> bool:
    finest = all(node < len(dim.labels) for node, dim in zip(figure.key, dims, strict=True))
    plain = figure.value is not None and figure.lower is None and figure.upper is None
    return finest and plain and figure.status == PUBLISHED


@dataclass(frozen=True)
class _Columns:
    """Which column is what; `parents` are the columns that name the groups of a dim's labels, coarse to fine."""

    dims: list[str]
    value: str
    status: str | None
    limits: bool
    parents: dict[str, list[str]]
    contributors: str | None
    largest: str | None


def _columns(
    name: str,
    names: list[str],
    rows: Rows,
    dims: Sequence[str] | None,
    value: str | None,
    status: str | None,
    hierarchies: Mapping[str, Any],
    contributors: str | None,
    largest: str | None,
) -> _Columns:
    if "" in names:
        raise InputError(
            f"{name}: column {names.index('') + 1} has no name; are these row numbers? Leave the column out, or give "
            "it a name and choose the columns with dims= and value=."
        )
    if len(set(names)) < len(names):
        twice = next(one for one in names if names.count(one) > 1)
        raise InputError(f"{name}: two columns are called {twice!r}.")
    for given in [*(dims or []), value, status, contributors, largest]:
        if given is not None and given not in names:
            raise InputError(f"{name}: there is no column {given!r}; {did_you_mean(str(given), names)}")
    free = [one for one in names if one not in (dims or [])]
    parents = _parents(name, names, free, hierarchies)
    if status is None:
        status = next((one for one in free if one.lower() in STATUS_NAMES), None)
    limits = "lower" in free and "upper" in free
    if contributors is None:
        contributors = next((one for one in free if one.lower() == CONTRIBUTORS_NAME and one != value), None)
    if largest is None:
        largest = next((one for one in free if one.lower() == LARGEST_NAME and one != value), None)
    taken = {contributors, largest}
    taken |= {status, *(c for columns in parents.values() for c in columns), *(("lower", "upper") if limits else ())}
    free = [one for one in free if one not in taken]
    if value is None:
        named = [one for one in free if one.lower() in COUNT_NAMES]
        numeric = [one for one in free if _all_numbers([row[names.index(one)] for _, row in rows])]
        found = named if len(named) == 1 else numeric if dims is not None or len(numeric) == 1 else []
        if contributors and not found and not numeric:  # who are counted are the figures
            found, contributors = [contributors], None
        if len(found) != 1:
            raise InputError(
                f"{name}: it is not clear which column holds the figures (columns: {', '.join(names)}); give value= and "
                "dims= (on the command line --value and --dims)."
            )
        value = found[0]
    chosen = list(dims) if dims is not None else [one for one in free if one != value]
    if not chosen:
        raise InputError(f"{name}: no column is left for a dim (columns: {', '.join(names)}).")
    groups = {dim: given for dim, given in parents.items() if dim in chosen}
    return _Columns(chosen, value, status, limits, groups, contributors, largest)


def _parents(name: str, names: list[str], free: list[str], hierarchies: Mapping[str, Any]) -> dict[str, list[str]]:
    """The columns that hold the groups of a dim: those its hierarchy names, and any called "dim:..."."""
    parents = {dim: columns for dim, spec in hierarchies.items() if (columns := parent_columns(spec)) is not None}
    for dim, columns in parents.items():
        for column in columns:
            if column not in names:
                raise InputError(f"{name}: the hierarchy of {dim!r} names {column!r}; {did_you_mean(column, names)}")
    for column in free:
        owner = column.partition(":")[0]
        if ":" in column and owner in names and owner not in hierarchies:
            parents.setdefault(owner, []).append(column)
    return parents


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
    path: str | os.PathLike[str], header: bool, dims: Sequence[str] | None, value: str | None, status: str | None
) -> tuple[list[str], Rows]:
    rows = read_rows(path)
    if header:
        return rows[0][1], rows[1:]
    extra = 2 if status is not None else 1
    n_dims = len(rows[0][1]) - extra
    if n_dims < 1:
        raise InputError(f"{os.fspath(path)}: too few columns; without a header they are the dims, then the value.")
    shown = list(dims) if dims is not None else [axis_name(i) for i in range(n_dims)]
    if len(shown) != n_dims:
        raise InputError(
            f"{os.fspath(path)}: {n_dims} dims by its columns, but dims= names {len(shown)}; without a header the "
            "columns are the dims, then the value, then (where status= is given) the status."
        )
    return [*shown, value or "value", *([status] if status is not None else [])], rows


def _dim(source: str, name: str, names: list[str], rows: Rows, columns: _Columns, total: str, hierarchy: Any) -> Dim:
    """A dim from the labels of its column: those that its hierarchy calls groups are subtotals, the rest are finest."""
    labels = [one for one in dict.fromkeys(row[names.index(name)] for _, row in rows) if one]
    if total not in labels:
        for label in labels:
            if label.lower() in TOTAL_NAMES:
                raise InputError(
                    f"{source}: column {name!r} has no total called {total!r} but the label {label!r}; if that is its "
                    f"total, say total={label!r} (on the command line --total), and if it is a category, rename it."
                )
    elif total != TOTAL and TOTAL in labels:
        raise InputError(
            f"{source}: column {name!r} has the label {TOTAL!r} although totals are called {total!r}; rename it."
        )
    shown = [label for label in labels if label != total]
    if not shown:
        raise InputError(f"{source}: column {name!r} has no label but {total!r}; leave it out of dims=.")
    if name in columns.parents:
        return _dim_with_parents(source, name, names, rows, columns.parents[name], shown)
    if hierarchy is None:
        return Dim(name, tuple(shown))
    tree = loaded(name, hierarchy)
    finest = hierarchy_labels(name, tree)
    groups = {group for level in levels_from(name, finest, tree) for group in level.group_of}
    strangers = [label for label in shown if label not in groups and label not in finest]
    if strangers and hasattr(tree, "columns"):
        raise InputError(f"{source}: the hierarchy of dim {name!r} does not know the label {strangers[0]!r}.")
    finest = [*finest, *strangers]
    return Dim(name, tuple(finest), levels_from(name, finest, tree))


def _dim_with_parents(
    source: str, name: str, names: list[str], rows: Rows, parents: list[str], shown: list[str]
) -> Dim:
    """A dim whose groups stand in further columns, on the rows of its finest labels."""
    places = [names.index(column) for column in parents]
    groups_of: dict[str, list[str]] = {}
    for number, row in rows:
        label, groups = row[names.index(name)], [row[place] for place in places]
        if any(groups) and groups_of.setdefault(label, groups) != groups:
            raise InputError(
                f"{source}, row {number}: {label!r} is in other groups of {', '.join(parents)} than above."
            )
    used = {group for label, groups in groups_of.items() for group in groups if group != label}
    finest = [label for label in shown if label not in used]
    levels = tuple(
        Level(column, tuple(groups_of.get(label, [""] * len(parents))[k] or label for label in finest))
        for k, column in enumerate(parents)
    )
    return Dim(name, tuple(finest), levels)


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

    def said(column: str | None, places: int) -> int | None:
        text = row[names.index(column)] if column else ""
        number = (
            scaled(text, places, f"{source}, {where}, column {column!r}") if text.lower() not in NO_FIGURE else None
        )
        if number is not None and number < 0:
            raise InputError(f"{source}, {where}: column {column!r} says {text}; it cannot be negative.")
        return number

    behind = said(columns.contributors, 0), said(columns.largest, decimals)
    return Figure(key, value, meaning, bounds[0], bounds[1], where, *behind)


def write_long(release: Release, path: str | os.PathLike[str], total: str) -> None:
    """Write what a release publishes, never the truth: one row per cell and per known or withheld sum.

    The groups of a hierarchical dim go into columns called "dim:level", which `read_release` understands.
    """
    name = os.fspath(path)
    facts = release.sums
    loose = np.flatnonzero((facts.keys < 0).any(axis=1))
    unsaid = any(item.figure == NO_VALUE for item in release.evidence)
    if len(loose) or unsaid or release.own.any() or len(release.grids) > 1:
        what = (
            facts.words[loose[0]]
            if len(loose)
            else "linked tables, evidence without a figure, or an insider's own part"
        )
        raise InputError(f"{name}: a long file cannot hold {what}; write the parts by themselves.")
    places = [tuple(item.key.tolist()) for item in release.evidence if item.key is not None]
    if len(set(places)) < len(places):
        twice = next(key for key in places if places.count(key) > 1)
        raise InputError(
            f"{name}: {release.words(np.array(twice))} was published twice, by two random draws, and a long file holds one "
            "figure; write the parts by themselves."
        )
    _refuse_names(name, release, total)
    known = {tuple(key) for key in facts.keys}
    asked = [key for key in release.asked if tuple(key) not in known]
    random_sums = {key: figure for key, figure in release.sum_figures.items() if key not in known}
    n, n_more = release.n_cells, len(asked) + len(random_sums)
    keys = np.concatenate(
        [release.keys, facts.keys, *(np.array([key], dtype=np.int64) for key in (*asked, *random_sums))]
    )
    lower = np.concatenate([release.lower, facts.lower, np.zeros(n_more, np.int64)])
    upper = np.concatenate([release.upper, facts.upper, np.full(n_more, NO_LIMIT)])
    of_random = [release.sum_figures.get(tuple(key), NO_VALUE) for key in keys[n:].tolist()]
    random = np.concatenate([np.full(n, NO_VALUE) if release.figures is None else release.figures, of_random])
    figure = np.concatenate([release.value, facts.value, np.full(n_more, NO_VALUE)])
    perturbed = (figure == NO_VALUE) & (random != NO_VALUE)
    figure = np.where(perturbed, random, figure).astype(np.int64)
    told = figure != NO_VALUE
    withheld = np.isin(np.concatenate([release.status, np.full(len(keys) - n, UNSHOWN)]), (PRIMARY, HIDDEN))
    withheld[n + len(facts) : n + len(facts) + len(asked)] = True
    exact = np.concatenate([release.status == PUBLISHED, (told & (lower == upper))[n:]]) & ~perturbed
    limited = ~exact & ~perturbed & ((lower > 0) | (upper < NO_LIMIT))
    # Who cannot see which cells are primary must not read it in the file.
    primary = np.concatenate([release.flagged & (release.status == PRIMARY), np.zeros(len(keys) - n, dtype=bool)])
    shown = ~withheld & (told | limited)
    frame = release.index(keys).to_frame(index=False).replace(TOTAL, total)
    for position, dim in enumerate(release.dims):
        for level in dim.levels:
            column = level.name if level.name.startswith(f"{dim.name}:") else f"{dim.name}:{level.name}"
            group = np.array([*level.group_of, *([""] * (len(dim.node_labels) - len(dim.labels)))], dtype=object)
            frame[column] = group[keys[:, position]]
    frame["value"] = [release.show(int(v)) if s and t else "" for v, s, t in zip(figure, shown, told, strict=True)]
    frame["status"] = np.where(shown, np.where(perturbed, "p", "s"), np.where(primary, "u", "x"))
    if limited.any():
        frame["lower"] = [release.show(int(v)) if one else "" for v, one in zip(lower, limited, strict=True)]
        frame["upper"] = [
            release.show(int(v)) if one and v < NO_LIMIT else "" for v, one in zip(upper, limited, strict=True)
        ]
    with written_whole(path) as temporary:
        if name.lower().endswith((".parquet", ".pq")):
            try:
                frame.astype(str).to_parquet(temporary, index=False)
            except ImportError:
                raise InputError(f"{name}: writing Parquet needs pyarrow; install fiberwalk[parquet].") from None
        else:
            frame.to_csv(temporary, index=False)


def _refuse_names(source: str, release: Release, total: str) -> None:
    """Refuse names and labels that the file could not give back."""
    for dim in release.dims:
        if dim.name.lower() in _TAKEN_NAMES or ":" in dim.name:
            raise InputError(f"{source}: a long file cannot have a dim called {dim.name!r}; rename it.")
        for label in (dim.name, *dim.node_labels):
            if label != label.strip() or not label or "\r" in label or "\n" in label:
                raise InputError(f"{source}: the label {label!r} would not survive a text file; rename it.")
        if total != TOTAL and total in dim.node_labels:
            raise InputError(f"{source}: dim {dim.name!r} has a label {total!r}; choose another total=.")
