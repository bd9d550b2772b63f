"""The same people behind every engine, and what it means that a server is the same."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import fiberwalk as fw
from fiberwalk.server.engines.engine import Engine, KeyFacts


class NaiveEngine(Engine):
    """A dict of groups, and sums of Python's integers that wrap as those of 64 bits do: the twin of all engines."""

    words = "people by hand"

    def __init__(self, frame: pd.DataFrame) -> None:
        self.table = pa.Table.from_pandas(frame, preserve_index=False)
        self.rows = self.table.to_pylist()

    @property
    def columns(self) -> Sequence[str]:
        return self.table.column_names

    def values(self, column: str, most: int) -> Any:
        return pa.array(list(dict.fromkeys(row[column] for row in self.rows))[:most], self.held(column))

    def held(self, column: str) -> Any:
        held = self.table.schema.field(column).type
        return held.value_type if pa.types.is_dictionary(held) else held

    def key_facts(self, keys: Sequence[str]) -> KeyFacts:
        numbers = [[row[key] for row in self.rows if row[key] is not None] for key in keys]
        missing, least, most, whole = zip(
            *((len(self.rows) - len(one), min(one), max(one), all(type(n) is int for n in one)) for one in numbers),
            strict=True,
        )
        return KeyFacts(len(self.rows), missing, least, most, whole)

    def distinct_keys(self, keys: Sequence[str]) -> int:
        return len({tuple(row[key] for key in keys) for row in self.rows})

    def groups(self, columns: Sequence[str], keys: Sequence[str], most: int) -> Any:
        counts, sums = Counter(), {key: Counter() for key in keys}
        for row in self.rows:
            cell = tuple(row[column] for column in columns)
            counts[cell] += 1
            for key in keys:
                sums[key][cell] += row[key]
        arrays = [pa.array([cell[place] for cell in counts], self.held(column)) for place, column in enumerate(columns)]
        wrapped = [np.array([sums[key][cell] % 2**64 for cell in counts], dtype=np.uint64) for key in keys]
        arrays += [pa.array(list(counts.values())), *(pa.array(of_key.view(np.int64)) for of_key in wrapped)]
        whole = pa.table(arrays, names=[f"c{place}" for place in range(len(arrays))])
        return whole.to_batches(max_chunksize=7)


def by_hand(frame: pd.DataFrame, folder: Path) -> Engine:
    return NaiveEngine(frame)


def duckdb_on_parquet(frame: pd.DataFrame, folder: Path) -> Engine:
    frame.to_parquet(folder / "people.parquet")
    return fw.server.engines.duckdb(folder / "people.parquet", memory="200MB")


def duckdb_on_parts(frame: pd.DataFrame, folder: Path) -> Engine:
    for part in range(3):
        frame.iloc[part::3].reset_index(drop=True).to_parquet(folder / f"part {part}.parquet")
    return fw.server.engines.duckdb(folder / "part *.parquet", memory="200MB", threads=1)


def ibis_on_duckdb(frame: pd.DataFrame, folder: Path) -> Engine:
    import ibis

    frame.to_parquet(folder / "ibis.parquet")
    connection = ibis.duckdb.connect()
    connection.read_parquet(folder / "ibis.parquet", table_name="people")
    return _table_of(connection, "people")


def ibis_on_polars(frame: pd.DataFrame, folder: Path) -> Engine:
    import ibis

    frame.to_parquet(folder / "polars.parquet")
    return fw.server.engines.ibis(ibis.polars.connect().read_parquet(folder / "polars.parquet"))


def ibis_on_sqlite(frame: pd.DataFrame, folder: Path) -> Engine:
    """Types are those of SQLite: texts, whole numbers, numbers; yes and no where a column says so."""
    import ibis

    path = folder / "people.sqlite"
    path.unlink(missing_ok=True)
    kinds = {"b": "BOOLEAN", "i": "BIGINT", "u": "BIGINT", "f": "DOUBLE"}
    quoted = {name: '"' + name.replace('"', '""') + '"' for name in frame.columns}
    columns = ", ".join(f"{quoted[name]} {kinds.get(frame[name].dtype.kind, 'TEXT')}" for name in frame.columns)
    database = sqlite3.connect(path)
    with database:
        database.execute(f"CREATE TABLE people ({columns})")
        rows = [tuple(None if pd.isna(value) else value for value in row) for row in frame.astype(object).to_numpy()]
        database.executemany(f"INSERT INTO people VALUES ({', '.join('?' * frame.shape[1])})", rows)
    database.close()
    return _table_of(ibis.sqlite.connect(path), "people")


def _table_of(connection: Any, name: str) -> Engine:
    OPENED.append(connection)
    return fw.server.engines.ibis(connection.table(name))


OPENED: list[Any] = []
"""Connections of Ibis, which nobody else closes."""


@pytest.fixture(autouse=True)
def closed_connections() -> Any:
    """What a test opened is closed after it."""
    yield
    while OPENED:
        OPENED.pop().disconnect()


ENGINES: dict[str, Callable[[pd.DataFrame, Path], Engine]] = {
    "by hand": by_hand,
    "DuckDB on Parquet": duckdb_on_parquet,
    "DuckDB on parts": duckdb_on_parts,
    "Ibis on DuckDB": ibis_on_duckdb,
    "Ibis on Polars": ibis_on_polars,
    "Ibis on SQLite": ibis_on_sqlite,
}


def assert_same(server: fw.server.TableServer, other: fw.server.TableServer) -> None:
    """The same to the last bit: cubes, what the log knows them by, and all tables of up to two dims."""
    cube, others = server.cube, other.cube
    assert dict(cube.labels) == dict(others.labels)
    assert list(cube.labels) == list(others.labels)
    for column, twin in zip(cube.columns, others.columns, strict=True):
        assert (column.level_of, column.told_level_of, column.declared) == (
            twin.level_of, twin.told_level_of, twin.declared,
        )  # fmt: skip
    arrays = [cube.counts, cube.keys, *(column.codes for column in cube.columns)]
    for mine, theirs in zip(
        arrays, [others.counts, others.keys, *(column.codes for column in others.columns)], strict=True
    ):
        assert mine.dtype == theirs.dtype
        assert np.array_equal(mine, theirs)
    assert server._version == other._version
    for dims in [*combinations(server.offered, 1), *combinations(server.offered, 2)]:
        assert server.tabulate(dims).tables.shown.tobytes() == other.tabulate(dims).tables.shown.tobytes()
