"""compare: the same release in the eyes of several intruders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .auditing import audit
from .base.errors import InputError
from .base.interruption import INTERRUPTED
from .base.numbers import largest_first
from .fiber.laws.by_name import as_law
from .release.release import Release
from .report.plots.figures import new_figure
from .report.plots.palette import COLOURS, SHAPES
from .report.words import cell_name, doubts, number
from .results.audit_result import Audit
from .risk.cell_entropy import uniform_risk

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

INTERVAL, ALL, LOWEST, HIGHEST = "interval", "all laws", "lowest", "highest"
"""The headings of what does not belong to one law."""
MEASURES = ("entropy", "risk", "p_modal", "certificate", "converged")


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Audits of one release under several laws, side by side; the others are compared with the first."""

    audits: Mapping[str, Audit]
    left_out: tuple[str, ...] = ()
    """Laws whose turn had not come when Ctrl-C was pressed."""

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(repr(name) for name in self.audits)} on {len(self.cells)} hidden cells>"

    def _repr_html_(self) -> str | None:
        from .base.html import in_notebook
        from .report.notebook_form import comparison_html

        return in_notebook(comparison_html, self)

    @property
    def converged(self) -> bool:
        """Did the chains of every audit, if there were any, pass the stop rule, and was no law left out?"""
        return not self.left_out and all(audit.converged for audit in self.audits.values())

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row per hidden cell, the riskiest under any law first. Columns are pairs, `cells["uniform", "risk"]`:

        interval : lower, upper, support, uniform_risk, rank
            What an interval alone tells: the values that any of the laws leaves possible, and the risk 1/log2 of their
            number.
        each law : entropy, risk, p_modal, certificate, converged, rank, rank_change
            As in `Audit.cells`. Rank 1 is the riskiest cell, and cells of equal risk share a rank; `rank_change` is by how
            many places a cell is nearer to the top than under the first law.
        all laws : worst_risk, largest_change
            The highest risk, and the greatest change of rank, up or down.
        """
        import pandas as pd

        first, frames = self._frames
        first_law = next(iter(self.audits))
        support = np.max([frame["support"] for frame in frames.values()], axis=0)
        interval_risk = pd.Series([uniform_risk(int(values)) for values in support], index=first.index)
        columns: dict[tuple[str, str], Any] = {
            (INTERVAL, "lower"): np.min([frame["lower"] for frame in frames.values()], axis=0),
            (INTERVAL, "upper"): np.max([frame["upper"] for frame in frames.values()], axis=0),
            (INTERVAL, "support"): support,
            (INTERVAL, "uniform_risk"): interval_risk,
            (INTERVAL, "rank"): _ranks(interval_risk),
        }
        changes = [np.zeros(len(first), dtype=np.int64)]
        for law, frame in frames.items():
            place = _ranks(frame["risk"])
            columns |= {(law, measure): frame[measure] for measure in MEASURES}
            columns[law, "rank"] = place
            if law != first_law:
                columns[law, "rank_change"] = columns[first_law, "rank"] - place
                changes.append(np.abs(columns[law, "rank_change"].to_numpy()))
        columns[ALL, "worst_risk"] = np.max([frame["risk"] for frame in frames.values()], axis=0)
        columns[ALL, "largest_change"] = np.max(changes, axis=0)
        cells = pd.DataFrame(columns, index=first.index)
        cells.columns = pd.MultiIndex.from_tuples(columns, names=["law", "measure"])
        return cells.iloc[largest_first(cells[ALL, "worst_risk"])]

    @cached_property
    def _frames(self) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
        """The cells of every audit in the order of the table."""
        frames = {name: audit.cells.loc[audit.release.index(audit.belief.keys)] for name, audit in self.audits.items()}
        return next(iter(frames.values())), frames

    @property
    def risks(self) -> pd.DataFrame:
        """The same cells in short: their bounds and one column of risks for each law.

        Columns are lowest, highest, `interval` (the risk that the number of values suggests), and then the laws.

        Examples
        --------
        One cell in several releases:

        >>> import fiberwalk as fw, pandas as pd
        >>> table = [[3, 1, 2], [2, 4, 1]]
        >>> releases = {"both totals": fw.publish(table, margins=["A", "B"]), "rows only": fw.publish(table, margins=["A"])}
        >>> rows = {name: fw.compare(release).risks.loc[[("1", "2")]] for name, release in releases.items()}
        >>> pd.concat([row.set_axis([name]) for name, row in rows.items()]).round(3)
                     lowest  highest  interval  uniform  hypergeometric
        both totals       0        5     0.387    0.393           0.524
        rows only         0        6     0.356    0.383           0.448
        """
        import pandas as pd

        cells = self.cells
        columns = {LOWEST: cells[INTERVAL, "lower"], HIGHEST: cells[INTERVAL, "upper"]}
        columns |= {INTERVAL: cells[INTERVAL, "uniform_risk"]} | {name: cells[name, "risk"] for name in self.audits}
        return pd.DataFrame(columns, index=cells.index)

    @cached_property
    def rank_correlation(self) -> pd.DataFrame:
        """Spearman's correlation of the risks under each law, and of the risk that the interval alone suggests.

        NaN where all cells have the same risk.
        """
        import pandas as pd

        risks = self.risks[[*self.audits, INTERVAL]]
        ranks = pd.DataFrame({name: risk.round(12).rank() for name, risk in risks.items()})
        return ranks.corr()

    @property
    def sentence(self) -> str:
        """How the ranks of cells differ between the first law and each other one, for people."""
        first, *others = self.audits
        cells = self.cells
        if not len(cells):
            return "Nothing is hidden: every cell is published."
        clauses = []
        for name in others or [INTERVAL]:
            change = cells[first, "rank"] - cells[name, "rank"]
            moved = int((change != 0).sum())
            subject = "the interval alone" if name == INTERVAL else repr(name)
            if not moved:
                clauses.append(f"{subject} ranks all {len(cells)} cells as {first!r} does")
                continue
            place = int(change.abs().to_numpy().argmax())
            cell = cell_name(cells.index[place], cells.index.names)
            before, after = (int(cells[law, "rank"].iloc[place]) for law in (first, name))
            correlation = float(self.rank_correlation[first][name])
            agreement = "" if np.isnan(correlation) else f" (rank correlation {correlation:.2f})"
            clauses.append(
                f"{subject} ranks {moved} of {len(cells)} cells otherwise than {first!r}{agreement}, most of all {cell}: "
                f"place {after} instead of {before}"
            )
        sentence = "; ".join(clauses) + "."
        sentence = sentence[0].upper() + sentence[1:]
        if any(audit.method == "chains" for audit in self.audits.values()):
            sentence += " Risks are estimates: cells that differ by less than their errors may swap ranks by chance."
        if unproven := [repr(name) for name, audit in self.audits.items() if audit.certificate.word == "unproven"]:
            sentence += f" It is unproven that the chains reach every table (under {', '.join(unproven)})."
        if self.left_out:
            sentence += f" Interrupted: {', '.join(map(repr, self.left_out))} is left out."
        settled = all(audit.converged for audit in self.audits.values())
        return sentence if settled else sentence + " Not all chains have converged: this is not to be relied on."

    def readable(self, top: int = 20) -> pd.DataFrame:
        """The main columns of the riskiest cells as short texts, for people.

        >>> import fiberwalk as fw
        >>> fw.compare(fw.publish([[3, 1], [2, 4]], margins=["A", "B"])).readable(top=1).iloc[:, 3:]
            uniform risk (rank) hypergeometric risk (rank)
        A B
        1 1          0.4307 (1)                 0.5707 (1)
        """
        import pandas as pd

        cells = self.cells.head(top)

        def risk(law: str, measure: str) -> list[str]:
            doubt = [""] * len(cells)
            if law != INTERVAL:
                flags = zip(cells[law, "certificate"] == "unproven", ~cells[law, "converged"].astype(bool), strict=True)
                doubt = [" unproven" * unproven + " not converged" * unsettled for unproven, unsettled in flags]
            rows = zip(cells[law, measure], cells[law, "rank"], doubt, strict=True)
            return [f"{'known' if np.isinf(value) else f'{value:.4f}'} ({rank}){words}" for value, rank, words in rows]

        shown = {
            LOWEST: [number(value) for value in cells[INTERVAL, "lower"]],
            HIGHEST: [number(value) for value in cells[INTERVAL, "upper"]],
            "interval risk (rank)": risk(INTERVAL, "uniform_risk"),
        }
        shown |= {f"{name} risk (rank)": risk(name, "risk") for name in self.audits}
        return pd.DataFrame(shown, index=cells.index)

    def plot(self, top: int = 12) -> Figure:
        """The riskiest cells and the risk of each under every law, as a matplotlib figure.

        >>> import fiberwalk as fw
        >>> figure = fw.compare(fw.publish([[3, 1], [2, 4]], margins=["A", "B"])).plot()
        """
        from .report.plots.audit_plots import write_doubts

        if isinstance(top, bool) or not isinstance(top, (int, np.integer)) or top < 1:
            raise InputError(f"plot(top={top!r}): at least one cell must be shown.")
        frame = self.cells
        finite = frame[np.isfinite(frame[ALL, "worst_risk"])]
        if not len(finite):
            raise InputError("there is nothing to plot: every cell is published or known exactly.")
        shown = finite.head(top).iloc[::-1]
        figure = new_figure(8, 1.6 + 0.34 * len(shown))
        axis = figure.subplots()
        rows = np.arange(len(shown))
        risks = [shown[name, "risk"] for name in self.audits]
        interval_risk = shown[INTERVAL, "uniform_risk"]
        lowest, highest = np.min([*risks, interval_risk], axis=0), np.max([*risks, interval_risk], axis=0)
        axis.hlines(rows, lowest, highest, color="#bbbbbb", zorder=1)
        axis.scatter(interval_risk, rows, marker="|", s=120, color="black", label="the interval alone", zorder=2)
        for place, (name, risk) in enumerate(zip(self.audits, risks, strict=True)):
            colour, shape = COLOURS[place % len(COLOURS)], SHAPES[place % len(SHAPES)]
            axis.scatter(risk, rows, s=42, color=colour, marker=shape, edgecolor="white", label=name, zorder=3)
        axis.set_yticks(rows, [cell_name(labels, shown.index.names) for labels in shown.index], fontsize=8)
        for label in axis.get_yticklabels():
            label.set_parse_math(False)
        axis.set_xlabel("risk 1 / H (1/bits)")
        axis.set_ylabel("hidden cell, riskiest first")
        axis.set_xlim(left=0)
        known = len(frame) - len(finite)
        title = "risk of the same cells in the eyes of different intruders"
        axis.set_title(title + (f"\n({known} known exactly under some law, not shown)" if known else ""), fontsize=10)
        axis.legend(fontsize=8, frameon=False, loc="best")
        axis.spines[["top", "right"]].set_visible(False)
        write_doubts(figure, [word for audit in self.audits.values() for word, _ in doubts(audit)])
        return figure


def compare(release: Release, laws: Any = ("uniform", "hypergeometric"), **options: Any) -> Comparison:
    """One release in the eyes of several intruders, side by side.

    Parameters
    ----------
    release
        As for `audit`.
    laws
        A list of laws ("uniform", "hypergeometric", `expected(mu)`, `prior([...])`), or a dict of name -> law. The others
        are compared with the first.
    options
        Whatever `audit` takes, the same for each law; with `checkpoint=`, the law's number is put after the name.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> comparison = fw.compare(fw.publish([[3, 1, 2], [2, 4, 1]], margins=["A", "B"]))
    >>> comparison.cells[["uniform", "hypergeometric"]].xs("risk", axis=1, level="measure").round(2).head(2)
    law  uniform  hypergeometric
    A B
    1 3 ...
    >>> print(comparison.sentence)
    'hypergeometric' ranks ...
    """
    if "law" in options:
        raise InputError("compare() takes several laws: laws=[...], not law=.")
    named, audits = _named(laws), {}
    for place, (name, law) in enumerate(named.items(), start=1):
        own = dict(options)
        if options.get("checkpoint") is not None:  # a file of its own for each law
            own["checkpoint"] = f"{os.fspath(options['checkpoint'])}.{place}"
        try:
            audits[name] = audit(release, law, **own)
        except KeyboardInterrupt:
            if not audits:
                raise  # there is nothing to tell yet
            break
        if INTERRUPTED in audits[name].stopped:
            break
    return Comparison(audits, tuple(name for name in named if name not in audits))


def _named(laws: Any) -> dict[str, Any]:
    """Laws by name, those of the same name numbered."""
    if isinstance(laws, Mapping):
        named = {str(name): law for name, law in laws.items()}
        for heading in (INTERVAL, ALL, LOWEST, HIGHEST):
            if heading in named:
                raise InputError(f"laws=: {heading!r} is the name of other columns; give this law another.")
        for law in named.values():
            as_law(law)
    else:
        if isinstance(laws, str) or not isinstance(laws, Iterable):
            laws = [laws]
        named, listed = {}, list(laws)
        names = [as_law(law).name for law in listed]
        for place, (name, law) in enumerate(zip(names, listed, strict=True)):
            twins = names.count(name) > 1
            named[f"{name} {names[: place + 1].count(name)}" if twins else name] = law
    if not named:
        raise InputError("compare() needs at least one law, and two to compare.")
    return named


def _ranks(risk: pd.Series) -> pd.Series:
    """1 for the riskiest; cells share a rank whose risks are equal up to rounding errors of floating point."""
    return risk.round(12).rank(ascending=False, method="min").astype(np.int64)
