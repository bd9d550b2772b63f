"""Options that say what is asked of a release: of which sums, of which kind of figures, in whose eyes."""

from __future__ import annotations

from collections.abc import Callable

import click

from .number_types import Number

margins = click.option(
    "--hidden-margin",
    "hidden_margins",
    metavar="A,B",
    multiple=True,
    help="An unpublished margin to ask about too; '' is the grand total. May be repeated.",
)


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
        help="Of magnitudes: a guess within so many percent of the true value counts as disclosure.",
    )
    who = click.option(
        "--intruders",
        type=click.Choice(["respondents"]),
        help="Audit also as each contributor sees it who is alone in a hidden cell, has most of it, or is known to be first "
        "or second.",
    )
    return kind(near(who(command)))
