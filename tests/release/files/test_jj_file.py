"""JJ files: what is written can be read again, and bad files are refused by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from support.effort import examples
from support.small_releases import TABLE, releases, same_facts, suppressed, written

import fiberwalk as fw

JJ = """0
9
0 16 1 s 0 99 0 0 0
1 6 1 s 0 99 0 0 0
2 10 1 s 0 99 0 0 0
3 9 1 s 0 99 0 0 0
4 7 1 s 0 99 0 0 0
5 1 1 u 0 99 1 2 0
6 5 1 m 0 99 0 0 0
7 8 1 m 0 99 0 0 0
8 2 1 u 1 99 1 1 0
6
0 3 : 0 (-1) 1 (1) 2 (1)
0 3 : 0 (-1) 3 (1) 4 (1)
0 3 : 1 (-1) 5 (1) 6 (1)
0 3 : 2 (-1) 7 (1) 8 (1)
0 3 : 3 (-1) 5 (1) 7 (1)
0 3 : 4 (-1) 6 (1) 8 (1)
"""


@pytest.mark.parametrize("kind", ["suppressed", "with a withheld total", "few margins", "margins only", "magnitudes",
                                  "bounded by knowledge"])  # fmt: skip
def test_what_is_written_as_jj_is_read_again(kind, tmp_path):
    release = releases()[kind]
    path = tmp_path / "out.jj"
    release.to_file(path)
    back = fw.read_release(path, decimals=release.decimals)
    same_facts(release, back)
    assert back.truth is not None
    assert sorted(back.truth) == sorted(release.truth)


@examples(60)
@given(suppressed())
def test_random_tables_come_back(tmp_path_factory, release):
    path = tmp_path_factory.mktemp("jj") / "out.jj"
    release.to_file(path)
    back = fw.read_release(path, decimals=release.decimals)
    assert back.truth.tolist() == release.truth.tolist()
    assert back.status.tolist() == release.status.tolist()
    assert fw.bounds(back).to_numpy().tolist() == fw.bounds(release).to_numpy().tolist()


def test_a_jj_file(tmp_path):
    release = fw.read_release(written(tmp_path, JJ, "table.jj"))
    assert [dim.name for dim in release.dims] == ["cell"]
    bounds = fw.bounds(release)
    assert bounds.index.get_level_values("cell").tolist() == ["5", "6", "7", "8"]
    assert bounds.to_numpy().tolist() == [[0, 6], [0, 6], [3, 9], [1, 7]]
    audit = fw.audit(release)
    assert audit.cells.loc[("8",), "truth"] == 2
    protection = audit.protection()
    assert protection.loc[("5",), ["wanted_lower", "wanted_upper", "protected"]].tolist() == [0, 3, True]
    wide = fw.audit(fw.read_release(written(tmp_path, JJ.replace("5 1 1 u 0 99 1 2 0", "5 1 1 u 0 99 1 2 9"), "w.jj")))
    assert not wide.protection().loc[("5",), "protected"]  # 0..6 is not 9 wide
    # the same content under another name is recognised by its first lines
    same_facts(release, fw.read_release(written(tmp_path, JJ, "table.txt")))


def test_a_hidden_total_of_a_jj_file_is_a_question(tmp_path):
    text = JJ.replace("1 6 1 s", "1 6 1 m").replace("2 10 1 s", "2 10 1 m")
    bounds = fw.bounds(fw.read_release(written(tmp_path, text, "table.jj")))
    assert bounds.loc[("1",)].tolist() == [0, 15]  # cell 8, within total 2, is known to be at least 1


def test_jj_files_cut_short_anywhere_are_refused(tmp_path):
    lines = JJ.splitlines()
    for end in range(len(lines)):
        with pytest.raises(fw.InputError, match=r"table.jj"):
            fw.read_release(written(tmp_path, "\n".join(lines[:end]), "table.jj"))
    with pytest.raises(fw.InputError, match="line 13: a relation reads 'rhs k : id"):
        fw.read_release(written(tmp_path, JJ.replace("0 3 : 0 (-1) 1 (1) 2 (1)", "0 3 : 0 (-1) 1 (1)"), "table.jj"))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("0\n9", "1\n9", "begins with a line that says 0"),
        ("5 1 1 u", "5 1 1 q", "line 8: the status 'q' is unknown"),
        ("5 1 1 u", "5 one 1 u", "line 8: 'one' is not a number"),
        ("5 1 1 u 0 99 1 2 0", "5 1 1 u 0 99 1 2", "line 8: 8 entries where a cell has nine"),
        ("6 5 1 m", "5 5 1 m", "line 9: cell 5 is given twice"),
        ("4 (-1) 6 (1) 8 (1)", "4 (-1) 6 (1) 88 (1)", "names cell 88, which the file does not have"),
        ("1 6 1 s", "1 5 1 s", "1 is 5, but its cells sum to 6"),
        ("0 3 : 0 (-1) 3 (1) 4 (1)", "0 3 : 0 (-1) 3 (1) 1 (1)", "cells sum to|not 0|counts cell"),
        ("\n9\n", "\nnine\n", "where the number of cells must be"),
    ],
)
def test_bad_jj_files(old, new, words, tmp_path):
    assert old in JJ
    with pytest.raises(fw.InputError, match=words):
        fw.read_release(written(tmp_path, JJ.replace(old, new), "table.jj"))


def test_jj_takes_no_columns(tmp_path):
    with pytest.raises(fw.InputError, match="a JJ file has no columns to name"):
        fw.read_release(written(tmp_path, JJ, "table.jj"), value="x")


def test_jj_does_not_invent_limits(tmp_path):
    release = fw.suppress(TABLE, where=TABLE > 0, margins=[])
    release.to_file(tmp_path / "out.jj")
    with pytest.raises(fw.InputError, match="has no upper limit"):
        fw.bounds(fw.read_release(tmp_path / "out.jj"))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("0 3 : 4 (-1)", "abc 3 : 4 (-1)", "line 18: 'abc' is not a number"),
        ("0 3 : 4 (-1)", "0 ³ : 4 (-1)", "line 18: a relation reads"),
        ("\n9\n", "\n²\n", "where the number of cells must be"),
        ("6 (1) 8 (1)\n", "6 (1) junk 8 (1)\n", "line 18: a relation reads"),
        ("\n6\n0 3 : 0", "\n5\n0 3 : 0", "line 18: there is more after the 5 relations"),
        ("5 1 1 u 0 99", "5 1 1 u nan 99", "'nan' where a number must be"),
        ("8 2 1 u 1 99", "8 2 1 u 3 99", "line 11: the value is not in its own range"),
        ("0 3 : 4 (-1)", f"0 3 : 4 (-{'1' * 5000})", "line 18: -1{39}... is too large"),
        ("\n9\n", f"\n{'9' * 5000}\n", "where the number of cells must be"),
        ("5 1 1 u", f"5 {'1' * 5000} 1 u", "line 8: 1{40}... is too large to be held exactly"),
        ("5 1 1 u", "5 1 1 14", "status 14 means an empty cell, but its value is 1"),
    ],
)
def test_more_bad_jj_files(old, new, words, tmp_path):
    assert old in JJ
    with pytest.raises(fw.InputError, match=words):
        fw.read_release(written(tmp_path, JJ.replace(old, new), "table.jj"))


def chain_of_totals(length: int, last: int) -> str:
    """Cells 1, 2, ... of 1 each, and totals of the first two, three, ... of them, each made of the one before."""
    cells = [f"{i} 1 1 s 0 9 0 0 0" for i in range(1, length + 1)]
    cells += [f"{length + i} {i} 1 s 0 {10 * length} 0 0 0" for i in range(2, length + 1)]
    totals = [1, *range(length + 2, 2 * length + 1)]
    rows = [f"0 3 : {length + i} (-1) {totals[i - 2]} (1) {i} (1)" for i in range(2, length + 1)]
    rows += [f"0 2 : {last} (-1) {2 * length} (1)"] if last else []
    return "\n".join(["0", str(len(cells)), *cells, str(len(rows)), *rows]) + "\n"


def test_a_long_chain_of_totals_is_read(tmp_path):
    release = fw.read_release(written(tmp_path, chain_of_totals(1500, 0), "table.jj"))
    assert (release.n_cells, len(release.sums)) == (1500, 1499)


def test_a_long_circle_of_totals_is_refused(tmp_path):
    with pytest.raises(fw.InputError, match="is a total of itself, through"):
        fw.read_release(written(tmp_path, chain_of_totals(1500, 1), "table.jj"))


def test_jj_totals_within_a_tolerance(tmp_path):
    path = written(tmp_path, JJ.replace("1 6 1 s", "1 7 1 s"), "table.jj")
    with pytest.raises(fw.InputError, match="but its cells sum to 6, 1 less"):
        fw.read_release(path)
    assert fw.bounds(fw.read_release(path, slack=1)).loc[("5",), "upper"] >= 6
