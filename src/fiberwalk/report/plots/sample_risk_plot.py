"""The picture of a sample's risk: how R1 and R2 are distributed over the populations that may stand behind it."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from .figures import new_figure
from .palette import ALARM, COLOURS, INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...results.sample_risk_result import SampleRisk

TRUTH = COLOURS[1]
BELOW = 0.7
"""How high the distributions reach; above is the legend."""
SHOWN = {"r1": "R1: risk, were the whole population published", "r2": "R2: risk of the sample table"}


def draw_sample_risk(sample_risk: SampleRisk, axes: Any = None, title: str | None = None) -> Figure:
    """See `SampleRisk.plot`."""
    if axes is None:
        axes = new_figure(8.4, 3.6).subplots(1, 2)
    figure = axes[0].get_figure(root=True)
    for axis, (measure, words) in zip(axes, SHOWN.items(), strict=True):
        values = getattr(sample_risk, measure)
        row = sample_risk.summary.loc[measure]
        spread = np.ptp(values) > 0
        axis.hist(values, bins=min(60, max(10, int(np.sqrt(len(values))))) if spread else 1, color=COLOURS[0], alpha=0.55,
                  weights=np.full(len(values), 100 / len(values)))  # fmt: skip
        axis.axvline(row["mean"], ymax=BELOW, color=COLOURS[0], lw=2, label=f"mean {row['mean']:.4f}")
        axis.axvspan(
            row["q2.5"], row["q97.5"], ymax=BELOW, color=COLOURS[0], alpha=0.12, label="95% of the populations"
        )
        if sample_risk.truth is not None:
            axis.axvline(
                row["truth"], ymax=BELOW, color=TRUTH, lw=2, ls="--", label=f"true population {row['truth']:.4f}"
            )
        axis.set_xlabel(words)
        axis.set_ylabel("% of the populations drawn")
        axis.spines[["top", "right"]].set_visible(False)
        axis.set_ylim(top=axis.get_ylim()[1] / BELOW)  # room for the legend
        axis.legend(frameon=False, fontsize="small", loc="upper center")
    doubt = f"\n{sample_risk.doubt}" if sample_risk.doubt else ""
    heading = (
        f"{sample_risk.n:,} of {sample_risk.size:,} people. Model: {sample_risk.words}" if title is None else title
    )
    figure.suptitle(fill(heading, 110) + doubt, fontsize="medium", color=ALARM if doubt else INK, parse_math=False)
    return figure
