"""RUMap: methods of protection on one map of disclosure risk and data utility, and what can be asked of it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.certificate import LIKELIHOODS, WORDS
from ..base.errors import InputError
from ..base.numbers import largest_first
from ..base.saved_file import save
from ..base.saved_forms import saved
from ..report.words import ORIGINAL, setting_words

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


NOT_AUDITED = "not audited"
"""Stands for a certificate where neither axis asked what an intruder believes."""


@saved("Run")
@dataclass(frozen=True)
class Run:
    """One method, applied to the table once."""

    method: str
    parameter: str
    value: Any
    seed: int | None
    """None where nothing is random."""
    risk: float
    utility: float
    known: float
    """How many of the cells at risk are known exactly; not a number where the risk is of the table as a whole."""
    likelihood: str
    certificate: str
    converged: bool
    doubts: tuple[str, ...] = ()
    """What must be said beside its figures wherever they are shown."""
    risk_mcse: float = 0.0
    """The standard error of the risk that chains leave."""
    at_risk: float = 0
    """Of how many cells the risk is; not a number where it is of the table as a whole."""
    utility_mcse: float = math.nan
    """The standard error of the utility that chains and draws leave."""


@saved("RUMap", kind="map")
@dataclass(frozen=True, eq=False, repr=False)
class RUMap:
    """Disclosure risk against data utility of several methods (DFKPR01).

    `frame` has a row for each method and value of its parameter, `runs` one for each time it was applied; `plot` draws the
    map, and `best(max_risk)` says what to choose.
    """

    found: Sequence[Run]
    risk: str
    """What the risk is, in words."""
    utility: str
    """What the utility is, in words."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    left_out: int = 0
    """How many runs had not been made when Ctrl-C was pressed."""

    def __repr__(self) -> str:
        more = f", {self.left_out} runs left out" if self.left_out else ""
        return (
            f"<RUMap of {', '.join(map(repr, self.frame.index.unique('method')))}: {len(self.frame)} points, "
            f"{len(self.found)} runs{more}; risk: {self.risk}; utility: {self.utility}>"
        )

    def _repr_html_(self) -> str | None:
        from ..base.html import in_notebook
        from ..report.notebook_form import map_html

        return in_notebook(map_html, self)

    @property
    def converged(self) -> bool:
        """Did the chains of every audit, if there were any, pass the stop rule, and was no run left out?"""
        return not self.left_out and all(run.converged for run in self.found)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row for each run: method, parameter, value, seed (missing where nothing is random), risk, utility, known."""
        import pandas as pd

        columns = ("method", "parameter", "value", "seed", "risk", "utility", "known")
        kinds: dict[str, Any] = {"seed": pd.UInt64Dtype(), "value": object}  # whole numbers stay so beside None
        return pd.DataFrame(
            {name: pd.Series([getattr(run, name) for run in self.found], dtype=kinds.get(name)) for name in columns}
        )

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row for each method and value of its parameter, in the order in which they were given.

        parameter, value : what differs along the line of a method
        risk, utility : the means over its runs
        risk_error, utility_error : their standard errors; risk_sd, utility_sd : how far single runs differ (sample
            standard deviation). Not a number where there is one run, or where the mean is infinite
        risk_mcse : the standard error of the risk that the audits' chains leave, the largest of its runs; 0 where they are
            exact, not a number where it is not known; utility_mcse : that of the utility likewise
        runs, disclosing : how many runs, and in how many of them a cell at risk is known exactly
        known, at_risk : the mean number of cells at risk that are known exactly, and of all that are at risk; like
            `disclosing` not a number where the risk is of the table as a whole
        dominated : does another point have, by the means, no more risk and no less utility, and is better in one of them?
        likelihood, certificate, converged : the weakest of its audits; the certificate is "not audited" where neither axis
            asked for one
        doubts : what must be said beside its figures, in words
        """
        import pandas as pd

        groups: dict[tuple[str, str], list[Run]] = {}
        for run in self.found:
            groups.setdefault((run.method, setting_words(run.parameter, run.value)), []).append(run)
        frame = pd.DataFrame(
            [_point(runs) for runs in groups.values()],
            index=pd.MultiIndex.from_tuples(groups, names=["method", "setting"]),
        )
        frame["value"] = pd.Series([runs[0].value for runs in groups.values()], index=frame.index, dtype=object)
        place = frame.columns.get_loc("at_risk")
        assert isinstance(place, int)
        frame.insert(place + 1, "dominated", _dominated(frame["risk"].to_numpy(), frame["utility"].to_numpy()))
        return frame

    def best(self, max_risk: float) -> pd.DataFrame:
        """The rows of `frame` of the highest utility among those whose risk is at most `max_risk`; empty if there are none.

        >>> import fiberwalk as fw
        >>> by_base = {f"round {base}": lambda t, base=base: fw.round_to(t, base) for base in (3, 5)}
        >>> fw.ru_map([[3, 1], [2, 4]], by_base, "r1", "hellinger").best(0.9).index.tolist()
        [('original', '')]
        """
        frame = self.frame
        allowed = frame[frame["risk"] <= check_threshold(max_risk)]
        return allowed[allowed["utility"] >= allowed["utility"].max()] if len(allowed) else allowed

    @property
    def sentence(self) -> str:
        """Which methods are worth a look (no other point dominates them), and what is in doubt, for people."""
        frame = self.frame
        others = frame[frame.index.get_level_values("method") != ORIGINAL]
        undominated = [point_name(point) for point in others.index[~others["dominated"]]]
        if len(others) < 2:
            only = (others if len(others) else frame).iloc[0]
            sentence = f"The risk of {point_name(only.name)} is {number_word(only['risk'])}, its utility "
            sentence += f"{number_word(only['utility'])}."
        elif len(others.round(12).drop_duplicates(["risk", "utility"])) == 1:
            same = number_word(others["risk"].iloc[0])
            sentence = f"The {len(others)} points have the same risk, {same}, and the same utility."
        elif len(undominated) == len(others):
            sentence = f"Each of the {len(others)} points trades utility for risk: none surpasses another in both."
        elif not undominated:
            sentence = f"By this risk, none of the {len(others)} points is safer than the table as it is."
        else:
            verb = "is" if len(undominated) == 1 else "are"
            sentence = f"Of {len(others)} points, {_listed(undominated)} {verb} worth a look: for each "
            sentence += "other one, one of these has, on average, no more risk and no less utility."
        sentence += self._rises
        disclosing = [point_name(point) for point in others.index[others["disclosing"] > 0]]
        if disclosing:
            sentence += f" A cell at risk is known exactly, at least in some runs, after {_listed(disclosing)}."
        least, most = others["at_risk"].min(), others["at_risk"].max()
        if not self.settings.get("cells") and least < most:
            sentence += (
                f" The methods hide different cells, {least:g} to {most:g} of them, and the risk is of these alone: "
            )
            sentence += "say which cells are sensitive, to compare it."
        doubtful = int((frame["doubts"] != "").sum())
        if doubtful:
            words = ", ".join(dict.fromkeys(word for run in self.found for word in run.doubts))
            sentence += f" {doubtful} of {len(frame)} points {'is' if doubtful == 1 else 'are'} in doubt ({words})."
        if self.left_out:
            sentence += f" Interrupted: {self.left_out} runs are left out."
        return sentence

    @property
    def _rises(self) -> str:
        """What must be said where a risk of the whole table is larger after protection than before."""
        from ..risk.table_risks import TABLE_RISKS

        risk = TABLE_RISKS.get(str(self.settings.get("risk")))
        before = [run.risk for run in self.found if run.method == ORIGINAL]
        if risk is None or not risk.may_rise or not before:
            return ""
        larger = [run for run in self.found if run.risk > before[0] + 1e-12]
        names = list(dict.fromkeys(point_name((run.method, setting_words(run.parameter, run.value))) for run in larger))
        sentence = f" In {len(larger)} runs of {_listed(names)} the risk is larger than before: {risk.may_rise}."
        return sentence if larger else ""

    def readable(self) -> pd.DataFrame:
        """The main columns as short texts, for people; the lowest risk first.

        >>> import fiberwalk as fw
        >>> fw.ru_map([[3, 1], [2, 4]], {"rounded": lambda t: fw.round_to(t, 3)}, "r1", "hellinger").readable()
                            risk utility runs
        method   setting
        original          0.1295       1    1
        rounded            0.261  0.7578    1
        """
        import pandas as pd

        frame = self.frame.iloc[largest_first(self.frame["utility"])]
        frame = frame.iloc[largest_first(-frame["risk"])]
        shown = {
            axis: [with_error(*pair) for pair in zip(frame[axis], frame[f"{axis}_error"], strict=True)]
            for axis in ("risk", "utility")
        }
        shown["runs"] = [str(runs) for runs in frame["runs"]]
        if frame["known"].notna().all():
            shown["known exactly"] = [f"{known:g}" for known in frame["known"]]
        if (frame["doubts"] != "").any():
            shown["doubts"] = list(frame["doubts"])
        return pd.DataFrame(shown, index=frame.index)

    def plot(
        self,
        ax: Axes | None = None,
        max_risk: float | None = None,
        title: str | None = None,
        *,
        families: Mapping[str, Sequence[str]] | None = None,
        zoom: bool = False,
    ) -> Figure:
        """The map as a matplotlib figure: risk upwards, utility to the right, a line for each parameterised method.

        Bars are standard errors over repeated protection. Infinite risks (a cell is known exactly) and utilities (nothing is
        lost) stand in bands at the edge; hollow points are in doubt, and the legend says why.

        Parameters
        ----------
        ax
            Where it is drawn; a new figure when left out.
        max_risk
            The highest risk that is allowed: a line across the map.
        title
            Above the map.
        families
            Methods that belong together, by the name of their group: each group has a colour of its own, and a heading in
            the legend. Methods that are in none are grey.
        zoom
            Let the axes begin where the points do, and not at 0.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> ru = fw.ru_map([[3, 1], [2, 4]], {"rounding": ("random_round", {"base": [3, 5]})}, "r2", "hellinger", seeds=2)
        >>> figure = ru.plot(max_risk=0.3)
        """
        from ..report.plots.map_plot import draw_map

        return draw_map(self, ax, None if max_risk is None else check_threshold(max_risk), title, families, zoom)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the map to a file, from which `fiberwalk.load` makes it again: its runs and settings, not the methods.

        It is for the agency: with the seeds of the runs, which it holds, what is random can be undone.
        """
        save(self, path)


def check_threshold(threshold: Any) -> float:
    """The highest risk that is allowed, if it can be one."""
    if isinstance(threshold, bool) or not isinstance(threshold, (int, float, np.number)) or not 0 < threshold < np.inf:
        raise InputError(f"max_risk={threshold!r}: the highest risk that is allowed, a number above 0.")
    return float(threshold)


def point_name(index: Any) -> str:
    """A point of the map in words."""
    method, setting = index
    return f"{method} {setting}" if setting else str(method)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def number_word(value: float) -> str:
    """A risk or utility in four digits."""
    return "infinite" if np.isinf(value) else f"{value:.4g}"


def with_error(value: float, error: float) -> str:
    """... and its standard error, where it has one."""
    if np.isnan(error) or np.isinf(value):
        return number_word(value)
    return f"{value:.4g} ± {0 if error < 1e-9 * abs(value) else error:.2g}"


def _point(runs: Sequence[Run]) -> dict[str, Any]:
    first = runs[0]
    row: dict[str, Any] = {"parameter": first.parameter, "value": first.value}
    for axis in ("risk", "utility"):
        values = np.array([getattr(run, axis) for run in runs])
        mean = float(values.mean())
        sd = float(values.std(ddof=1)) if len(runs) > 1 and np.isfinite(mean) else np.nan
        row |= {axis: mean, f"{axis}_error": sd / np.sqrt(len(runs)), f"{axis}_sd": sd}
    row |= {column: float(np.max([getattr(run, column) for run in runs])) for column in ("risk_mcse", "utility_mcse")}
    of_cells = not np.isnan(first.known)
    row |= {"runs": len(runs), "disclosing": sum(run.known > 0 for run in runs) if of_cells else np.nan}
    row |= {column: float(np.mean([getattr(run, column) for run in runs])) for column in ("known", "at_risk")}
    row["likelihood"] = max((run.likelihood for run in runs), key=LIKELIHOODS.index)
    row["certificate"] = max((run.certificate for run in runs), key=(NOT_AUDITED, *WORDS).index)
    row["converged"] = all(run.converged for run in runs)
    row["doubts"] = ", ".join(dict.fromkeys(word for run in runs for word in run.doubts))
    return row


def _dominated(risk: np.ndarray, utility: np.ndarray) -> np.ndarray:
    """For each point, whether another is at least as good on both axes and better on one: it is not on the Pareto front."""
    # figures that are equal up to rounding errors of floating point
    risk, utility = np.round(risk, 12), np.round(utility, 12)
    as_good = (risk[:, None] <= risk) & (utility[:, None] >= utility)
    better = (risk[:, None] < risk) | (utility[:, None] > utility)
    return np.asarray((as_good & better).any(axis=0))
