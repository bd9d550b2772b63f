"""A small table released in many ways, and files of releases that say the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from hypothesis import assume
from hypothesis import strategies as st

import fiberwalk as fw
from fiberwalk.release.facts.facts import NO_VALUE
from fiberwalk.release.public_rows import public_rows
from fiberwalk.release.public_view import public_view

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


# --- written and read again: does it say the same? ------------------------------------------------------------------

Told = dict[frozenset[tuple[str, str]], tuple[int, int, int, int]]
"""Of each row of a publication, by its labels: figure, status, lower and upper end."""


def told(release: fw.Release) -> Told:
    """What a release publishes, whatever the order of its dims and labels."""
    rows = public_rows(public_view(release), "a test", "a file")
    names = [[(dim.name, label) for label in dim.node_labels] for dim in rows.dims]
    said = zip(rows.value.tolist(), rows.status.tolist(), rows.lower.tolist(), rows.upper.tolist(), strict=True)
    return {
        frozenset(named[node] for named, node in zip(names, key, strict=True)): one
        for key, one in zip(rows.keys.tolist(), said, strict=True)
    }


def groups(release: fw.Release) -> dict[str, dict[str, frozenset[str]]]:
    """Of each dim, which labels a group has."""
    return {
        dim.name: {
            label: frozenset(dim.labels[leaf] for leaf in leaves.tolist())
            for label, leaves in zip(dim.node_labels, dim.leaves, strict=True)
        }
        for dim in release.dims
    }


def same_release(one: fw.Release, other: fw.Release) -> None:
    """Figures, statuses, ranges, decimals and hierarchies are the same."""
    assert told(one) == told(other)
    assert groups(one) == groups(other)
    assert one.decimals == other.decimals


@st.composite
def suppressed(draw: st.DrawFn) -> fw.Release:
    """A table with a ragged hierarchy, some of whose cells and totals are withheld; its figures may have decimals."""
    labels, tree, (first, second) = draw(ragged_trees())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    decimals, flags = draw(st.sampled_from([0, 2])), draw(st.booleans())
    columns = ["x", "y z", "ö"]
    figures = rng.integers(0, 60, (len(labels), 3)) * 10**decimals + rng.integers(0, 10**decimals)
    frame = pd.DataFrame(figures, index=labels, columns=columns)
    frame.index.name, frame.columns.name = "town", "size"
    where: list[dict[str, Any]] = [{"town": town, "size": size} for town in (first, second) for size in columns[:2]]
    where += [{"town": first}] if draw(st.booleans()) else []
    table = fw.table(
        frame / 10**decimals if decimals else frame, hierarchies={"town": tree} if tree else None, decimals=decimals
    )
    release = replace(fw.suppress(table, where=where, rule="< 3"), flagged=flags)
    release = replace(release, asked_primary=release.asked[: draw(st.integers(0, 1))])
    # a group of one label gives a withheld cell away, which a file then tells as a range
    assume(all(low == high == NO_VALUE for _, _, low, high in told(release).values()))
    return release
