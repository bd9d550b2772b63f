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
