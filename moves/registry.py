"""Which moves a block gets: those of the first way that gives any; where nothing is proven for it, several together.

A family of moves is one file in families/ with a function that makes it for a block, or None; a way is one function and
one line below, before those that are slower or prove less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..base.certificate import Certificate
from ..base.errors import TooLarge
from ..fiber.blocks.own_bounds import upper_of_their_own
from ..fiber.blocks.presolve import Block
from ..fiber.bounds.decomposable import Components
from ..fiber.equations.basic_moves import basic_moves, cube_moves
from ..fiber.equations.lattice import Lattice, integer_kernel
from ..fiber.laws.support import Support
from .bases.algebra import Algebra, markov_basis
from .bases.graver import graver_basis
from .families.adaptive_lattice import adaptive_lattice
from .families.cycles import Cycles, cycles
from .families.lattice import LatticeMoves, lattice_moves
from .families.listed import Listed
from .families.margins import margin_moves
from .families.mixture import Mixture
from .families.move_set import MoveSet
from .families.row_pairs import row_pairs
from .families.short_cycles import short_cycles
from .families.short_moves import short_moves
from .families.sub_tables import boxes, from_sets, grown_sets
from .families.swaps import swaps
from .people.exchanges import exchanges
from .people.repairs import FAR, NEAR, repairs

GRAVER = "the Graver basis of the block's equations, which joins all tables within any bounds (Graver 1975)"
MARKOV = "a Markov basis of the block's equations"
LIFTED = ", with the cells' own upper bounds as equations"
EXCLUDED = (
    "some values in between are excluded, which only whole combinations can cross",
    "that there is a table without excluded values was not checked",
)
BASIC = Certificate("unproven", "basic moves do not reach every table")
CHOICES = Certificate(
    "unproven", "a median or a number of labels is a choice between facts, and chains seldom come from one to another"
)
FEW_ARCS, FEW_CYCLES = 256, 20_000
"""Arcs and cycles of networks whose cycles are listed rather than drawn: of a list the useful ones can be walked more often.
In larger networks most cycles are long, and blocked nearly always."""
DENSE = 0.15
"""Where at least this part of a two-way table is open, two rows have enough columns in common for swaps."""
FEW_COLUMNS, FEW_LISTED, MANY_LISTED = 64, 30_000, 40_000
"""In blocks up to this size moves of margins are listed, if they are not more; elsewhere basic moves are the quick part."""
FEW_MOVES = 300
GRAVER_BUDGET = 500_000_000
"""Operations: a second or two."""
FEW_DIMS, MOST_DIMS = 12, 40
"""Of a lattice of which a Graver basis of few moves is looked for, and a whole one."""
OFTEN, LARGE = 4, 2.0
"""Short moves through each cell, and the mean of a block's cells, from which on nothing quicker is needed beside them."""
MANY_COLUMNS = 2_000
"""In populations of more kinds of people vectors of the lattice are long, and blocked."""
QUICK, REDRAWN, ADAPTED, SUMS, EXCHANGED = 1.0, 5.0, 4.0, 1.0, 20.0
"""The odds of known moves, sub-tables, vectors of random bases and sums of lattice vectors, by effective draws of sparse
tables: sub-tables do best where tables are complete, random bases where many cells are hidden; sums hardly ever move."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """A block that wants moves, and what is known of it; what takes long is found out when it is first asked for."""

    inside: Support
    number: int
    margins: Components | None
    """The margins of the release, where it is a complete table of margins."""
    max_seconds: float
    """How long 4ti2 may look for a Markov basis; 0: it is not asked. Longer is an error: no other way is tried instead."""

    @cached_property
    def block(self) -> Block:
        """The block itself."""
        return self.inside.solved.blocks[self.number]

    @property
    def coordinates(self) -> np.ndarray:
        """The labels of its columns."""
        return self.inside.solved.fiber.coordinates[self.block.columns]

    @cached_property
    def lattice(self) -> Lattice:
        """All changes of a table that no equation notices."""
        return integer_kernel(self.block.A)

    @cached_property
    def sums(self) -> LatticeMoves:
        """Sums of vectors of the lattice."""
        return LatticeMoves(self.lattice)

    @cached_property
    def basic(self) -> Listed | None:
        """Basic moves of the block, where it has any."""
        rows = basic_moves(self.coordinates, self.block.A)
        return None if rows is None else Listed(rows, BASIC)

    @cached_property
    def short(self) -> Listed | None:
        """Short moves of any kind."""
        return short_moves(self.block.A, self.sums.vectors, cube_moves(self.coordinates, self.block.A))

    @cached_property
    def computed(self) -> Algebra:
        """A Markov basis by 4ti2, or why there is none."""
        return markov_basis(self.block.A, upper_of_their_own(self.block), self.max_seconds)


def across_gaps(wanted: Wanted) -> MoveSet | None:
    """Where the law excludes values in between, no basis is proven."""
    if not wanted.inside.gaps[wanted.block.columns].any():
        return None
    return whatever_the_block(wanted.inside, wanted.block, EXCLUDED)


def complete_two_way(wanted: Wanted) -> MoveSet | None:
    """Swaps."""
    return swaps(wanted.block)


def network(wanted: Wanted) -> MoveSet | None:
    """Cycles, and quick moves beside them."""
    around = cycles(wanted.block)
    return None if around is None else _with_quick_moves(wanted.block, around)


def small_graver_basis(wanted: Wanted) -> MoveSet | None:
    """Few moves that all lie in the block are better than many, most of which meet decided cells."""
    return _graver(wanted, GRAVER_BUDGET // 100, FEW_MOVES) if wanted.lattice.basis.shape[0] <= FEW_DIMS else None


def across_choices(wanted: Wanted) -> MoveSet | None:
    """Sums of lattice vectors reach every branch of a choice in principle; that says nothing of when."""
    if wanted.block.columns.max() < wanted.inside.solved.fiber.n_plain_columns:
        return None
    return whatever_the_block(wanted.inside, wanted.block, doubt=CHOICES)


def proven_margins(wanted: Wanted) -> MoveSet | None:
    """Complete tables of margins whose basis is known."""
    if wanted.margins is None:
        return None
    moves = margin_moves(wanted.margins, wanted.inside.solved, wanted.number, max_seconds=wanted.max_seconds)
    if moves is None:
        return None
    reaching: MoveSet = moves
    if moves.n_columns <= FEW_COLUMNS:
        with suppress(TooLarge):
            reaching = Listed(moves.listed(MANY_LISTED), moves.certificate)
            if reaching.rows.shape[0] <= FEW_LISTED:
                return moves
    return moves if wanted.basic is None else Mixture((wanted.basic, reaching), (0.9, 0.1))


def dense_table(wanted: Wanted) -> MoveSet | None:
    """Counts so large that short moves, of which every cell has some, are seldom blocked; sums of vectors reach the rest."""
    block, short = wanted.block, wanted.short
    if short is None or np.bincount(short.rows.indices, minlength=len(block.columns)).min() < OFTEN:
        return None
    if float((block.start - block.lower).mean()) < LARGE:
        return None
    known = _known_of_margins(wanted)
    parts = (short, *([] if known is None else [known]), wanted.sums)
    return Mixture(parts, (0.8, 0.1, 0.1)[: len(parts)])


def whole_graver_basis(wanted: Wanted) -> MoveSet | None:
    """Whatever can be computed in a second or two; of lattices of many dims nothing can."""
    return _graver(wanted, GRAVER_BUDGET) if wanted.lattice.basis.shape[0] <= MOST_DIMS else None


def markov_basis_by_4ti2(wanted: Wanted) -> MoveSet | None:
    """What 4ti2 computes, where it is installed and the block small enough for it."""
    if wanted.computed.moves is None:
        return None
    reason = MARKOV + (LIFTED if upper_of_their_own(wanted.block).any() else "")
    return Listed(wanted.computed.moves, Certificate("connected", reason, (wanted.computed.words,)))


def few_people(wanted: Wanted) -> MoveSet | None:
    """A population: many kinds of people, of each at most a few, in one long row."""
    if wanted.inside.solved.fiber.grid.ndim > 1 or len(wanted.block.columns) <= FEW_COLUMNS:
        return None
    found = exchanges(wanted.block), repairs(wanted.block, NEAR), repairs(wanted.block, FAR)
    among = tuple(one for one in found if one is not None)
    if not among or (len(among) == 1 and len(wanted.block.columns) > MANY_COLUMNS):
        return among[0] if among else None
    odds = (EXCHANGED,) * len(among)
    if len(wanted.block.columns) > MANY_COLUMNS:
        return Mixture(among, odds)
    rest = whatever_the_block(wanted.inside, wanted.block, sums=wanted.sums)
    parts, others = (rest.parts, rest.odds) if isinstance(rest, Mixture) else ((rest,), (SUMS,))
    return Mixture((*among, *parts), (*odds, *others))


def nothing_proven(wanted: Wanted) -> MoveSet:
    """Several families together, and the word for it."""
    quick = wanted.short, _known_of_margins(wanted)
    return whatever_the_block(wanted.inside, wanted.block, (wanted.computed.words,), wanted.sums, quick)


def _known_of_margins(wanted: Wanted) -> MoveSet | None:
    """Moves that are known of margins, though nothing is proven of them."""
    if wanted.margins is None:
        return None
    return margin_moves(wanted.margins, wanted.inside.solved, wanted.number, proven=False)


WAYS: tuple[Callable[[Wanted], MoveSet | None], ...] = (
    across_gaps,
    complete_two_way,
    network,
    small_graver_basis,
    across_choices,
    proven_margins,
    dense_table,
    whole_graver_basis,
    few_people,
    markov_basis_by_4ti2,
    nothing_proven,
)


def moves_for_block(wanted: Wanted) -> MoveSet:
    """The moves of the first way that gives any; the last always does."""
    return next(moves for way in WAYS if (moves := way(wanted)) is not None)


def _graver(wanted: Wanted, budget: int, most: int | None = None) -> MoveSet | None:
    width = wanted.block.upper - wanted.block.lower
    basis = graver_basis(wanted.lattice, width, budget, *(() if most is None else (most,)))
    return None if basis is None else Listed(basis, Certificate("connected", GRAVER))


def _with_quick_moves(block: Block, around: Cycles) -> MoveSet:
    """All cycles where they are few; else some drawn on the fly, which reach everything, and short ones, which are quick."""
    n_arcs = len(around.network.tail)
    if n_arcs <= FEW_ARCS:
        with suppress(TooLarge):
            return Listed(around.listed(FEW_CYCLES), around.certificate)
    pairs = row_pairs(block)
    if pairs is not None and n_arcs >= DENSE * len(pairs.bits) * (around.network.n_nodes - len(pairs.bits)):
        return Mixture((pairs, around), (0.9, 0.1))
    short = short_cycles(around)
    return Mixture((short, around), (0.95, 0.05)) if short.rows.shape[0] else around


def whatever_the_block(
    inside: Support,
    block: Block,
    evidence: tuple[str, ...] = (),
    sums: LatticeMoves | None = None,
    quick: Sequence[MoveSet | None] = (),
    doubt: Certificate | None = None,
) -> MoveSet:
    """Sums of lattice vectors, which any block has; for speed, known moves, redrawn sub-tables and random bases."""
    if sums is None:
        sums = lattice_moves(block)
    certificate = doubt or sums.certificate
    vectors = sums.vectors
    sums = LatticeMoves(sums.lattice, replace(certificate, evidence=(*certificate.evidence, *evidence)))
    redrawn = from_sets(block, [*grown_sets(vectors), *boxes(inside.solved.fiber.coordinates[block.columns])])
    parts = [*((moves, QUICK) for moves in quick), (redrawn, REDRAWN), (adaptive_lattice(block), ADAPTED), (sums, SUMS)]
    available = [(moves, odds) for moves, odds in parts if moves is not None]
    return (
        Mixture(tuple(moves for moves, _ in available), tuple(odds for _, odds in available), doubt)
        if len(available) > 1
        else sums
    )
