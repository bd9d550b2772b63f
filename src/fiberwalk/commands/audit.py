"""fiberwalk audit: how probable is each value of every hidden cell, and what risk is that?"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .shared.chain_options import ONLY_HOW, chains, run_by
from .shared.cost_options import budget, limit
from .shared.file_options import read, reading
from .shared.knowledge_options import knowing, with_knowledge_of
from .shared.law_options import believed, believing
from .shared.manners import check_outputs, fail, speaks_plainly, write_csv
from .shared.output_options import csv, failing, html, top
from .shared.question_options import about, margins

if TYPE_CHECKING:
    from ..release.release import Release
    from ..results.audit_result import Audit


def of_an_audit(command: Callable[..., None]) -> Callable[..., None]:
    """All options of an audit but those that read its release."""
    kept = click.option(
        "--save", type=click.Path(path_type=Path), help="Write the whole audit here, for `report` and fw.load."
    )
    for options in (limit, failing, about, top, chains, kept, csv, html, margins, believing, knowing):
        command = options(command)
    return command


@click.command(
    epilog="""\b
Examples:
  fiberwalk audit table.csv
  fiberwalk audit table.csv --law hypergeometric --html audit.html --csv cells.csv
  fiberwalk audit table.csv --prior frequencies:older.csv --smooth 1    counts as frequent as in an older table
  fiberwalk audit turnover.csv --dims activity,size --value turnover --decimals 1 --hierarchy activity=nace.hrc
  fiberwalk audit table.csv --knows 'region=A,sex=f >= 3'    ... for an intruder who knows of three already
  fiberwalk audit table.jj --fail-above 0.5        exit status 1 if a cell's risk is above 0.5
  fiberwalk audit table.csv --intruders respondents --fail-on-disclosure    ... if anybody learns a cell exactly
  fiberwalk audit big.csv --method chains --seed 7 --checkpoint big.chains    can be stopped and taken up again"""
)
@reading
@of_an_audit
@speaks_plainly
def audit(**options: Any) -> None:
    """How probable is each value of every hidden cell, and what risk is that?

    Risk is 1/H, where H is the entropy of the cell in bits, given all that was published; cells that are known exactly come
    first. Uniform risk is what the interval alone suggests.
    """
    check_outputs(options, "html", "csv", "save", "checkpoint")
    result = audited(with_knowledge_of(read(options), options["knows"]), options)
    result = replace(result, settings={**result.settings, "command": _command()})
    save(result, options)
    tell(result, options)


def audited(release: Release, options: dict[str, Any]) -> Audit:
    """The audit of a release by the options of `of_an_audit`."""
    from ..auditing import audit as run_audit

    with run_by(options) as settings:
        return run_audit(
            release, law=believed(options), hidden_margins=options["hidden_margins"], **settings, **budget(options),
            **{name: options[name] for name in ("magnitudes", "percent", "intruders")},
        )  # fmt: skip


def save(result: Audit, options: dict[str, Any]) -> None:
    """Keep an audit where --save says so."""
    if options["save"] is not None:
        result.save(options["save"])
        click.echo(f"audit: {options['save']}", err=True)


def tell(result: Audit, options: dict[str, Any]) -> None:
    """Write and print what is asked of an audit, new or saved; then fail where the options --fail-... say so."""
    from ..report.printed_audit import printed_lines
    from ..report.printed_sections import failures

    if options["csv"] is not None:
        write_csv(result.cells, options["csv"])
    if options["html"] is not None:
        result.to_html(options["html"])
        click.echo(f"report: {options['html']}", err=True)
    for line in printed_lines(result, options["top"]):
        click.echo(line)
    fail(failures(result, above=options["fail_above"], on_disclosure=options["fail_on_disclosure"]))


def _command() -> str:
    """The command that was given, without what does not change the answer."""
    words: list[str] = []
    skip = False
    for word in sys.argv[1:]:
        name = word.partition("=")[0]
        if not skip and name not in ONLY_HOW:
            words.append(word)
        skip = not skip and name in ONLY_HOW and "=" not in word
    return shlex.join(["fiberwalk", *words])
