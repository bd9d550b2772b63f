"""A table of sample counts, and what is known of the population it was drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...protect.records.sample_drawing import Sampling, sampling_of
from ...release.facts.facts import NO_LIMIT, NO_VALUE, PUBLISHED
from ...release.release import Release
from ...release.tables.dims import Dim
from ...release.tables.tables import Table, as_means, as_table
from .outside_facts import Group, OutsideFacts, facts_of
from .sampling_design import size_by_weights, standing_for, strata_of, summed_weights, weighted_frame

MOST_PEOPLE = 10**15
"""Counts are then exact also as floating-point numbers."""


@dataclass(frozen=True, eq=False)
class SampleTable:
    """Sample counts (flat), their dims, how large the population is, and the release that tells more of it, if any."""

    counts: np.ndarray
    dims: tuple[Dim, ...]
    size: int
    release: Release | None = None
    standing: np.ndarray | None = None
    """How many people outside the sample those of each cell stand for, by their weights; None: everybody for as many."""
    strata: tuple[Group, ...] = ()
    """Parts of the table of which it is known how many people outside the sample they have."""
    shut: np.ndarray | None = None
    """[cell]: nobody of the population can be in it; beside what the release says."""

    @property
    def table(self) -> Table:
        """The sample as a table."""
        return Table(self.counts.reshape(self.shape), self.dims)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many categories each dim has."""
        return tuple(len(dim.labels) for dim in self.dims)

    @cached_property
    def n(self) -> int:
        """How many people are in the sample."""
        return int(self.counts.sum())

    @property
    def outside(self) -> int:
        """How many people of the population are not in the sample."""
        return self.size - self.n

    @property
    def truth(self) -> np.ndarray | None:
        """The population table (flat), where the release carries it."""
        return None if self.release is None else self.release.truth

    @cached_property
    def outside_facts(self) -> OutsideFacts:
        """What is known of the people outside the sample, whatever a model believes."""
        return facts_of(self.counts, self.dims, self.outside, shut=self.shut, strata=self.strata, release=self.release)

    @cached_property
    def shares(self) -> np.ndarray:
        """As many people as are in the sample, spread over the cells as those outside it whom they stand for."""
        if self.standing is None or not self.standing.any():
            return self.counts
        return np.asarray(self.standing * (self.n / self.standing.sum()))

    def refuse_design(self, model: str, why: str) -> None:
        """Refuse sampling weights and strata, for a model that has no place for them."""
        if self.standing is not None:
            raise InputError(f"model {model!r} takes no sampling weights and no strata: {why}.")

    @cached_property
    def release_of_outside(self) -> Release:
        """What the release says of the people outside the sample: every known figure less that of the sample.

        The probability of a sample, prod C(F, f), times a law mu^F / F! is mu^(F - f) / (F - f)! up to a factor: for laws
        of this form the people outside the sample follow the same law by themselves.
        """
        release = self.release
        assert release is not None
        in_sample, facts = self.counts, release.sums
        in_sums = facts.matrix @ in_sample
        of_people = np.asarray(abs(facts.matrix).sum(axis=1) == facts.matrix.sum(axis=1)).ravel()
        shifted = replace(
            facts,
            lower=np.where(of_people, np.maximum(facts.lower - in_sums, 0), facts.lower - in_sums),
            upper=np.where(facts.upper >= NO_LIMIT, facts.upper, facts.upper - in_sums),
            value=np.where(facts.value == NO_VALUE, NO_VALUE, facts.value - in_sums),
        )
        return replace(
            release,
            lower=np.maximum(release.lower - in_sample, 0),
            upper=np.where(release.upper >= NO_LIMIT, release.upper, release.upper - in_sample),
            value=np.where(release.value == NO_VALUE, NO_VALUE, release.value - in_sample),
            choices=tuple(choice.less(in_sample) for choice in release.choices),
            sums=shifted, truth=None, evidence=(), applied=(), figures=None, sum_figures={},
        )  # fmt: skip


def as_sample(
    sample: Any,
    size: Any = None,
    *,
    count: str | None = None,
    sampling_weights: Any = None,
) -> SampleTable:
    """A sample as a user gives it: a table of counts with the size of its population, or a release of one."""
    if isinstance(sample, Release):
        if sampling_weights is not None or isinstance(size, Mapping):
            raise InputError(
                "a release of a sample has neither sampling weights nor strata: give a table with people=."
            )
        return _of_release(sample, size)
    weights = None
    if isinstance(sampling_weights, str):
        sample, weights = weighted_frame(sample, sampling_weights, count)
        count = None
    table = as_table(sample, count=count)
    counts = table.values.ravel()
    n = int(counts.sum())
    if n < 1:
        raise InputError("the sample is empty: it sums to 0.")
    if weights is not None:
        weights = as_means(weights, table.dims, "sampling_weights=").ravel()
    elif sampling_weights is not None:
        weights = summed_weights(sampling_weights, counts, table.dims)
    strata: tuple[Group, ...] = ()
    if isinstance(size, Mapping):
        by_strata, strata, size = strata_of(size, table)
        weights = by_strata if weights is None else weights
    if weights is None:
        if size is None:
            raise InputError(f"how large is the population that these {n} people were drawn from? Give people=.")
        return SampleTable(counts, table.dims, checked_size(size, n))
    size = checked_size(size_by_weights(weights, None if size is None else checked_size(size, n)), n)
    return SampleTable(counts, table.dims, size, standing=standing_for(weights, counts), strata=strata)


def _of_release(release: Release, size: Any) -> SampleTable:
    if len(release.grids) != 1 or len(release.applied) != 1 or release.applied[0].name != Sampling.name:
        raise InputError(
            "a release says what a sample tells of its population where it was made by fw.protect.draw_sample(), or read by "
            "fw.protect.as_protected(table, 'draw_sample', exact=[...]); this one was not."
        )
    assert release.figures is not None
    if (release.status == PUBLISHED).any() or release.figures.min() < 0:
        raise InputError("the release of a sample has a sample count for every cell; this one has not.")
    population = sampling_of(release).population
    if size is not None and size != population:
        raise InputError(
            f"people={size!r}: the release says that the population is of {population}; leave out people=."
        )
    counts = release.figures
    sample = SampleTable(counts, release.dims, checked_size(population, int(counts.sum())), release)
    return replace(sample, shut=sample.outside_facts.shut)  # a sample that contradicts the facts is refused, in words


def checked_size(size: Any, n: int) -> int:
    """The size of a population, which cannot be smaller than a sample of it."""
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1:
        raise InputError(f"people={size!r}: the size of the population is a whole number of at least 1.")
    if size > MOST_PEOPLE:
        raise InputError(f"people={size}: a population has at most {MOST_PEOPLE:,} people here.")
    if size < n:
        raise InputError(f"people={size}: the sample has {n} people, and cannot be larger than its population.")
    return int(size)
