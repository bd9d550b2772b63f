"""Words on a map: labels of points that cover neither each other nor the points, and what the marks mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DISTANCES = (7, 14, 22, 32, 44)
"""How far from its point a label may stand, in points of print."""
SIDES = ((1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0))
ACROSS, UP = {1: "left", 0: "center", -1: "right"}, {1: "bottom", 0: "center", -1: "top"}


def place_labels(axis: Axes, labels: Sequence[tuple[float, float, str, Any]], obstacles: np.ndarray) -> None:
    """Write each label (x, y, text, colour) beside its point: as near as it can be without covering anything.

    `obstacles` are places (x, y) that must stay free, besides the labelled points.
    """
    figure = axis.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # the layout decides where everything is
    points = [(x, y) for x, y, _, _ in labels]
    spots = axis.transData.transform(np.concatenate([np.reshape(points, (-1, 2)), obstacles.reshape(-1, 2)]))
    radius = 4 * figure.dpi / 72
    taken = [_around(x, y, radius) for x, y in spots]
    frame = axis.get_window_extent().extents
    for x, y, text, colour in labels:
        note = axis.annotate(
            text,
            (x, y),
            xytext=(0, 0),
            textcoords="offset points",
            fontsize=8,
            color=colour,
            zorder=6,
            parse_math=False,
        )
        best: tuple[float, Any] | None = None
        for distance in DISTANCES:
            for across, up in SIDES:
                reach = distance if 0 in (across, up) else 0.7 * distance
                note.set(position=(across * reach, up * reach), ha=ACROSS[across], va=UP[up])
                box = note.get_window_extent().padded(1).extents
                covered = sum(_overlap(box, other) for other in taken) + _outside(box, frame)
                if best is None or covered < best[0] - 1e-9:
                    best = covered, (across * reach, up * reach, ACROSS[across], UP[up], box)
            if best is not None and best[0] <= 0:
                break
        assert best is not None
        across_by, up_by, ha, va, box = best[1]
        note.set(position=(across_by, up_by), ha=ha, va=va)
        taken.append(box)


def _around(x: float, y: float, radius: float) -> np.ndarray:
    return np.array([x - radius, y - radius, x + radius, y + radius])


def _overlap(first: Any, second: Any) -> float:
    """The area that two boxes share."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    return float(max(width, 0) * max(height, 0))


def _outside(box: Any, frame: Any) -> float:
    """The area of a box that lies outside the frame, counted twice: it may be cut off."""
    whole = (box[2] - box[0]) * (box[3] - box[1])
    return 2 * float(whole - _overlap(box, frame))


def legend_beside(axis: Axes, title: str | None) -> None:
    """What the marks mean, to the right of the picture, and its title; dollar signs are no formulas."""
    legend = axis.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0)
    for text in legend.get_texts():
        text.set_parse_math(False)
    if title:
        axis.set_title(title, fontsize=10, parse_math=False)
