"""The help, as a newcomer meets it."""

from __future__ import annotations

import subprocess
import sys
import time

from support.terminal import fiberwalk


def test_help_teaches_by_example():
    for command in ([], ["audit"], ["bounds"], ["count"], ["demo"]):
        text = fiberwalk(*command, "--help").output
        assert "Example" in text
        assert "fiberwalk" in text


def test_help_is_quick():
    """Best of three, so that a busy machine does not fail it."""
    best = 9.0
    for _ in range(3):
        begin = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", "from fiberwalk.commands.main import main; main(['--help'])"],
            check=True,
            capture_output=True,
        )
        best = min(best, time.perf_counter() - begin)
    assert best < 0.5
