"""fiberwalk reconstruct in a terminal."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from click.testing import CliRunner

import fiberwalk as fw
from fiberwalk.commands.main import main

AGES = [str(age) for age in range(6)]
BY_AGE = pd.DataFrame({"age": AGES, "count": [1, 0, 2, 0, 1, 1]})
BY_SEX = pd.DataFrame({"band": ["young", "young", "old", "old"], "sex": ["f", "m"] * 2, "count": [2, 1, 0, 2]})
DECLARED = {
    "dims": {"sex": ["f", "m"], "age": {"from": 0, "to": 5}},
    "recodes": {"age": {"band": {"young": {"from": 0, "to": 2}, "old": {"from": 3, "to": 5}}}},
}


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / "tables"
    home.mkdir()
    BY_AGE.to_csv(home / "ages.csv", index=False)
    BY_SEX.to_csv(home / "sexes.csv", index=False)
    (home / "population.json").write_text(json.dumps(DECLARED))
    return home


def run(*arguments):
    return CliRunner().invoke(main, ["reconstruct", *map(str, arguments)])


def expected():
    population = fw.population(
        {"sex": ["f", "m"], "age": AGES}, recodes={"age": {"band": {"young": AGES[:3], "old": AGES[3:]}}}
    )
    ages = fw.table(BY_AGE["count"].to_numpy(), dims="age", labels={"age": AGES})
    labels = {"band": ["young", "old"], "sex": ["f", "m"]}
    sexes = fw.table(BY_SEX["count"].to_numpy().reshape(2, 2), dims=list(labels), labels=labels)
    return fw.reconstruct(population.published({"ages": ages, "sexes": sexes}))


def test_a_folder_says_who_may_exist(folder, tmp_path):
    page, rows, drawn = tmp_path / "report.html", tmp_path / "records.csv", tmp_path / "people.csv"
    done = run(folder, "--html", page, "--csv", rows, "--draw", drawn, "--top", 2)
    assert done.exit_code == 0, done.output
    found = expected()
    assert f"give away {len(found.certain)} records with certainty" in done.stdout
    assert f"... and {len(found.records) - 2:,} more (--top, --csv)" in done.stdout
    assert "<html" in page.read_text()
    written = pd.read_csv(rows, dtype={"age": str})
    same = found.records.set_index(["sex", "age"])["p"].to_dict()
    assert written.set_index(["sex", "age"])["p"].round(9).to_dict() == {who: round(p, 9) for who, p in same.items()}
    people = pd.read_csv(drawn, dtype=str)
    assert people["age"].value_counts().to_dict() == {"0": 1, "2": 2, "4": 1, "5": 1}


def test_files_without_a_declaration_have_the_labels_that_occur(folder):
    (folder / "population.json").unlink()
    done = run(folder / "ages.csv")
    assert done.exit_code == 0, done.output
    assert "5 people" in done.stdout


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("{", "cannot be read as JSON"),
        ("[]", "this is a JSON object with dims, recodes, where, about."),
        ({**DECLARED, "rules": []}, "says 'rules'"),
        ({**DECLARED, "about": {"age": {}}}, "'about' names the table 'age'; did you mean 'ages'"),
        ({"dims": {"sex": ["f"], "age": {"from": 0, "to": 5}}}, "band"),
        ({**DECLARED, "dims": {"sex": ["f", "m"], "age": {"from": 0, "to": 4}}}, "'5'"),
        ({**DECLARED, "dims": {"sex": ["f", "m"], "age": {"from": 5, "to": 0}}}, "from"),
    ],
)
def test_a_wrong_declaration_is_one_sentence(folder, said, words):
    (folder / "population.json").write_text(said if isinstance(said, str) else json.dumps(said))
    done = run(folder)
    assert done.exit_code == 2
    assert words in done.stderr
    assert "Traceback" not in done.output


def test_tables_that_contradict_each_other_are_named(folder):
    BY_AGE.assign(count=[1, 0, 2, 0, 1, 5]).to_csv(folder / "ages.csv", index=False)
    done = run(folder)
    assert done.exit_code == 2
    assert "ages" in done.stderr
    assert "sexes" in done.stderr
