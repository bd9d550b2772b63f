"""The picture of a study of tables: risk and utility of every table under every method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .figures import new_figure
from .label_places import legend_beside, place_labels
from .palette import COLOURS, SHAPES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...studies.table_studies import TableStudy

INK = "#222222"


def draw_study(study: TableStudy, axis: Axes | None, title: str | None) -> Figure:
    """See `TableStudy.plot`."""
    if axis is None:
        axis = new_figure(8.4, 5.2).subplots()
    figure = axis.get_figure(root=True)
    assert figure is not None
    frame, labels = study.frame, []
    for number, method in enumerate(frame.index.unique("method")):
        colour, shape = COLOURS[number % len(COLOURS)], SHAPES[(number + number // len(COLOURS)) % len(SHAPES)]
        rows = frame.xs(method, level="method")
        axis.scatter(rows["utility"], rows["risk"], s=46, marker=shape, color=colour, zorder=3)
        axis.scatter([], [], s=46, marker=shape, color=colour, label=f"{method}: {study.methods[method]}")
        labels += [
            (x, y, f"{table} {method}", colour) for table, x, y in rows[["utility", "risk"]].itertuples(name=None)
        ]
    before = study.originals["risk"]
    axis.scatter(np.ones(len(before)), before, s=110, marker="*", color=INK, label="as it was", zorder=3, clip_on=False)
    labels += [(1.0, risk, str(table), INK) for table, risk in before.items()]
    axis.set_ylim(bottom=0)
    axis.margins(x=0.08)
    axis.set_xlabel(f"data utility: {study.utility}", parse_math=False)
    axis.set_ylabel(f"disclosure risk: {study.risk}", parse_math=False)
    axis.spines[["top", "right"]].set_visible(False)
    legend_beside(axis, title)
    # Stars are large: labels keep away from their arms, too.
    arms = [(1.0, risk + up) for risk in before for up in 0.012 * before.max() * np.arange(-2, 3)]
    place_labels(axis, labels, np.array(arms))
    return figure
