"""fiberwalk bounds: what it prints and writes."""

from __future__ import annotations

from support.terminal import fiberwalk


def test_bounds_are_printed_and_written(table, tmp_path):
    result = fiberwalk("bounds", table, "--hidden-margin", "", "--csv", tmp_path / "b.csv")
    assert result.exit_code == 0
    assert "Total Total     25     25" in result.output
    assert (tmp_path / "b.csv").exists()


def test_bounds_say_what_proved_them_and_both_readings(table):
    result = fiberwalk("bounds", table, "--explain")
    assert "network flow" in result.output
    result = fiberwalk("bounds", table, "--rule", "< 4", "--no-flags")
    assert result.output.count("lower  upper") == 2
    assert "\nIf " in result.output
