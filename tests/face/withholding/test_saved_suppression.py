"""A suppression that was saved says everything again that it said before, or in a sentence why it cannot."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest

import fiberwalk as fw

TABLE = pd.DataFrame([[1, 5, 4], [7, 2, 6], [3, 8, 9]], index=list("abc"), columns=list("xyz"))
TABLE.index.name, TABLE.columns.name = "row", "col"
CELL = {"row": "a", "col": "x"}
LABELS = pd.MultiIndex.from_product([TABLE.index, TABLE.columns])
LINKED = [
    pd.DataFrame([[1, 9], [8, 2]], pd.Index(["1", "2"], name="town"), pd.Index(["s", "l"], name="size")),
    pd.DataFrame([[2, 8], [7, 3]], pd.Index(["1", "2"], name="town"), pd.Index(["y", "o"], name="age")),
]
WISHES = {
    "rule": dict(rule="< 3", percent=50, minimise="counts"),
    "cells": dict(where=[CELL], keep=["totals", {"row": "c", "col": "z"}], prefer=[{"row": "b", "col": "x"}], above=1),
    "table": dict(where=TABLE < 2, below=TABLE // 5, secondary_zeros=True),
    "series": dict(
        where=pd.Series([*([True] + [False] * 8)], LABELS),
        width=pd.Series(range(9), LABELS),
        minimise=pd.Series(np.arange(9) / 4 + 1, LABELS),
        withheld=pd.Series([False, True] + [False] * 7, LABELS),
    ),
    "names": dict(rule="< 3", alone=np.array([["p", "", ""], ["", "p", ""], ["", "", "q"]], dtype=object)),
    "until": dict(rule="< 3", until="p <= 0.6", law=["uniform", fw.laws.expected(TABLE + 0.5)]),
}


def loaded(result, path):
    result.save(path)
    return fw.load(path)


@pytest.mark.parametrize("wishes", WISHES.values(), ids=WISHES)
def test_what_is_loaded_says_the_same(wishes, tmp_path):
    result = fw.protect.suppression(TABLE, seed=3, **wishes)
    again = loaded(result, tmp_path / "s.fw")
    assert repr(again) == repr(result)
    for name in ("cost", "at_least", "proven", "words", "seed", "knows", "targets", "laws"):
        assert getattr(again, name) == getattr(result, name)
    pd.testing.assert_frame_equal(again.figures, result.figures)
    for one, name in ((result, "x.csv"), (again, "y.csv")):
        one.release.to_file(tmp_path / name)
    assert (tmp_path / "x.csv").read_bytes() == (tmp_path / "y.csv").read_bytes()
    assert again.release.notes == result.release.notes
    pd.testing.assert_frame_equal(again.audit().cells, result.audit().cells)
    again.save(tmp_path / "t.fw")
    assert fw.load(tmp_path / "t.fw").words == result.words


@pytest.mark.parametrize("wishes", WISHES.values(), ids=WISHES)
def test_what_is_loaded_poses_the_same_problem_for_other_tables(wishes, tmp_path):
    """Whatever was said figure by figure stays what it was."""
    result = fw.protect.suppression(TABLE, seed=3, **wishes)
    task, again = result.withheld.problem, loaded(result, tmp_path / "s.fw").withheld.problem
    for truth in ([1, 6, 3, 7, 1, 7, 3, 8, 9], [2, 4, 4, 6, 3, 6, 3, 8, 9]):
        here, there = task.for_table(truth), again.for_table(truth)
        for name in ("primary", "before", "open", "cost", "per", "minimise", "fixed"):
            assert np.array_equal(getattr(here, name), getattr(there, name)), name
        for name in ("figures", "below", "above", "width"):
            assert np.array_equal(getattr(here.sensitive, name), getattr(there.sensitive, name)), name
        assert [mine.tolist() for mine in here.alone] == [mine.tolist() for mine in there.alone]


def test_the_intruder_who_knows_the_program_learns_the_same(tmp_path):
    result = fw.protect.suppression(TABLE, rule="< 3", seed=1)
    again = loaded(result, tmp_path / "s.fw")
    asked = dict(knows="algorithm", seeds=50)
    pd.testing.assert_frame_equal(again.audit(**asked).cells, result.audit(**asked).cells)


def test_linked_tables_and_hierarchies_come_back(tmp_path):
    result = fw.protect.suppression(LINKED, rule="< 3", percent=50, alone=[LINKED[0] == 1, LINKED[1] == 3], seed=1)
    again = loaded(result, tmp_path / "s.fw")
    pd.testing.assert_frame_equal(again.figures, result.figures)
    other = result.withheld.problem.figures.start.truth
    assert again.withheld.problem.for_table(other).alone[0].tolist() == result.withheld.problem.alone[0].tolist()
    nested = fw.table(TABLE, hierarchies={"row": {"ab": ["a", "b"]}})
    result = fw.protect.suppression(nested, rule="< 3", seed=1)
    assert loaded(result, tmp_path / "s.fw").figures.equals(result.figures)


def test_what_no_file_can_hold_is_said_when_it_is_asked_for(tmp_path):
    result = fw.protect.suppression(TABLE, where=lambda figures: figures < 3, seed=1)
    again = loaded(result, tmp_path / "s.fw")
    assert again.figures.equals(result.figures)
    with pytest.raises(fw.InputError, match="loaded from a file, which cannot hold the functions that said what was"):
        again.audit(knows="algorithm")
    with pytest.raises(fw.InputError, match="out of a file only what was asked for without functions"):
        again.withheld.problem.for_table(TABLE.to_numpy().ravel())

    class Own:
        name, words = "mine", "small values are likely"

        def on(self, release):
            return lambda cell, first, last: -np.arange(first, last + 1.0)

    result = fw.protect.suppression(TABLE, rule="< 3", until="p <= 0.6", law=Own(), seed=1)
    again = loaded(result, tmp_path / "s.fw")
    assert again.words == result.words
    with pytest.raises(fw.InputError, match="cannot hold the weights of a law of your own; suppress again with law="):
        again.audit(knows="algorithm")


def test_the_file_is_for_the_agency_alone_and_a_damaged_one_is_refused(tmp_path):
    path = tmp_path / "s.fw"
    path.write_text("")
    path.chmod(0o644)
    fw.protect.suppression(TABLE, rule="< 3", seed=1).save(path)
    if os.name == "posix":
        assert path.stat().st_mode & 0o077 == 0
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(fw.InputError, match=r"s\.fw: the file is damaged or was cut short"):
        fw.load(path)
