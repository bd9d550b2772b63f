"""The distribution of a cell as at most so many bars of equal width, over the whole interval it can lie in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .posterior.pmf import Pmf


@dataclass(frozen=True, eq=False)
class Bars:
    """`p[k]` is the probability of the values from `left[k]` up to, not including, `left[k] + each`."""

    left: np.ndarray
    each: int
    p: np.ndarray
    single: bool
    """Does every bar stand for one value (or for one bin, where values were counted in bins)?"""


def bars_of(pmf: Pmf, most: int) -> Bars:
    """The probabilities of a cell between its bounds, neighbours put together where there are more than `most`.

    What stands between two bars is impossible. A cell that can only be even, say, has bars two values wide: put together
    in odd numbers its values would show a comb that is not there.
    """
    values = pmf.values
    step = pmf.width if pmf.width > 1 else int(np.gcd.reduce(np.diff(values))) if len(values) > 1 else 1
    origin = int(values[0]) - step * -(-(int(values[0]) - pmf.lower) // step)
    count = (max(pmf.upper, int(values[-1])) - origin) // step + 1
    together = -(-count // most)
    p = np.bincount((values - origin) // (step * together), weights=pmf.probabilities, minlength=-(-count // together))
    return Bars(origin + step * together * np.arange(len(p)), step * together, p, together == 1)
