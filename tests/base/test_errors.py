"""Errors are one sentence on one line, whatever stands in the file that they quote."""

from __future__ import annotations

import pytest

import fiberwalk as fw
from fiberwalk.base.errors import LONGEST, Contradiction, FiberwalkError, InputError


@pytest.mark.parametrize("kind", [FiberwalkError, InputError, Contradiction])
def test_what_would_end_a_line_or_move_a_cursor_is_spelled_out(kind):
    assert str(kind("label 'a\x1b[2J\nb\u2028\ud800': é is fine.")) == r"label 'a\x1b[2J\nb\u2028\ud800': é is fine."


def test_a_label_of_any_length_leaves_a_sentence_that_can_be_read():
    said = str(InputError(f"table.csv: the label {'x' * 10**6} is too long; rename it."))
    assert len(said) == LONGEST
    assert said.startswith("table.csv: the label xxx")
    assert said.endswith("xxx is too long; rename it.")


@pytest.mark.parametrize(
    "label", ["a" * 20_000, "\x1b[2J", "\u200b", "a\u00a0b"], ids=["long", "escape", "none", "blank"]
)
def test_labels_of_files_are_quoted_on_one_line(label, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(f"town,size,value\na,x,1\na,y,2\nb,{label},3\n", encoding="utf-8")
    with pytest.raises(fw.InputError, match="cells have no line") as told:
        fw.read_release(path)
    assert str(told.value).isprintable()
    assert len(str(told.value)) <= LONGEST
