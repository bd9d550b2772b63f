"""The rows of a long file, be it text or Parquet, become dims and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...base.errors import InputError
from ...base.numbers import scaled
from ...base.text_files import Rows
from ..facts.facts import PUBLISHED
from ..facts.statuses import EMPTY, RANDOM, read_status
from ..tables.dims import TOTAL, Dim, Level
from ..tables.hierarchies import hierarchy_labels, levels_from, loaded
from .long_checks import DASH, with_points
from .long_columns import NO_FIGURE, TRUE, UNSAID, Columns, find_columns
from .publication import Figure, Publication
from .reading_options import ReadingOptions

TOTAL_NAMES = ("total", "all", "sum", "tot")
"""Labels that are probably those of a total."""


def publication_of_rows(source: str, names: list[str], rows: Rows, options: ReadingOptions) -> Publication:
    """What rows of texts publish, one cell or total each; `names` are those of their columns."""
    if not rows:
        raise InputError(f"{source}: the file has no rows below its header.")
    for number, row in rows:
        if len(row) != len(names):
            raise InputError(
                f"{source}, row {number}: {len(row)} columns where the header has {len(names)}; was the file cut short?"
            )
    columns, total, decimals = find_columns(source, names, rows, options), options.total, options.decimals
    rows = with_points(source, names, rows, columns.figures, options.decimal_comma)
    dims = [_dim(source, name, names, rows, columns, total, options.hierarchies.get(name)) for name in columns.dims]
    figures = []
    for number, row in rows:
        where = f"row {number}"
        key = []
        for dim in dims:
            label = row[names.index(dim.name)]
            if not label:
                raise InputError(f"{source}, {where}: no label in column {dim.name!r}.")
            key.append(dim.total if label == total else dim.node(label))
        figures.append(_figure(source, where, tuple(key), row, names, columns, decimals))
    if options.perturbed and not any(figure.status == RANDOM for figure in figures):
        figures = [replace(figure, status=RANDOM) if _is_shown_cell(figure, dims) else figure for figure in figures]
    slack = scaled(options.slack, decimals, "slack=")
    return Publication(dims, figures, source, options.missing, decimals, slack)


def _is_shown_cell(figure: Figure, dims: Sequence[Dim]) -> bool:
    finest = all(node < len(dim.labels) for node, dim in zip(figure.key, dims, strict=True))
    plain = figure.value is not None and figure.lower is None and figure.upper is None
    return finest and plain and figure.status == PUBLISHED


def _dim(source: str, name: str, names: list[str], rows: Rows, columns: Columns, total: str, hierarchy: Any) -> Dim:
    """A dim from the labels of its column: those that its hierarchy calls groups are subtotals, the rest are finest."""
    labels = [label for label in dict.fromkeys(row[names.index(name)] for _, row in rows) if label]
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
    if strangers and any(hasattr(one, "columns") for one in (tree if isinstance(tree, list) else [tree])):
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


def _code(where: str, row: list[str], names: list[str], columns: Columns) -> str:
    """The status code of a row; flags are put into one."""
    if columns.status:
        return row[names.index(columns.status)]
    if not columns.flags:
        return ""
    if "suppressed" in columns.flags and row[names.index(columns.flags["suppressed"])].lower() in UNSAID:
        raise InputError(f"{where}: column {columns.flags['suppressed']!r} says neither true nor false.")
    said = {flag: row[names.index(column)].lower() in TRUE for flag, column in columns.flags.items()}
    if not said.get("suppressed", True):
        return "s"
    return "u" if said.get("primary", False) else "x" if "suppressed" in said else "s"


def _figure(
    source: str, where: str, key: tuple[int, ...], row: list[str], names: list[str], columns: Columns, decimals: int
) -> Figure:
    raw = row[names.index(columns.value)]
    has_value = raw.lower() not in NO_FIGURE
    limits = [row[names.index(name)] if columns.limits else "" for name in ("lower", "upper")]
    bounds = [
        scaled(limit, decimals, f"{source}, {where}") if limit.lower() not in NO_FIGURE else None for limit in limits
    ]
    code = _code(f"{source}, {where}", row, names, columns)
    meaning = read_status(code, has_value or any(bound is not None for bound in bounds), f"{source}, {where}")
    value = scaled(raw, decimals, f"{source}, {where}, column {columns.value!r}") if has_value else None
    if meaning == EMPTY:
        if value:
            raise InputError(f"{source}, {where}: status {code!r} means an empty cell, but its value is {raw}.")
        meaning, value = PUBLISHED, 0
    elif raw == DASH:
        raise InputError(
            f"{source}, {where}, column {columns.value!r}: '-' is an empty cell to some and a withheld one to others; write "
            "0 or nothing in its place, or name the column that says which it is with status=."
        )
    if meaning == PUBLISHED and value is None and all(bound is None for bound in bounds):
        raise InputError(
            f"{source}, {where}: status {code!r} means published, but column {columns.value!r} has no number."
        )

    def number_in(column: str | None, places: int) -> int | None:
        text = row[names.index(column)] if column else ""
        number = (
            scaled(text, places, f"{source}, {where}, column {column!r}") if text.lower() not in NO_FIGURE else None
        )
        if number is not None and number < 0:
            raise InputError(f"{source}, {where}: column {column!r} says {text}; it cannot be negative.")
        return number

    behind = (
        number_in(columns.contributors, 0),
        *(number_in(one, decimals) for one in (columns.largest, columns.second)),
    )
    return Figure(key, value, meaning, bounds[0], bounds[1], where, *behind)
