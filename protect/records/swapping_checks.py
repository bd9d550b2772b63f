"""What every way of swapping checks, and says of itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.errors import InputError, TooLarge, did_you_mean
from ...base.saved_forms import saved
from ...release.publish import parse_margins, publish_margins
from ...release.release import Release
from ...release.tables.dims import Dim, Margin, parse_margin

NAME = "record swapping"
MOST_PAIRS = 1_000_000


@saved("Swapping")
@dataclass(frozen=True)
class Swapping:
    """Record swapping, as far as it is public besides its words."""

    rate: float


@dataclass(frozen=True)
class Exchange:
    """What is exchanged, and what partners agree in."""

    axes: tuple[int, ...]
    """The axes of the dims whose values are exchanged together."""
    alike: Margin

    def names(self, dims: Sequence[Dim]) -> list[str]:
        """The dims whose values are exchanged."""
        return [dims[axis].name for axis in self.axes]

    def categories(self, dims: Sequence[Dim]) -> Margin:
        """The margin whose sums are the categories that values are exchanged between."""
        return tuple(dim.name if i in self.axes else None for i, dim in enumerate(dims))

    def kept(self, dims: Sequence[Dim]) -> list[Margin]:
        """The margins that no exchange changes: categories by what partners agree in, and all other dims together."""
        by_category = tuple(dim.name if i in self.axes else self.alike[i] for i, dim in enumerate(dims))
        all_others = tuple(self.alike[i] if i in self.axes else dim.name for i, dim in enumerate(dims))
        return [by_category, all_others]


def kept_margins(release: Release, exchange: Exchange, exact: Any) -> Release:
    """A release of what no exchange changes, and of further margins."""
    return publish_margins(release, [*exchange.kept(release.dims), *parse_margins(exact, release.dims)])


def checked_swap(dims: Sequence[Dim], dim: Any, rate: Any, within: Any, targeted: Any) -> Exchange:
    """What is exchanged, and the margin that partners agree in; parameters that make no sense are refused."""
    names = [known.name for known in dims]
    wanted = exchanged_names(dim, names)
    for name in wanted:
        if name not in names:
            raise InputError(f"swap() exchanges the values of {name!r}, which is no dim; {did_you_mean(name, names)}")
    checked_rate(rate)
    if targeted is not None and (
        isinstance(targeted, bool) or not isinstance(targeted, (int, np.integer)) or targeted < 1
    ):
        raise InputError(f"swap(targeted={targeted!r}): a whole number of records, at least 1.")
    alike = parse_margin(within, dims)
    for name in wanted:
        if alike[names.index(name)] == name:
            raise InputError(
                f"swap(within=): partners come from different categories of {name!r}; they cannot agree in it."
            )
    return Exchange(tuple(names.index(name) for name in wanted), alike)


def exchanged_names(dim: Any, names: Sequence[str]) -> list[str]:
    """The dims whose values are exchanged together: one, or several with commas between them or in a list."""
    if isinstance(dim, str):
        exchanged = [dim] if dim in names else [name.strip() for name in dim.split(",")]
    elif isinstance(dim, (list, tuple)):
        exchanged = [str(name) for name in dim]
    else:
        exchanged = [str(dim)]
    if not any(exchanged):
        raise InputError("swap() needs the dim whose values are exchanged, or several.")
    for name in exchanged:
        if exchanged.count(name) > 1:
            raise InputError(f"swap() exchanges the values of {name!r} once; it is named twice.")
    return exchanged


def checked_rate(rate: Any) -> float:
    """The share of records that are swapped, if it can be one."""
    if isinstance(rate, bool) or not isinstance(rate, (int, float, np.number)) or not 0 < rate <= 1:
        raise InputError(f"swap(rate={rate!r}): the share of records that are swapped, above 0 and at most 1.")
    return float(rate)


def refuse_useless(truth: np.ndarray, strata: list[np.ndarray], dims: Sequence[str]) -> None:
    """Refuse where no exchange could change the table, which would then be published as it is."""
    for cells in strata:
        stratum = truth[cells]
        if (stratum.sum(axis=1) > 0).sum() > 1 and (stratum.sum(axis=0) > 0).sum() > 1:
            return
    raise InputError(useless(dims, "records"))


def useless(dims: Sequence[str], units: str) -> str:
    """Said where no exchange could change the table."""
    named = " and ".join(map(repr, dims))
    return (
        f"swap(): no exchange of {named} changes the table, which would be published as it is: there must be {units} in two "
        f"categories of {named} that agree in within= and differ in another dim; name fewer dims in within=."
    )


def words_of(units: str, dims: Sequence[str], rate: float, alike: str, targeted: str) -> str:
    """What was done, for people; `targeted` says which units came first."""
    values = "value" if len(dims) == 1 else "values"
    words = f"about {rate:.3g} of the {units} exchanged their {values} of {' and '.join(dims)} in pairs"
    words += f" that agree in {alike}" if alike else ""
    return words + (f", {targeted} first" if targeted else "")


def refuse_too_many(rate: float, units: int, named: str = "records") -> None:
    """Refuse more pairs than can be formed one by one."""
    if rate * units / 2 > MOST_PAIRS:
        raise TooLarge(
            f"swap(rate={rate:g}): {units:,} {named}; pairs are formed one by one, {MOST_PAIRS:,} at most: choose a lower "
            "rate."
        )
