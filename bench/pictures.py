"""The pictures of the race: how many times better on every problem, and how costs grow."""

from __future__ import annotations

from pathlib import Path

from figures import Curve
from stored import Ran

# Colours that the colour-blind can tell apart (Okabe and Ito).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
MARKS = "osD^vP*X"


def race_picture(found: dict[str, Ran], path: Path) -> Path:
    """A dot for each ratio on a logarithmic scale, by contest; a bar where the target is."""
    from fiberwalk.report.figures import as_png, new_figure

    groups = {name: [one for one in ran.figures if one.ratio is not None] for name, ran in found.items()}
    groups = {name: figures for name, figures in groups.items() if figures}
    lines = sum(len(figures) + 1 for figures in groups.values())
    figure = new_figure(10, 1.2 + 0.235 * lines)
    axes = figure.subplots()
    peers = sorted({one.peer for figures in groups.values() for one in figures})
    look = {peer: (COLOURS[k % len(COLOURS)], MARKS[k % len(MARKS)]) for k, peer in enumerate(peers)}
    labels, places, y = [], [], 0
    for name, figures in groups.items():
        labels.append(name.upper())
        places.append(y)
        y += 1
        for one in figures:
            colour, mark = look[one.peer]
            ratio = one.ratio or 0.0
            axes.plot([1, ratio], [y, y], color=colour, linewidth=1, alpha=0.4)
            axes.plot(ratio, y, mark, color=colour, markersize=6)
            if one.target is not None:
                axes.plot(one.target, y, "|", color="black", markersize=11, markeredgewidth=2)
            labels.append(f"{one.problem}: {one.what}")
            places.append(y)
            y += 1
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(places, labels, fontsize=7)
    for label in axes.get_yticklabels():
        if label.get_text().isupper():
            label.set_fontweight("bold")
    axes.set_ylim(y - 0.5, -1)
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel("times better than the peer (logarithmic scale)")
    axes.set_title("fiberwalk against what a user would pick instead", loc="left")
    for peer in peers:
        axes.plot([], [], look[peer][1], color=look[peer][0], label=f"against {peer}")
    axes.plot([], [], "|", color="black", markersize=11, markeredgewidth=2, label="wanted")
    figure.legend(loc="outside lower center", ncols=3, fontsize=7, frameon=False)
    path.write_bytes(as_png(figure, dpi=110))
    return path


def growth_picture(found: dict[str, Ran], path: Path) -> Path:
    """Cost against size on logarithmic scales, a panel for each thing that grows."""
    from fiberwalk.report.figures import as_png, new_figure

    curves = [one for ran in found.values() for one in ran.curves]
    panels: dict[tuple[str, str], list[Curve]] = {}
    for one in curves:
        panels.setdefault((one.against, one.unit), []).append(one)
    columns = min(2, len(panels))
    lines = -(-len(panels) // columns)
    figure = new_figure(5.5 * columns, 4.2 * lines)
    every = figure.subplots(lines, columns, squeeze=False).ravel()
    for axes, ((against, unit), some) in zip(every, panels.items(), strict=False):
        for k, one in enumerate(some):
            x, y = zip(*one.points, strict=True)
            colour, mark = COLOURS[k % len(COLOURS)], MARKS[k % len(MARKS)]
            axes.loglog(x, y, mark + "-", color=colour, markersize=5, label=f"{one.of}: slope {one.slope:.2f}")
        axes.set_xlabel(against)
        axes.set_ylabel(unit)
        axes.grid(alpha=0.3, which="both")
        axes.legend(fontsize=7)
    for axes in every[len(panels) :]:
        axes.set_visible(False)
    path.write_bytes(as_png(figure, dpi=110))
    return path
