"""fiberwalk log: who asked a server for what, and what came of it."""

from __future__ import annotations

from pathlib import Path

import click

from ..shared.manners import check_outputs, speaks_plainly

SHOWN = 20


@click.command(
    epilog="""\b
Examples:
  fiberwalk log log.sqlite
  fiberwalk log log.sqlite --user anna --last 100 --csv anna.csv
  fiberwalk tabulate people.csv --log log.sqlite --audit ...    who could be known from all that was answered?

The log is written by `fiberwalk tabulate --log FILE --user NAME` and by fw.server.TableServer(log=FILE). It has requests,
users and notices, and no figure.

Exit status: 0 done; 2 the input is wrong.""",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--user", metavar="NAME", help="Only what this user asked for.")
@click.option(
    "--last", type=click.IntRange(min=1), default=SHOWN, show_default=True, help="So many of the last requests."
)
@click.option("--csv", type=click.Path(path_type=Path), help="Write all of them, for the agency alone.")
@speaks_plainly
def log(file: Path, user: str | None, last: int, csv: Path | None) -> None:
    """Show the log of a table server: users, and the last requests."""
    from ...base.errors import InputError, did_you_mean
    from ...base.text_files import write_csv
    from ...server.log.log import Log

    check_outputs({"file": file, "csv": csv}, "csv")
    if not file.exists():
        raise InputError(f"{file}: there is no such file.")
    kept = Log(file)
    if user is not None and user not in kept.users:
        raise InputError(f"--user {user}: nothing was asked by this user; {did_you_mean(user, kept.users)}")
    frame = kept.to_frame()
    click.echo(
        f"{len(frame):,} requests of {len(kept.users):,} users, {int((~frame['released']).sum()):,} of them refused."
    )
    for name, own in frame.groupby("user"):
        refused = int((~own["released"]).sum())
        click.echo(f"  {name or '(nobody named)'}: {len(own):,} requests, {refused:,} refused")
    chosen = frame if user is None else frame[frame["user"] == user]
    click.echo("")
    for number, row in chosen.tail(last).iterrows():
        came_of_it = "released" if row["released"] else f"refused, because {row['notice']}"
        click.echo(f"{number:>6}  {row['at'][:19]}  {row['user']}: {row['request']}: {came_of_it}")
    if csv is not None:
        write_csv(chosen.reset_index(), csv, private=True)
        click.echo(f"requests, for the agency alone: {csv}", err=True)
