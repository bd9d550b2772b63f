"""Who stands behind a cell, and what she can work out: contributors in files and tables, audits as respondents see it."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import fiberwalk as fw
from fiberwalk.release.facts import NO_VALUE

LONG = """row,col,value,status,N_OBS,Max
a,x,12.5,u,1,12.5
a,y,30,x,4,20
a,z,4,s,,
b,x,20,x,3,9
b,y,15,u,2,11
b,z,6,s,5,2
a,Total,46.5,s,,
b,Total,41,s,10,11
Total,x,32.5,s,4,12.5
Total,y,45,s,6,20
Total,z,10,s,5,2
"""


@pytest.fixture
def long_file(tmp_path):
    def write(text: str):
        path = tmp_path / "turnover.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_columns_of_contributors_are_no_dims(long_file):
    release = fw.read_release(long_file(LONG), decimals=1)
    assert [dim.name for dim in release.dims] == ["row", "col"]
    assert release.contributors.tolist() == [1, 4, NO_VALUE, 3, 2, 5]
    assert release.largest.tolist() == [125, 200, NO_VALUE, 90, 110, 20]
    renamed = long_file(LONG.replace("N_OBS,Max", "firms,top"))
    again = fw.read_release(renamed, decimals=1, contributors="firms", largest="top")
    assert again.contributors.tolist() == release.contributors.tolist()
    assert [dim.name for dim in again.dims] == ["row", "col"]


def test_contributors_follow_the_release_and_never_leave_the_house(long_file, tmp_path):
    release = fw.read_release(long_file(LONG), decimals=1)
    known = release.knows({"row": "a", "col": "x"}, own=12.5).knows_rule("< 16", flags=False)
    assert known.contributors is release.contributors
    assert all(one.largest is release.largest for one in known.readings.values())
    outside = release.without_truth()
    assert outside.contributors is None
    assert outside.largest is None
    both = fw.linked([release, fw.publish(xr.DataArray([32.5, 45, 10], [("col", list("xyz"))]), ["col"], decimals=1)])
    behind = dict(zip(map(tuple, both.index(both.keys)), both.contributors.tolist(), strict=True))
    assert behind["a", "x"] == 1
    assert behind["Total", "x"] == NO_VALUE
    release.to_file(tmp_path / "public.csv")
    assert fw.read_release(tmp_path / "public.csv", decimals=1).contributors is None
    assert "12.5" not in (tmp_path / "public.csv").read_text()


def test_a_file_that_only_counts_contributors_is_a_table_of_counts(long_file):
    release = fw.read_release(long_file("row,N_OBS\na,\nb,\nTotal,3\n"))
    assert release.contributors is None
    assert release.sums.value.tolist() == [3]


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (("20,x,3,9", "20,x,3,21"), {}, "cell row=b, col=x is 20.0, less than the largest contribution to it, 21.0"),
        (("20,x,3,9", "20,x,0,9"), {}, "cell row=b, col=x is 20.0, but nobody contributes to it"),
        (("20,x,3,9", "20,x,-3,9"), {}, "row 5: column 'N_OBS' says -3; it cannot be negative"),
        (("20,x,3,9", "20,x,few,9"), {}, "column 'N_OBS': 'few' is not a number"),
        (("", ""), {"contributors": "firms"}, "there is no column 'firms'"),
    ],
)
def test_wrong_contributors(long_file, change, options, words):
    with pytest.raises(fw.InputError, match=words):
        fw.read_release(long_file(LONG.replace(*change)), decimals=1, **options)


def test_wrong_tables_of_contributors():
    table = [[1, 5], [7, 2]]
    with pytest.raises(fw.InputError, match=r"contributors= has the shape \(2,\), but the table has \(2, 2\)"):
        fw.publish(table, ["A"], contributors=[1, 2])
    with pytest.raises(fw.InputError, match="largest contribution to it, 6"):
        fw.suppress(table, where=np.array(table) < 3, largest=[[1, 5], [6, 6]])
    with pytest.raises(fw.InputError, match="contributors= must be a table of numbers"):
        fw.publish(table, ["A"], contributors=[["x", "y"], ["z", "w"]])
