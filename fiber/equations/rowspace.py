"""Which cells hang together: the finest split of a system into independent parts, by exact linear algebra.

The row space of A falls apart along the connected parts of any reduced row echelon form, and no finer. The form is
computed modulo a prime and then checked over the integers; where the check fails, nothing is split.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ...base.jit import jit, jit_inner, sparingly

PRIME = 2**31 - 1
MOST_WORK = 1_000_000_000


@jit_inner
def _inverse(value: int, prime: int) -> int:
    """The inverse of a value modulo a prime, by Fermat's little theorem."""
    inverse, base, power = 1, value, prime - 2
    while power:
        if power & 1:
            inverse = inverse * base % prime
        base = base * base % prime
        power >>= 1
    return inverse


@jit_inner
def _clear_column(M: np.ndarray, rank: int, j: int, prime: int) -> None:
    """Make the entry of row `rank` in a column 1, and those of all other rows 0."""
    rows, columns = M.shape
    inverse = _inverse(M[rank, j], prime)
    for k in range(columns):
        M[rank, k] = M[rank, k] * inverse % prime
    for i in range(rows):
        factor = M[i, j]
        if i != rank and factor != 0:
            for k in range(j, columns):
                if M[rank, k] != 0:
                    M[i, k] = (M[i, k] - factor * M[rank, k]) % prime


@jit
def _echelon(M: np.ndarray, prime: int) -> np.ndarray:
    """Bring M to reduced row echelon form modulo a prime, in place; the pivot column of each leading row."""
    rows, columns = M.shape
    pivots = np.empty(min(rows, columns), dtype=np.int64)
    rank = 0
    for j in range(columns):
        if rank == rows:
            break
        pivot = -1
        for i in range(rank, rows):
            if M[i, j] != 0:
                pivot = i
                break
        if pivot < 0:
            continue
        if pivot != rank:
            for k in range(columns):
                M[pivot, k], M[rank, k] = M[rank, k], M[pivot, k]
        _clear_column(M, rank, j, prime)
        pivots[rank] = j
        rank += 1
    return pivots[:rank]


def _echeloned(M: np.ndarray) -> np.ndarray:
    steps = M.shape[0] * M.shape[1] * min(M.shape) // 16  # most entries are 0
    pivots: np.ndarray = sparingly(_echelon, steps)(M, PRIME)
    return pivots


def affordable(shape: tuple[int, int]) -> bool:
    """Whether elimination on a matrix of this shape is cheap enough to be worth it."""
    return shape[0] * shape[1] * min(shape) <= MOST_WORK


def reduced_modulo(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The reduced row echelon form modulo the prime, in residues about 0, and its pivots."""
    form = np.ascontiguousarray(A % PRIME)
    pivots = _echeloned(form)
    form = form[: len(pivots)]
    return np.where(form > PRIME // 2, form - PRIME, form), pivots


def reduced(A: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The reduced row echelon form of an integer matrix and its pivots, or None where it is not small integers."""
    form, pivots = reduced_modulo(A)
    if np.abs(form).max(initial=0) > 1000:
        return None
    # Every row of A must be the combination of the form's rows that its pivot entries name: this proves that both
    # have the same row space over the rationals, whatever happened modulo the prime.
    return (form, pivots) if (A[:, pivots] @ form == A).all() else None


def relations(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A row basis, of the earliest rows possible, and each row as a combination of these.

    Found modulo a prime and checked over the integers: a row for which the check fails joins the basis.
    """
    form = np.ascontiguousarray(A.T % PRIME)
    leading = _echeloned(form)
    combination = form[: len(leading)].T
    combination = np.where(combination > PRIME // 2, combination - PRIME, combination)
    small = np.abs(combination).max(axis=1, initial=0) <= 1000
    product = sp.csr_array(np.where(small[:, None], combination, 0)) @ sp.csr_array(A[leading])
    doubtful = np.flatnonzero(~small | (np.abs(product - sp.csr_array(A)).sum(axis=1) > 0))
    if len(doubtful):
        themselves = np.zeros((len(A), len(doubtful)), dtype=np.int64)
        themselves[doubtful, np.arange(len(doubtful))] = 1
        combination[doubtful] = 0
        leading, combination = np.concatenate([leading, doubtful]), np.concatenate([combination, themselves], axis=1)
    return leading, combination


def independent_rows(A: np.ndarray) -> np.ndarray:
    """The rows of a matrix that do not depend on rows before them, modulo a prime (a lower bound on the rank)."""
    return _echeloned(np.ascontiguousarray(A.T % PRIME))
