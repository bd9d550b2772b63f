"""fiberwalk tabulate: a table on request from microdata or a hypercube, protected, or refused with the reason."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..shared.comma_lists import names
from ..shared.file_options import hierarchies
from ..shared.manners import check_outputs, same_command, speaks_plainly
from ..shared.number_types import Number
from ..shared.option_words import in_options
from ..shared.sample_options import of_a_sample, population_size

if TYPE_CHECKING:
    from ...server.answer import Answer
    from ...server.cube.magnitudes import Magnitude
    from ...server.public_answer import PublicAnswer
    from ...server.rules import ServerRules
    from ...server.table_server import TableServer

SHOWN_ROWS = 20
LONGEST_SEED = 40
"""Digits; taken seeds have fewer."""


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
    help="Who is in the table. Repeat it for more labels of a dim, or for other dims.",
)  # fmt: skip
@click.option(
    "--mechanism", metavar="'NAME KEY=VALUE'",
    help="How it is protected, such as 'random-round base=3' (`fiberwalk protect --list`); none: not at all.",
)  # fmt: skip
@click.option("--sum-of", metavar="NAME", help="Show sums of this magnitude, named by --summed, and not counts.")
@click.option("--mean-of", metavar="NAME", help="... its means: the published sum divided by the published count.")
@click.option(
    "--totals", type=click.Choice(["consistent", "added"]),
    help="Show totals: the same as in tables of fewer dims, or sums of the figures that are shown.",
)  # fmt: skip
@click.option(
    "--summed", metavar="'NAME KEY=VALUE'", multiple=True,
    help="A column whose sums and means may be asked for: 'income step=1000 changed-by=0.1,0.25' (every value is changed "
    "once, by a share between these). Needs record keys. May be repeated.",
)  # fmt: skip
@click.option(
    "--weighted-base", type=click.IntRange(min=1), metavar="N",
    help="Show weighted counts, by --sampling-weights, in multiples of N.",
)  # fmt: skip
@click.option(
    "--labels", type=click.Path(path_type=Path), metavar="FILE",
    help="All labels that dims can have, in order, in a TOML file: age = ['0-4', '5-9'] (default: those that somebody has).",
)  # fmt: skip
@click.option(
    "--published-before", type=click.Path(path_type=Path), metavar="FILE", multiple=True,
    help="A table that was published elsewhere before: its figures are answered as they are there. May be repeated.",
)  # fmt: skip
@click.option("--before", is_flag=True, help="Protect the whole cube, and count the table from it.")
@click.option("--noisy-zeros", is_flag=True, help="Let add-noise and perturb change zeros, too, which can be compared.")
@click.option("--crossing", is_flag=True, help="Offer levels of one dim that are not nested in each other.")
@click.option(
    "--max-risk", type=Number(min=0), metavar="RISK",
    help="Write no table whose risk stays above this: for tables of your own choice. Where others ask, it would tell of the "
    "true table.",
)  # fmt: skip
@click.option(
    "--risk", type=click.Choice(["split", "split mean", "r1", "thin lines", "sample"]), default="split",
    show_default=True,
    help="The risk of a table: small and large counts apart (Shlomo, Antal and Elliot 2015); the same by the mean true "
    "count of each figure; R1 and R2; the share of rows and columns with one or two occupied cells; or, of data that "
    "are a sample, R2 over the populations that may stand behind the table (Antal, Shlomo and Elliot 2015).",
)  # fmt: skip
@of_a_sample
@click.option(
    "--model", type=click.Choice(["log-linear", "urn", "shrunk"]),
    help="With --risk sample: what is believed of the people outside the sample (default: shrunk).",
)  # fmt: skip
@click.option("--by", metavar="DIM", help="Tell the risk of each category of this dim, too.")
@click.option(
    "--rules", type=click.Path(path_type=Path), metavar="FILE",
    help="Rules in a TOML file, by the names of the options below with _ for - (max_dims = 3), and dims = [...], areas = "
    "'...'; an option goes before its line.",
)  # fmt: skip
@click.option("--max-dims", type=click.IntRange(min=1), help="Refuse more dims than this (default: 3).")
@click.option("--max-filters", type=click.IntRange(min=0), help="... more dims in --filter than this (default: 1).")
@click.option(
    "--max-labels", type=click.IntRange(min=1),
    help="... more labels of a dim in --filter than this, where the table does not show the dim (default: 1).",
)  # fmt: skip
@click.option("--max-cells", type=click.IntRange(min=1), metavar="N", help="... more cells than this.")
@click.option("--min-population", type=click.IntRange(min=0), metavar="N", help="... figures that add up to less.")
@click.option(
    "--max-small-share", type=Number(min=0, max=1), metavar="SHARE",
    help="... a larger share of small figures than this, such as 0.1.",
)  # fmt: skip
@click.option("--small", type=click.IntRange(min=1), help="The largest small count (default: 2).")
@click.option(
    "--min-contributors", type=click.IntRange(min=1), metavar="N",
    help="Withhold sums, means and weighted counts of fewer people than this, by published counts.",
)  # fmt: skip
@click.option("--min-mean-cell", type=Number(min=0), metavar="N", help="... figures with a smaller mean than this.")
@click.option(
    "--count", metavar="NAME", help="Column of counts (default: count, freq, n or value; none: a row a person)."
)
@click.option(
    "--keys",
    metavar="NAME",
    help="Column of a number that every person has of her own (default: those of `fiberwalk keys`, else the labels decide).",
)
@click.option("--columns", metavar="A,B", help="The columns of FILE that are dims (default: all others).")
@click.option(
    "--hierarchy", metavar="DIM=FILE", multiple=True,
    help="How labels make groups: a .hrc file or a level table; a level can be asked for. May be repeated.",
)  # fmt: skip
@click.option(
    "--log", type=click.Path(path_type=Path), metavar="FILE",
    help="Where requests are written down (see `fiberwalk log`); made where there is none.",
)  # fmt: skip
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
@click.option(
    "--seed", type=click.IntRange(min=0), help="Of the random numbers (default: a new one, kept in the note)."
)
@click.option(
    "--seed-file", type=click.Path(path_type=Path), metavar="FILE",
    help="Where the seed is kept from call to call: read from here, or a new one is written here.",
)  # fmt: skip
@speaks_plainly
def tabulate(**options: Any) -> None:
    """Count a table on request, protect it, and publish or refuse it.

    FILE holds microdata, one row a person, or counts, one row a cell, as CSV or Parquet. The table is refused if it breaks a
    rule. What is printed has true figures and is for the agency; --out can be published.
    """
    from ...base.errors import InputError
    from ...server.table_server import TableServer

    asked = options["dims"] is not None
    _check_audit(options)
    about_a_table = any(options[name] for name in ("filter", "mechanism", "out", "note", "by"))
    if not asked and not options["audit"] and about_a_table:
        raise InputError("say which table is asked for by --dims, such as --dims sex,age.")
    _check_outputs(options)
    _check_sample(options)
    name, parameters = _method(options["mechanism"], asked)
    server = TableServer(
        options["file"],
        rules=_rules(options),
        mechanism=name,
        parameters=parameters,
        when="before" if options["before"] else "after",
        noisy_zeros=options["noisy_zeros"],
        crossing=options["crossing"],
        max_risk=options["max_risk"],
        risk=options["risk"],
        people=population_size(options["people"], options["strata"]),
        model=options["model"],
        sampling_weights=options["sampling_weights"],
        weighted_base=options["weighted_base"],
        summed=_summed(options["summed"]),
        labels=_labels(options["labels"]),
        published_before=_published_before(options["published_before"]),
        seed=_seed(options),
        count=options["count"],
        columns=names(options["columns"]),
        keys=options["keys"],
        hierarchies=hierarchies(options["hierarchy"]),
        log=options["log"],
    )  # fmt: skip
    if options["audit"]:
        _audit(server, options)
        return
    if not asked:
        click.echo(_listed(server))
        return
    answer = server.tabulate(
        options["dims"], _where(options["filter"], server), sum_of=options["sum_of"], mean_of=options["mean_of"],
        totals=options["totals"], by=options["by"], user=options["user"] or "",
    )  # fmt: skip
    for note in server.notes if name is not None else ():
        click.echo(f"note: {in_options(note, click.get_current_context().command)}.", err=True)
    click.echo(answer.summary())
    _tell_by(answer, options["by"])
    too_risky = f"its risk is above {options['max_risk']:g}, also when it is protected" if answer.too_risky else ""
    if not answer.released or too_risky:
        click.echo(f"fiberwalk: no table: {answer.reason or too_risky}.", err=True)
        sys.exit(1)
    _write(answer, server, options)


def _rules(options: dict[str, Any]) -> ServerRules:
    """The rules of a file, and those that options name."""
    from dataclasses import fields, replace

    from ...server.rules import ServerRules

    rules = ServerRules() if options["rules"] is None else ServerRules.read(options["rules"])
    named = [rule.name for rule in fields(ServerRules) if rule.name not in ("dims", "areas")]
    return replace(rules, **{name: options[name] for name in named if options[name] is not None})


def _check_outputs(options: dict[str, Any]) -> None:
    from ...base.errors import InputError
    from ...base.text_files import real_place

    out = options["out"]
    if out is not None and out.suffix.lower() not in (".csv", ".txt", ".parquet", ".pq", ".json"):
        raise InputError(f"--out {out}: the file's name must end in .csv, .parquet or .json (JSON-stat).")
    if options["note"] is None and out is not None:
        options["note"] = out.with_suffix(".note.txt")
    check_outputs(options, "out", "note")
    if options["seed"] is not None and options["seed_file"] is not None:
        raise InputError("--seed and --seed-file: give one of them.")
    taken = [real_place(options[name]) for name in ("file", "out", "note") if options[name] is not None]
    if options["seed_file"] is not None and real_place(options["seed_file"]) in taken:
        raise InputError(f"--seed-file {options['seed_file']}: give it a file of its own.")


def _check_sample(options: dict[str, Any]) -> None:
    """Options about a sample go with --risk sample, which needs to know how large the population is."""
    from ...base.errors import InputError

    about_sample = [name for name in ("people", "strata", "model", "sampling_weights") if options[name]]
    if options["weighted_base"] and about_sample == ["sampling_weights"]:
        about_sample = []
    if options["risk"] != "sample" and about_sample:
        also = ", or --weighted-base" * (about_sample[0] == "sampling_weights")
        raise InputError(f"--{about_sample[0].replace('_', '-')} goes with --risk sample{also}.")
    if options["risk"] == "sample" and not (options["people"] or options["strata"] or options["sampling_weights"]):
        raise InputError(
            "--risk sample: how large is the population that these people were drawn from? Give --people, or "
            "--sampling-weights."
        )


def _method(text: str | None, asked: bool) -> tuple[str | None, dict[str, Any] | None]:
    from ...base.errors import InputError
    from ..shared.method_parameters import method_and_parameters

    if text is None and asked:
        raise InputError(
            "tabulate needs a --mechanism, such as 'random-round base=3', or none to publish the table as it is."
        )
    if text is None or text.strip() == "none":
        return None, None
    return method_and_parameters(text)


def _seed(options: dict[str, Any]) -> int | None:
    """The seed that is given or kept; None: a new one is to be taken."""
    from ...base.errors import InputError
    from ...base.text_files import read_text, write_private
    from ...protect.mechanism.cell_keys import taken_seed

    path = options["seed_file"]
    if path is None:
        seed: int | None = options["seed"]
        return seed
    if path.exists():
        text = read_text(path).strip()
        if not text.isdecimal() or len(text) > LONGEST_SEED:
            raise InputError(f"{path}: a file of a seed holds one whole number.")
        return int(text)
    new = taken_seed(None)
    write_private(f"{new}\n", path)  # whoever reads the seed can undo what is random
    click.echo(f"new seed, for the agency alone: {path}", err=True)
    return new


def _summed(texts: tuple[str, ...]) -> dict[str, Magnitude] | None:
    """Columns whose sums may be asked for, each with how they are changed."""
    from ...base.errors import InputError
    from ...server.cube.magnitudes import Magnitude

    found = {}
    for text in texts:
        name, *settings = text.split()
        given: dict[str, Any] = {}
        for setting in settings:
            key, equals, value = setting.partition("=")
            try:
                numbers = [float(number) for number in value.split(",")]
            except ValueError:
                numbers = []
            if not equals or key not in ("step", "changed-by") or len(numbers) != 1 + (key == "changed-by"):
                raise InputError(f"--summed {text!r}: after the name of a column, step=1000 or changed-by=0.1,0.25.")
            given[key.replace("-", "_")] = numbers[0] if key == "step" else tuple(numbers)
        found[name] = Magnitude(**given)
    return found or None


def _labels(path: Path | None) -> dict[str, Any] | None:
    """The labels of dims, from a TOML file."""
    if path is None:
        return None
    import tomllib

    from ...base.errors import InputError
    from ...base.text_files import read_text

    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not a well-formed TOML file ({error}).") from None


def _published_before(paths: tuple[Path, ...]) -> list[Any] | None:
    from ...release.reading import read_release

    return [read_release(path) for path in paths] or None


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


def _check_audit(options: dict[str, Any]) -> None:
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
    for name in ("dims", "out", "note", "by"):
        if options["audit"] and options[name] is not None:
            raise InputError(f"--{name} asks for a table, and --audit for what all tables told: give one of them.")


def _audit(server: TableServer, options: dict[str, Any]) -> None:
    """The ranking of a log on the screen, and into files."""
    from ...base.text_files import write_csv

    ranking = server.audit(user=options["user"], progress=True)
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
