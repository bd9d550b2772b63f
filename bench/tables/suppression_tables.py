"""Suppression problems of the contest: tables of other projects, where they are, and those of the made-up economy.

Levels are lower and upper ones, as the modular method of tau-ARGUS takes no sliding ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import fiberwalk as fw
from fiberwalk.protect.withholding.problem import SuppressionProblem

REFERENCE_DATA = "FIBERWALK_REFERENCE_DATA"
HOW_TO_GET = f"{REFERENCE_DATA} names a folder with the example tables of rtauargus, sdcTable, SSBtools and tau-ARGUS"


def by_value(values: np.ndarray) -> np.ndarray:
    """What figures cost: their values, zeros 1."""
    return np.maximum(values, 1)


COUNTS = {"rule": "< 4", "below": 1, "above": 1, "minimise": by_value}
"""Counts of 1, 2 and 3 are sensitive, and 1 more and 1 less must stay possible."""
MAGNITUDES = {"percent": 15, "minimise": by_value}
"""Figures of fewer than 3 enterprises, or of which the largest one has more than 85%: 15% below and above."""
FEW, DOMINANT = 3, 0.85
UNIT = 1000
"""Amounts are in this unit, as the optimal method of pytauargus crashes with sums of hundreds of millions."""


@dataclass(frozen=True)
class Case:
    """A problem of the contest."""

    name: str
    make: Callable[[], SuppressionProblem]
    files: tuple[str, ...] = ()
    counts: bool = True
    """Are its figures counts, so that probabilities of single values say something?"""

    @property
    def there(self) -> bool:
        """Are its files where they are looked for?"""
        folder = os.environ.get(REFERENCE_DATA, "")
        return not self.files or (bool(folder) and all((Path(folder) / one).is_file() for one in self.files))


def _read(name: str, **options: Any) -> pd.DataFrame:
    return pd.read_csv(Path(os.environ[REFERENCE_DATA]) / name, **options)


def _turnover(other: str, file: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The finest cells of a table of rtauargus, and the levels of its activities."""
    levels = _read("rtauargus_activity_corr_table.csv", dtype=str)
    rows = _read(file, dtype={"ACTIVITY": str})
    finest = rows[rows["ACTIVITY"].isin(levels["A88"]) & (rows[other] != "Total")]
    return finest.rename(columns={"ACTIVITY": "A88"}), levels


def _counted(other: str, file: str) -> Any:
    rows, levels = _turnover(other, file)
    return fw.table(rows.set_index(["A88", other])["N_OBS"], hierarchies={"A88": levels})


def _of_sums(frame: pd.DataFrame, dims: list[str], tree: dict[str, Any], columns: tuple[str, str, str]) -> Any:
    """A problem of amounts: `columns` are the amount, the number of those behind it and the largest of them."""
    amount, number, largest = columns
    grid = frame.groupby(dims).agg({amount: "sum", number: "sum", largest: "max"})
    whole = (grid[amount] / UNIT).round().astype(int)
    table = fw.table(whole, hierarchies=tree)
    begun = fw.protect.problem(table, where=lambda values: values == values.max(), **MAGNITUDES)
    figures = begun.figures
    stacked = grid.reindex(pd.MultiIndex.from_product([dim.labels for dim in figures.start.dims], names=dims))
    many = figures.matrix @ stacked[number].fillna(0).astype(int).to_numpy()
    most = np.array(
        [(stacked[largest].fillna(0) / UNIT).to_numpy()[row.indices].max(initial=0) for row in _rows(figures.matrix)]
    )
    values = figures.values
    sensitive = (values > 0) & ((many < FEW) | (most > DOMINANT * values))
    return fw.protect.problem(table, where=lambda _: sensitive, alone=False, **MAGNITUDES)


def _rows(matrix: Any) -> Any:
    return (matrix[[at]] for at in range(matrix.shape[0]))


def _rtauargus(other: str, file: str) -> SuppressionProblem:
    rows, levels = _turnover(other, file)
    return _of_sums(rows, ["A88", other], {"A88": levels}, ("TOT", "N_OBS", "MAX"))


def _economy(other: str, number: int) -> SuppressionProblem:
    frame = fw.examples.enterprises(number, seed=1).assign(number=1)
    frame["largest"] = frame["turnover"]
    tree = {"activity": fw.examples.activities()}
    return _of_sums(frame, ["activity", other], tree, ("turnover", "number", "largest"))


def _economy_counted(dims: list[str], number: int) -> SuppressionProblem:
    counts = fw.examples.enterprises(number, seed=1).groupby(dims).size()
    return fw.protect.problem(fw.table(counts, hierarchies={"activity": fw.examples.activities()}), **COUNTS)


def _linked() -> SuppressionProblem:
    tables = [_counted("SIZE", _SIZES), _counted("CJ", _FORMS)]
    return fw.protect.problem(tables, **COUNTS)


def _cells_of_sdctable() -> SuppressionProblem:
    rows = _read("sdctable_complete_168cells.csv").set_index(["V1", "V2", "V3"])["Freq"].drop(index="B", level="V1")
    for dim in ("V1", "V2", "V3"):
        rows = rows.drop(index="Tot", level=dim)
    table = fw.table(rows, hierarchies={"V1": {"B": ["Ba", "Bb", "Bc"]}})
    return fw.protect.problem(table, **(COUNTS | {"rule": "< 7", "below": 3, "above": 3}))


def _regions() -> SuppressionProblem:
    rows = _read("ssbtools_z3.csv", dtype=str).assign(ant=lambda frame: frame["ant"].astype(int))
    frame = rows.groupby(["region", "fylke", "kostragr", "hovedint"], as_index=False)["ant"].sum()
    table = fw.table(frame, count="ant", hierarchies={"region": ["fylke", "kostragr"]})
    return fw.protect.problem(table, **COUNTS)


def _simple2d() -> SuppressionProblem:
    rows = _read(
        "tauargus_simple2d_expected.txt", header=None, names=["size", "region", "value", "status"], na_values="-"
    )
    rows = rows.assign(size=rows["size"].str.strip(), region=rows["region"].str.strip())
    groups = ["Nr", "Os", "Ws", "Zd", "Total"]
    values = rows.set_index(["region", "size"])["value"].fillna(0).round().astype(int)
    cells = values[~values.index.isin(groups, level="region") & ~values.index.isin(["Total"], level="size")]
    tree = Path(os.environ[REFERENCE_DATA]) / "tauargus_region2.hrc"
    unsafe = rows[rows["status"] == 3]
    named = [{dim: row[dim] for dim in ("region", "size") if row[dim] != "Total"} for row in unsafe.to_dict("records")]
    return fw.protect.problem(fw.table(cells, hierarchies={"region": tree}), where=named, alone=False, **MAGNITUDES)


def _census() -> SuppressionProblem:
    rows = _read("census_like_hypercube.csv", dtype={"age_h": str, "hst_h": str})
    frame = rows.groupby(["age_l", "age_m", "lms_l", "lms_h"], as_index=False)["freq"].sum()
    return fw.protect.problem(fw.table(frame, hierarchies={"age_m": "age_l", "lms_h": "lms_l"}, count="freq"), **COUNTS)


_LEVELS, _SIZES, _FORMS = (
    "rtauargus_activity_corr_table.csv",
    "rtauargus_turnover_act_size.csv",
    "rtauargus_turnover_act_cj.csv",
)
CASES = (
    Case("sdcTable, 168 cells", _cells_of_sdctable, ("sdctable_complete_168cells.csv",)),
    Case("Z3, levels that cross", _regions, ("ssbtools_z3.csv",)),
    Case("census, age x status", _census, ("census_like_hypercube.csv",)),
    Case("Simple2D, turnover", _simple2d, ("tauargus_simple2d_expected.txt", "tauargus_region2.hrc"), counts=False),
    Case(
        "enterprises by size (rtauargus)",
        lambda: fw.protect.problem(_counted("SIZE", _SIZES), **COUNTS),
        (_LEVELS, _SIZES),
    ),
    Case("... by legal form", lambda: fw.protect.problem(_counted("CJ", _FORMS), **COUNTS), (_LEVELS, _FORMS)),
    Case("... both, linked", _linked, (_LEVELS, _SIZES, _FORMS)),
    Case("turnover by size (rtauargus)", lambda: _rtauargus("SIZE", _SIZES), (_LEVELS, _SIZES), counts=False),
    Case("turnover by legal form", lambda: _rtauargus("CJ", _FORMS), (_LEVELS, _FORMS), counts=False),
    Case("economy, activity x region", lambda: _economy_counted(["activity", "region"], 3000)),
    Case("economy, activity x size x region", lambda: _economy_counted(["activity", "size", "region"], 3000)),
    Case("economy, turnover by size", lambda: _economy("size", 3000), counts=False),
    Case("economy, turnover by region", lambda: _economy("region", 3000), counts=False),
)
