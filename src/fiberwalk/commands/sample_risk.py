"""fiberwalk sample-risk: what does a table of sample counts risk, when the population is not known?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .shared.comma_lists import names, numbers_or_norm
from .shared.count_tables import hide_options, refuse_options, table_of_counts
from .shared.file_options import KNOWN, read, reading
from .shared.manners import check_outputs, check_picture, speaks_plainly, write_picture
from .shared.sample_options import of_a_sample, population_size

if TYPE_CHECKING:
    from ..results.sample_risk_result import SampleRisk

MODELS = ("log-linear", "urn", "shrunk", "fiber")
"""Their names, written out: to read them from `models` would load all that a model needs."""
SHARE = click.FloatRange(min=0, max=1)
NOT_HERE = ("rule", "no_flags", "zeros_hidden", "protected_by", "status", "contributors", "largest", "decimals", *KNOWN)
"""Options of other commands that say nothing about a sample."""


@click.command(
    name="sample-risk",
    epilog="""\b
Examples:
  fiberwalk sample-risk sample.csv --people 2449
  fiberwalk sample-risk sample.csv --people 2449 --model urn --zeros 25 --plot risk.png
  fiberwalk sample-risk sample.csv --people 2449 --model log-linear --margin area,sex --margin sex,religion
  fiberwalk sample-risk with_population_totals.csv --fail-above 0.2    the file's totals are those of the population
  fiberwalk sample-risk sample.csv --strata area --people north=1200 --people south=1249
  fiberwalk sample-risk people.csv --dims area,religion --sampling-weights weight    a row a person

Without --people and --sampling-weights the totals in FILE are those of the population, and every model keeps to them.
R2 is the risk of the sample table, R1 what it would be were the whole population published (Antal, Shlomo and Elliot 2015).
Each population that is drawn gives both: what is printed is how they are distributed.""",
)
@reading
@of_a_sample
@click.option(
    "--model", type=click.Choice(MODELS),
    help="What is believed of the people outside the sample (default: shrunk; fiber where population totals are given).",
)  # fmt: skip
@click.option(
    "--margin", "margins", metavar="A,B", multiple=True,
    help="A margin of the log-linear model (default: all dims independent). May be repeated.",
)  # fmt: skip
@click.option("--zeros", type=click.IntRange(min=0), help="Of the urn: how many population cells are empty, if known.")
@click.option(
    "--strength", type=float, metavar="PEOPLE", help="Of shrunk: how many people the model weighs as much as."
)
@click.option(
    "--weights", metavar="W,W,W",
    help="Of the three terms of the risk: zeros, entropy, size (default: 0.1,0.8,0.1); or l2, the norm of the terms.",
)  # fmt: skip
@click.option("--draws", type=click.IntRange(min=1), default=1000, show_default=True, help="Populations to be drawn.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of the random numbers.")
@click.option(
    "--plot", type=click.Path(path_type=Path), help="Write a picture of the distributions (.png, .svg, .pdf)."
)
@click.option("--save", type=click.Path(path_type=Path), help="Write the whole result here, for fw.load.")
@click.option(
    "--fail-above",
    type=SHARE,
    metavar="RISK",
    help="Exit with status 1 if R2 is above this in 2.5% of the populations.",
)
@speaks_plainly
def sample_risk(**options: Any) -> None:
    """What does a table of sample counts risk, when the population is not known?

    FILE holds the sample counts. Populations that may stand behind them are drawn from a model of the people outside the
    sample; each gives the risk of the table as a whole.
    """
    from ..risk.whole_table import WEIGHTS
    from ..studies.sampled_populations import sample_risk as run

    check_outputs(options, "plot", "save")
    check_picture(options["plot"])
    options["people"] = population_size(options["people"], options["strata"])
    result = run(
        _sample(options),
        options["people"],
        _model(options),
        numbers_or_norm(options["weights"]) or WEIGHTS,
        draws=options["draws"],
        seed=options["seed"],
        sampling_weights=options["sampling_weights"],
        count=options["value"] if options["sampling_weights"] else None,
    )
    if options["plot"] is not None:
        write_picture(result.plot(), options["plot"])
        click.echo(f"picture: {options['plot']}", err=True)
    if options["save"] is not None:
        result.save(options["save"])
        click.echo(f"result: {options['save']}", err=True)
    click.echo(_printed(result))
    limit = options["fail_above"]
    if limit is not None and (result.summary.loc["r2", "q97.5"] > limit or result.doubt):
        click.echo(f"R2 is above {limit:g} in 2.5% of the populations or more, or not settled.", err=True)
        sys.exit(1)


hide_options(sample_risk, NOT_HERE)


def _sample(options: dict[str, Any]) -> Any:
    """The table of sample counts, or with population totals a release of it."""
    from ..base.errors import InputError

    refuse_options(options, NOT_HERE, "a sample")
    if options["sampling_weights"] is not None:
        return _weighted(options)
    if options["people"] is None:
        try:
            return read({**options, "protected_by": "draw-sample"})
        except InputError as problem:
            if "how large is the population" not in str(problem):
                raise
            raise InputError(
                f"{options['file']}: how large is the population? Give --people, or its totals as rows of the file."
            ) from None
    return table_of_counts(options, "sample count")


def _weighted(options: dict[str, Any]) -> Any:
    """A frame with a column of sampling weights: a row a person, or a row for some people of a cell."""
    from ..base.errors import InputError, did_you_mean
    from ..server.cube.data_files import read_frame

    frame = read_frame(options["file"])
    dims = names(options["dims"])
    wanted = [*(dims or ()), *filter(None, (options["value"], options["sampling_weights"]))]
    for column in wanted:
        if column not in frame.columns:
            raise InputError(
                f"{options['file']}: there is no column {column!r}; {did_you_mean(column, map(str, frame.columns))}"
            )
    return frame if dims is None else frame[wanted]


def _model(options: dict[str, Any]) -> Any:
    from ..base.errors import InputError
    from ..posterior.populations.fiber_population import fiber
    from ..posterior.populations.log_linear_population import log_linear
    from ..posterior.populations.polya_urn import urn
    from ..posterior.populations.shrunk_population import shrunk

    totals = options["people"] is None and options["sampling_weights"] is None
    name = options["model"] or ("fiber" if totals else "shrunk")
    margins = list(options["margins"]) or None
    for option, models in (("zeros", "urn"), ("strength", "shrunk"), ("margins", "log-linear, urn or shrunk")):
        if options[option] not in (None, ()) and name not in models:
            raise InputError(f"--{'margin' if option == 'margins' else option} goes with --model {models}.")
    if name == "fiber" and not totals:
        raise InputError("--model fiber needs totals of the population, as rows of FILE, and no --people.")
    if name == "urn":
        return urn(options["zeros"], margins=margins)
    if name == "shrunk":
        return shrunk(margins, strength=options["strength"])
    return fiber() if name == "fiber" else log_linear(margins)


def _printed(result: SampleRisk) -> str:
    row = result.summary.loc["r2"]
    first = (
        f"R2 of this sample table is {row['mean']:.3f} on average over {len(result.r2):,} populations, between "
        f"{row['q2.5']:.3f} and {row['q97.5']:.3f} in 95% of them."
    )
    lines = [first, f"{result.n:,} of {result.size:,} people. Model {result.model}: {result.words}.", ""]
    if result.doubt:
        lines.insert(1, f"In doubt: {result.doubt}.")
    for name, words in (("theta", "theta is {:.4g}."), ("strength", "The model weighs as much as {:.4g} people.")):
        if name in result.facts:
            lines.insert(-1, words.format(result.facts[name]))
    shown = result.summary.dropna(axis="columns", how="all")
    if "certificate" not in result.facts:  # not chains: every draw counts whole
        shown = shown.drop(columns=["ess", "rhat"])
    formats = {"ess": "{:.0f}".format, "rhat": "{:.3f}".format}
    return "\n".join([*lines, shown.to_string(float_format="{:.4f}".format, formatters=formats)])
