"""The picture of an R-U map: risk upwards, utility to the right, what is infinite in bands at the edge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ..words import ORIGINAL, setting_words, shortened, value_words
from .figures import new_figure
from .label_places import legend_beside, place_labels
from .palette import COLOURS, SHAPES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...results.map_result import RUMap

BAND = "#f0f0f0"
INK, FAINT, LIMIT = "#222222", "#666666", "#9c3d00"
LONGEST = 28
"""Longer names of methods are cut."""
WIDEST = 64
"""Longer names of axes take a second line."""


@dataclass(frozen=True)
class Scale:
    """One axis: the range of its finite values, and where infinite ones stand if there are any."""

    low: float
    high: float
    endless: bool

    @classmethod
    def of(cls, values: np.ndarray, errors: np.ndarray, more: tuple[float, ...] = (), *, zoom: bool = False) -> Scale:
        """The axis that shows these values with their errors; it begins at 0, unless some are negative, or with them."""
        finite = np.isfinite(values)
        spread = np.nan_to_num(errors[finite])
        ends = np.concatenate([values[finite] - spread, values[finite] + spread, np.array(more, dtype=float)])
        low, high = min(0.0, ends.min(initial=0.0)), ends.max(initial=0.0)
        if zoom and len(ends) and ends.min() < high:
            low = ends.min()
        if high <= low:
            high = low + 1.0
        return cls(low - (0.05 * (high - low) if low != 0 else 0.0), high + 0.08 * (high - low), not finite.all())

    @property
    def width(self) -> float:
        """Of the finite part."""
        return self.high - self.low

    @property
    def edge(self) -> float:
        """Where the axis ends."""
        return self.high + (0.14 * self.width if self.endless else 0.0)

    def place(self, values: Any) -> Any:
        """Where values stand on the axis."""
        return np.where(np.isfinite(values), values, self.high + 0.07 * self.width)


def draw_map(
    found: RUMap,
    axis: Axes | None,
    threshold: float | None,
    title: str | None,
    groups: Mapping[str, Sequence[str]] | None = None,
    zoom: bool = False,
) -> Figure:
    """See `RUMap.plot`."""
    marks = _marks(found.frame.index.unique("method").tolist(), groups)
    if axis is None:
        axis = new_figure(8.4, 5.2).subplots()
    figure = axis.get_figure(root=True)
    assert figure is not None
    frame = found.frame
    across = Scale.of(frame["utility"].to_numpy(), frame["utility_error"].to_numpy(), zoom=zoom)
    limits = () if threshold is None else (threshold,)
    up = Scale.of(frame["risk"].to_numpy(), frame["risk_error"].to_numpy(), limits, zoom=zoom)
    _draw_axes(axis, found, across, up)
    labels: list[tuple[float, float, str, str]] = []
    obstacles: list[tuple[float, float]] = []
    heading = ""
    for method, (colour, shape, size, group) in marks.items():
        if group != heading:
            heading = group
            axis.plot([], [], linestyle="none", label=group)
        rows = frame.xs(method, level="method", drop_level=False)
        x, y = across.place(rows["utility"]), up.place(rows["risk"])
        x_error, y_error = np.nan_to_num(rows["utility_error"]), np.nan_to_num(rows["risk_error"])
        axis.plot(x, y, color=colour, lw=1.2, alpha=0.6, zorder=2)
        axis.errorbar(x, y, xerr=x_error, yerr=y_error, fmt="none", ecolor=colour, elinewidth=1, capsize=2.5, alpha=0.8,
                      zorder=3)  # fmt: skip
        hollow = (rows["doubts"] != "").to_numpy()
        for some, face in ((~hollow, colour), (hollow, "white")):
            axis.scatter(
                x[some], y[some], s=size, marker=shape, facecolor=face, edgecolor=colour, linewidth=1.4, zorder=4,
                clip_on=False,  # points of 0 stand on the edge
            )  # fmt: skip
        by = f", by {rows['parameter'].iloc[0]}" if rows["parameter"].iloc[0] else ""
        axis.scatter([], [], s=size, marker=shape, color=colour, label=shortened(str(method), LONGEST) + by)
        texts = [_label(row, found) for _, row in rows.iterrows()]
        labels += [(px, py, text, colour) for px, py, text in zip(x, y, texts, strict=True) if text]
        obstacles += [*_along(x, y), *_bars(x, y, x_error, y_error)]
    if threshold is not None:
        label = f"highest risk allowed: {threshold:g}"
        axis.axhline(threshold, color=LIMIT, lw=1.2, ls=(0, (5, 3)), zorder=1, label=label)
        obstacles += [(x, threshold) for x in np.linspace(across.low, across.edge, 80)]
    if (frame[["risk_error", "utility_error"]] > 0).any(axis=None):
        label = "bars: standard error of the mean\nover repeated protection"
        axis.plot([], [], color=FAINT, lw=1, marker="|", label=label)
    if (frame["doubts"] != "").any():
        words = dict.fromkeys(word for run in found.found for word in run.doubts)
        axis.scatter([], [], s=46, marker="o", facecolor="white", edgecolor=FAINT, label="hollow: " + ",\n".join(words))
    legend_beside(axis, title)
    legend = axis.get_legend()
    assert legend is not None
    for text in legend.get_texts():
        if text.get_text() in {group for *_, group in marks.values()}:
            text.set_fontweight("bold")
    place_labels(axis, labels, np.array(obstacles))
    return figure


def _draw_axes(axis: Axes, found: RUMap, across: Scale, up: Scale) -> None:
    axis.set_xlim(across.low, across.edge)
    axis.set_ylim(up.low, up.edge)
    risk, utility = (str(found.settings.get(one)) for one in ("risk", "utility"))
    for scale, ticks, band, meaning in (
        (across, axis.xaxis, axis.axvspan, "(no error)" if utility.endswith("precision") else ""),
        (up, axis.yaxis, axis.axhspan, "(known)" if risk == "entropy" else ""),
    ):
        places = [one for one in ticks.get_ticklocs() if scale.low <= one <= scale.high]
        labels = ticks.get_major_formatter().format_ticks(places)
        if scale.endless:
            band(scale.high, scale.edge, color=BAND, zorder=0)
            near = [one for one in places if one > scale.high - 0.06 * scale.width]
            places = [*places[: len(places) - len(near)], float(scale.place(np.inf))]
            labels = [*labels[: len(labels) - len(near)], f"infinite\n{meaning}".strip()]
        ticks.set_ticks(places, labels)
    axis.set_xlabel(fill(f"data utility: {found.utility}", WIDEST), parse_math=False)
    axis.set_ylabel(fill(f"disclosure risk: {found.risk}", WIDEST), parse_math=False)
    axis.spines[["top", "right"]].set_visible(False)


def _marks(methods: Sequence[str], groups: Mapping[str, Sequence[str]] | None) -> dict[str, tuple[str, str, int, str]]:
    """Colour, shape, size and group of every method, in the order of the legend."""
    originals: dict[str, tuple[str, str, int, str]] = {one: (INK, "*", 150, "") for one in methods if one == ORIGINAL}
    rest = [one for one in methods if one != ORIGINAL]
    if not groups:
        return originals | {one: (*style, 46, "") for one, style in zip(rest, _styles(), strict=False)}
    named = [(group, one) for group, members in groups.items() for one in members]
    for _, one in named:
        if one not in rest:
            raise InputError(f"plot(groups=): there is no method {one!r} on the map; {did_you_mean(str(one), rest)}")
        if [other for _, other in named].count(one) > 1:
            raise InputError(f"plot(groups=): the method {one!r} is named twice.")
    alone = [one for one in rest if one not in [other for _, other in named]]
    for place, (group, members) in enumerate([*groups.items(), ("others", alone)]):
        colour = FAINT if group == "others" else COLOURS[place % len(COLOURS)]
        originals |= {one: (colour, SHAPES[k % len(SHAPES)], 46, group) for k, one in enumerate(members)}
    return originals


def _styles() -> Iterator[tuple[str, str]]:
    """Colours with shapes, so that no pair comes again before all have been used."""
    turns = len(SHAPES)
    for i in count():
        yield COLOURS[i % len(COLOURS)], SHAPES[(i + i // len(COLOURS)) % turns]


def _label(row: pd.Series, found: RUMap) -> str:
    """What stands beside a point: the value of its parameter, and in how many runs it is infinite, if not in all."""
    text = shortened(value_words(row["value"]), 14) if row["parameter"] else ""
    endless = sum(
        (run.method, setting_words(run.parameter, run.value)) == row.name
        and bool(np.isinf([run.risk, run.utility]).any())
        for run in found.found
    )
    return f"{text} ({endless} of {row['runs']} runs)".strip() if 0 < endless < row["runs"] else text


def _along(x: np.ndarray, y: np.ndarray) -> list[tuple[float, float]]:
    """The points and places on the line through them, which labels should leave free."""
    shares = np.linspace(0, 1, 6)
    steps = [
        (x[i] + share * (x[i + 1] - x[i]), y[i] + share * (y[i + 1] - y[i]))
        for i in range(len(x) - 1)
        for share in shares
    ]
    return [*steps, *zip(x.tolist(), y.tolist(), strict=True)]


def _bars(x: np.ndarray, y: np.ndarray, x_error: np.ndarray, y_error: np.ndarray) -> list[tuple[float, float]]:
    """Places on the error bars, likewise."""
    shares = np.linspace(-1, 1, 7)
    found = [(px + share * error, py) for px, py, error in zip(x, y, x_error, strict=True) for share in shares]
    return found + [(px, py + share * error) for px, py, error in zip(x, y, y_error, strict=True) for share in shares]
