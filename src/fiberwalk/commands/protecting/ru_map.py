"""fiberwalk ru-map: which method of protection leaves least risk and keeps most utility?"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..shared.comma_lists import cell_of, names, numbers_or_norm
from ..shared.cost_options import budget, limit
from ..shared.file_options import read, reading
from ..shared.law_options import believed, believing
from ..shared.manners import check_outputs, check_picture, fail, speaks_plainly, write_csv, write_picture
from ..shared.output_options import csv

if TYPE_CHECKING:
    from ...release.release import Release
    from ...results.map_result import RUMap

# The names of the measures are written out: to read them from the lists in `maps` would load all that a map needs.
RISKS = ("entropy", "exact", "r1", "r2", "split", "split mean", "thin lines")
UTILITIES = (
    "mean squared precision",
    "overall precision",
    "joint probability",
    "conditional probability",
    "published",
    "hellinger",
    "conditional entropy",
    "chi-square",
    "cramer's v",
    "margins",
)
ABOVE_0 = click.FloatRange(min=0, min_open=True)


@click.command(
    name="ru-map",
    epilog="""\b
Examples:
  fiberwalk ru-map table.csv --where '< 3' --mechanism 'random-round base=3,5,10' --mechanism "suppress rule='< 3'"
  fiberwalk ru-map table.csv --mechanism 'markov-perturb theta=0.05,0.1,0.2' --mechanism 'controlled-round base=3' \\
      --utility hellinger --seeds 20 --max-risk 0.5 --plot map.png --csv map.csv
  fiberwalk ru-map table.csv --risk r2 --by region --utility hellinger --mechanism 'random-round base=3,5'
  fiberwalk ru-map table.csv --cell region=north,age=0-15 --risk exact --mechanism 'random-round base=3' --fail-above 0.5

A method is one of `fiberwalk protect --list` with the parameters of its Python function; of one parameter, several values
can be given with commas, and make a line on the map. The table as it is stands on the map as 'original'. The seeds can be
guessed: publish with `fiberwalk protect`, which takes a new one.""",
)
@reading
@click.option(
    "--mechanism", "mechanisms", metavar="'NAME KEY=VALUE,...'", multiple=True,
    help="A method of protection, such as 'random-round base=3,5,10'. May be repeated.",
)  # fmt: skip
@click.option(
    "--risk", type=click.Choice(RISKS), default="entropy", show_default=True,
    help="1/H, or the probability of the true value; or of the table as a whole: R2, R1 (as if what is published were the "
    "truth), split, with small counts apart from large ones (for methods that change counts with known probabilities), "
    "split mean, which hardly ever rises by protection as split may, or thin lines, the share of rows and columns with one "
    "or two occupied cells.",
)  # fmt: skip
@click.option(
    "--weights", metavar="W,W,W",
    help="Of the terms of r1 and r2 (zeros, entropy, size) or split (zeros, small, large, size), summing to 1; or l2.",
)  # fmt: skip
@click.option(
    "--by", metavar="DIM,DIM",
    help="With risks of the table as a whole: each category of these dims is a table by itself, and the map is about the "
    "worst one, or by --over mean, all on average (of the utilities, hellinger and conditional entropy).",
)  # fmt: skip
@click.option(
    "--utility", type=click.Choice(UTILITIES, case_sensitive=False), default="mean squared precision", show_default=True,
    help="1/E(x - truth)^2 of the chosen or of all cells, or of joint or conditional probabilities; the share of cells "
    "published as they are; or 1 less the change in: the table (Hellinger distance), its entropy (given what is published), "
    "chi-square, Cramer's V, the variance of the margins.",
)  # fmt: skip
@click.option("--given", metavar="DIM,DIM", help="With conditional probability: the dims to condition on.")
@click.option("--cell", metavar="DIM=LABEL,...", help="The map is about this cell.")
@click.option(
    "--where", metavar="'< 3'", help="... about the cells that this rule calls sensitive (default: those hidden)."
)
@click.option(
    "--over", type=click.Choice(["worst", "mean"]), default="worst", show_default=True,
    help="The risk of the worst of these cells (or, with --by, categories), or of all on average.",
)  # fmt: skip
@click.option("--nats", is_flag=True, help="Measure entropy in nats instead of bits.")
@believing
@click.option(
    "--seeds", type=click.IntRange(min=1), default=10, show_default=True, help="How often random methods are applied."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="From which their seeds follow; of the chains.",
)
@click.option(
    "--tolerance", type=ABOVE_0, metavar="BITS", default=0.02, show_default=True, help="Of sampled entropies."
)
@click.option("--max-seconds", type=ABOVE_0, help="Stop the chains of each audit after so much time.")
@click.option(
    "--max-risk", type=ABOVE_0, metavar="RISK", help="The highest risk allowed: drawn, and what is best below it."
)
@click.option(
    "--fail-above", type=ABOVE_0, metavar="RISK",
    help="Exit with status 1 if every method leaves more risk than this, or if chains have not converged.",
)  # fmt: skip
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the map here (.png, .svg or .pdf).")
@csv
@click.option("--json", "as_json", is_flag=True, help="Print the points as JSON instead of words.")
@limit
@speaks_plainly
def ru_map(**options: Any) -> None:
    """Compare methods of protection on a map of disclosure risk against data utility.

    FILE holds the true table, complete. Each method is applied to it, random ones several times; what it publishes is
    audited as by an intruder who knows the method.
    """
    from ...maps.confidentiality_map import ru_map as run_map
    from ...results.map_result import check_threshold

    check_outputs(options, "plot", "csv")
    check_picture(options["plot"])
    methods = _methods(options["mechanisms"])
    truth = _truth(options)
    result = run_map(
        truth, methods, options["risk"], options["utility"], believed(options), options["seeds"],
        cell=None if options["cell"] is None else cell_of(options["cell"], "--cell"), where=options["where"],
        over=options["over"], log_base=math.e if options["nats"] else 2,
        weights=numbers_or_norm(options["weights"]), by=names(options["by"]), given=names(options["given"]),
        seed=options["seed"], tolerance=options["tolerance"], max_seconds=options["max_seconds"], **budget(options),
    )  # fmt: skip
    threshold = options["max_risk"] or options["fail_above"]
    if threshold is not None:
        check_threshold(threshold)
    if options["csv"] is not None:
        write_csv(result.frame, options["csv"])
    if options["plot"] is not None:
        write_picture(result.plot(max_risk=threshold), options["plot"])
        click.echo(f"map: {options['plot']}", err=True)
    click.echo(_as_json(result) if options["as_json"] else _printed(result, threshold))
    if options["fail_above"] is not None:
        _fail(result, options["fail_above"])


for _option in ru_map.params:
    if _option.name in ("rule", "no_flags", "protected_by", "zeros_hidden") and isinstance(_option, click.Option):
        _option.hidden = True  # they are about tables that are protected already


def _truth(options: dict[str, Any]) -> Release:
    from ...base.errors import InputError

    for name in ("rule", "no_flags", "protected_by", "zeros_hidden"):
        if options[name]:
            option = name.replace("_", "-")
            raise InputError(
                f"--{option} is for tables that are protected already; ru-map protects FILE by each --mechanism."
            )
    truth = read(options)
    if truth.truth is None or len(truth.grids) != 1:
        raise InputError(f"{options['file']}: ru-map needs the true table in full; some cells have no figure.")
    return truth


def _methods(texts: tuple[str, ...]) -> dict[str, Any]:
    from ...base.errors import InputError
    from .mechanisms import mechanisms

    if not texts:
        raise InputError("ru-map needs at least one --mechanism, such as --mechanism 'random-round base=3,5,10'.")
    return {name: (one.method, one.parameters) for name, one in mechanisms(texts).items()}


def _printed(result: RUMap, threshold: float | None) -> str:
    from ...results.map_result import number_word, point_name

    law = result.settings["law"]
    lines = [result.sentence, f"Risk: {result.risk}. Utility: {result.utility}.{f' Law: {law}.' if law else ''}", ""]
    lines.append(result.readable().to_string(sparsify=False))
    if threshold is not None:
        best = result.best(threshold)
        names = [point_name(point) for point in best.index]
        choice = f"{' and '.join(names)} (utility {number_word(best['utility'].iloc[0])})" if names else "none of these"
        lines += ["", f"The highest utility at a risk of at most {threshold:g}: {choice}."]
    return "\n".join(lines)


def _as_json(result: RUMap) -> str:
    """The points, infinite figures as texts, which JSON has no numbers for, and missing ones as null."""
    points = result.frame.reset_index().to_dict(orient="records")
    axes = {"risk": result.risk, "utility": result.utility}
    plain = {
        **axes,
        "law": result.settings["law"],
        "left_out": result.left_out,
        "points": [_plain(point) for point in points],
    }
    return json.dumps(plain, indent=1, ensure_ascii=False)


def _plain(point: dict[Any, Any]) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        value = value.item() if hasattr(value, "item") else value
        if isinstance(value, float) and not math.isfinite(value):
            return None if math.isnan(value) else "infinite" if value > 0 else "-infinite"
        return value

    return {str(key): plain(value) for key, value in point.items()}


def _fail(result: RUMap, above: float) -> None:
    from ...report.words import ORIGINAL

    frame = result.frame[result.frame.index.get_level_values("method") != ORIGINAL]
    reasons = []
    if not (frame["risk"] <= above).any():
        reasons.append(f"every method leaves more risk than {above:g}.")
    if not result.converged:
        reasons.append("not all chains have converged, or runs are left out.")
    fail(reasons)
