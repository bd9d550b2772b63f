"""Parquet as DuckDB reads it, with the columns that pandas would find."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...base.errors import InputError
from .arrow_labels import refuse_other_types
from .sql import text_of


@dataclass(frozen=True)
class ParquetScan:
    """Some Parquet files of the same columns."""

    files: tuple[str, ...]
    schema: Any
    columns: tuple[str, ...]

    @property
    def relation(self) -> str:
        """What DuckDB selects from."""
        # the files say what is in them, not the names of folders
        return f"read_parquet([{', '.join(map(text_of, self.files))}], hive_partitioning = false)"

    def is_text(self, column: str) -> bool:
        """Does a column hold texts?"""
        import pyarrow as pa

        held = self.schema.field(column).type
        return bool(pa.types.is_string(held) or pa.types.is_large_string(held))

    def is_whole(self, column: str) -> bool:
        """Does a column hold whole numbers?"""
        import pyarrow as pa

        return bool(pa.types.is_integer(self.schema.field(column).type))

    def as_read(self, column: str, values: Any) -> Any:
        """The values of a column that DuckDB found, as pandas reads them."""
        import pyarrow as pa

        held = self.schema.field(column).type
        refuse_other_types(column, held)
        if pa.types.is_timestamp(held) and held.unit == "ns" != values.type.unit:
            raise InputError(f"column {column!r} holds times of more digits than DuckDB reads; write them as texts.")
        return self._ordered(column, values) if pa.types.is_dictionary(held) and held.ordered else values

    def _ordered(self, column: str, values: Any) -> Any:
        """An ordered category, whose order DuckDB does not know."""
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        kept = pq.ParquetFile(self.files[0]).read_row_group(0, columns=[column]).column(0).chunk(0).dictionary
        places = pc.index_in(values.cast(kept.type), value_set=kept)
        if places.null_count > values.null_count:
            raise InputError(
                f"column {column!r} is an ordered category, and the first file does not have all its labels in order: "
                "write it as texts, and give their order by labels=."
            )
        return pa.DictionaryArray.from_arrays(places, kept, ordered=True)


def parquet_scan(files: Sequence[str]) -> ParquetScan:
    """Parquet files, looked at by their schemas."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schemas = []
    for file in files:
        try:
            schemas.append(pq.read_schema(file))
        except PermissionError:
            raise InputError(f"{file}: the file cannot be read (no permission).") from None
        except (OSError, pa.ArrowException) as problem:
            raise InputError(f"{file}: not a readable Parquet file ({type(problem).__name__}).") from None
        if not schemas[-1].equals(schemas[0]):
            raise InputError(f"{file}: its columns are not those of {files[0]}, by name, order and type.")
    return ParquetScan(tuple(files), schemas[0], _as_pandas_names_them(files[0], schemas[0]))


def _as_pandas_names_them(file: str, schema: Any) -> tuple[str, ...]:
    """The names of columns, those of a pandas index first; row numbers, which have no name, are none."""
    import pyarrow as pa

    kept = (schema.pandas_metadata or {}).get("index_columns", [])
    index = [name for name in kept if isinstance(name, str)]
    unnamed = [name for name in index if re.fullmatch(r"__index_level_\d+__", name)]
    row_numbers = len(index) == 1 and all(pa.types.is_integer(schema.field(name).type) for name in unnamed)
    named_ranges = [one for one in kept if not isinstance(one, str) and one.get("name") is not None]
    if (unnamed and not row_numbers) or named_ranges:
        raise InputError(
            f"{file}: it has an index of pandas that is no column of the file; write it after reset_index()."
        )
    return (*(name for name in index if name not in unnamed), *(name for name in schema.names if name not in index))
