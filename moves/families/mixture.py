"""Several move sets, one of them picked anew for each step: fast ones for speed, a proven one for the certificate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.certificate import WORDS, Certificate
from ...base.errors import TooLarge
from ...base.random_streams import below
from .move_set import MOST_LISTED, Move, MoveSet, sparse_rows

PARTS = 1_000_000
"""The odds of a part are whole numbers of so many."""


@dataclass(frozen=True, eq=False, repr=False)
class Mixture(MoveSet):
    """Parts with their odds (a mixture of kernels). What one part joins the mixture joins: its best part certifies it."""

    parts: tuple[MoveSet, ...]
    odds: tuple[float, ...]
    doubt: Certificate | None = None
    """What is said in place of what the parts prove, where that would promise too much."""

    @property
    def certificate(self) -> Certificate:  # type: ignore[override]
        """The strongest of the parts' certificates, unless there is a doubt."""
        proven = min((part.certificate for part in self.parts), key=lambda certificate: WORDS.index(certificate.word))
        return self.doubt or proven

    @property
    def words(self) -> str:  # type: ignore[override]
        """The kinds of its parts and how often each is taken."""
        whole, shares = sum(self.odds), zip(self.parts, self.odds, strict=True)
        return ", ".join(f"{odds / whole:.0%} {part.words}" for part, odds in shares)

    @property
    def n_columns(self) -> int:
        """Columns of the block."""
        return self.parts[0].n_columns

    def __repr__(self) -> str:
        whole, shares = sum(self.odds), zip(self.parts, self.odds, strict=True)
        inside = ", ".join(f"{odds / whole:.0%} {type(part).__name__}" for part, odds in shares)
        return f"Mixture({inside}; {self.certificate.word})"

    def pick(self, random: np.ndarray) -> MoveSet:
        """One of the parts, by their odds. A chain asks this part, not the mixture, for lines and `log_odds`."""
        ends = np.cumsum(self.odds) / sum(self.odds) * PARTS
        return self.parts[int(np.searchsorted(ends, below(random, PARTS), side="right"))]

    @property
    def makes_lines(self) -> bool:  # type: ignore[override]
        """Only where all parts make lines: it is not known which part drew a move."""
        return all(part.makes_lines for part in self.parts)

    def log_odds(self, move: Move, table: np.ndarray) -> float:
        """0 where no part looks at the table; else only the part that drew a move can tell."""
        if any(type(part).log_odds is not MoveSet.log_odds for part in self.parts):
            raise TypeError(
                "some of these moves depend on the table: pick a part, and ask it for the move and its odds"
            )
        return 0.0

    def draw(self, random: np.ndarray, table: np.ndarray) -> Move:
        """A move of a part picked at random."""
        return self.pick(random).draw(random, table)

    def listed(self, most: int = MOST_LISTED) -> Any:
        """The moves of all parts."""
        rows = [sp.csr_array(part.listed(most)) for part in self.parts]
        pairs = (
            (moves.indices[begin:end], moves.data[begin:end])
            for moves in rows
            for begin, end in zip(moves.indptr, moves.indptr[1:])  # noqa: B905
        )
        return sparse_rows(pairs, self.n_columns, most)

    def joined(self, tables: np.ndarray, gaps: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """What any of the parts joins. Where one is proven, parts that cannot tell for so many tables are left out."""
        for part in self.parts:
            try:
                yield from part.joined(tables, gaps)
            except TooLarge:
                if part.certificate.word != "unproven" or self.certificate.word == "unproven":
                    raise
