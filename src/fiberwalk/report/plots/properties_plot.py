"""The picture of what R1 and R2 do when a table is changed."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

from .figures import new_figure
from .palette import ALARM, COLOURS, INK, SHAPES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...studies.measure_properties import RiskProperties

APART = 0.16
"""Between R1 and R2 of one change."""
LINE = 34
"""Characters of a rule on one line."""


def draw_properties(properties: RiskProperties, axis: Axes | None, title: str | None) -> Figure:
    """See `RiskProperties.plot`."""
    frame = properties.frame
    if axis is None:
        axis = new_figure(8.6, 1.2 + 0.5 * len(frame)).subplots()
    for series, (name, words) in enumerate((("r1", "R1, the table"), ("r2", "R2, a sample of it"))):
        colour, shift = COLOURS[series], (2 * series - 1) * APART
        begin = float(frame[name].iloc[0])
        axis.axvline(begin, color=colour, lw=0.9, ls=":", zorder=0)
        for place, value in enumerate(frame[name]):
            axis.plot([begin, value], [place + shift] * 2, color=colour, lw=2.2, alpha=0.5, solid_capstyle="butt")
        axis.scatter(
            frame[name], [place + shift for place in range(len(frame))], color=colour, marker=SHAPES[series], s=26,
            zorder=3, label=words,
        )  # fmt: skip
    for place, row in enumerate(frame.itertuples()):
        broken = bool(row.rule) and not row.holds
        note = fill(row.rule or "either way", LINE) + (": NOT HERE" if broken else "")
        if place:
            note += f"\nR1 {row.r1_change:+.3f}, R2 {row.r2_change:+.3f}"
        axis.text(
            1.02, place, note, transform=axis.get_yaxis_transform(), va="center", fontsize=7.5,
            color=ALARM if broken else INK if row.rule else "#777777",
        )  # fmt: skip
    axis.set_yticks(range(len(frame)), list(frame.index))
    axis.set_ylim(len(frame) - 0.5, -0.5)
    axis.set_xlim(0, 1)
    axis.set_xlabel("risk, from 0 to 1; dotted: of the table as it is")
    axis.tick_params(axis="y", length=0)
    axis.spines[["top", "right", "left"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    if title is not None:
        axis.set_title(title, fontsize="medium", loc="left", parse_math=False)
    figure: Any = axis.get_figure(root=True)
    return figure
