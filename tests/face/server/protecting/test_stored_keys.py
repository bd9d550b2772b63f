"""Record keys that are stored: the command that writes them once, and the server that finds them."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fiberwalk as fw
from fiberwalk.commands.main import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(3)
    people = pd.DataFrame({"sex": random.choice(["f", "m"], 100), "code": random.choice(["007", "07"], 100)})
    people.to_csv("people.csv", index=False)
    people.to_parquet("people.parquet", index=False)
    return tmp_path


def run(*words):
    return CliRunner().invoke(main, ["keys", *map(str, words)])


def test_keys_are_written_beside_the_data_which_stay_as_they_are(folder):
    for name in ("keyed.csv", "keyed.parquet"):
        done = run(f"people{name[5:]}", "--out", name)
        assert done.exit_code == 0, done.output
        assert done.stderr.strip() == f"100 records with keys, for the agency alone: {name}"
        read = (lambda path: pd.read_csv(path, dtype=str)) if name.endswith("csv") else pd.read_parquet
        written, people = read(name), read(f"people{name[5:]}")
        pd.testing.assert_frame_equal(written[["sex", "code"]], people)
        halves = written[["record_key_high", "record_key_low"]].astype(np.int64)
        assert ((halves >= 0) & (halves < 2**32)).all(axis=None)
        assert len(halves.drop_duplicates()) == 100
        if os.name == "posix":
            assert (folder / name).stat().st_mode & 0o077 == 0
    server = fw.server.TableServer("keyed.csv", mechanism="random_round", seed=1)
    assert list(server.offered) == ["sex", "code"]
    keys = pd.read_csv("keyed.csv")
    whole = (keys["record_key_high"].astype(object) * 2**32 + keys["record_key_low"]).sum() % 2**64
    assert int(server.cube.keys.sum(dtype=np.uint64)) == whole


def test_a_file_that_has_keys_keeps_them_unless_it_is_told_otherwise(folder):
    run("people.csv", "--out", "keyed.csv")
    again = run("keyed.csv", "--out", "new.csv")
    assert again.exit_code == 2
    assert "keyed.csv: it has keys already (record_key_high, record_key_low). New ones would change" in again.stderr
    assert not (folder / "new.csv").exists()
    assert run("keyed.csv", "--out", "new.csv", "--replace").exit_code == 0
    assert not pd.read_csv("new.csv").equals(pd.read_csv("keyed.csv"))
    assert run("people.csv", "--out", "one.csv", "--seed", 4).exit_code == 0
    assert run("people.csv", "--out", "two.csv", "--seed", 4).exit_code == 0
    assert (folder / "one.csv").read_bytes() == (folder / "two.csv").read_bytes()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["people.csv", "--out", "people.csv"], "FILE and --out are both people.csv"),
        (["people.csv", "--out", "keyed.xlsx"], "--out keyed.xlsx: the file's name must end in .csv or .parquet"),
        (["nobody.csv", "--out", "keyed.csv"], "nobody.csv: there is no such file"),
        (["counts.csv", "--out", "keyed.csv"], "counts.csv: the column 'n' holds counts, and keys belong to people"),
    ],
)
def test_wrong_input_is_one_sentence(words, problem, folder):
    (folder / "counts.csv").write_text("sex,n\nf,3\nm,4\n")
    done = run(*words)
    assert done.exit_code == 2
    assert problem in done.stderr
    assert done.stderr.count("\n") == 1
