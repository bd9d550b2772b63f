"""fiberwalk tabulate: what it prints and writes, its exit status, and how it fails."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fiberwalk as fw
from fiberwalk.commands.main import main

ROUNDING = ("--mechanism", "random-round base=3")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(3)
    people = pd.DataFrame(
        {
            "sex": random.choice(["f", "m"], 400),
            "age": random.choice(["0-14", "15-64", "65,older"], 400),
            "region": random.choice(["N", "S"], 400),
        }
    )
    people.to_csv("people.csv", index=False)
    people.value_counts().rename("freq").reset_index().to_parquet("cube.parquet")
    (tmp_path / "age.csv").write_text('group,age\nyoung,0-14\nold,15-64\nold,"65,older"\n')
    return tmp_path


def run(*words):
    return CliRunner().invoke(main, ["tabulate", *map(str, words)])


def test_without_dims_it_lists_what_can_be_asked_for(folder):
    done = run("people.csv")
    assert done.exit_code == 0, done.output
    assert re.search(r"^400 people in \d+ occupied cells", done.output)
    assert re.search(r"^  age +3 labels: 0-14, 15-64, 65,older$", done.output, re.M)


def test_a_released_table_has_a_file_and_a_note_that_does_it_again(folder):
    asked = ("people.csv", "--dims", "age,sex", "--filter", "region=N", *ROUNDING, "--max-risk", 0.9)
    done = run(*asked, "--out", "table.csv")
    assert done.exit_code == 0, done.output
    assert "age x sex where region=N: released." in done.stdout
    assert "Further tables of these data must use the same: give --seed with the one in table.note.txt." in done.stderr
    note = (folder / "table.note.txt").read_text()
    seed = int(re.search(r"^seed: (\d+)$", note, re.M).group(1))
    if os.name == "posix":
        assert (folder / "table.note.txt").stat().st_mode & 0o077 == 0  # nobody else reads the seed
    written = pd.read_csv("table.csv")
    same = fw.server.tabulate(
        "people.csv", "age,sex", {"region": "N"}, mechanism="random_round", parameters={"base": 3}, seed=seed
    )
    assert written["count"].tolist() == same.table.values.ravel().tolist()
    again = re.search(r"^to do it again: fiberwalk tabulate (.*)$", note, re.M).group(1)
    (folder / "table.csv").unlink()
    assert run(*shlex.split(again)).exit_code == 0
    pd.testing.assert_frame_equal(written, pd.read_csv("table.csv"))


def test_the_seed_is_kept_from_call_to_call(folder):
    asked = ("people.csv", "--dims", "sex,age", *ROUNDING, "--seed-file", "secret.txt")
    first = run(*asked, "--out", "one.parquet")
    assert "new seed, for the agency alone: secret.txt" in first.stderr
    assert "Further tables" not in first.stderr
    second = run(*asked, "--out", "two.parquet")
    assert "new seed" not in second.stderr
    pd.testing.assert_frame_equal(pd.read_parquet("one.parquet"), pd.read_parquet("two.parquet"))
    if os.name == "posix":
        assert (folder / "secret.txt").stat().st_mode & 0o077 == 0
    (folder / "secret.txt").write_text("twelve")
    assert "secret.txt: a seed is one whole number, and nothing else stands there." in run(*asked).stderr
    assert f"{folder}: this is a folder, not a file" in run(*asked[:-1], folder).stderr
    (folder / "circle.txt").symlink_to(folder / "circle.txt")
    assert "new seed, for the agency alone: circle.txt" in run(*asked[:-1], "circle.txt").stderr


def test_the_seed_may_be_in_the_environment(folder, monkeypatch):
    asked = ("people.csv", "--dims", "sex,age", *ROUNDING)
    by_option = run(*asked, "--seed", "77", "--out", "one.parquet")
    monkeypatch.setenv("FIBERWALK_SEED", "77\n")
    kept = run(*asked, "--out", "two.parquet")
    assert by_option.exit_code == kept.exit_code == 0
    pd.testing.assert_frame_equal(pd.read_parquet("one.parquet"), pd.read_parquet("two.parquet"))
    monkeypatch.setenv("FIBERWALK_SEED", "secret-77")
    wrong = run(*asked)
    assert wrong.exit_code == 2
    assert "FIBERWALK_SEED: a seed is one whole number, and nothing else stands there." in wrong.stderr
    assert "secret-77" not in wrong.output


def test_without_a_file_it_prints_the_table_and_the_risk_of_every_category(folder):
    done = run(
        "cube.parquet",
        "--dims",
        "age,sex,region",
        "--mechanism",
        "random-round base=3",
        "--by",
        "age",
        "--seed",
        1,
    )
    assert done.exit_code == 0, done.output
    assert re.search(r"^  65,older: 0\.\d{3} before, 0\.\d{3} after$", done.output, re.M)
    assert re.search(r"^65,older +[fm] +[NS] +\d+$", done.output, re.M)
    grouped = run("cube.parquet", "--dims", "group", "--hierarchy", "age=age.csv", "--mechanism", "none")
    assert re.search(r"^ *young +\d+$", grouped.output, re.M)
    assert "Protected by nothing: these are the true counts" in grouped.output


def test_the_cube_is_protected_before(folder):
    asked = ("cube.parquet", "--dims", "region,age", "--seed", 5)
    swapped = run(*asked, "--mechanism", "swap dim=region rate=0.5", "--before", "--out", "swapped.csv")
    assert "Protected by swap dim=region rate=0.5 on the cube." in swapped.output
    run(*asked, "--mechanism", "none", "--out", "true.csv")
    after, before = pd.read_csv("swapped.csv"), pd.read_csv("true.csv")
    assert not after.equals(before)
    assert after.groupby("age")["count"].sum().equals(before.groupby("age")["count"].sum())


def test_offered_tables_add_up_from_call_to_call(folder):
    tables = {}
    for dims in ("sex,age", "age,region", "age"):
        asked = ("people.csv", "--dims", dims, "--mechanism", "round-lattice base=3 max_dims=2", "--seed", 5)
        assert run(*asked, "--out", "table.csv").exit_code == 0
        tables[dims] = pd.read_csv("table.csv").groupby("age")["count"].sum().to_dict()
    assert tables["sex,age"] == tables["age,region"] == tables["age"]


def test_labels_of_where(folder):
    tables = [
        run("people.csv", "--dims", "sex", *labels, "--max-labels", 2, "--mechanism", "none", "--out", "t.csv")
        and pd.read_csv("t.csv")
        for labels in (("--filter", "age=0-14", "--filter", "age=15-64"), ("--filter", "age=0-14,15-64"))
    ]
    pd.testing.assert_frame_equal(*tables)
    older = run("people.csv", "--dims", "sex", "--filter", "age=65,older", "--mechanism", "none")
    assert "sex where age=65,older: released." in older.output


def test_data_that_are_a_sample(folder):
    people = pd.read_csv("people.csv").assign(weight=np.round(np.random.default_rng(1).uniform(2, 8, 400), 1))
    people.to_csv("survey.csv", index=False)
    asked = ("survey.csv", "--dims", "sex,age", "--mechanism", "none", "--risk", "sample", "--seed", 7)
    done = run(*asked, "--sampling-weights", "weight")
    server = fw.server.TableServer("survey.csv", risk="sample", sampling_weights="weight", seed=7)
    assert done.exit_code == 0, done.stderr
    assert f"Risk {server.tabulate('sex,age').risk_before:.3f} before protection" in done.stdout
    sizes = {"region": {"N": 900, "S": 1200}}
    strata = ("--strata", "region", "--people", "N=900", "--people", "S=1200", "--model", "log-linear")
    done = run(*asked, "--columns", "sex,age,region", *strata)
    server = fw.server.TableServer(
        "survey.csv", risk="sample", people=sizes, model="log-linear", seed=7, columns=["sex", "age", "region"]
    )
    assert done.exit_code == 0, done.stderr
    assert f"Risk {server.tabulate('sex,age').risk_before:.3f} before protection" in done.stdout
    refused = run(*asked, "--columns", "sex,age", "--people", 2000, "--max-risk", 0.0001)
    assert refused.exit_code == 1
    assert "its risk is above 0.0001, also when it is protected" in refused.stderr
    for arguments, words in (
        ((*asked[:-4], "--people", 2000), "--people goes with --risk sample."),
        (
            (*asked[:-4], "--sampling-weights", "weight"),
            "--sampling-weights goes with --risk sample, or --weighted-base.",
        ),
        (asked, "--risk sample: how large is the population that these people were drawn from? Give --people"),
    ):
        wrong = run(*arguments)
        assert wrong.exit_code == 2
        assert words in wrong.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--dims", "sex,age,region", "--max-dims", "2"], "the table has 3 dims; at most 2 are allowed"),
        (["--dims", "sex", "--filter", "age=0-14", "--filter", "region=N"], "the table has 2 filters; at most 1 is allowed"),
        (["--dims", "sex", "--min-population", "1000"], "its figures add up to 402; at least 1,000 are needed"),
        (["--dims", "sex", "--min-mean-cell", "300"], "its figures are 201 on average; at least 300 are needed"),
        (["--dims", "sex,age", "--max-small-share", "0", "--small", "900"], "100% of its 6 figures are 1 to 900"),
    ],
)  # fmt: skip
def test_a_refused_table_has_a_reason_status_1_and_no_file(words, reason, folder):
    done = run("people.csv", *words, *ROUNDING, "--seed", 1, "--out", "table.csv")
    assert done.exit_code == 1, done.output
    assert reason in done.stdout
    assert reason in done.stderr
    assert not (folder / "table.csv").exists()


def test_a_table_that_is_too_risky_is_not_written_at_the_desk(folder):
    done = run("people.csv", "--dims", "sex", "--max-risk", "0", *ROUNDING, "--out", "table.csv")
    assert done.exit_code == 1
    assert "fiberwalk: no table: its risk is above 0, also when it is protected." in done.stderr
    assert not (folder / "table.csv").exists()


def test_rules_of_a_file_and_of_options(folder):
    (folder / "rules.toml").write_text('dims = ["sex", "age"]\nmax_dims = 1\nmin_population = 10\n')
    asked = ("people.csv", "--rules", "rules.toml", *ROUNDING, "--dims")
    assert run(*asked, "sex").exit_code == 0
    assert "the table has 2 dims; at most 1 is allowed" in run(*asked, "sex,age").stderr
    assert run(*asked, "sex,age", "--max-dims", 2).exit_code == 0
    assert "there is no dim 'region'" in run(*asked, "region").stderr
    assert "region" not in run("people.csv", "--rules", "rules.toml").stdout
    (folder / "rules.toml").write_text("max_dims = 1\n\nmin_populaton = 10\n")
    assert (
        "rules.toml, line 3: there is no rule 'min_populaton'; did you mean 'min_population'?"
        in run(*asked, "sex").stderr
    )


def test_noise_leaves_zeros_unless_it_is_asked_for(folder):
    tables = []
    (folder / "few.csv").write_text("sex,age,n\nf,1,90\nm,2,90\n")
    for options in ((), ("--noisy-zeros",)):
        asked = ("few.csv", "--dims", "sex,age", "--mechanism", "add-noise noise=5:1", "--seed", 3, *options)
        assert run(*asked, "--out", "table.csv").exit_code == 0
        tables.append(pd.read_csv("table.csv")["count"].tolist())
    assert tables == [[95, 0, 0, 95], [95, 5, 5, 95]]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--dims", "sex,agee", *ROUNDING], "there is no dim 'agee'; did you mean 'age'?"),
        (["--dims", "sex"], "tabulate needs a --mechanism, such as 'random-round base=3', or none"),
        ([*ROUNDING], "say which table is asked for by --dims"),
        (["--dims", "sex", "--filter", "region", *ROUNDING], "--filter region: write it as DIM=LABEL"),
        (["--dims", "sex", "--filter", "region=X", *ROUNDING], "dim 'region' has no label 'X'"),
        (["--dims", "sex", "--mechanism", "suppress"], "suppress"),
        (["--dims", "sex", "--mechanism", "random-round bas=3"], "random_round has no parameter 'bas'"),
        (["--dims", "sex", "--out", "people.csv", *ROUNDING], "FILE and --out are both people.csv"),
        (["--dims", "sex", "--out", "table.jj", *ROUNDING], "the file's name must end in .csv, .parquet or .json"),
        (["--dims", "sex", "--seed", "1", "--seed-file", "s", *ROUNDING], "--seed and --seed-file: give one of them"),
        (["--dims", "sex", "--seed-file", "people.csv", *ROUNDING], "--seed-file people.csv: give it a file of its own"),
        (["--dims", "sex", "--hierarchy", "age", *ROUNDING], "--hierarchy age: write it as DIM=FILE"),
        (["--dims", "sex", "--count", "n", *ROUNDING], "people.csv: there is no column 'n'"),
        (["--dims", "sex", "--rules", "none.toml", *ROUNDING], "none.toml: there is no such file"),
        (["--dims", "sex", "--mechanism", "swap dim=sex"], "swap treats a table as a whole"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_sentence(words, problem, folder):
    done = run("people.csv", *words)
    assert done.exit_code == 2, done.output
    assert problem in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.output


def test_a_file_cut_short_and_one_without_names(folder):
    (folder / "people.csv").write_text("sex,age\nf,1\nm\n")
    assert "people.csv: row 2 has no label in column 'age'" in run("people.csv").stderr
    (folder / "people.csv").write_text(",sex\n1,f\n")
    assert "a column has no name, or the name of another" in run("people.csv").stderr
    (folder / "people.csv").write_text("sex,sex\nm,f\n")
    assert "a column has no name, or the name of another" in run("people.csv").stderr
    (folder / "people.csv").write_text("sex,age\nf,1,2\n")
    assert "people.csv: not a well-formed CSV file" in run("people.csv").stderr


@pytest.fixture
def keyed(folder):
    """People with an income, weights and stored keys."""
    random = np.random.default_rng(5)
    people = pd.DataFrame(
        {
            "sex": random.choice(["f", "m"], 200),
            "region": random.choice(["N", "S"], 200),
            "income": random.lognormal(10, 1, 200).round(2),
            "weight": random.uniform(2, 40, 200).round(2),
        }
    )
    people.join(fw.server.record_keys(people, seed=1)).to_csv("keyed.csv", index=False)
    return ("keyed.csv", "--columns", "sex,region", "--dims", "sex,region", "--seed", 7, *ROUNDING)


def test_means_totals_and_labels_are_those_of_the_library(keyed):
    Path("labels.toml").write_text("sex = ['f', 'm', 'x']\nregion = ['N', 'S']\n")
    options = ("--summed", "income step=10 changed-by=0.2,0.3", "--mean-of", "income", "--totals", "consistent")
    done = run(*keyed, *options, "--labels", "labels.toml", "--min-contributors", 9, "--out", "table.json")
    assert done.exit_code == 0, done.stderr
    assert "note: sums add up, so that one that is withheld follows from others" in done.stderr
    assert "labels of" not in done.stderr
    server = fw.server.TableServer(
        "keyed.csv", columns=["sex", "region"], mechanism="random_round", parameters={"base": 3}, seed=7,
        summed={"income": fw.server.Magnitude(changed_by=(0.2, 0.3), step=10)},
        labels={"sex": ["f", "m", "x"], "region": ["N", "S"]}, rules=fw.server.ServerRules(min_contributors=9),
    )  # fmt: skip
    expected = server.tabulate("sex,region", mean_of="income", totals="consistent").public().to_json_stat()
    assert json.loads(Path("table.json").read_text(encoding="utf-8")) == expected
    assert None in expected["value"]


def test_weighted_counts_and_tables_published_before(keyed):
    done = run(*keyed, "--sampling-weights", "weight", "--weighted-base", 10, "--totals", "added", "--out", "t.csv")
    assert done.exit_code == 0, done.stderr
    table = pd.read_csv("t.csv").set_index(["sex", "region"])["weighted count"]
    assert (table % 10 == 0).all()
    assert table["Total", "Total"] == table[["f", "m"]].drop("Total", level="region").sum()
    counts = pd.read_csv("keyed.csv").groupby(["sex", "region"]).size().rename("count").reset_index()
    fw.round_to(counts, base=10).to_file("before.csv")
    done = run(*keyed, "--published-before", "before.csv", "--out", "u.csv")
    assert done.exit_code == 0, done.stderr
    assert (pd.read_csv("u.csv")["count"] % 10 == 0).all()
    assert "9 figures were published elsewhere, 0 of them true counts" in done.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--summed", "income stepp=3"], "--summed 'income stepp=3': after the name of a column, step=1000 or"),
        (["--summed", "income changed-by=0.1"], "--summed 'income changed-by=0.1': after the name of a column"),
        (
            ["--summed", "income", "--sum-of", "incom"],
            "--sum-of 'incom': there is no such magnitude; did you mean 'income'?",
        ),
        (["--labels", "people.csv"], "people.csv: not a well-formed TOML file"),
        (["--published-before", "nothing.csv"], "nothing.csv: there is no such file"),
    ],
)
def test_wrong_settings_are_one_sentence(keyed, words, reason):
    done = run(*keyed, *words)
    assert done.exit_code == 2
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_log_is_kept_listed_and_audited(keyed):
    for number, dims in enumerate(["sex", "region", "sex,region"]):
        asked = [*keyed[:4], dims, *keyed[5:]]
        done = run(*asked, "--log", "log.sqlite", "--user", ["anna", "ben"][number % 2])
        assert done.exit_code == 0, done.stderr
    listed = CliRunner().invoke(main, ["log", "log.sqlite", "--last", "2", "--csv", "log.csv"])
    assert listed.exit_code == 0, listed.stderr
    assert listed.stdout.startswith("3 requests of 2 users, 0 of them refused.\n  anna: 2 requests, 0 refused\n")
    assert re.findall(r"^ +(\d)  \S+  (\w+): (.*)$", listed.stdout, re.M) == [
        ("2", "ben", "region: released"),
        ("3", "anna", "sex x region: released"),
    ]
    assert pd.read_csv("log.csv")["request"].tolist() == ["sex", "region", "sex x region"]
    settings = [*keyed[:3], *keyed[5:]]
    done = run(*settings, "--log", "log.sqlite", "--audit", "--html", "log.html", "--csv", "ranking.csv")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("3 distinct requests of everybody, with 8 distinct figures.")
    server = fw.server.TableServer(
        "keyed.csv",
        columns=["sex", "region"],
        mechanism="random_round",
        parameters={"base": 3},
        seed=7,
        log="log.sqlite",
    )
    pd.testing.assert_frame_equal(
        pd.read_csv("ranking.csv"), server.audit().cells.reset_index(), check_dtype=False, check_exact=False
    )
    assert "Everything that was answered" in Path("log.html").read_text(encoding="utf-8")
    for name in ("log.html", "ranking.csv", "log.csv", "log.sqlite"):
        if os.name == "posix":
            assert Path(name).stat().st_mode & 0o077 == 0, name


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--audit"], "--audit needs --log, the file of what was answered."),
        (["--audit", "--log", "none.sqlite"], "--log none.sqlite: there is no such file, and so nothing to audit."),
        (["--dims", "sex", "--csv", "x.csv"], "--csv goes with --audit."),
        (
            ["--dims", "sex", "--audit", "--log", "people.csv"],
            "--dims asks for a table, and --audit for what all",
        ),
        (["--audit", "--log", "people.csv", "--sum-of", "pay"], "--sum-of asks for a table, and --audit for what all"),
        (["--audit", "--log", "people.csv", "--totals", "added"], "--totals asks for a table, and --audit"),
        (["--audit", "--log", "people.csv"], "people.csv: this is no log of a server"),
    ],
)
def test_wrong_options_of_an_audit_are_one_sentence(folder, words, reason):
    done = run("people.csv", *ROUNDING, *words)
    assert done.exit_code == 2
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_audit_looks_at_those_a_filter_names(folder):
    Path("four.csv").write_text("sex,age,n\nf,a,1\nf,b,30\nm,a,22\nm,b,2\n")
    words = ["four.csv", "--mechanism", "random-round base=3", "--seed", "4", "--log", "log.sqlite"]
    for dims in ("sex", "age", "sex,age"):
        assert run(*words, "--dims", dims).exit_code == 0
    looked_at = []
    for more in ([], ["--filter", "sex=f"]):
        done = run(*words, "--audit", "--csv", "ranking.csv", *more)
        assert done.exit_code == 0, done.output
        looked_at.append(set(pd.read_csv("ranking.csv")["cell"]))
    assert {cell for cell in looked_at[0] if "sex=m" not in cell} == looked_at[1] < looked_at[0]


def test_an_engine_counts_the_same(folder):
    people = pd.read_csv("people.csv")
    (folder / "parts").mkdir()
    for part in range(2):
        people.iloc[part::2].reset_index(drop=True).to_parquet(f"parts/{part}.parquet")
    asked = ("--dims", "age,sex", *ROUNDING, "--seed", 5, "--out")
    for number, data in enumerate((["people.csv"], ["people.csv", "--engine", "duckdb"])):
        assert run(*data, *asked, f"{number}.csv").exit_code == 0
    done = run("parts/*.parquet", "--engine", "duckdb", "--memory", "200MB", *asked, "2.csv")
    assert done.exit_code == 0, done.output
    assert len({(folder / f"{number}.csv").read_bytes() for number in range(3)}) == 1
    again = re.search(r"^to do it again: fiberwalk tabulate (.*)$", (folder / "2.note.txt").read_text(), re.M).group(1)
    (folder / "2.csv").unlink()
    assert run(*shlex.split(again)).exit_code == 0
    assert (folder / "2.csv").read_bytes() == (folder / "1.csv").read_bytes()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["people.csv", "--memory", "1GB"], "--memory goes with --engine."),
        (["people.csv", "--engine", "duckdb", "--memory", "much"], "--memory 'much': an amount such as '2GB'."),
        (["nobody*.csv", "--engine", "duckdb"], "nobody*.csv: there is no such file."),
        (["people.csv", "--engine", "duckdb", "--keys", "region"], "--keys of data that an engine counts are the two"),
        (["cube.parquet", "--engine", "duckdb"], "cube.parquet: the column 'freq' holds counts of cells"),
        (
            ["*.csv", "--engine", "duckdb", "--dims", "sex", *ROUNDING, "--out", "people.csv"],
            "FILE and --out are both people.csv",
        ),
    ],
)  # fmt: skip
def test_what_an_engine_is_not_for(words, problem, folder):
    before = (folder / "people.csv").read_bytes()
    (folder / "age.csv").unlink()
    done = run(*words)
    assert done.exit_code == 2
    assert problem in done.stderr
    assert done.stderr.count("\n") == 1
    assert (folder / "people.csv").read_bytes() == before
