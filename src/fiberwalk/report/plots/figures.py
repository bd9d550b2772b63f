"""Figures that a notebook shows by itself."""

from __future__ import annotations

import io
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float, height: float, **options: Any) -> Figure:
    """An empty figure of so many inches, which no window holds and a notebook shows as a picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), **({"layout": "constrained"} | options))
    figure._repr_png_ = partial(as_png, figure)  # type: ignore[attr-defined]  # without pyplot, nothing tells a notebook how
    return figure


def as_png(figure: Figure, dpi: float | None = None) -> bytes:
    """The figure as a PNG file."""
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # a label in a script that the font lacks
        figure.savefig(buffer, format="png", dpi=dpi or figure.dpi, metadata={"Software": None})
    return buffer.getvalue()
