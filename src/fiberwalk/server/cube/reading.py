"""Data in any form become a hypercube: records, one row a person, or counts of cells."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...base.text_files import delimiter_of, read_text
from ...posterior.populations.sampling_design import numbers_in, refuse_below_1, summed_weights
from ...release.files.parquet_file import parquet_frame
from ...release.tables.dims import TOTAL
from ...release.tables.hierarchies import levels_from
from ...release.tables.table_forms import COUNT_NAMES, Hierarchies, parent_columns, rows_of
from ...release.tables.tables import as_table, check_trees
from .hypercube import Column, Hypercube, gathered
from .keys_of_people import STORED, keys_of_numbers, stored_keys

FEW_PEOPLE = 50
"""Among so few people it may be by chance that no two have a label in common."""
MOST_READ, MOST_DIMS = 2_000, 200
"""Columns of a file, and those among which levels of each other are looked for."""


def as_hypercube(
    data: Any,
    *,
    count: str | None = None,
    keys: str | Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    hierarchies: Hierarchies | None = None,
    seed: int,
    sampling_weights: Any = None,
) -> Hypercube:
    """The cube of microdata or counts (see `TableServer` for the forms they may have)."""
    check_trees(hierarchies)
    if isinstance(data, (str, os.PathLike)):
        try:
            return as_hypercube(
                read_frame(data), count=count, keys=keys, columns=columns, hierarchies=hierarchies, seed=seed,
                sampling_weights=sampling_weights,
            )  # fmt: skip
        except InputError as problem:
            name = os.fspath(data)
            raise problem if str(problem).startswith(name) else InputError(f"{name}: {problem}") from None
    if _is_long(data):
        return _of_rows(data, count, keys, columns, dict(hierarchies or {}), seed, sampling_weights)
    for option, name in ((count, "count"), (keys, "keys"), (columns, "columns")):
        if option is not None:
            raise InputError(f"{name}= goes with a long frame or file, one row a person or cell.")
    return _of_table(data, hierarchies, seed, sampling_weights)


def read_frame(path: str | os.PathLike[str]) -> Any:
    """A CSV (comma, semicolon or tab) or Parquet file as a frame whose columns hold texts."""
    import pandas as pd

    name = os.fspath(path)
    if name.lower().endswith((".parquet", ".pq")):
        if not os.path.exists(path):
            raise InputError(f"{name}: there is no such file.")
        return parquet_frame(path)
    text = read_text(path)
    header = _header(text)
    if len(header) > MOST_READ:
        raise InputError(
            f"{name}: {len(header):,} columns; data have one row a person or cell, and a column for each dim."
        )
    try:
        frame = pd.read_csv(
            io.StringIO(text), sep=delimiter_of(text), dtype=str, keep_default_na=False, skipinitialspace=True,
            index_col=False,
        )  # fmt: skip
    except pd.errors.EmptyDataError:
        raise InputError(f"{name}: the file is empty.") from None
    except (pd.errors.ParserError, pd.errors.ParserWarning) as problem:
        raise InputError(f"{name}: not a well-formed CSV file ({str(problem).strip()}).") from None
    frame.columns = [str(column).strip() for column in frame.columns]
    for column in frame.columns:
        if re.fullmatch(r"Unnamed: \d+|.*\.\d+", column) and header.count(re.sub(r"\.\d+$", "", column)) != 1:
            raise InputError(f"{name}: a column has no name, or the name of another; give each a name of its own.")
    return frame


def _header(text: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.strip())
    return [field.strip().strip('"') for field in line.split(delimiter_of(text))]


def _is_long(data: Any) -> bool:
    """One row a person or cell; where nothing tells microdata from a crosstab, a server takes it for microdata."""
    is_frame = type(data).__module__.split(".")[0] == "pandas" and hasattr(data, "columns")
    return is_frame and rows_of(data) is not False


# --- rows ---------------------------------------------------------------------------------------------------------


def _of_rows(
    frame: Any,
    count: str | None,
    keys: str | Sequence[str] | None,
    columns: Any,
    hierarchies: dict[str, Any],
    seed: int,
    sampling_weights: Any,
) -> Hypercube:
    names = [str(name) for name in frame.columns]
    if isinstance(columns, str):
        columns = [name.strip() for name in columns.split(",")]
    if sampling_weights is not None and not isinstance(sampling_weights, str):
        raise InputError("sampling_weights= of a long frame or file is the name of a column.")
    key_columns = _key_columns(names, keys)
    _check_names(names, (count, *key_columns, sampling_weights, *(columns or ())))
    if not len(frame):
        raise InputError("the data have no rows.")
    frame = frame.set_axis(names, axis=1)
    count = count_column(names, columns or ()) if count is None else count
    if count is not None and key_columns:
        raise InputError("keys= belongs to records, one row a person; these data have a column of counts.")
    dims = [name for name in (columns or names) if name not in (count, *key_columns, sampling_weights)]
    if not dims:
        raise InputError("no column is left for a dim.")
    if len(dims) > MOST_DIMS:
        raise InputError(f"{len(dims):,} columns would be dims; say which of them are (columns=).")
    coded = [_coded(frame[name], name, sort=count is None) for name in dims]
    record_keys = np.zeros(len(frame), dtype=np.uint64)
    if count is None:
        _refuse_names(coded, len(frame))
        counts = np.ones(len(frame), dtype=np.int64)
        if len(key_columns) == 1:
            record_keys = keys_of_numbers(frame[key_columns[0]], key_columns[0], seed)
        elif key_columns:
            record_keys = stored_keys(frame, key_columns)
    else:
        _refuse_numbers(coded, len(frame))
        counts = _counts(frame[count], count)
    if not counts.any():
        raise InputError("all counts are zero: there is nobody to be counted.")
    weights = None if sampling_weights is None else _weights(frame[sampling_weights], sampling_weights, counts)
    cube = _with_levels(gathered(coded, counts, record_keys, seed, weights), hierarchies).occupied()
    return cube if key_columns else cube.keyed_by_content()


def _key_columns(names: Sequence[str], keys: str | Sequence[str] | None) -> tuple[str, ...]:
    """The columns of record keys: one of numbers, or the two of stored keys, which are known by their names."""
    if keys is None:
        return STORED if set(STORED) <= set(names) else ()
    columns = (keys,) if isinstance(keys, str) else tuple(keys)
    if len(columns) not in (1, 2) or not all(isinstance(name, str) for name in columns):
        raise InputError(f"keys= names a column of numbers, or the two of stored keys, {STORED}; it is {keys!r}.")
    return columns


def _check_names(names: Sequence[str], asked: Iterable[str | None]) -> None:
    """Every column has a name of its own, and those that are asked for are there."""
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two columns are called {name!r}.")
    for given in asked:
        if given is not None and given not in names:
            raise InputError(f"there is no column {given!r}; {did_you_mean(str(given), names)}")


def count_column(names: Sequence[str], dims: Collection[str]) -> str | None:
    """The column of counts by its name; None where there is none: one row a person."""
    named = [one for one in names if one.lower() in COUNT_NAMES and one not in dims]
    if len(named) > 1:
        raise InputError(f"it is not clear which of {', '.join(named)} holds the counts; give count=.")
    return named[0] if named else None


def _refuse_names(columns: Sequence[Column], people: int) -> None:
    """Refuse a column that names people one by one: every other would be a level of it."""
    for column in columns:
        if len(column.labels) == people > FEW_PEOPLE:
            raise InputError(
                f"column {column.name!r} has another label in every row: it names people, not groups of them; leave it out "
                "(columns=), or take it for their keys (keys=)."
            )


def _refuse_numbers(columns: Sequence[Column], cells: int) -> None:
    """Refuse a column that numbers the cells: all others would be levels of it, although not of each other."""
    for column in columns:
        others = [other for other in columns if other is not column]
        if len(column.labels) == cells > FEW_PEOPLE and any(
            not _follows(first, second) and not _follows(second, first) for first, second in combinations(others, 2)
        ):
            raise InputError(
                f"column {column.name!r} has another label in every row, as if it numbered them; leave it out (columns=)."
            )


def _coded(column: Any, name: str, sort: bool) -> Column:
    """A column as numbers of labels; those of records are sorted, those of cells stand as they come."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, categories = column.cat.codes.to_numpy().astype(np.int64), column.cat.categories
        ordered = column.cat.ordered
    else:
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
        raise InputError(f"row {int(np.flatnonzero(missing)[0]) + 1} has no label in column {name!r}.")
    place = {label: number for number, label in enumerate(labels)}
    codes = np.array([place[text] for text in texts])[codes]
    if TOTAL in place:
        raise InputError(
            f"column {name!r} has the label {TOTAL!r}, the word kept for sums: leave totals out of the data, or rename it."
        )
    used, first = np.unique(codes, return_index=True)
    if ordered:
        order = used
    elif sort:
        order = np.array(sorted(used.tolist(), key=lambda code: (_natural(labels[code]), labels[code])))
    else:
        order = used[np.argsort(first)]
    new = np.empty(len(labels), dtype=np.int64)
    new[order] = np.arange(len(order))
    return Column(name, tuple(labels[code] for code in order), new[codes])


def _natural(label: str) -> tuple[Any, ...]:
    """The key by which labels are sorted: numbers in them count as numbers, however long, 5-9 before 10-14."""
    parts = [(part.lstrip("0"), part) for part in re.split(r"(\d+)", label) if part]
    return tuple((0, len(digits), digits) if part.isdecimal() else (1, 0, part) for digits, part in parts)


def _counts(column: Any, name: str) -> np.ndarray:
    import pandas as pd

    values = pd.to_numeric(column.astype(object), errors="coerce").to_numpy(float)
    for wrong, problem in (
        (~np.isfinite(values), "is no number"),
        (values < 0, "is negative"),
        (values != np.round(values), "is not a whole number"),
        (values > 2**53, "is too large"),
    ):
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise InputError(f"row {row + 1}: the count {str(column.iloc[row])!r} in column {name!r} {problem}.")
    return values.astype(np.int64)


def _weights(column: Any, name: str, counts: np.ndarray) -> np.ndarray:
    """Sums of the sampling weights of the people in every row."""
    per_person = numbers_in(column, f"column {name!r}")
    refuse_below_1(per_person[counts > 0])
    return np.asarray(counts * per_person)


# --- tables -------------------------------------------------------------------------------------------------------


def _of_table(data: Any, hierarchies: Hierarchies | None, seed: int, sampling_weights: Any) -> Hypercube:
    table = as_table(data, hierarchies=hierarchies)
    places = np.nonzero(table.values)
    if not len(places[0]):
        raise InputError("all counts are zero: there is nobody to be counted.")
    columns = [Column(dim.name, dim.labels, codes) for dim, codes in zip(table.dims, places, strict=True)]
    counts = table.values[places]
    cube = Hypercube(tuple(columns), counts, np.zeros(len(counts), dtype=np.uint64), seed)
    if sampling_weights is not None:
        weights = summed_weights(sampling_weights, table.values.ravel(), table.dims)
        cube = cube.weighted(weights.reshape(table.values.shape)[places])
    for dim in table.dims:
        for level in dim.levels:
            cube = _with_level(cube, dim.name, level.name, level.group_of)
    return cube.keyed_by_content()


# --- levels -------------------------------------------------------------------------------------------------------


def _with_levels(cube: Hypercube, hierarchies: dict[str, Any]) -> Hypercube:
    """The cube with the levels that hierarchies give its dims; columns that follow from others are found to be levels."""
    cube, stated = _with_told_levels(cube, hierarchies)
    follows = _levels_found(cube.columns)

    def placed(column: Column) -> Column:
        finer = follows[column.name]
        if finer is None:
            return column
        sure = column.name in stated
        return replace(column, level_of=finer, group=_group(column, cube.column[finer]), sure=sure)

    return replace(cube, columns=tuple(placed(column) for column in cube.columns))


def _with_told_levels(cube: Hypercube, hierarchies: dict[str, Any]) -> tuple[Hypercube, set[str]]:
    """The cube with the levels that hierarchies spell out, and the columns that hierarchies name as levels."""
    stated: set[str] = set()
    for dim, spec in hierarchies.items():
        if dim not in cube.labels:
            raise InputError(f"a hierarchy is given for {dim!r}; {did_you_mean(str(dim), cube.labels)}")
        parents = parent_columns(spec)
        stated |= set(parents or ())
        for parent in parents or ():
            if parent not in cube.labels:
                raise InputError(f"the hierarchy of dim {dim!r} names {parent!r}; {did_you_mean(parent, cube.labels)}")
            _refuse_other_groups(cube.column[parent], cube.column[dim])
        if parents is None:
            for level in levels_from(dim, cube.labels[dim], spec):
                cube = _with_level(cube, dim, level.name, level.group_of)
    return cube, stated


def _levels_found(columns: Sequence[Column]) -> dict[str, str | None]:
    """For each column the finest that it is a level of; None where it is one of these itself."""
    follows = {column.name: column.level_of for column in columns}
    plain = [column for column in columns if column.level_of is None]
    for place, coarse in enumerate(plain):
        for other, fine in enumerate(plain):
            if other == place or not _follows(coarse, fine) or (other > place and _follows(fine, coarse)):
                continue
            follows[coarse.name] = fine.name
    for name in follows:  # a level of a level is one of the finest
        while (finer := follows[name]) is not None and follows[finer] is not None:
            follows[name] = follows[finer]
    return follows


def _group(coarse: Column, fine: Column) -> np.ndarray:
    """For each label of the fine column, a label of the coarse one that stands beside it."""
    group = np.zeros(len(fine.labels), dtype=np.int64)
    group[fine.codes] = coarse.codes
    return group


def _follows(coarse: Column, fine: Column) -> bool:
    """Does every label of the fine column go with one label of the coarse one, in all cells?"""
    if len(coarse.labels) > len(fine.labels):
        return False
    return bool((_group(coarse, fine)[fine.codes] == coarse.codes).all())


def _refuse_other_groups(coarse: Column, fine: Column) -> None:
    """Refuse a column that is said to be a level of another where one label of that has several of its own."""
    group = _group(coarse, fine)
    wrong = np.flatnonzero(group[fine.codes] != coarse.codes)
    if len(wrong):
        label = fine.labels[fine.codes[wrong[0]]]
        both = coarse.labels[coarse.codes[wrong[0]]], coarse.labels[group[fine.codes[wrong[0]]]]
        raise InputError(
            f"{coarse.name!r} is said to be a level of {fine.name!r}, but {fine.name}={label} has {both[0]!r} and "
            f"{both[1]!r}."
        )


def _with_level(cube: Hypercube, dim: str, name: str, group_of: Sequence[str]) -> Hypercube:
    if name in cube.labels:
        raise InputError(f"{name!r} names two dims or levels; rename one, so that requests can name each.")
    labels = tuple(dict.fromkeys(group_of))
    group = np.array([labels.index(label) for label in group_of])
    level = Column(name, labels, group[cube.column[dim].codes], level_of=dim, group=group, sure=True)
    return replace(cube, columns=(*cube.columns, level))
