"""How a method changes counts: P(published | true), as risk measures of whole tables need it (SAE15, section 4.2).

These are laws of a single cell. What ties cells together (totals that are kept, draws without replacement) is left out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..base.errors import InputError
from ..release.release import Release
from .methods import method_named, refuse_missing, refuse_unknown
from .perturbation.transition_matrix import Transitions, as_transitions
from .rounding.rounding import checked_base, checked_rule, nearest_multiple


class CountChanges(Protocol):
    """What a method does to a count."""

    def probability(self, published: Any, true_values: np.ndarray) -> np.ndarray:
        """P(published | true value) for each true value."""
        ...

    @property
    def reach(self) -> int | None:
        """How far a count may move at most; `probability` then also takes a published count for each true one.

        None where that is not known.
        """
        ...

    def kept(self, first: int, last: int | None) -> float:
        """How probable it is that a count is published as it is: the mean over the counts first..last (None: all above)."""
        ...

    @property
    def largest(self) -> int | None:
        """Counts above it are taken as they are published; None: the law holds for all counts."""
        ...


@dataclass(frozen=True, eq=False)
class ByMatrix:
    """Counts are changed by a transition matrix."""

    transitions: Transitions
    largest: None = None

    @property
    def reach(self) -> int:
        """The cap of the matrix, or the largest count that it publishes."""
        return self.transitions.largest

    def probability(self, published: int | np.ndarray, true_values: np.ndarray) -> np.ndarray:
        """The column of the published count."""
        return self.transitions.probability(published, np.asarray(true_values))

    def kept(self, first: int, last: int | None) -> float:
        """The mean diagonal; where `last` is None, of the rows from the first one on, or of those that larger ones take."""
        end = max(first, self.transitions.cap) if last is None else last
        if last is None and first > self.transitions.cap:
            end = first + max(self.transitions.above, 1) - 1
        values = np.arange(first, end + 1)
        return float(np.mean([self.transitions.probability(int(count), np.array([count]))[0] for count in values]))


@dataclass(frozen=True)
class ByRounding:
    """Counts go up or down to a multiple of the base: at random so that they are right on average, or to the nearest one."""

    base: int
    nearest: bool = False
    largest: None = None

    @property
    def reach(self) -> int:
        """Less than the base."""
        return self.base

    def probability(self, published: int | np.ndarray, true_values: np.ndarray) -> np.ndarray:
        """At random: 1 at the multiple itself, 0 a base away and linear between; to the nearest: 1 or 0, halves going up."""
        values, shown = np.asarray(true_values), np.asarray(published)
        if self.nearest:
            return (nearest_multiple(values, self.base) == shown).astype(float)
        return np.where(shown % self.base == 0, np.maximum(1 - np.abs(values - shown) / self.base, 0.0), 0.0)

    def kept(self, first: int, last: int | None) -> float:
        """1/base: among `base` counts in a row one is a multiple, and stays. SAE15 take this for any range of counts."""
        return 1 / self.base


@dataclass(frozen=True)
class BySwapping:
    """A count of at most 10 stays with probability 1 - rate, or becomes any other of these, all equally probable.

    This is SAE15's stand-in for what swapped records do to cells: every cell may have changed, even where the swapped dim is
    not in the table, because an intruder does not know which it was. The paper spreads the rate over all counts up to the
    largest. Of large counts, no two of which are alike, that makes no sense: one that has changed by a few people would be
    replaced by next to nothing. They are taken as they are published.
    """

    rate: float
    largest: int = 10
    """Up to this SAE15 look at counts one by one."""

    @property
    def reach(self) -> int:
        """From the smallest to the largest."""
        return self.largest

    def probability(self, published: Any, true_values: np.ndarray) -> np.ndarray:
        """1 - rate for the count itself, and the rate shared by the others; 1 above the largest."""
        values, published = np.broadcast_arrays(np.asarray(true_values), published)
        small = (values <= self.largest) & (published <= self.largest)
        other = np.where(small, self.rate / self.largest, 0.0)
        return np.where(values == published, np.where(small, 1 - self.rate, 1.0), other)

    def kept(self, first: int, last: int | None) -> float:
        """1 - rate, which SAE15 take for any range of counts."""
        return 1 - self.rate


@dataclass(frozen=True, eq=False)
class ByNoise:
    """A random difference is added to every count."""

    given: Callable[[int, int], tuple[int, np.ndarray]]
    """Of a figure and the largest possible truth: the first possible true value, and log P(figure | value) from it on."""
    reach: None = None
    largest: None = None

    def probability(self, published: int, true_values: np.ndarray) -> np.ndarray:
        """The probability of the difference; at a floor, of all that lead there."""
        values = np.asarray(true_values)
        first, logs = self.given(published, int(values.max(initial=0)))
        inside = (values >= first) & (values < first + len(logs))
        chances = np.zeros(len(values))
        chances[inside] = np.exp(logs[values[inside] - first])
        return chances

    def kept(self, first: int, last: int | None) -> float:
        """The probability of no difference; above zero it is the same for all."""
        values = np.arange(first, (first if last is None else last) + 1)
        return float(np.mean([self.probability(int(count), np.array([count]))[0] for count in values]))


def _by_matrix(matrix: Any, last_rows: int = 1, normalise: bool = False) -> CountChanges:
    return ByMatrix(as_transitions(matrix, last_rows, normalise))


def _at_random(method: str) -> Callable[..., CountChanges]:
    return lambda base=3: ByRounding(checked_base(base, 0, method))


def _to_nearest(base: float, rule: str = "nearest") -> CountChanges:
    checked_rule(rule)
    return ByRounding(checked_base(base, 0, "round_to"), nearest=True)


def _controlled(base: float = 3, unbiased: bool = False) -> CountChanges:
    return ByRounding(checked_base(base, 0, "controlled_round"), nearest=not unbiased)


def _by_swapping(rate: float = 0.1) -> CountChanges:
    from .records.swapping_checks import checked_rate

    return BySwapping(checked_rate(rate))


def _by_noise(noise: Any, floor: bool = False, noisy_zeros: bool = True) -> CountChanges:
    from .perturbation.noise import as_noise

    return ByNoise(as_noise(noise, floor, 0, noisy_zeros).given)


CHANGES: dict[str, Callable[..., CountChanges]] = {
    "perturb": _by_matrix,
    "random_round": _at_random("random_round"),
    "semi_controlled_round": _at_random("semi_controlled_round"),
    "round_to": _to_nearest,
    "controlled_round": _controlled,
    "round_lattice": _at_random("round_lattice"),
    "swap": _by_swapping,
    "add_noise": _by_noise,
}
"""The methods that change counts by a law that is known, and the parameters that it depends on."""


def changes_of(mechanism: str, parameters: Mapping[str, Any] | None = None) -> CountChanges:
    """How a method changes the counts of a table, cell by cell.

    Conventions: controlled rounding is taken as rounding to the nearest multiple, which it is near to, or at random where it
    is unbiased; rounding of a lattice as random rounding, which it is by its keys alone; rounding goes to the nearest
    whatever the reader is told; perturbation is taken as its matrix says, also where the table is fitted to margins
    afterwards.

    Parameters
    ----------
    mechanism
        The name of a method such as "random_round".
    parameters
        As its Python function takes them; those that make no difference to a single cell (seed, margins, ...) may be there.

    Examples
    --------
    >>> rounding = changes_of("random_round", {"base": 3})
    >>> rounding.probability(3, np.arange(7)).round(3).tolist()
    [0.0, 0.333, 0.667, 1.0, 0.667, 0.333, 0.0]
    """
    entry, name = method_named(mechanism), str(mechanism).replace("-", "_")
    if name not in CHANGES:
        instead = "; of a sample, r2() is the risk" if name == "draw_sample" else ""
        raise InputError(
            f"{name} does not change counts cell by cell with known probabilities ({entry.words}), as these do: "
            f"{', '.join(CHANGES)}{instead}."
        )
    passed, law = dict(parameters or {}), CHANGES[name]
    refuse_unknown(name, passed, entry.function(name))
    refuse_missing(name, passed, law, first=0)
    accepted = inspect.signature(law).parameters
    return law(**{key: value for key, value in passed.items() if key in accepted})


def changes_in(release: Release) -> CountChanges | None:
    """How the counts of a release were changed, as far as it tells; None where it does not."""
    from .perturbation.noise import Noise
    from .perturbation.perturbation import Perturbation
    from .records.swapping_checks import Swapping
    from .rounding.random_rounding import RandomRounding
    from .rounding.rounding import Ranges

    if len(release.applied) != 1 or release.decimals:
        return None
    known: Any = release.applied[0].mechanism
    if isinstance(known, (RandomRounding, Ranges)):
        return ByRounding(known.base, nearest=isinstance(known, Ranges))
    if isinstance(known, Perturbation):
        return ByMatrix(known.transitions)
    if isinstance(known, Noise):
        return ByNoise(known.given)
    return BySwapping(known.rate) if isinstance(known, Swapping) else None
