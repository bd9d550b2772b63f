"""Options that say where results go, how much is printed, and when a command fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from .number_types import Number

csv = click.option("--csv", type=click.Path(path_type=Path), help="Write the full table of results here.")
html = click.option("--html", type=click.Path(path_type=Path), help="Write a report of one self-contained page here.")
top = click.option("--top", default=20, show_default=True, type=click.IntRange(min=1), help="How many cells to print.")


def failing(command: Callable[..., None]) -> Callable[..., None]:
    """The options by which a script fails where a release is not safe."""
    above = click.option(
        "--fail-above",
        type=Number(min=0),
        metavar="RISK",
        help="Exit with status 1 if a cell is riskier than this, in any reading, or if chains have not converged.",
    )
    known = click.option(
        "--fail-on-disclosure",
        is_flag=True,
        help="... or if one is known exactly, to everybody or to a respondent.",
    )
    return above(known(command))
