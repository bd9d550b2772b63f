"""fiberwalk as it is called in a terminal."""

from __future__ import annotations

from typing import Any

from click.testing import CliRunner, Result

from fiberwalk.commands.main import main


def fiberwalk(*words: Any) -> Result:
    """What a command prints, and its exit status."""
    return CliRunner().invoke(main, [str(one) for one in words])
