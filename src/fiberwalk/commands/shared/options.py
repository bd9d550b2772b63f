"""Options that several commands share: how FILE is read, what is asked about, what it may cost, where results go."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ...release.release import Release


class _Amount(click.ParamType):
    """A whole number that may be written as 2e9 or 2,000,000,000."""

    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read it."""
        try:
            number = float(str(value).replace(",", "").replace("_", ""))
        except ValueError:
            number = 0
        if not 1 <= number < 1e18 or number != int(number):
            self.fail(f"{value!r} is not a whole number of at least 1, such as 2e9.", param, ctx)
        return int(number)


class Number(click.FloatRange):
    """A number that is one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say how FILE is to be read."""
    options = [
        click.argument("file", type=click.Path(path_type=Path)),
        click.option(
            "--dims", metavar="A,B", help="Columns of the dims, joined by commas (default: all that are left)."
        ),
        click.option("--value", metavar="NAME", help="Column of the figures (default: value, count, freq or n)."),
        click.option("--status", metavar="NAME", help="Column of status codes (s z u x w m, or tau-ARGUS numbers)."),
        click.option("--contributors", metavar="NAME", help="Column of the number of contributors (default: N_OBS)."),
        click.option("--largest", metavar="NAME", help="Column of the largest contribution (default: MAX)."),
        click.option(
            "--total", metavar="LABEL", default="Total", show_default=True, help="Label of totals in the file."
        ),
        click.option(
            "--hierarchy",
            metavar="DIM=FILE",
            multiple=True,
            help="How a dim adds up to subtotals: a .hrc file or a level table. May be repeated.",
        ),
        click.option("--decimals", default=0, show_default=True, help="Decimals of a magnitude table."),
        click.option("--no-header", is_flag=True, help="The first line is data: dims, value, then status if --status."),
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


def of_a_sample(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say how large the population behind a sample is, and how the sample was drawn."""
    options = [
        click.option(
            "--people", metavar="N", multiple=True,
            help="How many people the population has; of a stratified sample LABEL=N, for every stratum (--strata).",
        ),
        click.option("--strata", metavar="DIM", help="The dim whose labels are the strata of the sample."),
        click.option(
            "--sampling-weights", metavar="NAME",
            help="Column of how many people each person in the sample stands for; --people may then be left out.",
        ),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def names(text: str | None) -> list[str] | None:
    """Names that are joined by commas."""
    return [one.strip() for one in text.split(",")] if text else None


def hierarchies(texts: tuple[str, ...]) -> dict[str, str] | None:
    """The files of --hierarchy, by their dims."""
    from ...base.errors import InputError

    found = {}
    for text in texts:
        dim, equals, path = text.partition("=")
        if not equals:
            raise InputError(f"--hierarchy {text}: write it as DIM=FILE.")
        found[dim.strip()] = path
    return found or None


def population_size(texts: tuple[str, ...], strata: str | None) -> int | dict[str, dict[str, int]] | None:
    """The sizes of --people: one number, or with --strata one for each label of a dim, LABEL=N."""
    from ...base.errors import InputError

    if not texts:
        if strata is not None:
            raise InputError(f"--strata {strata} needs the size of each stratum: --people LABEL=N, for every label.")
        return None
    parts = [tuple(one.strip() for one in text.rpartition("=")) for text in texts]
    for text, (_, equals, number) in zip(texts, parts, strict=True):
        if not number.isdecimal() or not int(number) or bool(equals) != (strata is not None):
            form = "LABEL=N with --strata DIM" if strata is not None or equals else "a whole number of at least 1"
            raise InputError(f"--people {text}: write it as {form}.")
    if strata is None:
        if len(parts) > 1:
            raise InputError("--people: the population has one size; strata have one each (--strata).")
        return int(parts[0][2])
    return {strata: {label: int(number) for label, _, number in parts}}


def read(options: dict[str, Any]) -> Release:
    """The release that FILE and the options about it describe."""
    from ...base.errors import InputError
    from ...release.facts.facts import PRIMARY
    from ...release.reading import read_release

    release = read_release(
        options["file"],
        dims=names(options["dims"]),
        value=options["value"],
        status=options["status"],
        total=options["total"],
        hierarchies=hierarchies(options["hierarchy"]),
        decimals=options["decimals"],
        header=not options["no_header"],
        missing=options["missing"],
        slack=options["slack"],
        contributors=options["contributors"],
        largest=options["largest"],
        perturbed=bool(options["protected_by"]),
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


margins = click.option(
    "--hidden-margin",
    "hidden_margins",
    metavar="A,B",
    multiple=True,
    help="An unpublished margin to ask about too; '' is the grand total. May be repeated.",
)


def limit(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say what exact solving may cost."""
    operations = click.option(
        "--limit",
        type=_Amount(),
        metavar="OPERATIONS",
        help="Give up exact solving where it takes more (some billions are a second; default: 2e11, or 2e10 where chains "
        "can take over).",
    )
    memory = click.option(
        "--memory",
        type=_Amount(),
        metavar="BYTES",
        help="... or more memory than this (default: 6e9, or 2e9); chains that would take more than this are refused "
        "(default: 8e9).",
    )
    return operations(memory(command))


LAWS = ("uniform", "hypergeometric", "dirichlet")
"""The laws that have a name, written out: to read them from `by_name` would load all that a law needs."""


def believing(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say what the intruder believes beforehand."""
    law = click.option(
        "--law",
        type=click.Choice(LAWS),
        default="uniform",
        show_default=True,
        help="What the intruder believes beforehand.",
    )
    prior = click.option(
        "--prior",
        metavar="KIND",
        help="... instead of each hidden cell: unimodal, beta-binomial:A,B (both on the interval that the exact figures "
        "leave it) or frequencies:FILE (values as frequent as among the cells of another table).",
    )
    smooth = click.option(
        "--smooth",
        type=Number(min=0, min_open=True),
        metavar="N",
        help="With --prior frequencies: add so many imaginary cells, so that no value is impossible.",
    )
    return law(prior(smooth(command)))


def believed(options: dict[str, Any]) -> Any:
    """The law that --law or --prior names."""
    from ...base.errors import InputError
    from ...fiber.laws.cell_priors.beta_binomial_prior import beta_binomial
    from ...fiber.laws.cell_priors.frequencies import frequencies_of
    from ...fiber.laws.cell_priors.unimodal_prior import unimodal
    from ...fiber.laws.priors import prior
    from ...release.facts.given_table import table
    from ...release.reading import read_release

    given, smooth = options["prior"], options["smooth"]
    kind, _, rest = (given or "").partition(":")
    if smooth is not None and kind != "frequencies":
        raise InputError("--smooth goes with --prior frequencies:FILE.")
    if given is None:
        return options["law"]
    if options["law"] != "uniform":
        raise InputError("--prior and --law: she believes the one or the other; give one.")
    if kind == "unimodal" and not rest:
        return prior(everywhere=unimodal())
    if kind == "beta-binomial":
        try:
            a, b = (float(one) for one in rest.split(","))
        except ValueError:
            raise InputError(f"--prior {given}: write it as beta-binomial:A,B, such as beta-binomial:2,5.") from None
        return prior(everywhere=beta_binomial(a=a, b=b))
    if kind == "frequencies" and rest:
        published = read_release(rest, decimals=options["decimals"], total=options["total"]).published.values
        known = published[published == published]
        if not len(known):
            raise InputError(f"--prior {given}: no cell of this table is published.")
        return prior(everywhere=frequencies_of(table(known, decimals=options["decimals"]), smooth=smooth or 0.0))
    raise InputError(f"--prior {given}: it is unimodal, beta-binomial:A,B or frequencies:FILE.")


csv = click.option("--csv", type=click.Path(path_type=Path), help="Write the full table of results here.")
html = click.option("--html", type=click.Path(path_type=Path), help="Write a report of one self-contained page here.")
top = click.option("--top", default=20, show_default=True, type=click.IntRange(min=1), help="How many cells to print.")


def failing(command: Callable[..., None]) -> Callable[..., None]:
    """The options by which a script fails where a release is not safe."""
    above = click.option(
        "--fail-above",
        type=Number(min=0),
        metavar="RISK",
        help="Exit with status 1 if a cell is riskier than this, in any reading, or if chains have not converged.",
    )
    known = click.option(
        "--fail-on-disclosure",
        is_flag=True,
        help="... or if one is known exactly, to everybody or to a respondent.",
    )
    return above(known(command))


def budget(options: dict[str, Any]) -> dict[str, Any]:
    """What --limit and --memory say, for `audit` and `count`."""
    return {name: int(options[name]) for name in ("limit", "memory") if options[name] is not None}


def about(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say what the table is about, and who looks at it."""
    kind = click.option(
        "--magnitudes/--counts", default=None, help="What the figures are (default: the decimals or contributors tell)."
    )
    near = click.option(
        "--percent",
        type=Number(min=0),
        default=10.0,
        show_default=True,
        help="How near to the truth of a magnitude a guess may not come.",
    )
    who = click.option(
        "--intruders",
        type=click.Choice(["respondents"]),
        help="Audit also as each contributor sees it who is alone in a hidden cell, has most of it, or is known to be first "
        "or second.",
    )
    return kind(near(who(command)))


def chains(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say how sampled answers are obtained."""
    options = [
        click.option(
            "--method",
            type=click.Choice(["auto", "exact", "chains"]),
            default="auto",
            show_default=True,
            help="Count every table, let Markov chains walk them, or exactly where it takes seconds and chains elsewhere.",
        ),
        click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of the chains."),
        click.option(
            "--tolerance",
            type=Number(min=0, min_open=True),
            metavar="BITS",
            default=0.02,
            show_default=True,
            help="Chains go on until three standard errors of every entropy are below this.",
        ),
        click.option("--chains", type=click.IntRange(min=1), default=4, show_default=True, help="How many there are."),
        click.option("--max-draws", type=_Amount(), metavar="N", help="Stop the chains after so many draws each."),
        click.option("--max-seconds", type=Number(min=0, min_open=True), help="Stop everything after so much time."),
        click.option("--threads", type=click.IntRange(min=1), help="Threads for the chains; the answer is the same."),
        click.option(
            "--cluster", metavar="ADDRESS", help="A Dask scheduler that runs the chains; the answer is the same."
        ),
        click.option(
            "--checkpoint",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Save the chains here now and then, and go on from it if it is there.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


ONLY_HOW = ("--threads", "--cluster", "--checkpoint")
"""Options that change how the work is done and nothing of the answer: a report leaves them out."""


@contextmanager
def run_by(options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the options about chains say, for `audit`; threads and connections are closed afterwards."""
    from ...base.errors import InputError

    given = {name: options[name] for name in ("method", "seed", "tolerance", "chains", "max_seconds", "checkpoint")}
    if options["max_draws"] is not None:
        given["max_draws"] = int(options["max_draws"])
    if options["threads"] and options["cluster"]:
        raise InputError("--threads and --cluster: the chains run here or there; give one.")
    with ExitStack() as stack:
        if options["threads"]:
            given["executor"] = stack.enter_context(ThreadPoolExecutor(options["threads"]))
        if options["cluster"]:
            given["executor"] = _of_cluster(options["cluster"], stack)
        yield given


def _of_cluster(address: str, stack: ExitStack) -> Any:
    from ...base.errors import InputError

    try:
        from distributed import Client
    except ImportError:
        raise InputError("--cluster needs Dask: pip install 'fiberwalk[cluster]'.") from None
    try:
        client = stack.enter_context(Client(address, timeout=10))
    except (OSError, ValueError) as problem:
        raise InputError(f"--cluster {address}: there is no Dask scheduler ({problem}).") from None
    return stack.enter_context(client.get_executor())


def numbers_or_norm(text: str | None) -> list[float] | str | None:
    """Numbers, or the name of another way to put terms together."""
    if text is None:
        return None
    try:
        return [float(one) for one in text.split(",")]
    except ValueError:
        return text
