"""Long files: what is written can be read again, the dialects in use are understood, and bad files are refused by name."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from support.effort import examples
from support.small_releases import SQUARE, TABLE, TOWNS, releases, same_facts, same_release, suppressed, written

import fiberwalk as fw

LONG = """row,col,value
a,x,
a,y,
a,z,4
b,x,
b,y,
b,z,6
a,Total,10
b,Total,15
Total,x,8
Total,y,7
Total,z,10
Total,Total,25
"""


@pytest.mark.parametrize("kind", releases())
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_is_written_long_is_read_again(kind, ending, tmp_path):
    release = releases()[kind]
    path = tmp_path / f"out.{ending}"
    release.to_file(path)
    back = fw.read_release(path, decimals=release.decimals)
    same_facts(release, back)
    assert back.truth is None or not len(release.hidden)
    assert os.listdir(tmp_path) == [f"out.{ending}"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@examples(60)
@given(release=suppressed())
def test_random_releases_come_back(tmp_path_factory, ending, release):
    path = tmp_path_factory.mktemp("long") / f"out.{ending}"
    release.to_file(path, total="T")
    same_release(fw.read_release(path, total="T", decimals=release.decimals), release)


def test_the_truth_is_never_in_a_long_file(tmp_path):
    fw.suppress(TABLE * 1000, where=SQUARE).to_file(tmp_path / "out.csv")
    text = (tmp_path / "out.csv").read_text()
    for hidden in ("1000", "5000", "7000", "2000"):
        assert f",{hidden}," not in text


def test_a_hierarchy_is_written_and_read_again(tmp_path):
    release = fw.suppress(fw.table(TABLE, hierarchies=TOWNS), where=SQUARE)
    release.to_file(tmp_path / "out.csv")
    text = (tmp_path / "out.csv").read_text()
    assert "north,Total,,25,s" in text
    same_facts(release, fw.read_release(tmp_path / "out.csv"))  # the groups stand in a column called "row:1"


def test_a_redesigned_table_is_written_and_read_again(tmp_path):
    release = fw.merge(TABLE, {"row": {"a or b": ["a", "b"]}})
    for name in ("out.csv", "out.parquet"):
        release.to_file(tmp_path / name)
        same_facts(release, fw.read_release(tmp_path / name))


def test_a_plain_long_file(tmp_path):
    release = fw.read_release(written(tmp_path, LONG))
    assert fw.bounds(release).to_numpy().tolist() == [[0, 6], [0, 6], [2, 8], [1, 7]]


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace(",", ";"),
        lambda t: t.replace(",", "\t"),
        lambda t: t.replace("\n", "\r\n"),
        lambda t: "\ufeff" + t,
        lambda t: t.replace("a,x,\n", "a,x,NA\n"),
        lambda t: t.replace("value", "Freq"),
        lambda t: t.replace("\n", "\n\n"),
        lambda t: "\n".join(f'"{line}"'.replace(",", '","') for line in t.strip().split("\n")),
    ],
    ids=["semicolons", "tabs", "CRLF", "byte order mark", "NA", "another name", "blank lines", "quotes"],
)
def test_long_files_as_they_are_found(change, tmp_path):
    same_facts(fw.read_release(written(tmp_path, change(LONG))), fw.read_release(written(tmp_path, LONG, "plain.csv")))


def test_a_file_without_a_header(tmp_path):
    body = LONG.partition("\n")[2]
    release = fw.read_release(written(tmp_path, body), header=False, dims=["row", "col"])
    same_facts(release, fw.read_release(written(tmp_path, LONG, "plain.csv")))
    assert [dim.name for dim in fw.read_release(written(tmp_path, body), header=False).dims] == ["A", "B"]
    with pytest.raises(fw.InputError, match="2 dims by its columns, but dims= names 3"):
        fw.read_release(written(tmp_path, body), header=False, dims=["a", "b", "c"])


DIALECTS = {
    "sdcTable": ("s", "u", "x", "z"),
    "sdcTable, weak": ("s", "u", "w", "z"),
    "JJ": ("s", "u", "m", "z"),
    "tau-ARGUS": ("1", "5", "11", "10"),
    "tau-ARGUS, manual": ("2", "9", "12", "10"),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_statuses_in_every_dialect(dialect, tmp_path):
    safe, primary, secondary, other = DIALECTS[dialect]
    lines = ["row,col,freq,status"]
    for (i, row), (j, col) in [(r, c) for r in enumerate("ab") for c in enumerate("xyz")]:
        code = {(0, 0): primary, (1, 1): primary, (0, 1): secondary, (1, 0): secondary}.get((i, j), other)
        lines.append(f"{row},{col},{int(TABLE[i, j])},{code}")
    lines += [f"{r},Total,{int(TABLE[i].sum())},{safe}" for i, r in enumerate("ab")]
    lines += [f"Total,{c},{int(TABLE[:2, j].sum())},{safe}" for j, c in enumerate("xyz")]
    release = fw.read_release(written(tmp_path, "\n".join(lines)))
    assert release.truth is not None  # the agency's own file: hidden rows carry their values
    assert release.hidden.tolist() == [0, 1, 3, 4]
    assert fw.bounds(release.knows_rule("< 3")).loc[("a", "x")].tolist() == [1, 1]


def test_empty_cells_and_unknown_codes(tmp_path):
    text = "x,value,status\na,,14\nb,3,1\nc,2,1\n"
    release = fw.read_release(written(tmp_path, text))
    assert release.upper.tolist() == [0, 3, 2]
    with pytest.raises(fw.InputError, match=r"release.csv, row 2: the status 'q' is unknown; known are s, z"):
        fw.read_release(written(tmp_path, text.replace(",14", ",q")))
    with pytest.raises(fw.InputError, match="row 3: status 's' means published, but column 'value' has no number"):
        fw.read_release(written(tmp_path, "x,value,status\na,1,s\nb,,s\n"))
    with pytest.raises(fw.InputError, match="row 3: status '13' means an empty cell, but its value is 3"):
        fw.read_release(written(tmp_path, "x,value,status\na,1,1\nb,3,13\n"))


def test_missing_cells_are_asked_about(tmp_path):
    text = LONG.replace("a,x,\n", "").replace("b,z,6\n", "")
    with pytest.raises(fw.InputError, match="2 of 6 cells have no line, first row=a, col=x; say missing='zero'"):
        fw.read_release(written(tmp_path, text))
    hidden = fw.read_release(written(tmp_path, text), missing="hidden")
    assert len(hidden.hidden) == 5
    assert any("2 cells without a line are taken as hidden" in note for note in hidden.notes)
    with pytest.raises(fw.InputError, match="missing='gone': it is one of"):
        fw.read_release(written(tmp_path, text), missing="gone")


def test_totals_that_do_not_add_up(tmp_path):
    complete = (
        LONG.replace("a,x,\n", "a,x,1\n").replace("a,y,\n", "a,y,5\n").replace("b,x,", "b,x,7").replace("b,y,", "b,y,2")
    )
    wrong = complete.replace("a,Total,10", "a,Total,13")
    with pytest.raises(fw.InputError, match="row 8: row=a, col=Total is 13, but its cells sum to 10, 3 less"):
        fw.read_release(written(tmp_path, wrong))
    # A stated tolerance turns totals into ranges, for tables whose totals were rounded.
    rounded = fw.read_release(written(tmp_path, LONG.replace("a,Total,10", "a,Total,11")), slack=1)
    assert fw.bounds(rounded).loc[("a", "x"), "upper"] >= 6
    assert any("may be 1 off" in note for note in rounded.notes)
    with pytest.raises(fw.Contradiction, match="contradict each other"):
        fw.bounds(fw.read_release(written(tmp_path, LONG.replace("a,Total,10", "a,Total,13"))))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "release.csv: the file is empty"),
        (b"\x00\x01\x02binary", "release.csv: this is a binary file"),
        ("row,col,value\n", "release.csv: the file has no rows below its header"),
        (LONG.replace("b,x,\n", "b,x\n"), "release.csv, row 5: 2 columns where the header has 3"),
        (",".join(f"c{i}" for i in range(1000)) + "\n", "release.csv: 1000 columns; a release is a long file"),
        (LONG.replace("a,z,4", "a,z,four"), "not clear which column|row 4.*'four' is not a number"),
        (LONG.replace("a,z,4", "a,z,-4"), "release.csv, row 4: -4 is negative"),
        (LONG.replace("a,z,4", "a,z,4.5"), "release.csv, row 4, column 'value': 4.5 is not a whole number"),
        (LONG.replace("a,z,4", "a,z,inf"), "release.csv, row 4, column 'value': 'inf' where a number must be"),
        (LONG + "a,z,4\n", r"row=a, col=z is given twice \(row 4 and row 14\)"),
        (LONG.replace("a,z,4", ",z,4"), "release.csv, row 4: no label in column 'row'"),
        (LONG.replace("row,col", "row,row"), "two columns are called 'row'"),
        ('row,col,value\n"a,x,1\n', "not a well-formed CSV file"),
        ("value\n3\n", "no column is left for a dim"),
    ],
    ids=range(14),
)
def test_bad_long_files(content, words, tmp_path):
    with pytest.raises(fw.InputError, match=words):
        fw.read_release(written(tmp_path, content))


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(fw.InputError, match="nothing.csv: there is no such file"):
        fw.read_release(tmp_path / "nothing.csv")
    with pytest.raises(fw.InputError, match="this is a folder, not a file"):
        fw.read_release(tmp_path)
    with pytest.raises(fw.InputError, match="not a readable Parquet file"):
        fw.read_release(written(tmp_path, "hello", "x.parquet"))
    with pytest.raises(fw.InputError, match="there is no column 'colour'"):
        fw.read_release(written(tmp_path, LONG), dims=["row", "colour"])
    with pytest.raises(fw.InputError, match="a hierarchy is given for 'rows'; did you mean 'row'"):
        fw.read_release(written(tmp_path, LONG), hierarchies={"rows": TOWNS["row"]})


def test_the_public_turnover_table_with_its_hierarchy(tmp_path):
    """Three levels of activity, totals included, some combinations absent: the shape of files agencies exchange."""
    levels = pd.DataFrame(
        {"A10": ["P", "P", "Q", "Q"], "A21": ["p1", "p2", "q1", "q1"], "A88": ["01", "02", "03", "04"]}
    )
    values = {"01": (5.5, 1.25), "02": (2.0, 3.5), "03": (1.0, 0.0), "04": (7.25, 8.0)}
    rows = []
    for level in ("A10", "A21", "A88"):
        for group, part in levels.groupby(level):
            sums = np.sum([values[code] for code in part["A88"]], axis=0)
            rows += [(group, "s", sums[0]), (group, "t", sums[1]), (group, "Total", sums.sum())]
    grand = np.sum(list(values.values()), axis=0)
    rows += [("Total", "s", grand[0]), ("Total", "t", grand[1]), ("Total", "Total", grand.sum())]
    frame = pd.DataFrame(rows, columns=["ACTIVITY", "SIZE", "TOT"]).drop_duplicates(["ACTIVITY", "SIZE"])
    hide = frame["ACTIVITY"].isin(["03", "04"]) & frame["SIZE"].isin(["s", "t"])
    frame.loc[hide, "TOT"] = np.nan
    path = tmp_path / "turnover.csv"
    frame.to_csv(path, index=False)
    levels.to_csv(tmp_path / "levels.csv", index=False)
    release = fw.read_release(
        path, dims=["ACTIVITY", "SIZE"], value="TOT", decimals=2, hierarchies={"ACTIVITY": str(tmp_path / "levels.csv")}
    )
    bounds = fw.bounds(release)
    assert bounds.loc[("03", "s")].tolist() == [0.0, 1.0]
    assert bounds.loc[("04", "t")].tolist() == [7.0, 8.0]
    assert fw.audit(release).cells["support"].tolist() == [101] * 4


def test_flags_that_nobody_sees_are_not_in_the_file(tmp_path):
    secondary = [{"row": "a", "col": "y"}, {"row": "b", "col": "x"}]
    for seen in (False, True):
        fw.suppress(TABLE, where=secondary, rule="< 3", rule_known=True, flags=seen).to_file(tmp_path / "out.csv")
        assert (",,u," in (tmp_path / "out.csv").read_text()) == seen


def test_names_that_a_file_could_not_give_back_are_refused(tmp_path):
    path = tmp_path / "out.csv"
    for table, words in [
        (TABLE.rename(row="value"), "cannot have a dim called 'value'"),
        (TABLE.rename(row="lower"), "cannot have a dim called 'lower'"),
        (TABLE.assign_coords(row=[" a", "b", "c"]), "the label ' a' would not survive"),
    ]:
        with pytest.raises(fw.InputError, match=words):
            fw.publish(table, [""]).to_file(path)
    with pytest.raises(fw.InputError, match="has a label 'a'; choose another total="):
        fw.publish(TABLE, [""]).to_file(path, total="a")
    fw.publish(TABLE, [""]).to_file(path, total="Sum")
    assert fw.count(fw.read_release(path, total="Sum")) == fw.count(fw.publish(TABLE, [""]))


def test_rounded_figures_survive_with_their_law(tmp_path):
    release = fw.round_to(TABLE.isel(row=[0, 1], col=[0, 1]), base=3)
    release.to_file(tmp_path / "out.csv")
    back = fw.read_release(tmp_path / "out.csv")
    for law in ("uniform", "hypergeometric"):
        one, two = fw.audit(release, law).cells, fw.audit(back, law).cells
        assert one["entropy"].to_numpy() == pytest.approx(two["entropy"].to_numpy())
        assert len(one) == len(two)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (",,,\n,,\n", "the file is empty"),
        ('""\n', "the file is empty"),
        ("\n" + LONG.replace("a,z,4", "a,z,four").replace("\n", "\n\n"), "row 8.*'four' is not a number"),
        (LONG.replace("Total", "All"), "column 'row' has no total called 'Total' but the label 'All'.*say total='All'"),
        (",row,col,value\n0,a,x,1\n1,a,y,2\n", "column 1 has no name; are these row numbers"),
        ("a,value,status,lower,upper\n1,,u,,\n2,,x,,\nTotal,,x,9,7\n", "row 4: the range from 9 to 7 is empty"),
        ("a,value,status,lower,upper\n1,5,s,7,9\n2,,x,,\nTotal,12,s,,\n", "row 2: the value is not in its own range"),
        ("a,value\n1,9007199254740993\n2,1\n", "too large to be held exactly"),
        ("a,value\n1,0_5\n2,1\n", "not clear which column|'0_5' is not a number"),
        (
            "\n".join(["a,b,c,value", *(f"{i},{i},{i},1" for i in range(300))]),
            "'a' has the most labels \\(300\\)",
        ),
    ],
    ids=range(10),
)
def test_more_bad_long_files(content, words, tmp_path):
    with pytest.raises(fw.InputError, match=words):
        fw.read_release(written(tmp_path, content), value="value" if "four" in content or "0_5" in content else None)


def test_line_ends_of_old_machines(tmp_path):
    same_facts(fw.read_release(written(tmp_path, LONG.replace("\n", "\r"))), fw.read_release(written(tmp_path, LONG)))


def test_bad_settings_for_files(tmp_path):
    path = written(tmp_path, LONG)
    with pytest.raises(fw.InputError, match="slack= must be at least 0"):
        fw.read_release(path, slack=-1)
    for decimals in (400, -1, "1", None):
        with pytest.raises(fw.InputError, match="decimals must be a whole number from 0 to 12"):
            fw.read_release(path, decimals=decimals)
    for thing in (None, 5):
        with pytest.raises(fw.InputError, match="a file is named by its path"):
            fw.read_release(thing)
    assert fw.count(fw.read_release(path, dims="row,col")) == 7


def test_a_parent_column_in_a_file(tmp_path):
    text = "region,town,value\nN,a,\nN,b,\nS,c,5\n,N,7\n,Total,12\n"
    release = fw.read_release(written(tmp_path, text), hierarchies={"town": "region"}, dims=["town"])
    assert fw.bounds(release).to_numpy().tolist() == [[0, 7], [0, 7]]
    with pytest.raises(fw.InputError, match="row 3: 'a' is in other groups"):
        fw.read_release(written(tmp_path, "region,town,sex,value\nN,a,f,1\nS,a,m,2\n"), hierarchies={"town": "region"})


def test_a_hierarchy_file_whose_root_is_a_row_of_the_data(tmp_path):
    (tmp_path / "h.hrc").write_text("EU\n@a\n@b\n")
    text = "A,B,value\na,x,\na,y,\nb,x,\nb,y,\nEU,x,5\nEU,y,8\na,Total,7\nb,Total,6\nEU,Total,13\n"
    release = fw.read_release(written(tmp_path, text), hierarchies={"A": tmp_path / "h.hrc"})
    assert fw.bounds(release).to_numpy().tolist() == [[0, 5], [2, 7], [0, 5], [1, 6]]
