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
from .palette import ALARM, BAND, COLOURS, GREY, INK, SHAPES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...results.map_result import RUMap

LONGEST = 28
"""Longer names of methods are cut."""
WIDEST = 64
"""Longer names of axes take a second line."""
Mark = tuple[str, str, int, str]
"""Colour, shape, size and family of a method."""


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
    ru_map: RUMap,
    axis: Axes | None,
    threshold: float | None,
    title: str | None,
    families: Mapping[str, Sequence[str]] | None = None,
    zoom: bool = False,
) -> Figure:
    """See `RUMap.plot`."""
    marks = _marks(ru_map.frame.index.unique("method").tolist(), families)
    if axis is None:
        axis = new_figure(8.4, 5.2).subplots()
    figure = axis.get_figure(root=True)
    assert figure is not None
    frame = ru_map.frame
    across = Scale.of(frame["utility"].to_numpy(), frame["utility_error"].to_numpy(), zoom=zoom)
    limits = () if threshold is None else (threshold,)
    up = Scale.of(frame["risk"].to_numpy(), frame["risk_error"].to_numpy(), limits, zoom=zoom)
    _draw_axes(axis, ru_map, across, up)
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
        for chosen, face in ((~hollow, colour), (hollow, "white")):
            axis.scatter(
                x[chosen], y[chosen], s=size, marker=shape, facecolor=face, edgecolor=colour, linewidth=1.4, zorder=4,
                clip_on=False,  # points of 0 stand on the edge
            )  # fmt: skip
        by = f", by {rows['parameter'].iloc[0]}" if rows["parameter"].iloc[0] else ""
        axis.scatter([], [], s=size, marker=shape, color=colour, label=shortened(str(method), LONGEST) + by)
        texts = [_label(row, ru_map) for _, row in rows.iterrows()]
        labels += [(px, py, text, colour) for px, py, text in zip(x, y, texts, strict=True) if text]
        obstacles += [*_along(x, y), *_bars(x, y, x_error, y_error)]
    if threshold is not None:
        label = f"highest risk allowed: {threshold:g}"
        axis.axhline(threshold, color=ALARM, lw=1.2, ls=(0, (5, 3)), zorder=1, label=label)
        obstacles += [(x, threshold) for x in np.linspace(across.low, across.edge, 80)]
    if (frame[["risk_error", "utility_error"]] > 0).any(axis=None):
        label = "bars: standard error of the mean\nover repeated protection"
        axis.plot([], [], color=GREY, lw=1, marker="|", label=label)
    if (frame["doubts"] != "").any():
        words = dict.fromkeys(word for run in ru_map.found for word in run.doubts)
        axis.scatter([], [], s=46, marker="o", facecolor="white", edgecolor=GREY, label="hollow: " + ",\n".join(words))
    legend_beside(axis, title)
    legend = axis.get_legend()
    assert legend is not None
    for text in legend.get_texts():
        if text.get_text() in {group for *_, group in marks.values()}:
            text.set_fontweight("bold")
    place_labels(axis, labels, np.array(obstacles))
    return figure


def _draw_axes(axis: Axes, ru_map: RUMap, across: Scale, up: Scale) -> None:
    axis.set_xlim(across.low, across.edge)
    axis.set_ylim(up.low, up.edge)
    risk, utility = (str(ru_map.settings.get(name)) for name in ("risk", "utility"))
    for scale, ticks, band, meaning in (
        (across, axis.xaxis, axis.axvspan, "(no error)" if utility.endswith("precision") else ""),
        (up, axis.yaxis, axis.axhspan, "(known)" if risk == "entropy" else ""),
    ):
        places = [place for place in ticks.get_ticklocs() if scale.low <= place <= scale.high]
        labels = ticks.get_major_formatter().format_ticks(places)
        if scale.endless:
            band(scale.high, scale.edge, color=BAND, zorder=0)
            near = [place for place in places if place > scale.high - 0.06 * scale.width]
            places = [*places[: len(places) - len(near)], float(scale.place(np.inf))]
            labels = [*labels[: len(labels) - len(near)], f"infinite\n{meaning}".strip()]
        ticks.set_ticks(places, labels)
    axis.set_xlabel(fill(f"data utility: {ru_map.utility}", WIDEST), parse_math=False)
    axis.set_ylabel(fill(f"disclosure risk: {ru_map.risk}", WIDEST), parse_math=False)
    axis.spines[["top", "right"]].set_visible(False)


def _marks(methods: Sequence[str], families: Mapping[str, Sequence[str]] | None) -> dict[str, Mark]:
    """The mark of every method, in the order of the legend."""
    marks: dict[str, Mark] = {method: (INK, "*", 150, "") for method in methods if method == ORIGINAL}
    rest = [method for method in methods if method != ORIGINAL]
    if not families:
        return marks | {method: (*style, 46, "") for method, style in zip(rest, _styles(), strict=False)}
    named = [method for members in families.values() for method in members]
    for method in named:
        if method not in rest:
            raise InputError(
                f"plot(families=): there is no method {method!r} on the map; {did_you_mean(str(method), rest)}"
            )
        if named.count(method) > 1:
            raise InputError(f"plot(families=): the method {method!r} is named twice.")
    alone = [method for method in rest if method not in named]
    for number, (family, members) in enumerate([*families.items(), ("others", alone)]):
        colour = GREY if family == "others" else COLOURS[number % len(COLOURS)]
        marks |= {method: (colour, SHAPES[place % len(SHAPES)], 46, family) for place, method in enumerate(members)}
    return marks


def _styles() -> Iterator[tuple[str, str]]:
    """Colours with shapes, so that no pair comes again before all have been used."""
    for number in count():
        yield COLOURS[number % len(COLOURS)], SHAPES[(number + number // len(COLOURS)) % len(SHAPES)]


def _label(row: pd.Series, ru_map: RUMap) -> str:
    """What stands beside a point: the value of its parameter, and in how many runs it is infinite, if not in all."""
    text = shortened(value_words(row["value"]), 14) if row["parameter"] else ""
    endless = sum(
        (run.method, setting_words(run.parameter, run.value)) == row.name
        and bool(np.isinf([run.risk, run.utility]).any())
        for run in ru_map.found
    )
    return f"{text} ({endless} of {row['runs']} runs)".strip() if 0 < endless < row["runs"] else text


def _along(x: np.ndarray, y: np.ndarray) -> list[tuple[float, float]]:
    """The points and places on the line through them, which labels should leave free."""
    shares = np.linspace(0, 1, 6)
    steps = [
        (x[start] + share * (x[start + 1] - x[start]), y[start] + share * (y[start + 1] - y[start]))
        for start in range(len(x) - 1)
        for share in shares
    ]
    return [*steps, *zip(x.tolist(), y.tolist(), strict=True)]


def _bars(x: np.ndarray, y: np.ndarray, x_error: np.ndarray, y_error: np.ndarray) -> list[tuple[float, float]]:
    """Places on the error bars, likewise."""
    shares = np.linspace(-1, 1, 7)
    places = [(px + share * error, py) for px, py, error in zip(x, y, x_error, strict=True) for share in shares]
    return places + [(px, py + share * error) for px, py, error in zip(x, y, y_error, strict=True) for share in shares]
