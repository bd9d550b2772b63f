"""Pictures of an audit: distributions of cells, and risk against uniform risk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .release.errors import InputError
from .words import cell_name, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .auditing import Audit

# Okabe and Ito's colours, which the colour-blind can tell apart.
BLUE, ORANGE, GREY = "#0072B2", "#E69F00", "#666666"
BARS = 60
"""Up to so many values are drawn as bars; more as an area."""


def audit_figure(audit: Audit, cells: int = 6) -> Figure:
    """The distributions of the riskiest cells beside the map of risk against uniform risk."""
    from matplotlib.figure import Figure

    if cells < 1:
        raise InputError(f"plot(cells={cells}): at least one cell must be shown.")
    frame = audit.cells
    if not len(frame):
        raise InputError("there is nothing to plot: every cell is published.")
    open_cells = frame[frame["support"] > 1]
    shown = (open_cells if len(open_cells) else frame).head(cells)
    rows = -(-len(shown) // 2)
    figure = Figure(figsize=(11, max(3.4, 1.9 * rows)), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1.5, 1], squeeze=False)[0]
    axes = np.atleast_1d(left.subplots(rows, 2 if len(shown) > 1 else 1, squeeze=False)).ravel()
    for axis, labels in zip(axes, shown.index, strict=False):
        draw_pmf(axis, audit, labels)
        axis.set_title(cell_name(labels, shown.index.names), fontsize=9, parse_math=False)
        axis.tick_params(labelsize=8)
    for axis in axes[len(shown) :]:
        axis.set_visible(False)
    left.supxlabel("value of the cell", fontsize=9)
    left.supylabel("probability given the release", fontsize=9)
    draw_risk(right.subplots(), audit)
    return figure


def draw_pmf(axis: Axes, audit: Audit, labels: Any) -> None:
    """The distribution of one cell; its most probable value(s) in orange, the truth, where known, as a triangle."""
    from matplotlib.ticker import MaxNLocator

    pmf = audit.pmf(dict(zip([dim.name for dim in audit.release.dims], labels, strict=True)))
    values, p = pmf.index.to_numpy(dtype=float), pmf.to_numpy()
    if len(values) <= BARS:
        unit = 10.0**-audit.release.decimals
        alike = len(p) > 1 and np.isclose(p.min(), p.max(), rtol=1e-9)
        colours = [ORANGE if not alike and np.isclose(one, p.max(), rtol=1e-9) else BLUE for one in p]
        axis.bar(values, p, width=0.8 * unit, color=colours)
        if len(values) == 1:
            axis.set_xlim(values[0] - 2 * unit, values[0] + 2 * unit)
        if audit.release.decimals == 0:
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    else:
        axis.fill_between(values, p, step="mid", color=BLUE, linewidth=0)
    axis.set_ylim(0, 1.08 * p.max())
    if "truth" in audit.cells:
        axis.plot(
            [float(audit.cells.loc[labels, "truth"])], [0], marker="^", color="black", clip_on=False, markersize=6
        )
    axis.spines[["top", "right"]].set_visible(False)


def draw_risk(axis: Axes, audit: Audit) -> None:
    """Each cell's risk against what the number of its values alone suggests; above the line the interval deceives."""
    known = int((audit.cells["support"] == 1).sum())
    frame = audit.cells[np.isfinite(audit.cells["risk"])]
    if len(frame):
        top = 1.08 * float(max(frame["risk"].max(), frame["uniform_risk"].max()))
        axis.plot([0, top], [0, top], color=GREY, linewidth=1, linestyle="--", label="interval tells the risk")
        axis.scatter(frame["uniform_risk"], frame["risk"], s=28, color=BLUE, edgecolor="white", linewidth=0.5, zorder=3)
        axis.set_xlim(0, top)
        axis.set_ylim(0, top)
        axis.legend(loc="upper left", fontsize=8, frameon=False)
    axis.set_xlabel("uniform risk 1 / log2 m (1/bits)", fontsize=9)
    axis.set_ylabel("risk 1 / H (1/bits)", fontsize=9)
    title = "risk against uniform risk"
    if known:
        title += f"\n({known} known exactly, not shown)"
    axis.set_title(title, fontsize=9)
    axis.tick_params(labelsize=8)
    axis.spines[["top", "right"]].set_visible(False)


def sparkline(audit: Audit, labels: Any) -> tuple[str, str]:
    """A small picture of one cell's distribution as PNG in base64, and its alternative text."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1.7, 0.42), dpi=150)
    axis = figure.add_axes((0.02, 0.06, 0.96, 0.9))
    draw_pmf(axis, audit, labels)
    axis.set_axis_off()
    row = audit.cells.loc[labels]
    text = (
        f"distribution over {int(row['support'])} values from {number(row['lower'])} to {number(row['upper'])}, "
        f"highest at {number(row['modal'])} with probability {row['p_modal']:.2g}"
    )
    figure.patch.set_alpha(0)
    return as_base64(figure), text


def as_base64(figure: Figure, dpi: int | None = None) -> str:
    """A figure as PNG in base64."""
    import base64
    import io
    import warnings

    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # a label in a script that the font lacks
        figure.savefig(buffer, format="png", dpi=dpi or figure.dpi, metadata={"Software": None})
    return base64.b64encode(buffer.getvalue()).decode("ascii")
