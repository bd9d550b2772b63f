"""Damaged and forged files, a few hundred of them: each is read, or refused in a sentence; and the judge can tell."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from multiprocessing.connection import Connection
from types import SimpleNamespace

import pytest
from support.places import BENCH

sys.path.append(str(BENCH))

import fuzz
from verification import damaged_files
from verification.fuzzing import children, kinds, trial
from verification.fuzzing.kinds import KINDS, Damaged, Kind, damaged
from verification.fuzzing.trial import DIED, FOREIGN, LARGE, READ, REFUSED, SLOW, WORDY, Outcome

import fiberwalk as fw

TRIED = [name for name in kinds.NAMES if name != "saved result"]
"""Files of results have hundreds of their own in tests/base/test_saved_file.py, where no audit has to be made for them."""


@pytest.mark.parametrize("kind", TRIED)
def test_damaged_files_are_read_or_refused_in_a_sentence(kind, tmp_path):
    found = [trial.tried(tmp_path / "file", 2, number, (kind,)) for number in range(40)]
    assert [one for one in found if not one.passed] == []
    assert {one.ended for one in found} == {READ, REFUSED}


def test_forged_results_are_read_or_refused_in_a_sentence(tmp_path, monkeypatch):
    fw.audit(fw.suppress([[1, 5, 4], [7, 2, 6], [3, 8, 9]], rule="< 3"), "uniform").save(tmp_path / "good.fw")
    (kind,) = [one for one in KINDS if one.name == "saved result"]
    good = (tmp_path / "good.fw").read_bytes()
    only = Kind(kind.name, kind.ending, lambda: (good,), kind.changes, kind.read)
    monkeypatch.setattr(kinds, "KINDS", tuple(only if one is kind else one for one in KINDS))
    found = [trial.tried(tmp_path / "file", 1, number, (kind.name,)) for number in range(100)]
    assert [one for one in found if not one.passed] == []
    assert {one.ended for one in found} == {READ, REFUSED}


def test_a_file_is_the_same_wherever_it_is_made(tmp_path):
    first, second = (damaged(tmp_path / name, 3, 8, ("long CSV", "JJ")) for name in ("a", "b"))
    assert first.path.read_bytes() == second.path.read_bytes()
    assert first.done == second.done
    others = {damaged(tmp_path / "c", 3, number, ("JJ",)).done for number in range(30)}
    assert len(others) > 10


def raising(problem):
    def read(path):
        raise problem

    return read


@pytest.mark.parametrize(
    ("read", "ended"),
    [
        (lambda path: None, READ),
        (raising(fw.InputError("this is no table.")), REFUSED),
        (raising(fw.InputError("")), WORDY),
        (raising(KeyError("x")), FOREIGN),
        (raising(MemoryError()), FOREIGN),
        (raising(RecursionError()), FOREIGN),
        (lambda path: __import__("warnings").warn("odd", stacklevel=1), FOREIGN),
    ],
    ids=["read", "refused", "no words", "KeyError", "MemoryError", "RecursionError", "warning"],
)
def test_how_reading_ends_is_told(read, ended, tmp_path):
    file = Damaged(tmp_path / "x", Kind("odd", ".x", lambda: (b"",), {}, read), ("cut_short",))
    assert trial.judged(file).ended == ended


def test_a_fault_of_any_kind_fails_the_check():
    good = [Outcome(k, "JJ", "JJ: swap", READ if k % 2 else REFUSED) for k in range(4)]
    assert all(one.passed for one in damaged_files.judged(good).checks)
    assert not any(one.passed for one in damaged_files.judged([]).checks)
    for ended in (FOREIGN, WORDY, SLOW, LARGE, DIED):
        part = damaged_files.judged([*good, Outcome(9, "JJ", "JJ: swap", ended, "ValueError: x")])
        assert sum(not one.passed for one in part.checks) == 1
        assert "file 9 (JJ: swap)" in part.paragraphs[-1]


def test_what_takes_too_much_is_no_pass():
    read = Outcome(1, "JJ", "JJ: swap", READ, seconds=1.0, megabytes=10.0)
    assert children.within_limits(read) == read
    assert children.within_limits(Outcome(1, "JJ", "", REFUSED, seconds=21.0)).ended == SLOW
    assert children.within_limits(Outcome(1, "JJ", "", READ, megabytes=1_001.0)).ended == LARGE
    assert children.within_limits(Outcome(1, "JJ", "", FOREIGN, megabytes=1_001.0)).ended == FOREIGN


class ThreadForProcess:
    """Reads three files as a process would, but goes away while it reads the second."""

    def __init__(self, target, args, daemon):
        pipe, self.batch = args
        self.pipe = Connection(os.dup(pipe.fileno()))
        self.thread = threading.Thread(target=self.read)

    def read(self):
        for number in self.batch.numbers:
            self.pipe.send(Outcome(number, "seed file", "", DIED))
            if number == 1:
                break
            self.pipe.send(Outcome(number, "seed file", "", READ))
        self.pipe.close()

    def start(self):
        self.thread.start()

    def join(self):
        self.thread.join()

    def kill(self):
        pass


def test_a_process_that_dies_is_replaced_and_its_file_is_known(monkeypatch):
    processes = SimpleNamespace(Pipe=multiprocessing.Pipe, Process=ThreadForProcess)
    monkeypatch.setattr(children.multiprocessing, "get_context", lambda _: processes)
    found = list(children.outcomes(0, 3, ("seed file",), 1))
    assert [(one.number, one.ended) for one in found] == [(0, READ), (1, DIED), (2, READ)]


def test_a_kept_file_can_be_looked_at(tmp_path, capsys):
    status = fuzz.main(["--keep", "5", str(tmp_path / "kept"), "--kind", "hrc"])
    assert (tmp_path / "kept").is_dir()
    assert capsys.readouterr().out.startswith("hrc: ")
    assert status == 0
