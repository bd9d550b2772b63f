"""The figures of an answer: what its table shows, and what stands behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..release.tables.dims import TOTAL, Dim
from .cube.request import ADDED, CONSISTENT, Request
from .judging import Judge
from .protecting.making import Made, Maker, true_figures
from .totals import Kept, added, beside, requests_of_totals

if TYPE_CHECKING:
    import xarray as xr

MOST_KEPT = 256
"""Combinations of labels whose coordinates are kept."""


@dataclass(frozen=True, eq=False)
class Tables:
    """The true and the published figures of a table, in the order of the cube."""

    request: Request
    """Whom it is about: as asked for, but without areas that are left out; of a refused one the whole table."""
    dims: tuple[Dim, ...]
    made: Made
    shown: np.ndarray
    """With totals, where they were asked for; not a number where a figure is withheld."""
    true: np.ndarray
    """The same, if nothing were protected."""
    whole: Made
    """The whole table, of which this one may show a part."""
    whole_dims: tuple[Dim, ...]
    totals: Mapping[Kept, Made]
    """The whole tables of fewer dims whose figures stand as totals, where these are consistent."""
    maker: Maker
    """What made them."""

    def labelled(self, figures: np.ndarray, name: str) -> xr.DataArray:
        """Figures with the labels of the table, in the order in which its dims were asked for."""
        import xarray as xr

        own = {dim.name: dim for dim in self.dims}
        dims = [own[name] for name in self.request.dims]
        figures = figures.transpose([self.dims.index(dim) for dim in dims])
        return xr.DataArray(figures, self._coordinates(dims), [dim.name for dim in dims], name)

    def _coordinates(self, dims: Sequence[Dim]) -> xr.Coordinates:
        """The labels of some dims as xarray has them: to make these takes longer than to count a table.

        Tables have copies, and what they are like does not tell whether there were any before.
        """
        import xarray as xr

        further = [TOTAL] if self.request.totals else []
        labels = {dim.name: (*dim.labels, *further) for dim in dims}
        kept, key = self.maker.coordinates, tuple(labels.items())
        found: xr.Coordinates | None = kept.get(key)
        if found is None:  # another thread may make the same, or empty what is kept
            found = xr.Coordinates({dim: list(of_dim) for dim, of_dim in labels.items()})
            if len(kept) >= MOST_KEPT:
                kept.clear()
            kept[key] = found
        return found


def tables_of(seen: Request, whole: Made, maker: Maker, judge: Judge) -> Tables:
    """What a table shows, with its totals; of the whole table it may show a part."""
    made = whole.part(maker.cube.view(seen))
    shown, true = made.shown, true_figures(made, seen)
    totals: dict[Kept, Made] = {}
    if seen.totals == ADDED:
        shown, true = added(shown), added(true)
    elif seen.totals == CONSISTENT:
        shown_totals, true_totals = {}, {}
        for kept, request in requests_of_totals(seen.whole, maker.cube.in_order(seen)):
            totals[kept] = of_total = maker.made(request)
            view = maker.cube.view(replace(request, where=tuple((dim, of) for dim, of in seen.where if dim in kept)))
            shown_totals[kept] = judge.released(request, of_total)[view]
            true_totals[kept] = true_figures(of_total, request)[view]
        names = maker.cube.in_order(seen)
        shown, true = beside(shown, names, shown_totals), beside(true, names, true_totals)
    return Tables(seen, _dims(maker, seen), made, shown, true, whole, _dims(maker, seen.whole), totals, maker)


def _dims(maker: Maker, request: Request) -> tuple[Dim, ...]:
    return tuple(Dim(name, labels) for name, labels in maker.cube.shown(request).items())
