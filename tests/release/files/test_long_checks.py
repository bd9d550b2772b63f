"""Nothing is guessed wrongly: files without header, decimal commas, dashes, and flags in place of a status."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from support.small_releases import SQUARE, TABLE, TOWNS, same_facts, same_release, written

import fiberwalk as fw
from fiberwalk.release.facts.facts import HIDDEN, PRIMARY, PUBLISHED

BARE = '"Total";"x";9\n"Total";"Total";20\n"a";"x";4\n"b";"x";5\n"a";"y";8\n"b";"y";3\n'


def test_a_file_that_begins_with_a_cell_is_recognised(tmp_path):
    path = written(tmp_path, BARE)
    with pytest.raises(
        fw.InputError, match=r"looks like a row of the table .*\('9' is among them\).* say header=False"
    ):
        fw.read_release(path)
    assert fw.read_release(path, header=False).n_cells == 4
    hidden = written(tmp_path, "Total;Total;\nTotal;x;9\na;x;4\nb;x;5\n")
    with pytest.raises(fw.InputError, match=r"\('Total' is among them\).* say header=False"):
        fw.read_release(hidden)
    dashes = written(tmp_path, "a;x;3,5\na;y;-\n")
    with pytest.raises(fw.InputError, match="say header=False"):
        fw.read_release(dashes)


def test_names_that_are_numbers_are_names_where_the_user_says_so(tmp_path):
    path = written(tmp_path, "town,2014\na,3\nb,4\n")
    with pytest.raises(fw.InputError, match="say header=False"):
        fw.read_release(path)
    assert fw.read_release(path, value="2014").truth.tolist() == [3, 4]
    assert fw.read_release(path, dims=["town"]).truth.tolist() == [3, 4]


def test_statuses_without_a_header_are_recognised(tmp_path):
    for codes in ("1", "14"), ("s", "u"):
        path = written(tmp_path, f"a;x;4;{codes[0]}\nb;x;0;{codes[1]}\n")
        with pytest.raises(fw.InputError, match="looks like statuses.*say status='status'.*dims="):
            fw.read_release(path, header=False)
        assert fw.read_release(path, header=False, status="status").n_cells == 2
    path = written(tmp_path, "a;4;1\nb;5;2\n")  # or two dims, of which one has numbers for labels
    assert fw.read_release(path, header=False, dims=["town", "size"], missing="hidden").n_cells == 4


def test_decimal_commas_are_recognised(tmp_path):
    path = written(tmp_path, "town;value;N_OBS;MAX\na;4,5;3;2,25\nb;;2;\nTotal;7;5;2,25\n")
    with pytest.raises(fw.InputError, match=r"row 2, column 'value': '4,5' has a comma.*decimal_comma=True.*decimals="):
        fw.read_release(path)
    release = fw.read_release(path, decimal_comma=True, decimals=2)
    assert fw.bounds(release).to_numpy().tolist() == [[2.5, 2.5]]
    assert release.largest.tolist()[0] == 225
    with pytest.raises(fw.InputError, match="4.5 is not a whole number; for magnitudes give decimals="):
        fw.read_release(path, decimal_comma=True)
    points = written(tmp_path, "town;value\na;1.500,25\nb;2\n")
    with pytest.raises(fw.InputError, match=r"'1.500,25' is not a number"):
        fw.read_release(points, decimal_comma=True, decimals=2, dims=["town"], value="value")
    points = written(tmp_path, "town;value\na;1.5\nb;2\n")
    with pytest.raises(fw.InputError, match=r"'1.5' has a decimal point, although decimal_comma=True"):
        fw.read_release(points, decimal_comma=True, decimals=1)


def test_labels_with_commas_are_no_numbers(tmp_path):
    path = written(tmp_path, 'activity;figures\n"5,6";3\n7;4\n')
    assert fw.read_release(path).dims[0].labels == ("5,6", "7")


def test_a_dash_is_empty_where_the_status_says_so(tmp_path):
    path = written(tmp_path, "town,value,status\na,-,14\nb,5,1\nTotal,5,1\n")
    assert fw.read_release(path).truth.tolist() == [0, 5]
    for text in ("town,value,status\na,-,11\nb,5,1\nTotal,5,1\n", "town,value\na,-\nb,5\nTotal,5\n"):
        with pytest.raises(fw.InputError, match="row 2, column 'value': '-' is an empty cell to some.*with status="):
            fw.read_release(written(tmp_path, text))


GAUSS = """town,size,freq,primary,suppressed
Total,Total,13,FALSE,FALSE
Total,x,6,FALSE,FALSE
Total,y,7,FALSE,FALSE
a,Total,5,FALSE,FALSE
b,Total,8,NA,FALSE
a,x,1,TRUE,TRUE
a,y,4,FALSE,TRUE
b,x,5,FALSE,TRUE
b,y,3,FALSE,TRUE
"""


def test_frames_of_gausssuppression(tmp_path):
    release = fw.read_release(written(tmp_path, GAUSS))
    assert release.status.tolist() == [PRIMARY, HIDDEN, HIDDEN, HIDDEN]
    assert release.truth.tolist() == [1, 4, 5, 3]
    primaries = written(tmp_path, "\n".join(line.rpartition(",")[0] for line in GAUSS.splitlines()))
    assert fw.read_release(primaries).status.tolist() == [PRIMARY, PUBLISHED, PUBLISHED, PUBLISHED]
    forced = fw.read_release(written(tmp_path, GAUSS.replace("1,TRUE,TRUE", "1,TRUE,FALSE")))
    assert forced.status.tolist() == [PUBLISHED, HIDDEN, HIDDEN, HIDDEN]
    with pytest.raises(fw.InputError, match="row 10: column 'suppressed' says neither true nor false"):
        fw.read_release(written(tmp_path, GAUSS.replace("b,y,3,FALSE,TRUE", "b,y,3,FALSE,NA")))
    of_size = "primary,value\nyes,3\nno,4\n"  # a dim may be called so
    assert fw.read_release(written(tmp_path, of_size)).dims[0].name == "primary"


def test_frames_of_sdctable(tmp_path):
    text = "strID,town,freq,sdcStatus\n0101,a,1,u\n0102,b,4,x\n0103,c,5,w\n00,Total,10,z\n"
    release = fw.read_release(written(tmp_path, text))
    assert [dim.name for dim in release.dims] == ["town"]
    assert release.status.tolist() == [PRIMARY, HIDDEN, HIDDEN]


def test_a_long_frame_is_read_as_a_file_of_it(tmp_path):
    frame = pd.DataFrame({"town": ["a", "b", "Total"], "value": [np.nan, 4.0, 9.0], "suppressed": [True, False, False]})
    release = fw.read_release(frame)
    assert fw.bounds(release).to_numpy().tolist() == [[5, 5]]
    same_facts(release, fw.read_release(frame.set_index("town")))
    table = fw.table(TABLE, hierarchies=TOWNS)
    fw.suppress(table, where=SQUARE).to_file(tmp_path / "out.csv")
    same_release(fw.read_release(pd.read_csv(tmp_path / "out.csv")), fw.suppress(table, where=SQUARE))
    with pytest.raises(fw.InputError, match="the frame: it is not clear which column holds the figures"):
        fw.read_release(pd.DataFrame({"a": ["x"], "b": ["y"]}))
    with pytest.raises(fw.InputError, match="metadata= is about files, and this is a frame"):
        fw.read_release(frame, metadata="x.rda")
    with pytest.raises(fw.InputError, match="a file is named by its path; this is a int"):
        fw.read_release(3)
