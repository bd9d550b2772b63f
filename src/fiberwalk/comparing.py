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
    """Audits of one release under several laws, side by side; the first law is the one that others are held against."""

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
        return not self.left_out and all(one.converged for one in self.audits.values())

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
        name = next(iter(self.audits))
        support = np.max([frame["support"] for frame in frames.values()], axis=0)
        told = pd.Series([uniform_risk(int(m)) for m in support], index=first.index)
        columns: dict[tuple[str, str], Any] = {
            (INTERVAL, "lower"): np.min([frame["lower"] for frame in frames.values()], axis=0),
            (INTERVAL, "upper"): np.max([frame["upper"] for frame in frames.values()], axis=0),
            (INTERVAL, "support"): support,
            (INTERVAL, "uniform_risk"): told,
            (INTERVAL, "rank"): _places(told),
        }
        changes = [np.zeros(len(first), dtype=np.int64)]
        for law, frame in frames.items():
            place = _places(frame["risk"])
            columns |= {(law, measure): frame[measure] for measure in MEASURES}
            columns[law, "rank"] = place
            if law != name:
                columns[law, "rank_change"] = columns[name, "rank"] - place
                changes.append(np.abs(columns[law, "rank_change"].to_numpy()))
        columns[ALL, "worst_risk"] = np.max([frame["risk"] for frame in frames.values()], axis=0)
        columns[ALL, "largest_change"] = np.max(changes, axis=0)
        found = pd.DataFrame(columns, index=first.index)
        found.columns = pd.MultiIndex.from_tuples(columns, names=["law", "measure"])
        return found.iloc[largest_first(found[ALL, "worst_risk"])]

    @cached_property
    def _frames(self) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
        """The cells of every audit in the order of the table."""
        frames = {}
        for name, one in self.audits.items():
            frames[name] = one.cells.loc[one.release.index(one.belief.keys)]
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
        >>> one = {name: fw.compare(release).risks.loc[[("1", "2")]] for name, release in releases.items()}
        >>> pd.concat([row.set_axis([name]) for name, row in one.items()]).round(3)
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
        """How ranks change from the first law to each other, in a sentence for each."""
        first, *others = self.audits
        cells = self.cells
        if not len(cells):
            return "Nothing is hidden: every cell is published."
        said = []
        for name in others or [INTERVAL]:
            change = cells[first, "rank"] - cells[name, "rank"]
            moved = int((change != 0).sum())
            held = "the interval alone" if name == INTERVAL else repr(name)
            if not moved:
                said.append(f"{held} ranks all {len(cells)} cells as {first!r} does")
                continue
            place = int(change.abs().to_numpy().argmax())
            named = cell_name(cells.index[place], cells.index.names)
            before, after = (int(cells[one, "rank"].iloc[place]) for one in (first, name))
            agreement = float(self.rank_correlation[first][name])
            close = "" if np.isnan(agreement) else f" (rank correlation {agreement:.2f})"
            said.append(
                f"{held} ranks {moved} of {len(cells)} cells otherwise than {first!r}{close}, most of all {named}: place "
                f"{after} instead of {before}"
            )
        sentence = "; ".join(said) + "."
        sentence = sentence[0].upper() + sentence[1:]
        if any(one.method == "chains" for one in self.audits.values()):
            sentence += " Risks are estimates: cells that differ by less than their errors may swap ranks by chance."
        if unproven := [repr(name) for name, one in self.audits.items() if one.certificate.word == "unproven"]:
            sentence += f" It is unproven that the chains reach every table (under {', '.join(unproven)})."
        if self.left_out:
            sentence += f" Interrupted: {', '.join(map(repr, self.left_out))} is left out."
        settled = all(one.converged for one in self.audits.values())
        return sentence if settled else sentence + " Not all chains have converged: this is not to be relied on."

    def readable(self, top: int = 20) -> pd.DataFrame:
        """The main columns of the riskiest cells as short texts, for people."""
        import pandas as pd

        cells = self.cells.head(top)

        def risk(of: str, measure: str) -> list[str]:
            doubt = [""] * len(cells)
            if of != INTERVAL:
                said = zip(cells[of, "certificate"] == "unproven", ~cells[of, "converged"].astype(bool), strict=True)
                doubt = [" unproven" * unproven + " not converged" * open_ for unproven, open_ in said]
            rows = zip(cells[of, measure], cells[of, "rank"], doubt, strict=True)
            return [f"{'known' if np.isinf(one) else f'{one:.4f}'} ({place}){more}" for one, place, more in rows]

        shown = {
            LOWEST: [number(one) for one in cells[INTERVAL, "lower"]],
            HIGHEST: [number(one) for one in cells[INTERVAL, "upper"]],
            "interval risk (rank)": risk(INTERVAL, "uniform_risk"),
        }
        shown |= {f"{name} risk (rank)": risk(name, "risk") for name in self.audits}
        return pd.DataFrame(shown, index=cells.index)

    def plot(self, top: int = 12) -> Figure:
        """The riskiest cells and the risk of each under every law, as a matplotlib figure."""
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
        told = shown[INTERVAL, "uniform_risk"]
        axis.hlines(rows, np.min([*risks, told], axis=0), np.max([*risks, told], axis=0), color="#bbbbbb", zorder=1)
        axis.scatter(told, rows, marker="|", s=120, color="black", label="the interval alone", zorder=2)
        for k, (name, risk) in enumerate(zip(self.audits, risks, strict=True)):
            colour, shape = COLOURS[k % len(COLOURS)], SHAPES[k % len(SHAPES)]
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
        write_doubts(figure, [word for one in self.audits.values() for word, _ in doubts(one)])
        return figure


def compare(release: Release, laws: Any = ("uniform", "hypergeometric"), **options: Any) -> Comparison:
    """One release in the eyes of several intruders, side by side.

    Parameters
    ----------
    release
        As for `audit`.
    laws
        A list of laws ("uniform", "hypergeometric", `expected(mu)`, `prior([...])`), or a dict of name -> law. Others are
        held against the first.
    options
        Whatever `audit` takes, the same for each law; with `checkpoint=`, the law's number is put after the name.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> c = fw.compare(fw.publish([[3, 1, 2], [2, 4, 1]], margins=["A", "B"]))
    >>> c.cells[["uniform", "hypergeometric"]].xs("risk", axis=1, level="measure").round(2).head(2)
    law  uniform  hypergeometric
    A B
    1 3 ...
    >>> print(c.sentence)
    'hypergeometric' ranks ...
    """
    if "law" in options:
        raise InputError("compare() takes several laws: laws=[...], not law=.")
    given, audits = _named(laws), {}
    for place, (name, law) in enumerate(given.items(), start=1):
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
    return Comparison(audits, tuple(name for name in given if name not in audits))


def _named(laws: Any) -> dict[str, Any]:
    """Laws by name, those of the same name numbered."""
    if isinstance(laws, Mapping):
        found = {str(name): law for name, law in laws.items()}
        for taken in (INTERVAL, ALL, LOWEST, HIGHEST):
            if taken in found:
                raise InputError(f"laws=: {taken!r} is the name of other columns; give this law another.")
        for law in found.values():
            as_law(law)
    else:
        if isinstance(laws, str) or not isinstance(laws, Iterable):
            laws = [laws]
        found, given = {}, list(laws)
        names = [as_law(law).name for law in given]
        for place, (name, law) in enumerate(zip(names, given, strict=True)):
            twins = names.count(name) > 1
            found[f"{name} {names[: place + 1].count(name)}" if twins else name] = law
    if not found:
        raise InputError("compare() needs at least one law, and two to compare.")
    return found


def _places(risk: pd.Series) -> pd.Series:
    """1 for the riskiest; equal risks, which differ in the last digits of floating-point sums, share a place."""
    return risk.round(12).rank(ascending=False, method="min").astype(np.int64)
