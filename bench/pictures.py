"""The pictures of the race: how many times better on every problem, and how costs grow."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from figures import Curve, Figure
from stored import Ran

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours that the colour-blind can tell apart (Okabe and Ito).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
MARKS = "osD^vPX*"
OURS = "fiberwalk"
APART = 0.3
"""Ratios nearer to each other than so many powers of ten are written out together, after the last of their marks."""

Look = dict[str, tuple[str, str]]
Lines = dict[tuple[str, str], list[Figure]]
"""The figures of a contest by problem and what was measured: a line of the picture, with a mark for each peer."""


def race_picture(found: dict[str, Ran], path: Path) -> Path:
    """A panel for each contest; on each line a mark for the ratio to each peer, and a bar where the target is."""
    from fiberwalk.report.plots.figures import as_png, new_figure

    panels = {name: _lines(ran.figures) for name, ran in found.items()}
    panels = {name: lines for name, lines in panels.items() if lines}
    every = [one for lines in panels.values() for some in lines.values() for one in some]
    if not every:
        raise ValueError("there is no ratio to show.")
    peers = list(dict.fromkeys(one.peer for one in every))
    look = {peer: (COLOURS[k % len(COLOURS)], MARKS[k % len(MARKS)]) for k, peer in enumerate(peers)}
    ends = [one.ratio or 1.0 for one in every] + [one.target for one in every if one.target]
    # Room to the right for the ratios in words.
    reach = min(0.6, 0.7 * min(ends)), 6 * max(ends)
    columns = _columns({name: len(lines) + 2 for name, lines in panels.items()})
    most = max(sum(len(panels[name]) + 2 for name in column) for column in columns)
    figure = new_figure(9.5 * len(columns), 1.6 + 0.2 * most)
    places = figure.add_gridspec(1, len(columns))
    for k, column in enumerate(columns):
        heights = [len(panels[name]) + 1 for name in column]
        below = places[k].subgridspec(len(column), 1, height_ratios=heights)
        for j, name in enumerate(column):
            axes = figure.add_subplot(below[j])
            _panel(axes, name, panels[name], look)
            axes.set_xlim(reach)
            if j + 1 == len(column):
                axes.set_xlabel("times better than the peer (logarithmic scale)", fontsize=8)
    figure.suptitle("fiberwalk against what a user would pick instead", fontsize=12)
    figure.legend(
        handles=_key(look), loc="outside lower center", ncols=min(5, len(look) + 2), fontsize=8, frameon=False
    )
    path.write_bytes(as_png(figure, dpi=110))
    return path


def _lines(figures: tuple[Figure, ...]) -> Lines:
    lines: Lines = {}
    for one in figures:
        if one.ratio is not None:
            lines.setdefault((one.problem, one.what), []).append(one)
    return lines


def _columns(rows: dict[str, int]) -> list[list[str]]:
    """Contests in their order in two columns of about the same height; in one where they are few."""
    if sum(rows.values()) < 30 or len(rows) < 2:
        return [list(rows)]
    names = list(rows)

    def height(cut: int) -> int:
        return max(sum(rows[name] for name in part) for part in (names[:cut], names[cut:]))

    best = min(range(1, len(names)), key=height)
    return [names[:best], names[best:]]


def _panel(axes: Axes, name: str, lines: Lines, look: Look) -> None:
    """The lines of one contest, from top to bottom."""
    labels, before = [], None
    for y, ((problem, what), figures) in enumerate(lines.items()):
        for one in figures:
            colour, mark = look[one.peer]
            ratio = one.ratio or 1.0
            axes.plot([1, ratio], [y, y], color=colour, linewidth=1, alpha=0.4, zorder=1)
            face = "white" if one.met is False else colour
            axes.plot(ratio, y, mark, color=colour, markerfacecolor=face, markersize=6, zorder=3)
            if one.target is not None:
                axes.plot(one.target, y, "|", color="black", markersize=11, markeredgewidth=2, zorder=2)
        for near in _together([one.ratio or 1.0 for one in figures]):
            words = ", ".join(map(_times, near))
            axes.annotate(words, (near[-1], y), (6, 0), textcoords="offset points", fontsize=7, va="center")
        # A problem is named once; "-" stands for none.
        labels.append(what if problem in (before, "-") else f"{problem}:  {what}")
        before = problem
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(labels)), labels, fontsize=7.5)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.tick_params(axis="x", labelsize=7, length=2)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", alpha=0.3)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.set_title(name, loc="left", fontsize=9, fontweight="bold")


def _together(ratios: list[float]) -> list[list[float]]:
    """Ratios in ascending order, those that are near to the one before together with it."""
    parts: list[list[float]] = []
    for one in sorted(ratios):
        if parts and math.log10(one / parts[-1][-1]) < APART:
            parts[-1].append(one)
        else:
            parts.append([one])
    return parts


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.1f}x" if ratio >= 1 else f"{ratio:.2f}x"


def _key(look: Look) -> list[Any]:
    from matplotlib.lines import Line2D

    marks = [
        Line2D([], [], color=colour, marker=mark, linestyle="", label=f"against {peer}")
        for peer, (colour, mark) in look.items()
    ]
    bar = Line2D([], [], color="black", marker="|", linestyle="", markersize=11, markeredgewidth=2, label="wanted")
    missed = Line2D(
        [], [], color="black", marker="o", markerfacecolor="white", linestyle="", label="hollow: not reached"
    )
    return [*marks, bar, missed]


def growth_picture(found: dict[str, Ran], path: Path) -> Path:
    """Cost against size on logarithmic scales: a panel for each size and unit, a colour for each problem, peers dashed.

    The name of a curve is "problem: whose", and ours are fiberwalk's.
    """
    from fiberwalk.report.plots.figures import as_png, new_figure

    panels: dict[tuple[str, str], list[Curve]] = {}
    for ran in found.values():
        for one in ran.curves:
            panels.setdefault((one.against, one.unit), []).append(one)
    columns = min(3 if len(panels) < 7 else 4, len(panels))
    lines = -(-len(panels) // columns)
    figure = new_figure(5.4 * columns, 4.6 * lines)
    every = figure.subplots(lines, columns, squeeze=False).ravel()
    for axes, ((against, unit), some) in zip(every, panels.items(), strict=False):
        problems = list(dict.fromkeys(one.of.partition(": ")[0] for one in some))
        peers = list(dict.fromkeys(one.of.partition(": ")[2] for one in some if not one.of.endswith(OURS)))
        for one in some:
            problem, _, whose = one.of.partition(": ")
            colour = COLOURS[problems.index(problem) % len(COLOURS)]
            style = "o-" if whose == OURS else f"{'sD^v'[peers.index(whose) % 4]}--"
            face = colour if whose == OURS else "white"
            x, y = zip(*one.points, strict=True)
            label = f"{one.of}, slope {one.slope:.1f}".replace("slope -0.0", "slope 0.0")
            axes.loglog(x, y, style, color=colour, markerfacecolor=face, markersize=5, label=label)
        axes.set_xlabel(against)
        axes.set_ylabel(unit)
        axes.grid(alpha=0.25)
        low, high = axes.get_ylim()
        axes.set_ylim(low, high * (high / low) ** (0.09 * len(some) + 0.03))  # the key stands above the curves
        axes.legend(fontsize=8, loc="upper left", frameon=False)
        if max(x for one in some for x, _ in one.points) < 20:  # a few whole numbers
            _whole_numbers(axes, sorted({int(x) for one in some for x, _ in one.points}))
    for axes in every[len(panels) :]:
        axes.set_visible(False)
    path.write_bytes(as_png(figure, dpi=110))
    return path


def _whole_numbers(axes: Axes, values: list[int]) -> None:
    axes.set_xticks(values, [str(value) for value in values])
    axes.set_xticks([], minor=True)
