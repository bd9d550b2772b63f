"""Ibis: a table of DuckDB, Polars, SQLite, and of other databases and warehouses, counted where it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...base.errors import InputError
from .engine import Engine, KeyFacts


def ibis(table: Any) -> Engine:
    """Microdata that Ibis reaches: one row a person, counted by the database that holds them.

    The answers of a server are the same, to the last bit, as if it had read the data as a whole: the tests compare DuckDB,
    Polars and SQLite, and no other database is claimed. It must tell texts apart as they are written (no collation that
    takes "a" for "A"), and add up 64-bit integers exactly, or modulo 2^64. It needs the extra `fiberwalk[ibis]`, and the one
    of Ibis for the database: `ibis-framework[polars]`.

    Parameters
    ----------
    table
        A table expression of Ibis: a table of a connection, or what is selected from one.

    Examples
    --------
    >>> import fiberwalk as fw, ibis, pandas as pd, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> pd.DataFrame({"sex": list("ffmmm"), "age": [31, 42, 42, 50, 31]}).to_parquet(folder / "people.parquet")
    >>> people = ibis.polars.connect().read_parquet(folder / "people.parquet")
    >>> server = fw.server.TableServer(fw.server.engines.ibis(people.filter(people["age"] < 50)), seed=1)
    >>> server.cube
    <Hypercube of 4 people in 4 occupied cells: sex (2), age (2)>
    """
    if not type(table).__module__.startswith("ibis.") or not hasattr(table, "group_by"):
        raise InputError(f"engines.ibis() takes a table of Ibis; this is a {type(table).__name__}.")
    return IbisEngine(table)


@dataclass(frozen=True, eq=False, repr=False)
class IbisEngine(Engine):
    """A table that Ibis counts."""

    table: Any

    def __repr__(self) -> str:
        return f"<Ibis on {', '.join(self.columns)}>"

    @property
    def words(self) -> str:
        """What is counted, for messages."""
        return "the table of Ibis"

    @property
    def columns(self) -> Sequence[str]:
        """The names of all columns, in order."""
        return tuple(self.table.columns)

    def values(self, column: str, most: int) -> Any:
        """The distinct values of a column."""
        held = self.table[column].type()
        dates = held.is_date() or (held.is_timestamp() and held.timezone is None)
        if not (held.is_string() or held.is_numeric() or held.is_boolean() or dates or held.is_null()):
            raise InputError(f"column {column!r} holds something else than labels: texts or numbers.")
        distinct = self.table.select(c0=self.table[column]).distinct().limit(most)
        return distinct.to_pyarrow().column(0).combine_chunks()

    def key_facts(self, keys: Sequence[str]) -> KeyFacts:
        """What the two columns of halves of record keys hold; they must be numbers."""
        numbers = self.table.select(**{f"h{place}": self.table[key] for place, key in enumerate(keys)})
        for key in keys:
            if not self.table[key].type().is_integer():
                return KeyFacts(0, (0, 0), (0, 0), (0, 0), (False, False))
        asked = {"records": numbers.count()}
        for half in ("h0", "h1"):
            asked |= {f"{half}_there": numbers[half].count(), f"{half}_smallest": numbers[half].min()}
            asked |= {f"{half}_largest": numbers[half].max()}
        facts = numbers.aggregate(**asked).to_pyarrow().to_pylist()[0]
        there, smallest, largest = ((facts[f"h0_{of}"], facts[f"h1_{of}"]) for of in ("there", "smallest", "largest"))
        records = facts["records"]
        return KeyFacts(records, (records - there[0], records - there[1]), smallest, largest, (True, True))

    def distinct_keys(self, keys: Sequence[str]) -> int:
        """How many keys there are."""
        high, low = (self.table[key] for key in keys)
        return int(self.table.select(high=high, low=low).distinct().count().to_pyarrow().as_py())

    def groups(self, columns: Sequence[str], keys: Sequence[str], most: int) -> Iterator[Any]:
        """Batches of the groups, as the database hands them out."""
        names = [f"c{place}" for place in range(len(columns))]
        asked = {name: self.table[column] for name, column in zip(names, columns, strict=True)}
        # sums are of 64 bits also where halves are stored in 32
        halves = {f"h{place}": self.table[key].cast("int64") for place, key in enumerate(keys)}
        records = self.table.select(**asked, **halves)
        sums = {f"sum_{half}": records[half].sum().cast("int64") for half in halves}
        groups = records.group_by(names).aggregate(number=records.count().cast("int64"), **sums).limit(most)
        yield from groups.select(*names, "number", *sums).to_pyarrow().to_batches()
