"""Hierarchies of any shape: ragged, of any depth, labels beside groups, groups of one; against every table."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples
from support.small_releases import ragged_trees

import fiberwalk as fw

TOWNS = pd.DataFrame([[5, 9], [7, 8], [3, 6], [2, 11]], index=list("abcd"), columns=["s", "l"])
TOWNS.index.name, TOWNS.columns.name = "town", "size"
NORTH = {"town": {"North": ["a", "b"]}}


def members(label: str, tree: dict[str, list[str]]) -> set[str]:
    """The finest labels below one, by hand."""
    return set().union(*(members(one, tree) for one in tree[label])) if label in tree else {label}


def bounds_by_hand(table: pd.DataFrame, tree: dict[str, list[str]], hidden: list[tuple[str, str]]) -> dict:
    """The least and the most of each hidden cell in all tables with the same published figures."""
    towns = [{one} for one in table.index] + [members(one, tree) for one in tree] + [set(table.index)]
    sizes = [{one} for one in table.columns] + [set(table.columns)]
    single = {frozenset(product(t, s)): len(t) == len(s) == 1 for t in towns for s in sizes}
    named = [frozenset(product(t, s)) for t in towns for s in sizes]
    lines = [some for some in named if not (single[some] and some <= set(hidden))]
    # A group of one label is published under its own name, and gives that label away: it is one of the lines, too.
    lines += [frozenset(product(members(one, tree), [s])) for one in tree for s in table.columns]
    true = np.array([table.loc[cell] for cell in hidden])
    rows = np.array([[cell in line for cell in hidden] for line in lines], dtype=int)
    grid = np.indices([int(true.sum()) + 1] * len(hidden)).reshape(len(hidden), -1)
    found = grid[:, (rows @ grid == (rows @ true)[:, None]).all(axis=0)]
    return {cell: (found[i].min(), found[i].max()) for i, cell in enumerate(hidden)}


@examples(80)
@given(ragged_trees(), st.integers(0, 2**32 - 1))
def test_bounds_of_any_hierarchy(made, seed):
    labels, tree, _ = made
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(0, 4, (len(labels), 2)), index=labels, columns=["s", "l"])
    table.index.name, table.columns.name = "town", "size"
    places = rng.permutation(len(labels) * 2)[:4]
    hidden = sorted((labels[i // 2], "sl"[i % 2]) for i in places.tolist())
    where = [{"town": town, "size": size} for town, size in hidden]
    release = fw.suppress(fw.table(table, hierarchies={"town": tree} if tree else None), where=where)
    bounds = fw.bounds(release)
    expected = bounds_by_hand(table, tree, hidden)
    assert {cell: tuple(bounds.loc[cell]) for cell in hidden} == expected
    again = fw.bounds(release.without_truth())
    assert again.equals(bounds)


def test_a_label_beside_a_group_is_withheld_on_every_level(tmp_path):
    release = fw.suppress(fw.table(TOWNS, hierarchies=NORTH), rule="< 4")
    shown = release.crosstab()
    assert shown.loc[["c", "d"], "s"].isna().all()
    assert shown.loc["North"].tolist() == [12, 17, 29]
    release.to_file(tmp_path / "out.csv")
    written = pd.read_csv(tmp_path / "out.csv")
    hidden = written[written["status"] == "x"]
    assert hidden["town"].tolist() == ["c", "d"]
    assert hidden["value"].isna().all()
    assert "lower" not in written


def test_what_is_withheld_beside_groups_can_be_protected():
    """It was refused: the cells were published as subtotals of themselves, so that nothing could protect them."""
    release = fw.protect.complementary_suppress(fw.table(TOWNS, hierarchies=NORTH), rule="< 4", width=2)
    bounds = fw.bounds(release)
    assert (bounds["upper"] - bounds["lower"] >= 2).all()


def test_on_a_coarser_level_a_label_without_a_group_is_shown_by_itself():
    release = fw.publish(fw.table(TOWNS, hierarchies=NORTH), ["town:1,size"])
    assert release.crosstab().loc[["North", "c", "d"], "s"].tolist() == [12, 3, 2]
    assert release.crosstab().loc[["a", "b"], "s"].isna().all()
    assert sorted({town for town, _ in fw.bounds(release).index}) == ["a", "b"]


@pytest.mark.parametrize("method", ["random_round", "semi_controlled_round"])
def test_what_is_published_as_it_is_is_not_shown_as_drawn(method):
    release = getattr(fw.protect, method)(fw.table(TOWNS, hierarchies=NORTH), base=3, seed=1, exact=["town:1,size"])
    shown = release.crosstab()
    for town in ("c", "d"):
        assert shown.loc[town, ["s", "l"]].tolist() == TOWNS.loc[town].tolist()
    assert {town for town, _ in fw.bounds(release).index} == {"a", "b"}


@pytest.mark.parametrize(
    "text",
    [
        "North\n@a\n@b\nc\nd\n",
        "North\n@a\n@@b\n@c\nd\n",
        "Land\n@North\n@@a\n@@b\n@c\n@d\n",
        "North\n@a\nSouth\n@b\n@Deep\n@@c\n@@d\n",
    ],
)
def test_hierarchy_files_of_any_shape_come_back_from_a_file(text, tmp_path):
    (tmp_path / "t.hrc").write_text(text)
    labels = [line.strip("@") for line in text.split() if line.strip("@").islower()]
    table = TOWNS if "@@b" not in text or "@@a" in text else TOWNS.drop("a")
    assert set(labels) >= set(table.index)
    where = [{"town": town, "size": size} for town in ("c", "d") for size in ("s", "l")]
    release = fw.suppress(fw.table(table, hierarchies={"town": str(tmp_path / "t.hrc")}), where=where)
    release.to_file(tmp_path / "out.csv")
    again = fw.read_release(tmp_path / "out.csv")
    assert fw.bounds(again).equals(fw.bounds(release))
    assert fw.count(again) == fw.count(release)


def test_errors_name_the_line_of_the_file_also_after_blank_ones(tmp_path):
    (tmp_path / "t.hrc").write_text("North\n\n@a\n\n@@@b\n")
    with pytest.raises(fw.InputError, match=r"t.hrc, line 5: 'b' is 3 levels deep"):
        fw.table(TOWNS, hierarchies={"town": tmp_path / "t.hrc"})
