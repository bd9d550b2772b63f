"""How a sample was drawn where not everybody was as likely to be in it: strata with their sizes, and sampling weights.

A person with the sampling weight w was drawn with the probability 1 / w (w is the design weight): she stands for herself
and for w - 1 people outside the sample. Where everybody has the same weight this is the simple random sample of ASE15.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...release.tables.dims import Dim
from ...release.tables.table_forms import COUNT_NAMES
from ...release.tables.tables import Table, as_means
from .outside_facts import Group

NEAR = 0.01
"""How far, as a share, weights may be from adding up to the size that is given."""


class WeightedTable(NamedTuple):
    """Counts of the people in a sample, cell by cell, and the sums of their weights."""

    counts: Any
    weights: Any


def weighted_frame(frame: Any, weights: str, count: str | None) -> WeightedTable:
    """The counts and sums of weights of a long frame: one row a person, or with a count column some people of a cell."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"sampling_weights={weights!r} names a column, but the sample is no long frame.")
    names = [str(name) for name in frame.columns]
    for column in (weights, count):
        if column is not None and column not in names:
            raise InputError(f"there is no column {column!r}; {did_you_mean(column, names)}")
    frame = frame.set_axis(names, axis=1)
    if count is None:
        count = next((name for name in names if name.lower() in COUNT_NAMES and name != weights), None)
    dims = [name for name in names if name not in (weights, count)]
    if not dims:
        raise InputError(f"sampling_weights={weights!r}: no column is left for a dim.")
    row_weights = numbers_in(frame[weights], f"column {weights!r}")
    people = np.ones(len(frame)) if count is None else numbers_in(frame[count], f"column {count!r}")
    refuse_below_1(row_weights[people > 0])
    summed = frame[dims].astype(str).assign(people=people, weights=row_weights * people).groupby(dims, sort=False).sum()
    if len(dims) == 1:
        summed.index = pd.MultiIndex.from_arrays([summed.index], names=dims)
    return WeightedTable(summed["people"].astype(np.int64), summed["weights"])


def summed_weights(weights: Any, counts: np.ndarray, dims: Sequence[Dim]) -> np.ndarray:
    """The sums of weights in every cell of a sample, from a table of the weight that its people have."""
    person_weights = as_means(weights, dims, "sampling_weights=")
    if person_weights.shape != tuple(len(dim.labels) for dim in dims):
        raise InputError(f"sampling_weights= has the shape {person_weights.shape}; the sample has another.")
    flat = person_weights.ravel()
    refuse_below_1(flat[counts > 0])
    return np.where(counts > 0, counts * flat, 0.0)


def standing_for(weights: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """How many people outside the sample those of each cell stand for."""
    return np.maximum(weights - counts, 0.0)


def size_by_weights(weights: np.ndarray, size: int | None) -> int:
    """The size of the population that weights add up to; one that is given has to be near."""
    total = float(weights.sum())
    if size is not None and abs(total - size) > NEAR * size:
        raise InputError(
            f"the sampling weights add up to {total:,.6g} people, and people= says {size:,}: calibrate the weights, or "
            "leave out people=."
        )
    return int(np.floor(total + 0.5)) if size is None else size


def checked_strata(sizes: Mapping[Any, Any], labels: Mapping[str, Sequence[str]]) -> tuple[str, dict[str, int]]:
    """Of sizes {dim: {label: people}} the dim, and the size of each stratum; `labels` are those of all dims."""
    if len(sizes) != 1:
        raise InputError("people= of strata names one dim, such as people={'region': {'N': 1000, 'S': 500}}.")
    name, people = next(iter(sizes.items()))
    if name not in labels:
        raise InputError(
            f"people={{{name!r}: ...}}: strata are the categories of a dim of the table; {did_you_mean(str(name), labels)}"
        )
    by_label = {str(label): number for label, number in people.items()} if isinstance(people, Mapping) else {}
    if set(by_label) != set(labels[name]):
        missing = next((label for label in labels[name] if label not in by_label), None)
        stranger = next((label for label in by_label if label not in labels[name]), None)
        problem = f"there is no {stranger!r}" if missing is None else f"{missing!r} has none"
        raise InputError(
            f"people={{{name!r}: ...}} gives every category of the dim the size of its stratum; {problem}."
        )
    for label, number in by_label.items():
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
            raise InputError(f"people={{{name!r}: {{{label!r}: {number!r}}}}}: a whole number of people.")
    return name, {label: int(by_label[label]) for label in labels[name]}


def strata_of(sizes: Mapping[Any, Any], table: Table) -> tuple[np.ndarray, tuple[Group, ...], int]:
    """Of sizes {dim: {label: people}}: sums of weights in cells, the groups of cells, and the size of the population."""
    names = [dim.name for dim in table.dims]
    name, by_label = checked_strata(sizes, {dim.name: dim.labels for dim in table.dims})
    counts = table.values.ravel()
    stratum_of: np.ndarray = np.indices(table.values.shape)[names.index(name)].ravel()
    weights, groups = np.zeros(len(counts)), []
    for place, (label, number) in enumerate(by_label.items()):
        cells = np.flatnonzero(stratum_of == place)
        n = int(counts[cells].sum())
        if number < n:
            raise InputError(f"people={{{name!r}: {{{label!r}: {number}}}}}: the sample has {n} people there.")
        weights[cells] = counts[cells] * (number / max(n, 1))
        groups.append(Group(cells, number - n, f"the stratum {name}={label}"))
    return weights, tuple(groups), sum(by_label.values())


def refuse_below_1(weights: np.ndarray) -> None:
    """Refuse weights that nobody can have."""
    wrong = ~np.isfinite(weights) | (weights < 1)
    if wrong.any():
        raise InputError(
            f"sampling_weights= has {weights[wrong][0]:g}: a weight is a number of at least 1, one over the probability of "
            "being in the sample."
        )


def numbers_in(column: Any, named: str) -> np.ndarray:
    """A column as numbers, refused by the first row that has none."""
    import pandas as pd

    numbers: np.ndarray = pd.to_numeric(column.astype(object), errors="coerce").to_numpy(float)
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise InputError(f"row {row + 1}: {str(column.iloc[row])!r} in {named} is no number.")
    return numbers
