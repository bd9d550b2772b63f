"""fiberwalk reconstruct: who is behind many published tables, and how surely?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .shared.cost_options import budget, limit
from .shared.manners import check_outputs, speaks_plainly, write_csv
from .shared.number_types import Amount, Number
from .shared.output_options import csv, html

LAWS = ("uniform", "hypergeometric")


@click.command(
    epilog="""\b
Examples:
  fiberwalk reconstruct tables/ --region block --html report.html
  fiberwalk reconstruct by_age.csv by_sex.csv --csv records.csv
  fiberwalk reconstruct tables/ --law hypergeometric --max-seconds 300

\b
A folder may hold population.json, which says who may exist:
  {"dims": {"sex": ["f", "m"], "age": {"from": 0, "to": 115}},
   "recodes": {"age": {"age group": {"young": {"from": 0, "to": 19}, "old": {"from": 20, "to": 115}}}},
   "where": [[{"marital": "married"}, {"age": {"from": 15, "to": 115}}]],
   "about": {"P14": {"age": {"from": 0, "to": 19}}}}
(rules: who is in the first group is in the second; about: tables about a part of the people only). Without it every
column is a dim."""
)
@click.argument(
    "paths", metavar="FOLDER|FILE...", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True)
)
@click.option(
    "--region", metavar="DIM", help="The dim of the places where people live: to compare with all places together."
)
@click.option(
    "--law", type=click.Choice(LAWS), default="uniform", show_default=True, help="What a snooper believes beforehand."
)
@click.option("--total", default="Total", show_default=True, help="What totals are called in the files.")
@html
@csv
@click.option(
    "--draw",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write one population, drawn from what she believes, here.",
)
@click.option("--top", default=20, show_default=True, type=click.IntRange(min=1), help="How many records to print.")
@click.option(
    "--method", type=click.Choice(["auto", "exact", "chains"]), default="auto", show_default=True, help="As for audit."
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of the chains.")
@click.option("--chains", type=click.IntRange(min=1), default=4, show_default=True, help="How many chains run.")
@click.option("--max-draws", type=Amount(), metavar="N", help="Stop the chains after so many draws each.")
@click.option("--max-seconds", type=Number(min=0, min_open=True), help="Stop after so many seconds.")
@limit
@speaks_plainly
def reconstruct(**options: Any) -> None:
    """Who is behind many published tables of one population, and how surely?

    Each file is a table over some features of the same people (a long file, as for audit). Records are combinations of all
    features; of each it is told how probable it is that there is somebody.
    """
    from ..reconstructing import reconstruct as run_reconstruct
    from ..release.population.folder import read_population
    from ..report.reconstruction_page import doubts, verdict

    check_outputs(options, "html", "csv", "draw")
    release = read_population(options["paths"], total=options["total"])
    most = None if options["max_draws"] is None else int(options["max_draws"])
    found = run_reconstruct(
        release, options["law"], max_draws=most, **budget(options),
        **{name: options[name] for name in ("region", "method", "seed", "chains", "max_seconds")},
    )  # fmt: skip
    if options["csv"] is not None:
        write_csv(found.records, options["csv"])
    if options["html"] is not None:
        found.to_html(options["html"])
        click.echo(f"report: {options['html']}", err=True)
    if options["draw"] is not None:
        write_csv(found.draw(1, seed=options["seed"]).set_index("population"), options["draw"])
    click.echo(verdict(found))
    for word, why in doubts(found):
        click.echo(f"{word}: {why}")
    shown = found.records.head(options["top"]).drop(columns=["p_kind", "error"])
    click.echo()
    click.echo(shown.to_string(index=False, float_format=lambda p: f"{p:.3g}"))
    if len(found.records) > len(shown):
        click.echo(f"... and {len(found.records) - len(shown):,} more (--top, --csv)")
