"""Closed forms: sharp bounds where all that is published is complete margins of one table.

The published sets of dims form a hypergraph. A set S of dims that some margin shows is a *separator* if no margin has dims
on both sides of it. The table is then bounded through its two marginal tables: within each slice of S they are the row and
column sums of a two-way table, so that a cell of it lies between max(0, a + b - n_S) and min(a, b), where a and b are the
cells of the marginal tables, and can be every whole number between (Frechet bounds). Each side is bounded by itself. Cut as
often as possible, this leaves *components*. A component whose margin is published is known; any other is a smaller table, to
be solved by other means. Margins of which all components are known are called decomposable, others with a separator
reducible (Dobra and Fienberg 2000).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy.sparse as sp

from ...release.facts.facts import NO_LIMIT
from ...release.release import Release, unpublished

DECOMPOSABLE, REDUCIBLE = "closed form", "closed form of smaller tables"

Dims = frozenset[int]
"""Positions of dims in the release; dims with a single label are in none, as summing over them changes nothing."""


@dataclass(frozen=True, eq=False)
class Component:
    """A part of the dims that has no separator, and the largest sets of dims whose margins are known in it."""

    dims: Dims
    known: tuple[Dims, ...]

    @property
    def complete(self) -> bool:
        """Is its whole marginal table published?"""
        return self.known == (self.dims,)


@dataclass(frozen=True, eq=False)
class Components:
    """The parts of a release of margins, the separators they were cut at (as often as cut), and every known margin."""

    release: Release
    parts: tuple[Component, ...]
    separators: tuple[Dims, ...]
    published: dict[Dims, np.ndarray]

    @property
    def free(self) -> bool:
        """Is there a dim with several labels that no margin shows?"""
        shown = frozenset().union(*(part.dims for part in self.parts))
        return any(len(dim.labels) > 1 and i not in shown for i, dim in enumerate(self.release.dims))

    def margin(self, dims: Dims) -> np.ndarray:
        """A margin that is part of a published one, over all axes of the table (of length 1 where summed over)."""
        source = next(values for known, values in self.published.items() if dims <= known)
        return source.sum(axis=tuple(i for i in range(source.ndim) if i not in dims), keepdims=True)

    def sub_release(self, part: Component) -> Release:
        """The marginal table of a component and its known margins, as a release by itself."""
        axes = sorted(part.dims)
        truth = None
        if self.release.truth is not None:
            whole = self.release.truth[self.release.grids[0].cells]
            truth = whole.sum(axis=tuple(i for i in range(whole.ndim) if i not in part.dims)).ravel()
        small = unpublished([self.release.dims[i] for i in axes], self.release.decimals, truth)
        margins = [small.margin([self.release.dims[i].name for i in sorted(known)]) for known in part.known]
        figures = np.concatenate([self.margin(known).ravel() for known in part.known])
        keys = np.concatenate([keys for keys, _ in margins])
        return small.with_facts(keys, sp.vstack([matrix for _, matrix in margins]), figures, figures, figures)


def margin_bounds(
    release: Release, solve: Callable[[Release], tuple[np.ndarray, np.ndarray]] | None = None
) -> tuple[np.ndarray, np.ndarray, str] | None:
    """The sharp bounds of every cell, lower and upper, and what they rest on; None where no closed form applies.

    `solve` gives the sharp bounds of all cells of a smaller table; without it, only decomposable margins are answered.
    """
    cut = components(release)
    if cut is None:
        return None
    open_parts = [part for part in cut.parts if not part.complete]
    whole = len(cut.parts) == 1 and not cut.free
    if open_parts and (solve is None or whole):
        return None
    shape = release.grids[0].cells.shape
    low, high = np.zeros(shape, dtype=np.int64), np.full(shape, NO_LIMIT, dtype=np.int64)
    for part in cut.parts:
        if part.complete or solve is None:
            least = most = cut.margin(part.dims)
        else:
            flat = tuple(n if i in part.dims else 1 for i, n in enumerate(shape))
            least, most = (np.asarray(side).reshape(flat) for side in solve(cut.sub_release(part)))
        low += least
        high = np.minimum(high, most)
    for separator in cut.separators:
        low -= cut.margin(separator)
    # What a sum over a free dim holds may all stand in another cell of it.
    low = np.zeros_like(low) if cut.free else np.maximum(low, 0)
    lower, upper = np.empty(release.n_cells, dtype=np.int64), np.empty(release.n_cells, dtype=np.int64)
    lower[release.grids[0].cells], upper[release.grids[0].cells] = low, high
    return lower, upper, REDUCIBLE if open_parts else DECOMPOSABLE


def components(release: Release) -> Components | None:
    """The components of a release of complete, exact, consistent margins of one table and nothing else, or None."""
    published = _margins(release)
    if published is None:
        return None
    largest = maximal(published)
    published = {known: published[known] for known in largest}
    return Components(release, *cut_apart(largest), published)


def cut_apart(known: Iterable[Dims]) -> tuple[tuple[Component, ...], tuple[Dims, ...]]:
    """The components of some sets of dims whose margins are known, and the separators they were cut at."""
    largest = maximal(known)
    parts: list[Component] = []
    separators: list[Dims] = []
    _cut(frozenset().union(*largest), largest, parts, separators)
    return tuple(parts), tuple(separators)


def apart(dims: Dims, known: Iterable[Dims]) -> list[Dims]:
    """Some dims in groups that no margin connects."""
    groups, remaining = [], dims
    while remaining:
        groups.append(_reach(remaining, tuple(known)))
        remaining -= groups[-1]
    return groups


def _margins(release: Release) -> dict[Dims, np.ndarray] | None:
    """The published margins, each over all axes (of length 1 where it sums), or None where there is anything else."""
    sums, several = release.sums, np.array([len(dim.labels) > 1 for dim in release.dims])
    finest = [np.arange(len(dim.labels)) for dim in release.dims]
    if (
        len(release.grids) != 1
        or release.evidence
        or release.choices
        or not len(sums)
        or (sums.lower != sums.upper).any()
    ):
        return None
    grid = release.grids[0]
    if not all(np.array_equal(nodes, labels) for nodes, labels in zip(grid.nodes, finest, strict=True)):
        return None
    if (
        release.lower.any()
        or (release.upper < NO_LIMIT).any()
        or release.own.any()
        or grid.cells.size != release.n_cells
    ):
        return None
    is_total = sums.keys == np.array([dim.total for dim in release.dims])
    if not (is_total | ((sums.keys >= 0) & (sums.keys < [len(labels) for labels in finest]))).all():
        return None
    shows = ~is_total & several
    margins: dict[Dims, np.ndarray] = {}
    matrix = sp.csr_array(sums.matrix, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if (matrix.data != 1).any():
        return None
    fact_of_entry = np.repeat(np.arange(len(sums)), np.diff(matrix.indptr))
    place = np.empty(release.n_cells, dtype=np.int64)
    for pattern in np.unique(shows, axis=0):
        facts = np.flatnonzero((shows == pattern).all(axis=1))
        shape = tuple(len(labels) if shown else 1 for labels, shown in zip(finest, pattern, strict=True))
        where = np.ravel_multi_index(tuple(np.where(pattern, sums.keys[facts], 0).T), shape)
        order = np.argsort(where)
        if not np.array_equal(where[order], np.arange(np.prod(shape))):
            return None
        # A key says what a sum ought to be made of, the matrix what it is made of: each cell, once, in the sum at its place.
        groups = [labels if shown else 0 * labels for labels, shown in zip(finest, pattern, strict=True)]
        place[grid.cells] = np.ravel_multi_index(np.ix_(*groups), shape)
        sum_at = np.full(len(sums), -1)
        sum_at[facts] = where
        place_of_sum = sum_at[fact_of_entry]
        entries = np.flatnonzero(place_of_sum >= 0)
        if len(entries) != release.n_cells or (place[matrix.indices[entries]] != place_of_sum[entries]).any():
            return None
        margins[frozenset(np.flatnonzero(pattern).tolist())] = sums.lower[facts[order]].reshape(shape)
    return margins if _consistent(margins) else None


def _consistent(margins: dict[Dims, np.ndarray]) -> bool:
    """Do any two margins agree in the sums they share, and is none below 0? Contradictions are explained elsewhere."""
    for (dims, first), (other_dims, second) in combinations(margins.items(), 2):
        shared = dims & other_dims
        summed = tuple(i for i in range(first.ndim) if i not in shared)
        if (first.sum(axis=summed) != second.sum(axis=summed)).any():
            return False
    return all((values >= 0).all() for values in margins.values())


def maximal(sets: Iterable[Dims]) -> tuple[Dims, ...]:
    """The sets that are part of no other, in a fixed order."""
    distinct = sorted(set(sets), key=lambda dims: (len(dims), sorted(dims)))
    return tuple(dims for i, dims in enumerate(distinct) if not any(dims < other for other in distinct[i + 1 :]))


def _cut(dims: Dims, known: tuple[Dims, ...], parts: list[Component], separators: list[Dims]) -> None:
    """Append the components of some dims, cutting at the smallest separators first."""
    faces = {
        frozenset(face) for shown in known for size in range(len(shown)) for face in combinations(sorted(shown), size)
    }
    for separator in sorted(faces, key=lambda face: (len(face), sorted(face))):
        side = _reach(dims - separator, known)
        rest = dims - separator - side
        if rest:
            separators.append(separator)
            for half in (side | separator, rest | separator):
                _cut(half, maximal(shown & half for shown in known), parts, separators)
            return
    parts.append(Component(dims, known))


def _reach(dims: Dims, known: tuple[Dims, ...]) -> Dims:
    """The dims that hang together with the first of some dims, through margins and within these dims."""
    reached = frozenset(sorted(dims)[:1])
    while True:
        further = reached.union(*(shown & dims for shown in known if shown & reached))
        if further == reached:
            return reached
        reached = further
