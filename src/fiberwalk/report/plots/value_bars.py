"""The distribution of a cell as at most so many bars, over the whole interval it can lie in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...posterior.parts.pmf import Pmf


@dataclass(frozen=True, eq=False)
class Bars:
    """Bars side by side: bar k begins at `edges[k]` and ends before `edges[k + 1]`.

    `height[k]` is its probability; a bar that the bounds cut short is drawn as high as a whole one of the same density.
    """

    edges: np.ndarray
    height: np.ndarray
    each: int
    """How many values wide a whole bar is."""
    single: bool
    """Does each bar stand for one value?"""


def bars_of(pmf: Pmf, most: int) -> Bars:
    """The probabilities of a cell between its bounds, neighbouring values in one bar where there are more than `most`.

    A cell that can only be even, say, has bars of an even number of values: bars of an odd number would be high and low in
    turn, a pattern that is not there.
    """
    values = pmf.values
    step = pmf.width if pmf.width > 1 else int(np.gcd.reduce(np.diff(values))) if len(values) > 1 else 1
    before = max(0, -(-(int(values[0]) - pmf.lower) // step))
    origin = int(values[0]) - step * before
    count = (max(pmf.upper, int(values[-1])) - origin) // step + 1
    together = -(-count // most)
    each, n = step * together, -(-count // together)
    p = np.bincount((values - origin) // each, weights=pmf.probabilities, minlength=n)
    edges = origin + each * np.arange(n + 1)
    if together > 1 or pmf.width > 1:
        edges = np.clip(edges, pmf.lower, pmf.upper + step if pmf.width == 1 else pmf.upper + 1)
    return Bars(edges, p * each / np.diff(edges), each, together == 1 and pmf.width == 1)
