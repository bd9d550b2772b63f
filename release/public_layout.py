"""What readers see: figures of cells and totals laid out in rows and columns, and what is hidden among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError, did_you_mean
from ..base.html import MOST_COLUMNS, MOST_ROWS, cut_table, remark, sentence, shown_of
from .facts.facts import NO_LIMIT, NO_VALUE, PUBLISHED, Grid
from .facts.whom import about_words
from .tables.dims import TOTAL, Dim
from .tables.tables import labelled

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from .public_view import PublicView

ABSENT, EXACT, INEXACT, WITHHELD = 0, 1, 2, 3
"""What readers see where a row and a column cross: nothing; the figure itself; one that was rounded or changed; a mark."""
MARK = "×"
"""Stands for what is hidden."""
MOST_TABLES = 4
"""A notebook shows so many of several linked tables, at most."""
FEW_DIMS = 3
"""Up to so many dims, the last one alone runs across."""


@dataclass(frozen=True, eq=False)
class View:
    """One table of a public view, laid out. Each row and column is a line: a node of each of its dims."""

    row_dims: tuple[int, ...]
    column_dims: tuple[int, ...]
    rows: list[tuple[int, ...]]
    columns: list[tuple[int, ...]]
    more: tuple[int, int]
    """How many rows and columns are left out."""
    state: np.ndarray
    figure: np.ndarray
    """Scaled integers; NO_VALUE where none is seen."""
    lower: np.ndarray
    upper: np.ndarray
    """The bounds of what is hidden, as told or known directly, not through the sums that it is in."""


def split(n_dims: int) -> int:
    """How many of so many dims run down the rows; the others run across."""
    return n_dims - (1 if n_dims <= FEW_DIMS else n_dims // 2) if n_dims > 1 else 1


def view(
    public: PublicView, grid: Grid, across: Sequence[int] | None = None, most: tuple[int, int] | None = None
) -> View:
    """One table of a public view, laid out; where it has more than `most` rows or columns, the first ones and the last."""
    table_axes = [axis for axis, dim in enumerate(public.dims) if not _summed_over(grid, axis, dim)] or [0]
    column_dims = tuple(table_axes[split(len(table_axes)) :] if across is None else across)
    row_dims = tuple(axis for axis in table_axes if axis not in column_dims)
    sum_keys = _sum_keys(public, grid)
    limits = most or (None, None)
    rows, more_rows = _lines(public, grid, row_dims, sum_keys, limits[0])
    columns, more_columns = _lines(public, grid, column_dims, sum_keys, limits[1])
    shape = len(rows), len(columns)
    state, figure = np.full(shape, ABSENT), np.full(shape, NO_VALUE)
    lower, upper = np.zeros(shape, np.int64), np.full(shape, NO_LIMIT)
    cells = _cells(grid, row_dims, column_dims, rows, columns)
    is_cell = cells >= 0
    numbers = cells[is_cell]
    figure[is_cell] = public.cell_figures[numbers]
    shown = np.where(figure[is_cell] != NO_VALUE, INEXACT, WITHHELD)
    state[is_cell] = np.where(public.status[numbers] == PUBLISHED, EXACT, shown)
    lower[is_cell], upper[is_cell] = public.lower[numbers], public.upper[numbers]
    places = {line: i for i, line in enumerate(rows)}, {line: j for j, line in enumerate(columns)}
    others = [axis for axis in range(len(public.dims)) if axis not in table_axes]
    for key, entry in _sums_on_lines(public, sum_keys, rows, columns, row_dims, column_dims, others):
        i = places[0].get(tuple(key[axis] for axis in row_dims))
        j = places[1].get(tuple(key[axis] for axis in column_dims))
        if i is not None and j is not None and not is_cell[i, j]:
            state[i, j], figure[i, j], lower[i, j], upper[i, j] = entry
    return View(row_dims, column_dims, rows, columns, (more_rows, more_columns), state, figure, lower, upper)


def _summed_over(grid: Grid, axis: int, dim: Dim) -> bool:
    return len(grid.nodes[axis]) == 1 and int(grid.nodes[axis][0]) == dim.total


def _sum_keys(public: PublicView, grid: Grid) -> np.ndarray:
    """The keys of all sums of this table that are published, or hidden by name."""
    n = len(public.dims)
    of_random = np.array(list(public.sum_figures), dtype=np.int64).reshape(-1, n)
    keys = np.concatenate([public.sums.keys, public.shown.reshape(-1, n), public.asked.reshape(-1, n), of_random])
    keys = np.unique(keys[(keys >= 0).all(axis=1)], axis=0)
    if len(public.grids) == 1:
        return keys
    inside = np.ones(len(keys), dtype=bool)
    for axis, dim in enumerate(public.dims):
        nodes = grid.nodes[axis]
        shown_nodes = [
            node for node in np.unique(keys[:, axis]).tolist() if node in nodes or _made_of(dim, nodes, node)
        ]
        inside &= np.isin(keys[:, axis], shown_nodes)
    return keys[inside]


def _made_of(dim: Dim, nodes: np.ndarray, node: int) -> bool:
    """Is a node the sum of some of these?"""
    return sum(len(dim.leaves[part]) for part in nodes[dim.within(nodes, node)]) == len(dim.leaves[node])


def _lines(
    public: PublicView, grid: Grid, axes: tuple[int, ...], sum_keys: np.ndarray, most: int | None
) -> tuple[list[tuple[int, ...]], int]:
    """The rows or columns of a table in their order, of cells and of sums, and how many are left out."""
    if not axes:
        return [()], 0
    places = [_order(public.dims[axis]) for axis in axes]
    own = [sorted(grid.nodes[axis].tolist(), key=place.__getitem__) for axis, place in zip(axes, places, strict=True)]
    sets = [set(nodes) for nodes in own]
    sums = {line for line in map(tuple, sum_keys[:, axes].tolist()) if not all(map(set.__contains__, sets, line))}
    n = len(sums) + int(np.prod([float(len(nodes)) for nodes in own]))
    lines = sorted(
        [*islice(product(*own), most), *sums],
        key=lambda line: tuple(place[node] for place, node in zip(places, line, strict=True)),
    )
    shown = n if most is None else shown_of(n, most)
    return (lines, 0) if shown == n else ([*lines[: shown - 1], lines[-1]], n - shown)


def _order(dim: Dim) -> list[tuple[float, ...]]:
    """Where each node of a dim stands: groups after their members, the total last."""
    end = float("inf")
    levels = [dim.nodes_at(level.name) for level in dim.levels]
    firsts = [[int(dim.leaves[node][0]) for node in nodes] for nodes in levels]
    order: list[tuple[float, ...]] = []
    for node, leaves in enumerate(dim.leaves):
        leaf = int(leaves[0])
        if node < len(dim.labels):
            order.append((*(first[leaf] for first in firsts), leaf, 0.0))
            continue
        level = next((k for k, nodes in enumerate(levels) if nodes[leaf] == node), None)
        above = () if level is None else tuple(first[leaf] for first in firsts[: level + 1])
        order.append((*above, end, float(node)))
    return order


def _cells(
    grid: Grid, row_dims: tuple[int, ...], column_dims: tuple[int, ...], rows: Sequence[Any], columns: Sequence[Any]
) -> np.ndarray:
    """The number of the cell at every crossing; -1 where there is none."""
    index: list[Any] = [0] * len(grid.nodes)
    good = np.ones((len(rows), len(columns)), dtype=bool)
    for axes, lines, shape in ((row_dims, rows, (-1, 1)), (column_dims, columns, (1, -1))):
        nodes = np.array(lines, dtype=np.int64).reshape(len(lines), len(axes))
        for k, axis in enumerate(axes):
            place = np.full(max(int(grid.nodes[axis].max()), int(nodes[:, k].max())) + 1, -1)
            place[grid.nodes[axis]] = np.arange(len(grid.nodes[axis]))
            index[axis] = place[nodes[:, k]].reshape(shape)
            good = good & (index[axis] >= 0)
    numbers = np.broadcast_to(grid.cells[tuple(index)], good.shape)
    return np.where(good, numbers, -1)


def _sums_on_lines(
    public: PublicView,
    sum_keys: np.ndarray,
    rows: Sequence[Any],
    columns: Sequence[Any],
    row_dims: Sequence[int],
    column_dims: Sequence[int],
    others: Sequence[int],
) -> Iterable[tuple[tuple[int, ...], tuple[int, int, int, int]]]:
    """The keys of the sums on these lines, each with its state, its figure and its bounds."""

    def on_lines(keys: np.ndarray) -> np.ndarray:
        good = np.ones(len(keys), dtype=bool)
        for axes, lines in ((row_dims, rows), (column_dims, columns)):
            for k, axis in enumerate(axes):
                good &= np.isin(keys[:, axis], [line[k] for line in lines])
        for axis in others:
            good &= keys[:, axis] == public.dims[axis].total
        return good

    sums = public.sums
    number = {tuple(sums.keys[i].tolist()): i for i in np.flatnonzero(on_lines(sums.keys))}
    asked = set(map(tuple, public.asked.tolist()))
    for key in map(tuple, sum_keys[on_lines(sum_keys)].tolist()):
        low, high, figure = 0, NO_LIMIT, NO_VALUE
        if key in number:
            i = number[key]
            low, high, figure = int(sums.lower[i]), int(sums.upper[i]), int(sums.value[i])
        elif key not in asked and key not in public.sum_figures:
            low = high = figure = _known_otherwise(public, key)
        if key in public.sum_figures:
            yield key, (INEXACT, public.sum_figures[key], low, high)
        elif key in asked or figure == NO_VALUE:
            yield key, (WITHHELD, NO_VALUE, low, high)
        else:
            yield key, (EXACT if low == high == figure else INEXACT, figure, low, high)


def _known_otherwise(public: PublicView, key: tuple[int, ...]) -> int:
    """The figure of a sum that is published under its name and held as a fact about its only cell, or as another sum."""
    row = public.row(key)
    if row.nnz == 1:
        return int(public.lower[row.indices[0]])
    sums, cells = public.sums, np.sort(row.indices)
    for i in np.flatnonzero(np.diff(sums.matrix.indptr) == len(cells)):
        part = slice(sums.matrix.indptr[i], sums.matrix.indptr[i + 1])
        if (np.sort(sums.matrix.indices[part]) == cells).all():
            return int(sums.value[i])
    return NO_VALUE


# --- as a frame ---------------------------------------------------------------------------------------------------


def crosstab(public: PublicView, columns: Any = None, total: str = "All", mark: str | None = None) -> pd.DataFrame:
    """What readers see, as a frame (see `Release.crosstab`)."""
    import pandas as pd

    if len(public.grids) != 1:
        raise InputError("linked tables have no one crosstab; look at each release by itself.")
    across = None if columns is None else _across(public, columns)
    for dim in public.dims:
        if total != TOTAL and total in dim.node_labels:
            raise InputError(f"crosstab(): dim {dim.name!r} has a label {total!r}; choose another total=.")
    layout = view(public, public.grids[0], across)
    axes = []
    for dims, lines in ((layout.row_dims, layout.rows), (layout.column_dims, layout.columns)):
        labels = [tuple(total if label == TOTAL else label for label in line) for line in _labels(public, dims, lines)]
        names = [public.dims[axis].name for axis in dims]
        if not dims:
            axes.append(pd.Index(["published"]))
        elif len(dims) == 1:
            axes.append(pd.Index([line[0] for line in labels], name=names[0]))
        else:
            axes.append(pd.MultiIndex.from_tuples(labels, names=names))
    visible = np.isin(layout.state, (EXACT, INEXACT))
    values = public.own_units(np.where(visible, layout.figure, 0))
    if mark is None:
        array_of = pd.arrays.IntegerArray if public.decimals == 0 else pd.arrays.FloatingArray
        parts = [array_of(values[:, j].copy(), ~visible[:, j]) for j in range(values.shape[1])]
        frame = pd.DataFrame(dict(enumerate(parts)), index=axes[0])
    else:
        marked = np.where(visible, values.astype(object), np.where(layout.state == WITHHELD, mark, ""))
        frame = pd.DataFrame(marked, index=axes[0])
    frame.columns = axes[1]
    return frame


def published(public: PublicView) -> xr.DataArray:
    """The finest cells as readers see them (see `Release.published`)."""
    if len(public.grids) != 1:
        raise InputError("linked tables have no one published table; look at each release by itself.")
    shown = public.cell_figures[public.grids[0].cells]
    visible = shown != NO_VALUE
    values = public.own_units(shown)
    return labelled(values if visible.all() else np.where(visible, values, np.nan), public.dims)


def _across(public: PublicView, columns: Any) -> list[int]:
    known = [dim.name for dim in public.dims]
    wanted = [columns] if isinstance(columns, str) else list(columns)
    for name in wanted:
        if name not in known:
            raise InputError(f"crosstab(): there is no dim {name!r}; {did_you_mean(str(name), known)}")
    if len(set(wanted)) == len(known):
        raise InputError("crosstab(): columns= names every dim, and none is left for the rows.")
    return [known.index(name) for name in dict.fromkeys(wanted)]


def _labels(public: PublicView, dims: Sequence[int], lines: Sequence[tuple[int, ...]]) -> list[tuple[str, ...]]:
    return [tuple(public.dims[axis].node_labels[node] for axis, node in zip(dims, line, strict=True)) for line in lines]


# --- in a notebook ------------------------------------------------------------------------------------------------


def release_html(public: PublicView, *, truth_kept: bool = False) -> str:
    """The published table, or each of some linked ones, and a line that says what it is."""
    parts = [sentence(caption(public, truth_kept))]
    for number, grid in enumerate(public.grids[:MOST_TABLES], start=1):
        layout = view(public, grid, most=(MOST_ROWS, MOST_COLUMNS))
        if len(public.grids) > 1:
            named = " by ".join(public.dims[axis].name for axis in (*layout.row_dims, *layout.column_dims))
            parts.append(sentence(f"Table {number} of {len(public.grids)}: {named}"))
        parts.append(_view_html(public, layout))
    if len(public.grids) > MOST_TABLES:
        parts.append(remark(f"{len(public.grids) - MOST_TABLES} more linked tables are not shown."))
    return "".join(parts)


def _view_html(public: PublicView, layout: View) -> str:
    texts = [[_text(public, layout, i, j) for j in range(len(layout.columns))] for i in range(len(layout.rows))]
    rows, columns = (
        _labels(public, dims, lines)
        for dims, lines in ((layout.row_dims, layout.rows), (layout.column_dims, layout.columns))
    )
    looks = np.where(layout.state == INEXACT, "i", np.where(layout.state == WITHHELD, "tint", "")).tolist()
    names = [[public.dims[axis].name for axis in dims] for dims in (layout.row_dims, layout.column_dims)]
    return cut_table(names[0], rows, names[1], columns, texts, layout.more, looks)


def _text(public: PublicView, layout: View, i: int, j: int) -> str:
    state = layout.state[i, j]
    if state == ABSENT:
        return ""
    if state != WITHHELD:
        return plain(int(layout.figure[i, j]), public.decimals)
    low, high = int(layout.lower[i, j]), int(layout.upper[i, j])
    first, last = plain(low, public.decimals), plain(high, public.decimals)
    if low == high:
        return f"{MARK}\u00a0=\u00a0{first}"
    if high < NO_LIMIT:
        return f"{MARK}\u00a0{first}–{last}"
    return f"{MARK}\u00a0≥\u00a0{first}" if low > 0 else MARK


def plain(value: int, decimals: int) -> str:
    """One value in the table's own units, as tables print it."""
    return f"{value:,}" if decimals == 0 else f"{value / 10**decimals:,.{decimals}f}"


def caption(public: PublicView, truth_kept: bool) -> str:
    """What a release holds, in a line; of its truth only that it is kept."""
    exact = int((public.status == PUBLISHED).sum())
    changed = int(((public.status != PUBLISHED) & (public.cell_figures != NO_VALUE)).sum())
    hidden = public.n_cells - exact - changed
    methods = " and ".join(dict.fromkeys(method.name for method in public.applied))
    of_cells = [f"{exact:,} published as {'it is' if exact == 1 else 'they are'}"] if exact else []
    if changed:
        of_cells.append(f"{changed:,} published otherwise (in italics: {methods or 'a method that is not named'})")
    of_cells += [f"{hidden:,} hidden ({MARK})"] if hidden else []
    parts = [", ".join(of_cells), f"{len(public.sums):,} known {'sum' if len(public.sums) == 1 else 'sums'}"]
    parts += [f"likelihood: {public.likelihood}"] if public.applied else []
    loose = int((public.sums.keys < 0).any(axis=1).sum())
    linked = len(public.grids) > 1
    parts += [f"{loose:,} of the sums {'join the tables' if linked else 'have no place in the table'}"] if loose else []
    parts += ["an insider knows her own part of a cell"] if public.own.any() else []
    parts += [f"about {about_words(public.about)} only"] if public.about else []
    parts += ["the true table is kept with it, and not shown"] if truth_kept else []
    dims = f"{len(public.grids)} linked tables" if linked else " by ".join(dim.name for dim in public.dims)
    cells = f"{public.n_cells:,} {'cell' if public.n_cells == 1 else 'cells'}"
    return f"{dims}: {cells}; {'; '.join(parts)}."
