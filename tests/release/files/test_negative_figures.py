"""Files and crosstabs of cells that may be negative: what is stated of all, or told of every hidden one, line by line."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples
from support.small_releases import same_facts, written

import fiberwalk as fw

KNOWN = {"at_least": -50, "at_most": 100}
SQUARE = [{"A": a, "B": b} for a in "12" for b in "12"]
LONG = "A,B,value\n1,1,\n1,2,\n1,3,-7\n2,1,\n2,2,\n2,3,4\n1,Total,8\n2,Total,19\nTotal,1,-10\nTotal,2,40\nTotal,3,-3\n"


def profits(**known) -> fw.Release:
    return fw.suppress(fw.table([[-20, 35, -7], [10, 5, 4]], **known), where=SQUARE)


@pytest.mark.parametrize(
    ("made", "ending"),
    [(made, ending) for made in ("suppressed", "margins", "rounded", "decimals") for ending in (".csv", ".parquet", ".jj")
     if (made, ending) != ("rounded", ".jj")],  # of rounded totals a JJ file makes hidden ones, which are questions
)  # fmt: skip
def test_what_is_written_is_read_again(ending, made, tmp_path):
    """Hidden cells have their limits in the file, so that nothing needs to be stated again."""
    table = fw.table([[-20, 35, -7], [10, 5, 4]], **KNOWN)
    release = {
        "suppressed": lambda: fw.suppress(table, where=SQUARE),
        "margins": lambda: fw.publish(table, ["A", "B"]),
        "rounded": lambda: fw.round_to(table, 5),
        "decimals": lambda: fw.suppress(fw.table([[-2.5, 3.5], [1, -0.5]], decimals=1, **KNOWN), where=SQUARE),
    }[made]()
    release.to_file(tmp_path / f"out{ending}")
    back = fw.read_release(tmp_path / f"out{ending}", decimals=release.decimals)
    same_facts(release, back)
    assert back.signed
    assert back.beforehand == f"cells may be negative, within the limits that {tmp_path / f'out{ending}'} tells"


@examples(60)
@given(st.integers(0, 2**32 - 1))
def test_files_with_their_statement_say_what_the_release_says(tmp_path_factory, seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(-9, 10, (3, 2))
    known = {"at_least": -int(rng.integers(9, 20)), "at_most": int(rng.integers(10, 20))}
    release = fw.suppress(fw.table(values, **known), where=rng.random((3, 2)) < 0.7) if rng.random() < 0.7 else (
        fw.publish(fw.table(values, **known), ["B"])
    )  # fmt: skip
    path = tmp_path_factory.mktemp("files") / "out.csv"
    release.to_file(path)
    same_facts(release, fw.read_release(path, **known))
    if (release.status == 0).sum() or len(release.sums) > 2:
        frame = release.crosstab()
        if "All" in frame.index:
            same_facts(release, fw.from_crosstab(frame, **known))


def test_what_is_stated_of_a_file(tmp_path):
    path = written(tmp_path, LONG)
    same_facts(profits(**KNOWN), fw.read_release(path, **KNOWN))
    release = fw.read_release(path, at_least=-50)
    assert release.notes[0] == "every cell is at least -50, which is assumed"
    assert fw.bounds(release).to_numpy().tolist() == [[-50, 40], [-25, 65], [-50, 40], [-25, 65]]
    own = written(tmp_path, "A,value,status\n1,-20,x\n2,30,x\n3,1,s\nTotal,11,s\n", "own.csv")
    assert fw.read_release(own, known_within=10).lower.tolist() == [-22, 27, 1]


def test_a_file_in_which_every_hidden_cell_has_its_limits(tmp_path):
    rows = "A,value,status,lower,upper\n1,,x,-9,9\n2,,x,-9,9\n3,-4,s,,\nTotal,1,s,,\n"
    release = fw.read_release(written(tmp_path, rows))
    assert fw.bounds(release).to_numpy().tolist() == [[-4, 9], [-4, 9]]
    with pytest.raises(fw.InputError, match=r"row 3: A=2 has no lower limit, and cells may be negative: say between"):
        fw.read_release(written(tmp_path, rows.replace("2,,x,-9,9", "2,,x,,9")))


@pytest.mark.parametrize(
    ("text", "known", "words"),
    [
        (LONG, {}, "row 4: -7 is negative; say between which values everybody knows the cells to lie with at_least= and "
                   "at_most=, or known_within=."),
        (LONG, {"at_least": 0}, "row 4: -7 is negative; say between"),
        (LONG, {"at_least": -5}, "cell A=1, B=3 is -7, and it is said that every cell is at least -5; state what is true of "
                                 "all."),
        (LONG, {"known_within": 10}, "known_within=10: the true value of cell A=1, B=1 is not known here; say what is known "
                                     "of the cells with at_least= and at_most=."),
        (LONG, {"at_least": -3, "at_most": -5}, "leave the cells nothing: at least -3 and at most -5."),
        ("A,value,lower,upper\n1,-40,-41,-39\n2,3,2,4\nTotal,-37,,\n", {"at_least": -20},
         "row 2: the range of A=1 and what is said of all cells leave no value."),
    ],
)  # fmt: skip
def test_figures_that_are_refused(tmp_path, text, known, words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        fw.read_release(written(tmp_path, text), **known)


def test_figures_of_counts_near_0_are_counts(tmp_path):
    """A rounded 0 may have a range that begins below it: the cell is a count all the same."""
    rows = "A,value,lower,upper\n1,0,-2,2\n2,5,3,7\nTotal,5,,\n"
    release = fw.read_release(written(tmp_path, rows))
    assert not release.signed
    assert release.lower.tolist() == [0, 3]


def test_contributions_to_cells_that_may_be_negative(tmp_path):
    rows = "A,value,N_OBS,MAX\n1,-4,2,5\n2,7,1,7\nTotal,3,3,7\n"
    with pytest.raises(fw.InputError, match="the largest contribution to one is no part of it; leave largest= out"):
        fw.read_release(written(tmp_path, rows), at_least=-10)
