"""fiberwalk compare: which cells are riskier for an intruder who believes something else?"""

from __future__ import annotations

from typing import Any

import click

from .shared.manners import check_outputs, speaks_plainly, write_csv
from .shared.options import LAWS, budget, chains, csv, limit, margins, read, reading, run_by, top


@click.command(
    epilog="""\b
Examples:
  fiberwalk compare table.csv
  fiberwalk compare table.csv --law hypergeometric --law uniform --csv laws.csv"""
)
@reading
@click.option(
    "--law", "laws", multiple=True, type=click.Choice(LAWS), default=LAWS, show_default=True,
    help="What an intruder believes beforehand. Repeat it; others are held against the first.",
)  # fmt: skip
@margins
@csv
@chains
@top
@limit
@speaks_plainly
def compare(**options: Any) -> None:
    """Which cells are riskier for an intruder who believes something else?

    Cells are ranked by risk, 1/H, under each law, and by what the interval alone suggests.
    """
    from ..comparing import compare as run_compare

    check_outputs(options, "csv", "checkpoint")
    release = read(options)
    with run_by(options) as how:
        result = run_compare(
            release, options["laws"], hidden_margins=options["hidden_margins"], **how, **budget(options)
        )
    if options["csv"] is not None:
        flat = result.cells.copy()
        flat.columns = [" ".join(pair) for pair in flat.columns]
        write_csv(flat, options["csv"])
    click.echo(result.sentence)
    if len(result.cells):
        click.echo()
        click.echo(result.readable(options["top"]).to_string(sparsify=False))
    if len(result.cells) > options["top"]:
        click.echo(f"... and {len(result.cells) - options['top']} more (--top, --csv)")
