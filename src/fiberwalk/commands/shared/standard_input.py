"""A file that is `-` is what another program hands over: it is kept aside, as formats look at a file more than once."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

STANDARD_INPUT = "-"
_KEPT = "fiberwalk.standard_input"


def there(path: Path) -> Path:
    """Where a file can be read: itself, or for `-` a private copy that is gone when the command ends."""
    if os.fspath(path) != STANDARD_INPUT:
        return path
    context = click.get_current_context()
    if _KEPT not in context.meta:
        context.meta[_KEPT] = _kept(context)
    kept: Path = context.meta[_KEPT]
    return kept


def _kept(context: click.Context) -> Path:
    """A copy of what is handed over, with the ending that its first bytes ask for."""
    import tempfile

    folder = context.with_resource(tempfile.TemporaryDirectory())
    content = sys.stdin.buffer.read()
    ending = ".xlsx" if content.startswith(b"PK") else ".parquet" if content.startswith(b"PAR1") else ".csv"
    path = Path(folder) / f"input{ending}"
    path.touch(0o600)
    path.write_bytes(content)
    return path


def named_plainly(sentence: str, context: click.Context) -> str:
    """A sentence about the copy, as one about what was handed over."""
    kept: Any = context.meta.get(_KEPT)
    return sentence if kept is None else sentence.replace(os.fspath(kept), "the standard input")
