"""One side as the parent sees it: a process that is asked by lines of JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WORK = HERE / "work.py"
ALONE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class CannotRun(Exception):
    """What a side was asked for does not run there; in a sentence."""


class Side:
    """A process that imports the fiberwalk of a checkout and runs what it is asked to."""

    def __init__(self, checkout: Path, work: Path = WORK) -> None:
        environment = os.environ | dict.fromkeys(ALONE, "1")
        environment |= {"PYTHONPATH": str(checkout / "src"), "PYTHONHASHSEED": "0"}
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "child.py"), str(checkout), str(work)],
            env=environment,
            cwd=checkout,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for the parent, which ends its children
        )

    def begun(self) -> None:
        """Wait until it is ready, and note what it can be asked for."""
        told = self.answer()
        self.contests: list[str] = told["contests"]
        self.draws: list[str] = told["draws"]

    def ask(self, what: str, name: str) -> None:
        """Send a request; `answer` waits for what comes of it."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps({"ask": what, "name": name}) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer tells that the process is gone

    def answer(self) -> dict[str, Any]:
        """The next answer, or CannotRun."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise CannotRun(f"the process ended with status {self.process.wait()}.")
        found = json.loads(line)
        if "error" in found:
            raise CannotRun(found["error"])
        return found

    def asked(self, what: str, name: str) -> dict[str, Any]:
        """Ask, and wait."""
        self.ask(what, name)
        return self.answer()

    def end(self) -> None:
        """The process is gone after this, whatever it was doing."""
        self.process.kill()
        self.process.communicate()


@contextmanager
def both(new: Path, old: Path, work: Path = WORK) -> Iterator[tuple[Side, Side]]:
    """A process for each of two checkouts, both ready."""
    sides: list[Side] = []
    try:
        sides += [Side(new, work)]
        sides += [Side(old, work)]
        for one in sides:
            one.begun()
        yield sides[0], sides[1]
    finally:
        for one in sides:
            one.end()


def at_once(sides: tuple[Side, Side], what: str, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The answers of both sides, which work at the same time; errors are answers here, under "error"."""
    for one in sides:
        one.ask(what, name)
    found = []
    for one in sides:
        try:
            found.append(one.answer())
        except CannotRun as problem:
            found.append({"error": str(problem)})
    return found[0], found[1]
