"""Tables of tau-ARGUS: a .tab with its .rda, read as it is; written ones say the same, and nothing that is withheld."""

from __future__ import annotations

import os
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from support.effort import examples
from support.places import reference
from support.small_releases import SQUARE, TABLE, TOWNS, groups, releases, same_facts, same_release, suppressed, told

import fiberwalk as fw
from fiberwalk.release.facts.facts import HIDDEN, NO_VALUE, PRIMARY, PUBLISHED, Protection
from fiberwalk.release.tables.dims import Dim, Level
from fiberwalk.release.tables.hierarchies import tree_of

RDA = """  <SEPARATOR> ";"
Town
  <RECODEABLE>
  <TOTCODE> "T"
  <HIERARCHICAL>
  <HIERCODELIST> "towns.hrc"
  <HIERLEADSTRING> "--"
Size "9"
  <RECODEABLE>
  <TOTCODE> "Total"
  <DISTANCE> 2 4 4 4 4
Turnover
  <NUMERIC>
  <DECIMALS> 1
Firms
  <FREQUENCY>
Price
  <NUMERIC> <COSTVAR>
Top1
  <MAXSCORE>
State
  <STATUS>
Low
  <NUMERIC> <LOWERPL>
High
  <NUMERIC> <UPPERPL>
"""
HRC = "North\n--a\n--b\nc\n"
TAB = """"T";"Total";36,5;12;1;9,0;S;0,01;0,01
"T";"x";14,5;6;1;9,0;S;0,01;0,01
"T";" 2";22,0;6;1;9,0;P;0,01;0,01
"North";"Total";24,5;8;1;9,0;S;0,01;0,01
"North";"x";13,5;5;1;9,0;S;0,01;0,01
"North";" 2";11,0;3;1;9,0;S;0,01;0,01
"a";"x";4,5;2;1;2,5;U;1,25;2
"a";" 2";5,0;2;1;2,5;M;0,01;0,01
"b";"x";9,0;3;1;9,0;11;0,01;0,01
"b";" 2";6,0;1;1;6,0;3;0,7;0,7
"c";"x";1,0;1;1;1,0;S;0,01;0,01
"c";" 2";11,0;3;1;9,0;2;0,01;0,01
"a";"Total";9,5;4;1;2,5;S;0,01;0,01
"b";"Total";15,0;4;1;9,0;S;0,01;0,01
"c";"Total";12,0;4;1;9,0;S;0,01;0,01
"""


def table(tmp_path, tab=TAB, rda=RDA, hrc=HRC):
    for name, text in (("t.tab", tab), ("t.rda", rda), ("towns.hrc", hrc)):
        (tmp_path / name).write_text(text)
    return tmp_path / "t.tab"


def _place(release, labels):
    keys = [tuple(dim.node_labels[node] for dim, node in zip(release.dims, key, strict=True)) for key in release.keys]
    return keys.index(tuple(labels[dim.name] for dim in release.dims))


def test_a_table_is_read_with_what_stands_beside_it(tmp_path):
    release = fw.read_release(table(tmp_path))
    assert [dim.name for dim in release.dims] == ["Town", "Size"]
    assert release.decimals == 1
    assert groups(release)["Town"]["North"] == {"a", "b"}
    first, second = _place(release, {"Town": "a", "Size": "x"}), _place(release, {"Town": "b", "Size": "2"})
    assert release.status[first] == PRIMARY == release.status[second]
    assert release.status[_place(release, {"Town": "a", "Size": "2"})] == HIDDEN
    assert release.status[_place(release, {"Town": "c", "Size": "2"})] == PUBLISHED
    assert release.truth[first] == 45
    assert release.contributors[first] == 2
    assert release.largest[first] == 25
    levels = {tuple(key): level for key, level in release.protection.items()}
    assert levels == {tuple(release.keys[first]): Protection(13, 20), tuple(release.keys[second]): Protection(7, 7)}
    assert fw.bounds(release).shape[0] == 4


def test_other_columns_are_figures_if_they_are_named(tmp_path):
    release = fw.read_release(table(tmp_path), value="Firms")
    assert release.truth[_place(release, {"Town": "a", "Size": "x"})] == 2
    assert release.contributors is None
    only = RDA.replace("Turnover\n  <NUMERIC>\n  <DECIMALS> 1\n", "Turnover\n  <NUMERIC> <SHADOW>\n")
    assert fw.read_release(table(tmp_path, rda=only), largest="Firms").truth.sum() == 12
    turned = fw.read_release(table(tmp_path), dims="Size, Town")
    assert [dim.name for dim in turned.dims] == ["Size", "Town"]


def test_the_next_score_is_the_second_largest_contribution(tmp_path):
    rda = RDA.replace("Price\n  <NUMERIC> <COSTVAR>\n", "").replace(
        "Top1\n  <MAXSCORE>\n", "Top1\n  <MAXSCORE>\nTop2\n  <MAXSCORE>\n"
    )
    fields = [line.split(";") for line in TAB.splitlines()]
    tab = "\n".join(";".join([*row[:4], row[5], "0,5" if row[0] == '"a"' else "", *row[6:]]) for row in fields) + "\n"
    release = fw.read_release(table(tmp_path, tab, rda))
    first = _place(release, {"Town": "a", "Size": "x"})
    assert (release.largest[first], release.second[first]) == (25, 5)
    assert release.second[_place(release, {"Town": "b", "Size": "x"})] == NO_VALUE
    assert fw.read_release(tmp_path / "t.tab", largest="Top2").second is None
    named = fw.read_release(tmp_path / "t.tab", largest="Top1", second="Top2")
    assert named.second.tolist() == release.second.tolist()


def test_labels_whose_digits_are_the_hierarchy(tmp_path):
    rda = '  <SEPARATOR> ;\nCode\n  <RECODEABLE>\n  <TOTCODE> ""\n  <HIERLEVELS> 1 1\nN\n  <NUMERIC>\n'
    release = fw.read_release(table(tmp_path, ";9\n1;5\n11;2\n12;3\n2;4\n21;4\n", rda))
    assert groups(release)["Code"] == {
        "11": {"11"}, "12": {"12"}, "21": {"21"}, "1": {"11", "12"}, "2": {"21"}, "Total": {"11", "12", "21"},
    }  # fmt: skip
    assert release.truth.tolist() == [2, 3, 4]


def test_metadata_elsewhere_and_a_text_with_tabs_that_is_no_table_of_tau_argus(tmp_path):
    path = table(tmp_path)
    (tmp_path / "t.rda").rename(tmp_path / "other.rda")
    release = fw.read_release(path, metadata=tmp_path / "other.rda")
    assert release.n_cells == 6
    plain = tmp_path / "plain.tab"
    plain.write_text("town\tvalue\na\t1\nb\t\nTotal\t3\n")
    assert fw.bounds(fw.read_release(plain)).to_numpy().tolist() == [[2, 2]]
    (tmp_path / "plain.rda").write_bytes(b"RDX3\n\x00\x01<x")  # data of R
    assert fw.read_release(plain).n_cells == 2


def test_a_history_is_said_of_the_cells(tmp_path):
    path, history = table(tmp_path), tmp_path / "t.hst"
    history.write_text("c;x;u\nc;x;PL;0,5;1\nb;2;S\nT;x;C;7\nT;2;P\n")
    release = fw.read_release(path, history=history)
    place = _place(release, {"Town": "c", "Size": "x"})
    assert release.status[place] == PRIMARY
    assert release.protection[tuple(release.keys[place].tolist())] == Protection(5, 10)
    assert release.status[_place(release, {"Town": "b", "Size": "2"})] == PUBLISHED
    assert any("1 cells have costs" in note for note in release.notes)
    assert any("1 cells must be published" in note for note in release.notes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("c;x;PL;1;2\n", "row 1: protection levels are for sensitive cells"),
        ("d;x;U\n", "dim 'Town' has no label 'd'"),
        ("c;x;Q\n", "row 1: 'Q' after the labels; known are S, U, P, M or ML"),
        ("c;x\n", "2 entries where 2 labels and what is said must be"),
        ("c;x;U\nc;x;S\n", "row 2: c, x has two statuses; the other is in .*row 1"),
        ("c;x;C;-3\n", "'-3' cannot be a cost"),
    ],
)
def test_a_history_that_cannot_be(tmp_path, text, words):
    path, history = table(tmp_path), tmp_path / "t.hst"
    history.write_text(text)
    with pytest.raises(fw.InputError, match=words):
        fw.read_release(path, history=history)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tab": TAB.replace('"a";"x";4,5', '"a";"x";4,51')}, "4.51 has more than 1 decimals"),
        ({"tab": TAB.replace('"a";"x";4,5', '"a";"x";4;5')}, "row 7: 10 columns where .*t.rda has 9 variables"),
        ({"tab": TAB.replace('"a";"x";4,5;2;1;2,5;U', '"a";"x";4,5;2;1;2,5;Q')}, "the status 'Q' is unknown; known are S"),
        ({"tab": TAB.replace("1,25;2", "-1,25;2")}, "row 7: '-1,25' cannot be a protection level"),
        ({"tab": TAB.replace('"a";"x";4,5', '"a";"x";-')}, "row 7, column 'Turnover': '-' is an empty cell to some"),
        ({"rda": RDA.replace("<STATUS>", "<STATE>")}, "line 22: the keyword '<STATE>' is unknown"),
        ({"rda": RDA.replace("<STATUS>", "<HOLDING>")}, "<HOLDING> is about microdata"),
        ({"rda": RDA.replace("<RECODEABLE>", "<FREQUENCY>")}, "no variable is a dim"),
        ({"rda": RDA.replace("<DECIMALS> 1", "<DECIMALS> x")}, "<DECIMALS> says 'x' where a number must be"),
        ({"rda": RDA.replace("Firms", "Town")}, "two variables are called 'Town'"),
        ({"rda": "<RECODEABLE>\n" + RDA}, "<RECODEABLE> stands before the name of a variable"),
        ({"rda": RDA.replace('";"', '";;"')}, "the separator ';;' is not one character"),
        ({"rda": RDA.replace("towns.hrc", "C:\\data\\gone.hrc")}, "which is not there .*; say where .* hierarchies="),
        ({"tab": TAB.replace('"c";"x"', '"Total";"x"')}, "the label 'Total', although its total is called 'T'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_in_a_sentence(tmp_path, changes, words):
    with pytest.raises(fw.InputError, match=words):
        fw.read_release(table(tmp_path, **changes))


def test_options_that_do_not_fit(tmp_path):
    path = table(tmp_path)
    with pytest.raises(fw.InputError, match="the dims of the table are Town, Size; dims= must name them all"):
        fw.read_release(path, dims=["Town"])
    with pytest.raises(fw.InputError, match="there is no column 'Turn'; did you mean 'Turnover'"):
        fw.read_release(path, value="Turn")
    (tmp_path / "t.csv").write_text(TAB)
    with pytest.raises(fw.InputError, match="no rda.rda: there is no such file"):
        fw.read_release(tmp_path / "t.csv", metadata=tmp_path / "no rda.rda")
    with pytest.raises(fw.InputError, match="metadata= and sheet= do not go together"):
        fw.read_release(path, metadata="x.rda", sheet="table")


# --- written --------------------------------------------------------------------------------------------------------


@examples(100)
@given(suppressed())
def test_what_was_written_is_read_as_the_same_release(tmp_path_factory, release):
    path = tmp_path_factory.mktemp("tab") / "out.tab"
    release.to_file(path, total="T")
    same_release(fw.read_release(path), release)


@pytest.mark.parametrize("name", releases())
def test_releases_of_every_kind_come_back_or_are_refused(name, tmp_path):
    release = releases()[name]
    try:
        release.to_file(tmp_path / "out.tab")
    except fw.InputError as refusal:
        assert "cannot hold ranges; write CSV" in str(refusal)  # noqa: PT017
        assert name in ("rounded", "bounded by knowledge", "rule known")
        assert os.listdir(tmp_path) == []
    else:
        same_facts(release, fw.read_release(tmp_path / "out.tab"))
        assert told(release) == told(fw.read_release(tmp_path / "out.tab"))


def test_the_files_say_what_tau_argus_asks_for(tmp_path):
    table = fw.table(TABLE, hierarchies=TOWNS)
    replace(fw.suppress(table, where=SQUARE, rule="< 3"), flagged=True).to_file(tmp_path / "out.tab")
    assert sorted(os.listdir(tmp_path)) == ["out.rda", "out.tab", "out_1.hrc"]
    assert (tmp_path / "out_1.hrc").read_text() == "north\n@a\n@b\nsouth\n@c\n"
    assert '  <HIERCODELIST> "out_1.hrc"' in (tmp_path / "out.rda").read_text().splitlines()
    lines = (tmp_path / "out.tab").read_text().splitlines()
    assert {'"a";"x";;U', '"a";"y";;M', '"c";"x";3;S', '"north";"x";8;S'} <= set(lines)


def test_what_such_a_file_cannot_say_is_refused(tmp_path):
    with pytest.raises(fw.InputError, match="cannot say that figures were perturbed at random; write CSV"):
        fw.protect.random_round(TABLE, 3, seed=1).to_file(tmp_path / "out.tab")
    crossing = pd.DataFrame({"side": ["east", "west", "west"], "part": ["north", "north", "south"], "row": list("abc")})
    with pytest.raises(fw.InputError, match=r"has levels that cross.*a .hrc file holds one tree"):
        fw.publish(fw.table(TABLE, hierarchies={"row": crossing}), ["col"]).to_file(tmp_path / "out.tab")
    quoted = TABLE.assign_coords(row=['a"', "b", "c"])
    with pytest.raises(fw.InputError, match="would not survive a table of tau-ARGUS"):
        fw.publish(quoted, ["row"]).to_file(tmp_path / "out.tab")
    assert os.listdir(tmp_path) == []


def test_data_of_r_are_not_written_over(tmp_path):
    (tmp_path / "out.rda").write_bytes(b"RDX3\n\x00")
    with pytest.raises(fw.InputError, match=r"out.rda is there and says nothing about a table; choose another name"):
        fw.publish(TABLE, ["row"]).to_file(tmp_path / "out.tab")
    assert (tmp_path / "out.rda").read_bytes() == b"RDX3\n\x00"
    for _ in range(2):
        fw.publish(TABLE, ["row"]).to_file(tmp_path / "again.tab")
    assert fw.read_release(tmp_path / "again.tab").n_cells == 9


def test_levels_become_a_tree_where_they_are_one():
    nested = Dim("d", ("a", "b", "c"), (Level("top", ("T", "T", "c")), Level("mid", ("M", "b", "c"))))
    assert tree_of(nested) == {"T": ["M", "b"], "M": ["a"]}
    assert tree_of(Dim("d", ("a", "b"), (Level("1", ("x", "y")), Level("2", ("z", "z"))))) == {
        "z": ["x", "y"],
        "x": ["a"],
        "y": ["b"],
    }
    assert tree_of(Dim("d", ("a", "b", "c"), (Level("1", ("x", "x", "y")), Level("2", ("z", "w", "w"))))) is None
    assert tree_of(Dim("d", ("a", "b"), (), (("s", (0, 1)),))) is None


# --- as tau-ARGUS has them ------------------------------------------------------------------------------------------


def test_the_table_of_tau_argus_as_it_is():
    path, hierarchy = reference("tauargus_pp.tab"), reference("tauargus_region2.hrc")
    with pytest.raises(fw.InputError, match=r"its hierarchy in 'region2.hrc', which is not there"):
        fw.read_release(path)
    with pytest.raises(fw.InputError, match="its cells sum to 16847645.84, 1.00 less .* or give slack="):
        fw.read_release(path, hierarchies={"Region": hierarchy})
    release = fw.read_release(path, hierarchies={"Region": hierarchy}, slack=1)
    assert release.decimals == 2
    assert [len(dim.labels) for dim in release.dims] == [8, 13]
    assert groups(release)["Region"]["Os"] == {"4", "5", "6", "7"}
    rows = [line.split(";") for line in path.read_text().splitlines()]
    assert sum(row[8] == "U" for row in rows) == 9 == len(release.protection)
    assert sorted({level.below for level in release.protection.values()}) == [75, 128815]
    values = {(row[0].strip('" '), row[1].strip('" ')): round(float(row[2].replace(",", ".")) * 100) for row in rows}
    cells = [tuple(d.node_labels[n] for d, n in zip(release.dims, key, strict=True)) for key in release.keys]
    assert [values[one] for one in cells] == release.truth.tolist()
    unsafe = {(row[0].strip('" '), row[1].strip('" ')) for row in rows if row[8] == "U"}
    assert {one for one, status in zip(cells, release.status, strict=True) if status == PRIMARY} == unsafe & set(cells)
