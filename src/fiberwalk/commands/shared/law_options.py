"""Options that say what the intruder believes beforehand, and the law or prior that they name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from .number_types import Number

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
        help="Instead of --law, a prior for each hidden cell: unimodal, beta-binomial:A,B (both on the interval that the "
        "exact figures leave it) or frequencies:FILE (values as frequent as among the cells of another table).",
    )
    smooth = click.option(
        "--smooth",
        type=Number(min=0, min_open=True),
        metavar="N",
        help="With --prior frequencies: add so many imaginary cells (pseudo-counts), so that no value is impossible.",
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

    text, smooth = options["prior"], options["smooth"]
    kind, _, details = (text or "").partition(":")
    if smooth is not None and kind != "frequencies":
        raise InputError("--smooth goes with --prior frequencies:FILE.")
    if text is None:
        return options["law"]
    if options["law"] != "uniform":
        raise InputError("--prior and --law: the intruder believes the one or the other; give one.")
    if kind == "unimodal" and not details:
        return prior(everywhere=unimodal())
    if kind == "beta-binomial":
        try:
            a, b = (float(number) for number in details.split(","))
        except ValueError:
            raise InputError(f"--prior {text}: write it as beta-binomial:A,B, such as beta-binomial:2,5.") from None
        if not (a > 0 and b > 0):
            raise InputError(f"--prior {text}: A and B are numbers above 0, such as beta-binomial:2,5.")
        return prior(everywhere=beta_binomial(a=a, b=b))
    if kind == "frequencies" and details:
        published = read_release(details, decimals=options["decimals"], total=options["total"]).published.values
        known = published[published == published]
        if not len(known):
            raise InputError(f"--prior {text}: no cell of this table is published.")
        return prior(everywhere=frequencies_of(table(known, decimals=options["decimals"]), smooth=smooth or 0.0))
    raise InputError(f"--prior {text}: it is unimodal, beta-binomial:A,B or frequencies:FILE.")
