"""Pictures of an audit: distributions of cells, and risk against uniform risk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError
from ...posterior.parts.pmf import Pmf
from ..words import doubts, number, probability, short_cell_name, step_words
from .figures import as_png, new_figure
from .palette import ALARM, BLUE, GREY, ORANGE
from .value_bars import bars_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...results.audit_result import Audit

BARS = 60
"""Up to so many values are drawn one by one; of more, neighbours share a bar."""
WIDE_RANGE = 10
"""Risks that differ by more than this factor are drawn on logarithmic axes."""


def audit_figure(audit: Audit, cells: int = 6) -> Figure:
    """The distributions of the riskiest cells beside the map of risk against uniform risk."""
    shown = cells_to_draw(audit, cells)
    rows = -(-len(shown) // 2)
    figure = new_figure(11, max(3.6, 1.9 * rows))
    left, right = figure.subfigures(1, 2, width_ratios=[1.5, 1], squeeze=False)[0]
    _draw_panels(left, audit, shown, columns=2)
    draw_risk(right.subplots(), audit)
    write_doubts(figure, [word for word, _ in doubts(audit)])
    return figure


def write_doubts(figure: Any, words: list[str]) -> None:
    """Write above a figure what must be said where its numbers are not settled or not proven."""
    if words:
        figure.suptitle(", ".join(dict.fromkeys(words)), color=ALARM, fontsize=11, weight="bold")


def distributions_figure(audit: Audit, cells: int = 6) -> Figure:
    """The distributions of the riskiest cells, with their axes."""
    shown = cells_to_draw(audit, cells)
    columns = 2 if len(shown) == 4 else min(3, len(shown))
    figure = new_figure(3.7 * columns, 0.6 + 1.9 * -(-len(shown) // columns))
    _draw_panels(figure, audit, shown, columns)
    return figure


def risk_figure(audit: Audit) -> Figure:
    """Risk against uniform risk."""
    figure = new_figure(4.4, 4.0)
    draw_risk(figure.subplots(), audit)
    return figure


def cells_to_draw(audit: Audit, most: int) -> pd.DataFrame:
    """The cells whose distribution is worth a look: deceptive ones, then the riskiest that are not known exactly."""
    if most < 1:
        raise InputError(f"plot(top={most}): at least one cell must be shown.")
    frame = audit.cells
    if not len(frame):
        raise InputError("there is nothing to plot: every cell is published.")
    deceptive = frame.index.isin(audit.deceptive().index)
    still_open = frame["support"] > 1
    order = np.argsort(np.where(deceptive, 0, np.where(still_open, 1, 2)), kind="stable")
    return frame.iloc[order][: max(1, min(most, int(still_open.sum())))]


def pmfs_by_labels(audit: Audit) -> dict[Any, Pmf]:
    """The distribution of every row of `Audit.cells`, by its labels."""
    return dict(zip(audit.release.index(audit.belief.keys), audit.belief.pmfs, strict=True))


def _draw_panels(figure: Any, audit: Audit, shown: pd.DataFrame, columns: int) -> None:
    pmfs = pmfs_by_labels(audit)
    columns = min(columns, len(shown))
    axes = figure.subplots(-(-len(shown) // columns), columns, squeeze=False).ravel()
    for axis, (labels, row) in zip(axes, shown.iterrows(), strict=False):
        draw_pmf(axis, pmfs[labels], audit.release.decimals, row.get("truth"))
        name = short_cell_name(labels, shown.index.names, 44)
        axis.set_title(name, fontsize=9, loc="left", pad=11, parse_math=False)
        axis.tick_params(labelsize=8)
    for axis in axes[len(shown) :]:
        axis.set_visible(False)
    figure.supxlabel("value of the cell, over its whole interval", fontsize=9)
    figure.supylabel("probability given the release", fontsize=9)


def draw_pmf(axis: Axes, pmf: Pmf, decimals: int, truth: Any = None, *, small: bool = False) -> None:
    """The distribution of one cell over its interval: the most probable value orange, the truth as a triangle.

    Twice the standard error is drawn where values were sampled; bars that hold several values say how many.
    """
    from matplotlib.ticker import MaxNLocator

    step = 10.0**-decimals
    bars = bars_of(pmf, BARS)
    left, width, p = bars.edges[:-1] * step, np.diff(bars.edges) * step, bars.height
    top = float(p.max())
    if bars.single:
        best = np.isclose(p, top, rtol=1e-9)
        if len(pmf.values) > 1 and np.isclose(pmf.probabilities.min(), top, rtol=1e-9):
            best[:] = False  # all values are equally probable
        for group, colour in ((~best, BLUE), (best, ORANGE)):
            axis.bar(left[group], p[group], width=0.8 * width[group], color=colour)
        if pmf.p_error is not None and not small:
            error = 2 * pmf.errors
            axis.errorbar(pmf.values * step, pmf.probabilities, error, fmt="none", ecolor="black", elinewidth=0.8)
            top = max(top, float((pmf.probabilities + error).max()))
        ends = left[0] - 0.4 * width[0], left[-1] + 0.4 * width[-1]
    else:
        edges = (bars.edges - 0.5) * step
        axis.stairs(p, edges, fill=True, color=BLUE)
        ends = edges[0], edges[-1]
    if bars.each > 1 and not small:
        width_words = f"{number(bars.each)} values" if decimals == 0 else number(bars.each * step)
        note = f"one value in {number(bars.each)}" if bars.single else f"each bar is {width_words} wide"
        axis.text(1, 1.01, note, transform=axis.transAxes, ha="right", va="bottom", fontsize=7, color=GREY)
    margin = 2.0 * width[0] if len(p) == 1 else 0.02 * (ends[1] - ends[0])
    axis.set_xlim(ends[0] - margin, ends[1] + margin)
    axis.plot(ends, [0, 0], color=GREY, linewidth=1.2, clip_on=False)
    axis.set_ylim(0, 1.08 * top)
    if not small:
        axis.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=decimals == 0))
    if truth is not None:
        axis.plot([float(truth)], [0], marker="^", color="black", clip_on=False, markersize=6, zorder=5)
    axis.spines[["top", "right"]].set_visible(False)


def draw_risk(axis: Axes, audit: Audit) -> None:
    """Each cell's risk against what the number of its values alone suggests; above the line the interval deceives."""
    from matplotlib.ticker import LogLocator, NullLocator

    cells = audit.cells
    known = int((cells["support"] == 1).sum())
    finite = np.isfinite(cells["risk"])
    frame = cells[finite]
    infinite = int((~finite).sum()) - known
    if len(frame):
        x, y = frame["uniform_risk"].to_numpy(), frame["risk"].to_numpy()
        low, high = float(min(x.min(), y.min())), float(max(x.max(), y.max()))
        logarithmic = high > WIDE_RANGE * low
        line = np.array([low / 2 if logarithmic else 0.0, high * 2])
        axis.plot(line, line, color=GREY, linewidth=1, linestyle="--", label="as risky as the interval says")
        deceptive = frame.index.isin(audit.deceptive().index)
        axis.scatter(x[~deceptive], y[~deceptive], s=28, color=BLUE, edgecolor="white", linewidth=0.5, zorder=3)
        if deceptive.any():
            axis.scatter(
                x[deceptive], y[deceptive], s=40, marker="^", color=ORANGE, edgecolor="black", linewidth=0.6, zorder=4,
                label="looks safe, is not",
            )  # fmt: skip
        if logarithmic:
            axis.set_xscale("log")
            axis.set_yscale("log")
            for ticks in (axis.xaxis, axis.yaxis):
                ticks.set_major_locator(LogLocator(subs=(1, 2, 5)))
                ticks.set_major_formatter(lambda value, _: f"{value:g}")
                ticks.set_minor_locator(NullLocator())
            axis.set_xlim(x.min() / 1.15, x.max() * 1.15)
            axis.set_ylim(low / 1.3, high * 1.6)
        else:
            axis.set_xlim(0, 1.1 * high)
            axis.set_ylim(0, 1.1 * high)
        # Points and line may be anywhere inside, so the legend stands above.
        axis.legend(
            loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0, ncols=2, fontsize=8, frameon=False,
            handletextpad=0.4, columnspacing=1,
        )  # fmt: skip
    step = f", {step_words(audit)}" if audit.magnitude else ""
    axis.set_xlabel(f"uniform risk 1 / log2 m (1/bits{step})", fontsize=9)
    axis.set_ylabel(f"risk 1 / H (1/bits{step})", fontsize=9)
    left_out = [f"{known} known exactly"] if known else []
    left_out += [f"{infinite} with no bits left"] if infinite else []
    title = "risk against uniform risk" + (f"\n({', '.join(left_out)}: not shown)" if left_out else "")
    axis.set_title(title, fontsize=9, pad=20 if len(frame) else None)
    axis.tick_params(labelsize=8)
    axis.spines[["top", "right"]].set_visible(False)


def sparkline(pmf: Pmf, decimals: int, truth: Any = None) -> tuple[str, str]:
    """A small picture of one cell's distribution as PNG in base64, and its alternative text."""
    figure = new_figure(1.7, 0.42, dpi=150, layout=None)
    axis = figure.add_axes((0.02, 0.1, 0.96, 0.88))
    draw_pmf(axis, pmf, decimals, truth, small=True)
    axis.set_axis_off()
    figure.patch.set_alpha(0)
    step = 10.0**-decimals
    modal, p = pmf.modal
    show = (lambda value: number(int(value))) if decimals == 0 else (lambda value: number(value * step))
    text = f"distribution over {number(pmf.support)} values from {show(pmf.lower)} to {show(pmf.upper)}, highest at "
    return as_base64(figure), text + f"{show(modal)} with probability {probability(p, sure=pmf.support == 1)}"


def as_base64(figure: Figure, dpi: int | None = None) -> str:
    """A figure as PNG in base64."""
    import base64

    return base64.b64encode(as_png(figure, dpi)).decode("ascii")
