"""fiberwalk test: does a log-linear model fit a table, whatever its counts?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .shared.count_tables import hide_options, refuse_options, table_of_counts
from .shared.manners import check_outputs, speaks_plainly
from .shared.options import Number, reading

STATISTICS = ("chi-square", "likelihood-ratio", "freeman-tukey", "probability")
"""Their names, written out: to read them from `statistics` would load all that a test needs."""
NAMED = ("quasi-independence", "symmetry", "quasi-symmetry")
NOT_HERE = (
    "rule", "no_flags", "zeros_hidden", "protected_by", "status", "contributors", "largest", "decimals", "slack",
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
    help="List every table, draw some, or every one where these are not too many.",
)  # fmt: skip
@click.option(
    "--max-error", type=Number(min=0, max=1, min_open=True, max_open=True), default=0.001, show_default=True,
    help="Tables are drawn until the standard error of the p-value is at most this.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of the random numbers.")
@click.option("--chains", type=click.IntRange(min=1), default=4, show_default=True, help="How many there are.")
@click.option("--max-seconds", type=Number(min=0, min_open=True), help="Stop everything after so much time.")
@click.option("--save", type=click.Path(path_type=Path), help="Write the whole result here, for fw.load.")
@speaks_plainly
def conditional_test(**options: Any) -> None:
    """Does a log-linear model fit a table, whatever its counts?

    FILE holds the counts of every cell; totals in it are held to these and not needed.
    """
    from ..testing_models import conditional_test as run

    check_outputs(options, "save")
    refuse_options(options, NOT_HERE, "a table of counts")
    given = options["hypothesis"]
    found = run(
        table_of_counts(options, "count"),
        given[0] if len(given) == 1 and given[0] in NAMED else list(given),
        options["statistic"],
        impossible=[_cell(one) for one in options["impossible"]] or None,
        method=options["method"],
        max_error=options["max_error"],
        chains=options["chains"],
        seed=options["seed"],
        max_seconds=options["max_seconds"],
    )
    if options["save"] is not None:
        found.save(options["save"])
        click.echo(f"result: {options['save']}", err=True)
    click.echo(found.sentence)
    how = f"all {found.tables:,} tables with these sums" if found.tables else f"{found.draws:,} drawn tables"
    low, high = found.interval
    between = "" if found.method == "exact" else f"; 95% interval {low:.4f} to {high:.4f}; {found.certificate.word}"
    click.echo(f"{found.df} degrees of freedom; {how}{between}.")


hide_options(conditional_test, NOT_HERE)


def _cell(text: str) -> dict[str, str]:
    """A cell that is written as DIM=LABEL, joined by commas."""
    from ..base.errors import InputError

    pairs = [one.partition("=") for one in text.split(",")]
    if not all(equals for _, equals, _ in pairs):
        raise InputError(f"--impossible {text}: write it as DIM=LABEL for every dim, joined by commas.")
    return {dim.strip(): label.strip() for dim, _, label in pairs}
