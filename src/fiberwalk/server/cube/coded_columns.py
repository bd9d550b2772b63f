"""Columns of data as numbers of labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...release.tables.dims import TOTAL
from .finding_levels import follows_from
from .hypercube import Column

FEW_PEOPLE = 50
"""Among so few people it may be by chance that no two have a label in common."""


def declared_labels(labels: Any, dims: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The labels that dims can have, as users declare them: {dim: [label, label, ...]}."""
    if labels is None:
        return {}
    if not isinstance(labels, Mapping):
        raise InputError(f"labels= is a dict of dim to the list of its labels; it is {labels!r}.")
    declared: dict[str, tuple[str, ...]] = {}
    for name, listed in labels.items():
        if name not in dims:
            raise InputError(f"labels= names the dim {str(name)!r}; {did_you_mean(str(name), dims)}")
        if isinstance(listed, str) or not isinstance(listed, Iterable):
            raise InputError(f"labels= of dim {name!r} is the list of its labels; it is {listed!r}.")
        declared[name] = tuple(str(label).strip() for label in listed)
        if len(set(declared[name])) < len(declared[name]) or not declared[name]:
            raise InputError(f"labels= of dim {name!r} has {'a label twice' if declared[name] else 'no label'}.")
    return declared


def coded(column: Any, name: str, declared: Sequence[str] | None, sort: bool, numbered: bool = True) -> Column:
    """A column as numbers of labels: as declared; else those of records are sorted, those of cells stand as they come.

    `numbered`: has each row a place, by which it can be found?
    """
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, categories = column.cat.codes.to_numpy().astype(np.int64), column.cat.categories
        ordered = column.cat.ordered
    else:
        if pd.api.types.is_float_dtype(column.dtype):
            column = column + 0.0  # the label of -0.0 is that of 0.0, whichever comes first
        try:
            codes, categories = pd.factorize(column)
        except TypeError:
            raise InputError(f"column {name!r} holds something else than labels: texts or numbers.") from None
        ordered = False
    texts = [str(text).strip() for text in categories]
    labels = list(dict.fromkeys(texts))
    missing = codes < 0
    if "" in labels:
        missing |= np.array([text == "" for text in texts])[codes]
    if missing.any():
        raise InputError(f"{_row(np.flatnonzero(missing)[0], numbered)} has no label in column {name!r}.")
    place = {label: number for number, label in enumerate(labels)}
    codes = np.array([place[text] for text in texts])[codes]
    if TOTAL in (place if declared is None else declared):
        raise InputError(
            f"column {name!r} has the label {TOTAL!r}, the word kept for sums: leave totals out of the data, or rename it."
        )
    if declared is not None:
        return _as_declared(name, labels, codes, tuple(declared), numbered)
    used, first = np.unique(codes, return_index=True)
    if ordered:
        order = used
    elif sort:
        order = np.array(sorted(used.tolist(), key=lambda code: (_natural(labels[code]), labels[code])))
    else:
        order = used[np.argsort(first)]
    new = np.empty(len(labels), dtype=np.int64)
    new[order] = np.arange(len(order))
    # data that count cells name labels that nobody has as well: whoever lists cells lists labels
    return Column(name, tuple(labels[code] for code in order), new[codes], declared=not sort)


def _as_declared(
    name: str, labels: Sequence[str], codes: np.ndarray, declared: tuple[str, ...], numbered: bool
) -> Column:
    """A column with the labels that it was said to have, also those that nobody has."""
    place = {label: number for number, label in enumerate(declared)}
    new = np.array([place.get(label, -1) for label in labels])[codes]
    if (new < 0).any():
        row = int(np.flatnonzero(new < 0)[0])
        raise InputError(
            f"{_row(row, numbered)} has the label {labels[codes[row]]!r} in column {name!r}, which labels= does not list; "
            f"{did_you_mean(labels[codes[row]], declared)}"
        )
    return Column(name, declared, new, declared=True)


def _row(place: int, numbered: bool) -> str:
    return f"row {place + 1}" if numbered else "a row"


def _natural(label: str) -> tuple[Any, ...]:
    """The key by which labels are sorted: numbers in them count as numbers, however long, 5-9 before 10-14."""
    parts = [(part.lstrip("0"), part) for part in re.split(r"(\d+)", label) if part]
    return tuple((0, len(digits), digits) if part.isdecimal() else (1, 0, part) for digits, part in parts)


def refuse_names(columns: Sequence[Column], people: int) -> None:
    """Refuse a column that names people one by one: every other would be a level of it."""
    for column in columns:
        if len(column.labels) == people > FEW_PEOPLE:
            raise InputError(
                f"column {column.name!r} has another label in every row: it names people, not groups of them; leave it out "
                "(columns=), or take it for their keys (keys=)."
            )


def refuse_numbers(columns: Sequence[Column], cells: int) -> None:
    """Refuse a column that numbers the cells: all others would be levels of it, although not of each other."""
    for column in columns:
        others = [other for other in columns if other is not column]
        if len(column.labels) == cells > FEW_PEOPLE and any(
            not follows_from(first, second) and not follows_from(second, first)
            for first, second in combinations(others, 2)
        ):
            raise InputError(
                f"column {column.name!r} has another label in every row, as if it numbered them; leave it out (columns=)."
            )
