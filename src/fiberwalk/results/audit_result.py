"""Audit: what an intruder learns from a release, how far the answer can be trusted, and how it is shown and kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..base.errors import InputError
from ..base.saved_file import save
from ..base.saved_forms import saved
from ..fiber.laws.unknown_law import on_paper
from ..frames.exposure import exposure_frame
from ..frames.respondents import Respondent, find, respondents_frame
from ..posterior.belief import Belief
from .audited_cells import AuditedCells

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@saved("Audit", kind="audit")
@dataclass(frozen=True, eq=False, repr=False)
class Audit(AuditedCells):
    """What an intruder learns from a release about each hidden cell, and what risk that is.

    `cells` is the answer, `deceptive()` the cells whose interval looks safe and whose distribution is not; `pmf` the
    distribution of one cell; `readings` further audits where the release can be read in more than one way; `method`,
    `certificate`, `converged`, `stopped` and `tables` say how the answer was obtained and how far it can be trusted.
    `to_html`, `plot` and `heat_map` show it, `save` keeps it.
    """

    readings: Mapping[str, Audit] = field(default_factory=dict)
    """Further audits, where the release can be read in more than one way."""
    insiders: Mapping[Respondent, Belief] | None = None
    """What each known contributor believes; None where that was not asked."""
    left_out: str = ""
    """What was not asked as time was up or Ctrl-C was pressed, in words."""

    @property
    def converged(self) -> bool:
        """Did the chains, if there were any, pass the stop rule, and was nothing left out?"""
        return not self.stopped and all(belief.converged for belief in self._beliefs())

    @property
    def stopped(self) -> str:
        """Why the work was stopped before it was done, and what was left out; empty if it was not."""
        reason = next((belief.stopped for belief in self._beliefs() if belief.stopped), "")
        return "; ".join(part for part in (reason, self.left_out) if part)

    def _beliefs(self) -> list[Belief]:
        """That of the public, and those of the respondents."""
        return [self.belief, *(self.insiders or {}).values()]

    def __repr__(self) -> str:
        known = int((self.cells["support"] == 1).sum())
        open_risk = self.cells["risk"][self.cells["support"] > 1]
        worst = f"the highest risk of the others is {open_risk.max():.3g}" if len(open_risk) else "none is open"
        return (
            f"<Audit of {len(self.cells)} hidden cells, law {self.belief.law.name!r}, {self._how()}: "
            f"{known} known exactly, {worst}>"
        )

    def _repr_html_(self) -> str | None:
        from ..base.html import in_notebook
        from ..report.notebook_form import audit_html

        return in_notebook(audit_html, self)

    def _how(self) -> str:
        likelihood = self.certificate.likelihood
        words = "" if likelihood == "exact" else f" (likelihood: {likelihood})"
        if self.method == "exact":
            return f"exact{words}"
        return f"chains, {self.certificate.word}{words}" + ("" if self.converged else ", NOT CONVERGED")

    @cached_property
    def respondents(self) -> pd.DataFrame:
        """What each known contributor learns about the others, the worst first (`intruders="respondents"`).

        One row for each, indexed by the labels of her cell:

        kind, own : "single" (the cell is hers), "dominant" (more than half is), "largest" or "second" (largest), and her own
            contribution; the last two of magnitudes only, and who is second is taken to know it: the cell is at least twice
            her part
        newly_known : how many cells she knows exactly that were not known before; of her own, the others' part
        worst_cell : the cell she learns most about, exactly or, for magnitudes, nearest; empty where she learns nothing
        risk_before, risk, times : its risk in the eyes of everybody and in hers, and the ratio of the two
        p_modal_before, p_modal : likewise, the probability of its most probable value
        certificate, converged : the weakest of her distributions, and whether chains passed the stop rule
        p_near_before, p_near : for magnitudes, the probability of being within `percent` of the truth
        other_lower, other_upper : for magnitudes, the least and the greatest amount that the largest other contributor to
            her cell may have. The greatest is all that is not hers. The least is an equal share of it among the others,
            where their number is known; the second largest knows that it is at least her own amount, and at least what is
            left if each contributor behind her has as much as she
        other, other_within : the true amount of that contributor where it is known, and by how many percent of it
            `other_upper` is above it, as in the p% rule
        p_near_other : the probability that what is not hers is within `percent` of that amount

        Examples
        --------
        A cell of 59, 40 and 1: who has the 40 knows that the largest has at most 60, which is 1.7 percent too much.

        >>> import fiberwalk as fw
        >>> no = float("nan")
        >>> behind = dict(contributors=[3, no, no], largest=[59, no, no], second=[40, no, no])
        >>> release = fw.suppress(fw.table([100, 7, 9], **behind), where=[{"A": "1"}])
        >>> second = fw.audit(release, intruders="respondents").respondents.set_index("kind").loc["second"]
        >>> second[["own", "other_lower", "other_upper", "other"]].astype(int).tolist()
        [40, 40, 60, 59]
        >>> round(float(second["other_within"]), 1)
        1.7
        """
        return respondents_frame(self.belief, self._insiders(), magnitude=self.magnitude, percent=self.percent)

    def seen_by(self, cell: Mapping[str, Any] | None = None, /, *, by_second: bool = False, **labels: Any) -> Audit:
        """The audit as the largest contributor to a cell sees it, or the second largest; the cell is named as for `pmf`.

        Its `pmf` of that cell is of the others' part: where two contribute, of the other one's amount.

        >>> import fiberwalk as fw
        >>> cells = [{"A": a, "B": b} for a in "12" for b in "12"]
        >>> audit = fw.audit(fw.suppress([[1, 5, 4], [7, 2, 6]], where=cells), intruders="respondents")
        >>> audit.seen_by(A="1", B="1").pmf(A="2", B="2").to_dict()
        {2: 1.0}
        """
        key = self.belief.keys[self.position({**(cell or {}), **labels})]
        return Audit(find(self._insiders(), self.release, key, by_second), self.settings)

    def _insiders(self) -> Mapping[Respondent, Belief]:
        if self.insiders is None:
            raise InputError("what respondents learn was not asked: say audit(release, intruders='respondents').")
        return self.insiders

    def exposure(self) -> pd.DataFrame:
        """Who comes nearest to each hidden cell? One row each, sensitive cells first, the most exposed first.

        sensitive : was it withheld for its own sake (primary), and not only to protect others?
        truth : its true value
        everybody : the probability, in the eyes of the public, of being within `percent` of the truth; of counts, of the
            truth itself
        respondent, who : the same in the eyes of the contributor who knows most, and her cell (`intruders="respondents"`);
            of her own cell the others' part is meant, and it is left out where she is alone in it
        worst : the greater of the two
        other : of magnitudes, the greatest probability with which a contributor to this cell, who subtracts her own part, is
            within `percent` of the largest other one's amount (see `respondents`)

        Examples
        --------
        >>> import fiberwalk as fw
        >>> secondary = [{"A": "1", "B": "2"}, {"A": "2", "B": "1"}]
        >>> release = fw.suppress([[1, 5, 4], [7, 2, 6], [3, 8, 9]], rule="< 3", where=secondary)
        >>> exposure = fw.audit(release, intruders="respondents").exposure()
        >>> exposure[["everybody", "respondent", "who"]].round(3).iloc[:1]
             everybody  respondent       who
        A B
        2 2      0.143         1.0  A=1, B=1
        """
        return exposure_frame(self.belief, self.insiders or {}, percent=self.percent if self.magnitude else 0.0)

    def plot(self, top: int = 6) -> Figure:
        """The distributions of the riskiest cells, and risk against uniform risk, as a matplotlib figure.

        >>> import fiberwalk as fw
        >>> figure = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"])).plot(top=2)
        """
        from ..report.plots.audit_plots import audit_figure

        return audit_figure(self, top)

    def heat_map(self, **labels: Any) -> Figure:
        """The table as a heat map of risk, as a matplotlib figure.

        Darker is riskier; cells that are known exactly are red, published ones hatched. Of a table of three and more
        dims one slice along its two longest dims is drawn, the one with the riskiest hidden cell; labels choose another,
        `audit.heat_map(K="3")`.

        >>> import fiberwalk as fw
        >>> figure = fw.audit(fw.examples.dot02_table1().release).heat_map()
        """
        from ..report.plots.heat_map import audit_heat_map

        return audit_heat_map(self, labels)

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write a report of one self-contained page, which any browser shows."""
        from ..report.page import write_report

        write_report(self, path)

    def to_arviz(self, draws: int = 1000, chains: int = 4, which: str = "all") -> Any:
        """Whole tables drawn from what the intruder believes, in ArviZ's own form, with the audit's seed.

        That is an `arviz.InferenceData` with arviz 0.23 and an `xarray.DataTree` with arviz 1.x; the draws are the variable
        `table` of its group `posterior`. `fiberwalk.sample` gives the same draws as a plain `xarray.Dataset`, and says what
        `which="hidden"` is for.

        >>> import fiberwalk as fw
        >>> draws = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"])).to_arviz(draws=50, chains=2)
        >>> dict(draws["posterior"].sizes)
        {'chain': 2, 'draw': 50, 'A': 2, 'B': 2}
        """
        from .further_questions import arviz_draws

        return arviz_draws(self, draws, chains, which)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the whole audit to a file, for `fiberwalk.load` to read; the truth, if known, is in it."""
        save(self, path)

    def _saved_form_(self) -> Audit:
        law = on_paper(self.settings.get("law"), self.release)
        return replace(self, settings={**self.settings, "law": law})
