"""Vectors of a lattice basis that is drawn anew for each step, and of these only those that the table leaves room for.

A fixed basis fails where tables are sparse: most of its vectors would make some empty cell negative, and a few directions
get stuck. Here the equations are solved for columns in random order, those with wide bounds first, and each of the other
columns leads one vector: it changes by 1 and the solved columns make up for it (after Hazelton, McVeagh and van Brunt
2021, whose bases change on the way too). Of the vectors of that basis, one that can be made at least once is drawn.

How many can be made depends on the table, so the acceptance must look at it (Metropolis and Hastings). A chain at x has a
basis B that was drawn without regard to the table. It draws a direction m of B with probability p(m | B, x), and goes along
its whole line to y with a probability that is the same from everywhere on the line (hit-and-run). It would go back with
p(m | B, y). So the step is accepted with min(1, p(m | B, y) / p(m | B, x)), besides what the law says, and is then
reversible for each B. A vector that leads from x to y can be made at both, so leaving out those that cannot takes nothing
away.

Bases in which the table itself chooses the solved columns, those with most room, were tried and given up: the basis at y
then seldom has the vector that led there, and the step must be refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.certificate import Certificate
from ...base.errors import TooLarge
from ...base.random_streams import streams
from ...fiber.blocks.presolve import Block
from ...fiber.equations.graph_parts import joined_parts
from ...fiber.equations.rowspace import PRIME, reduced_modulo
from .adaptive_kernel import Given, Tableau, draw_direction, is_drawn, lines, log_chance, shuffle
from .move_set import MOST_LISTED, Move, MoveSet, fingerprints, sparse_rows

UNPROVEN = Certificate(
    "unproven",
    "steps along vectors of lattice bases drawn at random (Hazelton, McVeagh and van Brunt 2021), which can all be taken "
    "back with the right probability but are not known to reach every table",
)
LARGEST = 1000
"""Entries of a vector beyond this are not used."""
MOST_ENTRIES = 60_000
"""Entries of a basis, all of which a draw looks at: a new basis of so many takes a millisecond."""
EXCHANGES = 3
"""For a chain that keeps its basis: exchanges between two steps. More cost more than they bring."""
MOST_ROUNDS, MOST_LINES, MOST_PAIRS = 50, 20_000_000, 1_000_000
"""For a check: bases tried, lines of these, and after that pairs of tables looked at one by one."""


@dataclass(frozen=True, eq=False)
class BasisMove(Move):
    """A vector and the basis that it was drawn from."""

    basis: Tableau


@dataclass(frozen=True, eq=False, repr=False)
class AdaptiveLattice(MoveSet):
    """Vectors of random lattice bases; fractions and large numbers are left out, whatever the table."""

    given: Given
    tableau: Tableau
    """Some basis, where every search begins; it is not written to."""
    certificate: Certificate = UNPROVEN

    words = "vectors of random lattice bases"

    @property
    def n_columns(self) -> int:
        """Columns of the block."""
        return len(self.given.lower)

    def workspace(self) -> Tableau:
        """A basis to write to. A chain that keeps one lets it `wander` between steps, which is quicker than a new one."""
        return Tableau(*(array.copy() for array in self.tableau))

    def draw(self, random: np.ndarray, table: np.ndarray) -> BasisMove:
        """One of the vectors of a new basis that can be made at this table; without columns if none can."""
        basis = self.workspace()
        shuffle(self.given, basis, random)
        columns, steps = np.empty(self.n_columns, dtype=np.int64), np.empty(self.n_columns, dtype=np.int64)
        length = draw_direction(self.given, basis, random, table, columns, steps)
        return BasisMove(columns[:length], steps[:length], basis)

    def log_odds(self, move: Move, table: np.ndarray) -> float:
        """The log-probability of drawing the direction of a move from its basis at this table; -inf if it cannot be made.

        The direction is that of the vector, forwards or backwards, and of all its multiples. A move without columns
        leaves every table as it is.
        """
        if not len(move.columns):
            return 0.0
        if not isinstance(move, BasisMove):
            raise TypeError("the odds of a move depend on the basis it was drawn from: give the move that was drawn")
        return log_chance(self.given, move.basis, table, move.columns)

    def listed(self, most: int = MOST_LISTED) -> Any:
        """There is no list: every circuit is a vector of some basis, and there are far too many."""
        return sparse_rows((), self.n_columns, most)

    def joined(self, tables: np.ndarray, gaps: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Tables on the lines of some bases; where these leave more than one part, all pairs between the parts.

        So not every pair is named, but as many as it takes to tell which tables hang together.
        """
        basis, random = self.workspace(), streams(0, 1)[0]
        label = np.arange(len(tables))
        for _ in range(max(1, min(MOST_ROUNDS, MOST_LINES // (len(tables) * len(basis.lead) + 1)))):
            shuffle(self.given, basis, random)
            before, after = self._on_one_line(basis, tables)
            yield before, after
            label = _hang_together(label, before, after)
            if not label.any():
                return
        yield from self._between(basis, tables, label)

    def _on_one_line(self, basis: Tableau, tables: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Neighbours on the lines of one basis."""
        weights = fingerprints(np.eye(self.n_columns, dtype=np.int64))
        which = np.empty(len(tables) * len(basis.lead), dtype=np.int64)
        line = np.empty((len(which), 2), dtype=np.uint64)
        number = lines(self.given, basis, tables, weights, which, line)
        order = np.lexsort(line[:number].T)
        same = (np.diff(line[order], axis=0) == 0).all(axis=1)
        return which[order[:-1][same]], which[order[1:][same]]

    def _between(
        self, basis: Tableau, tables: np.ndarray, label: np.ndarray
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        sizes = np.bincount(label)
        if (len(label) ** 2 - (sizes**2).sum()) // 2 > MOST_PAIRS:
            raise TooLarge(f"{len(tables):,} tables are too many for a check of this kind of moves.")
        for row in range(len(tables)):
            apart = row + np.flatnonzero(label[row:] != label[row])
            drawn = [other_row for other_row in apart if is_drawn(self.given, basis, tables[other_row] - tables[row])]
            yield np.full(len(drawn), row), np.array(drawn, dtype=np.int64)


def _hang_together(label: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Labels of parts, after some of these were joined."""
    return joined_parts(int(label.max(initial=-1)) + 1, label[before], label[after])[label]


def adaptive_lattice(block: Block) -> AdaptiveLattice | None:
    """Vectors of random lattice bases for a block; None where it is too large for that to pay."""
    rows, n = block.A.shape
    if min(rows, n) * n > 10 * MOST_ENTRIES:
        return None
    form, dependent = reduced_modulo(block.A.toarray())
    lead = np.setdiff1d(np.arange(n), dependent)
    longest = int(abs(block.A).sum(axis=1).max(initial=1))
    largest = min(LARGEST, (PRIME - 1) // longest)
    if not len(lead) or len(lead) * len(dependent) > MOST_ENTRIES or largest < 1:
        return None
    row = np.full(n, -1, dtype=np.int64)
    row[lead] = np.arange(len(lead))
    tableau = Tableau(
        lead=lead,
        dependent=dependent,
        entry=np.ascontiguousarray(-form[:, lead].T),
        row=row,
        weight=np.zeros(n),
        inside=np.zeros(len(dependent)),
        found=np.zeros(n, dtype=np.int64),
    )
    return AdaptiveLattice(Given(block.lower, block.upper, largest), tableau)
