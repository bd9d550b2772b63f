"""Readers get nothing of what is for auditors, by any route of the description."""

from __future__ import annotations

import pytest
from support.web.town import AUDITOR, READER, as_, client, served

import fiberwalk as fw
from fiberwalk.web.auditing import AT_ONCE

QUERY = {"dims": "sex", "cell": "nobody"}


def opened(**settings):
    return client(served(), readers={"anna": READER}, auditors={"carol": AUDITOR}, **settings)


def routes(one):
    """Every way of calling every route, with something for what it needs."""
    for path, ways in one.get("/api/openapi.json").json()["paths"].items():
        for way in ways:
            yield way, path.replace("{table}", "sex").replace("{codelist}", "band"), ways[way].get("tags")


def test_who_has_no_token_gets_nothing_but_health_and_a_title():
    one = opened()
    found = {path: one.request(way, path, params=QUERY, json={}).status_code for way, path, _ in routes(one)}
    assert {path for path, status in found.items() if status != 401} == {"/health", "/api/me"}
    assert one.get("/api/me").json() == {
        "title": "Tables on request", "user": "", "reader": False, "auditor": False, "tokens": True,
    }  # fmt: skip
    assert one.get("/api/me", headers=as_("a wrong token, long enough")).status_code == 401
    assert one.get("/api/table?dims=sex", headers=as_("a wrong token, long enough")).status_code == 401
    assert one.get("/api/table?dims=sex", headers={"Authorization": f"Basic {READER}"}).status_code == 401


def test_a_reader_gets_nothing_of_the_auditors():
    one = opened()
    seen = set()
    for way, path, tags in routes(one):
        status = one.request(way, path, params=QUERY, json={}, headers=as_(READER)).status_code
        for_auditors = "auditors" in tags or path == "/metrics"
        assert (status == 403) == for_auditors, path
        seen.add(for_auditors)
    assert seen == {True, False}


def test_the_page_is_told_who_is_asking():
    one = opened()
    for token, name, auditor in ((READER, "anna", False), (AUDITOR, "carol", True)):
        me = one.get("/api/me", headers=as_(token)).json()
        assert (me["user"], me["reader"], me["auditor"]) == (name, True, auditor)
    everybody = client(served()).get("/api/me").json()
    assert (everybody["user"], everybody["reader"], everybody["auditor"], everybody["tokens"]) == (
        "",
        True,
        False,
        False,
    )


def test_an_auditor_sees_the_log_the_ranking_and_the_risk():
    one = opened()
    for dims in ("sex", "sex,age", "sex,age,region,job"):
        one.get("/api/table", params={"dims": dims}, headers=as_(READER))
    log = one.get("/api/auditor/log", headers=as_(AUDITOR)).json()
    assert [(entry["user"], entry["asked"], entry["released"]) for entry in log["entries"]] == [
        ("anna", "sex", True), ("anna", "sex x age", True), ("anna", "sex x age x region x job", False),
    ]  # fmt: skip
    for address, numbers in (("", [3]), ("&after=0", [1]), ("&after=1", [2]), ("&after=3", [])):
        entries = one.get(f"/api/auditor/log?rows=1{address}", headers=as_(AUDITOR)).json()["entries"]
        assert [entry["number"] for entry in entries] == numbers
    server = one.app.state.service.server
    ranking = one.get("/api/auditor/ranking?rows=5", headers=as_(AUDITOR)).json()
    expected = server.audit()
    assert ranking["summary"] == expected.summary()
    assert [row["cell"] for row in ranking["cells"]] == list(expected.cells.head(5).index)
    answer = one.get("/api/auditor/answer", params={"dims": "sex,age"}, headers=as_(AUDITOR)).json()
    looked = server.look("sex,age")
    assert answer["risk_before"] == looked.risk_before
    assert answer["true"] == looked.original.values.ravel().tolist()
    assert answer["published"] == looked.table.values.ravel().tolist()
    assert len(server.log) == 3  # to look is not to answer


def test_a_long_log_is_read_in_steps():
    one = opened()
    names = ("sex", "age", "region", "job", "band")
    asked = [*names, *(f"{a},{b}" for a in names for b in names if a < b and {a, b} != {"age", "band"})]
    for dims in asked:
        one.get("/api/table", params={"dims": dims}, headers=as_(READER))
    found = [one.get("/api/auditor/ranking", headers=as_(AUDITOR)).json() for _ in range(3)]
    left = len(one.app.state.service.server.log) - AT_ONCE
    assert [step["waiting"] for step in found] == [left, 0, 0]
    assert found[0]["summary"] != found[1]["summary"] == one.app.state.service.server.audit().summary()


def test_a_proxy_names_who_comes():
    one = client(served(), user_header="X-Forwarded-User", auditors={"carol": AUDITOR})
    assert one.get("/api/table?dims=sex").status_code == 401
    assert one.get("/api/table?dims=sex", headers={"X-Forwarded-User": "anna"}).status_code == 200
    assert one.get("/api/auditor/log", headers={"X-Forwarded-User": "anna"}).status_code == 403
    assert one.get("/api/auditor/log", headers={"X-Forwarded-User": "carol"}).status_code == 200
    assert one.app.state.service.server.log.users == ("anna",)


def test_an_open_service_does_not_believe_a_header():
    one = client(served(), auditors={"carol": AUDITOR})
    assert one.get("/api/auditor/log", headers={"X-Forwarded-User": "carol"}).status_code == 401


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"readers": {"anna": "short"}}, "the token of 'anna': a text of at least 16 characters"),
        ({"readers": {"anna": READER}, "auditors": {"carol": READER}}, "two names have the same token"),
        ({"max_cells": 0}, "max_cells=0: a whole number of at least 1"),
        ({"per_minute": 0}, "per_minute=0: a whole number of at least 1"),
    ],
)
def test_wrong_settings_are_told(settings, words):
    with pytest.raises(fw.InputError, match=words):
        fw.server.ServiceSettings(**settings)


def test_settings_are_shown_without_tokens():
    assert READER not in repr(fw.server.ServiceSettings(readers={"anna": READER}))
