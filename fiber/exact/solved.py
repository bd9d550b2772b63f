"""What an exact method may cost, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...base.errors import InputError, TooLarge

MOST_OPERATIONS = 200_000_000_000
MOST_BYTES = 6_000_000_000
MOST_PLACES = 30_000_000
"""Values of all columns together that an exact answer may list."""


@dataclass(frozen=True)
class Budget:
    """What one block may cost: operations (some billions are a second) and bytes of memory, never seconds."""

    operations: int = MOST_OPERATIONS
    bytes: int = MOST_BYTES
    foreseen: bool = False
    """Is what is foreseen to cost too much given up at once? There is something else to turn to, then."""
    a_cell: int = 0
    """Operations for each cell, where these are more: what else there is to turn to takes longer of a large block, too."""

    def of_block(self, cells: int) -> Budget:
        """What a block of so many cells may cost."""
        return replace(self, operations=max(self.operations, min(self.a_cell * cells, MOST_OPERATIONS)))

    @classmethod
    def given(cls, limit: int, memory: int) -> Budget:
        """A budget in a user's words: limit= operations and memory= bytes."""
        for name, value, measured_in in (("limit", limit, "operations"), ("memory", memory, "bytes")):
            whole = isinstance(value, (int, np.integer)) or (isinstance(value, float) and value.is_integer())  # 2e9
            if isinstance(value, bool) or not whole or value < 1:
                raise InputError(f"{name}={value!r}: the most {measured_in}, a whole number of at least 1.")
        return cls(int(limit), int(memory))


@dataclass(frozen=True, eq=False)
class Solved:
    """The exact law of every column of a block.

    `weights[j][k]` is the probability of the value `lower[j] + k` in column j, `possible[j][k]` whether any table has it.
    """

    tables: int
    lower: np.ndarray
    possible: tuple[np.ndarray, ...]
    weights: tuple[np.ndarray, ...]
    method: str


def refuse_wide(lower: np.ndarray, upper: np.ndarray) -> None:
    """Refuse columns with more values in all than an exact answer may list."""
    places = int((upper - lower + 1).sum())
    if places > MOST_PLACES:
        raise TooLarge(
            f"{len(lower)} cells and sums that depend on each other have {places:,} values to tell apart, more than the "
            f"{MOST_PLACES:,} that an exact answer may list; round the table to a coarser unit, or ask for bounds only."
        )
