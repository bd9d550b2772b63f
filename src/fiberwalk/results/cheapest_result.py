"""Cheapest: mechanisms of several kinds and strengths, which of them reach a target, and which of these is the cheapest."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..base.errors import InputError
from ..release.release import Release
from ..report.words import setting_words
from .map_result import RUMap, Run, number_word

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..withholding.suppression_result import Suppression
    from .audit_result import Audit

_LIKELIHOOD = {"support only": "support only", "cellwise approximation": "a cellwise approximation"}
SAME = 1e-12
"""Utilities that differ by less are the same; then the mechanism counts that was named first."""


@dataclass(frozen=True, eq=False)
class Tried:
    """One mechanism in one strength, applied to the table once."""

    run: Run
    """Its risk and utility, as on a map; not numbers where it was refused."""
    reached: bool
    why_not: str = ""
    """Why the target is not reached; empty if it is."""
    what: str = ""
    """What was merged or withheld, in words."""
    release: Release | None = None
    looked_at: int = 1
    """How many candidates of this strength there were, of which this is the best."""
    complete: bool = True
    """Were all of these looked at, and all that are weaker?"""

    @property
    def name(self) -> str:
        """The mechanism and its strength, in words."""
        return f"{self.run.method} {setting_words(self.run.parameter, self.run.value)}".strip()


@dataclass(frozen=True, eq=False, repr=False)
class Cheapest:
    """Which mechanism, and how strong, keeps most of what users need among those that reach a target.

    `release` is what is published if the best is taken; `frame` has a row for every mechanism and strength that was tried,
    `ru_map` and `plot` show them by risk and utility, `audit()` says what an intruder learns.

    Which mechanism and strength was chosen follows from the table, and no audit counts what that tells.
    """

    tried: tuple[Tried, ...]
    original: Run
    """The table as it is."""
    until: str
    laws: tuple[str, ...]
    risk: str
    """What the risk is, in words."""
    max_risk: float
    """The highest risk that the target allows."""
    utility: str
    """What the utility is, in words."""
    utility_name: str
    auditor: Callable[..., Audit]
    """`fw.audit`."""
    seed: int
    """From which the seeds of random mechanisms follow. Whoever has it can undo these: it is not published."""
    suppression: Suppression | None = None
    """Which figures suppression withholds, and why, if it was allowed and found a pattern."""
    stopped: str = ""
    """Why not everything was tried; empty if it was."""

    def __repr__(self) -> str:
        return f"<Cheapest: {self.words}>"

    def _repr_html_(self) -> str | None:
        from ..base.html import in_notebook
        from ..report.notebook_form import cheapest_html

        return in_notebook(cheapest_html, self)

    @cached_property
    def best(self) -> Tried | None:
        """The one with the highest utility among those that reach the target; None if none does."""
        return _highest([one for one in self.tried if one.reached])

    @property
    def reached(self) -> bool:
        """Is there one that reaches the target?"""
        return self.best is not None

    @property
    def release(self) -> Release:
        """What is published if the best is taken, with the truth that the agency keeps."""
        if self.best is None:
            raise InputError(f"there is nothing to publish: {self.words}.")
        assert self.best.release is not None
        return self.best.release

    @cached_property
    def by_mechanism(self) -> dict[str, Tried | None]:
        """Of each mechanism the best strength that reaches the target; None where none does."""
        names = dict.fromkeys(one.run.method for one in self.tried)
        return {name: _highest([one for one in self.tried if one.reached and one.run.method == name]) for name in names}

    @property
    def words(self) -> str:
        """Which is the best, by which utility, what else reaches the target, and what does not."""
        wanted = f"{self.until} for every sensitive figure under the law {', '.join(self.laws)}"
        ended = f"; not everything was tried: {self.stopped}" if self.stopped else ""
        if self.best is None:
            who = f"none of {len(self.tried):,} candidates reaches"
            return f"{who if len(self.tried) > 1 else f'{self.tried[0].name} does not reach'} {wanted}{ended}"
        words = f"{self.best.name} keeps most of those that reach {wanted}: {number_word(self.best.run.utility)} "
        words += f"({self.utility})"
        if self.best.run.likelihood != "exact":
            words += f", with a likelihood that is {_LIKELIHOOD[self.best.run.likelihood]}"
        if not self.best.complete:
            words += ", of as many merges as were looked at"
        others = [one for one in self.by_mechanism.values() if one is not None and one is not self.best]
        if others:
            words += f"; then {', '.join(f'{one.name} ({number_word(one.run.utility)})' for one in _sorted(others))}"
        never = [name for name, one in self.by_mechanism.items() if one is None]
        if never:
            words += f"; {', '.join(never)} {'does' if len(never) == 1 else 'do'} not reach it"
        return words + ended

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row for every mechanism and strength, in the order in which they were tried.

        reached : does every sensitive figure reach the target? A sampled one counts if it does by three standard errors, and
            none counts where chains did not settle
        cheapest, best : is it the best of those of its mechanism that reach the target, and of all?
        utility, utility_error : what users keep, and its standard error; not a number where the candidate was refused
        risk, risk_error : of the worst sensitive figure
        likelihood : how well it is known how probable the mechanism makes what it published
        candidates : how many of this strength there were, of which this is the best
        what : what is merged or withheld
        why_not : why it does not reach the target
        """
        import pandas as pd

        rows = [
            {
                "reached": one.reached,
                "cheapest": one is self.by_mechanism[one.run.method],
                "best": one is self.best,
                "utility": one.run.utility,
                "utility_error": one.run.utility_mcse,
                "risk": one.run.risk,
                "risk_error": one.run.risk_mcse,
                "likelihood": one.run.likelihood,
                "candidates": one.looked_at,
                "what": one.what,
                "why_not": one.why_not,
            }
            for one in self.tried
        ]
        keys = [(one.run.method, setting_words(one.run.parameter, one.run.value)) for one in self.tried]
        return pd.DataFrame(rows, index=pd.MultiIndex.from_tuples(keys, names=["mechanism", "setting"]))

    def readable(self) -> pd.DataFrame:
        """The main columns as short texts, for people: what reaches the target first, the highest utility first."""
        import pandas as pd

        order = [*_sorted([one for one in self.tried if one.reached]), *(one for one in self.tried if not one.reached)]
        rows = {
            one.name: {
                "utility": "" if math.isnan(one.run.utility) else number_word(one.run.utility),
                "risk": "" if math.isnan(one.run.risk) else number_word(one.run.risk),
                "target": "reached" if one.reached else "not",
                "what or why not": "; ".join(filter(None, [one.what, one.why_not])),
            }
            for one in order
        }
        return pd.DataFrame.from_dict(rows, orient="index")

    @cached_property
    def ru_map(self) -> RUMap:
        """All that were tried, and the table as it is, on a map of disclosure risk and data utility."""
        runs = [self.original, *(one.run for one in self.tried if not math.isnan(one.run.risk + one.run.utility))]
        settings: dict[str, Any] = {
            "risk": self.until, "utility": self.utility_name, "law": ", ".join(self.laws), "cells": ["sensitive figures"]
        }  # fmt: skip
        return RUMap(tuple(runs), self.risk, self.utility, settings)

    def plot(self, ax: Axes | None = None, title: str | None = None, *, zoom: bool = False) -> Figure:
        """The map as a matplotlib figure, with a line at the highest risk that the target allows.

        Parameters
        ----------
        ax
            Where it is drawn; a new figure when left out.
        title
            Above the map; left out, which is the best.
        zoom
            Let the axes begin where the points do, and not at 0.
        """
        if title is None:
            best = "nothing reaches it" if self.best is None else f"the cheapest is {self.best.name}"
            title = f"until {self.until}: {best}"
        return self.ru_map.plot(ax, self.max_risk, title, zoom=zoom)

    def audit(self, **settings: Any) -> Audit:
        """What an intruder learns from the release: `fw.audit` of it, with its keywords."""
        return self.auditor(self.release, **settings)


def _sorted(tried: list[Tried]) -> list[Tried]:
    return sorted(tried, key=lambda one: -one.run.utility)


def _highest(tried: list[Tried]) -> Tried | None:
    """The one with the highest utility, the first of those that have the same."""
    best: Tried | None = None
    for one in tried:
        if best is None or one.run.utility > best.run.utility + SAME * max(1.0, abs(best.run.utility)):
            best = one
    return best
