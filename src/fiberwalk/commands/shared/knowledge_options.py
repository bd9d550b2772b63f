"""The option that says what an intruder knows besides the publication, and the release as she reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ...release.release import Release

_WRITTEN = re.compile(r"\s*(?P<group>.*?)\s*(?P<sign>>=|<=|==|=)\s*(?P<amount>[-+]?[0-9][0-9_.eE+-]*)\s*", re.DOTALL)
_MEANS = {">=": "at_least", "<=": "at_most", "=": "exactly", "==": "exactly"}
_TOTAL = "total"
_CALL = re.compile(r"^knows\(.*?\): ")
"""How sentences about what is known begin in Python."""

knowing = click.option(
    "--knows",
    metavar="'A=1,B=2 >= 3'",
    multiple=True,
    help="What the intruder knows besides: of a cell, or of a total (dims that are left out are summed over; A=1|2 are "
    "several labels), the least (>=), the most (<=) or the value (=). May be repeated.",
)


def with_knowledge_of(release: Release, texts: tuple[str, ...]) -> Release:
    """The release as it is read by somebody who knows more."""
    from ...base.errors import InputError

    for text in texts:
        group, sign, amount = _parsed(text)
        try:
            release = release.knows(group, **{_MEANS[sign]: amount})
        except InputError as problem:
            raise InputError(f"--knows {text!r}: {_CALL.sub('', str(problem))}") from None
    return release


def _parsed(text: str) -> tuple[dict[str, str | list[str]], str, float]:
    """Whom a text is about, how it compares, and with which number."""
    from ...base.errors import InputError

    match = _WRITTEN.fullmatch(text)
    told = match["group"].split(",") if match is not None else []
    if told and told[0].strip().lower() in ("", _TOTAL) and len(told) == 1:
        told = []  # of everybody
    elif match is None or not all("=" in part for part in told):
        raise InputError(f"--knows {text!r}: write it as 'DIM=LABEL,DIM=LABEL >= NUMBER', or with <= or =.")
    group: dict[str, str | list[str]] = {}
    for part in told:
        dim, _, label = part.partition("=")
        labels = [one.strip() for one in label.split("|")]
        if dim.strip() in group:
            raise InputError(f"--knows {text!r}: it names {dim.strip()!r} twice; several labels are joined by |.")
        group[dim.strip()] = labels[0] if len(labels) == 1 else labels
    assert match is not None
    try:
        amount = float(match["amount"])
    except ValueError:
        raise InputError(f"--knows {text!r}: {match['amount']!r} is not a number.") from None
    return group, match["sign"], int(amount) if amount.is_integer() else amount
