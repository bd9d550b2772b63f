"""The picture of sets of margins: the highest risk that each leaves, those that tell most at the top."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .audit_plots import write_doubts
from .figures import new_figure
from .palette import ALARM, BAND, COLOURS, SHAPES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...results.margin_sets import MarginSets


def draw_margin_sets(compared: list[MarginSets], threshold: float | None, most: int, title: str | None) -> Figure:
    """See `MarginSets.plot`; all are of the same sets."""
    first = compared[0]
    frame = first.frame.tail(most)
    rows, interval_risk = np.arange(len(frame)), frame["uniform_risk"].to_numpy()
    risks = [sets.frame["risk"].reindex(frame.index).to_numpy() for sets in compared]
    every = np.concatenate([interval_risk, *risks, [] if threshold is None else [threshold]])
    endless, finite = bool(np.isinf(every).any()), every[np.isfinite(every)]
    edge = 1.5 * finite.max(initial=0.5)  # where the band of infinite risks begins
    figure = new_figure(7.6, 1.3 + 0.25 * len(frame) + 0.2 * bool(title))
    axis = figure.subplots()
    axis.set_xscale("log")
    axis.set_xlim(0.85 * finite.min(initial=edge), edge * (1.8 if endless else 1))
    interval_risk, *risks = (np.where(np.isinf(risk), 1.3 * edge, risk) for risk in (interval_risk, *risks))
    lowest, highest = np.min([interval_risk, *risks], axis=0), np.max([interval_risk, *risks], axis=0)
    axis.hlines(rows, lowest, highest, color="#bbbbbb", zorder=1)
    axis.scatter(interval_risk, rows, marker="|", s=110, color="black", zorder=2, label="what intervals alone suggest")
    for place, (sets, risk) in enumerate(zip(compared, risks, strict=True)):
        sampled = (sets.frame["method"].reindex(frame.index) != "exact").to_numpy()
        colour, shape = COLOURS[place % len(COLOURS)], SHAPES[place % len(SHAPES)]
        for chosen, face in ((~sampled, colour), (sampled, "white")):
            axis.scatter(
                risk[chosen], rows[chosen], s=42, marker=shape, facecolor=face, edgecolor=colour, lw=1.4, zorder=4 - place
            )  # fmt: skip
        axis.scatter([], [], s=42, color=colour, marker=shape, label=f"law: {sets.law}")
    if any((sets.frame["method"] != "exact").any() for sets in compared):
        axis.scatter([], [], s=42, facecolor="white", edgecolor="#666666", label="hollow: by chains, not exact")
    if threshold is not None:
        axis.axvline(threshold, color=ALARM, lw=1.2, ls=(0, (5, 3)), zorder=0, label=f"highest allowed: {threshold:g}")
    if endless:
        axis.axvspan(edge, 1.8 * edge, color=BAND, zorder=0)
        axis.text(1.3 * edge, len(frame) - 0.4, "known", fontsize=8, ha="center", va="bottom")
    names = [f"{name}   ({n})" for name, n in frame["independent"].items()]
    axis.set_yticks(rows, names, fontsize=9)
    for label in axis.get_yticklabels():
        label.set_parse_math(False)
    axis.set_ylim(-0.7, len(frame) - 0.3)
    ticks = [tick for power in range(-3, 7) for tick in (10.0**power, 3 * 10.0**power)]
    axis.set_xticks([tick for tick in ticks if axis.get_xlim()[0] <= tick < edge], minor=False)
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.minorticks_off()
    axis.set_xlabel("highest risk of a cell: 1 / H (1/bits)")
    axis.set_ylabel("margins published (independent figures)")
    axis.spines[["top", "right"]].set_visible(False)
    for text in axis.legend(fontsize=8, loc="lower right", framealpha=0.9, edgecolor="none").get_texts():
        text.set_parse_math(False)
    left = len(first.frame) - len(frame)
    titles = [title] if title else []
    titles += [f"the {len(frame)} sets that tell most; {left} others are not shown"] if left else []
    if titles:
        axis.set_title("\n".join(titles), fontsize=10, parse_math=False)
    write_doubts(figure, [words for sets in compared for words in sets.doubts.values()])
    return figure
