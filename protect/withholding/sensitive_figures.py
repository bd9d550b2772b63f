"""Which cells and totals are sensitive, from the records behind them, at the level of holdings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...release.tables.tables import as_table
from .figures.figures import figures_of

if TYPE_CHECKING:
    import pandas as pd

MOST_REPEATS = 1_000_000
"""Contributions of one figure, each as often as its sampling weight says."""


def sensitive_figures(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    records: Any,
    dims: Sequence[str],
    value: str,
    is_sensitive: Callable[[np.ndarray], bool],
    *,
    holding: str | None = None,
    sampling_weights: str | None = None,
    waived: str | None = None,
    requested: str | None = None,
    hierarchies: Any = None,
) -> pd.DataFrame:
    """Which cells and totals of a table are sensitive, and who is alone in them, from the records behind it.

    One row for each figure that somebody is in, indexed by its labels with `Total`: its value, contributors, largest (the
    largest contribution), sensitive (for `where=` of `fw.protect.problem`) and alone (for `alone=`: the name of the only
    contributor, else empty).

    Parameters
    ----------
    records
        A DataFrame with one row per respondent.
    dims, value
        Its columns: those that span the table, and the contribution, of at least 0.
    is_sensitive
        Called with the contributions to each figure, such as `lambda c: fw.protect.sensitivity.p_percent(c, 10)`.
    holding
        The column that says which respondents belong together: they contribute as one, and know each other's figures.
    sampling_weights
        Their column: values are weighted, and the rule sees a contribution as often as its weight says,
        rounded, once at the least.
    waived
        A column of true and false: contributors who agree to be disclosed. A figure is not sensitive where its largest
        contributor does.
    requested
        A column of true and false: who asked for protection. Only figures whose largest contributor did are sensitive.
    hierarchies
        How labels add up to groups, as for `fw.table`.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiberwalk as fw
    >>> firms = pd.DataFrame({"town": list("aaabb"), "owner": list("xxyzw"), "turnover": [50, 40, 10, 5, 4]})
    >>> few = lambda c: fw.protect.sensitivity.threshold(c, 3)
    >>> fw.protect.sensitivity.sensitive_figures(firms, ["town"], "turnover", few, holding="owner")
           value  contributors  largest  sensitive alone
    town
    a        100             2       90       True
    b          9             2        5       True
    Total    109             4       90      False
    """
    import pandas as pd

    dims = [dims] if isinstance(dims, str) else list(dims)
    _check(
        records,
        [*dims, value, *(column for column in (holding, sampling_weights, waived, requested) if column is not None)],
    )
    frame = pd.DataFrame({dim: records[dim].astype(str) for dim in dims})
    who = records[holding].astype(str) if holding is not None else pd.Series(np.arange(len(records)).astype(str))
    frame["who"], frame["own"] = who.to_numpy(), records[value].to_numpy()
    frame["weight"] = 1.0 if sampling_weights is None else records[sampling_weights].to_numpy(dtype=float)
    frame["waived"] = False if waived is None else records[waived].to_numpy(dtype=bool)
    frame["asked"] = True if requested is None else records[requested].to_numpy(dtype=bool)
    if (frame["own"] < 0).any() or not np.isfinite(frame["own"].astype(float)).all() or not (frame["weight"] > 0).all():
        raise InputError(f"sensitive_figures(): {value!r} must hold numbers of at least 0, and weights be above 0.")
    figures = figures_of([as_table(frame.groupby(dims).size(), hierarchies=hierarchies)])
    place = figures.place
    cells = [place[tuple(figures.start.dims[i].node(label) for i, label in enumerate(labels))]
             for labels in frame[dims].itertuples(index=False)]  # fmt: skip
    order = np.argsort(cells, kind="stable")
    begin = np.searchsorted(np.asarray(cells)[order], np.arange(figures.n_cells + 1))
    rows = []
    for figure in range(len(figures)):
        summed = figures.matrix.indices[figures.matrix.indptr[figure] : figures.matrix.indptr[figure + 1]]
        inside = np.concatenate([order[begin[cell] : begin[cell + 1]] for cell in summed])
        if len(inside):
            rows.append((figure, *_seen(frame.iloc[inside], is_sensitive)))
    columns = ["figure", "value", "contributors", "largest", "sensitive", "alone"]
    found = pd.DataFrame(rows, columns=columns)
    index = figures.start.index(figures.keys[found["figure"]])
    return found.drop(columns="figure").set_index(index if len(dims) > 1 else index.get_level_values(0))


def _seen(part: Any, is_sensitive: Callable[[np.ndarray], bool]) -> tuple[Any, int, Any, bool, str]:
    """What is to be said of one figure, from its records."""
    total = (part["own"] * part["weight"]).sum()
    total = total.round() if (part["weight"] != 1).any() else part["own"].sum()
    positive = part[part["own"] > 0]
    each = positive.groupby("who").agg(
        own=("own", "sum"), weight=("weight", "max"), waived=("waived", "all"), asked=("asked", "any")
    )
    if not len(each):
        return total, 0, 0, False, ""
    times = np.maximum(np.rint(each["weight"].to_numpy()), 1).astype(np.int64)
    if times.sum() > MOST_REPEATS:
        raise InputError(
            f"sensitive_figures(): weights stand for more than {MOST_REPEATS:,} contributions to one figure."
        )
    largest = each.iloc[int(each["own"].to_numpy().argmax())]
    sensitive = (
        bool(is_sensitive(np.repeat(each["own"].to_numpy(), times))) and largest["asked"] and not largest["waived"]
    )
    alone = str(each.index[0]) if len(each) == 1 else ""
    return total, int(times.sum()), largest["own"], bool(sensitive), alone


def _check(records: Any, columns: Sequence[str]) -> None:
    """Refuse what has no such columns."""
    if not hasattr(records, "columns") or not len(records):
        raise InputError("sensitive_figures() needs a DataFrame with one row per respondent.")
    known = [str(existing) for existing in records.columns]
    for column in columns:
        if column not in records.columns:
            raise InputError(f"sensitive_figures(): there is no column {column!r}; {did_you_mean(str(column), known)}")
