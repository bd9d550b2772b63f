"""The command line as a newcomer meets it."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from click.testing import CliRunner
from support.long_file import LONG

from fiberwalk.commands.main import main


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(LONG)
    return path


def run(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


def test_audit_prints_the_risky_cells_and_writes_what_is_asked(table, tmp_path):
    result = run("audit", table, "--html", tmp_path / "a.html", "--csv", tmp_path / "a.csv")
    assert result.exit_code == 0, result.output
    assert "None of the 4 hidden cells is known exactly" in result.output
    assert "bits left" in result.output
    assert (tmp_path / "a.html").read_text().startswith("<!DOCTYPE html>")
    assert (tmp_path / "a.csv").read_text().startswith("row,col,lower,upper")


def test_bounds_and_count(table, tmp_path):
    result = run("bounds", table, "--hidden-margin", "", "--csv", tmp_path / "b.csv")
    assert result.exit_code == 0
    assert "Total Total     25     25" in result.output
    assert (tmp_path / "b.csv").exists()
    assert run("count", table).output == "7\n"
    assert run("count", table, "--hidden-margin", "").output.split()[-3:] == ["Total", "Total", "1"]


def test_bounds_say_what_proved_them_and_both_readings(table):
    result = run("bounds", table, "--explain")
    assert "network flow" in result.output
    result = run("bounds", table, "--rule", "< 4", "--no-flags")
    assert result.output.count("lower  upper") == 2
    assert "\nIf " in result.output
    assert "\nIf " in run("count", table, "--rule", "< 4", "--no-flags").output


def test_budgets_may_be_written_short(table):
    assert run("count", table, "--limit", "1e9", "--memory", "2e9").output == "7\n"
    refused = run("count", table, "--limit", "many")
    assert refused.exit_code == 2
    assert "'many' is not a whole number of at least 1, such as 2e9" in refused.output


def test_demo_writes_a_report(tmp_path):
    result = run("demo", "--html", tmp_path / "demo.html")
    assert result.exit_code == 0, result.output
    assert "4 hidden cells are known exactly, of 21" in result.output
    assert (tmp_path / "demo.html").stat().st_size > 10_000
    assert run("demo", "--example", "nope").exit_code == 2
    from fiberwalk import examples
    from fiberwalk.commands.main import EXAMPLES

    assert set(examples.names()) == set(EXAMPLES)


def test_a_rule_that_the_intruder_knows(table, tmp_path):
    assert "4 hidden cells are known exactly" in run("audit", table, "--rule", "< 3").output
    unseen = run("audit", table, "--rule", "< 3", "--no-flags").output
    assert "None of the 4 hidden cells is known exactly" in unseen
    assert "If the intruder can tell which hidden cells the rule hid:\nAll 4 hidden cells are known exactly" in unseen
    plain = tmp_path / "plain.csv"
    plain.write_text("row,value\na,\nb,\nc,9\nTotal,12\n")
    both = run("audit", plain, "--rule", "< 3").output
    assert "If the rule hid every hidden cell:" in both
    assert run("audit", table, "--no-flags").exit_code == 2


def test_a_report_says_which_command_made_it(table, tmp_path):
    run("audit", table, "--html", tmp_path / "a.html")
    assert "fw.audit(" not in (tmp_path / "a.html").read_text()


def test_fail_above(table):
    assert run("audit", table, "--fail-above", "0.9").exit_code == 0
    failed = run("audit", table, "--fail-above", "0.1")
    assert failed.exit_code == 1
    assert "4 cells are riskier than 0.1" in failed.output
    assert run("audit", table, "--fail-above", "nan").exit_code == 2


def test_a_script_fails_where_another_reading_discloses_and_where_chains_have_not_converged(table):
    failed = run("audit", table, "--rule", "< 3", "--no-flags", "--fail-on-disclosure")
    assert failed.exit_code == 1
    assert (
        "If the intruder can tell which hidden cells the rule hid: 4 hidden cells are known exactly." in failed.output
    )
    chains = "audit", table, "--method", "chains", "--max-draws", "1024"
    assert run(*chains).exit_code == 0
    unsettled = run(*chains, "--fail-above", "50")
    assert unsettled.exit_code == 1
    assert "NOT CONVERGED" in unsettled.output.splitlines()[-1]


def test_a_saved_audit_is_printed_and_reported_again(table, tmp_path):
    kept, cells = tmp_path / "a.fw", tmp_path / "a.csv"
    before = run("audit", table, "--law", "hypergeometric", "--save", kept)
    assert before.exit_code == 0
    again = run("report", kept, "--csv", cells, "--fail-above", "0.1")
    assert again.exit_code == 1
    assert before.stdout.strip() in again.stdout
    assert len(cells.read_text().splitlines()) == 5
    assert "no audit saved by fiberwalk" in run("report", table).output


@pytest.mark.parametrize(
    "outputs", [["--csv", "FILE"], ["--html", "a", "--save", "a"], ["--csv", "a", "--checkpoint", "a"]]
)
def test_nothing_is_written_over_what_is_read_or_written_besides(table, outputs, tmp_path):
    before = table.read_bytes()
    refused = run("audit", table, *(str(table) if one == "FILE" else one for one in outputs))
    assert refused.exit_code == 2
    assert "give each a file of its own" in refused.output
    assert table.read_bytes() == before


def test_ctrl_c_has_a_status_of_its_own(table, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("fiberwalk.auditing.believe", interrupted)
    stopped = run("audit", table)
    assert stopped.exit_code == 130
    assert stopped.output == "fiberwalk: interrupted, before there was anything to tell.\n"


@pytest.mark.parametrize("command", ["audit", "bounds", "count"])
@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("", [], "the file is empty"),
        (b"\x00\xff", [], "binary file"),
        (LONG, ["--dims", "row,colour"], "no column 'colour'"),
        (LONG, ["--hierarchy", "row"], "write it as DIM=FILE"),
        (LONG, ["--hierarchy", "row=nowhere.hrc"], "nowhere.hrc: there is no such file"),
        (LONG.replace("a,Total,10", "a,Total,99"), [], "contradict each other"),
        (LONG.replace("a,z,4,s", "a,z,4,?"), [], "the status '?' is unknown"),
        (LONG, ["--rule", "small"], "rule 'small' is not understood"),
        (LONG.replace("a,z,4,s\n", ""), [], "1 of 6 cells have no line, first row=a, col=z"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_2(command, content, options, words, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    result = run(command, path, *options)
    assert result.exit_code == 2
    assert words in result.output
    assert result.output.startswith("fiberwalk: ")
    assert result.output.count("\n") == 1
    assert "Traceback" not in result.output


def test_a_release_too_large_is_one_sentence_and_exit_2(tmp_path):
    rows = "".join(f"{r},{c},\n" for r in "abcd" for c in "wxyz")
    totals = "".join(f"{r},Total,100\n" for r in "abcd") + "".join(f"Total,{c},100\n" for c in "wxyz")
    path = tmp_path / "big.csv"
    path.write_text("row,col,value\n" + rows + totals)
    result = run("audit", path, "--method", "exact", "--limit", "10000")
    assert result.exit_code == 2
    assert "cannot be solved exactly" in result.output
    assert run("bounds", path).exit_code == 0


def test_unwritable_output_leaves_nothing_behind(table, tmp_path):
    result = run("audit", table, "--html", tmp_path / "no" / "a.html")
    assert result.exit_code == 2
    assert "a.html: the file cannot be written" in result.output


def test_help_teaches_by_example():
    for command in ([], ["audit"], ["bounds"], ["count"], ["demo"]):
        text = run(*command, "--help").output
        assert "Example" in text
        assert "fiberwalk" in text


def test_help_is_quick():
    """Best of three, so that a busy machine does not fail it."""
    best = 9.0
    for _ in range(3):
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", "from fiberwalk.commands.main import main; main(['--help'])"],
            check=True,
            capture_output=True,
        )
        best = min(best, time.perf_counter() - begin)
    assert best < 0.5
