"""What an engine is not for, and odd data, in words: those of data that are read as a whole, and nothing that they hold."""

from __future__ import annotations

import sys
import traceback

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.naive.engines import ENGINES, NaiveEngine

import fiberwalk as fw
from fiberwalk.server.engines import counting

SEED = {"seed": 1}


def said(data, **settings):
    with pytest.raises(fw.InputError) as refused:
        fw.server.TableServer(data, **SEED, **settings)
    return str(refused.value)


def people(**columns):
    return pd.DataFrame({"sex": ["f", "m", "f"], **columns})


def halves(high, low=(1, 2, 3)):
    return {"record_key_high": list(high), "record_key_low": list(low)}


ODD = {
    "an empty text": (people(town=["x", " ", "y"]), {}),
    "nothing": (pd.DataFrame({"sex": list("fmfmfm"), "town": ["x", None, "y", "z", "w", "v"]}), {}),
    "no number": (people(town=[1.0, np.nan, 2.0]), {}),
    "the word for sums": (people(town=["x", "Total", "y"]), {}),
    "a label that is not declared": (people(), {"labels": {"sex": ["f"]}}),
    "no such column": (people(), {"columns": ["sexx"]}),
    "no dim": (people(), {"keys": ["sex", "sex"]}),
    "names of people": (pd.DataFrame({"sex": ["f"] * 60, "name": [f"n{k}" for k in range(60)]}), {}),
    "halves below 0": (people(**halves([1, -2, 3])), {}),
    "large halves": (people(**halves([1, 2**32, 3])), {}),
    "halves with a point": (people(**halves([1.0, 2.5, 3.0])), {}),
    "a missing half": (people(**halves([1.0, np.nan, 3.0])), {}),
    "keys alike": (people(**halves([7, 7, 7], [7, 7, 7])), {}),
    "a hierarchy that is none": (people(town=["x", "y", "z"]), {"hierarchies": {"sex": ["town"]}}),
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("engine", ENGINES)
def test_odd_data_are_refused_in_the_same_words(engine, odd, tmp_path):
    frame, settings = ODD[odd]
    counted = ENGINES[engine](frame, tmp_path)
    whole = said(frame, **settings)
    for row in range(1, 4):  # the rows of an engine have no order
        whole = whole.replace(f"row {row} has", "a row has")
    found = said(counted, **settings)
    if engine.startswith("Ibis") and odd in ("halves with a point", "a missing half"):
        assert "holds halves of record keys: whole numbers below 2^32" in found
    else:
        assert found == f"{counted.words}: {whole}"


@pytest.mark.parametrize("engine", ENGINES)
def test_no_rows(engine, tmp_path):
    frame = people().iloc[:0]
    assert said(ENGINES[engine](frame, tmp_path)).endswith(": " + said(frame))


@pytest.mark.parametrize(
    ("frame", "settings", "words"),
    [
        (
            people(n=[1, 2, 3]),
            {},
            "the column 'n' holds counts of cells, and an engine counts records, one row a person",
        ),
        (people(n=[1, 2, 3]), {"count": "n"}, "the column 'n' holds counts of cells"),
        (
            people(id=[1, 2, 3]),
            {"keys": "id"},
            "keys= of data that an engine counts are the two columns of stored halves",
        ),
        (
            people(w=[1, 2, 3]),
            {"sampling_weights": "w", "weighted_base": 5},
            "sampling_weights= needs every record, and an engine only counts",
        ),
        (people(w=[1, 2, 3], **halves([1, 2, 3])), {"summed": ["w"]}, "summed= needs every record"),
    ],
)
def test_what_needs_every_record(frame, settings, words):
    assert words in said(NaiveEngine(frame), **settings)


def test_cubes_that_are_too_large(monkeypatch, tmp_path):
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"a": random.integers(0, 9, 500), "b": random.integers(0, 30, 500), "c": 1})
    monkeypatch.setattr(counting, "MOST_OCCUPIED", 100)
    for engine in ENGINES.values():
        words = said(engine(frame, tmp_path))
        assert "people are in more than 100 different cells by all dims together, too many to be held" in words
        assert (
            "The most labels have 'b' (30 labels), 'a' (9 labels), 'c' (1 labels): leave some out (columns=)" in words
        )
    monkeypatch.setattr(counting, "MOST_LABELS", 20)
    for engine in ENGINES.values():
        assert "column 'b' has more than 20 labels" in said(engine(frame, tmp_path))


def test_other_types_than_labels(tmp_path):
    """What pandas and engines may write differently."""
    for column in (
        pa.array([[1], [2], [1]]),
        pa.array([b"1", b"2", b"1"]),
        pa.array([1, 2, 3], pa.timestamp("s", tz="Europe/Vienna")),
        pa.array([1, 2, 3], pa.time32("s")),
    ):
        pq.write_table(pa.table({"sex": ["f", "m", "f"], "odd": column}), tmp_path / "odd.parquet")
        found = said(fw.server.engines.duckdb(tmp_path / "odd.parquet"))
        assert found.endswith("column 'odd' holds something else than labels: texts or numbers.")


@pytest.mark.parametrize(
    ("files", "asked", "words"),
    [
        ({}, "people.parquet", "people.parquet: there is no such file."),
        ({}, [], "no file: there is no such file."),
        ({}, "", "this is a folder, not a file; name its files, such as "),
        (
            {"a.parquet": b"PAR1", "b.parquet": b""},
            "*.parquet",
            "a.parquet: not a readable Parquet file (ArrowInvalid).",
        ),
        ({"a.csv": b"sex\nf\n", "b.parquet": b""}, "*", "all are Parquet files, or none is."),
        ({"a.csv": b""}, "a.csv", "a.csv: the file is empty."),
        ({"a.csv": b"sex\n\xff\n"}, "a.csv", "a.csv: DuckDB reads CSV in UTF-8, and this is in another encoding."),
        ({"a.csv": b"sex,\x00\n"}, "a.csv", "a.csv: this is a binary file"),
        ({"a.csv": b"sex,,b\nf,1,2\n"}, "a.csv", "a column has no name, or the name of another"),
        ({"a.csv": b"sex,age\nf,1\n", "b.csv": b"age,sex\n1,f\n"}, "*.csv", "b.csv: its header is not that of "),
        ({"a.csv": b"sex,Sex\nf,m\n"}, "a.csv", "two columns are called 'sex', small and capital letters being alike"),
    ],
)
def test_files_that_are_none(files, asked, words, tmp_path):
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(fw.InputError) as refused:
        fw.server.engines.duckdb(tmp_path / asked if isinstance(asked, str) else asked)
    assert words in str(refused.value)


def test_parts_that_differ(tmp_path):
    people(age=[1, 2, 3]).to_parquet(tmp_path / "1.parquet")
    people(age=["01", "2", "3"]).to_parquet(tmp_path / "2.parquet")
    with pytest.raises(
        fw.InputError, match=r"2\.parquet: its columns are not those of .*1\.parquet, by name, order and type"
    ):
        fw.server.engines.duckdb(tmp_path / "*.parquet")
    for part, order in enumerate((["low", "high"], ["mid", "high"])):
        bands = pd.Categorical(order, order, ordered=True)
        pd.DataFrame({"band": bands}).to_parquet(tmp_path / f"part {part}.parquet")
    assert "is an ordered category, and the first file does not have all its labels in order" in said(
        fw.server.engines.duckdb(tmp_path / "part *.parquet")
    )


def test_an_index_that_is_no_column(tmp_path):
    for index in (pd.Index(["x", "y", "z"]), pd.RangeIndex(3, name="id")):
        people().set_index(index).to_parquet(tmp_path / "people.parquet")
        with pytest.raises(fw.InputError, match="it has an index of pandas that is no column of the file"):
            fw.server.engines.duckdb(tmp_path / "people.parquet")


@pytest.mark.parametrize(
    "settings", [{"memory": "much"}, {"memory": "-1GB"}, {"memory": 2}, {"threads": 0}, {"threads": 1.5}]
)
def test_settings_in_words(settings, tmp_path):
    people().to_parquet(tmp_path / "people.parquet")
    with pytest.raises(fw.InputError, match=next(iter(settings)) + "="):
        fw.server.engines.duckdb(tmp_path / "people.parquet", **settings)


def test_no_table_of_ibis():
    with pytest.raises(fw.InputError, match=r"engines\.ibis\(\) takes a table of Ibis; this is a DataFrame\."):
        fw.server.engines.ibis(people())


@pytest.mark.parametrize(
    "text",
    [
        "sex,age\nf,secret1\nm,2,secret2\n",
        "sex,age\nf,secret1\nm\n",
        'sex,age\nf,"secret1\nm,2\n',
        "sex,age\nf,secret\xff1\nm,2\n",
        'sex,age\nf,"sec""ret1"\nm,2\n',
        'sex,age\nf,"secret1\nsecret2"\nm,2\n',
    ],
)
def test_a_broken_file_tells_nothing_of_what_it_holds(text, tmp_path):
    start = "sex,age\n" + "f,1\n" * 400_000  # more than is looked at beforehand
    for name, content in (("people.csv", text), ("long.csv", start + text.removeprefix("sex,age\n"))):
        (tmp_path / name).write_bytes(content.encode("latin-1"))
        with pytest.raises(fw.InputError) as refused:
            fw.server.TableServer(fw.server.engines.duckdb(tmp_path / name), **SEED)
        shown = "".join(traceback.format_exception(refused.value))
        assert "secret" not in shown.partition("fiberwalk.base.errors.InputError")[2]
        assert str(refused.value).startswith(str(tmp_path / name))


def test_errors_of_an_engine_are_not_repeated():
    class Broken(NaiveEngine):
        def groups(self, columns, keys, most):
            raise ValueError("could not convert 'secret' of row 3")

    with pytest.raises(fw.InputError) as refused:
        fw.server.TableServer(Broken(people()), **SEED)
    assert str(refused.value) == "people by hand: it cannot be counted (ValueError)."
    assert refused.value.__suppress_context__


def test_data_that_change_while_they_are_counted():
    class Changing(NaiveEngine):
        def values(self, column, most):
            return super().values(column, most)[:1]

    assert said(Changing(people())) == "people by hand: the data changed while they were counted."


def test_nothing_is_left_in_temporary_folders(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    people(**halves([1, 2, 3])).to_parquet(tmp_path / "people.parquet")
    fw.server.TableServer(fw.server.engines.duckdb(tmp_path / "people.parquet"), **SEED)
    assert not list((tmp_path / "temporary").iterdir())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "temporary"]


@pytest.mark.parametrize(
    ("package", "words"),
    [
        ("duckdb", ": counting by DuckDB needs the extra fiberwalk[duckdb]."),
        ("pyarrow.parquet", ": the package pyarrow.parquet is not there, or not whole."),
    ],
)
def test_packages_that_are_not_there(package, words, tmp_path, monkeypatch):
    people().to_parquet(tmp_path / "people.parquet")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(fw.InputError) as refused:
        fw.server.engines.duckdb(tmp_path / "people.parquet")
    assert str(refused.value) == f"{tmp_path / 'people.parquet'}{words}"
