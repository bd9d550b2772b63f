"""A Markov basis by 4ti2 (an optional peer): its program `markov`, or the library of py4ti2 in a process of its own.

It gets the equations of a release and nothing else: its moves join all tables whatever the published sums are, as long
as cells have no upper bounds of their own. Time is the processor time of its process, which is ended after a limit.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from fiberwalk.moves.bases import algebra

NAME = "4ti2 markov"
HOW_TO_GET = "install 4ti2, so that markov or 4ti2-markov is on the path, or pip install 'fiberwalk[algebra]'"

try:
    import resource  # not on Windows
except ImportError:
    resource = None  # type: ignore[assignment]


def program() -> str | None:
    """Where 4ti2's markov is; Debian calls it 4ti2-markov."""
    return shutil.which("4ti2-markov") or shutil.which("markov")


def installed() -> bool:
    """Is it there, as a program or as a library, on a system that tells the time of other processes?"""
    return resource is not None and (program() is not None or algebra.installed())


def markov_basis(A: Any, limit: int) -> tuple[float, Any | None]:
    """Processor seconds, and the moves as sparse rows; None where they are not found within so many seconds."""
    before = _spent()
    moves = _by_program(A, limit) if program() else _by_library(A, limit)
    return (_spent() - before if moves is not None else float(limit)), moves


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _by_program(A: Any, limit: int) -> Any | None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))

    before = _spent()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem"
        rows = "\n".join(" ".join(map(str, row)) for row in A.toarray().tolist())
        path.with_suffix(".mat").write_text(f"{A.shape[0]} {A.shape[1]}\n{rows}\n")
        command = [program(), "--quiet", str(path)]
        try:
            # others may be at work on the machine: the limit is one of processor time, and the clock only a last resort
            done = subprocess.run(command, capture_output=True, preexec_fn=limited, timeout=5 * limit)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL) and _spent() - before >= limit:
            return None  # it was out of time; any other end is no answer
        if done.returncode:
            raise RuntimeError(
                f"4ti2 ended with status {done.returncode}: {done.stderr.decode(errors='replace').strip()}"
            )
        answer = np.loadtxt(path.with_suffix(".mar"), dtype=np.int64, skiprows=1, ndmin=2)
    return sp.csr_array(answer)


def _by_library(A: Any, limit: int) -> Any | None:
    try:
        return sp.csr_array(algebra.by_child(A, algebra.FAST, float(limit)))
    except algebra.NotDone as reason:
        if "ran out of its" in str(reason):
            return None
        raise
