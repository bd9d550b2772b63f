"""choose: for every block of a release the best moves that are proven for it; where none are, say so."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.certificate import WORDS, Certificate, certificate_html
from ..base.errors import TooLarge
from ..base.html import in_notebook, remark, table
from ..fiber.blocks.own_bounds import upper_of_their_own
from ..fiber.blocks.presolve import Block
from ..fiber.bounds.decomposable import Components, components
from ..fiber.equations.lattice import integer_kernel
from ..fiber.laws.support import Support, support
from ..release.release import Release
from .bases.algebra import markov_basis
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
from .families.sub_tables import boxes, from_sets, grown_sets
from .families.swaps import swaps

if TYPE_CHECKING:
    import pandas as pd

GRAVER = "the Graver basis of the block's equations, which joins all tables within any bounds (Graver 1975)"
MARKOV = "a Markov basis of the block's equations"
LIFTED = ", with the cells' own upper bounds as equations"
EXCLUDED = (
    "some values in between are excluded, which only whole combinations can cross",
    "that there is a table without excluded values was not checked",
)
FEW_ARCS, FEW_CYCLES = 256, 20_000
"""Arcs and cycles of networks whose cycles are listed rather than drawn: of a list the useful ones can be walked more often.
In larger networks most cycles are long, and blocked nearly always."""
DENSE = 0.15
"""Where at least this part of a two-way table is open, two rows have enough columns in common for swaps."""
FEW_MOVES = 300
MOST_SHOWN = 10
"""Blocks that a notebook shows."""
GRAVER_BUDGET = 500_000_000
"""Operations: a second or two."""
QUICK, REDRAWN, ADAPTED, SUMS = 1.0, 5.0, 4.0, 1.0
"""The odds of known moves, sub-tables, vectors of random bases and sums of lattice vectors, by effective draws of sparse
tables: sub-tables do best where tables are complete, random bases where many cells are hidden; sums hardly ever move."""

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Moves:
    """Moves for every block of a release; the certificate is the weakest of theirs."""

    release: Release
    support: Support
    sets: tuple[MoveSet, ...]

    @property
    def certificate(self) -> Certificate:
        """How far the moves are known to reach everything."""
        if not self.sets:
            return Certificate("exact", "the published figures decide every cell")
        weakest = max((one.certificate for one in self.sets), key=lambda one: WORDS.index(one.word))
        same = [one.certificate for one in self.sets if one.certificate.word == weakest.word]
        reasons = dict.fromkeys(one.reason for one in same)
        evidence = dict.fromkeys(line for one in same for line in one.evidence)
        return Certificate(weakest.word, "; ".join(reasons), tuple(evidence))

    @property
    def blocks(self) -> pd.DataFrame:
        """One row per independent block: how many cells and sums it has, its moves, and their certificate."""
        import pandas as pd

        rows = [(one.n_columns, one.words, one.certificate.word, one.certificate.reason) for one in self.sets]
        index = pd.RangeIndex(1, len(rows) + 1, name="block")
        return pd.DataFrame(rows, columns=["cells", "moves", "certificate", "reason"], index=index)

    def __repr__(self) -> str:
        blocks = "; ".join(f"block {k}: {one!r}" for k, one in enumerate(self.sets[:5], start=1))
        more = f"; and {len(self.sets) - 5} more" if len(self.sets) > 5 else ""
        return f"<Moves, {self.certificate.word}: {blocks}{more}>"

    def _repr_html_(self) -> str | None:
        return in_notebook(moves_html, self)


def moves_html(moves: Moves) -> str:
    """The certificate, and the moves of each block, for a notebook."""
    head = certificate_html(moves.certificate)
    if not moves.sets:
        return head
    some = moves.blocks.head(MOST_SHOWN)
    texts = [[f"{one.cells:,}", one.moves, one.certificate] for one in some.itertuples()]
    shown = table(
        ["block"], [(str(k),) for k in some.index], [], [("cells",), ("moves",), ("certificate",)], texts, words=(1, 2)
    )
    more = len(moves.sets) - len(some)
    return head + shown + (remark(f"… and {more:,} more in `.blocks`.") if more else "")


def choose(
    release: Release,
    law: Any = "uniform",
    *,
    max_seconds: float = 30.0,
    progress: Progress | None = None,
    inside: Support | None = None,
) -> Moves:
    """The best moves for each block of a release, within the support of a law (or of some of its blocks: `inside`)."""
    inside = inside or support(release, law)
    margins = components(inside.release)
    sets = []
    for number, block in enumerate(inside.solved.blocks):
        if progress is not None:
            progress(f"moves for block {number + 1} of {len(inside.solved.blocks)}: {len(block.columns)} cells")
        sets.append(_for_block(inside, number, block, margins, max_seconds))
    return Moves(release, inside, tuple(sets))


def _for_block(inside: Support, number: int, block: Block, margins: Components | None, max_seconds: float) -> MoveSet:
    if inside.gaps[block.columns].any():
        return whatever_the_block(inside, block, EXCLUDED)
    simple = swaps(block)
    if simple is not None:
        return simple
    around = cycles(block)
    if around is not None:
        return _with_quick_moves(block, around)
    lattice = integer_kernel(block.A)
    width = block.upper - block.lower
    # Few moves that all lie in the block are better than many, most of which meet decided cells.
    graver = graver_basis(lattice, width, GRAVER_BUDGET // 100, FEW_MOVES)
    if graver is None:
        known = None
        if margins is not None:
            known = margin_moves(margins, inside.solved, number, max_seconds=max_seconds)
        if known is not None:
            return known
        graver = graver_basis(lattice, width, GRAVER_BUDGET)
    if graver is not None:
        return Listed(graver, Certificate("connected", GRAVER))
    own = upper_of_their_own(block)
    computed = markov_basis(block.A, own, max_seconds)
    if computed.moves is not None:
        reason = MARKOV + (LIFTED if own.any() else "")
        return Listed(computed.moves, Certificate("connected", reason, (computed.words,)))
    quick = margin_moves(margins, inside.solved, number, proven=False) if margins is not None else None
    return whatever_the_block(inside, block, (computed.words,), LatticeMoves(lattice), quick)


def _with_quick_moves(block: Block, around: Cycles) -> MoveSet:
    """All cycles where they are few; else some drawn on the fly, which reach everything, and short ones, which are quick."""
    n = len(around.network.tail)
    if n <= FEW_ARCS:
        with suppress(TooLarge):
            return Listed(around.listed(FEW_CYCLES), around.certificate)
    pairs = row_pairs(block)
    if pairs is not None and n >= DENSE * len(pairs.bits) * (around.network.n_nodes - len(pairs.bits)):
        return Mixture((pairs, around), (0.9, 0.1))
    short = short_cycles(around)
    return Mixture((short, around), (0.95, 0.05)) if short.rows.shape[0] else around


def whatever_the_block(
    inside: Support,
    block: Block,
    evidence: tuple[str, ...] = (),
    sums: LatticeMoves | None = None,
    quick: MoveSet | None = None,
) -> MoveSet:
    """Sums of lattice vectors, which any block has; for speed, known moves, redrawn sub-tables and random bases."""
    if sums is None:
        sums = lattice_moves(block)
    certificate = sums.certificate
    sums = LatticeMoves(sums.lattice, replace(certificate, evidence=(*certificate.evidence, *evidence)))
    redrawn = from_sets(block, [*grown_sets(sums.vectors), *boxes(_coordinates(inside, block))])
    parts = ((quick, QUICK), (redrawn, REDRAWN), (adaptive_lattice(block), ADAPTED), (sums, SUMS))
    there = [(one, odds) for one, odds in parts if one is not None]
    return Mixture(tuple(one for one, _ in there), tuple(odds for _, odds in there)) if len(there) > 1 else sums


def _coordinates(inside: Support, block: Block) -> np.ndarray:
    """The labels of a block's columns in the first table of the release, -1 for other columns."""
    cells = inside.release.grids[0].cells
    found = np.full((inside.solved.fiber.n_columns, cells.ndim), -1, dtype=np.int64)
    found[cells.ravel()] = np.array(np.unravel_index(np.arange(cells.size), cells.shape)).T
    return found[block.columns]
