"""Moves from a list, kept as sparse rows, each drawn as often as any other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.certificate import Certificate
from ...base.errors import TooLarge
from ...base.random_streams import below
from .move_set import MOST_LISTED, Move, MoveSet


@dataclass(frozen=True, eq=False, repr=False)
class Listed(MoveSet):
    """A list of moves, one per sparse row; whoever made the list says in the certificate what it is worth."""

    rows: Any
    certificate: Certificate

    @property
    def words(self) -> str:  # type: ignore[override]
        """How many there are."""
        n = self.rows.shape[0]
        return f"a list of {n:,} move{'' if n == 1 else 's'}"

    @property
    def n_columns(self) -> int:
        """Columns of the block."""
        return int(self.rows.shape[1])

    def draw(self, random: np.ndarray, table: np.ndarray) -> Move:
        """One of the list."""
        if not self.rows.shape[0]:
            return Move(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
        k = below(random, self.rows.shape[0])
        part = slice(self.rows.indptr[k], self.rows.indptr[k + 1])
        steps = self.rows.data[part]
        return Move(self.rows.indices[part], steps if below(random, 2) else -steps)

    def listed(self, most: int = MOST_LISTED) -> Any:
        """The list."""
        if self.rows.shape[0] > most:
            raise TooLarge(f"there are more than {most:,} moves, too many to be listed.")
        return self.rows
