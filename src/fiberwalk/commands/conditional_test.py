"""fiberwalk test: does a log-linear model fit a table, whatever its counts?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .shared.comma_lists import cell_of
from .shared.count_tables import hide_options, refuse_options, table_of_counts
from .shared.file_options import KNOWN, reading
from .shared.manners import check_outputs, speaks_plainly
from .shared.number_types import Number

STATISTICS = ("chi-square", "likelihood-ratio", "freeman-tukey", "probability")
"""Their names, written out: to read them from `statistics` would load all that a test needs."""
NAMED = ("quasi-independence", "symmetry", "quasi-symmetry")
NOT_HERE = (
    "rule", "no_flags", "zeros_hidden", "protected_by", "status", "contributors", "largest", "decimals", "slack",
    *KNOWN,
)  # fmt: skip
"""Options of other commands that say nothing about a table of counts."""


@click.command(
    name="test",
    epilog="""\b
Examples:
  fiberwalk test table.csv --hypothesis income --hypothesis satisfaction       are the two independent?
  fiberwalk test table.csv --hypothesis A,B --hypothesis B,C --hypothesis A,C       is there no three-way interaction?
  fiberwalk test table.csv --hypothesis quasi-symmetry --statistic likelihood-ratio
  fiberwalk test table.csv --hypothesis A --hypothesis B --impossible 'A=men,B=pregnant'

The p-value is among all tables with the same sums, so that counts need not be large. With few tables it is exact; else
tables are drawn until its standard error is small.""",
)
@reading
@click.option(
    "--hypothesis", metavar="A,B", multiple=True, required=True,
    help=f"A margin that the tested model keeps. May be repeated. Of square tables also one of {', '.join(NAMED)}.",
)  # fmt: skip
@click.option("--statistic", type=click.Choice(STATISTICS), default="chi-square", show_default=True)
@click.option(
    "--impossible", metavar="DIM=LABEL,...", multiple=True,
    help="A structural zero: a cell that can only be empty. May be repeated.",
)  # fmt: skip
@click.option(
    "--method", type=click.Choice(["auto", "exact", "chains"]), default="auto", show_default=True,
    help="exact: list every table; chains: draw tables; auto: list them where there are not too many.",
)  # fmt: skip
@click.option(
    "--max-error", type=Number(min=0, max=1, min_open=True, max_open=True), default=0.001, show_default=True,
    help="Tables are drawn until the standard error of the p-value is at most this.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of the random numbers.")
@click.option("--chains", type=click.IntRange(min=1), default=4, show_default=True, help="How many Markov chains run.")
@click.option("--max-seconds", type=Number(min=0, min_open=True), help="Stop after so many seconds.")
@click.option("--save", type=click.Path(path_type=Path), help="Write the whole result here, for fw.load.")
@speaks_plainly
def conditional_test(**options: Any) -> None:
    """Does a log-linear model fit a table, whatever its counts?

    FILE holds the counts of every cell. Totals are not needed; those that it has are checked against the cells.
    """
    from ..testing_models import conditional_test as run

    check_outputs(options, "save")
    refuse_options(options, NOT_HERE, "a table of counts")
    hypothesis = options["hypothesis"]
    result = run(
        table_of_counts(options, "count"),
        hypothesis[0] if len(hypothesis) == 1 and hypothesis[0] in NAMED else list(hypothesis),
        options["statistic"],
        impossible=[cell_of(text, "--impossible") for text in options["impossible"]] or None,
        method=options["method"],
        max_error=options["max_error"],
        chains=options["chains"],
        seed=options["seed"],
        max_seconds=options["max_seconds"],
    )
    if options["save"] is not None:
        result.save(options["save"])
        click.echo(f"result: {options['save']}", err=True)
    click.echo(result.sentence)
    among = f"all {result.tables:,} tables with these sums" if result.tables else f"{result.draws:,} drawn tables"
    low, high = result.interval
    precision = "" if result.method == "exact" else f"; 95% interval {low:.4f} to {high:.4f}; {result.certificate.word}"
    click.echo(f"{result.df} degrees of freedom; {among}{precision}.")


hide_options(conditional_test, NOT_HERE)
