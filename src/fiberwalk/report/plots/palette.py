"""Colours and marks that tell series apart, also for the colour-blind and in print."""

from __future__ import annotations

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
"""Okabe and Ito's, which the colour-blind can tell apart; shapes tell series apart besides."""
SHAPES = "osD^vP"
