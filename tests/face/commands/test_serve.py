"""fiberwalk serve: what it needs, and that it answers with one worker and with several, before and after a restart."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

import fiberwalk as fw
from fiberwalk.commands.main import main
from fiberwalk.commands.serving.serve import _application, serve

PEOPLE = "sex,age,n\nf,young,30\nf,old,12\nm,young,9\nm,old,25\n"
TOKENS = '[readers]\nanna = "the-token-of-anna-1"\n[auditors]\ncarol = "the-token-of-carol"\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE)
    Path("tokens.toml").write_text(TOKENS)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "serve needs the FILE of the data, or --demo."),
        (["people.csv", "--demo"], "serve needs the FILE of the data, or --demo."),
        (
            ["people.csv", "--mechanism", "none"],
            "serve needs a --seed-file, so that the same people are answered alike",
        ),
        (["people.csv", "--seed-file", "s"], "needs a --mechanism"),
        (
            ["people.csv", "--mechanism", "none", "--seed", "1", "--workers", "2"],
            "--workers: give the seed by --seed-file",
        ),
        (["people.csv", "--mechanism", "none", "--seed-file", "s", "--workers", "2"], "--workers: give --log"),
        (["people.csv", "--mechanism", "none", "--seed", "1", "--tokens", "none.toml"], "none.toml"),
        (["people.csv", "--mechanism", "none", "--seed", "1", "--tokens", "people.csv"], "not a well-formed TOML file"),
    ],
)
def test_what_is_wrong_is_one_sentence(folder, words, reason):
    done = CliRunner().invoke(main, ["serve", *words])
    assert done.exit_code == 2
    assert reason in done.output
    assert "Traceback" not in done.output


def test_tokens_are_read_and_never_quoted(folder):
    for text in (
        '[readers]\nanna = "the-token-of-anna-1',
        '[readers]\nanna = "short"\n',
        '[people]\nanna = "the-token-of-anna"\n',
    ):
        Path("wrong.toml").write_text(text)
        done = CliRunner().invoke(
            main, ["serve", "people.csv", "--mechanism", "none", "--seed", "1", "--tokens", "wrong.toml"]
        )
        assert done.exit_code == 2
        assert "the-token-of-anna" not in done.output


def test_an_address_where_nobody_can_listen_is_told_before_the_data_are_read(folder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = CliRunner().invoke(main, ["serve", "--demo", "--port", str(port)])
    assert done.exit_code == 2
    assert (
        done.output == f"fiberwalk: --host 127.0.0.1 --port {port}: nobody can listen there (Address already in use).\n"
    )


def opened(*words):
    """The application that words describe, without listening."""
    with serve.make_context("serve", list(words)) as context:
        return _application(context.params)


def test_secrets_may_be_in_the_environment(folder, monkeypatch):
    monkeypatch.setenv("FIBERWALK_SEED", "77")
    monkeypatch.setenv("FIBERWALK_TOKENS", TOKENS)
    service = opened("people.csv", "--mechanism", "random-round base=3").state.service
    assert service.server.seed == 77
    assert service.person("Bearer the-token-of-carol", None).auditor
    demo = opened("--demo").state.service
    assert dict(demo.settings.auditors) == {"carol": "the-token-of-carol"}
    monkeypatch.setenv("FIBERWALK_TOKENS", "[readers]\nanna = 'the-token-of-anna-1")
    done = CliRunner().invoke(main, ["serve", "people.csv", "--mechanism", "none"])
    assert done.exit_code == 2
    assert "FIBERWALK_TOKENS: not a well-formed TOML file." in done.output
    assert "the-token" not in done.output


def test_an_auditor_is_set_up_by_a_file(folder):
    Path("auditor.toml").write_text("mu = 'means.csv'\nleast_ratio = 0.5\ndraws = 2000\nimagined = 100\n")
    Path("means.csv").write_text("age,sex,mean\nyoung,f,2.5\nyoung,m,2\nold,f,1\nold,m,3\n")
    words = ["people.csv", "--mechanism", "random-round base=3", "--seed", "1", "--auditor"]
    server = opened(*words, "auditor.toml").state.service.server
    assert any("an auditor refuses what might make it" in note for note in server.notes)
    assert not server.tabulate("sex,age").released
    Path("auditor.toml").write_text("mu = 1\nbreachshare = 0.1\n")
    done = CliRunner().invoke(main, ["serve", *words, "auditor.toml"])
    assert done.exit_code == 2
    assert "auditor.toml, line 2: there is no parameter 'breachshare'; did you mean 'breach_share'?" in done.output
    Path("auditor.toml").write_text("mu = 1\n")
    done = CliRunner().invoke(
        main, ["serve", "people.csv", "--mechanism", "none", "--seed", "1", "--auditor", "auditor.toml"]
    )
    assert done.exit_code == 2
    assert done.output.startswith(
        "fiberwalk: --auditor goes with counts that are protected by --mechanism 'random_round'"
    )


@contextmanager
def serving(*words):
    """The address of a service in a process of its own, and what it writes about requests."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "fiberwalk", "serve", *words, "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        address = f"http://127.0.0.1:{port}"
        while True:
            assert process.poll() is None, process.stderr.read()
            try:
                fetched(f"{address}/health")
                break
            except urllib.error.URLError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stderr.close()


def fetched(address, token=None):
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
        return json.load(answer)


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_it_answers_as_the_library_before_and_after_a_restart(folder, workers):
    words = ["people.csv", "--mechanism", "random-round base=3", "--seed-file", "seed.txt", "--log", "log.sqlite",
             "--tokens", "tokens.toml", "--workers", workers]  # fmt: skip
    found = []
    for _ in range(2):
        with serving(*words) as address:
            found += [fetched(f"{address}/api/table?dims=sex,age", "the-token-of-anna-1") for _ in range(3)]
            with pytest.raises(urllib.error.HTTPError, match="401"):
                fetched(f"{address}/api/table?dims=sex,age")
            log = fetched(f"{address}/api/auditor/log", "the-token-of-carol")
    server = fw.server.TableServer(
        "people.csv", mechanism="random_round", parameters={"base": 3}, seed=int(Path("seed.txt").read_text())
    )
    assert all(one["value"] == server.tabulate("sex,age").table.values.ravel().tolist() for one in found)
    assert [(entry["user"], entry["asked"]) for entry in log["entries"]] == [("anna", "sex x age")] * 6
    assert not re.search(r"the-token|\b" + Path("seed.txt").read_text().strip(), str(log))
