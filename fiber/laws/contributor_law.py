"""per_contributor: an intruder who reads how many contribute to a cell, and what contributors usually have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...base.numbers import is_number
from ...base.saved_forms import saved
from ...release.facts.facts import NO_VALUE, PUBLISHED
from ...release.release import Release
from ...release.tables.tables import as_means, labelled
from .cell_priors.log_normal_prior import LogNormal
from .law import Tail, Weigh, alike
from .priors import CellPrior, PriorWeights

if TYPE_CHECKING:
    import pandas as pd

FEWEST = 2
"""Published cells from which a spread can be seen."""
WHOLE = "the table"
"""What is fitted where there is no by=."""


@dataclass(frozen=True)
class BesidesOwn:
    """A prior on what the others have in a cell of which an intruder knows her own part."""

    others: LogNormal
    own: int
    name: str = "log-normal"
    needs_interval = False
    always_positive = True

    @property
    def words(self) -> str:
        """What the intruder assumes."""
        return f"of what is not hers, {self.others.words}"

    @property
    def call(self) -> str:
        """How the others' part is made."""
        return self.others.call

    def tail(self, decimals: int) -> Tail:
        """The others' formula, her part added."""
        others = self.others.tail(decimals)
        return others._replace(begins=others.begins + self.own, c=float(self.own))

    def log_weights(self, values: np.ndarray, known: tuple[int, int], decimals: int) -> np.ndarray:
        """The log-weights of some values of the cell, her part included."""
        return self.others.log_weights(values - self.own, known, decimals)


@saved("PerContributor")
@dataclass(frozen=True, eq=False)
class PerContributor:
    """A hidden cell is its number of contributors times what one has, log-normal as among the published cells."""

    contributors: Any
    by: str | None = None
    widen: float = 1.0
    name: str = "per contributor"

    @property
    def words(self) -> str:
        """What the intruder assumes."""
        among = "the published cells" if self.by is None else f"the published cells of the same {self.by}"
        doubt = "" if self.widen == 1 else f", with {self.widen:g} times their spread"
        return (
            "she reads how many contribute to a hidden cell, and takes what each of them has on average to be log-normal, "
            f"as among {among}{doubt}"
        )

    @property
    def call(self) -> str:
        """How it is made, for reports."""
        more = "" if self.by is None else f", by={self.by!r}"
        return f"fw.laws.per_contributor(contributors{more}{'' if self.widen == 1 else f', widen={self.widen:g}'})"

    def on(self, release: Release) -> Weigh:
        """Log-normal weights on the hidden cells; a cell to which nobody contributes is 0."""
        number, group, names = self._cells(release)
        fits: dict[int, tuple[float, float]] = {}
        priors: dict[int, CellPrior] = {}
        for cell in release.hidden.tolist():
            category, mine = int(group[cell]), int(release.own[cell])
            others = max(0.0, number[cell] - 1) if mine else number[cell]  # whoever knows her own share is one of them
            if others == 0:
                priors[cell] = {float(release.own_units(mine)): 1.0}
                continue
            if category not in fits:
                fits[category] = _fit(_logs(release, number, group == category), names[category])
            middle, spread = fits[category]
            prior = LogNormal(float(np.exp(middle) * others), self.widen * spread)
            priors[cell] = BesidesOwn(prior, mine) if mine else prior
        return PriorWeights(priors, alike, release)

    def fitted(self, release: Release) -> pd.DataFrame:
        """What she takes from the published cells of a release: how many there are, and the median and spread of one share.

        `median` is what a contributor typically has; `spread` is the standard deviation of its natural logarithm from cell
        to cell.
        """
        import pandas as pd

        number, group, names = self._cells(release)
        rows = []
        for category in range(len(names)):
            logs = _logs(release, number, group == category)
            spread = float(logs.std(ddof=1)) if len(logs) >= FEWEST else np.nan
            rows.append((len(logs), float(np.exp(logs.mean())) if len(logs) else np.nan, spread))
        labels = ["all"] if self.by is None else [name.partition("=")[2] for name in names]
        return pd.DataFrame(rows, columns=["cells", "median", "spread"], index=pd.Index(labels, name=self.by))

    def portable(self, release: Release) -> PerContributor:
        """The same law as files hold it, whatever form the contributors were given in."""
        values = as_means(self.contributors, release.dims, "contributors")
        return replace(self, contributors=labelled(values, release.dims))

    def _cells(self, release: Release) -> tuple[np.ndarray, np.ndarray, list[str]]:
        """Of each cell, how many contribute and which category of `by` it is in; and the names of these."""
        if len(release.grids) != 1:
            raise InputError(
                f"law 'per contributor' weighs the cells of one table, and these are {len(release.grids)} linked ones; use "
                "law='uniform'."
            )
        values = as_means(self.contributors, release.dims, "contributors")
        cells = release.grids[0].cells
        if values.shape != cells.shape:
            raise InputError(
                f"per_contributor(): contributors have the shape {values.shape}; the table has {cells.shape}."
            )
        if not np.isfinite(values).all() or (values < 0).any():
            raise InputError("per_contributor(): contributors must be numbers of at least 0.")
        number = np.empty(release.n_cells)
        number[cells.ravel()] = values.ravel()
        _refuse_figures_of_nobody(release, number)
        if self.by is None:
            return number, np.zeros(release.n_cells, dtype=np.int64), [WHOLE]
        dims = [dim.name for dim in release.dims]
        if self.by not in dims:
            raise InputError(
                f"per_contributor(by={self.by!r}): there is no such dim; {did_you_mean(str(self.by), dims)}"
            )
        axis = dims.index(self.by)
        return number, release.keys[:, axis], [f"{self.by}={label}" for label in release.dims[axis].labels]


def per_contributor(contributors: Any, by: str | None = None, *, widen: float = 1.0) -> PerContributor:
    """A law for magnitudes: an intruder who reads how many enterprises or people stand behind each cell.

    Agencies withhold the turnover of a cell and still publish how many enterprises it has. She divides every published
    figure by its number of contributors, and sees what one of them has on average and how much that differs from cell to
    cell. A hidden cell is then, before she looks at the totals, log-normal: its own number times that. The median and the
    spread are taken at face value, however few cells they come from. Unlike that of "hypergeometric", the answer does not
    depend on the unit, but for rounding.

    Parameters
    ----------
    contributors
        A table like the one released: the number of contributors to each cell.
    by
        A dim whose categories differ, such as the size of enterprises: each has a median and a spread of its own. Two
        published cells above 0 are needed in every category that has hidden ones.
    widen
        The spread is taken so many times as wide, to see whether a finding depends on how sure she is of what she fitted.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> turnover, firms = [[40, 55, 9], [80, 60, 21], [70, 90, 30]], [[4, 5, 1], [8, 6, 2], [7, 8, 3]]
    >>> release = fw.suppress(turnover, where=[{"A": a, "B": b} for a in "12" for b in "13"])
    >>> fw.bounds(release).iloc[0].tolist()
    [19, 49]
    >>> a = fw.audit(release, law=fw.laws.per_contributor(firms))
    >>> a.cells[["truth", "low90", "high90"]].iloc[0].tolist()
    [40, 38, 40]
    """
    if not is_number(widen) or widen <= 0:
        raise InputError(f"per_contributor(widen={widen!r}): a number above 0, such as 2.")
    return PerContributor(contributors, by, float(widen))


def _logs(release: Release, number: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """The logarithms of what a contributor has on average, in the published cells of a category."""
    shown = inside & (release.status == PUBLISHED) & (release.value > 0) & (number > 0)
    logs: np.ndarray = np.log(release.own_units(release.value[shown]) / number[shown])
    return logs


def _refuse_figures_of_nobody(release: Release, number: np.ndarray) -> None:
    """Tables that do not belong together would otherwise make a hidden cell 0 for certain."""
    figure = np.where(release.status == PUBLISHED, release.value, NO_VALUE)
    if release.truth is not None:
        figure = release.truth[: release.n_cells]
    for cell in np.flatnonzero((figure > 0) & (number == 0)):
        raise InputError(
            f"per_contributor(): cell {release.words(release.keys[cell])} is above 0, but nobody contributes to it."
        )


def _fit(logs: np.ndarray, name: str) -> tuple[float, float]:
    if len(logs) < FEWEST or logs.std() == 0:
        have = {0: "none of its cells is", 1: "only 1 of its cells is"}.get(len(logs), "")
        reason = f"{have} published as it is" if have else "all its published cells are alike"
        alternative = "" if name == WHOLE else "give a coarser by=, leave it out, or "
        raise InputError(
            f"law 'per contributor' learns a median and a spread from published cells above 0, and of {name} {reason}; "
            f"{alternative}use fw.laws.prior(...) with fw.laws.log_normal(median, spread)."
        )
    return float(logs.mean()), float(logs.std(ddof=1))
