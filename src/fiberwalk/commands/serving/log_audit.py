"""The audit of a log on the command line: what its options need, and what it tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..shared.manners import check_outputs

if TYPE_CHECKING:
    from ...server.table_server import TableServer

SHOWN_ROWS = 20
ABOUT_A_TABLE = "out", "note", "by", "sum_of", "mean_of", "totals"
"""Options that say nothing where no table is asked for."""


def check_audit(options: dict[str, Any]) -> None:
    """Options about the audit of a log go together."""
    from ...base.errors import InputError

    if options["audit"] and options["log"] is None:
        raise InputError("--audit needs --log, the file of what was answered.")
    if options["audit"] and not options["log"].exists():
        raise InputError(f"--log {options['log']}: there is no such file, and so nothing to audit.")
    for name in ("html", "csv"):
        if options[name] is not None and not options["audit"]:
            raise InputError(f"--{name} goes with --audit.")
    check_outputs(options, "html", "csv")
    for name in ("dims", *ABOUT_A_TABLE):
        if options["audit"] and options[name] is not None:
            raise InputError(
                f"--{name.replace('_', '-')} asks for a table, and --audit for what all tables told: give one of them."
            )


def audit_log(server: TableServer, filters: dict[str, list[str]], options: dict[str, Any]) -> None:
    """The ranking of a log on the screen, and into files."""
    from ...base.text_files import write_csv

    ranking = server.audit(user=options["user"], filters=filters, progress=True)
    click.echo(ranking.summary())
    sure = ranking.sure
    if len(sure):
        click.echo("")
        click.echo(sure.head(SHOWN_ROWS).drop(columns="value").to_string())
        if len(sure) > SHOWN_ROWS:
            click.echo(f"... and {len(sure) - SHOWN_ROWS:,} more cells (--csv)")
    if options["html"] is not None:
        ranking.to_html(options["html"])
    if options["csv"] is not None:
        write_csv(ranking.cells.reset_index(), options["csv"], private=True)
    for name in ("html", "csv"):
        if options[name] is not None:
            click.echo(f"for the agency alone: {options[name]}", err=True)
