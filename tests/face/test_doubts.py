"""Hard cases: answers that are easily wrong, or look surer than they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import fiberwalk as fw


def table(values, dims, labels):
    return xr.DataArray(np.array(values), dims=list(dims), coords=dict(zip(dims, labels, strict=True)))


GRID = table([[4, 5, 6], [3, 2, 9], [7, 1, 8]], "AB", ["abc", "xyz"])
GRID = GRID.assign_coords(A=list("abc"), B=list("xyz"))
HIDDEN = [{"A": a, "B": b} for a in "ab" for b in "xy"]


def test_a_group_that_is_everything_and_the_total_are_two_figures():
    release = fw.suppress(
        fw.table(GRID, hierarchies={"A": {"G": ["a", "b", "c"]}}),
        where=[*HIDDEN, {"A": "G", "B": "x"}, {"A": "G", "B": "y"}],
    )
    assert fw.bounds(release).loc[("a", "x")].tolist() == [2, 7]  # the totals are still published


def test_a_group_of_one_category_can_be_withheld_with_it():
    release = fw.suppress(
        fw.table(GRID, hierarchies={"A": {"G1": ["a"], "G2": ["b", "c"]}}),
        where=HIDDEN + [{"A": g, "B": b} for g in ("G1", "G2") for b in "xy"],
    )
    assert fw.bounds(release).loc[("a", "x")].tolist() == [2, 7]


def test_a_known_rule_is_not_applied_to_cells_that_were_never_shown():
    whole = table([[[1, 0], [3, 2]], [[4, 3], [1, 1]]], "ABC", [["1", "2"], ["x", "y"], ["p", "q"]])
    one = fw.suppress(whole.sum("C"), rule="< 3", where=np.ones((2, 2), bool))
    both = fw.linked([one, fw.publish(whole.sum("B"), ["A", "C"])]).knows_rule("< 3").without_truth()
    bounds = fw.bounds(both)
    truth = {("1", "Total", "p"): 4, ("1", "Total", "q"): 2, ("2", "Total", "p"): 5, ("2", "Total", "q"): 4}
    for labels, value in truth.items():
        assert bounds.loc[labels, "lower"] <= value <= bounds.loc[labels, "upper"]


def test_a_status_that_the_truth_denies_is_refused():
    release = fw.suppress([[1, 5], [7, 2]], rule="< 3", where=np.ones((2, 2), bool))
    assert fw.bounds(release.knows_rule("< 3")).loc[("1", "1"), "upper"] <= 2
    with pytest.raises(fw.InputError, match="rule '< 2' does not agree with the true value of cell A=2, B=2"):
        release.knows_rule("< 2")


def test_linked_tables_keep_what_each_withheld():
    square = table([[1, 5], [7, 2]], "AB", [["1", "2"], ["x", "y"]])
    release = fw.suppress(square, rule="< 3", where=np.ones((2, 2), bool), rule_known=True)
    assert fw.linked([release, release]).status.tolist() == release.status.tolist() == [1, 2, 2, 1]
    assert fw.linked([release, release]).readings
    thrice = fw.linked([release, release, fw.publish(square, ["A,B"])])
    assert np.isinf(fw.audit(thrice).cells["risk"]).all()
    assert len(fw.audit(thrice).cells) == 4


def test_a_withheld_total_that_another_release_gives_away_is_listed():
    square = table([[4, 5], [3, 2]], "AB", [["a", "b"], ["x", "y"]])
    release = fw.suppress(square, where=[{"A": "a", "B": "x"}, {"A": "a", "B": "y"}, {"A": "a"}], margins=["A"])
    other = fw.publish(table([9, 5], "A", [["a", "b"]]), ["A"])
    row = fw.audit(fw.linked([release, other])).cells.loc[("a", "Total")]
    assert (row["lower"], row["risk"]) == (9, np.inf)


def test_published_margins_of_a_dim_with_one_category_are_not_asked_again():
    flat = table([[4, 5, 6]], "AB", [["1"], list("xyz")])
    release = fw.publish(flat, ["B"])
    assert ("Total", "x") not in fw.audit(release, hidden_margins=["B"]).cells.index
    assert fw.bounds(release.knows({"B": "x"}, own=1)).loc[("1", "x")].tolist() == [3, 3]


def test_linking_does_not_depend_on_the_order():
    groups = {"A": {"G": ["a"], "H": ["b"]}}
    fine = fw.publish(fw.table(table([3, 5], "A", [["a", "b"]]), hierarchies=groups), [""])
    coarse = fw.publish(table([3, 5], "A", [["G", "H"]]), ["A"])
    assert fw.count(fw.linked([fine, coarse])) == fw.count(fw.linked([coarse, fine])) == 1


def test_weights_are_refused_on_tables_side_by_side():
    fine = fw.publish(
        fw.table(table([1, 2, 3, 2], "A", [list("abcd")]), hierarchies={"A": {"G1": ["a", "b"], "G2": ["c", "d"]}}),
        [""],
    )
    coarse = fw.publish(table([3, 5], "A", [["G1", "G2"]]), [""])
    both = fw.linked([fine, coarse])
    with pytest.raises(fw.InputError, match="weighs the cells of one table, and these are 2 linked ones.*full=True"):
        fw.audit(both, law="hypergeometric")
    # as margins of one table it is the same as the finer release alone
    crossed = fw.linked([fine, coarse], full=True)
    alone, together = (fw.audit(r, law="hypergeometric").pmf(A="a") for r in (fine, crossed))
    assert together.to_numpy() == pytest.approx(alone.to_numpy())


@pytest.mark.parametrize(("cell", "total", "tolerance"), [(3, 2, 2), (9, 2, 8)])
def test_a_fit_to_figures_that_disagree_keeps_every_table_possible(cell, total, tolerance):
    frame = pd.DataFrame([[cell, None, total]] * 2, index=["r", "All"], columns=["x", "y", "All"])
    release = fw.from_crosstab(frame, slack=tolerance)
    pmf = fw.audit(release, law="hypergeometric").pmf(A="r", B="y")
    assert pmf.index.tolist() == fw.audit(release).pmf(A="r", B="y").index.tolist()
    assert pmf.min() > 1e-3


def test_a_law_without_a_figure_to_go_by_says_so():
    release = fw.suppress([[30, 5]], where=[{"A": "1", "B": "1"}], margins=[])
    release = release.knows({"A": "1", "B": "1"}, at_least=20, at_most=40)
    with pytest.warns(UserWarning, match="no published figure settles the expected count of 1 cells, first A=1, B=1"):
        fw.audit(release, law="hypergeometric")


def test_optima_that_the_solver_cannot_be_trusted_with_are_refused(tmp_path):
    """HiGHS gives 2661595 as the least value of cell 0; it is 2661594."""
    path = tmp_path / "hard.jj"
    path.write_text(
        "0\n6\n0 2819648 1 m 695 6719973 0 0 0\n1 18794900 1 m 5 55916277 0 0 0\n"
        "2 20099893 1 m 19852725 20414858 0 0 0\n3 422 1 m 61 570 0 0 0\n4 707 1 m 1 1043 0 0 0\n"
        "5 3451454 1 m 3451435 3451501 0 0 0\n2\n-59835447 3 : 1 (-3) 4 (1) 5 (-1)\n"
        "41084756 5 : 0 (2) 1 (1) 2 (1) 4 (3) 5 (-1)\n"
    )
    with pytest.raises(fw.NumericalDoubt, match="bounds cannot be proven.*a coarser unit"):
        fw.bounds(fw.read_release(path))


def test_large_plain_tables_have_sharp_bounds():
    big = 10**13
    release = fw.publish([[3 * big + 1, big], [2 * big, 5 * big + 7]], ["A", "B"])
    assert fw.bounds(release).loc[("1", "1")].tolist() == [0, 4 * big + 1]


def test_protection_of_hidden_totals(tmp_path):
    path = tmp_path / "t.jj"
    path.write_text(
        "0\n4\n0 2 1 m 0 9 0 0 0\n1 3 1 m 0 9 0 0 0\n2 5 1 u 4 6 3 3 0\n3 9 1 u 0 20 0 0 15\n1\n0 3 : 2 (-1) 0 (1) 1 (1)\n"
    )
    protection = fw.audit(fw.read_release(path)).protection()
    assert protection.loc[("2",), ["wanted_lower", "wanted_upper", "protected"]].tolist() == [2, 8, False]
    assert protection.loc[("3",), "protected"]


def evidence(cell, first, weights):
    with np.errstate(divide="ignore"):
        return fw.protect.Evidence(np.array([cell]), np.array([1]), first, np.log(np.array(weights, dtype=float)))


def test_evidence_against_the_facts_is_a_contradiction():
    release = fw.suppress([[1, 5], [7, 2]], where=[{"A": "1", "B": "1"}], margins=[])
    release = release.knows({"A": "1", "B": "1"}, at_most=3).without_truth()
    with pytest.raises(fw.Contradiction, match="no table .* satisfies the release"):
        fw.bounds(replace(release, evidence=(evidence(0, 5, [1, 1]),)))


def test_a_decided_value_of_probability_zero_is_refused():
    release = fw.suppress([[1, 5], [7, 2]], where=[{"A": "1", "B": "1"}])
    with pytest.raises(fw.InputError, match="A=1, B=1 must be 1, which has probability zero"):
        fw.audit(release, law=fw.laws.expected([[0, 1], [1, 1]]))


def test_gaps_in_the_evidence_count_for_bounds_and_counts():
    release = replace(fw.publish([[3, 1], [2, 4]], ["A", "B"]), evidence=(evidence(0, 0, [0, 0, 1, 1, 0]),))
    assert fw.bounds(release).loc[("1", "1")].tolist() == [2, 3]
    assert fw.count(release) == fw.audit(release).tables == 2
    inside = replace(fw.publish([[3, 1], [2, 4]], ["A", "B"]), evidence=(evidence(0, 0, [0, 1, 0, 1, 1]),))
    assert fw.bounds(inside).loc[("1", "1")].tolist() == [1, 4]
    assert fw.count(inside) == fw.audit(inside).tables == 3
    with pytest.raises(fw.InputError, match="evidence names a cell that the release does not have"):
        fw.bounds(replace(release, evidence=(evidence(9, 0, [1]),)))
    with pytest.raises(fw.InputError, match="must leave at least one value possible"):
        fw.bounds(replace(release, evidence=(evidence(0, 0, [0, 0]),)))


def test_sums_that_integers_cannot_hold_are_refused():
    with pytest.raises(fw.InputError, match="too large to be added up exactly"):
        fw.publish(np.full((40, 40), 2**53), ["A", "B", ""])
    wide = fw.publish(np.ones(600, dtype=int), [])
    for i in range(600):
        wide = wide.knows({"A": str(i + 1)}, at_most=2**52)
    with pytest.raises(fw.InputError, match="too large to be added up exactly"):
        fw.bounds(wide.knows({}, at_most=2**53))


def test_a_margin_over_many_blocks_keeps_its_small_probabilities():
    """Two independent rows of 60: the sum is binomial(120, 1/2), to the last of its tails."""
    from scipy.stats import binom

    pmf = fw.audit(fw.publish([[30, 30]] * 2, ["A"]), law="hypergeometric", hidden_margins=["B"]).pmf(B="1")
    assert pmf.to_numpy() == pytest.approx(binom(120, 0.5).pmf(pmf.index.to_numpy()), rel=1e-9)
    assert 0 < pmf.loc[0] < 1e-36


def test_a_row_of_nothing_that_should_be_something_has_no_tables():
    from fiberwalk.fiber.exact.enumeration import enumerate_block

    assert enumerate_block(np.zeros((1, 2), int), np.array([1]), np.zeros(2, int), np.ones(2, int)).tables == 0


# --- laws and fits by hand -----------------------------------------------------------------------------------------


def test_evidence_on_a_sum_that_no_bound_needs_still_counts():
    """Two rows of 3 and 7; evidence proportional to the first column's sum plus 1."""
    item = fw.protect.Evidence(np.array([0, 2]), np.array([1, 1]), 0, np.log(np.arange(1, 12)))
    pmf = fw.audit(replace(fw.publish([[1, 2], [3, 4]], ["A"]), evidence=(item,))).pmf(A="1", B="1")
    assert pmf.to_numpy() == pytest.approx(np.array([4.5, 5.5, 6.5, 7.5]) / 24)


def test_evidence_that_excludes_the_truth_is_refused():
    item = fw.protect.Evidence(np.array([0]), np.array([1]), 3, np.zeros(2))
    with pytest.raises(fw.InputError, match="the table does not satisfy the facts of its own release"):
        fw.audit(replace(fw.publish([[1, 2], [3, 4]], ["A", "B"]), evidence=(item,)))


def test_own_parts_add_up_on_a_hidden_cell():
    release = fw.publish([[6, 4], [3, 5]], ["A", "B"])
    twice = release.knows({"A": "1", "B": "1"}, own=2).knows({"A": "1", "B": "1"}, own=3)
    assert fw.bounds(release).loc[("1", "1")].tolist() == [1, 9]
    assert fw.bounds(twice).loc[("1", "1")].tolist() == [0, 4]
    cells = fw.audit(twice).cells
    assert cells.loc[("1", "1"), "own"] == 5
    assert cells.loc[("1", "1"), "truth"] == 1


def test_a_row_space_is_checked_beyond_the_prime():
    from fiberwalk.fiber.equations.rowspace import PRIME, reduced

    assert reduced(np.array([[PRIME, 1]])) is None


def test_rounded_margins_are_raked_as_by_hand():
    from support.naive import tables as naive

    from fiberwalk.fiber.laws.fitting import fitted_means

    table = np.array([[40, 10, 7], [12, 33, 21]])
    release = fw.round_to(table, base=5, margins=["A", "B"])
    release = replace(release, value=np.full(6, np.iinfo(np.int64).min))  # only the margins have figures
    rows, columns = [55, 65], [50, 45, 30]
    assert sorted(release.sums.value.tolist()) == sorted(rows + columns)
    by_hand = np.array(naive.raked((2, 3), rows, columns))
    ratio = fitted_means(release).reshape(2, 3) / by_hand
    assert ratio == pytest.approx(ratio[0, 0] * np.ones((2, 3)), rel=1e-6)  # the totals differ, the pattern does not


def test_a_fit_that_takes_many_rounds_meets_every_margin():
    from fiberwalk.fiber.laws.fitting import fitted_means

    release = fw.publish([[[9, 2], [1, 7]], [[3, 8], [6, 1]]], ["A,B", "B,C", "A,C"])
    assert release.sums.matrix @ fitted_means(release) == pytest.approx(release.sums.value, rel=1e-8)


def test_rounded_cells_are_their_own_expected_counts():
    from fiberwalk.fiber.laws.fitting import fitted_means

    means = fitted_means(fw.round_to([[4, 9, 0]], base=3))
    assert means.tolist() == [3.0, 9.0, 0.5]  # 0 stands for 0..1
    law = fw.audit(fw.round_to([[9]], base=3, margins=[]), law="hypergeometric").pmf(A="1", B="1")
    weights = np.array([9**8 / 40320, 9**9 / 362880, 9**10 / 3628800])
    assert law.to_numpy() == pytest.approx(weights / weights.sum())


def test_what_known_cells_leave_of_a_rounded_total():
    from fiberwalk.fiber.laws.fitting import fitted_means

    frame = pd.DataFrame([[6, None, None, 20]] * 2, index=["r", "All"], columns=["x", "y", "z", "All"])
    means = fitted_means(fw.from_crosstab(frame, slack=1))
    assert means.tolist() == [6.0, 7.0, 7.0]
    zero = pd.DataFrame([[0, None, None, 20]] * 2, index=["r", "All"], columns=["x", "y", "z", "All"])
    assert fitted_means(fw.from_crosstab(zero, slack=1)).tolist() == [0.0, 10.0, 10.0]


def test_expected_counts_of_magnitudes_are_in_their_own_units():
    release = fw.round_to(fw.table([[2.0, 3.0]], decimals=1), base=1.0, margins=[])
    with pytest.warns(UserWarning, match="counts units"):
        pmf = fw.audit(release, law=fw.laws.expected([[2.0, 3.0]])).pmf(A="1", B="1")
    assert pmf.index[0] == 1.5
    assert pmf.idxmax() in (1.9, 2.0)  # around 2.0, not around 0.2


def test_a_weighted_line_of_many_values_is_quick_and_right():
    from scipy.stats import hypergeom

    k = 40_000
    pmf = fw.audit(fw.publish([[3 * k, 4 * k], [3 * k, 4 * k]], ["A", "B"]), law="hypergeometric").pmf(A="1", B="1")
    assert pmf.loc[3 * k] == pytest.approx(hypergeom(14 * k, 6 * k, 7 * k).pmf(3 * k), rel=1e-6)


def test_a_cell_with_many_values_is_never_called_known():
    from fiberwalk.report.words import verdict

    release = fw.publish([[400, 10], [20, 900]], ["A", "B"])
    audit = fw.audit(release, law=fw.laws.expected([[1e-200, 1e200], [1e200, 1e-200]]))
    assert audit.cells["support"].tolist() == [411] * 4
    assert "none is known exactly" in verdict(audit)


# --- linking -------------------------------------------------------------------------------------------------------


def test_linked_tables_with_different_rules_are_each_read_by_their_own():
    first = fw.suppress(table([[1, 5], [7, 2]], "AB", [["1", "2"], ["x", "y"]]), rule="< 3", where=np.ones((2, 2), bool),
                        rule_known=True)  # fmt: skip
    second = fw.suppress(table([[6, 0], [2, 7]], "AC", [["1", "2"], ["p", "q"]]), rule="< 8", rule_known=True)
    (reading,) = fw.audit(fw.linked([first, second])).readings.values()
    assert (reading.cells["lower"] <= reading.cells["truth"]).all()
    assert reading.cells.loc[("1", "Total", "p"), "upper"] <= 7
    assert reading.cells.loc[("1", "x", "Total"), "upper"] <= 2


def test_linking_keeps_own_parts_evidence_and_notes():
    square = table([[4, 5], [3, 2]], "AB", [["a", "b"], ["x", "y"]])
    item = fw.protect.Evidence(np.array([0]), np.array([1]), 4, np.zeros(1), "seen")
    one = replace(fw.publish(square, ["A", "B"]), evidence=(item,))
    two = fw.publish(square, ["A,B"]).knows({"A": "a", "B": "x"}, own=1)
    both = fw.linked([one, two])
    assert both.evidence[0].cells.tolist() == [0]
    assert both.own.tolist() == [1, 0, 0, 0]
    assert fw.bounds(both).loc[("a", "x")].tolist() == [3, 3]
    assert len(both.grids) == 1
    assert any("own part 1" in note for note in both.notes)
    with pytest.raises(fw.InputError, match="takes releases without own="):
        fw.linked([one, two], full=True)


def test_linking_refuses_what_clashes():
    square = table([[4, 5], [3, 2]], "AB", [["a", "b"], ["x", "y"]])
    free = fw.publish(square, ["A", "B"]).without_truth()
    with pytest.raises(fw.Contradiction, match="linked releases contradict each other on cell A=a, B=x"):
        fw.linked([free.knows({"A": "a", "B": "x"}, at_least=5), free.knows({"A": "a", "B": "x"}, at_most=4)])
    towns = table([1, 2, 3], "T", [["a", "b", "c"]])
    frames = [pd.DataFrame({"r": groups, "T": list("abc")}) for groups in (["N", "N", "S"], ["N", "S", "S"])]
    with pytest.raises(fw.InputError, match="level 'r' groups dim 'T' differently"):
        fw.linked([fw.publish(fw.table(towns, hierarchies={"T": frame}), [""]) for frame in frames])


def test_withheld_totals_stay_questions_of_the_crossed_table():
    square = table([[4, 5], [3, 2]], "AB", [["a", "b"], ["x", "y"]])
    release = fw.suppress(square, where=[{"A": "a", "B": "x"}, {"A": "a", "B": "y"}, {"A": "a"}], margins=["A", ""])
    assert ("a", "Total") in fw.bounds(fw.linked([release], full=True)).index


def test_jj_files_can_be_linked(tmp_path):
    path = tmp_path / "t.jj"
    path.write_text("0\n3\n0 2 1 m 0 9 0 0 0\n1 3 1 m 0 9 0 0 0\n2 5 1 s 0 9 0 0 0\n1\n0 3 : 2 (-1) 0 (1) 1 (1)\n")
    release = fw.read_release(path)
    assert fw.count(fw.linked([release, release])) == fw.count(release) == 6


def test_merging_with_chosen_margins():
    release = fw.merge(GRID, {"A": {"ab": ["a", "b"]}}, margins=["A"])
    assert fw.bounds(release).loc[("a", "x")].tolist() == [0, 7]
    assert ("a", "Total") not in fw.bounds(release, hidden_margins=["A"]).index
    assert fw.count(release) < fw.count(fw.merge(GRID, {"A": {"ab": ["a", "b"]}}, margins=[]))


def test_evidence_on_a_sum_is_named_in_a_contradiction():
    item = fw.protect.Evidence(np.array([0, 1]), np.array([1, 1]), 9, np.zeros(2), "the perturbed total")
    release = replace(fw.publish([[1, 2], [3, 4]], ["A", "B"]).without_truth(), evidence=(item,))
    with pytest.raises(fw.Contradiction, match=r"evidence on a sum \(the perturbed total\)"):
        fw.bounds(release)
