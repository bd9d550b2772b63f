"""choose: for every block of a release the best moves that are proven for it; where none are, say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..base.certificate import ALL_DECIDED, Certificate, certificate_html
from ..base.html import in_notebook, remark, table
from ..base.progress import Progress
from ..fiber.bounds.decomposable import components
from ..fiber.laws.support import Support
from ..release.release import Release
from .bases.algebra import MOST_SECONDS
from .families.move_set import MoveSet
from .registry import Wanted, moves_for_block

if TYPE_CHECKING:
    import pandas as pd

MOST_SHOWN = 10
"""Blocks that a notebook shows."""


@dataclass(frozen=True, eq=False)
class Moves:
    """Moves for every block of a release; the certificate is the weakest of theirs."""

    support: Support
    sets: tuple[MoveSet, ...]
    chosen: bool = False
    """By `choose`, as the best that is known: kernels that draw tables anew may then go before them."""

    @property
    def release(self) -> Release:
        """What the moves keep."""
        return self.support.release

    @property
    def certificate(self) -> Certificate:
        """How far the moves are known to reach everything."""
        return Certificate.together(move_set.certificate for move_set in self.sets) if self.sets else ALL_DECIDED

    @property
    def blocks(self) -> pd.DataFrame:
        """One row per independent block: how many cells and sums it has, its moves, and their certificate."""
        import pandas as pd

        rows = [
            (move_set.n_columns, move_set.words, move_set.certificate.word, move_set.certificate.reason)
            for move_set in self.sets
        ]
        index = pd.RangeIndex(1, len(rows) + 1, name="block")
        return pd.DataFrame(rows, columns=["cells", "moves", "certificate", "reason"], index=index)

    def __repr__(self) -> str:
        blocks = "; ".join(f"block {number}: {move_set!r}" for number, move_set in enumerate(self.sets[:5], start=1))
        more = f"; and {len(self.sets) - 5} more" if len(self.sets) > 5 else ""
        return f"<Moves, {self.certificate.word}: {blocks}{more}>"

    def _repr_html_(self) -> str | None:
        return in_notebook(moves_html, self)


def moves_html(moves: Moves) -> str:
    """The certificate, and the moves of each block, for a notebook."""
    head = certificate_html(moves.certificate)
    if not moves.sets:
        return head
    first_blocks = moves.blocks.head(MOST_SHOWN)
    texts = [[f"{block.cells:,}", block.moves, block.certificate] for block in first_blocks.itertuples()]
    shown = table(
        ["block"],
        [(str(number),) for number in first_blocks.index],
        [],
        [("cells",), ("moves",), ("certificate",)],
        texts,
        words=(1, 2),
    )
    more = len(moves.sets) - len(first_blocks)
    return head + shown + (remark(f"… and {more:,} more in `.blocks`.") if more else "")


def choose(inside: Support, *, max_seconds: float = MOST_SECONDS, progress: Progress | None = None) -> Moves:
    """The best moves for each block of a release, within the support of a law."""
    margins = components(inside.narrowed)
    sets = []
    for number, block in enumerate(inside.solved.blocks):
        if progress is not None:
            progress(f"moves for block {number + 1} of {len(inside.solved.blocks)}: {len(block.columns)} cells")
        sets.append(moves_for_block(Wanted(inside, number, margins, max_seconds)))
    return Moves(inside, tuple(sets), chosen=True)
