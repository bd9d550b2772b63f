"""fiberwalk link: what linked files tell that none tells by itself, its audit, and what it refuses."""

from __future__ import annotations

import pytest
from support.terminal import fiberwalk

import fiberwalk as fw

BY_SIZE = "town,size,value\n1,s,\n1,l,\n2,s,\n2,l,\nTotal,s,9\nTotal,l,11\n"
BY_AGE = "town,age,value\n1,y,2\n1,o,8\n2,y,x\n2,o,3\nTotal,Total,20\n"


def row(output, *labels):
    """The figures of a row that begins with some labels."""
    words = [line.split() for line in output.splitlines()]
    return next(one[len(labels) :] for one in words if one[: len(labels)] == list(labels))


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "size.csv").write_text(BY_SIZE)
    (tmp_path / "age.csv").write_text(BY_AGE)
    return tmp_path


def test_it_tells_what_becomes_narrower_and_audits_all_together(files):
    done = fiberwalk("link", "size.csv", "age.csv", "--csv", "cells.csv")
    assert done.exit_code == 0, done.output
    assert "size.csv: of 4 hidden figures 2 are narrower by the other files, 0 known exactly:" in done.output
    both = fw.bounds(fw.linked([fw.read_release("size.csv"), fw.read_release("age.csv")]))
    assert both.loc[("1", "l", "Total")].tolist() == [1, 10]
    assert row(done.output, "1", "l") == ["0", "11", "1", "10"]
    assert (
        "age.csv: its hidden figure is not narrower by the other files (known exactly by this file alone: 1)."
        in done.output
    )
    assert "10 tables agree with the release" in done.output
    assert (files / "cells.csv").exists()


def test_a_figure_that_another_file_publishes_is_known(files):
    (files / "again.csv").write_text("town,size,value\n1,s,4\n1,l,\n2,s,\n2,l,\n1,Total,10\n")
    done = fiberwalk("link", "size.csv", "again.csv", "--only-bounds", "--fail-on-disclosure")
    assert "size.csv: of 4 hidden figures 4 are narrower by the other files, 4 known exactly:" in done.output
    assert row(done.output, "1", "s") == ["0", "9", "4", "4"]
    assert done.exit_code == 1
    assert "7 hidden figures are known exactly." in done.stderr


def test_a_file_that_leaves_a_cell_without_a_limit_gets_one_from_the_others(files):
    (files / "open.csv").write_text("town,sex,value\n1,f,\n1,m,3\n2,f,1\n2,m,\n")
    done = fiberwalk("link", "open.csv", "age.csv", "--only-bounds")
    assert done.exit_code == 0, done.output
    assert "open.csv: of 2 hidden figures 2 are narrower by the other files, 2 known exactly:" in done.output
    assert row(done.output, "1", "f") == ["none", "none", "7", "7"]


def test_who_knows_more_and_margins_of_one_table(files):
    done = fiberwalk("link", "size.csv", "age.csv", "--only-bounds", "--full", "--knows", "town=1,size=s = 2")
    assert done.exit_code == 0, done.output
    assert "size.csv: of 4 hidden figures 4 are narrower by the other files, 4 known exactly:" in done.output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("size.csv",), "link reads two files or more"),
        (("size.csv", "nix.csv"), "nix.csv: there is no such file."),
        (("size.csv", "size.csv"), "a file is named twice"),
        (("size.csv", "age.csv", "--csv", "age.csv"), "--csv age.csv is one of the files"),
        (("size.csv", "age.csv", "--only-bounds", "--html", "a.html"), "--html is about the audit"),
        (("size.csv", "age.csv", "--only-bounds", "--fail-above", "1"), "--fail-above is about the audit"),
        (("size.csv", "age.csv", "--hierarchy", "nix=a.hrc"), "--hierarchy nix=a.hrc: no file has a dim 'nix'."),
        (("size.csv", "age.csv", "--sheet", "a"), "--sheet is about one file"),
    ],
)
def test_what_is_wrong_is_said(words, sentence, files):
    done = fiberwalk("link", *words)
    assert (done.exit_code, sentence in done.stderr) == (2, True), done.stderr
