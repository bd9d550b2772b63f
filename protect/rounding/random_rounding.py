"""Unbiased random rounding: up or down to a multiple of the base, so that the mean is right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.errors import TooLarge
from ...base.numbers import written
from ...base.saved_forms import saved
from ...release.release import Release
from ...release.tables.tables import as_table
from ..mechanism.mechanism import protected
from .rounding import checked_base

MOST_VALUES = 10_000_000
"""The most values that one published figure may stand for."""


@saved("RandomRounding")
@dataclass(frozen=True)
class RandomRounding:
    """A figure goes up with the probability (remainder / base), else down; multiples stay."""

    base: int
    decimals: int = 0
    name: str = "random rounding"

    @property
    def words(self) -> str:
        """What it does."""
        base = written(self.base, self.decimals)
        return f"figures go up or down to a multiple of {base} at random, so that they are right on average"

    def publish(self, values: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Down, and up again where the random number is below the share of the remainder."""
        down = values // self.base * self.base
        return down + self.base * (u * self.base < values - down)

    def given(self, figure: int, most: int) -> tuple[int, np.ndarray]:
        """P(figure | value) falls off linearly on either side."""
        if figure % self.base or figure < 0:
            return 0, np.empty(0)
        first, last = max(figure - self.base + 1, 0), min(figure + self.base - 1, most)
        if last - first >= MOST_VALUES:
            raise TooLarge(
                f"to base {written(self.base, self.decimals)} a figure may stand for {last - first + 1:,} values, more than "
                f"{MOST_VALUES:,}; choose a smaller base or a coarser unit."
            )
        values = np.arange(first, last + 1)
        return first, np.log1p(-np.abs(values - figure) / self.base)


def random_round(
    table: Any,
    base: float = 3,
    *,
    seed: int | None = None,
    margins: Iterable[Any] = (),
    exact: Iterable[Any] = (),
    keys: Any = None,
) -> Release:
    """Publish every cell randomly rounded: up with the probability (remainder / base), else down.

    Multiples of the base stay as they are, and the published figure is right on average. The likelihood is exact.

    Parameters
    ----------
    base
        Figures are published as multiples of it.
    seed
        The seed of the random numbers; whoever has it can undo the rounding. Left out: a new one, kept in `release.applied`.
        A seed that can be guessed protects nothing.
    margins
        Margins that are published too, each rounded by itself, so that they need not add up.
    exact
        Margins that are published as they are.
    keys
        None: every figure has a random number of its own. "labels": it follows from the labels and the seed, so that a
        cell or total is rounded alike in every table. A table of summed record keys, whole numbers of
        64 bits, or a dict of those of their halves (`fw.server.record_keys`): it follows from who is in the cell.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.protect.random_round([[4, 9], [2, 7]], base=3, seed=5, exact=["A", "B"])
    >>> r.published.values.tolist()
    [[3, 9], [3, 9]]
    >>> fw.audit(r).pmf(A="1", B="1").round(3).to_dict()
    {4: 0.75, 5: 0.25}
    """
    labelled = as_table(table)
    mechanism = RandomRounding(checked_base(base, labelled.decimals, "random_round"), labelled.decimals)
    return protected(labelled, mechanism, seed=seed, margins=margins, exact=exact, keys=keys)
