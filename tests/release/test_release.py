"""What releases say: margins, outside knowledge, known rules, linked tables, and facts that cannot be."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import fiberwalk as fw

TABLE = xr.DataArray(
    [[1, 5, 4], [7, 2, 6], [3, 8, 9]], dims=["row", "col"], coords={"row": ["a", "b", "c"], "col": ["x", "y", "z"]}
)
SQUARE = [{"row": r, "col": c} for r in "ab" for c in "xy"]


def test_a_margin_may_be_named_in_several_ways():
    for margins in (["row", "col"], [("row",), ("col",)], ["col", "row", "row"], ["row", "col", ""]):
        assert fw.count(fw.publish(TABLE, margins)) == fw.count(fw.publish(TABLE, ["row", "col"]))
    assert len(fw.publish(TABLE, ["row,col"]).hidden) == 0
    assert fw.bounds(fw.publish(TABLE, [""])).loc[("a", "x")].tolist() == [0, 45]


def test_margins_of_no_dim_are_refused():
    with pytest.raises(fw.InputError, match="margin 'row,colour' names 'colour', which is no dim of this table"):
        fw.publish(TABLE, ["row,colour"])
    with pytest.raises(fw.InputError, match="names dim 'row' twice"):
        fw.publish(TABLE, ["row,row"])
    with pytest.raises(fw.InputError, match=r"which is no dim of this table; did you mean 'col'\?"):
        fw.audit(fw.publish(TABLE, ["row"]), hidden_margins=["cl"])


def test_where_in_all_its_forms():
    mask = TABLE < 4
    forms = [
        mask,
        mask.values,
        mask.transpose("col", "row"),
        mask.isel(row=[2, 0, 1]),
        mask.to_pandas(),
        lambda table: table < 4,
        [{"row": "a", "col": "x"}, {"row": "b", "col": "y"}, {"row": "c", "col": "x"}],
    ]
    for where in forms:
        release = fw.suppress(TABLE, where=where)
        assert release.hidden.tolist() == [0, 4, 6]
    with pytest.raises(fw.InputError, match="where= must be true or false for every cell"):
        fw.suppress(TABLE, where=TABLE)
    with pytest.raises(fw.InputError, match="where= has the shape"):
        fw.suppress(TABLE, where=np.ones((2, 2), dtype=bool))
    with pytest.raises(fw.InputError, match="do not have the same labels on dim 'row'"):
        fw.suppress(TABLE, where=mask.assign_coords(row=["a", "b", "q"]))
    with pytest.raises(fw.InputError, match="no cell is withheld"):
        fw.suppress(TABLE, where=TABLE < 0)
    with pytest.raises(fw.InputError, match="needs where="):
        fw.suppress(TABLE)


def test_a_total_may_be_withheld_and_is_then_asked_about():
    one = fw.bounds(fw.suppress(TABLE, where=[*SQUARE, {"row": "a"}]))
    assert one.loc[("a", "Total")].tolist() == [10, 10]  # the other totals give it away
    two = fw.bounds(fw.suppress(TABLE, where=[*SQUARE, {"row": "a"}, {"row": "b"}]))
    assert two.loc[("a", "Total")].tolist() == [4, 19]
    assert ("a", "Total") not in fw.bounds(fw.suppress(TABLE, where=SQUARE)).index


def test_a_margin_of_one_cell_discloses_it_and_the_cell_is_still_listed():
    release = fw.suppress(TABLE.isel(col=[0]), where=[{"row": "a", "col": "x"}])
    cells = fw.audit(release).cells
    assert np.isinf(cells.loc[("a", "x"), "risk"])


def test_a_release_cannot_be_changed_in_place():
    release = fw.suppress(TABLE, where=SQUARE)
    with pytest.raises(ValueError, match="read-only"):
        release.lower[0] = 3
    with pytest.raises(AttributeError):
        release.truth = None


def test_a_release_can_be_pickled_with_its_evidence():
    import pickle
    from dataclasses import replace

    item = fw.protect.Evidence(np.array([0]), np.array([1]), 0, np.log([0.2, 0.8]), "a coin")
    release = replace(fw.suppress(TABLE, where=SQUARE), evidence=(item,))
    back = pickle.loads(pickle.dumps(release))
    assert fw.audit(back).cells.equals(fw.audit(release).cells)
    assert back.evidence[0].words == "a coin"


def test_what_is_published_is_not_changed_by_what_comes_after():
    release = fw.suppress(TABLE, where=SQUARE)
    before = release.lower.copy(), len(release.sums), release.notes
    release.knows({"row": "a", "col": "x"}, at_least=1)
    assert np.array_equal(release.lower, before[0])
    assert (len(release.sums), release.notes) == before[1:]


# --- outside knowledge ---------------------------------------------------------------------------------------------


def test_knowledge_of_cells_and_sums():
    release = fw.suppress(TABLE, where=SQUARE)
    assert fw.bounds(release).loc[("a", "x")].tolist() == [0, 6]
    assert fw.bounds(release.knows(SQUARE[0], at_least=1)).loc[("b", "y")].tolist() == [2, 7]
    assert fw.bounds(release.knows(SQUARE[0], at_most=2)).loc[("a", "x")].tolist() == [0, 2]
    assert fw.bounds(release.knows(SQUARE[0], exactly=1)).loc[("b", "y")].tolist() == [2, 2]
    only_total = fw.publish(TABLE, [""]).knows({"row": "a"}, at_most=12)
    assert fw.bounds(only_total).loc[("a", "x")].tolist() == [0, 12]


def test_an_insider_sees_the_others_part_even_of_a_published_cell():
    release = fw.suppress(TABLE, where=SQUARE).knows({"row": "c", "col": "z"}, own=4)
    row = fw.audit(release).cells.loc[("c", "z")]
    assert (row["lower"], row["upper"], row["truth"]) == (5, 5, 5)
    twice = release.knows({"row": "c", "col": "z"}, own=3)
    assert fw.bounds(twice).loc[("c", "z")].tolist() == [2, 2]


@pytest.mark.parametrize(
    ("cell", "known", "words"),
    [
        ({"row": "a", "col": "x"}, {}, "needs at_least=, at_most=, exactly= or own="),
        ({"row": "q", "col": "x"}, {"at_least": 1}, "dim 'row' has no label 'q'"),
        ({"rwo": "a"}, {"at_least": 1}, "names the dim 'rwo'; did you mean 'row'"),
        ({"row": "a", "col": "x"}, {"at_least": -1}, "cells cannot be negative"),
        ({"row": "a", "col": "x"}, {"at_least": 0.5}, "0.5 is not a whole number"),
        ({"row": "a", "col": "x"}, {"at_least": 3, "at_most": 2}, "at least 3 and at most 2 cannot both be"),
        ({"row": "a", "col": "x"}, {"at_least": 3}, "but in the true table it is not"),
        ({"row": "a"}, {"own": 1}, "own= is about one cell, but row=a, col=Total is a sum of several"),
        (["a", "x"], {"own": 1}, "a cell is given as a dict"),
    ],
)
def test_knowledge_that_cannot_be(cell, known, words):
    with pytest.raises(fw.InputError, match=words):
        fw.suppress(TABLE, where=SQUARE).knows(cell, **known)


# --- known rules ---------------------------------------------------------------------------------------------------

SECONDARY = [{"row": "a", "col": "y"}, {"row": "b", "col": "x"}]


def test_a_rule_known_with_flags_bounds_the_primary_cells():
    flagged = fw.suppress(TABLE, where=SECONDARY, rule="< 3", rule_known=True, flags=True)
    bounds = fw.bounds(flagged)
    # x and x + 1 both lie in 1..2: the rule gives the whole square away
    assert bounds.to_numpy().tolist() == [[1, 1], [5, 5], [7, 7], [2, 2]]
    assert fw.bounds(fw.suppress(TABLE, where=SECONDARY, rule="< 3")).loc[("a", "x")].tolist() == [0, 6]
    assert not fw.audit(flagged).readings


def test_a_rule_known_without_flags_gives_both_readings():
    release = fw.suppress(TABLE, where=SECONDARY, rule="<= 2", rule_known=True)
    audit = fw.audit(release)
    assert audit.cells["lower"].min() >= 1  # zeros are published, so no hidden cell is zero
    (name,) = audit.readings
    assert "which hidden cells" in name
    assert np.isinf(audit.readings[name].cells["risk"]).all()
    assert audit.cells.loc[("a", "x"), ["lower", "upper"]].tolist() == [1, 5]
    assert not fw.audit(fw.suppress(TABLE, where=SECONDARY, rule="<= 2")).readings


def test_a_rule_never_excludes_the_truth():
    table = np.array([[0, 1, 2], [3, 0, 4], [1, 5, 0]])
    for where, zeros_hidden in ((table == 3, False), (table == 4, True)):
        for flags in (False, True):
            release = fw.suppress(
                table, where=where, rule="< 3", rule_known=True, flags=flags, zeros_hidden=zeros_hidden
            )
            for audit in (fw.audit(release), *fw.audit(release).readings.values()):
                assert (audit.cells["lower"] <= audit.cells["truth"]).all()
                assert (audit.cells["p_truth"] > 0).all()


def test_a_hidden_zero_that_no_rule_hid_is_refused():
    table = [[0, 1, 4], [7, 2, 6], [3, 8, 9]]
    with pytest.raises(
        fw.InputError,
        match="rule '< 3' does not agree with the true value of cell A=1, B=1: .* or publish zeros, or say",
    ):
        fw.suppress(table, rule="< 3", where=[{"A": "1", "B": "1"}], rule_known=True)


def test_what_an_outsider_learns_of_a_rule_does_not_depend_on_the_truth():
    for flags in (False, True):
        release = fw.suppress(TABLE, rule="< 3", where=SECONDARY, rule_known=True, flags=flags)
        assert fw.bounds(release).equals(fw.bounds(release.without_truth()))
        name = "the rule hid every hidden cell"
        assert list(release.without_truth().readings) == ([] if flags else [name])
    blind = fw.suppress(TABLE, rule="< 3", where=SECONDARY).without_truth()
    with pytest.raises(fw.InputError, match="this release flags none"):
        blind.knows_rule("< 3", flags=True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rule": "about 3"}, "rule 'about 3' is not understood; write it like '< 3'"),
        ({"rule": "< 1"}, "rule '< 1' hides no cell"),
        ({"rule_known": True, "where": SECONDARY}, "go with rule="),
        ({"rule": "< 3", "flags": True}, "give rule_known=True"),
    ],
)
def test_bad_rules(arguments, words):
    with pytest.raises(fw.InputError, match=words):
        fw.suppress(TABLE, **arguments)


def test_knowing_a_rule_needs_flags_to_be_seen():
    with pytest.raises(fw.InputError, match="needs cells that are flagged as primary"):
        fw.suppress(TABLE, where=SQUARE).knows_rule("< 3")


# --- linked --------------------------------------------------------------------------------------------------------

CUBE = xr.DataArray(
    [[[2, 3], [4, 1]], [[5, 1], [0, 6]]],
    dims=["act", "size", "reg"],
    coords={"act": ["p", "q"], "size": ["s", "t"], "reg": ["n", "o"]},
)


def test_linked_tables_disclose_cells_that_each_hides_well():
    # The same people by act and size (one size hidden, and the totals by act), and by act alone.
    by_size = pd.DataFrame([[5, 5], [1, 6]], index=["p", "q"], columns=["s", "t"]).rename_axis(
        index="act", columns="size"
    )
    by_reg = pd.DataFrame([[6, 4], [5, 2]], index=["p", "q"], columns=["n", "o"]).rename_axis(
        index="act", columns="reg"
    )
    first = fw.suppress(by_size, where=[{"act": a, "size": "s"} for a in "pq"], margins=["size", ""])
    second = fw.publish(by_reg, ["act"])
    assert fw.bounds(first)["lower"].tolist() == [0, 0]
    assert fw.bounds(first)["upper"].tolist() == [6, 6]
    assert (fw.bounds(second)["lower"] == 0).all()
    together = fw.audit(fw.linked([first, second])).cells
    assert together.loc[("p", "s", "Total"), "support"] == 1
    assert together.loc[("p", "s", "Total"), "lower"] == 5
    assert np.isinf(together.loc[("q", "s", "Total"), "risk"])


def test_a_cell_that_one_table_hides_and_another_publishes_is_listed_as_known():
    hidden = fw.suppress(TABLE, where=SQUARE)
    shown = fw.publish(TABLE, ["row,col"])
    cells = fw.audit(fw.linked([hidden, shown])).cells
    assert len(cells) == 4
    assert np.isinf(cells["risk"]).all()


def test_linked_at_different_levels_of_a_hierarchy():
    towns = pd.Series([4, 2, 3, 1], index=pd.Index(list("abcd"), name="town"))
    regions = pd.DataFrame([[5, 1], [2, 2]], index=["North", "South"], columns=["f", "m"]).rename_axis(
        index="town", columns="sex"
    )
    fine = fw.suppress(
        fw.table(towns, hierarchies={"town": {"North": ["a", "b"], "South": ["c", "d"]}}),
        where=[{"town": "a"}, {"town": "b"}],
        margins=[""],
    )
    coarse = fw.suppress(regions, where=[{"town": "North", "sex": "f"}], margins=["sex"])
    both = fw.linked([fine, coarse])
    assert fw.bounds(both).loc[("a", "Total")].tolist() == [0, 6]
    assert fw.bounds(both).loc[("North", "f")].tolist() == [5, 5]


def test_linked_with_full_speaks_of_the_crossed_cells():
    whole = fw.linked([fw.publish(CUBE, ["act,size"]), fw.publish(CUBE, ["act,reg"])])
    # both releases are about the same crossed cells already
    assert fw.count(whole) == fw.count(fw.publish(CUBE, ["act,size", "act,reg"]))
    apart = [fw.publish(CUBE.sum("reg"), ["act,size"]), fw.publish(CUBE.sum("size"), ["act,reg"])]
    crossed = fw.linked(apart, full=True)
    assert len(crossed.hidden) == 8
    assert fw.count(crossed) == fw.count(whole)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: fw.linked([]), "needs a list of releases"),
        (lambda: fw.linked([TABLE]), "needs a list of releases"),
        (
            lambda: fw.linked([fw.publish([1, 2], [""]), fw.publish(fw.table([1.5, 2.5], decimals=1), [""])]),
            "same number of decimals",
        ),
        (
            lambda: fw.linked([fw.publish(TABLE, ["row"]), fw.publish(TABLE.isel(row=[0, 1]), ["col"])]),
            "one table has no 'c' on dim 'row'",
        ),
        (
            lambda: fw.linked(
                [fw.publish(TABLE, ["row"]), fw.publish(TABLE.assign_coords(row=["a", "b", "d"]), ["row"])]
            ),
            "dim 'row' has the label 'd' in one table and not in another",
        ),
        (
            lambda: fw.linked([fw.publish(TABLE, ["row"]), fw.publish(TABLE + 1, ["row"])]),
            "the tables disagree on cell",
        ),
        (
            lambda: fw.linked(
                [fw.publish(TABLE.sum("col"), ["row"]), fw.publish(TABLE.rename(col="other") + 1, ["other"])]
            ),
            "have a total in common but differ on it by 3: row=a",
        ),
    ],
)
def test_releases_that_cannot_be_linked(build, words):
    with pytest.raises(fw.InputError, match=words):
        build()


# --- what cannot be ------------------------------------------------------------------------------------------------


def test_an_unbounded_cell_is_named():
    with pytest.raises(fw.InputError, match=r"cell row=a, col=x has no upper limit \(nor have 3 others\)"):
        fw.bounds(fw.suppress(TABLE, where=SQUARE, margins=[]))


def outsider(corner: float) -> fw.Release:
    frame = pd.DataFrame(
        [[np.nan, np.nan, 3, 10], [np.nan, np.nan, 4, 11], [1, 2, 3, 6], [9, 8, 10, corner]],
        index=["a", "b", "c", "All"],
        columns=["x", "y", "z", "All"],
    )
    return fw.from_crosstab(frame)


def test_a_contradiction_names_a_small_set_of_facts_that_clash():
    assert fw.count(outsider(27)) > 0
    with pytest.raises(fw.Contradiction) as refusal:
        fw.count(outsider(28))
    assert "contradict each other" in str(refusal.value)
    facts = refusal.value.facts
    assert any("the grand total is 28" in fact for fact in facts)
    # minimal: three totals of rows (or columns) against the grand total
    assert len(facts) == 4


def test_a_contradiction_by_the_sign_of_counts():
    frame = pd.DataFrame(
        [[np.nan, np.nan, 2], [5, 1, 6], [3, 5, 8]], index=["a", "b", "All"], columns=["x", "y", "All"]
    )
    with pytest.raises(fw.Contradiction, match="A=Total, B=x is 3; A=b, B=x is 5") as refusal:
        fw.bounds(fw.from_crosstab(frame))
    assert len(refusal.value.facts) == 2  # the cell of 5 in a column that sums to 3


def test_a_contradiction_that_only_whole_numbers_show():
    """Three pairs of cells that sum to 1 each in a triangle: halves would do, whole numbers do not."""
    one = np.ones(3, dtype=np.int64)
    triangle = fw.publish([0, 0, 0], []).without_truth()
    triangle = triangle.with_facts(
        np.full((3, 1), -1), np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]]), one, one, words=["left", "right", "base"]
    )
    with pytest.raises(fw.Contradiction, match="left is 1; right is 1; base is 1") as refusal:
        fw.bounds(triangle)
    assert len(refusal.value.facts) == 3


def test_the_facts_of_a_known_truth_are_checked_at_once():
    with pytest.raises(fw.Contradiction, match="would have to be at least 9 and at most 5"):
        outsider(27).knows({"A": "a", "B": "x"}, at_most=5).knows({"A": "a", "B": "x"}, at_least=9)


def test_things_that_are_not_releases():
    for function in (fw.bounds, fw.count, fw.audit):
        with pytest.raises(fw.InputError, match="this needs a release .* it was given a DataArray"):
            function(TABLE)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fw.round_to(TABLE, base=0), "the base must be positive"),
        (lambda: fw.round_to(TABLE, base=2.5), "2.5 is not a whole number"),
        (lambda: fw.round_to(TABLE, base=3, rounding="up"), "the rule is 'nearest' or 'within'"),
        (lambda: fw.merge(TABLE, {"raw": {"ab": ["a", "b"]}}), "names the dim 'raw'; did you mean 'row'"),
        (lambda: fw.merge(TABLE, {"row": {"ab": ["a", "q"]}}), "dim 'row' has no label 'q'"),
        (lambda: fw.merge(TABLE, {"row": {"ab": ["a", "b"], "bc": ["b", "c"]}}), "'b' of dim 'row' is in two groups"),
        (lambda: fw.merge(TABLE, {"row": {"ab": "ab"}}), "must be a list of labels"),
        (lambda: fw.protect.sensitivity.dominance([1, -2], 1, 50), "must be numbers of at least 0"),
        (lambda: fw.protect.sensitivity.dominance([1, 2], 0, 50), "n is at least 1"),
        (lambda: fw.protect.sensitivity.prior_posterior([1, 2], 20, 10), "0 < p <= q <= 100"),
    ],
)
def test_bad_protection(call, words):
    with pytest.raises(fw.InputError, match=words):
        call()


def test_sensitivity_rules_at_their_edges():
    rules = fw.protect.sensitivity
    assert rules.threshold([3, 2], fewer_than=3)
    assert not rules.threshold([3, 2, 1], fewer_than=3)
    assert not rules.threshold([], fewer_than=3)
    assert rules.dominance([8, 1, 1], n=2, k=85)
    assert not rules.dominance([8, 1, 1], n=2, k=90)  # exactly 90 percent is not more
    assert rules.prior_posterior([100, 10, 8], p=5, q=50)
    assert not rules.prior_posterior([100, 10, 5], p=5, q=100)  # exactly p percent is not within
    assert not rules.threshold([3, 2, 0, 1], fewer_than=3)
    assert rules.threshold([3, 2, 0], fewer_than=3)  # who contributes nothing is no respondent
    assert not rules.prior_posterior([100, 10, 8], p=5, q=100)
    assert not rules.p_percent([], p=5)


def test_withholding_a_total_takes_back_only_that_total():
    cube = np.array([[[1], [2]], [[3], [4]]])
    cells = [{"A": a, "B": b, "C": "1"} for a in "12" for b in "12"]
    release = fw.suppress(cube, where=[*cells, {"A": "1"}, {"A": "2"}], margins=["A", "A,C", ""])
    assert fw.bounds(release).loc[("1", "1", "1")].tolist() == [0, 3]  # A x C is still published
    only_total = fw.suppress(
        fw.table([1, 2, 5], hierarchies={"A": {"all": ["1", "2", "3"]}}),
        where=[{"A": k} for k in ("1", "2", "3", "all")],
    )
    assert fw.bounds(only_total).loc[("1",)].tolist() == [0, 8]


def test_a_total_of_one_cell_can_be_withheld_with_it():
    release = fw.suppress([[1], [5], [6]], where=[{"A": "1", "B": "1"}, {"A": "2", "B": "1"}, {"A": "1"}, {"A": "2"}])
    assert fw.bounds(release).loc[("1", "1")].tolist() == [0, 6]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fw.publish(TABLE, 5), "margins= is a list of margins"),
        (lambda: fw.publish(TABLE, [5]), "a margin is a text such as 'I,J'"),
        (lambda: fw.publish(TABLE, None), "needs margins="),
        (lambda: fw.bounds(fw.publish(TABLE, [""]), hidden_margins=[None]), "a margin is a text"),
        (lambda: fw.merge(TABLE, {"row": ["a", "b"]}), "merge\\(\\) needs {dim: {merged label"),
        (lambda: fw.merge(TABLE, "row"), "merge\\(\\) needs"),
        (lambda: fw.linked(fw.publish(TABLE, [""])), "needs a list of releases"),
        (lambda: fw.publish(TABLE, [""]).knows({"row": "a"}, at_least=10**400), "too large"),
        (lambda: fw.suppress(TABLE, where=[[True], [True, False]]), "different lengths"),
        (lambda: fw.round_to(TABLE, 2**61), "too large"),
    ],
)
def test_plainly_wrong_arguments(call, words):
    with pytest.raises(fw.InputError, match=words):
        call()


def test_no_margins_asked_is_none():
    assert len(fw.bounds(fw.publish(TABLE, [""]), hidden_margins=None)) == 9
