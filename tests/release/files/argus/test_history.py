"""A priori files: what is said of single cells beforehand, read as a frame and written again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples

import fiberwalk as fw


def hst(tmp_path, text):
    path = tmp_path / "a.hst"
    path.write_text(text)
    return path


def test_every_line_says_one_thing_of_a_cell(tmp_path):
    path = hst(tmp_path, "a,x,u\na,x,PL,1.5,2\nb,,ML\nT,x,w,20\nb,x,P\na,y,s\n")
    frame = fw.protect.read_history(path, "town,size", total="T")
    assert frame.index.names == ["town", "size"]
    assert list(frame.index) == [("a", "x"), ("b", "Total"), ("Total", "x"), ("b", "x"), ("a", "y")]
    assert frame["status"].tolist() == ["u", "x", "", "z", "s"]
    assert frame.loc[("a", "x"), ["below", "above"]].tolist() == [1.5, 2.0]
    assert frame["cost"].dropna().to_dict() == {("Total", "x"): 20.0}
    assert fw.protect.read_history(path, total="T").index.names == ["A", "B"]


def test_decimal_commas_and_labels_like_statuses(tmp_path):
    path = hst(tmp_path, "S;U;PL;0,5;3\nS;U;U\n")
    frame = fw.protect.read_history(path, ["A", "B"])
    assert frame.iloc[0].tolist() == ["u", pytest.approx(np.nan, nan_ok=True), 0.5, 3.0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a;x;9\n", "row 1: a line has the labels of a cell, then one of S, U, P, M, ML, C, W, PL"),
        ("a;U\na;PL;1\n", "row 2: 'PL 1' after the labels"),
        ("a;U\na;C;1_0\n", "row 2: '1_0' cannot be a cost"),
        ("a;U\nb\n", "row 2: 1 entries where 1 labels and what is said must be"),
    ],
)
def test_lines_that_cannot_be(tmp_path, text, words):
    with pytest.raises(fw.InputError, match=words):
        fw.protect.read_history(hst(tmp_path, text))


def test_what_cannot_be_written_is_refused(tmp_path):
    for frame, words in (
        (pd.DataFrame({"status": ["q"]}, index=["a"]), "the status 'q' is none of"),
        (pd.DataFrame({"price": [1]}, index=["a"]), "no place for 'price'; it holds status, cost, below, above"),
        (pd.DataFrame({"status": ["u"]}, index=["a;b"]), "would not survive an a priori file"),
        (pd.DataFrame({"cost": [-1.0]}, index=["a"]), "-1.0 where a cost or a protection level must be"),
        (pd.DataFrame({"cost": [np.nan]}, index=["a"]), "nothing is said of any cell"),
    ):
        with pytest.raises(fw.InputError, match=words):
            fw.protect.write_history(frame, tmp_path / "out.hst")
    assert not (tmp_path / "out.hst").exists()


AMOUNTS = st.one_of(st.just(float("nan")), st.integers(0, 10**6).map(lambda whole: whole / 8))


@examples(100)
@given(
    st.dictionaries(
        st.tuples(st.sampled_from(["a", "b c", "ö", "Total"]), st.sampled_from(["x", "2", "Total"])),
        st.tuples(st.sampled_from(["s", "u", "x", "z"]), AMOUNTS, AMOUNTS),
        min_size=1,
    )
)
def test_what_was_written_is_read_again(tmp_path_factory, said):
    index = pd.MultiIndex.from_tuples(list(said), names=["town", "size"])
    frame = pd.DataFrame(
        [(status, cost, level, level) for status, cost, level in said.values()],
        index=index,
        columns=["status", "cost", "below", "above"],
    )
    path = tmp_path_factory.mktemp("hst") / "out.hst"
    fw.protect.write_history(frame, path, total="Alle")
    again = fw.protect.read_history(path, ["town", "size"], total="Alle")
    pd.testing.assert_frame_equal(again, frame, check_dtype=False)
