"""Parquet files: a figure that is withheld is null, and NaN is no figure."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fiberwalk as fw

NAN = float("nan")


def written(path, values, **columns):
    table = pa.table({"row": list("aabb"), "col": list("xyxy"), "value": pa.array(values, pa.float64()), **columns})
    pq.write_table(table, path)
    return path


def test_null_is_a_withheld_figure_and_nan_is_refused(tmp_path):
    release = fw.read_release(written(tmp_path / "null.parquet", [1.0, None, 3.0, 4.0]))
    assert release.hidden.sum() == 1
    with pytest.raises(
        fw.InputError, match=r"nan.parquet, row 3: NaN in column 'value'; what is withheld or not known is"
    ):
        fw.read_release(written(tmp_path / "nan.parquet", [1.0, None, NAN, 4.0]))


def test_nan_is_refused_among_contributors_and_counts_too(tmp_path):
    known = pa.array([2.0, None, 1.0, 1.0])
    assert fw.read_release(written(tmp_path / "x.parquet", [2.0, 1, 3, 4], N_OBS=known)).contributors is not None
    with pytest.raises(fw.InputError, match="row 2: NaN in column 'N_OBS'"):
        fw.read_release(written(tmp_path / "x.parquet", [2.0, 1, 3, 4], N_OBS=pa.array([2.0, NAN, 1.0, 1.0])))
    with pytest.raises(fw.InputError, match="row 1: NaN in column 'value'"):
        fw.server.TableServer(written(tmp_path / "x.parquet", [NAN, 1, 3, 4]), seed=1)


@pytest.mark.parametrize(
    "read", [fw.read_release, lambda path: fw.server.TableServer(path, seed=1)], ids=["release", "server"]
)
def test_texts_that_are_no_utf_8_are_refused(read, tmp_path):
    labels = pa.array([b"a", b"\xb1b", b"c", b"d"], pa.binary()).view(pa.string())
    with pytest.raises(fw.InputError, match="x.parquet: not a readable Parquet file"):
        read(written(tmp_path / "x.parquet", [2.0, 1, 3, 4], label=labels))
