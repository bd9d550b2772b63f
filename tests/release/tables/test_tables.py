"""Every form a table may come in, and every way it may be wrong."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import fiberwalk as fw
from fiberwalk.release.tables.tables import as_table

VALUES = np.array([[3, 0, 2], [1, 4, 5]])
LONG = pd.DataFrame({
    "sex": ["f", "f", "m", "m", "m"],
    "age": ["young", "old", "young", "mid", "old"],
    "n": [3, 2, 1, 4, 5],
})  # fmt: skip


def crosstab() -> pd.DataFrame:
    frame = pd.DataFrame(VALUES, index=["f", "m"], columns=["young", "mid", "old"])
    return frame.rename_axis(index="sex", columns="age")


def forms() -> dict[str, object]:
    frame = crosstab()
    return {
        "xarray": xr.DataArray(frame),
        "crosstab": frame,
        "series": pd.Series(VALUES.ravel(), index=pd.MultiIndex.from_product([frame.index, frame.columns])),
        "long": LONG[["sex", "age", "n"]],
        "long, another order of rows": LONG.iloc[::-1],
    }


@pytest.mark.parametrize("form", forms())
def test_every_form_is_the_same_table(form):
    table = as_table(forms()[form]).to_xarray()
    assert set(table.dims) == {"sex", "age"}
    for sex, age, count in [("f", "young", 3), ("f", "mid", 0), ("m", "mid", 4), ("m", "old", 5)]:
        assert int(table.sel(sex=sex, age=age)) == count


def test_names_and_labels_that_are_not_given():
    table = as_table(np.arange(24).reshape(2, 3, 4)).to_xarray()
    assert table.dims == ("A", "B", "C")
    assert list(table["C"].values) == ["1", "2", "3", "4"]
    assert as_table(xr.DataArray(VALUES)).to_xarray().dims == ("A", "B")


def test_labels_become_strings():
    series = pd.Series([1, 2], index=pd.Index([2020, 2021], name="year"))
    assert as_table(series).dims[0].labels == ("2020", "2021")


def test_a_three_way_crosstab_with_multiindex_columns():
    frame = pd.DataFrame(
        np.arange(8).reshape(2, 4),
        index=pd.Index(["a", "b"], name="x"),
        columns=pd.MultiIndex.from_product([["c", "d"], ["e", "f"]], names=["y", "z"]),
    )
    table = as_table(frame).to_xarray()
    assert int(table.sel(x="b", y="d", z="e")) == 6


def test_the_count_column_of_a_long_frame():
    frame = LONG.rename(columns={"n": "people"})
    assert as_table(frame).values.sum() == 15
    both = frame.assign(weight=1)
    with pytest.raises(fw.InputError, match="not clear which of the columns sex, age, people, weight holds the counts"):
        as_table(both)
    assert as_table(both.drop(columns="weight"), count="people").values.sum() == 15
    with pytest.raises(fw.InputError, match="no column 'peopel'; did you mean 'people'"):
        as_table(frame, count="peopel")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[1, -2], [3, 4]], "cell A=1, B=2: -2 is negative"),
        ([[1, 2.5], [3, 4]], "cell A=1, B=2: 2.5 is not a whole number"),
        ([[1, 2.0], [3, float("nan")]], "cell A=2, B=2: nan where a number must be"),
        ([[1, 1e300], [3, 4]], "cell A=1, B=2: 1e\\+300 is too large"),
        ([], "the table is empty"),
        (5, "the table is empty: it needs at least one dim"),
        ([["a", "b"]], "holds <U1 values; it must hold numbers"),
    ],
)
def test_bad_values_name_the_cell(values, words):
    with pytest.raises(fw.InputError, match=words):
        as_table(values)


def test_duplicate_cells_are_refused():
    twice = pd.concat([LONG, LONG.iloc[[1]]])
    with pytest.raises(fw.InputError, match="cell sex=f, age=old is given twice"):
        as_table(twice)
    frame = crosstab()
    frame.index = ["f", "f"]
    with pytest.raises(fw.InputError, match="rows of the table have the label 'f' twice"):
        as_table(frame)


def test_missing_labels_are_refused():
    frame = LONG.assign(age=["young", None, "young", "mid", "old"])
    with pytest.raises(fw.InputError, match="row 2 of the frame has no label in column 'age'"):
        as_table(frame)


def test_a_category_called_total_is_refused():
    with pytest.raises(fw.InputError, match="has a category called 'Total', the word kept for sums"):
        as_table(pd.Series([1, 2], index=pd.Index(["a", "Total"], name="x")))


def test_decimals_scale_to_whole_numbers_and_back():
    table = as_table([[1.25, 2.5]], decimals=2)
    assert table.values.tolist() == [[125, 250]]
    assert table.to_xarray().values.tolist() == [[1.25, 2.5]]
    with pytest.raises(fw.InputError, match="cell A=1, B=1: 1.234 has more than 2 decimals"):
        as_table([[1.234, 1.0]], decimals=2)
    with pytest.raises(fw.InputError, match="decimals must be a whole number from 0 to 12"):
        as_table([[1.0]], decimals=-1)


def test_a_magnitude_table_is_answered_in_its_own_units():
    table = pd.DataFrame([[1.5, 2.25], [3.0, 0.75]], index=["a", "b"], columns=["x", "y"])
    release = fw.publish(fw.table(table, decimals=2), ["A", "B"])
    bounds = fw.bounds(release)
    assert bounds.loc[("a", "x")].tolist() == [0.75, 3.75]
    audit = fw.audit(release)
    assert audit.cells.loc[("a", "x"), "support"] == 301
    assert audit.cells.loc[("a", "x"), "truth"] == 1.5
    assert audit.pmf(A="a", B="x").index[1] == 0.76
    with pytest.warns(UserWarning, match="on a magnitude table its answer depends on the unit"):
        fw.audit(release, law="hypergeometric")


# --- hierarchies ---------------------------------------------------------------------------------------------------

TOWNS = pd.DataFrame({
    "town": ["a", "b", "c", "d"] * 2,
    "region": ["North", "North", "South", "South"] * 2,
    "sex": ["f"] * 4 + ["m"] * 4,
    "n": [1, 2, 3, 4, 5, 6, 7, 8],
})  # fmt: skip
MAPPING = {"North": ["a", "b"], "South": ["c", "d"]}


def hierarchy_forms(tmp_path):
    (tmp_path / "towns.hrc").write_text("North\n@a\n@b\nSouth\n@c\n@d\n")
    (tmp_path / "levels.csv").write_text("level,code\n@,Everywhere\n@@,North\n@@@,a\n@@@,b\n@@,South\n@@@,c\n@@@,d\n")
    (tmp_path / "columns.csv").write_text("region,town\nNorth,a\nNorth,b\nSouth,c\nSouth,d\n")
    return {
        "mapping": MAPPING,
        "mapping with a root": {"Total": ["North", "South"], **MAPPING},
        "frame": pd.DataFrame({"region": ["North", "North", "South", "South"], "town": list("abcd")}),
        "hrc": tmp_path / "towns.hrc",
        "level table": tmp_path / "levels.csv",
        "columns": tmp_path / "columns.csv",
    }


@pytest.mark.parametrize("form", ["mapping", "mapping with a root", "frame", "hrc", "level table", "columns"])
def test_every_form_of_hierarchy_groups_alike(form, tmp_path):
    table = TOWNS.drop(columns="region")
    dims = as_table(table, hierarchies={"town": hierarchy_forms(tmp_path)[form]}).dims
    town = next(dim for dim in dims if dim.name == "town")
    groups = [level.group_of for level in town.levels]
    if form == "level table":
        assert groups.pop(0) == ("Everywhere",) * 4  # its root is a group like any other
    assert groups == [("North", "North", "South", "South")]


def test_a_parent_column_names_its_level():
    release = fw.publish(fw.table(TOWNS, hierarchies={"town": "region"}), margins=["region,sex", "town"])
    bounds = fw.bounds(release, hidden_margins=["sex"])
    assert ("Total", "f") in bounds.index  # region x sex implies it, but it was not published
    assert bounds.loc[("Total", "f")].tolist() == [10, 10]
    assert bounds.loc[("a", "f")].tolist() == [0, 3]


def test_a_coordinate_of_an_array_as_parent():
    array = xr.DataArray(
        [1, 2, 3], dims=["town"], coords={"town": ["a", "b", "c"], "region": ("town", ["N", "N", "S"])}
    )
    release = fw.publish(fw.table(array, hierarchies={"town": "region"}), margins=["region"])
    assert fw.bounds(release).loc[("c",)].tolist() == [3, 3]
    with pytest.raises(fw.InputError, match="names 'county', which is no coordinate along it"):
        fw.publish(fw.table(array, hierarchies={"town": "county"}), margins=[""])


def test_ragged_hierarchies_keep_shallow_labels_on_deeper_levels():
    dims = as_table(
        pd.Series([1, 2, 3], index=pd.Index(["a1", "a2", "b"], name="x")),
        hierarchies={"x": {"top": ["mid", "b"], "mid": ["a1", "a2"]}},
    ).dims
    assert [level.group_of for level in dims[0].levels] == [("top", "top", "top"), ("mid", "mid", "b")]


@pytest.mark.parametrize(
    ("hierarchy", "words"),
    [
        ({"North": ["a", "x"]}, "puts 'x' under 'North', but the table has no such label"),
        ({"North": ["a"], "South": ["a"]}, "puts 'a' under both 'North' and 'South'"),
        ({"North": "ab"}, "maps 'North' to 'ab'; give a list"),
        ({"P": ["Q"], "Q": ["P", "a"]}, "runs in a circle through 'P'"),
        (3, "must be a mapping of parents to children"),
        ({"Total": ["N"], "N": ["a"], "M": ["Total"]}, None),
    ],
)
def test_bad_hierarchies(hierarchy, words):
    table = TOWNS.drop(columns="region")
    if words is None:
        as_table(table, hierarchies={"town": hierarchy})
        return
    with pytest.raises(fw.InputError, match=words):
        as_table(table, hierarchies={"town": hierarchy})


def test_a_hierarchy_of_no_dim():
    with pytest.raises(fw.InputError, match="a hierarchy is given for 'twon'; did you mean 'town'"):
        as_table(TOWNS.drop(columns="region"), hierarchies={"twon": MAPPING})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("North\n@@a\n", "line 2: 'a' is 2 levels deep, but the line before it is only 0 deep"),
        ("North\n@\n", "line 2: a label is missing after the @ signs"),
        ("", "the file is empty"),
    ],
)
def test_bad_hrc_files(text, words, tmp_path):
    path = tmp_path / "bad.hrc"
    path.write_text(text)
    with pytest.raises(fw.InputError, match=f"bad.hrc.*{words}"):
        as_table(TOWNS.drop(columns="region"), hierarchies={"town": path})


def test_empty_and_odd_hierarchies_are_refused():
    table = TOWNS.drop(columns="region")
    for hierarchy, words in [
        ({}, "is empty"),
        ({"g": ["h"], "h": ["g"]}, "runs in a circle"),
        ({"g": 5}, "maps 'g' to 5; give a list"),
        (pd.DataFrame(), "needs rows and at least two columns"),
        (pd.DataFrame({"region": ["N", None], "town": ["a", "b"]}), "has empty entries"),
    ]:
        with pytest.raises(fw.InputError, match=words):
            as_table(table, hierarchies={"town": hierarchy})
    with pytest.raises(fw.InputError, match="hierarchies= is a dict"):
        as_table(table, hierarchies="towns.hrc")


def test_a_root_that_is_not_everything_stays_a_group(tmp_path):
    (tmp_path / "part.hrc").write_text("g\n@a\n@b\n")
    town = as_table(TOWNS.drop(columns="region"), hierarchies={"town": tmp_path / "part.hrc"}).dims[0]
    assert town.levels[0].group_of == ("g", "g", "c", "d")


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.uint8, np.int64])
def test_small_integer_types_do_not_overflow(kind):
    table = as_table(np.array([[100, 2], [3, 4]], dtype=kind), decimals=6)
    assert table.values.tolist() == [[100_000_000, 2_000_000], [3_000_000, 4_000_000]]


def test_numbers_at_the_edge():
    with pytest.raises(fw.InputError, match="too large to be held exactly with 12 decimals"):
        as_table([[2**52, 1]], decimals=12)
    assert as_table(np.array([[1234.56]], dtype=np.float32), decimals=2).values.tolist() == [[123456]]
    with pytest.raises(fw.InputError, match="rows of the table have different lengths"):
        as_table([[1, 2], [3]])
    with pytest.raises(fw.InputError, match="the array is masked"):
        as_table(np.ma.masked_less([1, 5, 2], 2))


def test_pandas_in_its_odder_forms():
    unnamed = pd.DataFrame(
        [[1, 2], [3, 4], [5, 6], [7, 8]], index=pd.MultiIndex.from_product([["a", "b"], ["x", "y"]]), columns=["p", "q"]
    )
    assert [dim.name for dim in as_table(unnamed).dims] == ["A", "B", "C"]
    assert int(as_table(unnamed).to_xarray().sel(A="b", B="x", C="q")) == 6
    nullable = pd.DataFrame([[1, 2], [3, None]], index=["a", "b"], columns=["x", "y"]).astype("Int64")
    with pytest.raises(fw.InputError, match="cell A=b, B=y: nan where a number must be"):
        as_table(nullable)
    assert as_table(nullable.fillna(0)).values.tolist() == [[1, 2], [3, 0]]
    gap = pd.Series([1, 2], index=pd.MultiIndex.from_tuples([("a", 1), ("a", None)], names=["u", "v"]))
    with pytest.raises(fw.InputError, match="has no label on dim 'v'"):
        as_table(gap)
    codes = pd.DataFrame({"year": [2020, 2020, 2021, 2021], "sex": [1, 2, 1, 2], "count": [5, 1, 2, 9]})
    for frame in (codes, codes.sort_values("sex"), codes.iloc[::-1]):
        assert [dim.name for dim in as_table(frame).dims] == ["year", "sex"]
    with pytest.raises(fw.InputError, match="the table has entries that are not numbers"):
        as_table(pd.Series([1, "z"], index=["a", "b"]))
    with pytest.raises(fw.InputError, match="count= goes with a long DataFrame"):
        as_table(pd.Series([1, 2]), count="n")
    assert as_table(pd.DataFrame({"self": ["a", "b"], "count": [1, 2]})).dims[0].name == "self"


def test_a_crosstab_that_still_has_its_margins_is_refused():
    frame = crosstab()
    frame.loc["All"] = frame.sum()
    with pytest.raises(fw.InputError, match="has a category 'All' that is the sum of the others.*from_crosstab"):
        as_table(frame)


def test_things_that_are_no_table():
    for thing in ("table.csv", {"a": 1}, None):
        with pytest.raises(fw.InputError, match=f"it is a {type(thing).__name__}"):
            as_table(thing)
    assert [dim.name for dim in as_table(np.ones((1,) * 28, dtype=int)).dims][-2:] == ["A2", "B2"]
