"""InformedAudit: what an intruder learns who knows the program that chose what to withhold, beside what others learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..frames.cell_frame import cell_frame
from .audit_result import Audit
from .audited_cells import AuditedCells
from .believed import Believed

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

BESIDE = ("support", "entropy", "p_modal")
"""Columns that are shown for others, too."""


@dataclass(frozen=True, eq=False, repr=False)
class InformedAudit(Believed):
    """What an intruder learns who keeps only tables that the same program would have suppressed in the same way.

    `cells` is the answer, `pmf` the distribution of one cell, `without` the audit of an intruder who only reads what is
    published; `certificate` says how the answer was obtained, and what she is taken to know, `tables` how many she keeps.
    """

    without: Audit
    sensitive: np.ndarray
    """Of each withheld cell and total: would it be sensitive in any table that she keeps?"""
    looked_at: int
    """Tables that agree with what is published: all of them, or as many as were drawn."""
    kept: int
    """Those among them which the program may suppress in the same way."""
    programs: int
    """How often it was run."""
    drawn: bool = False
    """Were tables drawn, and not all of them looked at?"""

    def __repr__(self) -> str:
        return f"<InformedAudit: {self.words}>"

    @property
    def words(self) -> str:
        """What was kept, and how much more she learns of what is withheld."""
        cells = self.cells
        lost = cells["entropy_without"] - cells["entropy"]
        known = int(((cells["support"] == 1) & (cells["support_without"] > 1)).sum())
        return (
            f"of {self.looked_at:,} {'drawn tables' if self.drawn else 'tables'} {self.kept:,} may have been suppressed in "
            f"the same way; of {len(cells):,} withheld cells and totals {known:,} become known, and "
            f"{max(float(lost.mean()), 0.0):.2f} bits are lost on average"
        )

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row per withheld cell and total, the riskiest first: the columns of `Audit.cells`, and beside them

        support_without, entropy_without, p_modal_without : what an intruder finds who does not know the program
        p_truth_without : likewise, where the truth is known
        """
        frame = cell_frame(self.belief, magnitude=self.without.magnitude, percent=self.without.percent)
        others = self.without.cells.loc[frame.index]
        for column in (*BESIDE, *(["p_truth"] if "p_truth" in frame else [])):
            frame[f"{column}_without"] = others[column].to_numpy()
        return frame

    def pmf(self, cell: Mapping[str, Any] | None = None, /, **labels: Any) -> pd.Series:
        """The distribution of one withheld cell or total: its values and their probabilities, named as for `Audit.pmf`."""
        return AuditedCells(self.belief).pmf(cell, **labels)

    @property
    def most_learned(self) -> float:
        """The largest loss of bits of any cell."""
        return max(float((self.cells["entropy_without"] - self.cells["entropy"]).max()), 0.0)
