"""How long a newcomer waits before anything is computed, and what the bare import takes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from figures import Figure, Finding, best_of, once

WORDS = (
    "Seconds on the clock from the start of Python to its end, the best of several rounds in which all take turns, and the "
    "most memory that a process had. `import pandas` and `import scipy.stats` are no peers but yardsticks: what everybody "
    "is used to waiting for. The first audit is that of a 2 x 2 table; the first one ever compiles its kernels, and all "
    "later ones find them in the cache."
)

IMPORTS = {"ours": "import fiberwalk", "import pandas": "import pandas", "import scipy.stats": "import scipy.stats"}
AUDIT = "import fiberwalk as fw; fw.audit(fw.publish([[1, 2], [3, 4]], ['A', 'B'])).cells"
# Linux tells kilobytes, macOS bytes.
MEMORY = (
    "; import resource, sys; "
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == 'darwin' else 2**10))"
)


def python(*arguments: str, cache: str | None = None) -> str:
    """What a new Python prints."""
    environment = os.environ | ({} if cache is None else {"FIBERWALK_CACHE_DIR": cache})
    done = subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True, env=environment)
    return done.stdout


def run(quick: bool) -> Iterator[Finding]:
    """Import, help, first audits, memory."""
    # The first round reads files that later ones find in memory.
    seconds = best_of(
        {name: lambda code=code: python("-c", code) for name, code in IMPORTS.items()},
        5 if quick else 10,
        time.perf_counter,
    )
    for peer in IMPORTS.keys() - {"ours"}:
        yield Figure(
            "start up", "-", "import fiberwalk", "s", seconds["ours"], peer, seconds[peer], more_is_better=False
        )
    if quick:
        return
    memory = {name: float(python("-c", code + MEMORY)) for name, code in IMPORTS.items()}
    for peer in IMPORTS.keys() - {"ours"}:
        yield Figure(
            "start up",
            "-",
            "memory after import fiberwalk",
            "MB",
            memory["ours"],
            peer,
            memory[peer],
            more_is_better=False,
        )
    with tempfile.TemporaryDirectory() as cache:
        _, compiling = once(lambda: python("-c", AUDIT, cache=cache))
        jobs = {
            "fiberwalk --help": lambda: python("-m", "fiberwalk", "--help"),
            "first audit in a process": lambda: python("-c", AUDIT, cache=cache),
        }
        for name, one in best_of(jobs, 5, time.perf_counter).items():
            yield Figure("start up", "-", name, "s", one, more_is_better=False)
        note = "once on this machine, and again after an upgrade"
        yield Figure("start up", "-", "first audit ever, compiled", "s", compiling, more_is_better=False, note=note)
