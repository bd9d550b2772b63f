"""Record keys: a number of 64 bits for every person, added up in cells, so that who is in a cell decides how it is changed.

Stored keys are two columns of halves below 2^32, so that any engine adds them up exactly; they stay with people from one
version of the data to the next. Where nothing is stored, keys follow from what the data say of a person, and from how many
there are alike; never from the place of a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError
from ...protect.mechanism.cell_keys import HALF, HIGH, LOW, joined, taken_seed
from ...protect.mechanism.keyed_hash import secret_key, secret_number, siphash

if TYPE_CHECKING:
    import pandas as pd

    from .hypercube import Column, Hypercube

STORED = (HIGH, LOW)
MOST_ALIKE = 0.1
"""The largest share of records whose key is that of another: random keys of 32 bits are alike now and then."""


def record_keys(records: pd.DataFrame, *, seed: int | None = None) -> pd.DataFrame:
    """New random keys for every record, to be stored with it, for the agency alone.

    Two columns, `record_key_high` and `record_key_low`, are the halves of a number of 64 bits. A `TableServer` of data with
    these columns finds them by their names. As long as they are kept, the same people have the same random number in every
    table, in whatever order, selection or version of the data they come. (`fiberwalk keys` writes them into a file.)

    Parameters
    ----------
    records
        Microdata, one row a person.
    seed
        From which the keys follow, by the place of a record; left out: new ones that nobody can repeat. It is needed for
        nothing once they are stored.

    Examples
    --------
    >>> import fiberwalk as fw, pandas as pd
    >>> people = pd.DataFrame({"sex": list("ffm"), "age": [31, 42, 50]})
    >>> people = people.join(fw.server.record_keys(people))
    >>> list(people)
    ['sex', 'age', 'record_key_high', 'record_key_low']
    """
    import pandas as pd

    if not hasattr(records, "columns"):
        raise InputError("record_keys() takes a DataFrame, one row a person.")
    there = [name for name in STORED if name in records.columns]
    if there:
        raise InputError(
            f"the data have keys already ({', '.join(there)}): new ones would change what is random in every table. Drop "
            "these columns first if that is meant."
        )
    drawn = np.random.default_rng(taken_seed(seed)).integers(0, 2**64, size=len(records), dtype=np.uint64)
    halves = {HIGH: drawn >> HALF, LOW: drawn & np.uint64(2**32 - 1)}
    return pd.DataFrame({name: half.astype(np.int64) for name, half in halves.items()}, index=records.index)


def stored_keys(frame: Any, columns: Sequence[str]) -> np.ndarray:
    """The keys that two columns of halves hold."""
    halves = []
    for name in columns:
        numbers = _numbers(frame[name], name)
        if not np.issubdtype(numbers.dtype, np.integer) or (numbers >= 2**32).any():
            raise no_halves(name)
        halves.append(numbers.astype(np.uint64))
    keys = joined(*halves)
    refuse_alike(len(np.unique(keys)), len(keys), columns)
    return keys


def keys_of_numbers(column: Any, name: str, seed: int) -> np.ndarray:
    """Keys that follow from a number that every record has of its own, whole or not, however small."""
    numbers = _numbers(column, name)
    refuse_alike(len(np.unique(numbers)), len(numbers), (name,))
    if np.issubdtype(numbers.dtype, np.integer):
        bits = numbers.astype(np.uint64)
    else:
        bits = np.ascontiguousarray(numbers, dtype=np.float64).view(np.uint64)  # exact, as no scaling would be
    return siphash([bits], secret_key(seed, "keys of records"))


def _numbers(column: Any, name: str) -> np.ndarray:
    import pandas as pd

    numbers = np.asarray(pd.to_numeric(column.astype(object), errors="coerce"))
    missing = np.flatnonzero(pd.isna(numbers))
    if len(missing):
        raise no_number(f"row {missing[0] + 1}", name)
    if (numbers < 0).any():
        raise negative_keys(name)
    return numbers


def no_number(row_words: str, name: str) -> InputError:
    """A record without a key."""
    return InputError(f"{row_words} has no number in the column of keys, {name!r}.")


def negative_keys(name: str) -> InputError:
    """Keys below 0."""
    return InputError(f"the column of keys, {name!r}, has negative numbers; keys are at least 0.")


def no_halves(name: str) -> InputError:
    """A column that holds something else than halves of keys."""
    return InputError(f"the column {name!r} holds halves of record keys: whole numbers below 2^32 = 4294967296.")


def refuse_alike(distinct: int, records: int, columns: Sequence[str]) -> None:
    """Refuse keys that many records have in common."""
    if records > 1 and distinct < (1 - MOST_ALIKE) * records:
        raise InputError(
            f"the keys in {' and '.join(map(repr, columns))} are {distinct:,} numbers for {records:,} records: every person "
            "needs a key of their own."
        )


def keys_by_content(cube: Hypercube) -> np.ndarray:
    """The sums of keys in every cell of a cube where no keys are stored: they follow from its labels and its count.

    People of the same labels are in the same cells of every table, so that only the sum of their keys matters. It is the
    hash of their labels and of how many they are: as if the n-th of them had a key of their own, the difference of two
    hashes. One more or one less changes the sum of this cell alone, and the order of rows changes nothing.
    """
    labels = np.zeros(len(cube.counts), dtype=np.uint64)
    for column in cube.columns:
        if _tells_more(column):
            labels += label_numbers(cube.seed, column.name, column.labels)[column.codes]
    return siphash([labels, cube.counts.astype(np.uint64)], secret_key(cube.seed, "people alike"))


def _tells_more(column: Column) -> bool:
    """Does a column say more than another that it is said to follow from?

    One that only was found to follow may cease to when a record changes, and then all other keys would change with it.
    """
    return column.told_level_of is None


def label_numbers(seed: int, dim: str, labels: Sequence[str]) -> np.ndarray:
    """A secret number of each label of a dim."""
    return np.array([secret_number(seed, dim, label) for label in labels], dtype=np.uint64)
