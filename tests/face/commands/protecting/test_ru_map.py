"""fiberwalk ru-map: what it prints and writes, and how it fails."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fiberwalk as fw
from fiberwalk.commands.main import main
from fiberwalk.commands.protecting import ru_map
from fiberwalk.commands.protecting.mechanisms import mechanisms
from fiberwalk.maps.map_risks import CELL_RISKS
from fiberwalk.maps.map_utilities import UTILITIES
from fiberwalk.risk.table_risks import TABLE_RISKS

TABLE = np.array([[3, 1, 7], [2, 9, 4], [8, 2, 15]])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "table.csv"
    rows = [(f"r{i}", f"c{j}", TABLE[i, j]) for i in range(3) for j in range(3)]
    pd.DataFrame(rows, columns=["row", "column", "value"]).to_csv(path, index=False)
    return path


def run(*words):
    return CliRunner().invoke(main, ["ru-map", *map(str, words)])


def test_it_names_all_measures_that_a_command_can_ask_for():
    needs_a_function = "expected harm"
    assert tuple(one for one in (*CELL_RISKS, *TABLE_RISKS) if one != needs_a_function) == ru_map.RISKS
    assert tuple(UTILITIES) == ru_map.UTILITIES


ROUNDING = ("--mechanism", "random-round base=3,5", "--seeds", 2)


def test_what_it_prints_and_writes(file, tmp_path):
    outputs = ("--plot", tmp_path / "map.png", "--csv", tmp_path / "map.csv")
    hiding = ("--mechanism", "complementary-suppress rule='< 3'")
    done = run(file, *ROUNDING, *hiding, "--where", "< 3", "--max-risk", 0.6, *outputs)
    assert done.exit_code == 0, done.output
    assert (
        "Risk: 1/H (1/bits), the worst of 3 chosen cells. Utility: mean squared precision, 3 chosen cells."
        in done.output
    )
    assert "The highest utility at a risk of at most 0.6: " in done.output
    table = pd.read_csv(tmp_path / "map.csv", keep_default_na=False)
    assert table["method"].tolist() == ["original", "random-round", "random-round", "complementary-suppress rule=< 3"]
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


def test_risks_of_the_whole_table(file):
    done = run(file, *ROUNDING, "--risk", "split", "--utility", "hellinger", "--json")
    assert done.exit_code == 0, done.output
    points = json.loads(done.stdout)["points"]
    assert points[0]["risk"] == pytest.approx(fw.risk.split_risk(TABLE))
    assert (points[1]["known"], points[1]["certificate"]) == (None, "not audited")
    words = run(file, *ROUNDING, "--risk", "r2", "--utility", "hellinger").output
    assert (
        "Risk: R2 of the whole table (Antal, Shlomo and Elliot). Utility: 1 - Hellinger distance / sqrt(N).\n" in words
    )
    some = (
        "--risk",
        "r1",
        "--weights",
        "0.2,0.3,0.5",
        "--by",
        "column, row",
        "--over",
        "mean",
        "--utility",
        "hellinger",
    )
    done = run(file, *ROUNDING, *some, "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["points"][0]["risk"] == pytest.approx(fw.risk.r1(TABLE, (0.2, 0.3, 0.5), by=[0, 1]).mean())
    assert "R1, mean over column and row as published" in told["risk"]
    assert "there are 3 terms, each with a weight" in run(file, *ROUNDING, "--risk", "r2", "--weights", "1").output
    assert "or 'l2'" in run(file, *ROUNDING, "--risk", "r2", "--weights", "0.1;0.9").output
    wrong = run(file, *ROUNDING, "--risk", "r2", "--where", "< 3")
    assert (wrong.exit_code, "is of the whole table: leave out" in wrong.output) == (2, True)


def test_json_says_the_same_as_python(file):
    done = run(file, *ROUNDING, "--cell", "row=r0,column=c1", "--nats", "--utility", "Cramer's V", "--json")
    assert done.exit_code == 0, done.output
    points = json.loads(done.stdout)["points"]
    cell = {"A": "1", "B": "2"}
    same = fw.ru_map(
        TABLE, {"r": ("random_round", {"base": [3, 5]})}, utility="cramer's v", cell=cell, log_base=np.e, seeds=2
    )
    assert points[0]["risk"] == "infinite"
    for axis in ("risk", "utility", "risk_error", "utility_error"):
        assert [one[axis] for one in points[1:]] == pytest.approx(same.frame[axis].tolist()[1:])


def test_it_fails_where_every_method_leaves_too_much_risk(file):
    assert run(file, *ROUNDING, "--where", "< 3", "--fail-above", 5).exit_code == 0
    failed = run(file, *ROUNDING, "--where", "< 3", "--fail-above", 0.001)
    assert failed.exit_code == 1
    assert "every method leaves more risk than 0.001" in failed.output
    assert "at most 0.001: none of these" in failed.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "needs at least one --mechanism"),
        (("--mechanism", "random-rund base=3"), "did you mean 'random_round'"),
        (("--mechanism", "random-round bse=3"), "did you mean 'base'"),
        (("--mechanism", "random-round base"), "write it as name=value"),
        (("--mechanism", "random-round base=3", "--mechanism", "random-round base=3"), "is there twice"),
        ((*ROUNDING, "--cell", "row"), "write it as DIM=LABEL"),
        ((*ROUNDING, "--cell", "row=r9,column=c1"), "r9"),
        ((*ROUNDING, "--rule", "< 3"), "--rule is for tables that are protected already"),
        ((*ROUNDING, "--plot", "map.doc"), ".png, .svg or .pdf"),
    ],
)  # fmt: skip
def test_errors(file, words, said):
    done = run(file, *words)
    assert done.exit_code == 2
    assert said in done.output
    assert "Traceback" not in done.output


def test_a_table_with_hidden_cells_is_refused(file):
    file.write_text(file.read_text().replace("r0,c1,1", "r0,c1,"))
    done = run(file, *ROUNDING)
    assert done.exit_code == 2
    assert "needs the true table in full" in done.output


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("random-round base=3,5", {"base": [3, 5]}),
        ("random-round base=3 exact=A,B", {"base": 3, "exact": "A,B"}),
        ("suppress 'rule=< 3,< 5'", {"rule": ["< 3", "< 5"]}),
        ("add-noise noise=uniform:1,uniform:2", {"noise": [fw.protect.uniform_noise(1), fw.protect.uniform_noise(2)]}),
        ("add-noise noise=-1:0.5,1:0.5", {"noise": {-1: 0.5, 1: 0.5}}),
    ],
)
def test_values_of_a_parameter(text, parameters):
    assert [one.parameters for one in mechanisms([text]).values()] == [parameters]
