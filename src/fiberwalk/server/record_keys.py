"""Record keys: a secret number of every person, added up in cells, so that who is in a cell decides how it is changed.

This is the cell-key method (Fraser and Wooton 2005): a cell keeps its key however the table around it is cut. Keys are whole
numbers that add up modulo 2^64, so that no order of adding and no rounding changes a sum.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.errors import InputError


def secret_number(seed: int, *words: str, size: int = 8) -> int:
    """A number of some bytes that follows from a secret seed and some words, and tells nothing of either."""
    secret = seed.to_bytes((seed.bit_length() + 7) // 8 or 1, "big")[-64:]
    digest = hashlib.blake2b("\x1f".join(words).encode(), key=secret, digest_size=size).digest()
    return int.from_bytes(digest, "big")


def label_numbers(seed: int, dim: str, labels: Sequence[str]) -> np.ndarray:
    """A secret number of each label of a dim."""
    return np.array([secret_number(seed, dim, label) for label in labels], dtype=np.uint64)


def keys_by_place(records: int, seed: int) -> np.ndarray:
    """Keys of records that have none of their own: the n-th record has the n-th key of the stream of the seed."""
    stream = np.random.default_rng(secret_number(seed, "keys of records", size=16))
    return stream.integers(0, 2**64, size=records, dtype=np.uint64)


def own_keys(column: Any, name: str, seed: int) -> np.ndarray:
    """Keys that records bring along: numbers from 0 to 1 as they are, whole numbers mixed with the seed."""
    import pandas as pd

    numbers = np.asarray(pd.to_numeric(column.astype(object), errors="coerce"))
    missing = np.flatnonzero(pd.isna(numbers))
    if len(missing):
        raise InputError(f"row {missing[0] + 1} has no number in the column of keys, {name!r}.")
    if (numbers < 0).any():
        raise InputError(f"the column of keys, {name!r}, has negative numbers; keys are at least 0.")
    if len(numbers) > 1 and (numbers == numbers[0]).all():
        raise InputError(
            f"the column of keys, {name!r}, has one number for all: every person needs a key of their own."
        )
    if np.issubdtype(numbers.dtype, np.integer):
        return mixed(numbers.astype(np.uint64) + np.uint64(secret_number(seed, "keys of records")))
    if (numbers >= 1).any():
        raise InputError(f"the column of keys, {name!r}: keys are whole numbers, or numbers from 0 to below 1.")
    # The last bit only keeps a key of 0 apart from that of an empty cell.
    return (numbers * 2.0**53).astype(np.uint64) << np.uint64(11) | np.uint64(1)


def mixed(numbers: np.ndarray) -> np.ndarray:
    """Every bit of a number spread over all of them, one to one (the end of splitmix64)."""
    bits = numbers ^ (numbers >> np.uint64(30))
    bits = bits * np.uint64(0xBF58476D1CE4E5B9)
    bits ^= bits >> np.uint64(27)
    bits *= np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def from_0_to_1(keys: np.ndarray) -> np.ndarray:
    """Keys as numbers in [0, 1), which decide what becomes of a cell."""
    return (keys >> np.uint64(11)) * 2.0**-53
