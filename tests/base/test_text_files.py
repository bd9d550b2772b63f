"""Files that are written whole, private ones, and texts that no spreadsheet runs."""

from __future__ import annotations

import csv
import stat

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples

import fiberwalk as fw
from fiberwalk.base.text_files import as_label, as_text, read_text, write_csv, write_private, written_whole

FORMULAS = ["=cmd|'/c calc'!A1", "+1+1", "-2+3", "@SUM(A1)", "'=already", "''=twice"]


@examples(200)
@given(st.text(alphabet="'=+-@a1 .", max_size=6))
def test_a_text_comes_back_from_the_form_that_a_file_holds(label):
    assert as_label(as_text(label)) == label
    assert as_text(label)[:1] not in ("=", "@")


@pytest.mark.parametrize("number", ["-5", "+3", "-1.5", "-.5", "+2e7", "-1E-3"])
def test_numbers_are_left_as_they_are(number):
    assert as_text(number) == number


def test_labels_that_look_like_formulas_survive_a_file_and_are_not_run(tmp_path):
    table = pd.DataFrame([[1, 5], [7, 2], [3, 8], [6, 4], [5, 5], [9, 9]], index=FORMULAS, columns=["=x", "y"])
    table.index.name, table.columns.name = "row", "col"
    release = fw.suppress(table, where=table < 3)
    release.to_file(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell[:1] in "=@+" and cell]
    again = fw.read_release(tmp_path / "out.csv")
    assert [dim.labels for dim in again.dims] == [tuple(FORMULAS), ("=x", "y")]


def test_a_frame_with_its_index(tmp_path):
    index = pd.MultiIndex.from_tuples([("=a", 1), ("b", 2)], names=["=dim", None])
    write_csv(pd.DataFrame({"=value": ["@x", "y"], "n": [1.5, 2.0]}, index=index), tmp_path / "out.csv", index=True)
    assert (tmp_path / "out.csv").read_text().splitlines() == ["'=dim,,'=value,n", "'=a,1,'@x,1.5", "b,2,y,2.0"]


def test_what_is_private_is_so_even_where_the_file_was_open_to_all(tmp_path):
    path = tmp_path / "note.txt"
    path.write_text("old")
    path.chmod(0o644)
    write_private("seed: 5\n", path)
    assert path.read_text() == "seed: 5\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with written_whole(path) as temporary:
        temporary.write_text("new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600  # others keep the mode that is there


def test_a_private_file_is_whole_or_not_there(tmp_path, monkeypatch):
    def no_room(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", no_room)
    with pytest.raises(fw.InputError, match=r"the file cannot be written \(No space left on device\)"):
        write_private("5", tmp_path / "seed.txt")
    assert list(tmp_path.iterdir()) == []


def test_a_link_that_runs_in_a_circle_is_a_place_to_write_to(tmp_path):
    path = tmp_path / "link.txt"
    path.symlink_to(path)
    write_private("kept", path)
    assert path.read_text() == "kept"


def test_a_file_without_an_end_is_refused_at_its_first_piece(monkeypatch):
    class Endless:
        """As /dev/zero is."""

        pieces = 0

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def read(self, size):
            Endless.pieces += 1
            assert Endless.pieces == 1
            return b"\x00" * size

    monkeypatch.setattr("builtins.open", lambda *_, **__: Endless())
    with pytest.raises(fw.InputError, match="zero: this is a binary file"):
        read_text("zero")
