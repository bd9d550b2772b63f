"""PxWebApi 2: what is selected has the figures of the library, and clients that nobody here wrote fetch them."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.web.running import running
from support.web.town import client, served

import fiberwalk as fw

BASE = "/pxweb/api/v2"
SERVER = served()
CLIENT = client(SERVER)
TABLES = [one["id"] for one in CLIENT.get(f"{BASE}/tables?pageSize=1000").json()["tables"]]


def test_tables_are_what_the_rules_allow_levels_left_to_codelists():
    finest = ["sex", "age", "region", "job"]
    expected = {frozenset(one) for one in SERVER.catalogue.tables() if set(one) <= set(finest)}
    assert {frozenset(one.split(".")) for one in TABLES} == expected
    page = CLIENT.get(f"{BASE}/tables?pageSize=4&pageNumber=2&query=AGE").json()
    assert page["page"] == {"pageNumber": 2, "pageSize": 4, "totalElements": 7, "totalPages": 2}
    assert all("age" in one["variableNames"] for one in page["tables"])


def test_metadata_has_values_and_codelists():
    found = CLIENT.get(f"{BASE}/tables/sex.age/metadata").json()
    assert list(found["dimension"]["age"]["category"]["label"]) == list(SERVER.offered["age"])
    assert [one["id"] for one in found["dimension"]["age"]["extension"]["codeLists"]] == ["band"]
    band = CLIENT.get(f"{BASE}/codelists/band").json()
    assert {one["code"]: one["valueMap"] for one in band["values"]} == {
        "old": ["20-39", "40+"],
        "young": ["0-9", "10-19"],
    }


@st.composite
def selections(draw):
    table = draw(st.sampled_from(TABLES)).split(".")
    picked = []
    for variable in draw(st.lists(st.sampled_from(table), min_size=1, max_size=len(table), unique=True)):
        level = variable == "age" and draw(st.booleans())
        labels = SERVER.offered["band" if level else variable]
        values = draw(st.lists(st.sampled_from(labels), min_size=1, unique=True))
        picked.append({"variableCode": variable, "valueCodes": values, **({"codelist": "band"} if level else {})})
    contents = draw(st.lists(st.sampled_from(["count", "sum-pay", "mean-pay"]), max_size=2, unique=True))
    return ".".join(table), picked, contents


@given(selections())
@settings(max_examples=60, deadline=None)
def test_a_selection_has_the_figures_of_the_library(asked):
    """Each figure is that of a table of everything that is selected, whichever variables are filters here."""
    table, picked, contents = asked
    further = [{"variableCode": "ContentsCode", "valueCodes": contents}] if contents else []
    found = CLIENT.post(f"{BASE}/tables/{table}/data", json={"selection": picked + further}).json()
    dims = [one.get("codelist", one["variableCode"]) for one in picked]
    values = []
    for code in contents or ["count"]:
        way, _, of = code.partition("-")
        whole = SERVER.tabulate(dims, **({} if way == "count" else {f"{way}_of": of})).table
        shown = whole.sel({dim: one["valueCodes"] for dim, one in zip(dims, picked, strict=True)})
        values += shown.transpose(*dims).values.ravel().tolist()
    assert found["id"] == ["ContentsCode", *(one["variableCode"] for one in picked)]
    assert found["size"] == [len(contents or "1"), *(len(one["valueCodes"]) for one in picked)]
    answered = [np.nan if value is None else value for value in found["value"]]
    assert np.array_equal(answered, values, equal_nan=True)


SEX_BY_BAND = {"selection": [{"variableCode": "sex", "valueCodes": ["*"], "codelist": "band"}]}


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("/tables/sex.agee/data", {"selection": []}, 404, "There is no table 'sex.agee'; did you mean 'sex.age'?"),
        ("/tables/sex/data", {"selection": [{"variableCode": "age", "valueCodes": ["*"]}]}, 422, "no variable 'age'"),
        ("/tables/sex/data", {"selection": [{"variableCode": "sex", "valueCodes": ["q"]}]}, 422, "no value 'q'"),
        ("/tables/sex/data", {"selection": [{"variableCode": "sex", "valueCodes": []}]}, 422, "Select values of 'sex'"),
        ("/tables/sex/data", {"selection": "sex"}, 422, "A selection is a list of"),
        ("/tables/sex/data", SEX_BY_BAND, 422, "'sex' has no codelist 'band'"),
        ("/codelists/age", None, 404, "There is no codelist 'age'"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_told(path, body, status, words):
    answer = CLIENT.get(BASE + path) if body is None else CLIENT.post(BASE + path, json=body)
    assert answer.status_code == status
    assert words in answer.json()["detail"]


def test_wildcards_and_addresses():
    found = CLIENT.get(f"{BASE}/tables/sex.age/data?codelist[age]=band").json()
    assert list(found["dimension"]["age"]["category"]["index"]) == list(SERVER.offered["band"])
    found = CLIENT.get(f"{BASE}/tables/sex.age/data?valueCodes[age]=?0-*,40*").json()
    assert list(found["dimension"]["age"]["category"]["index"]) == ["10-19", "20-39", "40+"]


FETCH = """
import json, sys
from pxweb import PxApi
api = PxApi(sys.argv[1], disable_cache=True)
rows = api.get_table_data("sex.age", value_codes={"sex": ["*"], "age": ["*"]}, code_list={"age": "band"})
everything = api.get_table_data_all(sys.argv[2])
print(json.dumps([api.number_of_tables, rows, everything, list(api.get_table_variables("sex.age"))]))
"""
READ = """
import json, sys, urllib.request
from pyjstat import pyjstat
frame = pyjstat.Dataset.read(sys.argv[1]).write("dataframe")
print(frame.to_json(orient="split"))
"""


def in_a_process(script, *words):
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_clients_of_offices_fetch_tables():
    with running(fw.server.application(SERVER)) as address:
        number, rows, everything, variables = in_a_process(FETCH, f"{address}{BASE}", "sex.region")
        read = in_a_process(READ, f"{address}/api/table?dims=sex,job")
    assert number == len(TABLES)
    assert variables == ["ContentsCode", "sex", "age"]
    table = SERVER.tabulate("sex,band").table
    assert [(row["sex"], row["age"], row["value"]) for row in rows] == [
        (sex, band, int(table.sel(sex=sex, band=band))) for sex in table["sex"].values for band in table["band"].values
    ]
    counts = [row["value"] for row in everything if row["ContentsCode"] == "people"]
    assert counts == SERVER.tabulate("sex,region").table.values.ravel().tolist()
    assert {row["ContentsCode"] for row in everything} == {"people", "sum of pay", "mean of pay"}
    assert [row[-1] for row in read["data"]] == SERVER.tabulate("sex,job").table.values.ravel().tolist()
