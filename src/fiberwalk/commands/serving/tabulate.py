"""fiberwalk tabulate: a table on request from microdata or a hypercube, protected, or refused with the reason."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..shared.manners import check_outputs, same_command, speaks_plainly
from ..shared.option_words import in_options
from .log_audit import ABOUT_A_TABLE, SHOWN_ROWS, audit_log, check_audit
from .server_options import sets_up_a_server
from .server_settings import server_of

if TYPE_CHECKING:
    from ...server.answer import Answer
    from ...server.public_answer import PublicAnswer
    from ...server.table_server import TableServer


@click.command(
    epilog="""\b
Examples:
  fiberwalk tabulate people.csv                                    what can be asked for?
  fiberwalk tabulate people.csv --dims sex,age --filter region=1 --mechanism 'random-round base=3'
  fiberwalk tabulate cube.parquet --dims age,education --mechanism 'add-noise noise=uniform:2' \\
      --rules rules.toml --seed-file secret.txt --out table.csv
  fiberwalk tabulate people.csv --dims sex,age --mechanism 'perturb matrix=ptable.csv' --seed-file secret.txt
  fiberwalk tabulate cube.csv --dims region,age --mechanism 'swap dim=region rate=0.1' --before --out swapped.csv
  fiberwalk tabulate cube.csv --dims sex,age --mechanism 'round-lattice base=3 max-dims=2' --seed-file secret.txt
  fiberwalk tabulate cube.csv --dims sex,age --filter age=0-4 --filter age=5-9 --mechanism none --max-risk 0.1
  fiberwalk tabulate keyed.csv --dims sex,age --summed 'income step=1000' --mean-of income --totals consistent \\
      --mechanism 'random-round base=3' --min-contributors 6 --seed-file secret.txt
  fiberwalk tabulate people.csv --mechanism 'random-round base=3' --seed-file secret.txt --log log.sqlite --audit
  fiberwalk tabulate 'people/*.parquet' --engine duckdb --memory 4GB --dims sex,age \\
      --mechanism 'random-round base=3' --seed-file secret.txt
  fiberwalk tabulate survey.csv --dims sex,age --mechanism none --risk sample --sampling-weights weight --max-risk 0.2

With the same seed, the same people are changed alike in every table that shows them, so that asking again tells nothing
new: keep one with --seed-file (and record keys, by `fiberwalk keys`, where data have versions). Many tables of other groups
of people still tell more than one: keep --max-labels at 1, or protect the cube (--before). Totals are tables of their own:
ask for fewer dims. With round-lattice they add up, in all tables that it offers. Rules about figures look at the protected
table.

Exit status: 0 released; 1 refused, with the reason; 2 the input is wrong.""",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dims", metavar="A,B", help="The dims that span the table. Left out: the dims of FILE are listed.")
@click.option(
    "--filter", metavar="DIM=LABEL", multiple=True,
    help="Who is in the table, or looked at by --audit. Repeat it for more labels of a dim, or for other dims.",
)  # fmt: skip
@click.option("--sum-of", metavar="NAME", help="Show sums of this magnitude, named by --summed, and not counts.")
@click.option("--mean-of", metavar="NAME", help="... its means: the published sum divided by the published count.")
@click.option(
    "--totals", type=click.Choice(["consistent", "added"]),
    help="Show totals: the same as in tables of fewer dims, or sums of the figures that are shown.",
)  # fmt: skip
@click.option("--by", metavar="DIM", help="Tell the risk of each category of this dim, too.")
@sets_up_a_server
@click.option("--user", metavar="NAME", help="Who asks, for the log.")
@click.option(
    "--audit", is_flag=True,
    help="In place of a table: who could be known from all that --log says was answered, by these data and settings.",
)  # fmt: skip
@click.option(
    "--html", type=click.Path(path_type=Path), help="With --audit: a report on one page, for the agency alone."
)
@click.option(
    "--csv", type=click.Path(path_type=Path), help="With --audit: the ranking of cells, for the agency alone."
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="The protected table (.csv, .parquet, or .json: JSON-stat 2)."
)
@click.option("--note", type=click.Path(path_type=Path), help="What was done, with the seed (default: beside --out).")
@speaks_plainly
def tabulate(**options: Any) -> None:
    """Count a table on request, protect it, and publish or refuse it.

    FILE holds microdata, one row a person, or counts, one row a cell, as CSV or Parquet. The table is refused if it breaks a
    rule. What is printed has true figures and is for the agency; --out can be published.
    """
    from ...base.errors import InputError

    asked = options["dims"] is not None
    check_audit(options)
    about_a_table = any(options[name] for name in ("filter", "mechanism", *ABOUT_A_TABLE))
    if not asked and not options["audit"] and about_a_table:
        raise InputError("say which table is asked for by --dims, such as --dims sex,age.")
    _check_outputs(options)
    server = server_of(options, answers=asked)
    if options["audit"]:
        audit_log(server, _where(options["filter"], server), options)
        return
    if not asked:
        click.echo(_listed(server))
        return
    answer = server.tabulate(
        options["dims"], _where(options["filter"], server), sum_of=options["sum_of"], mean_of=options["mean_of"],
        totals=options["totals"], by=options["by"], user=options["user"] or "",
    )  # fmt: skip
    for note in server.notes if server.before or server.after else ():
        click.echo(f"note: {in_options(note, click.get_current_context().command)}.", err=True)
    click.echo(answer.summary())
    _tell_by(answer, options["by"])
    too_risky = f"its risk is above {options['max_risk']:g}, also when it is protected" if answer.too_risky else ""
    if not answer.released or too_risky:
        click.echo(f"fiberwalk: no table: {answer.reason or too_risky}.", err=True)
        sys.exit(1)
    _write(answer, server, options)


def _check_outputs(options: dict[str, Any]) -> None:
    from ...base.errors import InputError
    from ...base.text_files import real_place

    out = options["out"]
    if out is not None and out.suffix.lower() not in (".csv", ".txt", ".parquet", ".pq", ".json"):
        raise InputError(f"--out {out}: the file's name must end in .csv, .parquet or .json (JSON-stat).")
    if options["note"] is None and out is not None:
        options["note"] = out.with_suffix(".note.txt")
    check_outputs(options, "out", "note")
    taken = [real_place(options[name]) for name in ("file", "out", "note") if options[name] is not None]
    if options["seed_file"] is not None and real_place(options["seed_file"]) in taken:
        raise InputError(f"--seed-file {options['seed_file']}: give it a file of its own.")


def _where(texts: tuple[str, ...], server: TableServer) -> dict[str, list[str]]:
    """Who is in the table; labels of one dim may stand in one --filter, with commas."""
    from ...base.errors import InputError

    filters: dict[str, list[str]] = {}
    for text in texts:
        dim, equals, label = (part.strip() for part in text.partition("="))
        if not equals:
            raise InputError(f"--filter {text}: write it as DIM=LABEL, such as region=1.")
        whole = label in server.cube.labels.get(dim, ())
        filters.setdefault(dim, []).extend([label] if whole else [name.strip() for name in label.split(",")])
    return filters


def _listed(server: TableServer) -> str:
    """What can be asked for."""
    cube = server.cube
    lines = [
        f"{cube.population:,} people in {len(cube.counts):,} occupied cells. Dims to ask for by --dims and --filter:"
    ]
    width = max(len(name) for name in server.offered)
    for column in (cube.column[name] for name in server.offered):
        shown = ", ".join(column.labels[:6]) + (", ..." if len(column.labels) > 6 else "")
        level = f" (a level of {column.level_of})" if column.level_of else ""
        lines.append(f"  {column.name:{width}}  {len(column.labels):>5} labels: {shown}{level}")
    return "\n".join(lines)


def _tell_by(answer: Answer, by: str | None) -> None:
    if by is None or answer.risk_by_before is None or answer.risk_by_after is None:
        return
    click.echo(f"\nRisk by {by}:")
    for label in answer.risk_by_before[by].values:
        before, after = (float(risk.sel({by: label})) for risk in (answer.risk_by_before, answer.risk_by_after))
        click.echo(f"  {label}: {before:.3f} before, {after:.3f} after")


def _write(answer: Answer, server: TableServer, options: dict[str, Any]) -> None:
    """The table into its file or on the screen, and the note."""
    from ...base.text_files import written_whole

    out, note = options["out"], options["note"]
    if out is None:
        frame = answer.public().to_frame()
        click.echo("")
        click.echo(frame.head(SHOWN_ROWS).to_string(index=False))
        if len(frame) > SHOWN_ROWS:
            click.echo(f"... and {len(frame) - SHOWN_ROWS:,} more cells (--out)")
    with ExitStack() as written:
        if note is not None:  # it takes its name after the table: no table without its note
            temporary = written.enter_context(written_whole(note, private=True))
            temporary.write_text(_note(answer, server, options), encoding="utf-8")
        if out is not None:
            _write_public(answer.public(), out)
    for words, path in (("protected table", out), ("note, for the agency alone", note)):
        if path is not None:
            click.echo(f"{words}: {path}", err=True)
    if options["seed"] is None and options["seed_file"] is None and answer.protected:
        kept = f"--seed with the one in {note}" if note is not None else "--seed-file"
        click.echo(f"A new seed was taken. Further tables of these data must use the same: give {kept}.", err=True)


def _write_public(answer: PublicAnswer, out: Path) -> None:
    """The table in the format that the name of its file says."""
    write: dict[str, Callable[[Path], object]] = {
        ".json": answer.to_json_stat, ".parquet": answer.to_parquet, ".pq": answer.to_parquet,
    }  # fmt: skip
    write.get(out.suffix.lower(), answer.to_csv)(out)


def _note(answer: Answer, server: TableServer, options: dict[str, Any]) -> str:
    from ...base.version import VERSION

    lines = [
        "How a table was made, for the agency alone: with the seed, what is random in it can be undone.",
        "",
        f"data: {options['file']}",
        *([] if options["out"] is None else [f"protected table: {options['out']}"]),
        f"method: {options['mechanism']}{' (on the cube)' if options['before'] else ''}",
        f"seed: {server.seed}",
        answer.summary(),
        f"to do it again: {same_command(None if options['seed_file'] else server.seed)}",
        f"fiberwalk {VERSION}",
    ]
    return "\n".join(lines) + "\n"
