"""fiberwalk demo: its examples and its report."""

from __future__ import annotations

from support.terminal import fiberwalk


def test_demo_writes_a_report(tmp_path):
    result = fiberwalk("demo", "--html", tmp_path / "demo.html")
    assert result.exit_code == 0, result.output
    assert "4 hidden cells are known exactly, of 21" in result.output
    assert (tmp_path / "demo.html").stat().st_size > 10_000
    assert fiberwalk("demo", "--example", "nope").exit_code == 2
    from fiberwalk import examples
    from fiberwalk.commands.demo import EXAMPLES

    assert set(examples.names()) == set(EXAMPLES)
