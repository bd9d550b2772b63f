"""Data by recipes of our own: the same everywhere, shaped as they say, ready to be published and audited."""

from __future__ import annotations

import hashlib
import re
from itertools import pairwise

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.base.errors import InputError
from fiberwalk.release.tables.hierarchies import levels_from

NESTED = {
    "age": ["age_phase", "age_band"],
    "marital": ["marital_group"],
    "household": ["household_kind", "household_form"],
    "family": ["family_role", "family_form"],
}


@pytest.fixture(scope="module")
def firms():
    return fw.examples.enterprises()


@pytest.fixture(scope="module")
def town():
    return fw.examples.nested_hypercube()


# --- the economy ------------------------------------------------------------------------------------------------------


def test_a_seed_gives_these_enterprises_on_every_machine(firms):
    """All of it is whole numbers and words, made by integer arithmetic."""
    text = firms.to_csv(index=False, lineterminator="\n")
    assert (
        hashlib.sha256(text.encode()).hexdigest() == "ba76f26b56558ed2c8c8fbe914f7c341be8dfdb9c901ff604740b7a04b6bd702"
    )
    assert text.splitlines()[4] == "E0004,E0004,software,small,sole owner,lakes,1,281,9"
    assert firms.equals(fw.examples.enterprises(seed=1))
    assert not firms.equals(fw.examples.enterprises(seed=2))
    assert len(fw.examples.enterprises(number=50)) == 50


@pytest.mark.parametrize(("made", "called"), [("enterprises", "number"), ("nested_hypercube", "people")])
@pytest.mark.parametrize("number", [0, -3, 2.5, True, "many"])
def test_numbers_that_cannot_be_are_refused(made, called, number):
    said = "^" + re.escape(f"{called}={number!r}: a whole number of at least 1.")
    with pytest.raises(fw.InputError, match=said):
        getattr(fw.examples, made)(**{called: number})
    with pytest.raises(fw.InputError, match="seed=-1: a whole number of at least 0"):
        getattr(fw.examples, made)(seed=-1)


def test_an_economy_of_a_single_enterprise_can_be_drawn():
    one = fw.examples.enterprises(number=1)
    assert one["holding"].tolist() == one["enterprise"].tolist() == ["E1"]


def test_few_enterprises_have_much_of_the_turnover(firms):
    largest = np.sort(firms["turnover"].to_numpy())[::-1]
    assert largest[:40].sum() > 0.4 * largest.sum()
    assert largest[0] < 0.25 * largest.sum()
    assert largest.min() > 0
    # Zipf: twice as large, half as many
    at_least = [int((firms["employees"] >= size).sum()) for size in (20, 40, 80, 160)]
    assert all(1.5 < more / fewer < 2.7 for more, fewer in pairwise(at_least)), at_least
    assert firms["size"].value_counts().loc[["small", "medium", "large"]].is_monotonic_decreasing


def test_some_lose_money(firms):
    assert 0.1 < (firms["profit"] < 0).mean() < 0.25
    assert (firms["profit"].abs() < firms["turnover"]).all()


def test_holdings_own_several_enterprises_and_others_are_their_own(firms):
    owned = firms[firms["holding"] != firms["enterprise"]]
    number = owned.groupby("holding").size()
    assert len(number) == 28
    assert number.min() >= 2
    assert owned["employees"].min() >= 20
    assert owned.groupby("holding")["activity"].nunique().max() > 5
    assert not set(number.index) & set(firms["enterprise"])


def test_there_is_fishing_by_the_water_only(firms):
    assert set(firms.loc[firms["activity"] == "fishing", "region"]) == {"coast", "lakes"}
    assert firms["region"].nunique() == 6
    assert not ((firms["size"] == "large") & (firms["legal_form"] == "sole owner")).any()


def test_the_hierarchy_is_ragged():
    """Three levels, labels beside groups, some in no group at all, and a group of one."""
    tree = fw.examples.activities()
    labels = sorted(fw.examples.enterprises()["activity"].unique())
    above = {child: parent for parent, children in tree.items() for child in children}

    def depth(label):
        return 1 + depth(above[label]) if label in above else 1

    assert {depth(label) for label in labels} == {1, 2, 3}
    assert [parent for parent, children in tree.items() if len(children) == 1] == ["tobacco"]
    beside = {
        parent for parent, children in tree.items() if 0 < sum(child in tree for child in children) < len(children)
    }
    assert beside == {"making", "trade", "services"}
    assert {label for label in labels if label not in above} == {"fishing", "building"}
    assert set(labels) == {child for child in above if child not in tree} | {"fishing", "building"}


def test_the_hierarchy_file_says_the_same(firms, tmp_path):
    labels = sorted(firms["activity"].unique())
    (tmp_path / "activities.hrc").write_text(fw.examples.activities_hrc())
    read = levels_from("activity", labels, tmp_path / "activities.hrc")
    assert read == levels_from("activity", labels, fw.examples.activities())
    assert [level.name for level in read] == ["activity:1", "activity:2"]
    listed = [line.lstrip("@") for line in fw.examples.activities_hrc().splitlines()]
    assert len(listed) == len(set(listed))
    assert set(labels) <= set(listed)  # tau-ARGUS wants every label in the file


def test_what_is_done_with_an_answer_does_not_change_the_next():
    fw.examples.activities()["food"].clear()
    assert fw.examples.activities()["food"] == ["bread", "dairy", "meat", "drinks"]


def test_turnover_is_published_with_its_hierarchy_and_audited(firms):
    """Every subtotal is the sum of what is below it; an activity beside groups is no group that is published as its own
    subtotal, but follows where all groups beside it are published."""
    cells = firms.groupby(["activity", "size"])["turnover"].sum().unstack(fill_value=0)
    hidden = (cells > 0) & (cells < 30_000)
    release = fw.suppress(fw.table(cells, hierarchies={"activity": fw.examples.activities()}), where=hidden)
    shown, totals = release.crosstab(), release.crosstab().loc[:, "All"]
    assert totals["trade"] == cells.loc[["shops", "wholesale", "markets", "repair"]].to_numpy().sum()
    assert shown.loc["tobacco"].tolist() == shown.loc["cigars"].tolist()
    assert shown.loc["fishing", ["small", "medium"]].isna().all()

    audit = fw.audit(release)
    true = cells.stack()[audit.cells.index]
    assert len(audit.cells) == int(hidden.to_numpy().sum())
    assert audit.cells["truth"].tolist() == true.tolist()
    assert ((audit.cells["lower"] <= true) & (true <= audit.cells["upper"])).all()
    known = audit.cells["lower"] == audit.cells["upper"]
    assert known.loc["fishing"].all()
    assert not known.loc["clothing"].any()


# --- the census of a town ---------------------------------------------------------------------------------------------


def test_a_seed_gives_these_people_on_every_machine(town):
    counts = np.ascontiguousarray(town.values, dtype="<i8")
    assert (
        hashlib.sha256(counts.tobytes()).hexdigest()
        == "86732a3711bf9acb3643d858867089cc413b34b4ef603ae91eab611707cb9348"
    )
    assert (town == fw.examples.nested_hypercube(seed=1)).all()
    assert (town != fw.examples.nested_hypercube(seed=2)).any()
    assert int(fw.examples.nested_hypercube(people=70).sum()) == 70


def test_the_town_has_the_shape_of_a_census(town):
    assert town.dims == ("sex", "age", "marital", "household", "family")
    assert town.shape == (2, 101, 5, 5, 7)
    assert int(town.sum()) == 10_000
    assert 1000 < int((town > 0).sum()) < 2000
    assert {dim: [len(np.unique(town[level])) for level in levels] for dim, levels in NESTED.items()} == {
        "age": [5, 21], "marital": [3], "household": [2, 3], "family": [4, 6],
    }  # fmt: skip


def test_every_level_lies_within_the_one_above(town):
    for dim, levels in NESTED.items():
        for coarse, fine in zip(levels, [*levels[1:], dim], strict=True):
            above = {}
            for upper, lower in zip(town[coarse].values, town[fine].values, strict=True):
                assert above.setdefault(lower, upper) == upper


def test_what_cannot_be_does_not_occur(town):
    assert not town.sel(marital="married", age=[str(year) for year in range(15)]).any()
    assert not town.sel(household="alone").drop_sel(family="in no family").any()
    assert not town.sel(household="in a family", family="in no family").any()
    assert not town.sel(family="spouse").drop_sel(marital="married").any()


def test_the_town_is_published_at_its_levels(town):
    by_age = town.sum(["sex", "family"])
    levels = {dim: NESTED[dim] for dim in ("age", "marital", "household")}
    release = fw.publish(
        fw.table(by_age, hierarchies=levels), ["age_phase,marital_group,household_kind", "age_band,marital"]
    )
    bounds = fw.bounds(release)
    true = by_age.to_series()[bounds.index]
    assert ((bounds["lower"] <= true) & (true <= bounds["upper"])).all()
    assert bounds["upper"].loc[("0", "married", "alone")] == 0


# --- the people of a town ----------------------------------------------------------------------------------------------


def test_a_seed_gives_these_residents_on_every_machine():
    people = fw.examples.town(5, seed=1)
    text = people.to_csv(index=False, lineterminator="\n")
    assert len(people) == 389
    assert hashlib.sha256(text.encode()).hexdigest() == (
        "04b472a13dd4ba7acd9f92791b677ce5f8b96b36ecf7fb622c777ee6cecf662c"
    )
    assert not people.equals(fw.examples.town(5, seed=2))


def test_every_table_of_the_town_counts_its_people():
    people = fw.examples.town(2, seed=3)
    release = fw.examples.town_release(people)
    assert len(release.tables) == 11
    assert fw.reconstruct(release).people == (len(people), len(people))
    with pytest.raises(InputError, match="there is no table 'rase' of the town"):
        fw.examples.town_release(people, without=["rase"])
