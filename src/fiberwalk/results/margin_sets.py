"""MarginSets: sets of margins of one table, and what an intruder would learn from each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError
from ..base.saved_file import save
from ..base.saved_forms import saved
from ..report.words import cell_name, doubts
from .audit_result import Audit
from .map_result import check_threshold

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Margins = tuple[tuple[str, ...], ...]
"""A set of margins, each the names of its dims, none of them part of another."""
MEASURES = ("risk", "uniform_risk", "p_modal")
ERRORS = 3.0
"""A sampled figure within so many standard errors of the threshold may lie on either side; the stop rule has as many."""
FEW = 5
"""A cell with fewer attainable values has a narrow interval; `Audit.deceptive` draws the line there too."""


@saved("MarginSets", kind="margins")
@dataclass(frozen=True, eq=False, repr=False)
class MarginSets:
    """Sets of margins that might be published together, each audited.

    `frame` has a row for each, `audits` the audit of each; `best(max_risk)` says which may be published, and `plot` draws
    the risk that each leaves.
    """

    audits: Mapping[str, Audit]
    sets: Mapping[str, Margins]
    """What the names stand for, from the set that tells least to the one that tells most."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    """Sets whose turn had not come when Ctrl-C was pressed."""

    def __repr__(self) -> str:
        return f"<MarginSets: {len(self.audits)} sets of margins, law {self.law!r}>"

    def _repr_html_(self) -> str | None:
        from ..base.html import in_notebook
        from ..report.notebook_form import margin_sets_html

        return in_notebook(margin_sets_html, self)

    @property
    def law(self) -> str:
        """What the intruder believes beforehand."""
        return next(iter(self.audits.values())).belief.law.name

    @property
    def converged(self) -> bool:
        """Did the chains of every audit, if there were any, pass the stop rule, and was no set left out?"""
        return not self.left_out and all(audit.converged for audit in self.audits.values())

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row for each set of margins, from the one that tells least to the one that tells most.

        figures, independent : how many figures are published, and how many of these do not follow from the others
        tables : how many tables agree with them, a whole number; None where that was not counted
        known, narrow : how many cells are known exactly, and how many have fewer than five attainable values
        narrowest, median_width : upper less lower bound, the least and the median of all cells
        uniform_risk : the highest that intervals suggest, 1/log2 of the number of values
        risk, risk_mcse : the highest, and the standard error that chains leave
        worst_cell, p_modal : whose that is, and the highest probability of a most probable value, of any cell
        deceptive : how many cells look safe by their interval and are not (`Audit.deceptive`)
        method, certificate, converged : how it was obtained, and how far it can be trusted
        """
        import pandas as pd

        rows = {name: _row(audit, self.sets[name]) for name, audit in self.audits.items()}
        frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("margins")
        frame["tables"] = pd.Series([row["tables"] for row in rows.values()], index=frame.index, dtype=object)
        return frame

    def best(self, max_risk: float, column: str = "risk") -> pd.DataFrame:
        """The maximal sets that may be published: rows of `frame`, the most telling first.

        All their cells stay at or below the threshold, and no other such set tells all that they tell and more. Sampled
        figures are estimates: `settled` is False where chains have not converged, or where a cell of this set, or of one
        that tells more, is within three standard errors of the threshold. Then sample more finely (`tolerance=`), or give a
        higher `limit=`.

        Parameters
        ----------
        max_risk
            The threshold: the highest figure of any cell that is allowed.
        column
            Which figure: "risk", "uniform_risk" (what an audit of intervals would allow) or "p_modal".

        Examples
        --------
        >>> import fiberwalk as fw
        >>> sets = fw.studies.compare_margins([[3, 1, 0], [2, 4, 5]], law="hypergeometric")
        >>> sets.best(0.54)["settled"].to_dict()
        {'B': True, 'A': True}
        """
        if column not in MEASURES:
            raise InputError(f"best(column={column!r}): one of {', '.join(map(repr, MEASURES))}.")
        frame, limit = self.frame, check_threshold(max_risk)
        allowed = frame.index[frame[column] <= limit]

        def surpassed(name: str, others: Iterable[str]) -> bool:
            return any(tells_more(self.sets[other], self.sets[name]) for other in others)

        largest = [name for name in allowed if not surpassed(name, allowed)]
        unsettled = [name for name, audit in self.audits.items() if not _settled(audit, column, limit)]
        settled = [name not in unsettled and not surpassed(name, unsettled) for name in largest]
        return frame.loc[largest].assign(settled=settled).sort_values("independent", ascending=False, kind="stable")

    @property
    def doubts(self) -> dict[str, str]:
        """What must be said beside the figures of a set, in words; only sets of which something must be."""
        by_set = {name: ", ".join(word for word, _ in doubts(audit)) for name, audit in self.audits.items()}
        return {name: words for name, words in by_set.items() if words}

    def plot(
        self,
        max_risk: float | None = None,
        *,
        beside: MarginSets | None = None,
        top: int = 40,
        title: str | None = None,
    ) -> Figure:
        """The highest risk that each set leaves beside what intervals alone suggest, as a matplotlib figure.

        The sets that tell most stand at the top, each with the number of its independent figures. Hollow points are from
        sampled distributions.

        Parameters
        ----------
        max_risk
            The highest risk that is allowed: a line across the picture.
        beside
            Another comparison of the same sets, such as one under another law, drawn into the same picture.
        top
            At most so many are shown, those that tell most.
        title
            Above the picture.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> figure = fw.studies.compare_margins([[3, 1, 0], [2, 4, 5]]).plot(max_risk=0.54)
        """
        from ..report.plots.margin_plot import draw_margin_sets

        if isinstance(top, bool) or not isinstance(top, (int, np.integer)) or top < 1:
            raise InputError(f"plot(top={top!r}): at least one set must be shown.")
        if beside is not None and (not isinstance(beside, MarginSets) or beside.sets != self.sets):
            raise InputError("plot(beside=): another comparison of the same sets of margins.")
        limit = None if max_risk is None else check_threshold(max_risk)
        return draw_margin_sets([self, *([] if beside is None else [beside])], limit, int(top), title)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, from which `fiberwalk.load` makes it again: all its audits, and in them the true table."""
        save(self, path)


def maximal(margins: Iterable[Iterable[str]], dims: Iterable[str]) -> Margins:
    """Margins in the order of the dims, without those that follow from another."""
    order = list(dims)
    sets = sorted({frozenset(margin) for margin in margins}, key=lambda margin: sorted(map(order.index, margin)))
    return tuple(
        tuple(sorted(margin, key=order.index)) for margin in sets if not any(margin < other for other in sets)
    )  # fmt: skip


def tells_more(larger: Margins, smaller: Margins) -> bool:
    """Does the second set of margins follow from the first, and not the reverse?"""
    return larger != smaller and all(any(set(part) <= set(whole) for whole in larger) for part in smaller)


def independent_figures(margins: Margins, sizes: Mapping[str, int]) -> int:
    """How many of the figures of some margins do not follow from the others: the parameters of their log-linear model."""
    faces = {frozenset(face) for margin in margins for k in range(len(margin) + 1) for face in combinations(margin, k)}
    return int(sum(np.prod([sizes[dim] - 1 for dim in face], dtype=np.int64) for face in faces))


def _settled(audit: Audit, by: str, limit: float) -> bool:
    """Is it beyond the errors of the chains that all cells are below the limit, or that one is above it?"""
    if audit.method == "exact" or by == "uniform_risk":
        return True
    if not audit.converged or audit.certificate.word == "unproven":
        return False
    cells = audit.cells
    if by == "risk":  # of the bits, whose error is known: risk <= limit is bits >= 1 / limit
        spare = cells["entropy"] - (1 / limit if limit > 0 else np.inf)
        error = ERRORS * cells["entropy_mcse"].fillna(0.0)
    else:
        p = cells["p_modal"]
        spare, error = limit - p, ERRORS * np.sqrt(p * (1 - p) / cells["ess"])
    return bool((spare >= error).all() or (spare < -error).any())


def _row(audit: Audit, margins: Margins) -> dict[str, Any]:
    cells = audit.cells
    sizes = {dim.name: len(dim.labels) for dim in audit.release.dims}
    width = cells["upper"] - cells["lower"]
    worst = cells.iloc[0]  # the riskiest is the first
    risk, entropy_error = float(worst["risk"]), float(np.nan_to_num(worst["entropy_mcse"]))
    return {
        "figures": int(sum(np.prod([sizes[dim] for dim in margin], dtype=np.int64) for margin in margins)),
        "independent": independent_figures(margins, sizes),
        "tables": audit.tables,
        "known": int((cells["support"] == 1).sum()),
        "narrow": int((cells["support"] < FEW).sum()),
        "narrowest": width.min(),
        "median_width": float(width.median()),
        "uniform_risk": float(cells["uniform_risk"].max()),
        "risk": risk,
        "risk_mcse": 0.0 if np.isinf(risk) else risk**2 * entropy_error,  # to first order
        "worst_cell": cell_name(worst.name, cells.index.names),
        "p_modal": float(cells["p_modal"].max()),
        "deceptive": len(audit.deceptive()),
        "method": audit.method,
        "certificate": audit.certificate.word,
        "converged": audit.converged,
    }
