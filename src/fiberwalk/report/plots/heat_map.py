"""The table as a heat map of risk: one two-way slice of it, the one with the riskiest hidden cell."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError
from ...base.numbers import largest_first
from ...release.facts.facts import Grid
from ...release.tables.tables import key_of
from ..words import doubts, short_risk, shortened, step_words
from .audit_plots import write_doubts
from .figures import new_figure
from .palette import GREY, RISK_SCALE, VERMILION

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...release.release import Release
    from ...results.audit_result import Audit

MOST_LINES = 80
"""Up to so many rows, and so many columns, are drawn."""
MOST_LABELS = 40
"""Of more rows or columns than this, only some are labelled."""
LARGE = 18
"""With more columns than this the picture is wide."""
MOST_FIGURES = (20, 12)
"""Up to so many rows and columns, the risk is written into the cells."""

PUBLISHED, OPEN, KNOWN, UNASKED = 0, 1, 2, 3


@dataclass(frozen=True, eq=False)
class Slice:
    """A two-way slice of a table: what each of its crossings is, and the risk of the hidden ones."""

    row_dim: str
    column_dim: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    state: np.ndarray
    risk: np.ndarray
    words: str
    """Which part of the table this is; empty where it is the whole."""

    @property
    def large(self) -> bool:
        """Does it need the whole width of a page?"""
        return len(self.columns) > LARGE


def audit_heat_map(audit: Audit, labels: Mapping[str, Any]) -> Figure:
    """The slice with the riskiest hidden cell, among those with some labels, as a picture of its own."""
    dims = audit.release.dims
    chosen = key_of(labels, dims)
    fixed = {axis: node for axis, (node, dim) in enumerate(zip(chosen, dims, strict=True)) if dim.name in labels}
    part = riskiest_slice(audit, fixed)
    if part is None:
        where = "".join(f" with {name}={label}" for name, label in labels.items())
        raise InputError(f"there is nothing to draw: no cell{where} is hidden in a table of this release.")
    figure = heat_map_figure(part, step_words(audit))
    if part.words:
        figure.axes[0].set_title("\n".join(textwrap.wrap(part.words, 80)), fontsize=9, parse_math=False)
    write_doubts(figure, [word for word, _ in doubts(audit)])
    return figure


def riskiest_slice(audit: Audit, chosen: Mapping[int, int] | None = None) -> Slice | None:
    """The slice with the riskiest hidden cell; None where nothing is hidden in any table of the release.

    With `chosen`, nodes of some dims: among the slices that have these.
    """
    chosen = chosen or {}
    release, keys = audit.release, audit.belief.keys
    support = np.array([pmf.support for pmf in audit.belief.pmfs], dtype=np.int64)
    entropy = np.array([pmf.entropy for pmf in audit.belief.pmfs])
    risk = np.divide(1.0, entropy, out=np.full(len(entropy), np.inf), where=entropy > 0)
    risk[support == 1] = np.inf
    order = np.lexsort((np.arange(len(keys)), -np.round(risk, 12), support > 1))
    order = order[(keys[order][:, list(chosen)] == list(chosen.values())).all(axis=1)] if chosen else order
    candidates = ((key, grid) for key in keys[order] for grid in release.grids if _holds(grid, key))
    riskiest = next(candidates, None)
    if riskiest is None:
        return None
    worst, grid = riskiest
    row, column = _axes(grid, chosen)
    across = [axis for axis in (row, column) if axis is not None]
    fixed = [axis for axis in range(len(release.dims)) if axis not in across]
    inside = (keys[:, fixed] == worst[fixed]).all(axis=1)
    keys, support, risk = keys[inside], support[inside], risk[inside]
    nodes = [_nodes(grid, axis, keys) for axis in (row, column)]
    state, risks = _laid_out(release, grid, (row, column), nodes, worst, keys, support, risk)
    kept = [_riskiest_lines(state, risks, axis) for axis in (0, 1)]
    labels = [
        _labels(release, axis, every[lines]) for axis, every, lines in zip((row, column), nodes, kept, strict=True)
    ]
    names = ["" if axis is None else release.dims[axis].name for axis in (row, column)]
    lines = [len(every) for every in nodes], [len(drawn) for drawn in kept]
    words = _words(release, grid, worst, fixed, across, *lines, chosen)
    part = np.ix_(*kept)
    return Slice(names[0], names[1], labels[0], labels[1], state[part], risks[part], words)


def _holds(grid: Grid, key: np.ndarray) -> bool:
    return all(node in nodes for node, nodes in zip(key, grid.nodes, strict=True))


def _axes(grid: Grid, chosen: Mapping[int, int]) -> tuple[int | None, int | None]:
    """The two longest dims of a table that are not chosen, in their own order; a table of one dim is one row."""
    sizes = [1 if axis in chosen else len(nodes) for axis, nodes in enumerate(grid.nodes)]
    longest = sorted(np.argsort([-size for size in sizes], kind="stable")[:2].tolist())
    longest = [axis for axis in longest if sizes[axis] > 1] or longest[-1:]
    return (longest[0], longest[1]) if len(longest) == 2 else (None, longest[0])


def _nodes(grid: Grid, axis: int | None, keys: np.ndarray) -> np.ndarray:
    """The lines along a dim: those of the table, then the groups and totals that are asked about."""
    if axis is None:
        return np.zeros(1, dtype=np.int64)
    own = grid.nodes[axis]
    return np.concatenate([own, np.setdiff1d(keys[:, axis], own)])


def _laid_out(
    release: Release,
    grid: Grid,
    axes: tuple[int | None, int | None],
    nodes: list[np.ndarray],
    worst: np.ndarray,
    keys: np.ndarray,
    support: np.ndarray,
    risk: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """State and risk of every crossing of the lines."""
    shape = (len(nodes[0]), len(nodes[1]))
    state = np.full(shape, UNASKED)
    risks = np.full(shape, np.nan)
    sizes = [1 if axis is None else len(grid.nodes[axis]) for axis in axes]
    state[: sizes[0], : sizes[1]] = PUBLISHED

    def places(cells: np.ndarray) -> tuple[np.ndarray, ...]:
        where = []
        for axis, lines in zip(axes, nodes, strict=True):
            if axis is None:
                where.append(np.zeros(len(cells), dtype=np.int64))
                continue
            place = np.full(len(release.dims[axis].node_labels), -1)
            place[lines] = np.arange(len(lines))
            where.append(place[cells[:, axis]])
        return tuple(where)

    shown = release.shown.reshape(-1, len(release.dims))
    fixed = [axis for axis in range(len(release.dims)) if axis not in axes]
    shown = shown[(shown[:, fixed] == worst[fixed]).all(axis=1)]
    at = places(shown)
    there = (at[0] >= 0) & (at[1] >= 0)
    state[at[0][there], at[1][there]] = PUBLISHED
    at = places(keys)
    state[at] = np.where(support == 1, KNOWN, OPEN)
    risks[at] = risk
    return state, risks


def _riskiest_lines(state: np.ndarray, risk: np.ndarray, axis: int) -> np.ndarray:
    """The lines to draw, in the order of the table: all, or those with the riskiest cells where they are too many."""
    if state.shape[axis] <= MOST_LINES:
        return np.arange(state.shape[axis])
    worst = np.where(np.isnan(risk), -1.0, risk).max(axis=1 - axis)
    return np.sort(largest_first(worst)[:MOST_LINES])


def _labels(release: Release, axis: int | None, nodes: np.ndarray) -> tuple[str, ...]:
    return ("",) if axis is None else tuple(release.dims[axis].node_labels[node] for node in nodes)


def _words(
    release: Release,
    grid: Grid,
    worst: np.ndarray,
    fixed: list[int],
    across: list[int],
    lines: list[int],
    drawn: list[int],
    chosen: Mapping[int, int],
) -> str:
    parts = []
    named = [axis for axis in fixed if len(grid.nodes[axis]) > 1]
    if named:
        dims_and_nodes = [(release.dims[axis], worst[axis]) for axis in named]
        where = ", ".join(f"{dim.name}={dim.node_labels[node]}" for dim, node in dims_and_nodes)
        slices = int(np.prod([len(grid.nodes[axis]) for axis in named]))
        why = "" if set(named) <= set(chosen) else ", which has the riskiest hidden cell"
        parts.append(f"the slice {where}{why}, of {slices:,} slices")
    if len(release.grids) > 1:
        number = next(number for number, other in enumerate(release.grids, start=1) if other is grid)
        dims = " by ".join(release.dims[axis].name for axis in across)
        parts.append(
            f"the table {dims} ({number} of {len(release.grids)} linked ones), which has the riskiest hidden cell"
        )
    for total, shown, kind in zip(lines, drawn, ("rows", "columns"), strict=True):
        if shown < total:
            parts.append(f"the {shown} of {total:,} {kind} with the riskiest cells")
    return "; ".join(parts)


def heat_map_figure(part: Slice, step: str = "") -> Figure:
    """The slice as a picture: darker is riskier, known cells red and crossed, published ones hatched."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap, LogNorm
    from matplotlib.patches import Patch

    rows, columns = part.state.shape
    written = rows <= MOST_FIGURES[0] and columns <= MOST_FIGURES[1]
    room = (130 if part.large else 70) // columns
    upright = room < min(8, max(map(len, part.columns)))
    height = 1.2 + (0.34 if written else 0.17) * rows + (1.0 if upright else 0.3)
    figure = new_figure(11.0 if part.large else 6.4, min(height, 9.0))
    axis = figure.subplots()
    axis.patch.set(facecolor="#ececec", hatch="////", edgecolor="#c4c4c4", linewidth=0)
    axis.imshow(_where(part.state == UNASKED), cmap=ListedColormap(["white"]), aspect="auto", interpolation="none")
    axis.imshow(_where(part.state == KNOWN), cmap=ListedColormap([VERMILION]), aspect="auto", interpolation="none")
    norm, colours = None, colormaps[RISK_SCALE].reversed()
    is_open = part.state == OPEN
    finite = part.risk[is_open & np.isfinite(part.risk)]
    if is_open.any():
        ends = (float(finite.min()), float(finite.max())) if len(finite) else (1.0, 1.0)
        norm = LogNorm(ends[0] / 1.1, ends[1] * 1.1, clip=True)
        risk = np.ma.masked_array(np.where(np.isinf(part.risk), ends[1] * 1.1, part.risk), ~is_open)
        image = axis.imshow(risk, cmap=colours, norm=norm, aspect="auto", interpolation="none")
        bar = figure.colorbar(image, ax=axis, pad=0.02, fraction=0.06)
        bar.set_label("risk 1 / H\n(1/bits" + (f",\n{step})" if step else ")"), fontsize=9)
        _plain_ticks(bar, ends)
    if written:
        _write_figures(axis, part, colours, norm)
    _name_lines(axis, part, 0 if upright else room)
    for edges, draw in ((rows, axis.axhline), (columns, axis.axvline)):
        for edge in range(1, edges) if edges <= MOST_LABELS else ():
            draw(edge - 0.5, color="white", linewidth=1)
    legend = []
    if (part.state == KNOWN).any():
        legend.append(Patch(facecolor=VERMILION, label="× known exactly" if written else "known exactly"))
    if (part.state == PUBLISHED).any():
        legend.append(Patch(facecolor="#ececec", edgecolor="#c4c4c4", hatch="////", label="published"))
    if (part.state == UNASKED).any():
        legend.append(Patch(facecolor="white", edgecolor=GREY, label="not asked about"))
    if legend:
        figure.legend(handles=legend, loc="outside lower center", ncols=len(legend), fontsize=8, frameon=False)
    axis.spines[:].set_visible(False)
    return figure


def _where(chosen: np.ndarray) -> Any:
    return np.ma.masked_array(np.zeros(chosen.shape), ~chosen)


def _folded(label: str, room: int) -> str:
    """A label in about three lines of so many characters."""
    room = max(room, 8)
    return "\n".join(textwrap.wrap(shortened(label, 3 * room - 4), room)[:4]) or label


def _plain_ticks(bar: Any, ends: tuple[float, float]) -> None:
    """A few risks in plain figures: logarithmic axes would write powers of ten, or nothing."""
    steps = np.geomspace(ends[0], ends[1], 5) if ends[1] > 1.02 * ends[0] else np.array([ends[0]])
    close = ends[1] < 1.5 * ends[0]
    bar.set_ticks(steps, labels=[f"{risk:.3g}" if close else short_risk(risk) for risk in steps.tolist()], fontsize=8)
    bar.ax.minorticks_off()
    bar.outline.set_visible(False)


def _write_figures(axis: Any, part: Slice, colours: Any, norm: Any) -> None:
    for (row, column), state in np.ndenumerate(part.state):
        if state == KNOWN:
            axis.text(column, row, "×", ha="center", va="center", fontsize=11, color="black", weight="bold")
        elif state == OPEN:
            risk = float(part.risk[row, column])
            red, green, blue, _ = colours(norm(risk if np.isfinite(risk) else norm.vmax))
            ink = "black" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.45 else "white"
            axis.text(column, row, short_risk(risk), ha="center", va="center", fontsize=8, color=ink)


def _name_lines(axis: Any, part: Slice, room: int) -> None:
    """Labels and names of the dims; column labels stand upright where there is no room for them."""
    rows = [shortened(label, 24) for label in part.rows]
    columns = [_folded(label, room) if room else shortened(label, 18) for label in part.columns]
    upwards = max(12, 5 * len(rows))
    for along, labels, name, most in (
        (axis.yaxis, rows, part.row_dim, min(60, upwards)),
        (axis.xaxis, columns, part.column_dim, 60),
    ):
        ticks = range(0, len(labels), -(-len(labels) // MOST_LABELS))
        along.set_ticks(list(ticks), labels=[labels[tick] for tick in ticks], fontsize=8, parse_math=False)
        along.set_label_text(shortened(name, most), fontsize=9, parse_math=False)
        along.set_tick_params(length=0)
    if not part.row_dim:
        axis.yaxis.set_ticks([])
    if not room:
        axis.tick_params(axis="x", labelrotation=90)
