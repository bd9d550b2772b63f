"""Every engine gives the answers that the data give when they are read as a whole, to the last bit."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest
from support.naive.engines import ENGINES, assert_same

import fiberwalk as fw

ROUNDED = {
    "mechanism": "random_round",
    "parameters": {"base": 3},
    "seed": 4711,
    "rules": fw.server.ServerRules(max_dims=9, max_cells=10**6),
}


def keyed(frame, seed=1):
    return frame.join(fw.server.record_keys(frame, seed=seed))


def columns_of(random, rows):
    """Columns whose labels are easily written in two ways."""
    return {
        "text": random.choice(
            ["a", " a", "a ", "A", "ä", "a\u0308", "1", "01", "1.0", "NA", "null", "日本", "it's"], rows
        ),
        "number": random.choice([1, 2, 10, 1_000_000, -3], rows),
        "small": random.choice(np.array([1, 2, 3], dtype=np.int8), rows),
        "real": random.choice([1.0, 2.5, -0.0, 0.0, 1e22, 0.1], rows),
        "yes": random.random(rows) < 0.4,
    }


RICH = {
    "date": [datetime.date(1999, 12, 31), datetime.date(2026, 1, 1), datetime.date(1900, 2, 28)],
    "time": list(pd.to_datetime(["2020-01-01", "2020-01-01 10:00:00.25", "1969-12-31 23:59"], format="ISO8601")),
    "money": [decimal.Decimal("1.50"), decimal.Decimal("-0.05"), decimal.Decimal("10.00")],
    "short": list(np.array([0.1, 0.2, 1.0], dtype=np.float32)),
    "large": list(np.array([2**64 - 1, 1, 2**63], dtype=np.uint64)),
    "band": ["30-39", "5-9", "10-14"],
}
"""Values of types that SQLite does not have."""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(3))
def test_people_at_random(engine, seed, tmp_path):
    random = np.random.default_rng(seed)
    rows = int(random.integers(1, 300))
    people = pd.DataFrame(columns_of(random, rows))
    people = people[[*random.permutation(people.columns)[: random.integers(2, 6)]]]
    people["coarse"] = np.where(people.iloc[:, 0].map(str).str.len() > 1, "long", "short")  # a level that is found
    people = keyed(people, seed) if seed % 2 == 0 else people
    assert_same(
        fw.server.TableServer(people, **ROUNDED), fw.server.TableServer(ENGINES[engine](people, tmp_path), **ROUNDED)
    )


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "Ibis on SQLite"])
def test_types_that_pandas_writes_in_its_own_way(engine, tmp_path):
    random = np.random.default_rng(7)
    places = random.integers(0, 3, (len(RICH), 120))
    people = keyed(
        pd.DataFrame({name: [of[p] for p in at] for (name, of), at in zip(RICH.items(), places, strict=True)})
    )
    people["short"] = people["short"].astype(np.float32)
    people["large"] = people["large"].astype(np.uint64)
    people["band"] = pd.Categorical(people["band"], ["5-9", "unseen", "30-39", "10-14"])
    people.to_parquet(tmp_path / "whole.parquet")
    whole = fw.server.TableServer(tmp_path / "whole.parquet", **ROUNDED)
    assert whole.cube.labels["money"] == ("1.50", "10.00", "-0.05")
    assert whole.cube.labels["band"] == ("5-9", "10-14", "30-39")
    assert_same(whole, fw.server.TableServer(ENGINES[engine](people, tmp_path), **ROUNDED))


@pytest.mark.parametrize("engine", ENGINES)
def test_sums_of_keys_beyond_64_bits(engine, tmp_path):
    largest = 2**32 - 1
    people = pd.DataFrame({"sex": ["f"] * 40 + ["m"], "record_key_high": largest, "record_key_low": largest})
    people["record_key_high"] -= np.arange(41)
    whole = fw.server.TableServer(people, **ROUNDED)
    keys = people["record_key_high"].astype(object) * 2**32 + people["record_key_low"]
    assert [int(key) for key in whole.cube.keys] == [sum(keys[:40]) % 2**64, keys[40] % 2**64]
    assert sum(keys[:40]) > 2**68
    assert_same(whole, fw.server.TableServer(ENGINES[engine](people, tmp_path), **ROUNDED))


@pytest.mark.parametrize("held", ["int64", "uint32", "uint64"])
@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "Ibis on SQLite"])
def test_halves_may_be_stored_in_few_bits(engine, held, tmp_path):
    people = pd.DataFrame({"sex": ["f"] * 9, "record_key_high": 2**32 - 1 - np.arange(9), "record_key_low": 2**32 - 1})
    people = people.astype({"record_key_high": held, "record_key_low": held})
    assert_same(
        fw.server.TableServer(people, **ROUNDED), fw.server.TableServer(ENGINES[engine](people, tmp_path), **ROUNDED)
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_all_that_a_server_is_told_of_columns(engine, tmp_path):
    random = np.random.default_rng(3)
    people = pd.DataFrame({"age": random.integers(0, 30, 200), "sex": random.choice(["f", "m"], 200), "id": range(200)})
    people["band"] = people["age"] // 10
    people = keyed(people).rename(columns={"record_key_high": "k1", "record_key_low": "k2"})
    told = {
        "columns": "sex,age,band",
        "keys": ("k1", "k2"),
        "labels": {"sex": ["m", "f", "x"]},
        "hierarchies": {"age": ["band"], "sex": {"all": ["f", "m", "x"]}},
        "impossible": [{"sex": "x", "age": "1"}],
    }
    whole = fw.server.TableServer(people, **ROUNDED, **told)
    assert whole.cube.column["band"].told_level_of == "age"
    assert_same(whole, fw.server.TableServer(ENGINES[engine](people, tmp_path), **ROUNDED, **told))


@pytest.mark.parametrize("seed", range(3))
def test_csv_with_duckdb(seed, tmp_path):
    random = np.random.default_rng(seed)
    people = pd.DataFrame(columns_of(random, 200))
    people["text"] = people["text"].where(people["text"] != "it's", "one, two; three\tfour")
    people = keyed(people) if seed else people
    people.to_csv(tmp_path / "people.csv", index=False, sep=",;\t"[seed])
    whole = fw.server.TableServer(tmp_path / "people.csv", **ROUNDED)
    assert "01" in whole.cube.labels["text"]
    assert_same(whole, fw.server.TableServer(fw.server.engines.duckdb(tmp_path / "people.csv"), **ROUNDED))


@pytest.mark.parametrize(
    "text",
    [
        "sex,age\nf,1\nm,2\n",
        "\ufeffsex,age\r\nf,1\r\nm,01\r\n",
        "\n\nsex,age\nf,1\n\nm,2\n\n",
        ' sex , "age" \n"f", 1\nm  ,"2"\n',
        "sex;age\nf;1,5\nm;2,5",
        'sex,age\nf, "1, 2"\nm,2\n',
        "sex,age\n#f,1\nm,'2'\n",
        "sex,age\nNA,1\nNULL,nan\n",
    ],
)
def test_csv_as_people_write_it(text, tmp_path):
    (tmp_path / "people.csv").write_text(text, encoding="utf-8", newline="")
    whole = fw.server.TableServer(tmp_path / "people.csv", **ROUNDED)
    assert_same(whole, fw.server.TableServer(fw.server.engines.duckdb(tmp_path / "people.csv"), **ROUNDED))


@pytest.mark.parametrize("rows_of_a_group", [None, 10])
def test_ordered_categories_keep_their_order(rows_of_a_group, tmp_path):
    random = np.random.default_rng(5)
    bands = pd.Categorical(random.choice(["low", "mid", "high"], 50), ["low", "mid", "high", "top"], ordered=True)
    people = keyed(pd.DataFrame({"band": bands, "sex": random.choice(["f", "m"], 50)}))
    people.to_parquet(tmp_path / "people.parquet", row_group_size=rows_of_a_group)
    whole = fw.server.TableServer(tmp_path / "people.parquet", **ROUNDED)
    assert whole.cube.labels["band"] == ("low", "mid", "high")
    assert_same(whole, fw.server.TableServer(fw.server.engines.duckdb(tmp_path / "people.parquet"), **ROUNDED))


def test_the_index_of_a_frame_is_a_column_as_for_pandas(tmp_path):
    random = np.random.default_rng(6)
    people = pd.DataFrame({"sex": random.choice(["f", "m"], 40), "age": random.integers(0, 3, 40)})
    for index in (["town"], ["town", "street"], None):
        frame = people.assign(town=random.choice(["x", "y"], 40), street=random.integers(0, 4, 40))
        frame = frame[frame["age"] > 0] if index is None else frame.set_index(index)
        frame.to_parquet(tmp_path / "people.parquet")
        whole = fw.server.TableServer(tmp_path / "people.parquet", **ROUNDED)
        assert next(iter(whole.offered)) == ("sex" if index is None else "town")
        assert_same(whole, fw.server.TableServer(fw.server.engines.duckdb(tmp_path / "people.parquet"), **ROUNDED))


def test_names_that_mean_something_in_sql(tmp_path):
    random = np.random.default_rng(8)
    folder = tmp_path / "it's [a] folder=1"
    folder.mkdir()
    names = ['sex" --', "select", "c0", "n'; DROP", "ü"]
    people = pd.DataFrame({name: random.choice(["f", "m"], 60) for name in names})
    whole = fw.server.TableServer(people, **ROUNDED)
    for engine in ("Ibis on Polars", "Ibis on DuckDB", "Ibis on SQLite"):  # which have their own ways with such folders
        assert_same(whole, fw.server.TableServer(ENGINES[engine](people, tmp_path), **ROUNDED))
    assert_same(whole, fw.server.TableServer(ENGINES["DuckDB on Parquet"](people, folder), **ROUNDED))
    people.to_csv(folder / "people.csv", index=False)
    assert_same(whole, fw.server.TableServer(fw.server.engines.duckdb(folder / "people.csv"), **ROUNDED))


def test_many_groups(tmp_path):
    """More than DuckDB hands out at once, read with little memory, by one thread or several."""
    random = np.random.default_rng(9)
    people = keyed(pd.DataFrame({"a": random.integers(0, 1000, 300_000), "b": random.integers(0, 400, 300_000)}))
    whole = fw.server.TableServer(people, **ROUNDED)
    people.to_parquet(tmp_path / "people.parquet")
    for threads in (1, 3):
        engine = fw.server.engines.duckdb(tmp_path / "people.parquet", memory="100MB", threads=threads)
        assert_same(whole, fw.server.TableServer(engine, **ROUNDED))
