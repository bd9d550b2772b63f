"""The audit as users meet it: its frame, its pictures, its report, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import fiberwalk as fw

TABLE = xr.DataArray(
    [[1, 5, 4], [7, 2, 6], [3, 8, 9]], dims=["row", "col"], coords={"row": ["a", "b", "c"], "col": ["x", "y", "z"]}
)
SQUARE = [{"row": r, "col": c} for r in "ab" for c in "xy"]


def test_the_columns_and_their_order():
    cells = fw.audit(fw.suppress(TABLE, where=SQUARE)).cells
    assert list(cells.columns) == [
        "lower", "upper", "support", "entropy", "risk", "uniform_risk", "understatement", "mean", "modal", "p_modal",
        "ess", "rhat", "entropy_mcse", "method", "certificate", "converged", "truth", "p_truth", "p0", "p1", "low90",
        "high90",
    ]  # fmt: skip
    assert cells.index.names == ["row", "col"]
    assert (cells["method"] == "exact").all()
    assert (cells["certificate"] == "exact").all()
    assert (cells["entropy_mcse"] == 0).all()
    outsider = fw.audit(fw.suppress(TABLE, where=SQUARE).without_truth()).cells
    assert "truth" not in outsider.columns


def test_known_cells_come_first_and_have_infinite_risk():
    release = fw.suppress(TABLE, where=[*SQUARE, {"row": "c", "col": "z"}])
    cells = fw.audit(release).cells
    assert cells.index[0] == ("c", "z")
    first = cells.iloc[0]
    assert (first["risk"], first["entropy"], first["understatement"]) == (math.inf, 0.0, 1.0)
    assert first["uniform_risk"] == math.inf
    assert cells["risk"].is_monotonic_decreasing


def test_margins_that_are_asked_for():
    release = fw.publish(TABLE, ["row"])
    audit = fw.audit(release, hidden_margins=["col", ""])
    assert ("Total", "x") in audit.cells.index
    assert audit.cells.loc[("Total", "Total"), "support"] == 1  # the rows add up to it, though it was not published
    assert audit.pmf(col="x").sum() == pytest.approx(1)
    assert audit.pmf({"col": "x", "row": "Total"}).equals(audit.pmf(col="x"))
    assert fw.audit(release, hidden_margins="col").cells.equals(fw.audit(release, hidden_margins=["col"]).cells)
    assert ("a", "Total") not in fw.audit(release, hidden_margins=["row"]).cells.index  # published


def test_the_number_of_values_of_a_hidden_margin():
    release = fw.publish(TABLE, ["row"])
    counted = fw.count(release, hidden_margins=["col"])
    assert counted.to_dict() == {("Total", col): 46 for col in "xyz"}
    assert (
        counted == fw.audit(release, hidden_margins=["col"]).cells.loc["Total", "support"].loc[list("xyz")].to_numpy()
    ).all()


def test_a_cell_that_is_not_audited_is_named():
    audit = fw.audit(fw.suppress(TABLE, where=SQUARE))
    with pytest.raises(fw.InputError, match="row=c, col=z is not among the audited cells: it is published"):
        audit.pmf(row="c", col="z")
    with pytest.raises(fw.InputError, match="dim 'row' has no label 'q'"):
        audit.pmf(row="q", col="z")
    with pytest.raises(fw.InputError, match="names the dim 'line'"):
        audit.pmf(line="a")


def test_settings_that_make_no_sense_say_so():
    release = fw.suppress(TABLE, where=SQUARE)
    with pytest.raises(fw.InputError, match="method='magic': there is no such method; use 'auto', 'exact', 'chains'"):
        fw.audit(release, method="magic")
    assert fw.audit(release, method="exact", seed=7, tolerance=0.1).method == "exact"
    for wrong, words in (
        ({"limit": -5}, "limit=-5: the most operations"),
        ({"memory": 0.5}, "memory=0.5: the most bytes"),
        ({"tolerance": "x"}, "tolerance='x'"),
        ({"seed": "y"}, "seed='y'"),
        ({"chains": 0}, "chains=0: a whole number of at least 1"),
        ({"max_draws": 10}, "max_draws=10: at least 1,024"),
        ({"max_seconds": -1}, "max_seconds=-1: a number of seconds above 0"),
        ({"executor": 2}, "executor=2: an Executor"),
        ({"checkpoint": 3}, "checkpoint=3: the name of a file"),
        ({"checkpoint": "c", "seed": None}, "a checkpoint needs a seed"),
        ({"progress": 3}, "progress=3: a function that takes a line of text, or False"),
    ):
        with pytest.raises(fw.InputError, match=words):
            fw.audit(release, **wrong)


def test_a_short_repr():
    audit = fw.audit(fw.suppress(TABLE, where=SQUARE))
    assert repr(audit) == (
        "<Audit of 4 hidden cells, law 'uniform', exact (likelihood: support only): 0 known exactly, the highest risk of "
        "the others is 0.356>"
    )


def test_nothing_hidden():
    audit = fw.audit(fw.publish(TABLE, ["row,col"]))
    assert len(audit.cells) == 0
    assert audit.tables == 1
    from fiberwalk.report.words import verdict

    assert verdict(audit) == "Nothing is hidden: every cell is published."
    with pytest.raises(fw.InputError, match="there is nothing to plot"):
        audit.plot()


def test_protection_ranges():
    audit = fw.audit(fw.suppress(TABLE, where=SQUARE))
    wide = audit.protection(lower=0, upper=6)
    assert wide.loc[("a", "x"), "protected"]
    assert not wide.loc[("b", "x"), "protected"]
    assert wide.loc[("b", "x"), "first_missing"] == 0
    around = audit.protection(percent=50)
    assert around.loc[("b", "x"), ["wanted_lower", "wanted_upper"]].tolist() == [3, 11]
    assert not around.loc[("b", "x"), "protected"]
    assert around.loc[("b", "x"), "p_inside"] == pytest.approx(
        audit.probability(row="b", col="x", at_least=3, at_most=11)
    )
    with pytest.raises(fw.InputError, match="needs percent=, or lower= and upper="):
        audit.protection()
    with pytest.raises(fw.InputError, match="not both"):
        audit.protection(percent=5, lower=1)
    with pytest.raises(fw.InputError, match="needs a release that carries it"):
        fw.audit(fw.suppress(TABLE, where=SQUARE).without_truth()).protection(percent=5)


def test_a_gap_inside_a_range_is_not_protection():
    # cells of 2 x + y = 4 kinds: only even values are attainable, though the interval looks whole
    triangle = fw.publish([0, 0], []).without_truth()
    even = triangle.with_facts(
        np.array([[-1]]), np.array([[1, 2]]), np.array([4]), np.array([4]), words=["one and two halves"]
    )
    audit = fw.audit(even)
    row = audit.cells.loc[("1",)]
    assert (row["lower"], row["upper"], row["support"]) == (0, 4, 3)
    assert row["uniform_risk"] == pytest.approx(1 / math.log2(3))
    assert audit.pmf(A="1").index.tolist() == [0, 2, 4]
    assert audit.protection(lower=0, upper=4).loc[("1",), "first_missing"] == 1


def test_harm_is_sorted_and_cells_of_equal_risk_keep_their_order():
    audit = fw.audit(fw.suppress(TABLE, where=SQUARE), law="hypergeometric")
    harm = audit.harm(lambda k: k)
    assert harm.is_monotonic_decreasing
    assert list(audit.cells.index) == [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]


def test_risk_measures():
    assert fw.risk.uniform_risk(8, log_base=math.e) == pytest.approx(1 / math.log(8))
    assert fw.risk.protection_range([1, 2, 3], 0, 3) == (False, 0)
    assert fw.risk.protection_range([1, 2, 3], 1, 4) == (False, 4)
    assert fw.risk.entropy_risk([0.5, 0.5]) == 1
    assert fw.risk.entropy_risk([0.5, 0.5], log_base=math.e) == pytest.approx(1 / math.log(2))
    assert fw.risk.entropy_risk([1.0, 0.0]) == math.inf
    assert fw.risk.entropy_risk(pd.Series([0.25] * 4, index=range(4))) == 0.5
    assert fw.risk.uniform_risk(407) == pytest.approx(0.11536, abs=5e-6)
    assert fw.risk.uniform_risk(1) == math.inf
    assert fw.risk.understatement(0.4, 0.2) == 2
    assert fw.risk.understatement(0.2, 0.2000001) == 1  # never shown below 1
    assert fw.risk.protection_range([1, 2, 3], 1, 3) == (True, None)
    assert fw.risk.protection_range([0.1, 0.3], 0.1, 0.3, unit=0.1) == (False, pytest.approx(0.2))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fw.risk.entropy_risk([0.5, 0.6]), "probabilities of at least 0 that sum to 1"),
        (lambda: fw.risk.entropy_risk([0.5, 0.49]), "probabilities of at least 0 that sum to 1"),
        (lambda: fw.risk.uniform_risk(4, log_base=1), "must be above 1"),
        (lambda: fw.protect.sensitivity.dominance(["a"], 1, 60), "must be numbers of at least 0"),
        (lambda: fw.risk.entropy_risk([]), "probabilities of at least 0 that sum to 1"),
        (lambda: fw.risk.entropy_risk([0.5, 0.5], log_base=1), "must be above 1"),
        (lambda: fw.risk.uniform_risk(0), "at least one attainable value"),
        (lambda: fw.risk.protection_range([1], 3, 2), "ends .* before it begins"),
        (lambda: fw.risk.expected_harm({1: 1.0}, lambda k: math.nan), "must be a number for every attainable value"),
    ],
)
def test_bad_measures(call, words):
    with pytest.raises(fw.InputError, match=words):
        call()


def test_the_plot_has_labelled_axes():
    figure = fw.audit(fw.examples.dot02_table1().release, law="hypergeometric").plot(top=2)
    texts = [axis.get_title(loc="left") for sub in figure.subfigs for axis in sub.axes]
    assert "activity=5, size=5" in texts
    risk = figure.subfigs[1].axes[0]
    assert "1 / H" in risk.get_ylabel()
    assert "1 / log2 m" in risk.get_xlabel()
    figure.canvas.draw()
    with pytest.raises(fw.InputError, match="at least one cell must be shown"):
        fw.audit(fw.examples.dot02_table1().release).plot(top=0)


def test_the_report_is_one_page_and_escapes_what_comes_from_the_data(tmp_path):
    nasty = pd.DataFrame(
        [[1, 5], [7, 2]], index=pd.Index(["<script>alert(1)</script>", "b&b"], name="r<o>w"), columns=["x", '"y"']
    )
    path = tmp_path / "audit.html"
    fw.audit(fw.publish(nasty, ["r<o>w", "B"])).to_html(path)
    page = path.read_text()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert 'src="http' not in page
    assert page.count("<img") == page.count(" alt=")
    assert "every table that agrees with the release is equally probable" in page
    assert list(tmp_path.iterdir()) == [path]


def test_the_report_gives_both_readings(tmp_path):
    release = fw.suppress(
        TABLE, rule="< 3", where=[{"row": "a", "col": "y"}, {"row": "b", "col": "x"}], rule_known=True
    )
    fw.audit(release).to_html(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    assert "Another reading: the intruder can tell which hidden cells the rule hid" in page
    assert "All 4 hidden cells are known exactly" in page


def test_an_old_report_survives_a_failed_one(tmp_path, monkeypatch):
    audit = fw.audit(fw.suppress(TABLE, where=SQUARE))
    path = tmp_path / "a.html"
    path.write_text("old")
    from pathlib import Path

    def full(self, *_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(fw.InputError, match="cannot be written"):
        audit.to_html(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_verdict_in_words():
    from fiberwalk.report.words import verdict

    sentence = verdict(fw.audit(fw.examples.ase15().release))
    assert sentence.startswith("4 hidden cells are known exactly, of 21;")
    assert "area=8, religion=6" in sentence
    plain = verdict(fw.audit(fw.suppress(TABLE, where=SQUARE)))
    assert plain.startswith("None of the 4 hidden cells is known exactly;")


def test_same_answer_every_time():
    release = fw.examples.ase15().release
    one, two = fw.audit(release, law="hypergeometric"), fw.audit(release, law="hypergeometric")
    assert one.cells.equals(two.cells)


def test_labels_with_dollar_signs_are_not_typeset(tmp_path):
    table = xr.DataArray(
        [[1, 5], [7, 2]], dims=["$x_$", "B"], coords={"$x_$": ["$5%-$10", "$\\frac$"], "B": ["日本", "y"]}
    )
    fw.audit(fw.publish(table, ["$x_$", "B"])).to_html(tmp_path / "a.html")
    assert "$5%-$10" in (tmp_path / "a.html").read_text()


def test_an_audit_of_nothing_can_be_looked_at(tmp_path):
    audit = fw.audit(fw.publish(TABLE, ["row,col"]))
    assert repr(audit) == "<Audit of 0 hidden cells, law 'uniform', exact: 0 known exactly, none is open>"
    assert len(audit.protection(percent=10)) == 0
    audit.to_html(tmp_path / "a.html")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda a: a.pmf("row"), "a cell is named by its labels"),
        (lambda a: a.protection(percent=math.nan), "a percentage of at least 0"),
        (lambda a: a.protection(percent="a"), "a percentage of at least 0"),
        (lambda a: a.harm(5), "r= is a function of the value"),
        (lambda a: a.harm(lambda k: None), "must be a number for every attainable value"),
    ],
)
def test_wrong_questions_to_an_audit(call, words):
    with pytest.raises(fw.InputError, match=words):
        call(fw.audit(fw.suppress(TABLE, where=SQUARE)))


def test_expected_counts_with_other_labels_are_told_apart():
    with pytest.raises(
        fw.InputError, match="the expected counts and the table do not have the same labels on dim 'row'"
    ):
        fw.audit(fw.publish(TABLE, ["row", "col"]), law=fw.laws.expected(TABLE.assign_coords(row=["a", "b", "q"])))
