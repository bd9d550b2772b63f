"""Cell keys: random numbers that belong to cells, so that a cell is perturbed in the same way in every table.

Keys of labels are made from the labels of a cell or total and a secret seed. Keys of records are random numbers of the
respondents, added up in each cell modulo 1 (Fraser and Wooton 2005): a cell keeps its key however the table is cut.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError
from ...release.facts.facts import LABELS, RECORDS
from ...release.release import Release
from ...release.tables.dims import Dim
from ...release.tables.tables import as_means

if TYPE_CHECKING:
    from .mechanism import Reading

KEY_WORDS = {
    "": "",
    LABELS: "; the random number of a cell follows from its labels",
    RECORDS: "; the random number of a cell is the sum of its records' keys",
}


def taken_seed(seed: Any) -> int:
    """A seed that can be written down: the given one, or a new one that nobody can guess."""
    if seed is None:
        return secrets.randbits(128)
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InputError(f"seed={seed!r}: a whole number of at least 0, or None for a new one.")
    return int(seed)


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
    summed = as_means(keys, release.dims, "keys=")
    if summed.shape != release.grids[0].cells.shape or not np.isfinite(summed).all() or (summed < 0).any():
        raise InputError("keys= must be a table like the one protected, of sums of record keys, numbers of at least 0.")
    return keys_of_records(matrix @ summed.ravel(), truth, release.dims, shown, seed), RECORDS


def keys_of_records(
    summed: np.ndarray, truth: np.ndarray, dims: Sequence[Dim], shown: np.ndarray, seed: int
) -> np.ndarray:
    """Numbers in [0, 1) that follow from who is in a cell: the sums of the records' keys modulo 1.

    Nobody is in an empty cell, and so the sum of its keys is 0: its labels decide, unless a number is given for it.
    """
    numbers: np.ndarray = summed % 1.0
    empty = np.flatnonzero((truth == 0) & (summed == 0))
    numbers[empty] = label_keys(dims, shown[empty], seed)
    return numbers


def label_keys(dims: Sequence[Dim], shown: np.ndarray, seed: int) -> np.ndarray:
    """Numbers in [0, 1) that follow from the labels of cells and totals, whatever table they stand in.

    `shown` has a row for every figure: the number of its node in each dim.
    """
    secret = seed.to_bytes((seed.bit_length() + 7) // 8 or 1, "big")[-64:]
    names = [[f"{dim.name}={label}" for label in dim.node_labels] for dim in dims]
    keys = np.empty(len(shown))
    for i, key in enumerate(shown.tolist()):
        # A dim that is summed over says nothing, so that a total has the same key in every table that shows it.
        labels = sorted(names[axis][node] for axis, node in enumerate(key) if node != dims[axis].total)
        digest = hashlib.blake2b("\x1f".join(labels).encode(), key=secret, digest_size=8).digest()
        keys[i] = (int.from_bytes(digest, "big") >> 11) * 2.0**-53
    return keys


def draw_name(mechanism: Reading, kind: str) -> str:
    """A name for random draws that tables share; none for fresh ones."""
    return f"{mechanism.name}, {mechanism.words}{KEY_WORDS[kind]}" if kind else ""
