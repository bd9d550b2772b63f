"""Requests that nobody thought of, made from the description of the interfaces: what is answered is what it says."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.web.running import running
from support.web.town import AUDITOR, READER, as_, client, served

import fiberwalk as fw

SETTINGS = {"readers": {"anna": READER}, "auditors": {"carol": AUDITOR}}


def conformance(application, folder):
    """What schemathesis finds, with few of its examples; bench/studies/server/malformed.py has ten thousand."""
    with running(application) as address:
        return subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "run", f"{address}/api/openapi.json", "--checks", "all",
             "--exclude-checks", "positive_data_acceptance", "--phases", "coverage,fuzzing", "--max-examples", "2",
             "--seed", "1", "--no-color", "--header", f"Authorization: Bearer {AUDITOR}"],
            capture_output=True, text=True, cwd=folder, check=False,
        )  # fmt: skip


def test_every_answer_is_one_that_the_description_names(tmp_path):
    application = fw.server.application(served(), fw.server.ServiceSettings(**SETTINGS))
    operations = sum(len(ways) for ways in application.openapi()["paths"].values())
    found = conformance(application, tmp_path)
    assert found.returncode == 0, found.stdout
    assert f"Tested: {operations}" in found.stdout


def test_an_answer_that_the_description_does_not_name_is_found(tmp_path):
    application = fw.server.application(served(), fw.server.ServiceSettings(**SETTINGS))

    def broken() -> None:
        raise RuntimeError("a bug")

    application.get("/api/broken")(broken)
    found = conformance(application, tmp_path)
    assert found.returncode == 1
    assert "Server error" in found.stdout
    assert "a bug" not in found.stdout


@pytest.mark.parametrize(
    "path", ["/api/auditor/log?after=18446744073709551616", "/api/auditor/log?rows=0", "/api/check?dims="]
)
def test_numbers_and_names_that_cannot_be_are_refused_as_such(path):
    answer = client(served(), **SETTINGS).get(path, headers=as_(AUDITOR))
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["title"] == "Not understood"


def test_a_method_that_there_is_not_is_told_those_that_there_are():
    answer = client(served()).put("/pxweb/api/v2/tables/sex/data")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, POST"


def test_a_body_that_is_no_json_is_told_so():
    said = {"Content-Type": "application/json"}
    answer = client(served()).post("/pxweb/api/v2/tables/sex/data", content=b"\xff{", headers=said)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
