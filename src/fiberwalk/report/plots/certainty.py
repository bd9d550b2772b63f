"""How sure one can be of how many records: by what the tables tell, and by what the level above tells already."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .figures import new_figure
from .palette import BLUE, GREY, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...results.reconstruction_result import Reconstruction


def draw_certainty(found: Reconstruction, axis: Axes | None) -> Figure:
    """See `Reconstruction.plot`."""
    if axis is None:
        axis = new_figure(6.4, 3.8).subplots()
    figure = axis.get_figure(root=True)
    assert figure is not None
    frame = found.records
    lines = [("p", "given all tables", BLUE, "-")]
    if "p_above" in frame:
        lines.append(("p_above", "given the figures of all regions together", GREY, "--"))
    for column, words, colour, style in lines:
        order = np.argsort(-frame[column].to_numpy(), kind="stable")
        number = np.cumsum(frame["records"].to_numpy()[order])
        axis.step(
            number, 100 * frame[column].to_numpy()[order], where="pre", color=colour, linestyle=style, label=words
        )
    certain = len(found.certain)
    if certain:
        axis.axvline(certain, color=VERMILION, linewidth=1, linestyle=":")
        axis.annotate(
            f"{certain:,} certain",
            (certain, 70),
            xytext=(-4, 0),
            ha="right",
            textcoords="offset points",
            fontsize=8.5,
            color=VERMILION,
        )
    axis.set_xlim(left=0)
    axis.set_ylim(0, 103)
    axis.set_xlabel("records, the most probable first")
    axis.set_ylabel("percent sure that somebody is of it")
    axis.spines[["top", "right"]].set_visible(False)
    if len(lines) > 1:
        axis.legend(frameon=False, fontsize=8.5, loc="lower left")
    return figure
