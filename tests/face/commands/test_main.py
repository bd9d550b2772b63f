"""The help, as a newcomer meets it."""

from __future__ import annotations

import subprocess
import sys

from support.terminal import fiberwalk


def test_help_teaches_by_example():
    for command in ([], ["audit"], ["bounds"], ["count"], ["demo"]):
        text = fiberwalk(*command, "--help").output
        assert "Example" in text
        assert "fiberwalk" in text


def test_help_is_quick():
    """It loads nothing that is heavy. How long it takes is raced in bench/: a busy machine's clock tells nothing."""
    code = (
        "import sys; from fiberwalk.commands.main import main\n"
        "main(['--help'], standalone_mode=False); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = {name.split(".")[0] for name in done.stdout.splitlines()[-1].split()}
    assert "click" in loaded
    assert loaded.isdisjoint(
        ["numpy", "numba", "scipy", "pandas", "xarray", "matplotlib", "highspy", "arviz", "jinja2"]
    )
