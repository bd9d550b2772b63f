"""What the agency sees of an answer: risk and utility, which look at the true table, made when they are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import EllipsisType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError
from ..cube.hypercube import Counted, Hypercube
from ..cube.request import Request
from ..rules import Size

if TYPE_CHECKING:
    from ...release.tables.dims import Dim
    from .measures import Measure, MeasuredTable
    from .sample_measure import SampledTable, SampleMeasure


@dataclass(frozen=True, eq=False)
class AgencyView:
    """The measures of one table. Nothing of this decides whether it is answered."""

    measure: Measure | SampleMeasure
    cube: Hypercube
    request: Request
    dims: tuple[Dim, ...]
    counted: Counted
    published: np.ndarray
    looked_at: Sequence[np.ndarray]
    """The cells that are measured; where there are several choices, the worse counts."""
    small: int
    protected: bool
    by: str | None = None

    @cached_property
    def size(self) -> Size:
        """How large the true table is."""
        cells = self.counted.counts[self.looked_at[0]]
        small = np.count_nonzero((cells > 0) & (cells <= self.small))
        return Size(int(cells.sum()), cells.size, small / max(cells.size, 1))

    @cached_property
    def risk_before(self) -> float:
        """The risk of the table as it is."""
        return max(self._measured.before(cut) for cut in self._cuts)

    @cached_property
    def risk_after(self) -> float:
        """The risk that protection leaves."""
        if not self.protected:
            return self.risk_before
        return max(self._measured.after(self.published, cut) for cut in self._cuts)

    @cached_property
    def utility(self) -> float:
        """What is kept of the table, from 0 to 1."""
        return self.measure.utility(self.counted.counts, self.published)

    @property
    def rises(self) -> str:
        """What must be said where the risk is larger after protection than before."""
        return self.measure.may_rise if self.risk_after > self.risk_before else ""

    @cached_property
    def unknown(self) -> str:
        """Why the risk cannot be measured; empty where it can."""
        try:
            _ = self.risk_before, self.risk_after
        except InputError as problem:
            return str(problem).removesuffix(".")
        return ""

    def risk_by(self, after: bool) -> Any:
        """The risk of each category of the dim that was asked about."""
        if self.by is None:
            return None
        true = self.counted.counts
        return self._measured.by(self.by, self.published if after and self.protected else true)

    @property
    def _cuts(self) -> list[np.ndarray | EllipsisType]:
        """All cells, where these are looked at, in the shape of the table."""
        return [... if cells.all() else cells for cells in self.looked_at]

    @cached_property
    def _measured(self) -> MeasuredTable | SampledTable:
        return self.measure.on(self.counted, self.dims, self.request, self.seed)

    @cached_property
    def seed(self) -> int:
        """The seed of this table, from which the populations follow that are drawn behind it."""
        return self.cube.table_seed(self.counted.keys)
