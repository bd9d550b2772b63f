"""Which cells and totals are sensitive, from the records behind them, at the level of holdings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...release.tables.tables import as_table
from .figures.figures import Figures, figures_of

if TYPE_CHECKING:
    import pandas as pd

MOST_REPEATS = 1_000_000
"""Contributions of one figure, each as often as its sampling weight says."""
MOST_AT_ONCE = 1 << 20
"""Records of several figures that are looked at together."""
_COLUMNS = ["figure", "value", "contributors", "largest", "sensitive", "alone"]


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
    found = pd.DataFrame(_seen(frame, dims, figures, is_sensitive), columns=_COLUMNS)
    index = figures.start.index(figures.keys[found["figure"]])
    return found.drop(columns="figure").set_index(index if len(dims) > 1 else index.get_level_values(0))


def _seen(frame: Any, dims: list[str], figures: Figures, is_sensitive: Callable[[np.ndarray], bool]) -> Iterator[Any]:
    """What is to be said of each figure that somebody is in: a row of the columns."""
    import pandas as pd

    order, begin = _by_cell(frame, dims, figures)
    code, names = pd.factorize(frame["who"], sort=True)
    columns = frame[["own", "weight", "waived", "asked"]].assign(code=code)
    for number, inside in _chunks(figures.matrix, order, begin):
        part = columns.iloc[inside].reset_index(drop=True)
        totals = _totals(part, number)
        each = _contributors(part.assign(figure=number)[(part["own"].to_numpy() > 0) & (part["code"].to_numpy() >= 0)])
        ends = np.searchsorted(each["figure"].to_numpy(), list(totals), side="right")
        starts = np.searchsorted(each["figure"].to_numpy(), list(totals), side="left")
        arrays = [each[column].to_numpy() for column in ("own", "times", "waived", "asked", "code")]
        for (figure, total), start, end in zip(totals.items(), starts, ends, strict=True):
            own, times, waived, asked, who = (array[start:end] for array in arrays)
            if not len(own):
                yield figure, total, 0, 0, False, ""
                continue
            contributors = int(times.sum())
            if contributors > MOST_REPEATS:
                raise InputError(
                    f"sensitive_figures(): weights stand for more than {MOST_REPEATS:,} contributions to one figure."
                )
            top = int(own.argmax())
            sensitive = bool(is_sensitive(np.repeat(own, times))) and bool(asked[top]) and not waived[top]
            alone = str(names[who[0]]) if len(own) == 1 else ""
            yield figure, total, contributors, own[top], sensitive, alone


def _by_cell(frame: Any, dims: list[str], figures: Figures) -> tuple[np.ndarray, np.ndarray]:
    """The records in the order of their cells, and where each cell begins."""
    met = frame[dims].drop_duplicates()
    keys = zip(*([dim.node(label) for label in met[dim.name]] for dim in figures.start.dims), strict=True)
    cells = np.array([figures.place[key] for key in keys])[frame.groupby(dims, sort=False).ngroup().to_numpy()]
    order = np.argsort(cells, kind="stable")
    return order, np.searchsorted(cells[order], np.arange(figures.n_cells + 1))


def _chunks(matrix: Any, order: np.ndarray, begin: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Some figures at a time: the number of the figure, and the record, of each of their contributions.

    A record is in one figure for each level of each dim, so that all of them at once would take too much memory.
    """
    sizes = np.diff(begin)
    seen = np.concatenate([[0], np.cumsum(sizes[matrix.indices])])[matrix.indptr]
    first = 0
    while first < matrix.shape[0]:
        last = max(first + 1, int(np.searchsorted(seen, seen[first] + MOST_AT_ONCE, side="right")) - 1)
        cells = matrix.indices[matrix.indptr[first] : matrix.indptr[last]]
        ends = np.cumsum(sizes[cells])
        within = np.arange(seen[last] - seen[first]) + np.repeat(begin[cells] - (ends - sizes[cells]), sizes[cells])
        if len(within):
            yield np.repeat(np.arange(first, last), np.diff(seen[first : last + 1])), order[within]
        first = last


def _totals(part: Any, number: np.ndarray) -> dict[int, Any]:
    """The value of each figure, by its number; a weighted one is rounded."""
    own, weight = part["own"].to_numpy(), part["weight"].to_numpy()
    weighted, unlike = own * weight, weight != 1
    figures, starts = np.unique(number, return_index=True)
    totals = {}
    for figure, start, end in zip(figures.tolist(), starts, [*starts[1:], len(number)], strict=True):
        rounded = unlike[start:end].any()
        totals[figure] = weighted[start:end].sum().round() if rounded else own[start:end].sum()
    return totals


def _contributors(positive: Any) -> Any:
    """Who contributes to each figure, by name, and how much; a weight says how many they stand for."""
    each = positive.groupby(["figure", "code"], as_index=False).agg(
        own=("own", "sum"), weight=("weight", "max"), waived=("waived", "all"), asked=("asked", "any")
    )
    return each.assign(times=np.maximum(np.rint(each["weight"].to_numpy()), 1).astype(np.int64))


def _check(records: Any, columns: Sequence[str]) -> None:
    """Refuse what has no such columns."""
    if not hasattr(records, "columns") or not len(records):
        raise InputError("sensitive_figures() needs a DataFrame with one row per respondent.")
    known = [str(existing) for existing in records.columns]
    for column in columns:
        if column not in records.columns:
            raise InputError(f"sensitive_figures(): there is no column {column!r}; {did_you_mean(str(column), known)}")
