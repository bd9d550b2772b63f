"""Options that set up a server of tables: its data, rules, method and log, for whoever asks one table or serves many."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from ..shared.number_types import Number
from ..shared.sample_options import of_a_sample

_OPTIONS: list[Callable] = [
    click.option(
        "--mechanism", metavar="'NAME KEY=VALUE'",
        help="How it is protected, such as 'random-round base=3' (`fiberwalk protect --list`); none: not at all.",
    ),
    click.option(
        "--summed", metavar="'NAME KEY=VALUE'", multiple=True,
        help="A column whose sums and means may be asked for: 'income step=1000 changed-by=0.1,0.25' (every value is "
        "changed once, by a share between these). Needs record keys. May be repeated.",
    ),
    click.option(
        "--weighted-base", type=click.IntRange(min=1), metavar="N",
        help="Show weighted counts, by --sampling-weights, in multiples of N.",
    ),
    click.option(
        "--labels", type=click.Path(path_type=Path), metavar="FILE",
        help="All labels that dims can have, in order, in a TOML file: age = ['0-4', '5-9'] (default: those that somebody "
        "has).",
    ),
    click.option(
        "--published-before", type=click.Path(path_type=Path), metavar="FILE", multiple=True,
        help="A table that was published elsewhere before: its figures are answered as they are there. May be repeated.",
    ),
    click.option("--before", is_flag=True, help="Protect the whole cube, and count the table from it."),
    click.option("--noisy-zeros", is_flag=True, help="Let add-noise and perturb change zeros, too, which can be compared."),
    click.option("--crossing", is_flag=True, help="Offer levels of one dim that are not nested in each other."),
    click.option(
        "--max-risk", type=Number(min=0), metavar="RISK",
        help="Write no table whose risk stays above this: for tables of your own choice. Where others ask, it would tell of "
        "the true table.",
    ),
    click.option(
        "--risk", type=click.Choice(["split", "split mean", "r1", "thin lines", "sample"]), default="split",
        show_default=True,
        help="The risk of a table: small and large counts apart (Shlomo, Antal and Elliot 2015); the same by the mean true "
        "count of each figure; R1 and R2; the share of rows and columns with one or two occupied cells; or, of data that "
        "are a sample, R2 over the populations that may stand behind the table (Antal, Shlomo and Elliot 2015).",
    ),
    of_a_sample,
    click.option(
        "--model", type=click.Choice(["log-linear", "urn", "shrunk"]),
        help="With --risk sample: what is believed of the people outside the sample (default: shrunk).",
    ),
    click.option(
        "--rules", type=click.Path(path_type=Path), metavar="FILE",
        help="Rules in a TOML file, by the names of the options below with _ for - (max_dims = 3), and dims = [...], areas "
        "= '...'; an option goes before its line.",
    ),
    click.option("--max-dims", type=click.IntRange(min=1), help="Refuse more dims than this (default: 3)."),
    click.option("--max-filters", type=click.IntRange(min=0), help="... more dims in --filter than this (default: 1)."),
    click.option(
        "--max-labels", type=click.IntRange(min=1),
        help="... more labels of a dim in --filter than this, where the table does not show the dim (default: 1).",
    ),
    click.option("--max-cells", type=click.IntRange(min=1), metavar="N", help="... more cells than this."),
    click.option("--min-population", type=click.IntRange(min=0), metavar="N", help="... figures that add up to less."),
    click.option(
        "--max-small-share", type=Number(min=0, max=1), metavar="SHARE",
        help="... a larger share of small figures than this, such as 0.1.",
    ),
    click.option("--small", type=click.IntRange(min=1), help="The largest small count (default: 2)."),
    click.option(
        "--min-contributors", type=click.IntRange(min=1), metavar="N",
        help="Withhold sums, means and weighted counts of fewer people than this, by published counts.",
    ),
    click.option("--min-mean-cell", type=Number(min=0), metavar="N", help="... figures with a smaller mean than this."),
    click.option(
        "--count", metavar="NAME", help="Column of counts (default: count, freq, n or value; none: a row a person)."
    ),
    click.option(
        "--keys",
        metavar="NAME",
        help="Column of a number that every person has of her own (default: those of `fiberwalk keys`, else the labels "
        "decide).",
    ),
    click.option("--columns", metavar="A,B", help="The columns of FILE that are dims (default: all others)."),
    click.option(
        "--hierarchy", metavar="DIM=FILE", multiple=True,
        help="How labels make groups: a .hrc file or a level table; a level can be asked for. May be repeated.",
    ),
    click.option(
        "--engine", type=click.Choice(["duckdb"]),
        help="Who counts the people of FILE, which may then be of any size, or a pattern such as 'people/*.parquet' "
        "(default: it is read as a whole; the answers are the same).",
    ),
    click.option("--memory", metavar="SIZE", help="With --engine: how much it may use, such as 2GB (the default)."),
    click.option(
        "--log", type=click.Path(path_type=Path), metavar="FILE",
        help="Where requests are written down (see `fiberwalk log`); made where there is none.",
    ),
    click.option(
        "--auditor", type=click.Path(path_type=Path), metavar="FILE",
        help="Refuse what might tell too much together with all that was answered before, by a TOML file: mu = 1.5 is the "
        "expected count of each cell that is watched, least_ratio = 0.1, breach_share = 0.05, filters = {region = '1'}; "
        "refusals tell nothing. Goes with --log.",
    ),
    click.option(
        "--seed", type=click.IntRange(min=0),
        help="Of the random numbers; or in the environment variable FIBERWALK_SEED (default: a new one, kept in the note).",
    ),
    click.option(
        "--seed-file", type=click.Path(path_type=Path), metavar="FILE",
        help="Where the seed is kept from call to call: read from here, or a new one is written here.",
    ),
]  # fmt: skip


def sets_up_a_server(command: Callable[..., None]) -> Callable[..., None]:
    """All options that `server_of` reads."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
