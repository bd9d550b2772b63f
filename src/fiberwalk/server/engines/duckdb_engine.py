"""DuckDB over Parquet and CSV files: a group-by that reads them as a stream, in bounded memory."""

from __future__ import annotations

import glob
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...base.errors import InputError
from ...base.numbers import check_whole
from .csv_scan import CsvScan, csv_scan
from .engine import Engine, KeyFacts, in_our_words
from .parquet_scan import ParquetScan, parquet_scan
from .sql import name_of

PARQUET = (".parquet", ".pq")


def duckdb(
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, memory: str = "2GB", threads: int | None = None
) -> Engine:
    """Microdata in Parquet or CSV files of any size, counted by DuckDB.

    The answers of a server are the same, to the last bit, as if it had read the data as a whole. What it reads is the
    columns that are dims, and stored record keys (`record_keys`); nothing is kept but the counts of occupied cells. Where
    DuckDB needs more memory than it has, it writes to a folder of temporary files that nobody else may read, and removes it.
    It needs the extra `fiberwalk[duckdb]`.

    Parameters
    ----------
    files
        A file, a list of files, or a pattern such as "people/*.parquet": all Parquet or all CSV (comma, semicolon or tab;
        UTF-8), and all with the same columns.
    memory
        How much of it DuckDB may use, such as "2GB". What Python holds of occupied cells comes on top.
    threads
        How many it may use; left out: one a core.

    Examples
    --------
    >>> import fiberwalk as fw, pandas as pd, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for year in (2025, 2026):
    ...     people = pd.DataFrame({"year": year, "sex": list("ffmmm"), "age": [31, 42, 42, 42, 31]})
    ...     people.to_parquet(folder / f"{year}.parquet")
    >>> people = fw.server.engines.duckdb(folder / "*.parquet", memory="500MB")
    >>> server = fw.server.TableServer(people, mechanism="random_round", parameters={"base": 3}, seed=1)
    >>> server.cube
    <Hypercube of 10 people in 8 occupied cells: year (2), sex (2), age (2)>
    """
    if not isinstance(memory, str) or not re.fullmatch(r"\d+(\.\d+)?\s*[KMGT]i?B", memory.strip(), re.IGNORECASE):
        raise InputError(f"memory={memory!r}: an amount such as '2GB'.")
    if threads is not None:
        check_whole(threads=threads)
    named = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    words = os.fspath(named[0]) + (f" and {len(named) - 1} more" if len(named) > 1 else "") if named else "no file"
    found = [file for one in named for file in _files(os.fspath(one))]
    if not found:
        raise InputError(f"{words}: there is no such file.")
    parquet = {file.lower().endswith(PARQUET) for file in found}
    if len(parquet) > 1:
        raise InputError(f"{words}: all are Parquet files, or none is.")
    with in_our_words(words):
        scan: ParquetScan | CsvScan = parquet_scan(found) if parquet.pop() else csv_scan(found)
        engine = DuckDBEngine(words, scan, memory, threads)
        engine.check()
    return engine


def _files(pattern: str) -> list[str]:
    if os.path.isdir(pattern):
        raise InputError(
            f"{pattern}: this is a folder, not a file; name its files, such as {os.path.join(pattern, '*')}."
        )
    return [pattern] if os.path.exists(pattern) else sorted(glob.glob(pattern, recursive=True))


@dataclass(frozen=True)
class DuckDBEngine(Engine):
    """Files that DuckDB counts; each question has a database of its own, in memory, which keeps nothing."""

    named: str
    """The files, as users name them."""
    scan: ParquetScan | CsvScan
    memory: str
    threads: int | None

    def __repr__(self) -> str:
        return f"<DuckDB on {self.words}: {', '.join(self.columns)}>"

    @property
    def words(self) -> str:
        """What is counted, for messages."""
        return self.named

    @property
    def columns(self) -> Sequence[str]:
        """The names of all columns, in order."""
        return self.scan.columns

    def check(self) -> None:
        """Refuse files that DuckDB does not read."""
        alike = [name.lower() for name in self.columns]
        for name in self.columns:
            if alike.count(name.lower()) > 1:
                raise InputError(f"two columns are called {name!r}, small and capital letters being alike to DuckDB.")
        with self._selected("1", "LIMIT 1") as selected:
            selected.fetchall()

    def values(self, column: str, most: int) -> Any:
        """The distinct values of a column."""
        with self._selected(f"DISTINCT {name_of(column)}", f"LIMIT {most}") as selected:
            found = selected.to_arrow_table().column(0).combine_chunks()
        return self.scan.as_read(column, found)

    def key_facts(self, keys: Sequence[str]) -> KeyFacts:
        """What the two columns of halves of record keys hold."""
        asked = ["count(*)"]
        for key in keys:
            number, is_whole = self._number(key)
            asked += [f"count({number})", f"min({number})", f"max({number})", f"coalesce(bool_and({is_whole}), true)"]
        with self._selected(", ".join(asked)) as selected:
            records, *facts = selected.fetchall()[0]
        there, smallest, largest, whole = (tuple(facts[place::4]) for place in range(4))
        missing = tuple(records - number for number in there)
        return KeyFacts(records, missing, smallest, largest, whole)

    def distinct_keys(self, keys: Sequence[str]) -> int:
        """How many keys there are."""
        high, low = (f"CAST({self._half(key)} AS UBIGINT)" for key in keys)
        with self._selected(f"count(DISTINCT {high} * 4294967296 + {low})") as selected:
            return int(selected.fetchall()[0][0])

    def groups(self, columns: Sequence[str], keys: Sequence[str], most: int) -> Iterator[Any]:
        """Batches of the groups, as DuckDB hands them out."""
        import pyarrow as pa

        # a sum is of 128 bits there, which leaves nothing to chance
        sums = [f"CAST(sum({self._half(key)}) % 18446744073709551616 AS UBIGINT)" for key in keys]
        names = [name_of(column) for column in columns]
        asked = ", ".join(f"{one} AS c{place}" for place, one in enumerate([*names, "count(*)", *sums]))
        with self._selected(asked, f"GROUP BY {', '.join(names)} LIMIT {most}") as selected:
            yield from pa.RecordBatchReader.from_stream(selected)

    def _number(self, key: str) -> tuple[str, str]:
        """A half of a key as a number, and whether it is a whole one."""
        column = name_of(key)
        if self.scan.is_whole(key):
            return column, "true"
        number = f"TRY_CAST({column} AS DOUBLE)"
        whole = f"regexp_full_match({column}, '\\s*[+]?[0-9]+\\s*')" if self.scan.is_text(key) else "false"
        return f"CASE WHEN isnan({number}) THEN NULL ELSE {number} END", whole

    def _half(self, key: str) -> str:
        return f"CAST({name_of(key)} AS BIGINT)"

    @contextmanager
    def _selected(self, asked: str, further: str = "") -> Iterator[Any]:
        """What a query selects."""
        try:
            import duckdb as driver
        except ImportError:
            raise InputError("counting by DuckDB needs the extra fiberwalk[duckdb].") from None
        with tempfile.TemporaryDirectory(prefix="fiberwalk-") as spilled:
            settings: dict[str, Any] = {
                "memory_limit": self.memory, "temp_directory": spilled, "preserve_insertion_order": "false",
                "autoinstall_known_extensions": "false", "autoload_known_extensions": "false",
            }  # fmt: skip
            if self.threads is not None:
                settings["threads"] = self.threads
            with driver.connect(":memory:", config=settings) as database:
                yield database.sql(f"SELECT {asked} FROM {self.scan.relation} {further}")
