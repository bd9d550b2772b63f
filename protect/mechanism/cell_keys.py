"""Cell keys: random numbers that belong to cells, so that a cell is perturbed in the same way in every table.

Keys of labels are made from the labels of a cell or total and a secret seed. Keys of records are random numbers of the
respondents, whole ones of 64 bits. What decides about a cell is a keyed hash of their sum (after Fraser and Wooton 2005, who
take the sum itself): the same people are the same number in every table, and other people, also some of them or some more,
are another that tells nothing of it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError
from ...release.facts.facts import LABELS, RECORDS
from ...release.release import Release
from ...release.tables.dims import Dim
from ...release.tables.tables import as_matched
from .keyed_hash import from_0_to_1, secret_key, secret_number, siphash

if TYPE_CHECKING:
    from .mechanism import Reading

KEY_WORDS = {
    "": "",
    LABELS: "; the random number of a cell follows from its labels",
    RECORDS: "; the random number of a cell follows from who is in it",
}
HIGH, LOW = "record_key_high", "record_key_low"
"""The columns of stored record keys: each half is below 2^32, so that any engine adds them up exactly."""
HALF = np.uint64(32)
_WHOLE_FLOATS = 2.0**53
_HOW = (
    f"keys= are sums of the records' keys, whole numbers of 64 bits, or a dict of those of halves, {HIGH!r} and {LOW!r}"
)


class CellNumbers(np.ndarray):
    """Numbers in [0, 1) that decide about the cells of a table, made from keys beforehand."""


def taken_seed(seed: Any) -> int:
    """A seed that can be written down: the given one, or a new one that nobody can guess."""
    if seed is None:
        return secrets.randbits(128)
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InputError(f"seed={seed!r}: a whole number of at least 0, or None for a new one.")
    return int(seed)


def cell_numbers(sums: np.ndarray, seed: int) -> np.ndarray:
    """A number in [0, 1) for every cell, from the sum of its records' keys modulo 2^64 and a secret seed.

    This is the one place where keys become numbers.
    """
    return from_0_to_1(siphash([sums], secret_key(seed, "random numbers of cells")))


def random_numbers(
    release: Release, shown: np.ndarray, matrix: Any, truth: np.ndarray, seed: int, keys: Any
) -> tuple[np.ndarray, str]:
    """A number in [0, 1) for every figure, and what it belongs to: LABELS, RECORDS, or nothing."""
    if keys is None:
        return np.random.default_rng(seed).random(len(shown)), ""
    if isinstance(keys, str):
        if keys != LABELS:
            raise InputError(f"keys={keys!r}: 'labels', a table of summed record keys, or None.")
        return label_keys(release.dims, shown, seed), LABELS
    if isinstance(keys, CellNumbers):
        return np.asarray(keys).ravel(), RECORDS
    sums = matrix.astype(np.uint64) @ summed_keys(keys, release.dims).ravel()
    without = np.flatnonzero((truth != 0) & (sums == 0))
    if len(without):
        cell = release.words(shown[without[0]])
        raise InputError(f"keys=: {cell} has {release.show(int(truth[without[0]]))}, and no key of anybody.")
    numbers = cell_numbers(sums, seed)
    # Nobody is in an empty cell: its labels decide.
    empty = np.flatnonzero(sums == 0)
    numbers[empty] = label_keys(release.dims, shown[empty], seed)
    return numbers, RECORDS


def summed_keys(keys: Any, dims: Sequence[Dim]) -> np.ndarray:
    """The sums of record keys of every cell modulo 2^64, from a table of them or from the tables of their two halves."""
    if isinstance(keys, Mapping):
        if set(map(str, keys)) != {HIGH, LOW}:
            raise InputError(f"{_HOW}; these are {', '.join(map(repr, map(str, keys))) or 'none'}.")
        high, low = (_whole(keys[half], dims) for half in (HIGH, LOW))
        return joined(high, low)
    return _whole(keys, dims)


def joined(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Keys, or sums of keys modulo 2^64, from those of their halves."""
    return (high << HALF) + low


def _whole(table: Any, dims: Sequence[Dim]) -> np.ndarray:
    values = as_matched(table, dims, "keys=")
    if values.shape != tuple(len(dim.labels) for dim in dims):
        raise InputError(f"keys= must be a table like the one protected, or a dict of two: {_HOW}.")
    if values.dtype == object:
        values = _of_objects(values)
    if np.issubdtype(values.dtype, np.floating):
        if not ((values >= 0) & (values < _WHOLE_FLOATS) & (values % 1 == 0)).all():
            raise InputError(
                f"{_HOW}. Sums of fractions depend on the order in which they are added: make every record's key whole "
                "before, such as floor(key * 2**32), or take new ones from fw.server.record_keys()."
            )
    elif not np.issubdtype(values.dtype, np.integer) or (values < 0).any():
        raise InputError(f"{_HOW}; none is below 0.")
    return values.astype(np.uint64)


def _of_objects(values: np.ndarray) -> np.ndarray:
    """Whole numbers of Python, however large, modulo 2^64."""
    if not all(isinstance(value, (int, np.integer)) and value >= 0 for value in values.ravel()):
        raise InputError(f"{_HOW}; none is below 0.")
    return np.array([int(value) % 2**64 for value in values.ravel()], dtype=np.uint64).reshape(values.shape)


def label_keys(dims: Sequence[Dim], shown: np.ndarray, seed: int) -> np.ndarray:
    """Numbers in [0, 1) that follow from the labels of cells and totals, whatever table they stand in.

    `shown` has a row for every figure: the number of its node in each dim.
    """
    names = [[f"{dim.name}={label}" for label in dim.node_labels] for dim in dims]
    bits = np.empty(len(shown), dtype=np.uint64)
    for i, key in enumerate(shown.tolist()):
        # A dim that is summed over says nothing, so that a total has the same key in every table that shows it.
        labels = sorted(names[axis][node] for axis, node in enumerate(key) if node != dims[axis].total)
        bits[i] = secret_number(seed, *labels)
    return from_0_to_1(bits)


def draw_name(mechanism: Reading, kind: str) -> str:
    """A name for random draws that tables share; none for fresh ones."""
    return f"{mechanism.name}, {mechanism.words}{KEY_WORDS[kind]}" if kind else ""
