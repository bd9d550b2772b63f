"""fiberwalk count: what it prints, and what it may cost."""

from __future__ import annotations

from support.terminal import fiberwalk


def test_tables_and_values_of_a_margin_are_counted(table):
    assert fiberwalk("count", table).output == "7\n"
    assert fiberwalk("count", table, "--hidden-margin", "").output.split()[-3:] == ["Total", "Total", "1"]


def test_both_readings_are_counted(table):
    assert "\nIf " in fiberwalk("count", table, "--rule", "< 4", "--no-flags").output


def test_budgets_may_be_written_short(table):
    assert fiberwalk("count", table, "--limit", "1e9", "--memory", "2e9").output == "7\n"
    refused = fiberwalk("count", table, "--limit", "many")
    assert refused.exit_code == 2
    assert "'many' is not a whole number of at least 1, such as 2e9" in refused.output
