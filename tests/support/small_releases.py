"""A small table released in many ways, and files of releases that say the same."""

from __future__ import annotations

import xarray as xr

import fiberwalk as fw

TABLE = xr.DataArray(
    [[1, 5, 4], [7, 2, 6], [3, 8, 9]], dims=["row", "col"], coords={"row": ["a", "b", "c"], "col": ["x", "y", "z"]}
)

SQUARE = [{"row": r, "col": c} for r in "ab" for c in "xy"]

TOWNS = {"row": {"north": ["a", "b"], "south": ["c"]}}


def written(tmp_path, text, name="release.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def same_facts(one: fw.Release, other: fw.Release) -> None:
    left, right = fw.bounds(one), fw.bounds(other)
    assert left.to_numpy().tolist() == right.to_numpy().tolist()
    assert fw.count(one) == fw.count(other)


def releases():
    return {
        "suppressed": fw.suppress(TABLE, where=SQUARE),
        "with a withheld total": fw.suppress(TABLE, where=[*SQUARE, {"row": "a"}, {"row": "b"}]),
        "few margins": fw.suppress(TABLE, where=SQUARE, margins=["row", ""]),
        "margins only": fw.publish(TABLE, ["row", "col"]),
        "rounded": fw.round_to(TABLE.isel(row=[0, 1]), base=3),
        "bounded by knowledge": fw.suppress(TABLE, where=SQUARE).knows(SQUARE[0], at_least=1, at_most=3),
        "rule known": fw.suppress(TABLE, where=SQUARE, rule="< 3", rule_known=True, flags=True),
        "magnitudes": fw.suppress(TABLE / 4, where=SQUARE, decimals=2),
    }
