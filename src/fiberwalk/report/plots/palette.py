"""Colours and marks that tell series apart, also for the colour-blind and in print."""

from __future__ import annotations

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
"""Okabe and Ito's, which the colour-blind can tell apart; shapes tell series apart besides."""
SHAPES = "osD^vP"
BLUE, VERMILION, ORANGE = COLOURS[0], COLOURS[1], COLOURS[5]
INK, GREY, BAND = "#222222", "#666666", "#f0f0f0"
ALARM = "#9c3d00"
"""Of limits, doubts and rules that are broken: dark enough for text on white. The page (page.html) and what notebooks show
(base/html.py) have it and vermilion, too, in their style sheets."""
RISK_SCALE = "cividis"
"""The scale of risk in heat maps, from light to dark; what is known exactly is vermilion."""
