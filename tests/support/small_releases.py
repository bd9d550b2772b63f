"""A small table released in many ways, and files of releases that say the same."""

from __future__ import annotations

import xarray as xr
from hypothesis import strategies as st

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
        "magnitudes": fw.suppress(fw.table(TABLE / 4, decimals=2), where=SQUARE),
    }


@st.composite
def ragged_trees(draw) -> tuple[list[str], dict[str, list[str]], tuple[str, str]]:
    """Labels, some of them in groups of any depth, and two that have the same parent, or none."""
    labels = [f"t{i}" for i in range(draw(st.integers(4, 7)))]
    tops, tree = list(labels), {}
    for number in range(draw(st.integers(0, 3))):
        size = draw(st.integers(1, max(1, len(tops) - 2)))
        start = draw(st.integers(0, len(tops) - size))
        tree[f"g{number}"] = tops[start : start + size]
        tops[start : start + size] = [f"g{number}"]
    families = [[one for one in some if one in labels] for some in (*tree.values(), tops)]
    pairs = [(some[0], some[-1]) for some in families if len(some) > 1]
    if not pairs:
        labels += ["u", "v"]
        pairs = [("u", "v")]
    return labels, tree, draw(st.sampled_from(pairs))
