"""risk_properties: what R1 and R2 do when a table is changed, and which rules they always keep to (ASE15a, section 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError
from ..protect.records.sample_drawing import draw_sample
from ..release.tables.tables import as_table
from ..risk.table_arrays.table_shapes import arranged
from ..risk.whole_table import WEIGHTS, r1, r2
from .table_edits import edits

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class RiskProperties:
    """What R1 and R2 of a table become when it is changed.

    Attributes
    ----------
    frame : DataFrame
        A row for every change: r1 and r2 of the changed table, r1_change and r2_change, by how much they differ from those
        of the table as it is; rule, what always holds of this change, empty where the risks may go either way; holds, does
        it hold here (empty where there is no rule)?
    """

    frame: pd.DataFrame

    def __repr__(self) -> str:
        first = self.frame.iloc[0]
        changes = len(self.frame) - 1
        return f"<RiskProperties: R1 {first['r1']:.4f}, R2 {first['r2']:.4f}, and {changes} changes of the table>"

    def _repr_html_(self) -> str | None:
        html: str | None = self.frame.round(4).to_html()
        return html

    def plot(self, ax: Axes | None = None, title: str | None = None) -> Figure:
        """R1 and R2 of the table, and what they become by every change; at the right the rule, where there is one.

        >>> import fiberwalk as fw
        >>> figure = fw.studies.risk_properties([[30, 12], [9, 25]]).plot()
        """
        from ..report.plots.properties_plot import draw_properties

        return draw_properties(self, ax, title)


def risk_properties(
    table: Any,
    sample: Any = None,
    weights: Any = WEIGHTS,
    *,
    fraction: float = 0.1,
    seed: int = 1,
) -> RiskProperties:
    """What R1 and R2 do when a table is changed, and which rules hold: of bounds, zeros, splits and merges of cells.

    R1 is the risk of the table, R2 that of a sample of it (see `risk.r1`, `risk.r2`). The table and its sample are changed
    alike, one change at a time, and measured again. Some changes move the risks in one direction whatever the table is, as
    an agency expects of a measure (Antal, Shlomo and Elliot 2015). Others, such as splitting a cell, may go either way.

    Parameters
    ----------
    table
        The population table, in any form.
    sample
        A sample of it, of the same form; left out: one of `fraction` of the people is drawn.
    weights
        Of the three terms of R1 and R2.
    fraction, seed
        Of the sample that is drawn.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> properties = fw.studies.risk_properties(fw.examples.ase15().table)
    >>> properties.frame.loc[["as it is", "a cell more that is empty", "largest cell split in two"], "r1"].round(4).to_dict()
    {'as it is': 0.2315, 'a cell more that is empty': 0.2337, 'largest cell split in two': 0.2236}
    >>> bool(properties.frame["holds"].dropna().all())
    True
    """
    import pandas as pd

    true = as_table(table)
    F = true.values.ravel()
    if not F.any():
        raise InputError("risk_properties(): the table sums to 0; nobody is in it.")
    if sample is None:
        G = np.asarray(draw_sample(true, fraction, seed=seed).figures)
    else:
        G = arranged(true, as_table(sample), names=("the table", "sample=")).arrays[1].ravel()
        if not G.any() or (G > F).any():
            raise InputError("risk_properties(): sample= has people, and in no cell more than the table.")
    rows: dict[str, dict[str, Any]] = {}
    before: tuple[float, float] | None = None
    for edit in edits(F, G):
        after = float(r1(edit.F, weights)), float(r2(edit.F, edit.G, weights))
        before = before or after
        rows[edit.name] = {
            "r1": after[0], "r2": after[1], "r1_change": after[0] - before[0], "r2_change": after[1] - before[1],
            "rule": edit.rule, "holds": None if edit.holds is None else edit.holds(*before, *after),
        }  # fmt: skip
    frame = pd.DataFrame.from_dict(rows, orient="index")
    frame["holds"] = frame["holds"].astype("boolean")
    return RiskProperties(frame.rename_axis("change"))
