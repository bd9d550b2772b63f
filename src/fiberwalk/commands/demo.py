"""fiberwalk demo: an audit of a table that comes with fiberwalk, and its report."""

from __future__ import annotations

from pathlib import Path

import click

from .shared.law_options import LAWS
from .shared.manners import check_outputs, speaks_plainly

EXAMPLES = ("dot02_table1", "dot02_table2", "dfkpr01", "dfkpr01_square", "ase15")
"""The names of the examples, written out: to read them from `examples` would load all that an audit needs."""


@click.command(epilog="\b\nExamples:\n  fiberwalk demo\n  fiberwalk demo --example dot02_table1 --law hypergeometric")
@click.option("--example", type=click.Choice(EXAMPLES), default="ase15", show_default=True, help="Which one.")
@click.option("--law", type=click.Choice(LAWS), default="uniform", show_default=True)
@click.option(
    "--html",
    type=click.Path(path_type=Path),
    default=Path("fiberwalk-demo.html"),
    show_default=True,
    help="Where the report goes.",
)
@speaks_plainly
def demo(example: str, law: str, html: Path) -> None:
    """Audit a table that comes with fiberwalk, print its risky cells and write a report."""
    from .. import examples
    from ..auditing import audit as run_audit
    from ..report.printed_audit import printed_lines

    check_outputs({"html": html}, "html")
    table = examples.load(example)
    click.echo(f"{table.title}\n{table.source}")
    for note in table.notes:
        click.echo(f"  {note}")
    click.echo()
    result = run_audit(table.release, law=law)
    for line in printed_lines(result, 12):
        click.echo(line)
    result.to_html(html)
    click.echo(f"\nThe full report is in {html}.")
