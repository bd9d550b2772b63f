"""fiberwalk audit: what it prints and writes, and when a script fails by it."""

from __future__ import annotations

from support.terminal import fiberwalk


def test_audit_prints_the_risky_cells_and_writes_what_is_asked(table, tmp_path):
    result = fiberwalk("audit", table, "--html", tmp_path / "a.html", "--csv", tmp_path / "a.csv")
    assert result.exit_code == 0, result.output
    assert "None of the 4 hidden cells is known exactly" in result.output
    assert "bits left" in result.output
    assert (tmp_path / "a.html").read_text().startswith("<!DOCTYPE html>")
    assert (tmp_path / "a.csv").read_text().startswith("row,col,lower,upper")


def test_a_rule_that_the_intruder_knows(table, tmp_path):
    assert "4 hidden cells are known exactly" in fiberwalk("audit", table, "--rule", "< 3").output
    unseen = fiberwalk("audit", table, "--rule", "< 3", "--no-flags").output
    assert "None of the 4 hidden cells is known exactly" in unseen
    assert "If the intruder can tell which hidden cells the rule hid:\nAll 4 hidden cells are known exactly" in unseen
    plain = tmp_path / "plain.csv"
    plain.write_text("row,value\na,\nb,\nc,9\nTotal,12\n")
    both = fiberwalk("audit", plain, "--rule", "< 3").output
    assert "If the rule hid every hidden cell:" in both
    assert fiberwalk("audit", table, "--no-flags").exit_code == 2


def test_a_report_says_which_command_made_it(table, tmp_path):
    fiberwalk("audit", table, "--html", tmp_path / "a.html")
    assert "fw.audit(" not in (tmp_path / "a.html").read_text()


def test_fail_above(table):
    assert fiberwalk("audit", table, "--fail-above", "0.9").exit_code == 0
    failed = fiberwalk("audit", table, "--fail-above", "0.1")
    assert failed.exit_code == 1
    assert "4 cells are riskier than 0.1" in failed.output
    assert fiberwalk("audit", table, "--fail-above", "nan").exit_code == 2


def test_a_script_fails_where_another_reading_discloses_and_where_chains_have_not_converged(table):
    failed = fiberwalk("audit", table, "--rule", "< 3", "--no-flags", "--fail-on-disclosure")
    assert failed.exit_code == 1
    assert (
        "If the intruder can tell which hidden cells the rule hid: 4 hidden cells are known exactly." in failed.output
    )
    chains = "audit", table, "--method", "chains", "--max-draws", "1024"
    assert fiberwalk(*chains).exit_code == 0
    unsettled = fiberwalk(*chains, "--fail-above", "50")
    assert unsettled.exit_code == 1
    assert "NOT CONVERGED" in unsettled.output.splitlines()[-1]


def test_a_release_too_large_is_one_sentence_and_exit_2(tmp_path):
    rows = "".join(f"{r},{c},\n" for r in "abcd" for c in "wxyz")
    totals = "".join(f"{r},Total,100\n" for r in "abcd") + "".join(f"Total,{c},100\n" for c in "wxyz")
    path = tmp_path / "big.csv"
    path.write_text("row,col,value\n" + rows + totals)
    result = fiberwalk("audit", path, "--method", "exact", "--limit", "10000")
    assert result.exit_code == 2
    assert "cannot be solved exactly" in result.output
    assert fiberwalk("bounds", path).exit_code == 0


PROFITS = "A,B,value\n1,1,\n1,2,\n2,1,\n2,2,\n1,Total,15\n2,Total,15\nTotal,1,-10\nTotal,2,40\nTotal,Total,30\n"


def test_cells_that_may_be_negative(tmp_path):
    path = tmp_path / "profits.csv"
    path.write_text(PROFITS)
    unstated = fiberwalk("audit", path)
    assert unstated.exit_code == 2
    assert unstated.output.strip().endswith(
        "row 8: -10 is negative; say between which values everybody knows the cells to lie with --at-least and --at-most, "
        "or --known-within."
    )
    result = fiberwalk("audit", path, "--at-least", "-50", "--at-most", "100")
    assert result.exit_code == 0, result.output
    assert "ASSUMED BEFOREHAND: every cell is between -50 and 100." in result.output
    assert "-50 to 40" in result.output
    counts = fiberwalk("audit", path, "--at-least", "-50", "--law", "hypergeometric")
    assert counts.exit_code == 2
    assert "law 'hypergeometric' is of cells of at least 0" in counts.output
    within = fiberwalk("audit", path, "--known-within", "10")
    assert "--known-within 10: the true value of cell A=1, B=1 is not known here" in within.output


def test_a_table_of_profits_is_rounded_and_audited(tmp_path):
    path = tmp_path / "profits.csv"
    path.write_text("A,value\n1,-20\n2,33\n3,7\nTotal,20\n")
    rounded = fiberwalk(
        "protect",
        path,
        "--mechanism",
        "round-to",
        "--base",
        "5",
        "--at-least",
        "-50",
        "--out",
        tmp_path / "rounded.csv",
    )
    assert rounded.exit_code == 0, rounded.output
    assert "audit " + str(tmp_path / "rounded.csv") + " --at-least -50.0" in (tmp_path / "rounded.note.txt").read_text()
    result = fiberwalk("audit", tmp_path / "rounded.csv", "--at-least", "-50")
    assert "-22 to -18" in result.output
    refused = fiberwalk(
        "protect", path, "--mechanism", "random-round", "--base", "5", "--at-least", "-50", "--out", tmp_path / "r.csv"
    )
    assert refused.exit_code == 2
    assert "the cells of this table may be negative" in refused.output
