"""The status codes of the tools in use, read as one: published, primary, secondary (hidden) or empty.

sdcTable writes s, z, u, x, w; JJ files s, z, u, m; tau-ARGUS numbers. Ours besides: p, a figure perturbed at random.
"""

from __future__ import annotations

from ...base.errors import InputError
from .facts import HIDDEN, PRIMARY, PUBLISHED

EMPTY = 100
"""An empty cell: published as zero, with or without a figure."""
RANDOM = 101
"""A figure that a random method made of the true one."""

_CODES = {
    "s": PUBLISHED,
    "z": PUBLISHED,
    "u": PRIMARY,
    "x": HIDDEN,
    "m": HIDDEN,
    "w": HIDDEN,
    "p": RANDOM,
    "1": PUBLISHED,
    "2": PUBLISHED,
    **{str(code): PRIMARY for code in range(3, 10)},
    "10": PUBLISHED,
    "11": HIDDEN,
    "12": HIDDEN,
    "13": EMPTY,
    "14": EMPTY,
}


def read_status(code: str, has_value: bool, where: str) -> int:
    """The meaning of a status code; without one a cell is published if it has a figure."""
    shown = code.strip().lower()
    if shown.endswith(".0"):
        shown = shown[:-2]
    if shown in ("", "nan", "na", "none"):
        return PUBLISHED if has_value else HIDDEN
    if shown not in _CODES:
        raise InputError(
            f"{where}: the status {code!r} is unknown; known are s, z (published), u (primary), x, m, w (secondary), "
            "p (perturbed at random), and tau-ARGUS' numbers 1 to 14."
        )
    return _CODES[shown]
