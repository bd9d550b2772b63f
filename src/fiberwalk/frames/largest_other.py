"""The other contributor whom an insider is after: between which amounts does the largest other one lie?

She knows her own part, and her audit has a distribution of the others' part, y = x - own. Of n contributors, n - 1 share it.
The largest of these has all of it at most, and at least an equal share. If she knows that she is the second largest, she
knows more: the largest has no less than she, and each of the n - 2 behind her has no more, so that the largest has at least
max(own, y - (n - 2) own). Where two contribute, y itself is the other's amount (DOT02, section 4.4). Nobody comes nearer to
the largest than the second largest, who subtracts most; so smaller contributors are not asked.

The p% rule looks at the estimate x - own: whoever takes all of it for the largest other's amount overestimates that by the
part of the small contributors. No law of the table says how the others' part is split among them. So this estimate has a
distribution, and the amount itself has one only where two contribute.
"""

from __future__ import annotations

from typing import NamedTuple

from ..posterior.parts.pmf import Pmf
from ..release.facts.facts import NO_VALUE
from ..risk.nearness import within_percent


class LargestOther(NamedTuple):
    """What an insider knows of the largest other contributor's amount, in scaled integers."""

    lower: int
    upper: int

    def exceeds(self, amount: int) -> float:
        """By how many percent of the true amount the greatest possible one is above it, as in the p% rule."""
        return 100.0 * (self.upper - amount) / amount


def largest_other(lower: int, upper: int, own: int, *, second: bool, contributors: int = NO_VALUE) -> LargestOther:
    """Between which amounts the largest other contributor lies if the others' part lies between `lower` and `upper`.

    `second`: she knows that she is the second largest. `contributors`: how many there are, herself included.
    """
    known = contributors != NO_VALUE
    if second:
        behind = (contributors - 2) * own if known else lower
        return LargestOther(max(own, lower - behind), upper)
    return LargestOther(-(-lower // (contributors - 1)) if known else min(lower, 1), upper)


def p_near_other(others: Pmf, amount: int, percent: float) -> float:
    """The probability that the others' part as a whole is within so many percent of the largest other's true amount."""
    return others.between(*within_percent(amount, percent))
