"""The property tests with many more random cases than `make test` has time for, and new ones."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from verification.parts import Check, Part, Setting

EFFORT = 10
"""Times as many random cases as `make test`; FIBERWALK_EFFORT in the environment goes before it."""
FILES = (
    "fiber/exact/test_against_brute_force.py",
    "fiber/exact/test_chooser.py",
    "fiber/exact/test_elimination.py",
    "fiber/equations/test_network.py",
    "fiber/solvers/test_linear_program.py",
    "fiber/bounds/test_decomposable.py",
    "sampler/tallies/test_windows.py",
    "sampler/chains/test_diagnostics.py",
    "face/test_answers.py",
    "posterior/test_joint.py",
    "posterior/test_most_probable.py",
    "fiber/laws/test_priors.py",
    "face/test_loading.py",
    "moves/test_chooser.py",
    "moves/families/test_margins.py",
    "fiber/solvers/test_every_cycle.py",
    "moves/test_reach.py",
    "fiber/equations/test_lattice.py",
    "moves/bases/test_graver.py",
    "moves/bases/test_algebra.py",
    "posterior/paths/test_hidden_path.py",
)
WORDS = (
    "The property tests of `make test` with several times as many random cases, new ones each time: bounds, counts, "
    "probabilities, moves and diagnostics against slow and obvious twins; with 4ti2 where it is installed."
)
HOME = Path(__file__).parents[2]


def run(setting: Setting) -> Part:
    """By pytest, in processes of its own."""
    files = [f"tests/{name}" for name in FILES]
    command = [sys.executable, "-m", "pytest", "-q", f"--numprocesses={setting.workers}", *files]
    effort = os.environ.get("FIBERWALK_EFFORT", str(EFFORT))
    environment = os.environ | {"FIBERWALK_EFFORT": effort}
    lines: list[str] = []
    with subprocess.Popen(
        command, cwd=HOME, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as tests:
        assert tests.stdout is not None
        for line in tests.stdout:
            lines.append(line.rstrip())
            print("  " + lines[-1], flush=True)
    return judged(tests.returncode, lines, effort)


def judged(status: int, lines: list[str], effort: str) -> Part:
    """The summary line, and the names of what failed."""
    summary = lines[-1].strip("= ") if lines else "nothing was run"
    failed = "\n".join(f"- {line}" for line in lines if line.startswith(("FAILED", "ERROR")))
    told = (f"{effort} times as many random cases as in `make test`.", *([failed] if failed else []))
    return Part((Check("every property holds", status == 0, summary),), told)


def pictures(values: dict[str, Any], home: Path) -> Iterator[tuple[Path, str]]:
    """None."""
    yield from ()
