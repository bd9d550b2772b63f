"""The tables of a study, cut from a hypercube."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import InputError, did_you_mean
from ..release.tables.dims import parse_margin
from ..release.tables.tables import Table


@dataclass(frozen=True)
class Cut:
    """A table of a hypercube: who is in it, and the dims that span it."""

    chosen: tuple[Any, ...]
    """Of every dim of the cube the place of its label; all of them where nothing is chosen."""
    axes: tuple[int, ...]
    names: tuple[str, ...]

    def of(self, counts: np.ndarray) -> np.ndarray:
        """The table, cut from the counts of a cube."""
        part = counts[self.chosen]
        away = tuple(axis for axis in range(part.ndim) if axis not in self.axes)
        return np.asarray(part.sum(axis=away).transpose(np.argsort(np.argsort(self.axes))))


def cut_of(whole: Table, name: str, pair: Any) -> Cut:
    """A table as a study names it, if the cube has it."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[1], Mapping | None):
        raise InputError(
            f"table_study(): table {name!r} is a pair of its dims and who is in it, ('A,B', {{'C': '1'}})."
        )
    spanning, where = pair
    names = [dim.name for dim in whole.dims]
    parse_margin(spanning, whole.dims)  # refuses what is no dim
    wanted = (
        [dim.strip() for dim in spanning.split(",")] if isinstance(spanning, str) else [str(dim) for dim in spanning]
    )
    if not any(wanted):
        raise InputError(f"table_study(): table {name!r} has no dim; {did_you_mean('', names)}")
    chosen: list[Any] = [slice(None)] * len(names)
    for dim, label in (where or {}).items():
        if dim not in names or dim in wanted:
            raise InputError(
                f"table_study(): {name!r} chooses people by {dim!r}, which "
                + ("spans it already." if dim in names else f"is no dim; {did_you_mean(str(dim), names)}")
            )
        labels = whole.dims[names.index(dim)].labels
        if str(label) not in labels:
            raise InputError(
                f"table_study(): {name!r}: {dim!r} has no label {label!r}; {did_you_mean(str(label), labels)}"
            )
        place = labels.index(str(label))
        chosen[names.index(dim)] = slice(place, place + 1)
    return Cut(tuple(chosen), tuple(names.index(dim) for dim in wanted), tuple(wanted))
