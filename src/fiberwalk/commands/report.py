"""fiberwalk report: print an audit that was saved, write its report, check it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .audit import tell
from .shared.manners import check_outputs, speaks_plainly
from .shared.output_options import csv, failing, html, top


@click.command(
    epilog="""\b
Examples:
  fiberwalk audit table.csv --save audit.fw
  fiberwalk report audit.fw --html audit.html
  fiberwalk report audit.fw --top 100 --fail-above 0.5"""
)
@click.argument("file", type=click.Path(path_type=Path))
@html
@csv
@top
@failing
@speaks_plainly
def report(**options: Any) -> None:
    """Print an audit that `fiberwalk audit --save` or Audit.save wrote to FILE, write its report, check it."""
    from ..base.errors import InputError
    from ..loading import load
    from ..results.audit_result import Audit

    check_outputs(options, "html", "csv")
    result = load(options["file"])
    if not isinstance(result, Audit):
        raise InputError(f"{options['file']}: this is a saved result, but no audit; open it with fiberwalk.load().")
    tell(result, options)
