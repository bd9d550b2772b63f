"""The risk of tables that are counted from a sample: R2 over the populations that a model draws behind each (ASE15)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.numbers import check_whole
from ...posterior.populations.fiber_population import FiberPopulation
from ...posterior.populations.known_population import KnownPopulation
from ...posterior.populations.models import as_model
from ...posterior.populations.outside_facts import Group
from ...posterior.populations.polya_urn import PolyaUrn
from ...posterior.populations.population import Drawing, PopulationModel
from ...posterior.populations.sample_table import SampleTable, checked_size
from ...posterior.populations.sampling_design import checked_strata, size_by_weights, standing_for
from ...release.tables.dims import Dim
from ...release.tables.tables import labelled
from ...risk.whole_table import TERMS, WEIGHTS, r2
from ..cube.hypercube import Counted, Hypercube
from ..cube.request import Request
from .measures import kept_of

Cut = np.ndarray | EllipsisType


@dataclass(frozen=True, eq=False)
class SampleMeasure:
    """How risky a table of sample counts is: the mean R2 over populations that may stand behind it."""

    model: PopulationModel
    cube: Hypercube
    size: int
    strata: tuple[str, Mapping[str, int]] | None
    """A dim of the cube, and how many people of the population each of its labels has."""
    weights: Any = WEIGHTS
    draws: int = 1000
    may_rise: str = ""

    def on(self, counted: Counted, dims: Sequence[Dim], request: Request, seed: int) -> SampledTable:
        """The measure of one table."""
        n = int(counted.counts.sum())
        if not request.where:
            size = self.size
        elif counted.weights is None:
            size = round(n * self.size / self.cube.population)
        else:
            size = round(float(counted.weights.sum()))
        return SampledTable(self, counted, tuple(dims), max(size, n), self._groups(counted, dims, request), seed)

    def utility(self, true: np.ndarray, published: np.ndarray) -> float:
        """What is kept of the table, from 0 to 1."""
        return kept_of(true, published)

    def _groups(self, counted: Counted, dims: Sequence[Dim], request: Request) -> tuple[Group, ...]:
        """The strata that a table shows whole."""
        names = [dim.name for dim in dims]
        if self.strata is None or self.strata[0] not in names or any(dim != self.strata[0] for dim, _ in request.where):
            return ()
        axis, sizes = names.index(self.strata[0]), self.strata[1]
        place_of_cell: np.ndarray = np.indices(counted.counts.shape)[axis].ravel()
        groups = []
        for place, label in enumerate(dims[axis].labels):
            cells = np.flatnonzero(place_of_cell == place)
            groups.append(Group(cells, sizes[label] - int(counted.counts.ravel()[cells].sum()), f"the stratum {label}"))
        return tuple(groups)


@dataclass(frozen=True, eq=False)
class SampledTable:
    """One table of sample counts, and the people that may stand behind it."""

    measure: SampleMeasure
    counted: Counted
    dims: tuple[Dim, ...]
    size: int
    strata: tuple[Group, ...]
    seed: int

    def before(self, cut: Cut) -> float:
        """The risk of the sample table as it is."""
        return self.after(self.counted.counts, cut)

    def after(self, published: np.ndarray, cut: Cut) -> float:
        """The risk that protection of the sample table leaves."""
        chosen = np.arange(published.size) if isinstance(cut, EllipsisType) else np.flatnonzero(cut)
        risk = float(self._means(lambda populations: _risk(populations, published, chosen, self.measure.weights), cut))
        if math.isnan(risk):
            raise InputError("the protected table sums to 0: nothing can be measured of an empty table.")
        return risk

    def by(self, name: str, published: np.ndarray) -> Any:
        """The risk of each category of a dim; not a number for one that nobody is in."""
        axis = [dim.name for dim in self.dims].index(name)
        place_of_cell: np.ndarray = np.indices(published.shape)[axis].ravel()
        parts = [np.flatnonzero(place_of_cell == place) for place in range(published.shape[axis])]

        def measured(populations: np.ndarray) -> np.ndarray:
            return np.stack([_risk(populations, published, cells, self.measure.weights) for cells in parts], axis=1)

        return labelled(self._means(measured, ...), (self.dims[axis],))

    def _means(self, function: Callable[[np.ndarray], np.ndarray], cut: Cut) -> np.ndarray:
        """The mean over populations, which are the same whatever is asked of them."""
        counts = self.counted.counts.ravel()
        weights = self.counted.weights
        sample = SampleTable(
            counts, self.dims, self.size, strata=self.strata,
            standing=None if weights is None else standing_for(weights.ravel(), counts),
            shut=None if isinstance(cut, EllipsisType) else ~cut.ravel(),
        )  # fmt: skip
        drawn = self.measure.model.given(sample).each(function, Drawing(self.measure.draws, self.seed))
        means: np.ndarray = drawn.values.mean(axis=(0, 1))
        return means


def _risk(populations: np.ndarray, published: np.ndarray, cells: np.ndarray, weights: Any) -> np.ndarray:
    """R2 of some cells of every population."""
    shown = np.maximum(published.ravel()[cells], 0)  # noise may go below
    part = populations[:, cells]
    if not shown.any() or not part.any(axis=1).all():
        return np.full(len(populations), np.nan)
    return np.asarray(r2(part, shown, weights, stacked=True))


def as_sample_measure(
    cube: Hypercube, size: Any, model: Any, weights: Any, draws: Any
) -> tuple[SampleMeasure, Hypercube]:
    """The measure of a server on a sample, checked, and its cube with the sampling weights that follow from strata."""
    from ...risk.table_arrays.weighting import together

    check_whole(draws=draws)
    chosen = as_model("shrunk" if model is None else model)
    if isinstance(chosen, (FiberPopulation, KnownPopulation)):
        raise InputError(
            f"model {chosen.name!r} knows of one table only, and a server has many: take 'log-linear', 'urn' or 'shrunk'."
        )
    strata = None
    if isinstance(size, Mapping):
        name, sizes = checked_strata(size, cube.labels)
        column = cube.column[name]
        people = np.bincount(column.codes, cube.counts, len(column.labels))
        for label, n in zip(column.labels, people, strict=True):
            if not n or n > sizes[label]:
                raise InputError(
                    f"people={{{name!r}: {{{label!r}: {sizes[label]}}}}}: the sample has {int(n)} people of this stratum; "
                    "it needs at least one, and not more than the population."
                )
        strata, size = (name, sizes), sum(sizes.values())
        if cube.weights is None:
            weight = np.array([sizes[label] for label in column.labels]) / people
            cube = cube.weighted(cube.counts * weight[column.codes])
    if cube.weights is not None:
        if isinstance(chosen, PolyaUrn):
            raise InputError("model 'urn' takes no sampling weights and no strata: take 'log-linear' or 'shrunk'.")
        size = size_by_weights(cube.weights, None if size is None else checked_size(size, cube.population))
    if size is None:
        raise InputError(
            f"risk='sample': how large is the population that these {cube.population:,} people were drawn from? Give "
            "people=."
        )
    term_weights = WEIGHTS if weights is None else weights
    together(term_weights, TERMS)
    return SampleMeasure(chosen, cube, checked_size(size, cube.population), strata, term_weights, int(draws)), cube
