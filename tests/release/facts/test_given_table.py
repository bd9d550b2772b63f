"""fw.table: names, labels, hierarchies and contributors said once; microdata counted; and what cannot be."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import fiberwalk as fw

METHODS = {
    "pram": lambda given: fw.protect.pram(given, "sex", stay=0.7, seed=3),
    "local_suppress": lambda given: fw.protect.local_suppress(given, "sex", rate=0.4, seed=3),
    "random_round": lambda given: fw.protect.random_round(given, base=3, seed=3),
}


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame({
        "sex": rng.choice(["f", "m"], 40), "area": rng.choice(["N", "S", "W"], 40), "income": rng.normal(size=40)
    })  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_people_are_counted_by_the_columns_that_are_dims(people, method):
    counts = pd.crosstab(people["sex"], people["area"])
    by_people, by_counts = METHODS[method](fw.table(people, dims="sex,area")), METHODS[method](counts)
    assert by_people.truth.tolist() == by_counts.truth.tolist() == counts.to_numpy().ravel().tolist()
    assert by_people.published.equals(by_counts.published)
    assert by_people.likelihood == by_counts.likelihood


def test_an_array_gets_names_and_labels():
    plain = fw.table([[1, 2], [3, 4]], dims=["town", "size"], labels={"size": ["small", "large"]})
    assert fw.publish(plain, ["town"]).truth.tolist() == [1, 2, 3, 4]
    assert plain.to_xarray().equals(
        xr.DataArray([[1, 2], [3, 4]], {"town": ["1", "2"], "size": ["small", "large"]}, ["town", "size"])
    )
    assert repr(fw.table([[1.25]], decimals=2)) == "<Table of A, B (1 x 1), 2 decimals>"


def test_its_cells_are_compared_as_those_of_other_forms_are():
    table = fw.table([[1.5, 0.2], [0.9, 3.0]], decimals=1)
    assert fw.suppress(table, where=table < 1).hidden.tolist() == [1, 2]
    assert [int(mask.sum()) for mask in (table <= 0.9, table > 0.9, table >= 0.9)] == [2, 2, 3]
    maps = [fw.ru_map(given, {"x": lambda t: fw.suppress(t, where=t < 3)}, seeds=1, where="< 3").frame
            for given in (np.array([[1, 5, 2], [7, 2, 6]]), fw.table([[1, 5, 2], [7, 2, 6]]))]  # fmt: skip
    assert maps[0].equals(maps[1])


def test_a_crosstab_gets_other_names():
    crosstab = pd.DataFrame([[1, 2], [3, 4]], index=list("ab"), columns=list("xy"))
    assert fw.table(crosstab, dims="town,size").to_xarray().sel(town="b", size="x") == 3


def test_a_column_of_counts_is_found_or_named(people):
    long = people.groupby(["sex", "area"]).size().rename("n").reset_index().assign(note=1)
    counted = fw.table(people, dims="sex,area").values
    assert (fw.table(long, dims=["sex", "area"]).values == counted).all()
    assert (fw.table(long.rename(columns={"n": "souls"}), dims=["sex", "area"], count="souls").values == counted).all()


def test_a_parent_column_makes_a_level_of_microdata(people):
    with_side = people.assign(side=people["area"].map({"N": "up", "S": "down", "W": "up"}))
    release = fw.publish(fw.table(with_side, dims="sex,area", hierarchies={"area": "side"}), ["sex,side"])
    assert release.crosstab().loc["f", "up"] == ((with_side["sex"] == "f") & (with_side["side"] == "up")).sum()


@pytest.mark.parametrize("function", [fw.suppress, fw.protect.complementary_suppress])
def test_every_method_knows_who_stands_behind_the_cells(function):
    table = fw.table([[3, 9], [8, 7]], contributors=[[1, 3], [2, 2]], largest=[[3, 5], [5, 4]], second=[[0, 3], [3, 3]])
    release = function(table, rule="< 4")
    assert release.contributors.tolist() == [1, 3, 2, 2]
    assert (release.largest.tolist(), release.second.tolist()) == ([3, 5, 5, 4], [0, 3, 3, 3])
    assert fw.protect.random_round(table, seed=1).contributors.tolist() == [1, 3, 2, 2]
    assert release.without_truth().contributors is None


def test_noise_may_be_negative_where_it_is_read_and_nowhere_else():
    noisy = fw.table([[-1, 3]], dims="A,B")
    assert fw.protect.as_protected(noisy, "add_noise", noise={-2: 0.5, 2: 0.5}).figures.tolist() == [-1, 3]
    with pytest.raises(fw.InputError, match="cell A=1, B=1: -1 is negative"):
        fw.publish(noisy, ["A"])


def test_rows_that_are_only_numbered_may_be_either():
    """What one function would take for a crosstab and another for microdata is refused, or said."""
    unclear = pd.DataFrame({"sex": [1, 2, 1], "age": [30, 30, 40]})
    with pytest.raises(fw.InputError, match="may be a crosstab or microdata: its rows are only numbered"):
        fw.suppress(unclear, rule="< 3")
    assert fw.table(unclear, dims="sex,age").values.tolist() == [[1, 1], [1, 0]]
    assert fw.server.TableServer(unclear, seed=1).cube.population == 3
    labelled = unclear.set_axis(list("abc"))
    assert fw.publish(labelled, [""]).truth.sum() == 104
    assert fw.server.TableServer(labelled, seed=1).cube.population == 104


@pytest.mark.parametrize(
    ("given", "said", "words"),
    [
        ([[1, 2]], {"dims": "A"}, "table(dims=): 1 names for a table of 2 dims"),
        ([[1, 2]], {"dims": []}, "table(dims=[]): the dims of the table, as 'region,age' or a list of at least one"),
        ([[1, 2]], {"dims": 7}, "table(dims=7): the dims of the table"),
        ([[1, 2]], {"labels": {"C": ["x"]}}, "table(labels=): there is no dim 'C'"),
        ([[1, 2]], {"labels": {"B": ["x"]}}, "table(labels=): 1 labels for dim 'B', which has 2 categories"),
        ([[1, 2]], {"contributors": [[1]]}, "contributors= has the shape (1, 1), but the table has (1, 2)"),
        ([[1, 2]], {"contributors": [[1, 0]]}, "cell A=1, B=2 is not zero, but nobody contributes to it"),
        (pd.DataFrame({"a": ["x"]}), {"dims": "b"}, "table(): the frame has no column 'b'"),
        (pd.DataFrame({"a": ["x", None]}), {"dims": "a"}, "table(): row 2 has no label in column 'a'"),
        (pd.DataFrame({"a": ["x"], "n": 1, "count": 2}), {"dims": "a"}, "which of n, count holds the counts; give count="),
        (fw.table([1, 2]), {"dims": "A"}, "this is such a table already"),
        (pd.DataFrame({"a": ["x"]}), {"dims": "a", "hierarchies": "a.hrc"}, "hierarchies= is a dict of dim to hierarchy"),
        (pd.DataFrame({"a": ["x"]}), {"dims": "a", "labels": {"a": ["y"]}}, "table(labels=) is of arrays"),
        ([[1, 2]], {"labels": ["x", "y"]}, "table(labels=) is a dict of dim to its labels"),
        (pd.DataFrame({"a": ["x"]}), {"dims": "a,a"}, "two dims are called 'a'"),
        (pd.DataFrame([["x", "y"]], columns=["a", "a"]), {"dims": "a"}, "table(): two columns are called 'a'"),
        (pd.DataFrame({"a": ["x", "y"], "up": ["u", None]}), {"dims": "a", "hierarchies": {"a": "up"}},
         "table(): row 2 has no label in column 'up'"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_words(given, said, words):
    with pytest.raises(fw.InputError) as refused:
        fw.table(given, **said)
    assert words in str(refused.value)
