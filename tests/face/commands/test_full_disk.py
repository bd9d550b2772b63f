"""A full disk: every command that writes says so in one sentence, leaves nothing half-written, and spoils nothing."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from support.terminal import fiberwalk

import fiberwalk as fw

TRUTH = "row,col,value\n" + "\n".join(f"{r},{c},{k}" for k, (r, c) in enumerate((r, c) for r in "abc" for c in "xyz"))
PUBLISHED = TRUTH.replace("a,x,0", "a,x,").replace("a,y,1", "a,y,").replace("b,x,3", "b,x,").replace("b,y,4", "b,y,")
PUBLISHED += "\n" + "\n".join(
    f"{r},Total,{sum(row)}" for r, row in zip("abc", ([0, 1, 2], [3, 4, 5], [6, 7, 8]), strict=True)
)
PEOPLE = "sex,age\n" + "\n".join(f"{s},{a}" for s in "fm" for a in ("0-4", "5-9") for _ in range(20)) + "\n"
ROUND = ("--mechanism", "random-round", "--base", "3", "--seed", "1")
WITHHELD = ("--mechanism", "suppression", "--primary", "< 2", "--seed", "1")
CHEAPEST = ("cheapest", "truth.csv", "--mechanism", "merge", "--primary", "< 2", "--until", "p <= 0.5", "--seed", "1")
TABULATE = ("tabulate", "people.csv", "--dims", "sex,age", "--mechanism", "random-round base=3")
AUDIT = (
    "tabulate",
    "people.csv",
    "--mechanism",
    "random-round base=3",
    "--seed",
    "1",
    "--log",
    "log.sqlite",
    "--audit",
)

WRITING = {
    "audit --csv": ("audit", "table.csv", "--csv", "OUT.csv"),
    "audit --html": ("audit", "table.csv", "--html", "OUT.html"),
    "audit --save": ("audit", "table.csv", "--save", "OUT.fw"),
    "report --html": ("report", "audit.fw", "--html", "OUT.html"),
    "compare --csv": ("compare", "table.csv", "--csv", "OUT.csv"),
    "bounds --csv": ("bounds", "table.csv", "--csv", "OUT.csv"),
    "protect --out": ("protect", "truth.csv", *ROUND, "--out", "OUT.csv"),
    "protect --out .parquet": ("protect", "truth.csv", *ROUND, "--out", "OUT.parquet"),
    "protect --out of suppression": ("protect", "truth.csv", *WITHHELD, "--out", "OUT.csv"),
    "link --csv": ("link", "table.csv", "other.csv", "--csv", "OUT.csv"),
    "link --html": ("link", "table.csv", "other.csv", "--html", "OUT.html"),
    "link --save": ("link", "table.csv", "other.csv", "--save", "OUT.fw"),
    "protect --note": ("protect", "truth.csv", *ROUND, "--out", "OUT.csv", "--note", "OUT.txt"),
    "cheapest --csv": (*CHEAPEST, "--csv", "OUT.csv"),
    "cheapest --plot": (*CHEAPEST, "--plot", "OUT.png"),
    "cheapest --out": (*CHEAPEST, "--out", "OUT.csv"),
    "cheapest --note": (*CHEAPEST, "--out", "OUT.csv", "--note", "OUT.txt"),
    "ru-map --csv": ("ru-map", "truth.csv", "--mechanism", "round-to base=3", "--seeds", "1", "--csv", "OUT.csv"),
    "ru-map --plot": ("ru-map", "truth.csv", "--mechanism", "round-to base=3", "--seeds", "1", "--plot", "OUT.png"),
    "sample-risk --plot": ("sample-risk", "truth.csv", "--people", "99", "--draws", "5", "--plot", "OUT.png"),
    "sample-risk --save": ("sample-risk", "truth.csv", "--people", "99", "--draws", "5", "--save", "OUT.fw"),
    "keys --out": ("keys", "people.csv", "--out", "OUT.csv"),
    "keys --out .parquet": ("keys", "people.csv", "--out", "OUT.parquet"),
    "tabulate --out": (*TABULATE, "--seed", "1", "--out", "OUT.csv"),
    "tabulate --out .parquet": (*TABULATE, "--seed", "1", "--out", "OUT.parquet"),
    "tabulate --seed-file": (*TABULATE, "--seed-file", "OUT.txt"),
    "serve --seed-file": ("serve", "people.csv", "--mechanism", "random-round base=3", "--seed-file", "OUT.txt"),
    "tabulate --html": (*AUDIT, "--html", "OUT.html"),
    "tabulate --csv": (*AUDIT, "--csv", "OUT.csv"),
    "log --csv": ("log", "log.sqlite", "--csv", "OUT.csv"),
    "test --save": ("test", "truth.csv", "--hypothesis", "row", "--hypothesis", "col", "--save", "OUT.fw"),
    "reconstruct --csv": ("reconstruct", "truth.csv", "--csv", "OUT.csv"),
    "reconstruct --html": ("reconstruct", "truth.csv", "--html", "OUT.html"),
    "reconstruct --draw": ("reconstruct", "truth.csv", "--draw", "OUT.csv"),
    "demo --html": ("demo", "--html", "OUT.html"),
}
"""Every option that names a file to be written but checkpoints, which have tests of their own."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("truth.csv", TRUTH),
        ("table.csv", PUBLISHED),
        ("other.csv", PUBLISHED),
        ("people.csv", PEOPLE),
    ):
        (tmp_path / name).write_text(text)
    return tmp_path


def contents(folder):
    """Every file but those that SQLite keeps beside a database while it is open."""
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if path.suffix not in (".sqlite-shm", ".sqlite-wal")
    }


def test_every_option_that_writes_is_here():
    from fiberwalk.commands.main import COMMANDS

    own = {
        f"{command.name} {option.opts[0]}"
        for command in COMMANDS
        for option in command.params
        if option.name in ("csv", "html", "save", "out", "note", "plot", "seed_file", "draw")
    }
    tried = {" ".join(name.split()[:2]) for name in WRITING}
    assert own - tried - {"report --csv", "tabulate --note"} == set()


def disk_is_full(monkeypatch):
    """Whatever is written through to a file beside ours does not fit."""

    def no_room(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("fiberwalk.base.text_files.os.replace", no_room)


@pytest.mark.parametrize("existing", [False, True], ids=["new file", "file that was there"])
@pytest.mark.parametrize("what", WRITING)
def test_a_full_disk_is_told_in_a_sentence_and_spoils_nothing(what, existing, folder, monkeypatch):
    words = WRITING[what]
    if "audit.fw" in words:
        fw.audit(fw.read_release("table.csv")).save("audit.fw")
    if "log.sqlite" in words:
        assert fiberwalk(*TABULATE, "--seed", "1", "--log", "log.sqlite").exit_code == 0
    if existing and not what.endswith("--seed-file"):  # one that is there is read
        for name in words:
            if name.startswith("OUT"):
                Path(name).write_text("as it was")
    before = contents(folder)
    disk_is_full(monkeypatch)
    done = fiberwalk(*words)
    assert done.exit_code == 2, done.output
    told = [line for line in done.stderr.splitlines() if line.startswith("fiberwalk: ") and "note:" not in line]
    assert len(told) == 1
    assert "cannot be written (No space left on device)." in told[0]
    assert contents(folder) == before
    monkeypatch.undo()


def test_no_table_is_written_without_its_note(folder, monkeypatch):
    before = contents(folder)

    def no_room(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", no_room)
    for words in (WRITING["protect --out"], WRITING["tabulate --out"], WRITING["cheapest --out"]):
        done = fiberwalk(*words)
        assert done.exit_code == 2
        assert "OUT.note.txt: the file cannot be written (No space left on device)." in done.stderr
        assert contents(folder) == before


class Full:
    """A stream on which nothing can be printed, once it is flushed or at once."""

    encoding, errors = "utf-8", "strict"

    def __init__(self, at_once):
        self.at_once = at_once

    def write(self, text):
        return self._fail() if self.at_once else len(text)

    def flush(self):
        self._fail()

    def fileno(self):
        raise OSError("no file")

    def isatty(self):
        return False

    def _fail(self):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "at the end"])
@pytest.mark.parametrize(
    "words", [("bounds", "table.csv"), ("--help",), ("--version",), ("protect", "--list")], ids=str
)
def test_an_output_that_cannot_be_printed_is_told(words, at_once, folder, monkeypatch, capsys):
    from fiberwalk.commands.main import main

    monkeypatch.setattr(sys, "stdout", Full(at_once))
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert ended.value.code == 2
    assert capsys.readouterr().err == "fiberwalk: the output cannot be written (No space left on device).\n"


def test_whoever_has_read_enough_is_told_nothing_and_the_status_stays(folder, monkeypatch, capsys):
    from fiberwalk.commands.main import main

    def closed(*_):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(Full, "_fail", closed)
    monkeypatch.setattr(sys, "stdout", Full(False))
    with pytest.raises(SystemExit) as ended:
        main(["bounds", "nowhere.csv"])
    assert ended.value.code == 2
    assert capsys.readouterr().err == "fiberwalk: nowhere.csv: there is no such file.\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_device_that_is_full(folder):
    for words in (("audit", "table.csv", "--csv", "/dev/full"), WRITING["tabulate --seed-file"][:-1] + ("/dev/full",)):
        done = fiberwalk(*words)
        assert done.exit_code == 2
        assert "/dev/full" in done.stderr
        assert "should not happen" not in done.stderr
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "fiberwalk", "bounds", "table.csv"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (
        2,
        "fiberwalk: the output cannot be written (No space left on device).\n",
    )


def test_methods_that_write_leave_what_was_there(tmp_path, monkeypatch):
    table = pd.DataFrame([[1, 5, 4], [7, 2, 6], [3, 8, 9]], index=list("abc"), columns=list("xyz"))
    release = fw.suppress(table, rule="< 3", where=table > 6)
    audit = fw.audit(release)
    answer = fw.server.tabulate(
        table.rename_axis(index="row", columns="col") * 20, "row,col", mechanism="random_round", seed=1
    )
    ways = {
        "release.csv": release.to_file,
        "release.parquet": release.to_file,
        "release.jj": release.to_file,
        "audit.fw": audit.save,
        "page.html": audit.to_html,
        "answer.csv": answer.public().to_csv,
        "answer.parquet": answer.public().to_parquet,
        "answer.json": answer.public().to_json_stat,
    }
    for name in ways:
        (tmp_path / name).write_text("as it was")
    before = contents(tmp_path)
    disk_is_full(monkeypatch)
    for name, write in ways.items():
        with pytest.raises(fw.InputError, match=rf"{name}: the file cannot be written \(No space left on device\)\."):
            write(tmp_path / name)
    assert contents(tmp_path) == before
