"""Pictures of a study of population models: their errors in every sample, and by the sampling fraction."""

from __future__ import annotations

import math
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from .figures import new_figure
from .palette import COLOURS, SHAPES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...studies.sample_studies import SampleStudy

INK, PALE = "#222222", "#666666"
LINES = ("-", "--", ":", "-.")
MOST_ACROSS = 4
"""Panels beside each other."""
LINE = 20
"""Characters of a model's name on one line."""


def draw_sample_study(study: SampleStudy, axes: Any, title: str | None) -> Figure:
    """See `SampleStudy.plot`."""
    from matplotlib.ticker import MaxNLocator

    runs, inside = study.runs, study.frame["inside"]
    by = [name for name in runs.index.names if name != "seed"]
    panels = list(dict.fromkeys(place[:-1] for place in inside.index))
    models = list(runs.index.unique("model"))
    if axes is None:
        across = min(len(panels), MOST_ACROSS)
        down = -(-len(panels) // across)
        room = new_figure(1.8 + min(2.1 * across, 6.4), 0.9 + down * (0.4 + 0.42 * len(models)))
        axes = room.subplots(down, across, sharex=True, sharey=True)
    axes = np.atleast_1d(axes).ravel()
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    jitter = np.random.default_rng(1).uniform(-0.22, 0.22, len(runs.index.unique("seed")))
    errors = (runs["r2"] - runs["true_r2"]).groupby(level=by)
    doubts = runs["doubt"].groupby(level=by)
    for axis, panel in zip(axes, panels, strict=False):
        for place, model in enumerate(models):
            colour = COLOURS[place % len(COLOURS)]
            of_model = errors.get_group((*panel, model)).to_numpy()
            open_dots = (doubts.get_group((*panel, model)) != "").to_numpy()
            axis.scatter(of_model[~open_dots], place + jitter[~open_dots], s=7, color=colour, alpha=0.55, linewidths=0)
            axis.scatter(
                of_model[open_dots],
                place + jitter[open_dots],
                s=9,
                facecolors="none",
                edgecolors=colour,
                linewidths=0.7,
            )
            axis.plot([of_model.mean()] * 2, [place - 0.34, place + 0.34], color=colour, lw=2.4)
            axis.text(
                1.0, place, f"{inside[(*panel, model)]:.0%}", transform=axis.get_yaxis_transform(), ha="right", va="center",
                fontsize=8, color=INK, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1},
            )  # fmt: skip
        axis.axvline(0, color=INK, lw=0.9, zorder=0)
        axis.set_yticks(range(len(models)), [fill(str(model), LINE) for model in models])
        axis.tick_params(axis="y", length=0)
        axis.spines[["top", "right", "left"]].set_visible(False)
        axis.set_title(_panel_words(panel, study.people), fontsize=9, parse_math=False)
        axis.xaxis.set_major_locator(MaxNLocator(nbins=3))
    low, high = axes[0].get_xlim()
    axes[0].set_xlim(low, high + 0.22 * (high - low))  # room for the percentages
    axes[0].set_ylim(len(models) - 0.4, -0.6)
    figure: Any = axes[0].get_figure(root=True)
    figure.supxlabel(
        "error of the mean R2 drawn, a dot for each sample\n(at the right: how often the middle 95% drawn held the true R2)"
        + "".join(f"\nopen dots: {doubt}" for doubt in sorted(set(runs["doubt"]) - {""})),
        fontsize=9, color=PALE,
    )  # fmt: skip
    if title is not None:
        figure.suptitle(title, fontsize="medium", parse_math=False)
    return figure


def _panel_words(panel: tuple[float, ...], people: int) -> str:
    """What a panel shows: the fraction, and levels of zeros where there are any."""
    *zeros, fraction = panel
    words = f"{float(fraction):.3g}: {math.floor(float(fraction) * people + 0.5):,} people"
    return words + ("\nzeros: {:.0%} random,\n{:.0%} structural".format(*zeros) if zeros else "")


def draw_errors(study: SampleStudy, axis: Axes | None, title: str | None) -> Figure:
    """See `SampleStudy.plot_errors`."""
    if axis is None:
        axis = new_figure(7.2, 3.6).subplots()
    errors = study.frame["rms"].unstack("model", sort=False)
    zeros = [name for name in errors.index.names if name != "fraction"]
    for line, (level, of_level) in enumerate(errors.groupby(level=zeros, sort=False) if zeros else [((), errors)]):
        fractions = of_level.index.get_level_values("fraction")
        for place, model in enumerate(errors.columns):
            zero_words = ", {:.0%} random, {:.0%} structural zeros".format(*level) if zeros else ""
            axis.plot(
                fractions, of_level[model], color=COLOURS[place % len(COLOURS)], marker=SHAPES[place % len(SHAPES)],
                ms=5, lw=1.6, ls=LINES[line % len(LINES)], label=f"{model}{zero_words}",
            )  # fmt: skip
    fractions = list(errors.index.unique("fraction"))
    axis.set_xscale("log")
    axis.set_xticks(fractions, [f"{fraction:.3g}" for fraction in fractions])
    axis.minorticks_off()
    axis.set_ylim(bottom=0)
    axis.set_xlabel("sampling fraction")
    axis.set_ylabel("root mean squared error of R2")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    if title is not None:
        axis.set_title(title, fontsize="medium", parse_math=False)
    figure: Any = axis.get_figure(root=True)
    return figure
