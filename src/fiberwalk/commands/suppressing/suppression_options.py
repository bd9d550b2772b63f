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


INTERVALS = (
    ("below", "Every sensitive figure must be able to be so much less{of}."),
    ("above", "... so much more."),
    ("width", "... between ends so far apart."),
    ("percent", "... so many percent of the truth below and above."),
)
"""Options that say how wide an interval is wanted."""


def suppressing(command: Callable[..., None]) -> Callable[..., None]:
    """The options that only suppression has, for a command with many methods."""
    rounds = click.option(
        "--rounds", type=click.IntRange(min=0), help="Of improvement, before a pattern is kept (suppression)."
    )
    return _taking([*_asked(f" ({MECHANISM})"), rounds, *_stopped("pattern", f" ({MECHANISM})")], command)


def wishing(command: Callable[..., None]) -> Callable[..., None]:
    """All options that say what is sensitive, what is wanted of it, and what withholding costs."""
    options = [click.option(f"--{name}", metavar="NUMBER", help=words.format(of="")) for name, words in INTERVALS]
    options += [
        click.option(
            "--minimise", metavar="TEXT", help="What withholding costs (suppression): cells, counts, logs or entropy."
        ),
        click.option(
            "--secondary-zeros", is_flag=True, help="Zeros may be withheld to protect other cells (suppression)."
        ),
        click.option(
            "--margin", metavar="A,B", multiple=True,
            help="A margin whose totals are published; '' is the grand total (default: all). May be repeated.",
        ),
    ]  # fmt: skip
    return _taking([*_asked(""), *options, *_stopped("candidate", "")], command)


def _asked(of: str) -> list[Any]:
    several: tuple[tuple[str, str, str], ...] = (
        (
            "primary", "WHICH",
            f"What is sensitive{of}: a rule such as '< 3'; by contributors, 'fewer-than=3 dominance=85', "
            "'p-percent=10' or 'pq=10,50'; a cell or total, 'region=A,sex=f'; 'status', what FILE or --history marks (the "
            "default).",
        ),
        (
            "until", "'p <= 0.5'",
            f"What no intruder may believe of a sensitive figure{of}: 'p <= 0.5' (no value more probable), "
            "'bits >= 1', or 'near 10% <= 0.2'.",
        ),
        ("keep", "WHICH", "What must be published (suppression): 'totals', or a cell or total."),
        ("prefer", "WHICH", "A cell or total that is rather withheld than others (suppression)."),
        (
            "withheld", "WHICH",
            "What is withheld in any case (suppression): a cell or total, or a published FILE for all that it hides.",
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
            help=f"Do not protect cells from contributors who are alone in others{of}.",
        ),
    ]  # fmt: skip
    return options


def _stopped(what: str, of: str) -> list[Any]:
    words = f"Then the best {what} so far is taken{of}; so it is with Ctrl-C."
    return [click.option("--max-seconds", type=Number(min=0, min_open=True), help=words)]


def _taking(options: list[Any], command: Callable[..., None]) -> Callable[..., None]:
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
