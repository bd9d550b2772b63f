"""The process of one side: it imports the fiberwalk of its checkout and answers each line of JSON by a line of JSON.

    python bench/turns/child.py CHECKOUT WORK

WORK is the file with the contests: the same one for both sides, whatever their own checkouts hold. Seconds are processor
time, of this process and of those that it starts: on a rented machine of two cores the clock counts the neighbours too.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any


def cpu() -> float:
    """Processor time so far, of this process with all its threads and of processes that it started and that have ended."""
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + others.ru_utime + others.ru_stime


def loaded(checkout: Path, work: Path) -> Any:
    """The contests, once it is sure that they will run the fiberwalk of this checkout."""
    import fiberwalk

    found = Path(fiberwalk.__file__).resolve()
    if not found.is_relative_to(checkout.resolve()):
        raise ImportError(f"{found} was imported, which is not of the checkout {checkout}.")
    sys.path.insert(0, str(work.parent.parent))  # bench/ of the present tree, for problems.py
    spec = importlib.util.spec_from_file_location("work", work)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["work"] = module
    spec.loader.exec_module(module)
    return module


def digests(tables: Any) -> list[list[str]]:
    """[chain][draw]: a hash of each drawn table, of its counts as 64-bit integers in C order."""
    import numpy as np

    whole = np.ascontiguousarray(tables, dtype=np.int64)
    return [[hashlib.sha256(draw.tobytes()).hexdigest() for draw in chain] for chain in whole]


class Answers:
    """What a side does when it is asked."""

    def __init__(self, work: Any) -> None:
        self.work = work
        self.ready: dict[str, Callable[[], object]] = {}

    def run(self, name: str) -> dict[str, Any]:
        """The seconds of a contest; what it needs is made ready before the first time, off the clock."""
        if name not in self.ready:
            self.ready[name] = self.work.CONTESTS[name]()
        begin = cpu()
        self.ready[name]()
        return {"seconds": cpu() - begin}

    def draws(self, name: str) -> dict[str, Any]:
        """Hashes of what a seed draws."""
        return {"draws": digests(self.work.DRAWS[name]())}


def main() -> None:
    """Answer until nothing more is asked."""
    # What anybody prints goes to stderr: the pipe is for answers alone.
    answers_to = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    warnings.simplefilter("ignore")

    def answer(found: dict[str, Any]) -> None:
        answers_to.write(json.dumps(found) + "\n")

    try:
        side = Answers(loaded(Path(sys.argv[1]), Path(sys.argv[2])))
    except Exception as problem:
        answer({"error": sentence(problem)})
        return
    answer({"contests": list(side.work.CONTESTS), "draws": list(side.work.DRAWS)})
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer(getattr(side, asked["ask"])(asked["name"]))
        except Exception as problem:
            answer({"error": sentence(problem)})


def sentence(problem: Exception) -> str:
    """An error in one line."""
    return " ".join(f"{type(problem).__name__}: {problem}".split())


if __name__ == "__main__":
    main()
