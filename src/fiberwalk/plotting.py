"""plot_cell: one cell's distribution in the eyes of several intruders, or by several methods, on one picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .base.errors import InputError
from .report.plots.audit_plots import BARS, write_doubts
from .report.plots.figures import new_figure
from .report.plots.palette import COLOURS, SHAPES
from .report.words import doubts, short_cell_name
from .results.audit_result import Audit

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


TRUTH: dict[str, Any] = {
    "marker": "^", "color": "black", "clip_on": False, "markersize": 7, "zorder": 5, "linestyle": "none", "label": "truth"
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Curve:
    """A distribution to draw: values in the table's own units, the probability of each, and its standard error."""

    values: np.ndarray
    p: np.ndarray
    error: np.ndarray


def plot_cell(
    beliefs: Audit | pd.Series | Mapping[str, Audit | pd.Series],
    cell: Mapping[str, Any] | None = None,
    /,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    **labels: Any,
) -> Figure:
    """One cell's distribution by several audits, on one picture.

    The first is drawn as bars, the others as points joined by a line (lines alone where there are many values). Error bars
    are two standard errors, where chains sampled; a triangle is the true value, where it is known.

    Parameters
    ----------
    beliefs
        Audits by name, such as `{"uniform": audit, "hypergeometric": other_audit}`, or a single one. In place of an audit
        a Series of value -> probability may stand: a prior, or what `pmf` gave.
    cell, labels
        The cell, as for `Audit.pmf`: `plot_cell(audits, I="1", J="3", K="3")`.
    ax
        Matplotlib axes to draw on; by default a new figure.
    title
        Above the picture; by default the labels of the cell.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> release = fw.publish([[3, 1], [2, 4]], margins=["A", "B"])
    >>> both = {law: fw.audit(release, law=law) for law in ("uniform", "hypergeometric")}
    >>> figure = fw.plot_cell(both, A="1", B="1")
    """
    from matplotlib.ticker import MaxNLocator

    if cell is not None and not isinstance(cell, Mapping):
        raise InputError(
            f"a cell is named by its labels, plot_cell(audits, dim=label, ...), or as a dict; this is {cell!r}."
        )
    labelled = {**(cell or {}), **labels}
    by_name = dict(beliefs) if isinstance(beliefs, Mapping) else {"": beliefs}
    if not by_name:
        raise InputError("plot_cell() needs at least one audit.")
    curves = {str(name): _curve(name, belief, labelled) for name, belief in by_name.items()}
    audits = [belief for belief in by_name.values() if isinstance(belief, Audit)]
    if ax is None:
        ax = new_figure(6.4, 3.4).subplots()
    crowded = max(len(curve.values) for curve in curves.values()) > BARS
    for place, (name, curve) in enumerate(curves.items()):
        _draw(
            ax,
            curve,
            COLOURS[place % len(COLOURS)],
            SHAPES[place % len(SHAPES)],
            name,
            bars=place == 0,
            crowded=crowded,
        )
    whole = all(np.all(curve.values % 1 == 0) for curve in curves.values())
    ax.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=whole))
    ax.set_ylim(0, 1.08 * max(float((curve.p + 2 * curve.error).max()) for curve in curves.values()))
    truths = {_truth(belief, labelled) for belief in audits}
    known = [belief for belief in truths if belief is not None]
    if known:
        ax.plot(known, [0] * len(known), **TRUTH)
    ax.set_xlabel("value of the cell")
    ax.set_ylabel("probability of each value")
    ax.set_title(_name(audits, labelled) if title is None else title, fontsize=10, parse_math=False)
    drawn = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    if drawn:
        order = [name for name in (*curves, TRUTH["label"]) if name in drawn]
        ax.legend([drawn[name] for name in order], order, fontsize=8, frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
    figure: Any = ax.get_figure(root=True)
    write_doubts(figure, [word for belief in audits for word, _ in doubts(belief)])
    return figure


def _curve(name: Any, source: Any, cell: Mapping[str, Any]) -> _Curve:
    """What is to be drawn of an audit or a Series."""
    import pandas as pd

    if isinstance(source, Audit):
        pmf = source.belief.pmfs[source.position(cell)]
        middle = pmf.values + (pmf.width - 1) / 2
        return _Curve(source.release.own_units(middle), pmf.probabilities / pmf.width, pmf.errors / pmf.width)
    if isinstance(source, pd.Series):
        try:
            values, p = source.index.to_numpy(float), source.to_numpy(float)
        except (TypeError, ValueError):
            values = p = np.array([])
        if len(p) and np.isfinite(p).all() and (p >= 0).all():
            if p.sum() > 1 + 1e-6 or len(np.unique(values)) < len(values):
                raise InputError(
                    f"plot_cell(): {name!r} has a value twice, or its probabilities add up to {p.sum():.4g}; of draws, say "
                    "value_counts(normalize=True)."
                )
            order = np.argsort(values)
            return _Curve(values[order], p[order], np.zeros(len(p)))
    raise InputError(f"plot_cell(): {name!r} is neither an audit nor a Series of value -> probability.")


def _draw(ax: Axes, curve: _Curve, colour: str, shape: str, name: str, *, bars: bool, crowded: bool) -> None:
    label = name or None
    if crowded and bars:
        ax.fill_between(curve.values, curve.p, step="mid", color=colour, alpha=0.35, linewidth=0, label=label)
    elif crowded:
        ax.plot(curve.values, curve.p, color=colour, linewidth=1.4, label=label)
    elif bars:
        gap = float(np.diff(curve.values).min()) if len(curve.values) > 1 else 1.0
        ax.bar(curve.values, curve.p, width=0.8 * gap, color=colour, alpha=0.45, label=label)
        _error_bars(ax, curve, colour)
    else:
        ax.plot(
            curve.values, curve.p, color=colour, marker=shape, markersize=4.5, markeredgecolor="white",
            markeredgewidth=0.5, linewidth=1, label=label,
        )  # fmt: skip
        _error_bars(ax, curve, colour)


def _error_bars(ax: Axes, curve: _Curve, colour: str) -> None:
    if curve.error.any():
        ax.errorbar(curve.values, curve.p, 2 * curve.error, fmt="none", ecolor=colour, elinewidth=1.2, capsize=2)


def _truth(audit: Audit, cell: Mapping[str, Any]) -> float | None:
    frame = audit.cells
    if "truth" not in frame.columns:
        return None
    key = audit.belief.keys[[audit.position(cell)]]
    return float(frame.loc[audit.release.index(key)[0], "truth"])


def _name(audits: list[Audit], cell: Mapping[str, Any]) -> str:
    if not audits:
        return ""
    key = audits[0].belief.keys[[audits[0].position(cell)]]
    index = audits[0].release.index(key)
    return short_cell_name(index[0], index.names, 60)
