"""Columns of Arrow, in which engines give what they found, as labels and numbers of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.errors import InputError
from ..cube.coded_columns import coded
from ..cube.hypercube import Column


@dataclass(frozen=True)
class Labelled:
    """The values that a column has, and the label of each."""

    values: Any
    column: Column
    """Its codes are those of the values."""

    def codes(self, column: Any) -> np.ndarray:
        """The numbers of the labels of further rows."""
        import pyarrow.compute as pc

        places = pc.index_in(_plain(column).cast(self.values.type), value_set=self.values)
        if places.null_count:
            raise InputError("the data changed while they were counted.")
        codes: np.ndarray = self.column.codes[places.to_numpy()]
        return codes.astype(np.int32)  # half of the memory, while they are gathered

    def of_cells(self, codes: Sequence[np.ndarray]) -> Column:
        """The column of the cells with these labels."""
        return replace(self.column, codes=np.concatenate(codes).astype(np.int64))


def labelled(values: Any, name: str, declared: Sequence[str] | None) -> Labelled:
    """The labels that values of records have when pandas reads them."""
    refuse_other_types(name, values.type)
    # of data that are read as a whole the row is told; an engine's rows have no order
    return Labelled(_plain(values), coded(values.to_pandas(), name, declared, sort=True, numbered=False))


def refuse_other_types(name: str, held: Any) -> None:
    """Refuse values that pandas and engines may write differently: all but texts, numbers, yes or no, and dates."""
    from pyarrow import types

    if types.is_dictionary(held):
        held = held.value_type
    texts = types.is_string(held) or types.is_large_string(held) or types.is_string_view(held)
    numbers = types.is_integer(held) or types.is_float32(held) or types.is_float64(held) or types.is_decimal(held)
    dates = types.is_date(held) or (types.is_timestamp(held) and held.tz is None)
    if not (texts or numbers or dates or types.is_boolean(held) or types.is_null(held)):
        raise InputError(f"column {name!r} holds something else than labels: texts or numbers.")


def _plain(column: Any) -> Any:
    """Values in the one form in which they are compared."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_floating(column.type):
        return pc.add(column, pa.scalar(0, column.type))  # -0.0 is 0.0
    if pa.types.is_string(column.type) or pa.types.is_string_view(column.type):
        return column.cast(pa.large_string())
    return column
