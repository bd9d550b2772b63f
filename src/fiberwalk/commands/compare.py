"""fiberwalk compare: which cells are riskier for an intruder who believes something else?"""

from __future__ import annotations

from typing import Any

import click

from .shared.chain_options import chains, run_by
from .shared.cost_options import budget, limit
from .shared.file_options import read, reading
from .shared.law_options import LAWS
from .shared.manners import check_outputs, speaks_plainly, write_csv
from .shared.output_options import csv, top
from .shared.question_options import margins


@click.command(
    epilog="""\b
Examples:
  fiberwalk compare table.csv
  fiberwalk compare table.csv --law hypergeometric --law uniform --csv laws.csv"""
)
@reading
@click.option(
    "--law", "laws", multiple=True, type=click.Choice(LAWS), default=LAWS, show_default=True,
    help="What an intruder believes beforehand. Repeat it; the others are compared with the first.",
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
    with run_by(options) as settings:
        result = run_compare(
            release, options["laws"], hidden_margins=options["hidden_margins"], **settings, **budget(options)
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
