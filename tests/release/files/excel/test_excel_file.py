"""Workbooks: a crosstab as people know it comes back as the same release, and what others make of one is read."""

from __future__ import annotations

import re
import zipfile

import pandas as pd
import pytest
from hypothesis import given
from support.effort import examples
from support.small_releases import SQUARE, TABLE, TOWNS, releases, same_facts, same_release, suppressed, told
from support.terminal import fiberwalk

import fiberwalk as fw
from fiberwalk.release.facts.facts import HIDDEN, PRIMARY
from fiberwalk.release.files.excel.cell_texts import said, shown


@pytest.fixture(autouse=True)
def _workbooks_can_be_made():
    pytest.importorskip("openpyxl", reason="needs the extra fiberwalk[excel]")


def workbook(path, sheets):
    """A workbook of rows of cells, by the names of its sheets."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


CROSSTAB = [["town", "x", "y", "Total"], ["a", 1, "x", 5], ["b", "c", 6, 9], ["Total", 4, 10, 14]]


@examples(60)
@given(suppressed())
def test_what_was_written_is_read_as_the_same_release(tmp_path_factory, release):
    path = tmp_path_factory.mktemp("excel") / "out.xlsx"
    release.to_file(path, total="T")
    same_release(fw.read_release(path), release)


@pytest.mark.parametrize("name", releases())
def test_releases_of_every_kind_come_back(name, tmp_path):
    release = releases()[name]
    release.to_file(tmp_path / "out.xlsx")
    same_release(fw.read_release(tmp_path / "out.xlsx"), release)
    same_facts(fw.read_release(tmp_path / "out.xlsx"), release)


def test_perturbed_figures_three_dims_and_one_come_back(tmp_path):
    cube = TABLE.expand_dims(sex=["f", "m"]) * 1
    flat = TABLE.sum("col")
    for release in (
        fw.protect.random_round(TABLE, 3, seed=1, exact=["row"]),
        fw.suppress(cube, where=[{"sex": s, **cell} for s in "fm" for cell in SQUARE]),
        fw.suppress(flat, where=[{"row": "a"}, {"row": "b"}]),
    ):
        release.to_file(tmp_path / "out.xlsx")
        back = fw.read_release(tmp_path / "out.xlsx")
        same_release(back, release)
        assert [dim.name for dim in back.dims] == [dim.name for dim in release.dims]


def test_a_workbook_is_explained_and_the_same_at_any_time(tmp_path):
    release = fw.suppress(fw.table(TABLE, hierarchies=TOWNS), where=SQUARE)
    release.to_file(tmp_path / "one.xlsx")
    release.to_file(tmp_path / "two.xlsx")
    assert (tmp_path / "one.xlsx").read_bytes() == (tmp_path / "two.xlsx").read_bytes()
    sheets = pd.read_excel(tmp_path / "one.xlsx", sheet_name=None, header=None)
    assert list(sheets) == ["table", "about", "hierarchies"]
    about = dict(sheets["about"].itertuples(index=False, name=None))
    assert about["×"] == "a figure that is withheld (4 of 20 figures are)"
    assert about["total"] == "Total"
    assert sheets["table"].iloc[2].tolist() == ["a", "×", "×", 4, 10]


def test_labels_are_never_formulas(tmp_path):
    labels = ["=1+1", "+3", "@x"]
    fw.publish(TABLE.assign_coords(row=labels), ["row"]).to_file(tmp_path / "out.xlsx")
    import openpyxl

    cells = [row[0] for row in openpyxl.load_workbook(tmp_path / "out.xlsx")["table"].iter_rows(min_row=3, max_row=5)]
    assert [(cell.value, cell.data_type) for cell in cells] == [(label, "s") for label in labels]
    assert fw.read_release(tmp_path / "out.xlsx").dims[0].labels == tuple(labels)
    with pytest.raises(fw.InputError, match="would not survive a workbook"):
        fw.publish(TABLE.assign_coords(row=["a\x01", "b", "c"]), ["row"]).to_file(tmp_path / "out.xlsx")


# --- as others make them --------------------------------------------------------------------------------------------


def test_crosstabs_as_people_make_them(tmp_path):
    wanted = fw.suppress(
        pd.DataFrame([[1, 4], [3, 6]], ["a", "b"], ["x", "y"]), where=[{"A": "a", "B": "y"}, {"A": "b", "B": "x"}]
    )
    titled = [["Towns by size"], [], *CROSSTAB, [], ["Source: nobody"]]
    named = [[None, "size"], *CROSSTAB]
    for rows in (CROSSTAB, titled, named):
        release = fw.read_release(workbook(tmp_path / "t.xlsx", {"Sheet1": rows}))
        assert fw.bounds(release).to_numpy().tolist() == fw.bounds(wanted).to_numpy().tolist()
        assert release.dims[0].name == "town"
    assert release.dims[1].name == "size"
    release = fw.read_release(workbook(tmp_path / "t.xlsx", {"Sheet1": CROSSTAB}), dims=["place", "kind"])
    assert [dim.name for dim in release.dims] == ["place", "kind"]


def test_the_sheet_that_is_named_or_the_first_one(tmp_path):
    path = workbook(tmp_path / "t.xlsx", {"one": CROSSTAB, "two": [["town", "x", "y"], ["c", 1, 2], ["d", 3, 4]]})
    assert fw.read_release(path).dims[0].labels == ("a", "b")
    assert fw.read_release(path, sheet="two").dims[0].labels == ("c", "d")
    with pytest.raises(fw.InputError, match="there is no sheet 'twoo'; did you mean 'two'"):
        fw.read_release(path, sheet="twoo")
    assert fiberwalk("bounds", path, "--sheet", "one").exit_code == 0
    assert "did you mean 'two'" in fiberwalk("bounds", path, "--sheet", "twoo").stderr


def test_labels_that_are_left_out_are_those_above(tmp_path):
    rows = [["sex", "town", "x", "y"], ["f", "a", 1, 2], [None, "b", 3, 4], ["m", "a", 5, 6], [None, "b", 7, 8]]
    release = fw.read_release(workbook(tmp_path / "t.xlsx", {"t": rows}))
    assert release.truth.reshape(2, 2, 2).tolist() == [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
    with pytest.raises(fw.InputError, match="row 3: column 2 has no label"):
        fw.read_release(workbook(tmp_path / "t.xlsx", {"t": [*rows[:2], [None, None, 3, 4]]}))
    years = [["town", "year", "x", "y"], ["a", 2014, 1, 2], ["a", 2015, 3, 4]]  # labels that are numbers: the dims tell
    release = fw.read_release(workbook(tmp_path / "t.xlsx", {"t": years}), dims="town,year,size")
    assert release.dims[1].labels == ("2014", "2015")


def test_long_tables_in_a_sheet_and_hierarchies(tmp_path):
    columns = {"town": list("aabb"), "size": list("xyxy"), "value": [1, None, None, 4], "status": list("suxs")}
    frame = pd.DataFrame(columns)
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    assert fw.read_release(tmp_path / "t.xlsx").status[1:3].tolist() == [PRIMARY, HIDDEN]
    rows = [["town", "x", "y"], ["a", 1, 2], ["b", 3, 4], ["N", 4, 6]]
    path = workbook(tmp_path / "t.xlsx", {"t": rows})
    assert len(fw.read_release(path, hierarchies={"town": {"N": ["a", "b"]}}).sums) == 2


def test_an_empty_cell_says_nothing(tmp_path):
    rows = [["town", "x", "y"], ["a", 1, None], ["b", 3, 4]]
    path = workbook(tmp_path / "t.xlsx", {"t": rows})
    with pytest.raises(fw.InputError, match="1 of 4 cells have no line, first town=a, B=y; say missing='zero'"):
        fw.read_release(path)
    assert fw.read_release(path, missing="hidden").hidden.tolist() == [1]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([["town", "x", "y"], ["a", 1, "=1+1"]], "row 2: column 3 has a formula without a result"),
        ([["town", "x", "y"], ["a", 1, "-"]], "'-' is an empty cell to some"),
        ([["town", "x", "y"], ["a", 1, 2.5]], "2.5 is not a whole number; for magnitudes give decimals="),
        ([["town", "x", "y"]], "no row below the head of the crosstab"),
        ([["town", "x", None, "y"], ["a", 1, 2, 3]], "row 1: column 3 has no label"),
        ([["town", "x"], ["a", 1, 2]], "row 2: 3 columns where the head has 2"),
        ([["only this"]], "the sheet has no crosstab"),
        ([["a", "b", "c"], ["d", "e", "f"]], "3 columns, of which 3 would be labels; say what the dims are with dims="),
        ([["town", "x"], ["a", 1], ["a", 2]], "is given twice"),
    ],
    ids=range(9),
)
def test_what_is_no_table_is_refused_in_a_sentence(tmp_path, rows, words):
    with pytest.raises(fw.InputError, match=words):
        fw.read_release(workbook(tmp_path / "t.xlsx", {"t": rows}))


def test_what_is_no_workbook(tmp_path):
    path = tmp_path / "t.xlsx"
    path.write_text("town,value\na,1\n")
    with pytest.raises(fw.InputError, match=r"not a readable Excel workbook \(BadZipFile\)"):
        fw.read_release(path)
    with pytest.raises(
        fw.InputError, match="the sheet is a crosstab and has no column to name; status= does not apply"
    ):
        fw.read_release(workbook(path, {"t": CROSSTAB}), status="x")


@pytest.mark.parametrize(
    "one",
    [
        ("5", "", "", ""), ("", "x", "", ""), ("", "u", "1", "2"), ("", "x", "", "7"), ("", "s", "3", "7"),
        ("", "s", "3", ""), ("6", "", "4.5", "8"), ("12", "p", "", ""), ("-3", "p", "", ""),
    ],
)  # fmt: skip
def test_the_text_of_a_cell_says_the_same_again(one):
    assert said(shown(one)) == one


def test_nothing_withheld_is_in_a_workbook(tmp_path):
    release = fw.suppress(TABLE * 1_000_003, where=SQUARE)
    release.to_file(tmp_path / "out.xlsx")
    with zipfile.ZipFile(tmp_path / "out.xlsx") as parts:
        texts = b"".join(parts.read(part) for part in parts.infolist()).decode()
    hidden = {str(int(value)) for value in TABLE.values[:2, :2].ravel() * 1_000_003}
    shown_figures = set(re.findall(r"\d+", texts))
    assert not hidden & shown_figures
    assert "4000012" in shown_figures
    assert told(fw.read_release(tmp_path / "out.xlsx")) == told(release)
