"""fiberwalk moves: which moves will chains use, and is it proven that they reach every table?"""

from __future__ import annotations

from typing import Any

import click

from .shared.file_options import read, reading
from .shared.manners import speaks_plainly


@click.command(epilog="\b\nExamples:\n  fiberwalk moves table.csv\n  fiberwalk moves table.csv --check")
@reading
@click.option("--law", default="uniform", show_default=True, help="uniform or hypergeometric.")
@click.option(
    "--check", is_flag=True, help="Walk through every table of a small release, and see that all are reached."
)
@click.option(
    "--max-seconds", type=click.FloatRange(min=0), default=300.0, show_default=True,
    help="How long 4ti2, if installed, may look for moves where none are known; 0: it is not asked.",
)  # fmt: skip
@speaks_plainly
def moves(**options: Any) -> None:
    """Which moves will chains use on this table, and is it proven that they reach every table?"""
    from ..moves.reach import check_connected, choose_moves

    release = read(options)
    chosen = choose_moves(release, options["law"], max_seconds=options["max_seconds"])
    certificate = chosen.certificate
    click.echo(f"{certificate.word}: {certificate.reason}")
    for line in certificate.evidence:
        click.echo(f"  {line}")
    if chosen.sets:
        click.echo()
        click.echo(chosen.blocks.drop(columns="reason").to_string())
    if options["check"]:
        click.echo(f"\n{check_connected(release, chosen).sentence}")
