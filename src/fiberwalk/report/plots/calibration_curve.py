"""The calibration curve: of the records that were given a probability, how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .figures import new_figure
from .palette import BLUE, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...results.agreement_with_truth import AgreementWithTruth


def draw_calibration(agreement: AgreementWithTruth, axis: Axes | None) -> Figure:
    """See `AgreementWithTruth.plot`."""
    if axis is None:
        axis = new_figure(5.2, 4.6).subplots()
    figure = axis.get_figure(root=True)
    assert figure is not None
    frame = agreement.calibration
    axis.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1, zorder=1)
    axis.errorbar(
        frame["mean"], frame["share"], yerr=2 * frame["error"], fmt="o", color=BLUE, markersize=5, linewidth=1, zorder=3
    )
    for mean, share, records in frame[["mean", "share", "records"]].itertuples(index=False):
        axis.annotate(
            f"{int(records):,}", (mean, share), xytext=(7, -9), textcoords="offset points", fontsize=7.5, color=GREY
        )
    axis.set_xlim(-0.02, 1.06)
    axis.set_ylim(-0.02, 1.06)
    axis.set_xlabel("probability that somebody is of the record")
    axis.set_ylabel("share of these records that there are")
    axis.set_title("Small figures: how many records; bars: two standard errors", fontsize=9, color=GREY, loc="left")
    axis.spines[["top", "right"]].set_visible(False)
    return figure
