"""Options that say how FILE is read, and the release that they describe."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .comma_lists import names
from .number_types import Number
from .standard_input import there

if TYPE_CHECKING:
    from ...release.release import Release


KNOWN = ("at_least", "at_most", "known_within")
"""What is said of all cells beforehand."""


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """FILE, and the options that say how it is to be read."""
    return click.argument("file", type=click.Path(path_type=Path))(reading_options(command))


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say how FILE is to be read."""
    options = [
        click.option(
            "--dims", metavar="A,B", help="Columns of the dims, joined by commas (default: all that are left)."
        ),
        click.option("--value", metavar="NAME", help="Column of the figures (default: value, count, freq or n)."),
        click.option("--status", metavar="NAME", help="Column of status codes (s z u x w m, or tau-ARGUS numbers)."),
        click.option("--contributors", metavar="NAME", help="Column of the number of contributors (default: N_OBS)."),
        click.option("--largest", metavar="NAME", help="Column of the largest contribution (default: MAX)."),
        click.option("--second", metavar="NAME", help="Column of the second largest contribution (default: MAX2)."),
        click.option(
            "--total", metavar="LABEL", default="Total", show_default=True, help="Label of totals in the file."
        ),
        click.option(
            "--hierarchy",
            metavar="DIM=FILE",
            multiple=True,
            help="How a dim adds up to subtotals: a .hrc file, a level table, or columns of FILE that name the groups "
            "(DIM=COLUMN,COLUMN). May be repeated, for one dim too: its hierarchies may cross.",
        ),
        click.option("--decimals", default=0, show_default=True, help="Decimals of a magnitude table."),
        click.option("--decimal-comma", is_flag=True, help="Decimals stand after a comma (1,5)."),
        click.option("--no-header", is_flag=True, help="The first line is data: dims, value, then status if --status."),
        click.option(
            "--metadata",
            metavar="FILE",
            help="Of a table of tau-ARGUS: its .rda file (default: the one beside FILE with its name).",
        ),
        click.option(
            "--history",
            metavar="FILE",
            help="What is known of single cells: an a priori file of tau-ARGUS (statuses, protection levels).",
        ),
        click.option(
            "--crosstab",
            is_flag=True,
            help="FILE is a crosstab: labels in the first columns, those of the last dim in the header.",
        ),
        click.option("--sheet", metavar="NAME", help="Of a workbook (default: the first)."),
        click.option(
            "--missing",
            type=click.Choice(["error", "zero", "hidden"]),
            default="error",
            show_default=True,
            help="What a cell without a row is.",
        ),
        click.option(
            "--slack",
            type=Number(min=0),
            default=0.0,
            show_default=True,
            help="How far rounded totals may be off.",
        ),
        click.option(
            "--at-least",
            type=Number(),
            metavar="NUMBER",
            help="What everybody knows of every cell beforehand: cells that may be negative, such as profits, need it.",
        ),
        click.option("--at-most", type=Number(), metavar="NUMBER", help="... and the most that a cell may be."),
        click.option(
            "--known-within",
            type=Number(min=0),
            metavar="PERCENT",
            help="... or so many percent of its true value, of a FILE that holds it: the ranges give the truth away.",
        ),
        click.option(
            "--rule",
            metavar="'< 3'",
            help="The intruder knows that cells were hidden by this rule; where the file's statuses show which (u, or 3 to "
            "9), she sees it too.",
        ),
        click.option(
            "--no-flags", is_flag=True, help="With --rule: she does not see the statuses. Gives both readings."
        ),
        click.option("--zeros-hidden", is_flag=True, help="With --rule: it hides zeros too."),
        click.option(
            "--protected-by",
            metavar="METHOD",
            help="The figures with status p (all cells, where no row has it) went through this method, such as "
            "'random-round base=3'; `fiberwalk protect --list` names them.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def read(options: dict[str, Any]) -> Release:
    """The release that FILE and the options about it describe."""
    from ...base.errors import InputError
    from ...release.facts.facts import PRIMARY
    from ...release.reading import read_release

    release = read_release(
        there(options["file"]),
        dims=names(options["dims"]),
        value=options["value"],
        status=options["status"],
        total=options["total"],
        hierarchies=hierarchies(options["hierarchy"]),
        decimals=options["decimals"],
        decimal_comma=options["decimal_comma"],
        metadata=options["metadata"],
        history=options["history"],
        sheet=options["sheet"],
        crosstab=options["crosstab"],
        header=not options["no_header"],
        missing=options["missing"],
        slack=options["slack"],
        contributors=options["contributors"],
        largest=options["largest"],
        second=options["second"],
        perturbed=bool(options["protected_by"]),
        **{name: options[name] for name in KNOWN},
    )
    if options["protected_by"]:
        from ...protect.as_published import as_protected
        from .method_parameters import method_and_parameters

        method, parameters = method_and_parameters(options["protected_by"])
        release = as_protected(release, method, **parameters)
    if options["rule"]:
        flags = not options["no_flags"] and bool((release.status == PRIMARY).any())
        release = release.knows_rule(options["rule"], flags=flags, zeros_hidden=options["zeros_hidden"])
    elif options["no_flags"] or options["zeros_hidden"]:
        raise InputError("--no-flags and --zeros-hidden go with --rule.")
    return release


def read_again(options: dict[str, Any]) -> list[str]:
    """The words by which a command reads a file that is written of what these options read.

    The file tells its hierarchies itself. A percentage of the truth is nothing that an outsider could give.
    """
    words = ["--decimals", str(options["decimals"])] if options["decimals"] else []
    words += ["--total", options["total"]] if options["total"] != "Total" else []
    for stated in KNOWN[:2]:
        words += [] if options[stated] is None else [f"--{stated.replace('_', '-')}", repr(options[stated])]
    return words


def hierarchies(texts: tuple[str, ...]) -> dict[str, Any] | None:
    """The files of --hierarchy, or the columns that it names, by their dims."""
    from ...base.errors import InputError

    told: dict[str, Any] = {}
    for text in texts:
        dim, equals, given = text.partition("=")
        dim = dim.strip()
        if not equals:
            raise InputError(f"--hierarchy {text}: write it as DIM=FILE.")
        is_file = Path(given).suffix.lower() in _FILES or Path(given).is_file()
        told.setdefault(dim, []).extend([Path(given)] if is_file else names(given) or [])
        if len({isinstance(one, Path) for one in told[dim]}) > 1:
            raise InputError(f"--hierarchy {text}: dim {dim!r} has another one; files and columns cannot be joined.")
    for dim, given in told.items():
        if len(given) == 1 and isinstance(given[0], Path):
            told[dim] = given[0]
    return told or None


_FILES = (".hrc", ".csv", ".tsv", ".txt")
