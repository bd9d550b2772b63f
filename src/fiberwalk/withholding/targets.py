"""What can be wanted of the belief about a sensitive figure: no value too probable, so many bits left, no near guess."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..base.errors import InputError
from ..base.saved_forms import saved
from ..posterior.parts.pmf import Pmf
from ..risk.nearness import within_percent

ERRORS = 3.0
"""A sampled figure reaches a target where so many standard errors are on its side, too."""
NEAR = 10.0
"""Percent: how near a guess does harm, where nobody says otherwise."""
_EXPONENT = r"(?:e[-+]?[0-9]+)?"
_WRITTEN = re.compile(
    rf"\s*(p|bits|near)(?:\s+([0-9]+(?:\.[0-9]+)?{_EXPONENT})\s*%)?\s*(<=|>=)\s*([0-9]*\.?[0-9]+{_EXPONENT})\s*"
)
_MEANS = {
    "p": "the largest probability of a value",
    "bits": "the entropy",
    "near": "the probability of being near the truth",
}
_RISKS = _MEANS | {"bits": "1 / entropy in bits"}


class Standing(NamedTuple):
    """How far a figure is beyond a target (0 or less: it is reached), and whether errors leave that open."""

    beyond: float
    clear: bool


@saved("Target")
@dataclass(frozen=True)
class Target:
    """A limit on what may be believed of a sensitive figure."""

    measure: str
    limit: float
    percent: float

    @property
    def words(self) -> str:
        """The target as it is written, and understood again."""
        of = f" {_written(self.percent)}%" if self.measure == "near" else ""
        return f"{self.measure}{of} {'>=' if self.measure == 'bits' else '<='} {_written(self.limit)}"

    @property
    def meaning(self) -> str:
        """The target in a sentence's words."""
        if self.measure == "bits":
            return f"at least {self.limit:g} bits of entropy are left"
        if self.measure == "near":
            return f"the truth is known to {self.percent:g}% with a probability of at most {self.limit:g}"
        return f"no value has a probability above {self.limit:g}"

    @property
    def risk_words(self) -> str:
        """The measure as a risk, in words."""
        return _RISKS[self.measure] + (f" ({self.percent:g}%)" if self.measure == "near" else "")

    def risk(self, value: float) -> float:
        """A value of the measure, or the limit, as a risk: the larger the worse."""
        if self.measure != "bits":
            return value
        return 1 / value if value > 0 else math.inf

    def of(self, pmf: Pmf, truth: int) -> tuple[float, float]:
        """The measure of a distribution, and its standard error."""
        if self.measure == "bits":
            return pmf.entropy, pmf.entropy_error
        if self.measure == "near":
            low, high = within_percent(truth, self.percent)
            return pmf.between(low, high), pmf.between_error(low, high)
        value, p = pmf.modal
        return p, pmf.between_error(value, value)

    def standing(self, pmf: Pmf, truth: int) -> Standing:
        """Where a figure stands: three errors are added to what is beyond the target."""
        value, error = self.of(pmf, truth)
        away = (self.limit - value) if self.measure == "bits" else value - self.limit
        scale = max(self.limit, 1e-9)
        return Standing((away + ERRORS * error) / scale, abs(away) >= ERRORS * error)


def parse_targets(until: Any) -> tuple[Target, ...]:
    """Targets as users write them: "p <= 0.5", "bits >= 1", "near 10% <= 0.2", or several of these."""
    several: Iterable[Any] = until.split(" and ") if isinstance(until, str) else until
    if not isinstance(several, Iterable):
        raise _unclear(until)
    targets = tuple(_parsed(one) for one in several)
    if not targets:
        raise _unclear(until)
    return targets


def _parsed(text: Any) -> Target:
    match = _WRITTEN.fullmatch(text) if isinstance(text, str) else None
    if match is None or (match[1] == "bits") != (match[3] == ">=") or (match[2] is not None and match[1] != "near"):
        raise _unclear(text)
    limit = float(match[4])
    if match[1] != "bits" and not 0 < limit < 1:
        raise InputError(f"until={text!r}: {_MEANS[match[1]]} is wanted at or below a number between 0 and 1.")
    return Target(match[1], limit, float(match[2] or NEAR))


def _written(number: float) -> str:
    """A number in all its digits, and no more."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


def _unclear(until: Any) -> InputError:
    return InputError(
        f"until={until!r} is not understood; write it like 'p <= 0.5' (no value more probable), 'bits >= 1' (so much "
        "entropy is left) or 'near 10% <= 0.2' (guesses within so many percent of the truth), or several with 'and'."
    )
