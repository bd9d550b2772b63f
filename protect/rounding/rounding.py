"""Rounding: every published figure stands for a range of values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.numbers import scaled, written
from ...base.saved_forms import saved
from ...release.facts.facts import UNSHOWN, Applied
from ...release.publish import parse_margins
from ...release.release import Release, of_table
from ...release.tables.tables import as_table
from ..mechanism.mechanism import EXACT, SUPPORT, figures_of

_HOW = {"nearest": "to the nearest multiple", "within": "to a multiple less than the base away"}


@saved("Ranges")
@dataclass(frozen=True)
class Ranges:
    """Rounded figures as an outsider reads them: which values each may stand for."""

    base: int
    rule: str
    decimals: int = 0
    name: str = "rounding"
    steps: int = 1
    """By the rule "within", figures are less than so many bases away from the truth."""

    @property
    def words(self) -> str:
        """What was done."""
        how = _HOW[self.rule] if self.steps == 1 else f"to a multiple less than {self.steps} bases away"
        return f"every published figure is rounded to base {written(self.base, self.decimals)}, {how}"

    def given(self, figure: int, most: int) -> tuple[int, np.ndarray]:
        """All values of the range have the same likelihood."""
        if figure % self.base or figure < 0:
            return 0, np.empty(0)
        low, high = (int(end) for end in rounding_range(np.array(figure), self.base * self.steps, self.rule))
        return low, np.zeros(max(min(high, most) - low + 1, 0))


def checked_base(base: Any, decimals: int, method: str) -> int:
    """The base of rounding as a whole number of 10^-decimals."""
    step = 0 if isinstance(base, bool) else scaled(base, decimals, f"{method}(base=)")
    if step < 1:
        raise InputError(f"{method}(base={base}): the base must be positive.")
    return step


def checked_rule(rule: str) -> str:
    """A rule of rounding, if it is one."""
    if rule not in _HOW:
        raise InputError(f"round_to(rule={rule!r}): the rule is 'nearest' or 'within'.")
    return rule


def round_to(
    table: Any,
    base: float,
    rounding: str = "nearest",
    *,
    margins: Iterable[Any] | None = None,
) -> Release:
    """Publish every cell and every margin rounded to a base.

    Parameters
    ----------
    base
        Figures are published as multiples of it.
    rounding
        "nearest": to the nearest multiple, halves up, so that a figure leaves `base` values (fewer at zero; where cells may
        be negative, as many: -5 to base 10 is 0, and -6 is -10).
        "within": the reader is only told that each figure is less than `base` away from the truth, as under
        controlled or random rounding; up to 2 base - 1 values stay possible.
    margins
        The margins that are published, each rounded by itself (all of them when left out).

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.bounds(fw.round_to([[4, 9]], base=3, margins=[]))["upper"].tolist()
    [4, 10]
    """
    labelled = as_table(table, profits=True)
    step = checked_base(base, labelled.decimals, "round_to")
    release, rounding = of_table(labelled), checked_rule(rounding)
    keys, matrix = figures_of(release, parse_margins(margins, labelled.dims))
    figures = nearest_multiple(matrix @ labelled.values.ravel(), step)
    release = with_rounded(release, keys, matrix, figures, step, rounding)
    words = f"every published figure is rounded to base {base}, {_HOW[rounding]}"
    likelihood = EXACT if rounding == "nearest" else SUPPORT
    return replace(
        release,
        notes=(*release.notes, words),
        applied=(Applied("rounding", likelihood, words, mechanism=Ranges(step, rounding, labelled.decimals)),),
    )


def nearest_multiple(values: np.ndarray, step: int) -> np.ndarray:
    """The nearest multiples of values, halves up."""
    return np.asarray((values + step // 2) // step * step)


def with_rounded(
    release: Release, keys: np.ndarray, matrix: Any, figures: np.ndarray, step: int | np.ndarray, rule: str
) -> Release:
    """A release with rounded figures of cells and sums, each the range of values that it may stand for.

    `step` may differ from figure to figure, where they are known more or less precisely.
    """
    least = None if release.signed or release.told is not None else 0
    ranges = rounding_range(figures, step, rule, least)
    release = release.with_facts(keys, matrix, *ranges, figures)
    if np.max(step, initial=0) > 1:
        # A rounded figure that leaves one value (a zero to base 2) discloses a cell or sum; it does not publish it.
        release = replace(release, status=np.full(release.n_cells, UNSHOWN, dtype=np.uint8), shown=release.shown[:0])
    return release


def rounding_range(
    figures: np.ndarray, step: int | np.ndarray, rule: str, least: int | None = 0
) -> tuple[np.ndarray, np.ndarray]:
    """The values that a rounded figure may stand for; none is below `least`, where that is said."""
    if rule == "nearest":
        lower, upper = figures - step // 2, figures + (step - 1) // 2
    else:
        lower, upper = figures - step + 1, figures + step - 1
    return lower if least is None else np.maximum(lower, least), upper
