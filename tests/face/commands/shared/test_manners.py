"""How every command behaves: wrong input, outputs that cannot be, and Ctrl-C."""

from __future__ import annotations

import pytest
from support.long_file import LONG
from support.terminal import fiberwalk


@pytest.mark.parametrize(
    "outputs", [["--csv", "FILE"], ["--html", "a", "--save", "a"], ["--csv", "a", "--checkpoint", "a"]]
)
def test_nothing_is_written_over_what_is_read_or_written_besides(table, outputs, tmp_path):
    before = table.read_bytes()
    refused = fiberwalk("audit", table, *(str(table) if one == "FILE" else one for one in outputs))
    assert refused.exit_code == 2
    assert "give each a file of its own" in refused.output
    assert table.read_bytes() == before


def test_ctrl_c_has_a_status_of_its_own(table, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("fiberwalk.auditing.believe", interrupted)
    stopped = fiberwalk("audit", table)
    assert stopped.exit_code == 130
    assert stopped.output == "fiberwalk: interrupted, before there was a result.\n"


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
    result = fiberwalk(command, path, *options)
    assert result.exit_code == 2
    assert words in result.output
    assert result.output.startswith("fiberwalk: ")
    assert result.output.count("\n") == 1
    assert "Traceback" not in result.output


def test_unwritable_output_leaves_nothing_behind(table, tmp_path):
    result = fiberwalk("audit", table, "--html", tmp_path / "no" / "a.html")
    assert result.exit_code == 2
    assert "a.html: the file cannot be written" in result.output
