"""The JSON interface gives the figures of the library, says what can be asked instead, and never shows its inside."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.web.town import AUDITOR, as_, client, served, town

import fiberwalk as fw

DIMS = ["sex", "age", "band", "region", "job"]
FORMATS = {
    "csv": lambda content: pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False),
    "xlsx": lambda content: pd.read_excel(io.BytesIO(content), dtype=str, keep_default_na=False),
    "parquet": lambda content: pd.read_parquet(io.BytesIO(content)).astype(str),
}
FURTHER = [{}, {"sum_of": "pay"}, {"mean_of": "pay"}, {"totals": "added"}, {"totals": "consistent"}]
SERVER = served()
CLIENT = client(SERVER)


@st.composite
def asked(draw):
    """A request, allowed or not, as an address has it and as the library takes it."""
    dims = draw(st.lists(st.sampled_from(DIMS), min_size=1, max_size=4, unique=True))
    chosen = draw(st.lists(st.sampled_from(DIMS), max_size=2, unique=True))
    labels = {dim: draw(st.lists(st.sampled_from(SERVER.offered[dim]), min_size=1, max_size=2)) for dim in chosen}
    further = draw(
        st.sampled_from([{}, {"sum_of": "pay"}, {"mean_of": "pay"}, {"totals": "added"}, {"totals": "consistent"}])
    )
    filters = [f"{dim}={label}" for dim, of in labels.items() for label in of]
    return {"dims": ",".join(dims), "filter": filters, **further}, (dims, labels), further


@given(asked())
@settings(max_examples=60, deadline=None)
def test_the_figures_are_those_of_the_library(request):
    address, words, further = request
    answer = CLIENT.get("/api/table", params=address)
    expected = SERVER.tabulate(*words, **further)
    if not expected.released:
        assert answer.status_code == 403
        assert answer.json()["detail"] == f"{expected.notice}."
        return
    found = answer.json()
    assert found["id"] == list(expected.table.dims)
    assert found["size"] == list(expected.table.shape)
    for dim in found["id"]:
        assert found["dimension"][dim]["category"]["index"] == [str(label) for label in expected.table[dim].values]
    values = [np.nan if value is None else value for value in found["value"]]
    assert np.array_equal(values, expected.table.values.ravel(), equal_nan=True)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_the_same_figures(name):
    answer = CLIENT.get("/api/table", params={"dims": "sex,region", "totals": "added", "format": name})
    expected = SERVER.tabulate("sex,region", totals="added").public().to_frame().astype(str)
    pd.testing.assert_frame_equal(FORMATS[name](answer.content).astype(str), expected, check_dtype=False)
    assert answer.headers["content-disposition"] == f'attachment; filename="sex-region.{name}"'


def test_the_catalogue_is_that_of_the_server():
    found = CLIENT.get("/api/catalogue").json()
    assert [(one["name"], tuple(one["labels"]), one["level_of"]) for one in found["dims"]] == [
        (one.name, one.labels, one.level_of) for one in SERVER.catalogue.dims
    ]
    assert (found["summed"], found["rules"]["max_dims"]) == (["pay"], 3)


def test_a_check_makes_no_table_and_tells_the_size():
    before = len(SERVER.log)
    found = CLIENT.get("/api/check", params={"dims": "sex,region", "totals": "added"}).json()
    assert (found["cells"], found["allowed"], found["instead"]) == (12, True, [])
    found = CLIENT.get("/api/check", params={"dims": "sex,age,region,job"}).json()
    assert (found["allowed"], found["why_not"]) == (False, "the table has 4 dims; at most 3 are allowed")
    assert len(SERVER.log) == before


@pytest.mark.parametrize(
    "address",
    ["dims=sex,age,region,job", "dims=sex&filter=age=0-9&filter=job=x", "dims=sex&filter=age=0-9&filter=age=10-19",
     "dims=sex,age,region&filter=band=old&filter=job=x"],
)  # fmt: skip
def test_what_is_told_to_be_asked_instead_can_be_asked(address):
    refused = CLIENT.get(f"/api/table?{address}")
    assert refused.status_code == 403
    assert refused.json()["instead"]
    for one in refused.json()["instead"]:
        assert CLIENT.get(f"/api/check?{one['query']}").json()["words"] == one["words"]
        assert CLIENT.get(f"/api/table?{one['query']}").status_code == 200


@pytest.mark.parametrize("address", ["dims=sex,age&totals=added", "dims=sex,age,region,job", "dims=job&filter=sex=f"])
def test_to_a_page_a_refusal_is_an_answer_like_a_table(address):
    """A browser writes a status of 403 into its console."""
    answer, other = CLIENT.get(f"/api/answer?{address}"), CLIENT.get(f"/api/table?{address}")
    assert answer.status_code == 200
    found = answer.json()
    assert found["released"] == (other.status_code == 200) == (found["dataset"] is not None)
    if found["released"]:
        assert found["dataset"] == other.json()
        assert found["instead"] == []
    else:
        assert f"{found['notice']}." == other.json()["detail"]
        assert found["instead"] == other.json()["instead"] != []


def test_an_address_brings_the_same_request_back():
    address = {"dims": "sex,age", "filter": ["region=S, far", "region=N=1"], "totals": "added", "sum_of": "pay"}
    query = CLIENT.get("/api/check", params=address).json()["query"]
    again = CLIENT.get(f"/api/check?{query}").json()
    assert again["query"] == query
    assert again["words"] == "sum of pay by sex x age where region=N=1 or S, far, with totals added up"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("dims=sx", "there is no dim 'sx'; did you mean 'sex'?"),
        ("dims=sex&filter=region", "filter=region: write it as filter=DIM=LABEL, such as filter=region=1."),
        ("dims=sex&filter=region=Q", "dim 'region' has no label 'Q'"),
        ("dims=sex&sum_of=income", "sum_of='income': there is no such magnitude"),
        ("dims=sex&totals=all", "totals: Input should be 'consistent' or 'added'"),
        ("", "dims: Field required"),
    ],
)
def test_what_is_not_understood_is_told_in_a_sentence(address, words):
    answer = CLIENT.get(f"/api/table?{address}")
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert words in answer.json()["detail"]


def test_too_much_is_refused():
    few = client(served(), max_cells=10, per_minute=3)
    assert (
        few.get("/api/table?dims=sex,age,region").json()["detail"] == "The table has 24 figures; at most 10 are sent."
    )
    part = few.get("/api/table?dims=sex,age,region&filter=age=0-9&filter=region=N=1")  # the whole table would be made
    assert part.json()["detail"] == "The table has 24 figures; at most 10 are sent."
    assert [few.get("/api/table?dims=sex").status_code for _ in range(4)] == [200, 200, 200, 429]
    told = few.get("/api/table?dims=sex")
    assert (told.headers["retry-after"], told.json()["title"]) == ("30", "Too many requests")


def test_a_request_for_a_thousand_million_cells_makes_no_table():
    labels = [str(k) for k in range(1000)]
    frame = pd.DataFrame({name: labels[:5] * 8 for name in "abc"})
    server = fw.server.TableServer(frame, labels=dict.fromkeys("abc", labels), seed=1)
    answer = client(server, max_cells=10**12).get("/api/table?dims=a,b,c")
    assert answer.status_code == 422
    assert "1e+09 cells" in answer.json()["detail"]
    assert (
        client(server).get("/api/table?dims=a,b,c").json()["detail"].startswith("The table has 1,000,000,000 figures")
    )
    assert len(server.log) == 0


def test_a_fault_inside_shows_nothing_of_it(capsys, monkeypatch):
    server = served()
    monkeypatch.setattr(type(server), "tabulate", lambda *_, **__: {}["secret 4711"])
    answer = client(server).get("/api/table?dims=sex")
    assert (answer.status_code, answer.json()["title"]) == (500, "Error")
    printed = capsys.readouterr()
    assert "4711" not in answer.text + printed.err + printed.out
    line = json.loads(printed.err.splitlines()[-1])
    assert line["bug"].startswith("KeyError in test_tables.py:")
    assert line["id"] == answer.headers["x-request-id"]


def test_what_is_written_about_a_request_has_no_label_no_figure_and_no_token(capsys):
    reader = "a-token-that-nobody-sees"
    one = client(served(), readers={"anna": reader})
    one.get("/api/table?dims=sex&filter=region=%C3%84", headers={"Authorization": f"Bearer {reader}"})
    line = json.loads(capsys.readouterr().err.splitlines()[-1])
    assert set(line) == {"at", "id", "user", "method", "route", "status", "ms"}
    assert (line["user"], line["route"], line["status"]) == ("anna", "/api/table", 200)


def test_two_truths_with_the_same_publication_look_the_same():
    """Whatever is asked, answers differ only where the figures do; headers, refusals and suggestions never."""
    others = [client(served(town(seed=seed))) for seed in (1, 2)]
    for address in ("dims=sex,age,region,job", "dims=sex&filter=age=0-9&filter=job=x", "dims=sex", "dims=sx"):
        answers = [one.get(f"/api/table?{address}") for one in others]
        heads = [
            {k: v for k, v in one.headers.items() if k not in ("x-request-id", "content-length")} for one in answers
        ]
        assert heads[0] == heads[1]
        assert answers[0].status_code == answers[1].status_code
        if answers[0].status_code != 200:
            assert answers[0].content == answers[1].content


def test_files_do_not_name_what_wrote_them():
    for form in FORMATS:
        assert b"pandas" not in CLIENT.get(f"/api/table?dims=sex&format={form}").content


@pytest.mark.parametrize("path", ["table", "answer", "auditor/answer", "auditor/methods", "pxweb"])
def test_a_billion_figures_are_refused_before_anything_is_counted(path, monkeypatch):
    labels = {dim: [f"{dim}{place}" for place in range(180)] for dim in "abcd"}
    people = pd.DataFrame({dim: of[:20] for dim, of in labels.items()})
    rules = fw.server.ServerRules(max_dims=None)
    server = fw.server.TableServer(
        people, labels=labels, rules=rules, mechanism="random_round", parameters={"base": 3}, seed=1
    )
    one = client(server, auditors={"carol": AUDITOR})

    def counted(*_):
        raise AssertionError("something is counted")

    monkeypatch.setattr(type(server.cube), "cut", counted)
    address = "/pxweb/api/v2/tables/a.b.c.d/data" if path == "pxweb" else f"/api/{path}?dims=a,b,c,d"
    answer = one.get(address, headers=as_(AUDITOR))
    assert answer.status_code == 403
    assert answer.json()["title"] == "Too many figures"
    assert len(server.log) == 0
