"""How long a newcomer waits before anything is computed, and what the bare import takes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from figures import Figure, Finding, best_of, once
from stored import HOME

WORDS = (
    "Seconds on the clock from the start of Python to its end, the best of several rounds in which all take turns, and the "
    "most memory that a process had. `import fiberwalk` loads nothing before it is used, so the first audit is what a "
    "newcomer waits for: that of a 2 x 2 table, its kernels compiled before. Beside it, as a yardstick and no peer, what "
    "everybody is used to waiting for: `import pandas, scipy.stats`, which an audit loads too. The first audit ever "
    "compiles its kernels, and all later ones find them in the cache."
)

IMPORT = "import fiberwalk"
AUDIT = "import fiberwalk as fw; fw.audit(fw.publish([[1, 2], [3, 4]], ['A', 'B'])).cells"
YARDSTICK = "import pandas, scipy.stats"
MEMORY = (
    f"; import sys; sys.path.insert(0, {str(HOME)!r}); from memory import most_memory; print(most_memory() / 2**20)"
)


def python(*arguments: str, cache: str | None = None) -> str:
    """What a new Python prints."""
    environment = os.environ | ({} if cache is None else {"FIBERWALK_CACHE_DIR": cache})
    done = subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True, env=environment)
    return done.stdout


def run(quick: bool) -> Iterator[Finding]:
    """Import, help, first audits, memory."""
    python("-c", AUDIT)  # compiles what there is to compile
    jobs = {
        "import": lambda: python("-c", IMPORT),
        "help": lambda: python("-m", "fiberwalk", "--help"),
        "audit": lambda: python("-c", AUDIT),
        "yardstick": lambda: python("-c", YARDSTICK),
    }
    if quick:
        jobs = {name: jobs[name] for name in ("audit", "yardstick")}
    seconds = best_of(jobs, 3 if quick else 7, time.perf_counter)
    what = "first audit in a process"
    yield cost(what, "s", seconds["audit"], YARDSTICK, seconds["yardstick"])
    memory = {code: float(python("-c", code + MEMORY)) for code in (AUDIT, YARDSTICK)}
    yield cost("memory of the first audit", "MB", memory[AUDIT], YARDSTICK, memory[YARDSTICK])
    if quick:
        return
    lazy = "nothing is loaded before it is used"
    yield cost(IMPORT, "s", seconds["import"], note=lazy)
    yield cost("memory of the bare import", "MB", float(python("-c", IMPORT + MEMORY)), note=lazy)
    yield cost("fiberwalk --help", "s", seconds["help"])
    with tempfile.TemporaryDirectory() as cache:
        _, compiling = once(lambda: python("-c", AUDIT, cache=cache))
    note = "once on a machine, and again after an upgrade"
    yield cost("first audit ever, kernels compiled", "s", compiling, note=note)


def cost(what: str, unit: str, ours: float, peer: str = "", theirs: float | None = None, note: str = "") -> Figure:
    """A figure of which less is better."""
    return Figure("start up", "2 x 2", what, unit, ours, peer, theirs, more_is_better=False, note=note)
