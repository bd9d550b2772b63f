"""The command line: fiberwalk audit, report, compare, bounds, count, moves, protect, ru-map, sample-risk, tabulate, demo."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from ..base.progress import shown
from .manners import check_outputs, speaks_plainly
from .options import (
    ONLY_HOW,
    about,
    believed,
    believing,
    budget,
    chains,
    csv,
    failing,
    html,
    limit,
    margins,
    read,
    reading,
    run_by,
    top,
)
from .protect import protect
from .ru_map import ru_map
from .sample_risk import sample_risk
from .tabulate import tabulate

if TYPE_CHECKING:
    from ..release.release import Release
    from ..results.audit_result import Audit

EXAMPLES = ("dot02_table1", "dot02_table2", "dfkpr01", "dfkpr01_square", "ase15")
_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(
    context_settings=_CONTEXT,
    epilog="""\b
Examples:
  fiberwalk demo                                  see what an audit looks like
  fiberwalk audit table.csv --html audit.html     how probable is each value of each hidden cell?
  fiberwalk report audit.fw                       an audit that was saved, once more
  fiberwalk compare table.csv                     which cells are riskier for an intruder who believes otherwise?
  fiberwalk bounds table.csv                      between which values can it lie?
  fiberwalk count table.csv                       how many tables agree with what was published?
  fiberwalk moves table.csv                       which moves will chains use, and do they reach every table?
  fiberwalk protect table.csv --method random-round --out safe.csv    a protected table, and a note of what was done
  fiberwalk ru-map table.csv --method 'random-round base=3,5,10' --plot map.png    which method leaves least risk?
  fiberwalk sample-risk sample.csv --size 2449    what does a table of sample counts risk?
  fiberwalk tabulate people.csv --dims sex,age --method 'random-round base=3'    a table on request, if it is safe

Exit status: 0 done; 1 a cell is riskier than --fail-above, or known with --fail-on-disclosure, or chains have not
converged that were to rule this out, or tabulate refused the table; 2 the input is wrong; 130 interrupted before there was
anything to tell.""",
)
@click.version_option(__version__, prog_name="fiberwalk")
def main() -> None:
    """How probable is each value of a hidden table cell, given all that was published?

    FILE is a long CSV or Parquet file (one row per cell and total, the value empty where a cell is hidden) or a JJ file of
    tau-ARGUS or sdcTable.
    """


main.add_command(protect)
main.add_command(ru_map)
main.add_command(sample_risk)
main.add_command(tabulate)


@main.command(
    epilog="""\b
Examples:
  fiberwalk audit table.csv
  fiberwalk audit table.csv --law hypergeometric --html audit.html --csv cells.csv
  fiberwalk audit table.csv --prior frequencies:older.csv --smooth 1    counts as frequent as in an older table
  fiberwalk audit turnover.csv --dims activity,size --value turnover --decimals 1 --hierarchy activity=nace.hrc
  fiberwalk audit table.jj --fail-above 0.5        exit status 1 if a cell's risk is above 0.5
  fiberwalk audit table.csv --intruders respondents --fail-on-disclosure    ... if anybody learns a cell exactly
  fiberwalk audit big.csv --method chains --seed 7 --checkpoint big.chains    can be killed and taken up again"""
)
@reading
@believing
@margins
@html
@csv
@click.option("--save", type=click.Path(path_type=Path), help="Write the whole audit here, for `report` and fw.load.")
@chains
@top
@about
@failing
@limit
@speaks_plainly
def audit(**options: Any) -> None:
    """How probable is each value of every hidden cell, and what risk is that?

    Risk is 1/H, H being the bits that are left of the cell given all that was published; a cell that is known exactly comes
    first. Uniform risk is what the interval alone suggests.
    """
    from ..auditing import audit as run_audit

    check_outputs(options, "html", "csv", "save", "checkpoint")
    release = read(options)
    with run_by(options) as how:
        result = run_audit(
            release, law=believed(options), hidden_margins=options["hidden_margins"], **how, **budget(options),
            **{name: options[name] for name in ("magnitudes", "percent", "intruders")},
        )  # fmt: skip
    result = replace(result, settings={**result.settings, "command": _command()})
    if options["save"] is not None:
        result.save(options["save"])
        click.echo(f"audit: {options['save']}", err=True)
    _tell(result, options)


@main.command(
    epilog="""\b
Examples:
  fiberwalk audit table.csv --save audit.fw
  fiberwalk report audit.fw --html audit.html
  fiberwalk report audit.fw --top 100 --fail-above 0.5"""
)
@click.argument("file", type=click.Path(path_type=Path))
@html
@csv
@top
@failing
@speaks_plainly
def report(**options: Any) -> None:
    """Print an audit that `fiberwalk audit --save` or Audit.save wrote to FILE, write its report, check it."""
    from ..base.errors import InputError
    from ..loading import load
    from ..results.audit_result import Audit

    check_outputs(options, "html", "csv")
    result = load(options["file"])
    if not isinstance(result, Audit):
        raise InputError(f"{options['file']}: this is a saved map, not an audit; open it with fiberwalk.load().")
    _tell(result, options)


def _tell(result: Audit, options: dict[str, Any]) -> None:
    """Write and print what is asked of an audit, then fail if that is asked for."""
    from ..report.printed_sections import failures

    if options["csv"] is not None:
        _write_csv(result.cells, options["csv"])
    if options["html"] is not None:
        result.to_html(options["html"])
        click.echo(f"report: {options['html']}", err=True)
    _print_audit(result, options["top"])
    why = failures(result, above=options["fail_above"], on_disclosure=options["fail_on_disclosure"])
    for line in why:
        click.echo(line, err=True)
    if why:
        sys.exit(1)


def _command() -> str:
    """The command that was given, without what does not change the answer."""
    said: list[str] = []
    skip = False
    for word in sys.argv[1:]:
        name = word.partition("=")[0]
        if not skip and name not in ONLY_HOW:
            said.append(word)
        skip = not skip and name in ONLY_HOW and "=" not in word
    return shlex.join(["fiberwalk", *said])


def _write_csv(frame: Any, path: Path) -> None:
    from ..base.text_files import written_whole

    with written_whole(path) as temporary:
        frame.to_csv(temporary)
    click.echo(f"results: {path}", err=True)


def _print_audit(result: Audit, top: int) -> None:
    from ..report.printed_sections import sections
    from ..report.words import how_known, readable, verdict

    click.echo(verdict(result))
    click.echo(f"Law {result.belief.law.name}: {result.belief.law.words}.")
    for line in how_known(result):
        click.echo(line)
    if len(result.cells):
        click.echo()
        click.echo(readable(result.cells.head(top)).to_string(sparsify=False))
    if len(result.cells) > top:
        click.echo(f"... and {len(result.cells) - top} more (--top, --csv)")
    for section in sections(result, top):
        click.echo(section)
    for name, other in result.readings.items():
        click.echo(f"\nIf {name}:")
        _print_audit(other, top)


@main.command(
    epilog="""\b
Examples:
  fiberwalk compare table.csv
  fiberwalk compare table.csv --law hypergeometric --law uniform --csv laws.csv"""
)
@reading
@click.option(
    "--law", "laws", multiple=True, type=click.Choice(["uniform", "hypergeometric"]),
    default=["uniform", "hypergeometric"], show_default=True,
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
        _write_csv(flat, options["csv"])
    click.echo(result.sentence)
    if len(result.cells):
        click.echo()
        click.echo(result.readable(options["top"]).to_string(sparsify=False))
    if len(result.cells) > options["top"]:
        click.echo(f"... and {len(result.cells) - options['top']} more (--top, --csv)")


@main.command(
    epilog="""\b
Examples:
  fiberwalk bounds table.csv
  fiberwalk bounds table.csv --explain
  fiberwalk bounds table.csv --hidden-margin region --hidden-margin '' --csv bounds.csv"""
)
@reading
@margins
@click.option("--explain", is_flag=True, help="Say what proved each bound.")
@click.option("--not-sharp", is_flag=True, help="Solve no integer programs: quicker, but some bounds may be too wide.")
@csv
@speaks_plainly
def bounds(**options: Any) -> None:
    """Between which values can each hidden cell lie? Sharp integers, no law needed."""
    from ..answers import bounds as run_bounds

    check_outputs(options, "csv")
    release = read(options)

    def frame_of(one: Release) -> Any:
        with shown() as tell:
            return run_bounds(
                one,
                hidden_margins=options["hidden_margins"],
                explain=options["explain"],
                sharp=not options["not_sharp"],
                progress=None if tell is None else lambda done, of: tell(f"{done:,} of {of:,}"),
            )

    frame = frame_of(release)
    if options["csv"] is not None:
        _write_csv(frame, options["csv"])
    click.echo(frame.to_string(sparsify=False) if len(frame) else "Nothing is hidden: every cell is published.")
    for name, other in _possible_readings(release, frame_of):
        click.echo(f"\nIf {name}:\n{other.to_string(sparsify=False)}")


def _possible_readings(release: Release, ask: Callable[[Release], Any]) -> list[tuple[str, Any]]:
    """The answers for each further reading of a release; a supposition that no table bears out is no reading."""
    from ..base.errors import Contradiction

    found = []
    for name, other in release.readings.items():
        with suppress(Contradiction):
            found.append((name, ask(other)))
    return found


@main.command(epilog="\b\nExamples:\n  fiberwalk moves table.csv\n  fiberwalk moves table.csv --check")
@reading
@click.option("--law", default="uniform", show_default=True, help="uniform or hypergeometric.")
@click.option(
    "--check", is_flag=True, help="Walk through every table of a small release, and see that all are reached."
)
@click.option(
    "--max-seconds", type=click.FloatRange(min=0), default=30.0, show_default=True,
    help="How long 4ti2, if installed, may look for moves where none are known.",
)  # fmt: skip
@speaks_plainly
def moves(**options: Any) -> None:
    """Which moves will chains use on this table, and is it proven that they reach every table?"""
    from ..moves.reach import check_connected, choose_moves

    release = read(options)
    with shown() as progress:
        found = choose_moves(release, options["law"], max_seconds=options["max_seconds"], progress=progress)
    certificate = found.certificate
    click.echo(f"{certificate.word}: {certificate.reason}")
    for line in certificate.evidence:
        click.echo(f"  {line}")
    if found.sets:
        click.echo()
        click.echo(found.blocks.drop(columns="reason").to_string())
    if options["check"]:
        click.echo(f"\n{check_connected(release, found).sentence}")


@main.command(epilog="\b\nExamples:\n  fiberwalk count table.csv\n  fiberwalk count table.csv --hidden-margin region")
@reading
@margins
@limit
@speaks_plainly
def count(**options: Any) -> None:
    """How many tables agree with what was published?

    With --hidden-margin: how many values can each sum of that margin take?
    """
    from ..answers import count as run_count

    release = read(options)

    def words_of(one: Release) -> str:
        with shown() as progress:
            counted = run_count(one, hidden_margins=options["hidden_margins"], progress=progress, **budget(options))
        return f"{counted:,}" if isinstance(counted, int) else counted.to_frame().to_string(sparsify=False)

    click.echo(words_of(release))
    for name, words in _possible_readings(release, words_of):
        click.echo(f"\nIf {name}:\n{words}")


@main.command(epilog="\b\nExamples:\n  fiberwalk demo\n  fiberwalk demo --example dot02_table1 --law hypergeometric")
@click.option("--example", type=click.Choice(EXAMPLES), default="ase15", show_default=True, help="Which one.")
@click.option("--law", type=click.Choice(["uniform", "hypergeometric"]), default="uniform", show_default=True)
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

    check_outputs({"html": html}, "html")
    chosen = examples.load(example)
    click.echo(f"{chosen.title}\n{chosen.source}")
    for note in chosen.notes:
        click.echo(f"  {note}")
    click.echo()
    result = run_audit(chosen.release, law=law)
    _print_audit(result, 12)
    result.to_html(html)
    click.echo(f"\nThe full report is in {html}.")
