"""What a user waits for: from nothing to every entropy within 0.02 bits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from figures import Figure, Finding, once
from problems import NAMES, problem
from waiting.measured import Waited

import fiberwalk as fw

WORDS = (
    "Seconds on the clock of `fw.audit(release, law, tolerance=0.02)` in a process of its own, from starting Python to the "
    "last entropy: imports, moves, bounds, starts, tuning and chains on all processors, kernels compiled before unless "
    "said. An entropy is good when three of its standard errors are below 0.02 bits, its cell has 400 effective draws and "
    "R-hat is below 1.01, twice in a row. What has not come so far within the limit is stopped there: NOT CONVERGED, and "
    "the seconds are a lower bound. Memory is the most that the process had."
)

LAWS = ("uniform", "hypergeometric")
TOLERANCE = 0.02
LIMIT = 15.0
"""Seconds after which chains are stopped; those with a target have longer, so that a miss shows how far it is off."""
LONG = 60.0
TARGETS = {"4 x 4 x 3": 30.0, "5 x 4 x 3": 30.0}
LARGE = "200 x 200, half hidden"
CHILD = Path(__file__).with_name("one_audit.py")


class Answer(Waited):
    """What one process found and took, from its start on."""

    def note(self, *more: str) -> str:
        """How it came about, in a few words."""
        if not self.cells:
            return "the published figures decide every cell"
        how = "exact" if self.method == "exact" else f"chains, {self.certificate}"
        parts = ["" if self.converged else "NOT CONVERGED: a lower bound", how]
        if self.method != "exact":
            parts.append(f"3 s.e. at most {self.error:.3f} bits")
        if not self.converged:
            parts.append(f"R-hat at most {self.rhat:.3f}, at least {self.ess:,.0f} effective draws")
        return "; ".join(part for part in (*parts, *more) if part)


def answered(
    name: str, law: str, method: str = "auto", tolerance: float = TOLERANCE, limit: float = LIMIT, cold: bool = False
) -> Answer:
    """An audit in a process of its own; once more if that had to compile anything, unless the cache is to be empty."""
    command = [sys.executable, str(CHILD), name, law, method, str(tolerance), str(limit)]
    while True:
        with tempfile.TemporaryDirectory() as empty:
            environment = os.environ | ({"FIBERWALK_CACHE_DIR": empty} if cold else {})
            begin = time.time()
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
        told = json.loads(done.stdout.splitlines()[-1])
        found = Answer(seconds=told.pop("done") - begin, **told)
        if cold or not found.compiled:
            return found


def run(quick: bool) -> Iterator[Finding]:
    """All problems, both laws."""
    if quick:
        yield in_process()
        return
    for name in NAMES:
        memory = 0.0
        for law in LAWS:
            limit, target = (LONG, TARGETS[name]) if name in TARGETS else (LIMIT, None)
            usual = answered(name, law, limit=limit)
            memory = max(memory, usual.memory)
            what = f"every entropy within {TOLERANCE} bits, {law}"
            yield waited(name, what, usual, target=target)
            if usual.method == "exact" and usual.cells:
                forced = answered(name, law, "chains", limit=limit)
                memory = max(memory, forced.memory)
                yield waited(name, what + ", by chains", forced, true_error(forced, usual), target=target)
            if target is not None:
                yield waited(
                    name,
                    what + ", compiling all of it first",
                    answered(name, law, limit=limit, cold=True),
                    target=target,
                )
        yield Figure("answers", name, "memory, the most of these", "MB", memory / 2**20, more_is_better=False)
    for law in LAWS:
        found = answered(LARGE, law, tolerance=np.inf, limit=LONG)
        note = f"{found.cells:,} cells; {found.memory / 2**30:.2f} GB"
        yield waited(LARGE, f"R-hat < 1.01 and 400 effective draws of all cells, {law}", found, note)


def waited(name: str, what: str, found: Answer, *more: str, target: float | None = None) -> Figure:
    """The figure of one audit."""
    return Figure(
        "answers",
        name,
        what,
        "s",
        found.seconds,
        more_is_better=False,
        target=target,
        note=found.note(*more),
        complete=found.converged,
    )


def true_error(chains: Answer, exact: Answer) -> str:
    """How far the entropies of chains are from exact ones, in words; far beyond what they state would be a mistake."""
    error = float(np.max(np.abs(np.subtract(chains.entropy, exact.entropy))))
    assert not chains.converged or error < 2 * TOLERANCE, f"chains that converged are {error:.3f} bits from the truth"
    return f"true errors at most {error:.4f} bits"


def in_process() -> Figure:
    """For the guard: 4 x 4 x 3 by chains against exact solving, processor time of all threads after compilation."""
    release = problem("4 x 4 x 3").release

    def by(method: str) -> fw.Audit:
        return fw.audit(release, method=method, tolerance=TOLERANCE, progress=False)

    fw.audit(release, method="chains", tolerance=np.inf, progress=False)
    by("exact")  # what is timed below is compiled by now, on a new installation too
    chains, seconds = once(lambda: by("chains"), time.process_time)
    exact, theirs = once(lambda: by("exact"), time.process_time)
    assert chains.converged
    error = float((chains.cells["entropy"] - exact.cells["entropy"]).abs().max())
    assert error < 2 * TOLERANCE
    return Figure(
        "answers",
        "4 x 4 x 3",
        f"every entropy within {TOLERANCE} bits, uniform, by chains, processor time",
        "s",
        seconds,
        "exact solving",
        theirs,
        more_is_better=False,
        note=f"true errors at most {error:.4f} bits",
    )
