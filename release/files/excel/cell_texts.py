"""What a cell of a crosstab says, written and read: a figure, one that is withheld, a range, or one perturbed at random."""

from __future__ import annotations

import re

from ..long_columns import NO_FIGURE

WITHHELD, PRIMARY_MARK, ABOUT = "×", "××", "~"
"""Marks of a figure that is withheld, of one that a rule calls sensitive, and before one that a random method changed."""
OTHER_MARKS = frozenset({*NO_FIGURE, "✕", "c", "[c]", "(c)", "(x)", "."} - {"", "-"})
"""How others mark a figure that is withheld, in small letters."""
_RANGE = re.compile(r"(\S+) to (\S+)|at least (\S+)|at most (\S+)")
_WITH_RANGE = re.compile(r"(\S+) \(([^()]+)\)")
Said = tuple[str, str, str, str]
"""Figure, status, lower and upper end, as a long file has them."""


def shown(said: Said) -> str:
    """The text of a cell."""
    value, status, lower, upper = said
    mark = {"x": WITHHELD, "u": PRIMARY_MARK}.get(status)
    known = mark or (f"{ABOUT}{value}" if status == "p" else value)
    limits = ""
    if lower or upper:
        limits = f"{lower} to {upper}" if lower and upper else f"at least {lower}" if lower else f"at most {upper}"
    return f"{known} ({limits})" if known and limits else known or limits


def said(text: str) -> Said:
    """What a text says; one that says none of this is taken for a figure, and refused where figures are read."""
    with_range = _WITH_RANGE.fullmatch(text)
    if with_range and _RANGE.fullmatch(with_range[2]):
        value, status, _, _ = said(with_range[1])
        return value, status, *_limits(with_range[2])
    if _RANGE.fullmatch(text):
        return "", "s", *_limits(text)
    if text in (WITHHELD, PRIMARY_MARK):
        return "", "u" if text == PRIMARY_MARK else "x", "", ""
    if text.lower() in OTHER_MARKS:
        return "", "x", "", ""
    if text.startswith(ABOUT):
        return text.removeprefix(ABOUT).strip(), "p", "", ""
    return text, "", "", ""


def _limits(text: str) -> tuple[str, str]:
    found = _RANGE.fullmatch(text)
    assert found is not None
    low, high, least, most = found.groups(default="")
    return low or least, high or most


def says_something(text: str) -> bool:
    """Is a text a figure, a mark or a range, and no label?"""
    value, status, _, _ = said(text)
    return bool(status) or bool(re.fullmatch(r"[+-]?[0-9.,]+([eE][+-]?[0-9]+)?|-", value))
