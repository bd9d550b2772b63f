"""AuditedCells: what an intruder believes of each hidden cell, and the questions that can be asked of that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError
from ..base.numbers import largest_first
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
from ..frames.hidden_steps import steps_frame, theta_frame
from ..frames.line_concentration import concentration_frame
from ..frames.wanted_protection import protection_frame
from ..posterior.parts.pmf import Pmf
from ..release.release import Release
from ..release.tables.tables import key_of
from ..risk.harm import expected_harm
from ..risk.nearness import check_percent
from .believed import Believed

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

MOST_VALUES = 1_000_000
"""Values of a cell that are listed one by one."""
NEAR = 10.0
"""Percent: a guess that is nearer than this to a magnitude counts as disclosure, unless another limit is given."""


@dataclass(frozen=True, eq=False, repr=False)
class AuditedCells(Believed):
    """The distribution of each hidden cell given all that was published (its posterior), and what follows from it."""

    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def release(self) -> Release:
        """What was audited."""
        return self.belief.release

    @cached_property
    def magnitude(self) -> bool:
        """Is this a table of magnitudes (turnover, income) rather than of counts?

        As `audit(magnitudes=)` says; where that is left out, a table with decimals is, or one whose contributors show it.
        """
        stated = self.settings.get("magnitudes")
        return self.release.of_magnitudes if stated is None else bool(stated)

    @property
    def percent(self) -> float:
        """Of magnitudes: a guess within so many percent of the true value counts as disclosure."""
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
        low90, high90 : the shortest interval that has 90% of the probability (highest posterior density)
        p_near : the probability of being within `percent` of the truth (magnitudes whose truth is known)
        """
        return cell_frame(self.belief, magnitude=self.magnitude, percent=self.percent)

    @property
    def disclosed(self) -> pd.DataFrame:
        """The rows of `cells` that are known exactly."""
        return self.cells[self.cells["support"] == 1]

    def deceptive(
        self, *, support: int = 5, certainty: float = 0.5, bits: float = 1.0, percent: float | None = None
    ) -> pd.DataFrame:
        """The rows of `cells` whose interval looks safe and whose distribution is not, and `why` in words.

        Counts look safe with at least `support` possible values; yet one of them has more than `certainty` of the
        probability, or the entropy is below `bits`. Magnitudes look safe where half their interval is more than `percent`
        (that of the audit unless given) of the truth; yet they are within `percent` of it with a probability above
        `certainty`. Where the truth is not known, the width is measured against the middle of the interval, and nearness
        against the best guess. A cell for which the release itself states protection levels looks safe where these are met.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> audit = fw.audit(fw.publish([[90, 1], [1, 9]], margins=["A", "B"]), law="hypergeometric")
        >>> audit.deceptive(bits=2)["why"].iloc[0]
        '1.8 bits of entropy are left, of 11 possible values'
        """
        near = self.percent if percent is None else check_percent(percent, "deceptive")
        return deceptive_frame(
            self.belief, self.cells, magnitude=self.magnitude, support=support, certainty=certainty, bits=bits, percent=near,
        )  # fmt: skip

    def position(self, cell: Mapping[str, Any]) -> int:
        """The number of a cell or sum among those audited, in the order of the table.

        >>> import fiberwalk as fw
        >>> audit = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]))
        >>> audit.position({"A": "2", "B": "1"})
        2
        """
        key = np.array(key_of({dim: label for dim, label in cell.items() if str(label) != "Total"}, self.release.dims))
        places = np.flatnonzero((self.belief.keys == key).all(axis=1))
        if not len(places):
            cell_words = self.release.words(key)
            raise InputError(
                f"{cell_words} is not among the audited cells: it is published, or it is a margin that was not asked for "
                "(hidden_margins=)."
            )
        return int(places[0])

    def _pmf(self, cell: Any, labels: Mapping[str, Any]) -> Pmf:
        if cell is not None and not isinstance(cell, Mapping):
            raise InputError(f"a cell is named by its labels, pmf(dim=label, ...), or as a dict; this is {cell!r}.")
        return self.belief.pmfs[self.position({**(cell or {}), **labels})]

    def pmf(self, cell: Mapping[str, Any] | None = None, /, **labels: Any) -> pd.Series:
        """How probable each attainable value of a cell is: a Series of value -> probability.

        The cell is named by its labels, `audit.pmf(I="1", J="3", K="3")`, or as a dict; dims left out are summed over. The
        `attrs` of the Series say how it was obtained (method, certificate, converged, ess). Cells that have more than a
        million values between the least and the greatest that came up are listed in bins: the index then holds the least
        value of each, and its name says so.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> audit = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]))
        >>> audit.pmf(A="1", B="1").to_dict()
        {0: 0.2, 1: 0.2, 2: 0.2, 3: 0.2, 4: 0.2}
        """
        import pandas as pd

        pmf = self._pmf(cell, labels).in_values(MOST_VALUES)
        series = pd.Series(pmf.probabilities, index=value_index(pmf, self.release), name="probability")
        series.attrs = standing(pmf)
        return series

    def distribution(self, cell: Mapping[str, Any] | None = None, /, **labels: Any) -> pd.DataFrame:
        """The distribution of a cell with its sampling error: columns probability, mcse, at_most and cumulative, by value.

        `at_most` is an upper confidence limit of 99.5%: look there for values that chains met seldom or never.

        The cell is named as for `pmf`. Sampled cells with very many values are counted in bins: the index then holds the
        least value of each, and its name says so.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> audit = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]))
        >>> audit.distribution(A="1", B="1")["cumulative"].round(1).to_dict()
        {0: 0.2, 1: 0.4, 2: 0.6, 3: 0.8, 4: 1.0}
        """
        return distribution_frame(self._pmf(cell, labels), self.release)

    def summary(self, cell: Mapping[str, Any] | None = None, /, **labels: Any) -> pd.DataFrame:
        """The main figures of a cell's distribution: columns value and mcse, its Monte Carlo standard error.

        Rows: mean, sd (the standard deviation), low90 and high90 (the shortest interval with a probability of 90%), entropy
        in bits, and where the truth is known p_near, the probability of being within `percent` of it. The cell is named as
        for `pmf`.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> audit = fw.audit(fw.publish([[10**9, 5], [7, 10**9]], margins=["A", "B"]), law="hypergeometric")
        >>> audit.summary(A="1", B="1")["value"].round(1).to_dict()["sd"]
        11180.3
        """
        pmf, truth = self._pmf(cell, labels), true_values(self.belief)
        known = None if truth is None else int(truth[self.position({**(cell or {}), **labels})])
        return summary_frame(pmf, self.release, known, self.percent)

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
        >>> audit = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]))
        >>> audit.probability(A="1", B="1", at_most=1)
        0.4
        """
        return self._pmf(cell, labels).between(*limits(self.release, at_most, at_least))

    def threshold(self, *, at_most: float | None = None, at_least: float | None = None) -> pd.DataFrame:
        """`probability` of every hidden cell with its standard error: columns probability and mcse, highest first.

        >>> import fiberwalk as fw
        >>> audit = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]))
        >>> audit.threshold(at_most=2)["probability"].round(1).tolist()
        [0.6, 0.6, 0.4, 0.4]
        """
        return threshold_frame(self.belief, at_most, at_least)

    def joint(self, cells: Iterable[Mapping[str, Any]]) -> pd.Series:
        """The joint distribution of a few cells: a Series with a level of the index for each cell.

        Cells are given as a list of dicts, as for `pmf`. It is computed when asked, exactly where that is possible and by
        chains elsewhere: the `attrs` of the Series say how (method, certificate, converged, ess).

        Examples
        --------
        >>> import fiberwalk as fw
        >>> audit = fw.audit(fw.publish([[1, 0, 1], [0, 1, 0]], margins=["A", "B"]))
        >>> audit.joint([{"A": "1", "B": "1"}, {"A": "1", "B": "2"}]).round(3).to_dict()
        {(0, 1): 0.333, (1, 0): 0.333, (1, 1): 0.333}
        """
        from .further_questions import joint

        return joint(self, cells)

    def most_probable_table(self) -> xr.DataArray:
        """The most probable table under the law and the evidence (the posterior mode), in its own units.

        The attribute `log_weight` is the logarithm of its weight, up to a constant. Other tables may be as probable; under
        the uniform law all are, and the question is refused.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> audit = fw.audit(fw.publish([[9, 1], [0, 6]], margins=["A", "B"]), law="hypergeometric")
        >>> audit.most_probable_table().values.tolist()
        [[6, 4], [3, 3]]
        """
        from .further_questions import most_probable_table

        return most_probable_table(self)

    def concentration(self) -> pd.DataFrame:
        """Attribute disclosure of counts: how probable is it that all of a row, column or other line are in one cell?

        One row for each line (all dims but one fixed; in a table of two dims its rows and columns) that has a hidden cell
        and a total above 0, the riskiest first, with `Total` in the dim it runs along:

        total : what the line adds up to
        probability, mcse : the sum over its cells of P(cell = total), and an upper bound of its standard error
        cell, p_cell : the label of the cell that most probably holds it all, and how probable that is

        Lines whose total is neither published nor implied by what is published are left out.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> audit = fw.audit(fw.publish([[1, 0], [2, 4]], margins=["A", "B"]))
        >>> audit.concentration().iloc[0].to_dict()
        {'total': 1, 'probability': 1.0, 'mcse': 0.0, 'cell': '1', 'p_cell': 0.5}
        """
        return concentration_frame(self.belief)

    def harm(self, r: Callable[[Any], float] | Mapping[Any, float]) -> pd.Series:
        """Expected harm, sum over k of r(k) p(k), of every cell (DFKPR01), the largest first; a bin counts by its middle.

        `r` is a function of the value, or a mapping of the values that do harm.

        >>> import fiberwalk as fw
        >>> audit = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]))
        >>> audit.harm({1: 1.0, 2: 0.5}).round(2).tolist()
        [0.3, 0.3, 0.3, 0.3]
        """
        import pandas as pd

        harms = [expected_harm(harmful_values(pmf, r, self.release), r) for pmf in self.belief.pmfs]
        series = pd.Series(harms, index=self.release.index(self.belief.keys), name="harm", dtype=float)
        return series.iloc[largest_first(series)]

    def protection(
        self, *, percent: float | None = None, lower: float | None = None, upper: float | None = None
    ) -> pd.DataFrame:
        """Is every value of a wanted range attainable? One row per hidden cell.

        `first_missing` is the first wanted value that is not attainable; `by` says how attainable values are known: from
        "every table", or for sampled cells from the "bounds", between which every value counts that is not excluded.
        `p_inside` is the probability that the cell lies within the wanted range: where it is near 1, values beyond the range
        are possible but improbable.

        Parameters
        ----------
        percent
            Wanted: from truth - percent to truth + percent of the truth, ends rounded outward.
        lower, upper
            Wanted: this range for every cell. Where these and `percent` are left out, the protection levels of a JJ file.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> audit = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]))
        >>> audit.protection(lower=0, upper=2)["protected"].to_dict()
        {('2', '1'): False, ('2', '2'): False, ('1', '1'): True, ('1', '2'): True}
        """
        return protection_frame(self.belief, percent, lower, upper)

    @cached_property
    def steps(self) -> pd.DataFrame:
        """The hidden steps of a Markov perturbation: one row for each square, indexed by the labels of its top-left cell.

        to : the bottom-right cell
        mean, sd, p_none : by how much the step changed the top-left cell, and how probable it is that it did not
        low90, high90 : the shortest range that has 90% of the probability
        method, ess, rhat : how that is known; rows are empty where the table before the step does not tell how far it went

        Examples
        --------
        >>> import fiberwalk as fw
        >>> release = fw.protect.markov_perturb([[3, 5, 1], [4, 2, 6]], theta=0.2, seed=1)
        >>> fw.audit(release).steps["to"].tolist()
        ['A=2, B=2', 'A=2, B=3']
        """
        return steps_frame(self.belief)

    @cached_property
    def theta(self) -> pd.DataFrame:
        """A Markov perturbation's theta, where it is not known: columns prior, posterior and mcse (see `snooper.table`)."""
        return theta_frame(self.belief)
