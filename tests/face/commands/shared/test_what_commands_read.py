"""What every command that reads a table takes: further knowledge, standard input, several hierarchies, crosstabs."""

from __future__ import annotations

import pandas as pd
import pytest
from click.testing import CliRunner
from support.terminal import fiberwalk

import fiberwalk as fw
from fiberwalk.commands.main import main

PUBLISHED = "region,sex,value\nA,f,\nA,m,\nB,f,\nB,m,\nA,Total,6\nB,Total,9\nTotal,f,7\nTotal,m,8\n"


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(PUBLISHED)
    return tmp_path


@pytest.mark.parametrize(
    ("knows", "tables"),
    [
        (["region=A,sex=f >= 3"], 4),
        (["region=A,sex=f>=3", "region=A, sex=f <= 4"], 2),
        (["region=A,sex=f = 2"], 1),
        (["region=A,sex=f == 2"], 1),
        (["region=A|B,sex=f <= 7"], 7),
        (["Total = 15"], 7),
        ([" >= 1"], 7),
    ],
)
def test_who_knows_more_has_fewer_tables(knows, tables, file):
    words = [word for text in knows for word in ("--knows", text)]
    assert fiberwalk("count", "t.csv", *words).output == f"{tables}\n"
    for command in ("bounds", "audit"):
        assert fiberwalk(command, "t.csv", *words).exit_code == 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("region=A", "write it as 'DIM=LABEL,DIM=LABEL >= NUMBER', or with <= or =."),
        ("region >= 3", "write it as"),
        ("region=A,region=B >= 3", "it names 'region' twice; several labels are joined by |."),
        ("region=Q >= 3", "--knows 'region=Q >= 3': dim 'region' has no label 'Q'"),
        ("region=A,sex=f >= 1.5", "--knows 'region=A,sex=f >= 1.5': 1.5 is not a whole number"),
        ("region=A,sex=f >= 1e", "'1e' is not a number."),
        ("region=A,sex=f >= 7", "contradict each other"),
    ],
)
def test_knowledge_that_makes_no_sense_is_refused(text, sentence, file):
    done = fiberwalk("count", "t.csv", "--knows", text)
    assert (done.exit_code, sentence in done.stderr) == (2, True), done.stderr


def test_a_table_may_come_from_another_program(file):
    read = CliRunner().invoke(main, ["count", "-"], input=PUBLISHED)
    assert (read.exit_code, read.output) == (0, "7\n")
    pd.read_csv("t.csv", dtype=str).to_parquet("t.parquet")
    read = CliRunner().invoke(main, ["count", "-"], input=(file / "t.parquet").read_bytes())
    assert (read.exit_code, read.output) == (0, "7\n")
    bad = CliRunner().invoke(main, ["count", "-"], input="region,sex\n")
    assert bad.exit_code == 2
    assert bad.stderr.startswith("fiberwalk: the standard input: ")


def test_two_hierarchies_of_one_dim_may_cross(file):
    (file / "land.hrc").write_text("N\n@A\n@B\nS\n@C\n@D\n")
    (file / "coast.hrc").write_text("wet\n@A\n@C\ndry\n@B\n@D\n")
    rows = ["A,", "B,", "C,", "D,", "N,9", "S,11", "wet,8", "dry,12"]
    (file / "h.csv").write_text("place,value\n" + "\n".join(rows) + "\n")
    words = ("h.csv", "--hierarchy", "place=land.hrc", "--hierarchy", "place=coast.hrc")
    done = fiberwalk("bounds", *words)
    assert done.exit_code == 0, done.output
    release = fw.read_release("h.csv", hierarchies={"place": [file / "land.hrc", file / "coast.hrc"]})
    assert [level.name for level in release.dims[0].levels] == ["place:1", "place:2"]
    assert fw.bounds(release).to_numpy()[1].tolist() == [1, 9]
    assert fiberwalk("count", *words).output == "9\n"
    mixed = fiberwalk("bounds", "h.csv", "--hierarchy", "place=land.hrc", "--hierarchy", "place=value")
    assert "files and columns cannot be joined" in mixed.stderr
    frame = pd.DataFrame({"land": ["N", "N", "S", "S"], "place": ["A", "B", "C", "D"]})
    both = fw.table([3, 6, 5, 6], dims=["place"], labels={"place": ["A", "B", "C", "D"]})
    again = fw.table(both.to_xarray(), hierarchies={"place": [frame, {"wet": ["A", "C"], "dry": ["B", "D"]}]})
    assert [level.name for level in again.dims[0].levels] == ["land", "place:2"]


CORNER = "region\\sex,f,m,x\nA,1,*,4\nB,*,20,6\n"
WITH_TOTAL = "region,f,m,Total\nA,*,*,10\nB,*,*,33\nTotal,15,28,43\n"
UNMARKED = "region;land;f;m\nA;N;1;5\n;S;7;20\nB;N;3;8\n;S;3;x\n"
LONG = "region,hits,misses\nA,1,2\nB,3,4\n"


def test_a_crosstab_is_known_by_its_corner_or_its_total_or_by_the_option(file):
    for name, text in (("corner", CORNER), ("total", WITH_TOTAL), ("unmarked", UNMARKED), ("long", LONG)):
        (file / f"{name}.csv").write_text(text)
    corner = fw.read_release("corner.csv")
    assert [dim.name for dim in corner.dims] == ["region", "sex"]
    assert int((corner.lower < corner.upper).sum()) == 2
    assert fw.bounds(fw.read_release("total.csv")).loc[("A", "f")].tolist() == [0, 10]
    assert fiberwalk("count", "total.csv").output == "11\n"
    for name in ("unmarked", "long"):  # a guess may be wrong
        refused = fiberwalk("count", f"{name}.csv")
        assert "give --value and --dims, or --crosstab where a dim lies across." in refused.stderr
    told = fw.read_release("unmarked.csv", crosstab=True)
    assert [dim.name for dim in told.dims] == ["region", "land", "C"]
    assert told.n_cells == 8
    named = fw.read_release("unmarked.csv", dims="place,part,sex", crosstab=True)
    assert [dim.name for dim in named.dims] == ["place", "part", "sex"]
    assert fiberwalk("count", "long.csv", "--crosstab").output == "1\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("corner.csv", "--value", "f"), "the file is a crosstab and has no column to name; --value does not apply."),
        (("corner.csv", "--no-header"), "a crosstab has labels in its header"),
        (("corner.csv", "--dims", "a,b,c,d,e,f"), "say what the dims are with --dims"),
        (("corner.csv",), "has no upper limit"),
    ],
)
def test_a_crosstab_that_is_read_otherwise_is_refused(words, sentence, file):
    (file / "corner.csv").write_text(CORNER)
    done = fiberwalk("bounds", *words)
    assert (done.exit_code, sentence in done.stderr) == (2, True), done.stderr
