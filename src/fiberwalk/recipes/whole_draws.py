"""Random whole numbers that are the same on every machine and with every NumPy.

They are made from the raw words of PCG64, a stream that NumPy has promised to keep, by integer arithmetic alone. Methods of
`Generator` may change with NumPy (NEP 19), and the last digits of floating point with the processor.
"""

from __future__ import annotations

import numpy as np

HALF = np.uint64(32)
"""Bits of a word that are used: the upper half, times a limit below 2^32, still fits into 64."""


class WholeDraws:
    """Draws from one seed: the same calls give the same numbers."""

    def __init__(self, seed: int) -> None:
        self._words = np.random.PCG64(seed)

    def below(self, limit: int, number: int) -> np.ndarray:
        """Whole numbers from 0 to limit - 1, uniform but for a bias of some 2^-32 (limit is at most 2^32)."""
        return self._scaled(np.full(number, limit, dtype=np.uint64))

    def chosen(self, weights: np.ndarray) -> np.ndarray:
        """One position for each row of a matrix of whole weights, drawn in proportion to them."""
        upto = np.cumsum(weights, axis=1, dtype=np.int64)
        return np.asarray((self._scaled(upto[:, -1].astype(np.uint64))[:, None] >= upto).sum(axis=1))

    def _scaled(self, limits: np.ndarray) -> np.ndarray:
        upper_half = self._words.random_raw(len(limits)) >> HALF
        return ((upper_half * limits) >> HALF).astype(np.int64)
