"""The log: everything that was asked, by whom, and what came of it; no figure, no secret, and nothing is lost."""

from __future__ import annotations

import gc
import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

import fiberwalk as fw
from fiberwalk.server.log.log import Log

SECRET = 987_654_321


def people(n=300, seed=1):
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": random.choice(["f", "m"], n),
            "age": random.choice(list("abcd"), n),
            "region": random.choice(list("NS"), n),
        }
    )


def served(frame=None, seed=SECRET, **options):
    options = {"mechanism": "random_round", "parameters": {"base": 3}, **options}
    return fw.server.TableServer(people() if frame is None else frame, seed=seed, **options)


def test_every_request_is_there_with_what_came_of_it(tmp_path):
    rules = fw.server.ServerRules(max_dims=2, min_population=100)
    for path in (None, tmp_path / "log.sqlite"):
        server = served(rules=rules, log=path)
        server.tabulate("sex,age", user="anna")
        server.tabulate("sex,age,region", user="ben")
        server.tabulate("age", {"region": "N", "age": ["a", "b"]}, totals="added", user="anna")
        server.tabulate("sex", {"age": "d"})
        with pytest.raises(fw.InputError):
            server.tabulate("sexx", user="eve")  # no request that anybody could answer
        assert len(server.log) == 4
        assert server.log.users == ("", "anna", "ben")
        entries = list(server.log)
        assert [(one.number, one.user, one.released, one.by_figures) for one in entries] == [
            (1, "anna", True, True),
            (2, "ben", False, False),
            (3, "anna", True, True),
            (4, "", False, True),
        ]
        assert [one.request for one in entries] == [
            server.tabulate("sex,age").request,
            server.tabulate("sex,age,region").request,
            server.tabulate("age", {"region": "N", "age": ["a", "b"]}, totals="added").request,
            server.tabulate("sex", {"age": "d"}).request,
        ]
        assert entries[1].notice == "the table has 3 dims; at most 2 are allowed"
        assert [one.number for one in server.log.entries("anna")] == [1, 3]
        assert [one.number for one in server.log.entries("anna", after=1)] == [3]
        frame = server.log.to_frame()
        assert list(frame.columns) == ["at", "user", "request", "released", "notice", "version"]
        assert frame.request[3].startswith("age where age=a or b and region=N, with totals added up")


def test_a_file_goes_on_where_it_ended_and_knows_versions(tmp_path):
    path = tmp_path / "log.sqlite"
    first = served(log=path)
    first.tabulate("sex")
    again = served(log=path)
    again.tabulate("sex")
    other_rules = served(log=path, rules=fw.server.ServerRules(max_dims=2))
    other_rules.tabulate("sex")
    other_data = served(people(seed=2), log=path)
    other_data.tabulate("sex")
    other_method = served(log=path, parameters={"base": 5})
    other_method.tabulate("sex")
    entries = list(other_method.log)
    assert [one.version for one in entries] == [1, 1, 2, 3, 4]
    assert entries[0].digest == entries[1].digest == entries[2].digest
    assert entries[3].digest != entries[0].digest
    assert "max_dims=2" in first.log.versions[2].words
    assert first.log.versions[4].words.endswith("protected by random-round base=5")


def test_the_file_holds_no_figure_and_no_secret(tmp_path):
    """Two truths, the same requests: nothing differs but digests, which another secret changes as well."""
    contents = []
    for number, (frame, seed) in enumerate([(people(), SECRET), (people(seed=7), SECRET), (people(), SECRET + 1)]):
        path = tmp_path / f"{number}.sqlite"
        server = served(frame, seed, log=path)
        for dims in ("sex", "age", "sex,age"):
            server.tabulate(dims, user="anna")
        server.log.close()
        assert str(SECRET).encode() not in path.read_bytes()
        if os.name == "posix":
            assert path.stat().st_mode & 0o077 == 0
        with closing(sqlite3.connect(path)) as database:
            rows = database.execute(
                "select user, request, released, notice, by_figures, version from answers"
            ).fetchall()
            digests = database.execute("select digest from answers union select digest from versions").fetchall()
        contents.append((rows, digests))
    assert contents[0][0] == contents[1][0] == contents[2][0]
    assert len({digest for _, digests in contents for (digest,) in digests}) == 12


def test_another_matrix_is_another_version():
    """However large it is, and however little it differs."""
    versions = []
    for change in (0.0, 1e-12):
        matrix = np.eye(60)
        matrix[30, 30:32] += [-0.1 - change, 0.1 + change]
        server = fw.server.TableServer([[30, 12], [9, 25]], mechanism="perturb", parameters={"matrix": matrix}, seed=1)
        versions += [version.digest for version in server.log.versions.values()]
    assert len(set(versions)) == 2


def test_threads_share_a_log():
    server = served()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: server.tabulate("sex", user=str(number % 4)), range(200)))
    assert len(server.log) == 200
    assert [len(server.log.entries(user)) for user in server.log.users] == [50] * 4


ASK = """
import sys
import fiberwalk as fw
rounding = {"mechanism": "random_round", "parameters": {"base": 3}, "seed": 1}
server = fw.server.TableServer([[30, 12], [9, 25]], log=sys.argv[1], **rounding)
for number in range(int(sys.argv[2])):
    server.tabulate("A", user=sys.argv[3])
    print(number, flush=True)
"""


def asking(path, number, user):
    return subprocess.Popen(
        [sys.executable, "-c", ASK, str(path), str(number), user], stdout=subprocess.PIPE, text=True
    )  # fmt: skip


def test_processes_share_a_file_and_what_was_answered_survives_a_kill(tmp_path):
    path = tmp_path / "log.sqlite"
    two = [asking(path, 100, user) for user in ("anna", "ben")]
    killed = asking(path, 1_000_000, "eve")
    told = 0
    for line in killed.stdout:
        told = int(line) + 1
        if told == 50:
            killed.send_signal(signal.SIGKILL)
            break
    told += len(killed.stdout.read().split())
    for process in (*two, killed):
        process.wait(timeout=60)
        process.stdout.close()
    log = served(log=path).log
    assert [len(log.entries(user)) for user in ("anna", "ben")] == [100, 100]
    assert len(log.entries("eve")) in (told, told + 1)  # the last may have been killed between the log and the answer


def test_a_log_that_nobody_uses_is_closed(tmp_path):
    """Also where it is refused after it was opened, and where it is part of a ring of references."""
    closes = []

    class Watched(sqlite3.Connection):
        def close(self):
            closes.append(self)
            super().close()

    with patch("sqlite3.connect", partial(sqlite3.connect, factory=Watched)):
        server = served(log=tmp_path / "log.sqlite")
        server.tabulate("sex")
        server.itself = server
        del server
        gc.collect()
        assert len(closes) == 1
        (tmp_path / "other.sqlite").write_text(
            "no log, and far too long a text to be taken for an empty file by anybody"
        )
        with pytest.raises(fw.InputError):
            served(log=tmp_path / "other.sqlite")
        gc.collect()
        assert len(closes) == 2


def test_what_is_no_log_is_refused(tmp_path):
    path = tmp_path / "log.sqlite"
    path.write_text("this is a text, and has been one for a long time, at any rate longer than a header")
    with pytest.raises(fw.InputError, match=r"log\.sqlite: this is no log of a server"):
        served(log=path)
    newer = tmp_path / "newer.sqlite"
    served(log=newer).log.close()
    with closing(sqlite3.connect(newer)) as database, database:
        database.execute("update about set format = 99")
    with pytest.raises(
        fw.InputError, match=r"newer\.sqlite: a log of format 99; this fiberwalk reads format 1: a newer"
    ):
        served(log=newer)
    with pytest.raises(fw.InputError, match=r"log\.sqlite: the log cannot be made there"):
        served(log=tmp_path / "nowhere" / "log.sqlite")


def older(tmp_path):
    """A log of the format before the next one, whose tables get another column."""
    path = tmp_path / "log.sqlite"
    first = served(log=path)
    first.tabulate("sex", user="anna")
    first.log.close()
    statements = (
        "alter table answers add column place text not null default 'here'", "create index places on answers (place)",
    )  # fmt: skip
    return path, patch.multiple("fiberwalk.server.log.log", FORMAT=2, _CHANGES={1: statements})


def test_a_log_of_an_earlier_format_comes_along(tmp_path):
    path, next_format = older(tmp_path)
    with next_format:
        for _ in range(2):  # the second time there is nothing to change
            with closing(Log(path)) as log:
                assert [(one.user, one.request.words) for one in log] == [("anna", "sex")]
                assert log._rows("select place from answers") == [("here",)]
                assert log._rows("select format from about") == [(2,)]
    with pytest.raises(
        fw.InputError, match="a log of format 2; this fiberwalk reads format 1: a newer fiberwalk made it"
    ):
        Log(path)


def test_a_change_of_format_that_fails_leaves_the_log_as_it_was(tmp_path):
    path, next_format = older(tmp_path)
    failing = {1: ("alter table answers add column place text", "no sql")}
    with (
        next_format,
        patch("fiberwalk.server.log.log._CHANGES", failing),
        pytest.raises(fw.InputError, match="this is no log of a server"),
    ):
        Log(path)
    with closing(Log(path)) as log:
        assert "place" not in [row[1] for row in log._rows("pragma table_info(answers)")]
        assert len(log) == 1


def test_a_log_that_is_too_old_is_refused(tmp_path):
    path, _ = older(tmp_path)
    with (
        patch.multiple("fiberwalk.server.log.log", FORMAT=3, _CHANGES={2: ()}),
        pytest.raises(fw.InputError, match="a log of format 1; this fiberwalk reads format 3: it is too old"),
    ):
        Log(path)
