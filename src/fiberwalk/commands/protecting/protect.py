"""fiberwalk protect: a protected table in a file, and a note of what was done."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...base.progress import shown
from ..shared.file_options import reading_options
from ..shared.manners import check_outputs, same_command, speaks_plainly
from ..suppressing.suppression_options import INTERVALS, MECHANISM, SHARED, refuse_for_others, suppressing

if TYPE_CHECKING:
    from ...release.release import Release

_NUMBER, _TEXT = "NUMBER", "TEXT"
_PARAMETERS: tuple[tuple[str, str, str], ...] = (
    ("base", _NUMBER, "Figures become multiples of it (all rounding)."),
    ("max-dims", _NUMBER, "All tables of up to so many dims are offered (round-lattice; --margin names others)."),
    ("rounding", _TEXT, "nearest, or within (round-to)."),
    *((name, _NUMBER, words.format(of=" (complementary-suppress, suppression)")) for name, words in INTERVALS),
    (
        "minimise",
        _TEXT,
        "What withholding costs: cells or counts (complementary-suppress, suppression), logs, entropy (suppression).",
    ),
    (
        "matrix",
        "FILE",
        "Transition matrix: a row a true count, a column a published one (perturb); of labels in the order of FILE (pram).",
    ),
    ("last-rows", _NUMBER, "How many last rows of the matrix repeat for larger counts (perturb)."),
    ("stay", _NUMBER, "Probability that a record keeps its label, instead of a matrix (pram)."),
    ("noise", _TEXT, "geometric:EPSILON, uniform:MOST, or -1:0.25,0:0.5,1:0.25 (add-noise)."),
    ("fraction", _NUMBER, "Share of the population that is drawn (draw-sample)."),
    ("size", _NUMBER, "... or how many are drawn."),
    (
        "dim",
        _TEXT,
        "The dim whose values are exchanged, or several with commas (swap); drawn anew (pram); blanked "
        "(local-suppress).",
    ),
    (
        "rate",
        _NUMBER,
        "Share of the records that are exchanged (swap, swap-preserving), or probability of a blank (local-suppress).",
    ),
    ("targeted", _NUMBER, "Records in cells of at most this many first (swap)."),
    ("ways", _NUMBER, "Margins of so many dims are kept (swap-preserving)."),
    ("order", _TEXT, "Of the steps: random or given (markov-perturb)."),
    ("swaps", _NUMBER, "How many, instead of a rate (swap-preserving)."),
    ("level", _NUMBER, "Significance level of the test of fit (simulate)."),
    ("theta", _NUMBER, "Probability that a unit leaves its cell (markov-perturb)."),
    ("squares", _TEXT, "adjacent or all (markov-perturb)."),
)
_LISTS: tuple[tuple[str, str], ...] = (
    ("exact", "A margin that is published as it is; '' is the grand total."),
    ("margin", "A margin that is protected and published too (or, of suppress and suppression, published)."),
    (
        "within",
        "Only among records or cells alike in this dim (swap, semi-controlled-round, perturb with --preserve-totals).",
    ),
    ("additive", "A margin that the perturbed table must add up to again (perturb)."),
    ("fits", "Keep a simulated table only if the log-linear model of these margins fits it (simulate)."),
    ("merge", "DIM:NEW=OLD,OLD: categories to be merged (merge)."),
)
_FLAGS: tuple[tuple[str, str], ...] = (
    ("unbiased", "The expected value of a published figure is the true one (controlled-round, two-way tables)."),
    ("preserve-totals", "Keep how often each count occurs (perturb)."),
    ("normalise", "Let rows of the matrix be scaled to 1 (perturb)."),
    ("floor", "What falls below zero is shown as 0 (add-noise)."),
    ("secondary-zeros", "Zeros may be withheld to protect other cells (complementary-suppress, suppression)."),
    ("keyed", "The random number of a cell follows from its labels: alike in every table with this seed."),
)
_CALLED = {"margin": "margins", "merge": "groups"}
"""Options whose parameter has another name."""
_ELSEWHERE = {
    "rule": "Cells to withhold by rule, such as '< 3' (suppress, complementary-suppress, suppression), or to blank "
    "(local-suppress).",
    "zeros_hidden": "The rule hits zeros, too (suppress, complementary-suppress, suppression).",
}
"""Options that are there already, for commands that read what is protected: here they say how to protect."""


def _method_options(command: Callable[..., None]) -> Callable[..., None]:
    options = [click.option(f"--{name}", metavar=kind, help=words) for name, kind, words in _PARAMETERS]
    options += [
        click.option(f"--{name}", metavar="A,B", multiple=True, help=f"{words} May be repeated.")
        for name, words in _LISTS
    ]
    options += [click.option(f"--{name}", is_flag=True, help=words) for name, words in _FLAGS]
    for option in reversed(options):
        command = option(command)
    return command


@click.command(
    epilog="""\b
Examples:
  fiberwalk protect table.csv --mechanism random-round --base 3 --exact region --out rounded.csv
  fiberwalk protect table.csv --mechanism complementary-suppress --rule '< 3' --percent 20 --out hidden.csv
  fiberwalk protect table.csv --mechanism suppression --primary '< 3' --percent 20 --minimise counts --out hidden.csv
  fiberwalk protect by_size.csv by_age.csv --mechanism suppression --primary '< 3' --keep region=A --out safe-{}.csv
  fiberwalk protect turnover.csv --mechanism suppression --history a.hst --until 'p <= 0.5' --out hidden.xlsx
  fiberwalk protect table.csv --mechanism swap --dim region --rate 0.1 --within age --out swapped.csv
  fiberwalk protect table.csv --mechanism perturb --matrix matrix.csv --keyed --seed 77 --out perturbed.csv
  fiberwalk protect table.csv --mechanism round-lattice --max-dims 2 --out offered.csv
  fiberwalk audit rounded.csv --protected-by 'random-round base=3'        what it gives away"""
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@reading_options
@click.option("--mechanism", metavar="NAME", help="How to protect it; --list shows all.")
@click.option("--list", "listing", is_flag=True, is_eager=True, expose_value=False, help="List the methods and stop.",
              callback=lambda context, _, chosen: _list_methods(context) if chosen else None)  # fmt: skip
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The protected table (.csv, .parquet, .xlsx or .tab); of several files a folder, or a name such as safe-{}.csv.",
)
@click.option("--note", type=click.Path(path_type=Path), help="What was done, with the seed (default: beside --out).")
@click.option(
    "--seed", type=click.IntRange(min=0), help="Of the random numbers (default: a new one, kept in the note)."
)
@_method_options
@suppressing
@speaks_plainly
def protect(**options: Any) -> None:
    """Protect a table by any method, and write down what was done.

    FILE holds the true table, complete. The protected table can be published. The note is for the agency alone: with its
    seed, what is random can be undone. With --mechanism suppression several files are linked tables, protected at once.
    """
    from ...base.errors import InputError
    from ...protect.methods import method_named
    from ..suppressing.known_cells import warn_of_known_cells
    from ..suppressing.published_files import write_with_note
    from ..suppressing.suppressing_files import suppress_files
    from ..suppressing.tables_of_files import read_in_full, table_of
    from .method_notes import what_became_of

    if options["mechanism"] is None or options["out"] is None:
        raise InputError("protect needs --mechanism NAME (--list shows them) and --out FILE.")
    name = options["mechanism"].replace("-", "_")
    method = None if name == MECHANISM else method_named(name)
    if options["protected_by"] or options["no_flags"]:
        raise InputError("--protected-by and --no-flags are for audits of tables that are protected already.")
    if options["out"].suffix.lower() == ".jj":
        raise InputError(f"--out {options['out']}: a JJ file holds every true value; write .csv or .parquet.")
    if method is None:
        suppress_files(options, [name for name in _option_names() if name not in SHARED])
        return
    refuse_for_others(options, name)
    if len(options["files"]) > 1:
        raise InputError(f"{len(options['files'])} files: only --mechanism {MECHANISM} protects several at once.")
    options["file"] = options["files"][0]
    if options["note"] is None:
        options["note"] = options["out"].with_suffix(".note.txt")
    check_outputs(options, "out", "note")
    truth = read_in_full(options)
    function = method.function(name)
    parameters = _parameters_of(options, name, function)
    with shown(None) as tell:
        progress = {"progress": tell} if "progress" in inspect.signature(function).parameters else {}
        release = function(table_of(truth, options), **parameters, **progress)
    # No table without its note, which has the seed; and whoever reads the seed can undo what is random.
    words = _note(release, name, parameters, options)
    write_with_note([release], [options["out"]], options["note"], words, options["total"])
    click.echo(what_became_of(release))
    click.echo(f"protected table: {options['out']}", err=True)
    click.echo(f"note, for the agency alone: {options['note']}", err=True)
    warn_of_known_cells(release)


for _option in protect.params:
    if _option.name in ("no_flags", "protected_by") and isinstance(_option, click.Option):
        _option.hidden = True  # they are about tables that are protected already
    elif _option.name in _ELSEWHERE and isinstance(_option, click.Option):
        _option.help = _ELSEWHERE[_option.name]


def _option_names() -> list[str]:
    """The options of all methods that are in the registry."""
    named = [name for name, *_ in (*_PARAMETERS, *_LISTS, *_FLAGS)]
    return [name.replace("-", "_") for name in (*named, "rule", "zeros_hidden")]


def _list_methods(context: click.Context) -> None:
    from ...protect.methods import METHODS

    width = max(map(len, METHODS))
    click.echo(f"{'METHOD':{width}}  {'LIKELIHOOD':22}  WHAT IT DOES")
    rows = [(name, method.likelihood, method.words) for name, method in METHODS.items()]
    rows.insert(
        2, (MECHANISM, "support only", "... totals too, in linked tables at once, to intervals or probabilities")
    )
    for name, likelihood, words in rows:
        click.echo(f"{name.replace('_', '-'):{width}}  {likelihood:22}  {words}")
    context.exit()


def _parameters_of(options: dict[str, Any], name: str, function: Callable[..., Any]) -> dict[str, Any]:
    """The parameters of a method that the options give; what it does not take is refused."""
    from ...base.errors import InputError

    taken = inspect.signature(function).parameters
    parameters = _stated(options)
    options_of = {"keys": "keyed"} | {parameter: option for option, parameter in _CALLED.items()}
    for key in parameters:
        if key not in taken:
            option = options_of.get(key, key).replace("_", "-")
            raise InputError(f"--{option} does not go with --mechanism {name.replace('_', '-')}.")
    missing = [p.name for p in taken.values() if p.default is p.empty and p.name not in ("table", *parameters)]
    if "where" in taken and "rule" not in parameters:
        missing.append("where")
    if missing:
        option = (options_of | {"where": "rule"}).get(missing[0], missing[0])
        raise InputError(f"--mechanism {name.replace('_', '-')} needs --{option}.")
    if "seed" in taken:
        parameters["seed"] = options["seed"]
    elif options["seed"] is not None:
        raise InputError(f"--seed: nothing is random in --mechanism {name.replace('_', '-')}.")
    return parameters


def _stated(options: dict[str, Any]) -> dict[str, Any]:
    """The options that are about a method, under the names of its parameters."""
    from ..shared.method_parameters import parameter

    parameters: dict[str, Any] = {}
    for called in (*(option.replace("-", "_") for option, _, _ in _PARAMETERS), "rule"):
        if options[called] is not None:
            parameters[called] = parameter(called, options[called])
    for option, _ in _LISTS:
        if options[option]:
            parameters[_CALLED.get(option, option)] = list(options[option])
    for called in (*(option.replace("-", "_") for option, _ in _FLAGS), "zeros_hidden"):
        if options[called]:
            parameters[called] = True
    if parameters.pop("keyed", False):
        parameters["keys"] = "labels"
    if "groups" in parameters:
        parameters["groups"] = _groups(parameters["groups"])
    return parameters


def _groups(texts: list[str]) -> dict[str, dict[str, list[str]]]:
    from ...base.errors import InputError

    groups: dict[str, dict[str, list[str]]] = {}
    for text in texts:
        dim, colon, rest = text.partition(":")
        new, equals, old = rest.partition("=")
        if not colon or not equals:
            raise InputError(f"--merge {text}: write it as DIM:NEW=OLD,OLD, such as size:small=1,2.")
        groups.setdefault(dim, {})[new] = [label.strip() for label in old.split(",")]
    return groups


def _note(release: Release, name: str, parameters: dict[str, Any], options: dict[str, Any]) -> str:
    from ...base.version import VERSION
    from .method_notes import of_method, outsider_of

    seed = release.applied[-1].seed
    shown = {key: value for key, value in parameters.items() if key not in ("seed", "matrix", "noise")}
    shown |= {key: options[key] for key in ("matrix", "noise") if key in parameters}
    lines = [
        "What was done to a table, for the agency alone"
        + (": with the seed, what is random in it can be undone." if seed is not None else "."),
        "",
        f"table: {options['file']}",
        f"protected table: {options['out']}",
        *of_method(release, name, shown),
        *([f"seed: {seed}"] if seed is not None else []),
        f"to do it again: {same_command(seed)}",
        f"to audit it as an outsider: {outsider_of(release, name, shown, options)}",
        f"fiberwalk {VERSION}",
    ]
    return "\n".join(lines) + "\n"
