"""Options of suppression to an interval or a probability, beside those of other methods that it shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..shared.law_options import LAWS
from ..shared.number_types import Number

MECHANISM = "suppression"
SHARED = frozenset({
    "rule", "zeros_hidden", "percent", "below", "above", "width", "minimise", "secondary_zeros", "margin", "seed",
})  # fmt: skip
"""Options of other methods that are options of suppression, too."""
OWN = ("primary", "keep", "prefer", "withheld", "until", "laws", "outsiders_only", "rounds", "max_seconds")


def suppressing(command: Callable[..., None]) -> Callable[..., None]:
    """The options that only suppression has."""
    several: tuple[tuple[str, str, str], ...] = (
        (
            "primary", "WHICH",
            "What is sensitive (suppression): a rule such as '< 3'; 'fewer-than=3 dominance=85', by contributors; "
            "a cell or total, 'region=A,sex=f'; 'status', what FILE or --history marks (the default).",
        ),
        ("keep", "WHICH", "What must be published (suppression): 'totals', or a cell or total."),
        ("prefer", "WHICH", "A cell or total that is rather withheld than others (suppression)."),
        (
            "withheld", "WHICH",
            "What is withheld in any case (suppression): a cell or total, or a published FILE for all that it hides.",
        ),
        (
            "until", "'p <= 0.5'",
            "What no intruder may believe of a sensitive figure (suppression): 'p <= 0.5' (no value more probable), "
            "'bits >= 1', or 'near 10% <= 0.2'.",
        ),
    )  # fmt: skip
    options: list[Any] = [
        click.option(f"--{name}", metavar=kind, multiple=True, help=f"{words} May be repeated.")
        for name, kind, words in several
    ]
    options += [
        click.option(
            "--law", "laws", type=click.Choice(LAWS), multiple=True,
            help="With --until: what the intruder believes beforehand (default: uniform); if repeated, the worst counts.",
        ),
        click.option(
            "--outsiders-only", is_flag=True,
            help="Do not protect cells from contributors who are alone in others (suppression).",
        ),
        click.option("--rounds", type=click.IntRange(min=0), help="Of improvement, before a pattern is kept (suppression)."),
        click.option(
            "--max-seconds", type=Number(min=0, min_open=True),
            help="Then the best pattern so far is taken (suppression); so does Ctrl-C.",
        ),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def refuse_for_others(options: dict[str, Any], name: str) -> None:
    """Refuse options that only suppression has, where another method is asked for."""
    from ...base.errors import InputError

    for own in OWN:
        if options[own] not in (None, (), False):
            option = "law" if own == "laws" else own.replace("_", "-")
            raise InputError(
                f"--{option} goes with --mechanism {MECHANISM}, not with --mechanism {name.replace('_', '-')}."
            )
