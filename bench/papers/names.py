"""What the calls of the table use: the papers' tables, and small tables, records and files of our own."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from studies.ru_map_picture import paper_map

import fiberwalk as fw

MEANINGS = {
    "table, older": "3 x 3 counts by A and B, and those of a year ago",
    "corner, hidden, audit": "its first cell, the release with four of its cells suppressed, and the exact audit of that",
    "ones": "a 3 x 3 x 3 table of ones",
    "turnover": "a 2 x 2 x 2 table of turnover by activity, size and region",
    "suppressed, redesigned": "DOT02, Tables 1 and 2",
    "ijk": "a table with the margins of DFKPR01, Table 1",
    "square, upper_left, believed": "DFKPR01, section 4: the square, its first cell, and a snooper with its prior",
    "found": "the R-U map of its methods",
    "people, sample": "ASE15, Table 1, and a tenth of these people as counts",
    "cube, records": "a hypercube of region, sex, age and activity with 20,000 people, and the same people one a row",
    "homes": "1,800 of them in households",
    "matrix": "SAE15, Table 3",
    "server": "tables of `cube` on request, rounded",
}
"""Names that calls use, as the table explains them."""


def prepare() -> dict[str, Any]:
    """The names, made anew; besides, fw, np, pd and math."""
    table = _labelled([[1, 5, 4], [7, 2, 6], [3, 8, 9]], "A", "B")
    corner = {"A": "1", "B": "1"}
    hidden = fw.suppress(table, rule="< 3", where=[{"A": "1", "B": "2"}, {"A": "2", "B": "1"}])
    square = fw.examples.dfkpr01_square()
    upper_left = {"row": "1", "column": "1"}
    believed = fw.laws.prior([(upper_left, square.prior)])
    people = fw.examples.ase15().table
    cube = fw.examples.hypercube(20_000).sum(["occupation", "education", "citizenship"])
    records = _records(cube)
    return {
        "fw": fw,
        "np": np,
        "pd": pd,
        "math": math,
        "table": table,
        "older": _labelled([[2, 4, 4], [6, 3, 7], [3, 9, 8]], "A", "B"),
        "corner": corner,
        "hidden": hidden,
        "audit": fw.audit(hidden, method="exact"),
        "ones": _labelled(np.ones((3, 3, 3), dtype=int), "A", "B", "C"),
        "turnover": _labelled([[[4, 1], [2, 6]], [[3, 5], [7, 2]]], "activity", "size", "region"),
        "suppressed": fw.examples.dot02_table1().release,
        "redesigned": fw.examples.dot02_table2().release,
        "ijk": fw.examples.dfkpr01().table,
        "square": square,
        "upper_left": upper_left,
        "believed": believed,
        "found": paper_map(),
        "people": people,
        "sample": fw.protect.draw_sample(people, 0.1, seed=1).published,
        "cube": cube,
        "records": records,
        "homes": records.groupby("region").head(900).assign(household=np.arange(1800) // 3),
        "matrix": fw.protect.window_matrix(stay=[0.5] * 2 + [0.9] * 13, window=[5] * 2 + [7] * 13),
        "server": fw.server.TableServer(cube, mechanism="random_round", parameters={"base": 3}, max_risk=0.5, seed=1),
    }


def write_files(names: dict[str, Any], folder: Path) -> None:
    """The files of the command lines: table.csv (`hidden`), counts.csv (`table`), sample.csv and people.csv (`records`)."""
    names["hidden"].to_file(folder / "table.csv")
    for name in ("table", "sample"):
        long = names[name].rename("count").to_dataframe().reset_index()
        long.astype({"count": int}).to_csv(folder / f"{'counts' if name == 'table' else name}.csv", index=False)
    names["records"].to_csv(folder / "people.csv", index=False)


def _labelled(values: Any, *dims: str) -> xr.DataArray:
    """A table whose labels are numbers from 1."""
    counts = np.asarray(values)
    return xr.DataArray(
        counts,
        dims=dims,
        coords={dim: [str(i + 1) for i in range(size)] for dim, size in zip(dims, counts.shape, strict=True)},
    )


def _records(cube: xr.DataArray) -> pd.DataFrame:
    """One row for every person of a hypercube."""
    counts = cube.to_series()
    return counts.index.repeat(counts.to_numpy()).to_frame(index=False)
