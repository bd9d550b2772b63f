"""Files: what is written can be read again, the dialects in use are understood, and bad files are refused by name."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import fiberwalk as fw

TABLE = xr.DataArray(
    [[1, 5, 4], [7, 2, 6], [3, 8, 9]], dims=["row", "col"], coords={"row": ["a", "b", "c"], "col": ["x", "y", "z"]}
)
SQUARE = [{"row": r, "col": c} for r in "ab" for c in "xy"]
TOWNS = {"row": {"north": ["a", "b"], "south": ["c"]}}

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


def written(tmp_path, text, name="release.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def same_facts(one: fw.Release, other: fw.Release) -> None:
    left, right = fw.bounds(one), fw.bounds(other)
    assert left.to_numpy().tolist() == right.to_numpy().tolist()
    assert fw.count(one) == fw.count(other)


def releases():
    return {
        "suppressed": fw.suppress(TABLE, where=SQUARE),
        "with a withheld total": fw.suppress(TABLE, where=[*SQUARE, {"row": "a"}, {"row": "b"}]),
        "few margins": fw.suppress(TABLE, where=SQUARE, margins=["row", ""]),
        "margins only": fw.publish(TABLE, ["row", "col"]),
        "rounded": fw.round_to(TABLE.isel(row=[0, 1]), base=3),
        "bounded by knowledge": fw.suppress(TABLE, where=SQUARE).knows(SQUARE[0], at_least=1, at_most=3),
        "rule known": fw.suppress(TABLE, where=SQUARE, rule="< 3", rule_known=True, flags=True),
        "magnitudes": fw.suppress(TABLE / 4, where=SQUARE, decimals=2),
    }


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


def test_the_truth_is_never_in_a_long_file(tmp_path):
    fw.suppress(TABLE * 1000, where=SQUARE).to_file(tmp_path / "out.csv")
    text = (tmp_path / "out.csv").read_text()
    for hidden in ("1000", "5000", "7000", "2000"):
        assert f",{hidden}," not in text


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


def test_a_hierarchy_is_written_and_read_again(tmp_path):
    release = fw.suppress(TABLE, where=SQUARE, hierarchies=TOWNS)
    release.to_file(tmp_path / "out.csv")
    text = (tmp_path / "out.csv").read_text()
    assert "north,Total,,25,s" in text
    same_facts(release, fw.read_release(tmp_path / "out.csv"))  # the groups stand in a column called "row:1"


def test_a_redesigned_table_is_written_and_read_again(tmp_path):
    release = fw.merge(TABLE, {"row": {"a or b": ["a", "b"]}})
    for name in ("out.csv", "out.parquet"):
        release.to_file(tmp_path / name)
        same_facts(release, fw.read_release(tmp_path / name))


def test_writing_what_a_format_cannot_hold(tmp_path):
    release = fw.suppress(TABLE, where=SQUARE)
    with pytest.raises(fw.InputError, match="must end in .csv, .parquet or .jj"):
        release.to_file(tmp_path / "out.xlsx")
    with pytest.raises(fw.InputError, match="holds the true value of every cell"):
        release.without_truth().to_file(tmp_path / "out.jj")
    with pytest.raises(fw.InputError, match="a long file cannot hold"):
        release.knows(SQUARE[0], own=1).to_file(tmp_path / "out.csv")
    with pytest.raises(fw.InputError, match="cannot be written"):
        release.to_file(tmp_path / "nowhere" / "out.csv")
    assert os.listdir(tmp_path) == []


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
    rounded = fw.read_release(written(tmp_path, LONG.replace("a,Total,10", "a,Total,11")), tolerance=1)
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


# --- JJ ------------------------------------------------------------------------------------------------------------

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


# --- crosstabs -----------------------------------------------------------------------------------------------------


def test_a_crosstab_with_margins_and_missing_cells():
    people = pd.DataFrame({"sex": list("ffmmmff"), "age": list("yoyyoyo"), "city": list("pqpqppq")})
    plain = pd.crosstab(people["sex"], people["age"], margins=True).astype(float)
    plain.loc["f", "o"] = plain.loc["m", "o"] = plain.loc["f", "y"] = plain.loc["m", "y"] = np.nan
    release = fw.from_crosstab(plain)
    assert [dim.name for dim in release.dims] == ["sex", "age"]
    assert fw.count(release) == 4
    several = pd.crosstab(people["sex"], [people["age"], people["city"]], margins=True, dropna=False)
    assert len(fw.from_crosstab(several).dims) == 3
    with pytest.raises(fw.InputError, match="needs a DataFrame"):
        fw.from_crosstab([[1, 2]])
    wrong = plain.copy()
    wrong.loc["All", "All"] = 99
    wrong = wrong.fillna(1)
    with pytest.raises(fw.InputError, match="the crosstab, row .*but its cells sum to"):
        fw.from_crosstab(wrong)


# --- further cases -------------------------------------------------------------------------------------------------


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


def test_jj_does_not_invent_limits(tmp_path):
    release = fw.suppress(TABLE, where=TABLE > 0, margins=[])
    release.to_file(tmp_path / "out.jj")
    with pytest.raises(fw.InputError, match="has no upper limit"):
        fw.bounds(fw.read_release(tmp_path / "out.jj"))


def test_links_and_permissions_are_kept(tmp_path):
    real = tmp_path / "real.csv"
    real.write_text("old")
    real.chmod(0o600)
    link = tmp_path / "link.csv"
    link.symlink_to(real)
    fw.publish(TABLE, [""]).to_file(link)
    assert link.is_symlink()
    assert real.read_text().startswith("row,col")
    assert real.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (",,,\n,,\n", "the file is empty"),
        ('""\n', "the file is empty"),
        ("\n" + LONG.replace("a,z,4", "a,z,four").replace("\n", "\n\n"), "row 8.*'four' is not a number"),
        (LONG.replace("Total", "All"), "column 'row' has no total called 'Total' but the label 'All'.*say total='All'"),
        (",row,col,value\n0,a,x,1\n1,a,y,2\n", "column 1 has no name; are these row numbers"),
        ("a,value,status,lower,upper\n1,,u,,\n2,,x,,\nTotal,,x,9,7\n", "row 4: the range from 9 to 7 is empty"),
        ("a,value,status,lower,upper\n1,5,s,7,9\n2,,x,,\nTotal,12,s,,\n", "row 2: the value 5 is not in its own range"),
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
    with pytest.raises(fw.InputError, match="tolerance= must be at least 0"):
        fw.read_release(path, tolerance=-1)
    for decimals in (400, -1, "1", None):
        with pytest.raises(fw.InputError, match="decimals must be a whole number from 0 to 12"):
            fw.read_release(path, decimals=decimals)
    for thing in (None, 5):
        with pytest.raises(fw.InputError, match="a file is named by its path"):
            fw.read_release(thing)
    assert fw.count(fw.read_release(path, dims="row,col")) == 7


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("0 3 : 4 (-1)", "abc 3 : 4 (-1)", "line 18: 'abc' is not a number"),
        ("0 3 : 4 (-1)", "0 ³ : 4 (-1)", "line 18: a relation reads"),
        ("\n9\n", "\n²\n", "where the number of cells must be"),
        ("6 (1) 8 (1)\n", "6 (1) junk 8 (1)\n", "line 18: a relation reads"),
        ("\n6\n0 3 : 0", "\n5\n0 3 : 0", "line 18: there is more after the 5 relations"),
        ("5 1 1 u 0 99", "5 1 1 u nan 99", "'nan' where a number must be"),
        ("8 2 1 u 1 99", "8 2 1 u 3 99", "the value 2 is not in its own range"),
        ("5 1 1 u", "5 1 1 14", "status 14 means an empty cell, but its value is 1"),
    ],
)
def test_more_bad_jj_files(old, new, words, tmp_path):
    assert old in JJ
    with pytest.raises(fw.InputError, match=words):
        fw.read_release(written(tmp_path, JJ.replace(old, new), "table.jj"))


def test_jj_totals_within_a_tolerance(tmp_path):
    path = written(tmp_path, JJ.replace("1 6 1 s", "1 7 1 s"), "table.jj")
    with pytest.raises(fw.InputError, match="but its cells sum to 6, 1 less"):
        fw.read_release(path)
    assert fw.bounds(fw.read_release(path, tolerance=1)).loc[("5",), "upper"] >= 6


def test_crosstabs_with_unclear_names():
    frame = pd.DataFrame([[1, 2, 3], [3, 4, 7], [4, 6, 10]], index=["a", "b", "All"], columns=["x", "y", "All"])
    with pytest.raises(fw.InputError, match="two dims of the crosstab are called 'q'"):
        fw.from_crosstab(frame.rename_axis(index="q", columns="q"))
    with pytest.raises(fw.InputError, match="has no margin called 'All'; say what its margins are called"):
        fw.from_crosstab(frame.rename(index={"All": "Sum"}, columns={"All": "Sum"}))
    with pytest.raises(fw.InputError, match="if its totals are called so, say total='Total'"):
        fw.from_crosstab(frame.rename(index={"All": "Total"}, columns={"All": "Total"}))


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
