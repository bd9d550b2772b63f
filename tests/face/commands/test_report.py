"""fiberwalk report: a saved audit, once more."""

from __future__ import annotations

from support.terminal import fiberwalk


def test_a_saved_audit_is_printed_and_reported_again(table, tmp_path):
    kept, cells = tmp_path / "a.fw", tmp_path / "a.csv"
    before = fiberwalk("audit", table, "--law", "hypergeometric", "--save", kept)
    assert before.exit_code == 0
    again = fiberwalk("report", kept, "--csv", cells, "--fail-above", "0.1")
    assert again.exit_code == 1
    assert before.stdout.strip() in again.stdout
    assert len(cells.read_text().splitlines()) == 5
    assert "no result saved by fiberwalk" in fiberwalk("report", table).output
