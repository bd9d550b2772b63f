"""fiberwalk cheapest: which method, and how strong, keeps most of a table among those that reach a target."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..shared.file_options import KNOWN, reading
from ..shared.manners import check_outputs, check_picture, fail, same_command, speaks_plainly, write_csv, write_picture
from ..shared.option_words import in_options
from ..shared.output_options import csv
from ..suppressing.suppression_options import MECHANISM, wishing
from .ru_map import UTILITIES

if TYPE_CHECKING:
    from ...results.cheapest_result import Cheapest, Tried
    from .mechanisms import Mechanism

FOUND = (MECHANISM, "merge", "round-to", "random-round", "semi-controlled-round", "controlled-round", "add-noise")
"""Mechanisms whose strengths are found, written out: to read them from `choosing` would load all that it needs."""
WRITTEN: dict[str, dict[str, str]] = {
    "base": {"base": "{}"},
    "max_change": {"noise": "uniform:{}", "floor": "yes"},
}
"""How --mechanism would write a strength that was found, by what it is of."""
_UTILITIES = tuple(one for one in UTILITIES if one != "conditional probability")
"""Those that need to be told nothing else."""
_OF_OTHERS = ("rule", "no_flags", "protected_by")
"""Options of reading that are about tables that are protected already."""


@click.command(
    epilog="""\b
Examples:
  fiberwalk cheapest table.csv --mechanism suppression --mechanism merge --mechanism random-round \\
      --primary '< 3' --until 'p <= 0.5' --plot map.png --out safe.csv
  fiberwalk cheapest table.csv --mechanism 'random-round base=3,4,5' --mechanism add-noise --primary '< 3' \\
      --until 'bits >= 1' --utility margins
  fiberwalk cheapest turnover.csv --mechanism suppression --mechanism merge --primary 'fewer-than=3 dominance=85' \\
      --until 'near 10% <= 0.5' --law uniform --law hypergeometric --out safe.xlsx

Of these the strength is found, from the weakest upward until the target is reached: suppression, merge (neighbouring
categories), round-to, random-round, semi-controlled-round and controlled-round (bases 3, 5, 10, 25, ...), add-noise (by
cell keys, of growing variance). Of any method of `fiberwalk protect --list` you can give the values that are tried.

What is printed, and written by --csv and --plot, follows from the true table and is for the agency alone, as the note is;
the table of --out is for readers. Random methods are applied once: whoever repeats the command until a draw pleases
publishes figures that do not have the probabilities that were audited."""
)  # fmt: skip
@reading
@click.option(
    "--mechanism", "mechanisms", metavar="'NAME KEY=VALUE,...'", multiple=True,
    help="What is allowed: suppression, merge, random-round, ..., or with values of your own 'random-round base=3,4,5'. "
    "May be repeated.",
)  # fmt: skip
@wishing
@click.option(
    "--utility", type=click.Choice(_UTILITIES, case_sensitive=False), default="hellinger", show_default=True,
    help="What users keep; the highest counts. As for `fiberwalk ru-map`.",
)  # fmt: skip
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Publish the best: the protected table (.csv, .parquet, .xlsx or .tab).",
)
@click.option("--note", type=click.Path(path_type=Path), help="What was done, with the seed (default: beside --out).")
@click.option(
    "--seed", type=click.IntRange(min=0), help="Of all random numbers (default: a new one, kept in the note)."
)
@csv
@click.option(
    "--plot", type=click.Path(path_type=Path), help="Draw all on a map of risk and utility (.png, .svg or .pdf)."
)
@click.option(
    "--fail-if-none",
    is_flag=True,
    help="Exit with status 1 if nothing reaches the target; with --out it does so anyway.",
)
@speaks_plainly
def cheapest(**options: Any) -> None:
    """Which method, and how strong, keeps most of a table among those that reach a target?

    FILE holds the true table, complete. Each --mechanism is applied in growing strength and audited, before outsiders and
    contributors, until what is believed of every sensitive figure (--primary) is as --until wants it.
    """
    from ...choosing.choosing import cheapest as find
    from ..suppressing.tables_of_files import tables_of_files
    from ..suppressing.wishes import wishes_of

    options["files"] = (options["file"],)
    allowed = _allowed(options)
    _check(options)
    tables = tables_of_files(options)
    result = find(
        tables[0].table,
        {name: (one.method, one.parameters) if one.texts else one.method for name, one in allowed.items()},
        until=list(options["until"]), utility=options["utility"], law=list(options["laws"]) or "uniform",
        seed=options["seed"], max_seconds=options["max_seconds"], **wishes_of(tables, options),
    )  # fmt: skip
    if options["out"] is not None and result.reached:
        _publish(result, allowed, options)
    if options["csv"] is not None:
        write_csv(result.frame.assign(why_not=result.frame["why_not"].map(_in_options)), options["csv"])
    if options["plot"] is not None:
        write_picture(result.plot(), options["plot"])
        click.echo(f"map: {options['plot']}", err=True)
    click.echo(_printed(result))
    if not result.reached and (options["fail_if_none"] or options["out"] is not None):
        fail([f"nothing reaches the target{', so no table was written' if options['out'] is not None else ''}."])


for _option in cheapest.params:
    if _option.name in (*_OF_OTHERS, *KNOWN) and isinstance(_option, click.Option):
        _option.hidden = True  # they are about tables that are protected already, or may be negative
    elif _option.name == "zeros_hidden" and isinstance(_option, click.Option):
        _option.help = "With a rule in --primary: zeros are sensitive, too."


def _allowed(options: dict[str, Any]) -> dict[str, Mechanism]:
    from ...base.errors import InputError
    from .mechanisms import mechanisms

    if not options["mechanisms"]:
        raise InputError(
            f"cheapest needs at least one --mechanism: {', '.join(FOUND)}, or one with values of your own, such as "
            "--mechanism 'random-round base=3,4,5'."
        )
    allowed = mechanisms(options["mechanisms"])
    for name, one in allowed.items():
        if one.method == "merge" and one.texts:
            raise InputError(f"--mechanism {name!r}: which categories are merged is found; name it without parameters.")
    return allowed


def _check(options: dict[str, Any]) -> None:
    """Refuse what cannot be asked here, and what cannot be written afterwards."""
    from ...base.errors import InputError
    from ..suppressing.published_files import check_public

    if not options["until"]:
        raise InputError(
            "cheapest needs --until, such as --until 'p <= 0.5': no value of a sensitive figure more probable."
        )
    for name in _OF_OTHERS:
        if options[name]:
            raise InputError(
                f"--{name.replace('_', '-')} is for tables that are protected already; say with --primary what is sensitive."
            )
    if options["note"] is not None and options["out"] is None:
        raise InputError("--note goes with --out.")
    if any(options[name] is not None for name in KNOWN):
        raise InputError(
            "cheapest is for counts and magnitudes of at least 0; --at-least, --at-most and --known-within say that cells "
            "may be negative."
        )
    check_picture(options["plot"])
    if options["out"] is not None:
        check_public(options["out"])
        options["note"] = options["note"] or options["out"].with_suffix(".note.txt")
    check_outputs(options, "out", "note", "csv", "plot")


def _publish(result: Cheapest, allowed: Mapping[str, Mechanism], options: dict[str, Any]) -> None:
    """Write the table of the best, and its note."""
    from ..suppressing.known_cells import warn_of_known_cells
    from ..suppressing.published_files import write_with_note

    write_with_note(
        [result.release], [options["out"]], options["note"], _note(result, allowed, options), options["total"]
    )
    click.echo(f"protected table: {options['out']}", err=True)
    click.echo(f"note, for the agency alone: {options['note']}", err=True)
    warn_of_known_cells(result.release)


def _note(result: Cheapest, allowed: Mapping[str, Mechanism], options: dict[str, Any]) -> str:
    from ...base.version import VERSION
    from ..suppressing.agency_note import outsider, withheld_figures
    from .method_notes import of_method, outsider_of

    best = result.best
    assert best is not None
    mechanism = allowed[best.run.method]
    pattern = result.suppression
    if pattern is not None and result.release is pattern.release:
        done = [f"method: {MECHANISM}", f"what was done: {pattern.words}", "", *withheld_figures(pattern)]
        by_outsider = outsider(options, [options["out"]])
    else:
        name, texts = mechanism.method.replace("-", "_"), _texts(result, best, mechanism)
        done = of_method(result.release, name, texts)
        by_outsider = outsider_of(result.release, name, texts, options)
    lines = [
        "Which method was chosen for a table, and what it did, for the agency alone: it has what readers do not see, and",
        "the seed by which what is random can be undone.",
        "",
        f"table: {options['file']}",
        f"protected table: {options['out']}",
        f"what was chosen: {result.words}",
        f"seed: {result.seed}",
        "",
        *done,
        "",
        *_rows(result),
        "",
        f"to do it again: {same_command(result.seed)}",
        f"to audit it as an outsider: {by_outsider}",
        f"fiberwalk {VERSION}",
    ]
    return "\n".join(lines) + "\n"


def _texts(result: Cheapest, best: Tried, mechanism: Mechanism) -> dict[str, str]:
    """The parameters of the best, as --mechanism writes them."""
    if mechanism.texts:
        return mechanism.of_value([one for one in result.tried if one.run.method == best.run.method].index(best))
    return {key: text.format(best.run.value) for key, text in WRITTEN.get(best.run.parameter, {}).items()}


def _printed(result: Cheapest) -> str:
    from ...results.map_result import number_word

    lines = [
        f"{result.words[0].upper()}{result.words[1:]}.",
        f"Risk, at most {number_word(result.max_risk)}: {result.risk}. Utility: {result.utility}.",
        "",
        *_rows(result),
        "",
        "All of this is for the agency alone: it follows from the true table.",
    ]
    return "\n".join(lines)


def _rows(result: Cheapest) -> list[str]:
    """All that was tried, what reaches the target first."""
    frame = result.readable()
    remarks = [_in_options(text) for text in frame.iloc[:, -1]]
    width = max(map(len, [*remarks, str(frame.columns[-1])]))
    frame = frame.iloc[:, :-1].assign(**{str(frame.columns[-1]).ljust(width): [text.ljust(width) for text in remarks]})
    return [line.rstrip() for line in frame.to_string().splitlines()]


def _in_options(text: str) -> str:
    return in_options(text, click.get_current_context().command)
