"""Audit: what was found about a release, and all that can be asked of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.certificate import Certificate
from ..base.errors import InputError
from ..base.numbers import largest_first
from ..base.saved_file import save
from ..base.saved_forms import saved
from ..fiber.laws.unknown_law import on_paper
from ..frames.cell_frame import cell_frame, true_values
from ..frames.cell_questions import (
    distribution_frame,
    harmful_values,
    limits,
    standing,
    summary_frame,
    threshold_frame,
    value_index,
)
from ..frames.deceptive_cells import deceptive_frame
from ..frames.exposure import exposure_frame
from ..frames.hidden_steps import steps_frame, theta_frame
from ..frames.line_concentration import concentration_frame
from ..frames.respondents import Respondent, find, respondents_frame
from ..frames.wanted_protection import protection_frame
from ..posterior.belief import Belief
from ..posterior.parts.pmf import Pmf
from ..release.release import Release
from ..release.tables.tables import key_of
from ..risk.harm import expected_harm
from ..risk.nearness import check_percent

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.figure import Figure

MOST_VALUES = 1_000_000
"""Values of a cell that are listed one by one."""
NEAR = 10.0
"""Percent: a guess that is nearer than this to a magnitude does harm, unless another limit is given."""


@saved("Audit", kind="audit")
@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """What an intruder learns from a release about each hidden cell, and what risk that is.

    `cells` is the answer, `deceptive()` the cells whose interval looks safe and whose distribution is not; `pmf` the
    distribution of one cell; `readings` further audits where the release can be read in more than one way; `method`,
    `certificate`, `converged`, `stopped` and `tables` say how the answer was obtained and how far it can be trusted.
    `to_html`, `plot` and `heat_map` show it, `save` keeps it.
    """

    belief: Belief
    settings: Mapping[str, Any] = field(default_factory=dict)
    readings: Mapping[str, Audit] = field(default_factory=dict)
    insiders: Mapping[Respondent, Belief] | None = None
    """What each known contributor believes; None where that was not asked."""
    left_out: str = ""
    """What was not asked as time was up or Ctrl-C was pressed, in words."""

    @property
    def release(self) -> Release:
        """What was audited."""
        return self.belief.release

    @property
    def method(self) -> str:
        """How the distributions were obtained: "exact", or "chains" if any block was sampled."""
        return self.belief.method

    @property
    def certificate(self) -> Certificate:
        """How far the answer can be trusted."""
        return self.belief.certificate

    @property
    def converged(self) -> bool:
        """Did the chains, if there were any, pass the stop rule, and was nothing left out?"""
        return not self.stopped and all(one.converged for one in self._beliefs())

    @property
    def stopped(self) -> str:
        """Why the work was stopped before it was done, and what was left out; empty if it was not."""
        why = next((one.stopped for one in self._beliefs() if one.stopped), "")
        return "; ".join(part for part in (why, self.left_out) if part)

    def _beliefs(self) -> list[Belief]:
        """Its own, and those of the respondents."""
        return [self.belief, *(self.insiders or {}).values()]

    @property
    def tables(self) -> int | None:
        """The number of tables that agree with the release; None where they were sampled and not counted."""
        return self.belief.tables

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
        said = "" if likelihood == "exact" else f" (likelihood: {likelihood})"
        if self.method == "exact":
            return f"exact{said}"
        return f"chains, {self.certificate.word}{said}" + ("" if self.converged else ", NOT CONVERGED")

    @cached_property
    def magnitude(self) -> bool:
        """Is this a table of magnitudes (turnover, income) rather than of counts?

        As `audit(magnitudes=)` said; otherwise where there are decimals, or where the cells' contributors show it.
        """
        said = self.settings.get("magnitudes")
        return self.release.of_magnitudes if said is None else bool(said)

    @property
    def percent(self) -> float:
        """How near to the truth of a magnitude is too near, in percent."""
        return float(self.settings.get("percent", NEAR))

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row per hidden cell (and margin asked for), the riskiest first.

        lower, upper, support : the sharp bounds and the number of attainable values m
        entropy, risk : H(X | Y = y) in bits and 1/H; a cell that is known exactly has risk inf
        uniform_risk, understatement : 1/log2 m, and how many times `risk` exceeds it
        mean, modal, p_modal : the expected and the most probable value, and its probability
        ess, rhat, entropy_mcse : the sampling error of the entropy (none where the method is exact)
        method, certificate, converged : how the row was obtained, and whether chains passed the stop rule
        published : the figure that was published in its place (only where a method published figures that are not exact)
        own : the intruder's own part of the cell, which the other columns leave out (only where `knows(own=)` was said)
        truth, p_truth : where the release carries the truth
        p0, p1 : the probability of the counts 0 and 1 (not in tables of magnitudes)
        low90, high90 : the shortest range that has 90% of the probability
        p_near : the probability of being within `percent` of the truth (magnitudes whose truth is known)
        """
        return cell_frame(self.belief, magnitude=self.magnitude, percent=self.percent)

    def position(self, cell: Mapping[str, Any]) -> int:
        """Which of the audited cells and sums this is."""
        key = np.array(key_of({k: v for k, v in cell.items() if str(v) != "Total"}, self.release.dims))
        found = np.flatnonzero((self.belief.keys == key).all(axis=1))
        if not len(found):
            named = self.release.words(key)
            raise InputError(
                f"{named} is not among the audited cells: it is published, or it is a margin that was not asked for "
                "(hidden_margins=)."
            )
        return int(found[0])

    def _pmf(self, cell: Any, labels: Mapping[str, Any]) -> Pmf:
        if cell is not None and not isinstance(cell, Mapping):
            raise InputError(f"a cell is named by its labels, pmf(dim=label, ...), or as a dict; this is {cell!r}.")
        return self.belief.pmfs[self.position({**(cell or {}), **labels})]

    def pmf(self, cell: Mapping[str, Any] | None = None, /, **labels: Any) -> pd.Series:
        """How probable each attainable value of a cell is: a Series of value -> probability.

        The cell is named by its labels, `a.pmf(I="1", J="3", K="3")`, or as a dict; dims left out are summed over. The
        `attrs` of the Series say how it was obtained (method, certificate, converged, ess). Cells that have more than a
        million values between the least and the greatest that came up are listed in bins: the index then holds the least
        value of each, and its name says so.
        """
        import pandas as pd

        pmf = self._pmf(cell, labels).in_values(MOST_VALUES)
        series = pd.Series(pmf.probabilities, index=value_index(pmf, self.release), name="probability")
        series.attrs = standing(pmf)
        return series

    def joint(self, cells: Iterable[Mapping[str, Any]]) -> pd.Series:
        """How probable each combination of values of a few cells is: a Series with a level of the index for each cell.

        Cells are given as a list of dicts, as for `pmf`. It is worked out when asked, exactly where that is possible and by
        chains elsewhere: the `attrs` of the Series say how (method, certificate, converged, ess).

        Examples
        --------
        >>> import fiberwalk as fw
        >>> a = fw.audit(fw.publish([[1, 0, 1], [0, 1, 0]], margins=["A", "B"]))
        >>> a.joint([{"A": "1", "B": "1"}, {"A": "1", "B": "2"}]).round(3).to_dict()
        {(0, 1): 0.333, (1, 0): 0.333, (1, 1): 0.333}
        """
        from .further_questions import joint

        return joint(self, cells)

    def most_probable_table(self) -> xr.DataArray:
        """The table of the greatest probability under the law and the evidence, in its own units.

        The attribute `log_weight` is the logarithm of its weight, up to a constant. Other tables may be as probable; under
        the uniform law all are, and the question is refused.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> a = fw.audit(fw.publish([[9, 1], [0, 6]], margins=["A", "B"]), law="hypergeometric")
        >>> a.most_probable_table().values.tolist()
        [[6, 4], [3, 3]]
        """
        from .further_questions import most_probable_table

        return most_probable_table(self)

    def summary(self, cell: Mapping[str, Any] | None = None, /, **labels: Any) -> pd.DataFrame:
        """What there is to say of a cell with very many values: columns value and mcse, its standard error.

        Rows: mean, sd (the standard deviation), low90 and high90 (the shortest range with a probability of 90%), entropy in
        bits, and where the truth is known p_near, the probability of being within `percent` of it. The cell is named as for
        `pmf`.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> a = fw.audit(fw.publish([[10**9, 5], [7, 10**9]], margins=["A", "B"]), law="hypergeometric")
        >>> a.summary(A="1", B="1")["value"].round(1).to_dict()["sd"]
        11180.3
        """
        pmf, truth = self._pmf(cell, labels), true_values(self.belief)
        known = None if truth is None else int(truth[self.position({**(cell or {}), **labels})])
        return summary_frame(pmf, self.release, known, self.percent)

    def distribution(self, cell: Mapping[str, Any] | None = None, /, **labels: Any) -> pd.DataFrame:
        """The distribution of a cell with its sampling error: columns probability, mcse, at_most and cumulative, by value.

        A probability is below `at_most` in 99.5% of all cases: look there for values that chains met seldom or never.

        The cell is named as for `pmf`. Sampled cells with very many values are counted in bins: the index then holds the
        least value of each, and its name says so.
        """
        return distribution_frame(self._pmf(cell, labels), self.release)

    def probability(
        self,
        cell: Mapping[str, Any] | None = None,
        /,
        *,
        at_most: float | None = None,
        at_least: float | None = None,
        **labels: Any,
    ) -> float:
        """The probability that a cell is at most, or at least, some value (both: that it lies between).

        Examples
        --------
        >>> import fiberwalk as fw
        >>> a = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]))
        >>> a.probability(A="1", B="1", at_most=1)
        0.4
        """
        return self._pmf(cell, labels).between(*limits(self.release, at_most, at_least))

    def threshold(self, *, at_most: float | None = None, at_least: float | None = None) -> pd.DataFrame:
        """`probability` of every hidden cell with its standard error: columns probability and mcse, highest first."""
        return threshold_frame(self.belief, at_most, at_least)

    @property
    def disclosed(self) -> pd.DataFrame:
        """The rows of `cells` that are known exactly."""
        return self.cells[self.cells["support"] == 1]

    def deceptive(
        self, *, support: int = 5, certainty: float = 0.5, bits: float = 1.0, percent: float | None = None
    ) -> pd.DataFrame:
        """The rows of `cells` whose interval looks safe and whose distribution is not, and `why` in words.

        Counts look safe with at least `support` possible values; yet one of them has more than `certainty` of the
        probability, or fewer than `bits` bits are left. Magnitudes look safe where half their interval is more than
        `percent` (that of the audit unless given) of the truth; yet they are within `percent` of it with a probability above
        `certainty`. Where the truth is not known, the middle of the interval and then the best guess stand for it. A cell
        for which the release itself states protection levels looks safe where these are met.
        """
        near = self.percent if percent is None else check_percent(percent, "deceptive")
        return deceptive_frame(
            self.belief, self.cells, magnitude=self.magnitude, values=support, limit=certainty, bits=bits, percent=near
        )

    @cached_property
    def respondents(self) -> pd.DataFrame:
        """What each known contributor learns about the others, the worst first (`intruders="respondents"`).

        One row for each, indexed by the labels of her cell:

        kind, own : "single" (the cell is hers), "dominant" (more than half is), "largest" or "second" (largest), and her own
            contribution; the last two of magnitudes only, and who is second is taken to know it: the cell is at least twice
            her part
        newly_known : how many cells she knows exactly that were not known before; of her own, the others' part
        worst_cell : the cell she comes to know best, exactly or, for magnitudes, nearest; empty where she learns nothing
        risk_before, risk, times : its risk to everybody and to her, and how many times that is
        p_modal_before, p_modal : likewise, the probability of its most probable value
        certificate, converged : the weakest of what she believes, and whether what was sampled passed the stop rule
        p_near_before, p_near : for magnitudes, the probability of being within `percent` of the truth
        other_lower, other_upper : for magnitudes, between which amounts the largest other contributor to her cell lies: all
            that is not hers is the most; the least is an equal share of it among the others where their number is known,
            and to the second largest her own amount, or all but as much for each who is behind her
        other, other_within : the true amount of that contributor where it is known, and by how many percent of it
            `other_upper` is above it, as in the p% rule
        p_near_other : the probability that what is not hers is within `percent` of that amount

        Examples
        --------
        A cell of 59, 40 and 1: to the one who has the 40, the largest has at most 60, which is 1.7 percent too much.

        >>> import fiberwalk as fw
        >>> no = float("nan")
        >>> behind = dict(contributors=[3, no, no], largest=[59, no, no], second=[40, no, no])
        >>> r = fw.suppress([100, 7, 9], where=[{"A": "1"}], **behind)
        >>> seen = fw.audit(r, intruders="respondents").respondents.set_index("kind").loc["second"]
        >>> [int(seen[one]) for one in ("own", "other_lower", "other_upper", "other")], round(float(seen["other_within"]), 1)
        ([40, 40, 60, 59], 1.7)
        """
        return respondents_frame(self.belief, self._insiders(), magnitude=self.magnitude, percent=self.percent)

    def seen_by(self, cell: Mapping[str, Any] | None = None, /, *, by_second: bool = False, **labels: Any) -> Audit:
        """The audit as the largest contributor to a cell sees it, or the second largest; the cell is named as for `pmf`.

        Its own `pmf` of that cell is of the others' part: where two contribute, of the other one's amount.
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
        everybody : the probability of being within `percent` of the truth, for counts of being the truth, to the public
        respondent, who : the same to the contributor who knows most, and her cell; her own cell is left out where she is
            alone in it, and otherwise the others' part is meant (`intruders="respondents"`)
        worst : the greater of the two
        other : of magnitudes, the greatest probability with which a contributor to this cell, who subtracts her own part, is
            within `percent` of the largest other one's amount (see `respondents`)

        Examples
        --------
        >>> import fiberwalk as fw
        >>> other = [{"A": "1", "B": "2"}, {"A": "2", "B": "1"}]
        >>> r = fw.suppress([[1, 5, 4], [7, 2, 6], [3, 8, 9]], rule="< 3", where=other)
        >>> found = fw.audit(r, intruders="respondents").exposure()
        >>> found[["everybody", "respondent", "who"]].round(3).iloc[:1]
             everybody  respondent       who
        A B
        2 2      0.143         1.0  A=1, B=1
        """
        return exposure_frame(self.belief, self.insiders or {}, percent=self.percent if self.magnitude else 0.0)

    @cached_property
    def steps(self) -> pd.DataFrame:
        """The hidden steps of a Markov perturbation: one row for each square, indexed by the labels of its top-left cell.

        to : the bottom-right cell
        mean, sd, p_none : by how much the step changed the top-left cell, and how probable it is that it did not
        low90, high90 : the shortest range that has 90% of the probability
        method, ess, rhat : how that is known; empty rows are of steps that cannot be told apart by the table they began with
        """
        return steps_frame(self.belief)

    @cached_property
    def theta(self) -> pd.DataFrame:
        """What is learnt of a Markov perturbation's theta where it is not known: columns prior, posterior and mcse."""
        return theta_frame(self.belief)

    def concentration(self) -> pd.DataFrame:
        """How probable is it that a whole line of the table sits in one cell? Attribute disclosure, for counts.

        One row for each line (all dims but one fixed; in a table of two dims its rows and columns) that has a hidden cell
        and a total above 0, the riskiest first, with `Total` in the dim it runs along:

        total : what the line adds up to
        probability, mcse : the sum over its cells of P(cell = total), and at most this much standard error
        cell, p_cell : the label of the cell that most probably holds it all, and how probable that is

        Lines whose total is neither published nor implied by what is published are left out.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> a = fw.audit(fw.publish([[1, 0], [2, 4]], margins=["A", "B"]))
        >>> a.concentration().iloc[0].to_dict()
        {'total': 1, 'probability': 1.0, 'mcse': 0.0, 'cell': '1', 'p_cell': 0.5}
        """
        return concentration_frame(self.belief)

    def harm(self, r: Callable[[Any], float] | Mapping[Any, float]) -> pd.Series:
        """Expected harm, sum over k of r(k) p(k), of every cell (DFKPR01); of bins, that of their middle."""
        import pandas as pd

        harms = [expected_harm(harmful_values(pmf, r, self.release), r) for pmf in self.belief.pmfs]
        found = pd.Series(harms, index=self.release.index(self.belief.keys), name="harm", dtype=float)
        return found.iloc[largest_first(found)]

    def protection(
        self, *, percent: float | None = None, lower: float | None = None, upper: float | None = None
    ) -> pd.DataFrame:
        """Is every value of a wanted range attainable? One row per hidden cell.

        `first_missing` is the first wanted value that is not; `by` says what tells attainable values: "every table", or for
        sampled cells the "bounds", between which a value counts unless it is excluded. `p_inside` is how probable it is
        that the cell lies within the wanted range: near 1, values beyond it are possible and hardly more than that.

        Parameters
        ----------
        percent
            Wanted: from truth - percent to truth + percent of the truth, ends rounded outward.
        lower, upper
            Wanted: this range for every cell. Left out with `percent`, the protection levels of a JJ file are used.
        """
        return protection_frame(self.belief, percent, lower, upper)

    def plot(self, top: int = 6) -> Figure:
        """The distributions of the riskiest cells, and risk against uniform risk, as a matplotlib figure."""
        from ..report.plots.audit_plots import audit_figure

        return audit_figure(self, top)

    def heat_map(self, **labels: Any) -> Figure:
        """The table as a heat map of risk, as a matplotlib figure.

        Darker is riskier; cells that are known exactly are red, published ones hatched. Of a table of three and more
        dims one slice along its two longest dims is drawn, the one with the riskiest hidden cell; labels choose another,
        `a.heat_map(K="3")`.
        """
        from ..report.plots.heat_map import audit_heat_map

        return audit_heat_map(self, labels)

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write a report of one self-contained page."""
        from ..report.page import write_report

        write_report(self, path)

    def to_arviz(self, draws: int = 1000, chains: int = 4, which: str = "all") -> Any:
        """Whole tables drawn from what the intruder believes, in ArviZ's own form, with the audit's seed.

        That is an `arviz.InferenceData` with arviz 0.23 and an `xarray.DataTree` with arviz 1.x; the draws are the variable
        `table` of its group `posterior`. `fiberwalk.sample` gives the same draws as a plain `xarray.Dataset`, and says what
        `which="hidden"` is for.
        """
        from .further_questions import arviz_draws

        return arviz_draws(self, draws, chains, which)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the whole audit to a file, from which `fiberwalk.load` makes it again; the truth, if known, is in it."""
        save(self, path)

    def _saved_form_(self) -> Audit:
        law = on_paper(self.settings.get("law"), self.release)
        return replace(self, settings={**self.settings, "law": law})
