"""From a request that may be asked to its answer: made, judged by its figures, and told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .answer import Answer
from .cube.label_sets import measured
from .cube.request import CONSISTENT, Request
from .judging import Judge, Verdict
from .measuring.agency_view import AgencyView
from .measuring.measures import Measure
from .protecting.making import Maker
from .protecting.protection import Protection
from .rules import TOO_THIN, numbered
from .tables import Tables, tables_of

if TYPE_CHECKING:
    from .measuring.sample_measure import SampleMeasure


@dataclass(frozen=True, eq=False)
class Answering:
    """What makes every answer of a server."""

    maker: Maker
    judge: Judge
    measure: Measure | SampleMeasure
    before: Protection | None
    """What the cube went through beforehand."""
    max_risk: float | None

    def refused(self, request: Request, why: str) -> Answer:
        """The answer to a request that is refused by itself: no table is made."""
        return Answer(request, False, why, why, self.max_risk)

    def of(self, request: Request, by: str | None = None) -> Answer:
        """The answer to a request that is refused by its figures if at all."""
        whole, cube = request.whole, self.maker.cube
        made = self.maker.made(whole)
        verdict = self.judge.verdict(request, made)
        seen = self.judge.shown(request, verdict)
        tables = tables_of(seen, made, self.maker, self.judge)
        view = AgencyView(
            self.measure,
            cube,
            seen,
            tables.dims,
            tables.made.counted,
            tables.made.published,
            [cells[cube.view(seen)] for cells in measured(cube, whole)],
            self.judge.rules.small,
            protected=made.after is not None or self.before is not None,
            by=by,
        )
        released = verdict.kept is not None
        return Answer(
            request,
            released,
            reason="" if released else "; ".join(verdict.why),
            notice="; ".join(self._notices(seen, verdict, tables)) if released else TOO_THIN,
            max_risk=self.max_risk,
            before=self.before,
            after=made.after,
            tables=tables,
            view=view,
            shows=self._shows(request),
        )

    def _shows(self, request: Request) -> str:
        """What the figures of a table are, in words."""
        if request.of:
            return f"{'mean' if request.mean else 'sum'} of {request.of}"
        return "count" if self.maker.weighted_base is None else "weighted count"

    def _notices(self, request: Request, verdict: Verdict, tables: Tables) -> list[str]:
        """What whoever asked is told of a table."""
        made, areas = tables.made, self.judge.rules.areas
        notices = [f"without {areas}={', '.join(verdict.why)}, where {TOO_THIN}"] if verdict.why else []
        if request.totals == CONSISTENT and request.chosen:
            notices.append(f"totals are about all labels of {', '.join(request.chosen)}")
        if np.issubdtype(tables.shown.dtype, np.floating) and np.isnan(tables.shown).any():
            notices.append("figures are withheld where too few people are counted")
        repeated = sum(
            int((one.elsewhere >= 0).sum()) for one in (made, *tables.totals.values()) if one.elsewhere is not None
        )
        if repeated:
            are = "is" if repeated == 1 else "are"
            notices.append(f"{numbered(repeated, 'figure')} {are} as published elsewhere before")
        if made.differ is not None and made.differ.any():
            notices.append(f"{numbered(int(made.differ.sum()), 'figure')} were published elsewhere as another number")
        return notices
