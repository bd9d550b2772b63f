"""The laws by name: those that can be asked for in a word, and how the others are made.

A new law has one line here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.errors import InputError, did_you_mean
from .hypergeometric import Hypergeometric
from .law import Law
from .uniform import Uniform

LAWS: dict[str, Callable[[], Law]] = {
    "uniform": Uniform,
    "hypergeometric": Hypergeometric,
}
MADE = (
    "fw.expected(mu)",
    "fw.prior([...])",
    "fw.per_contributor(contributors)",
)
"""The calls that make the laws which need more than a name."""


def as_law(law: Any) -> Law:
    """A law by its name or as an object."""
    if isinstance(law, str):
        if law not in LAWS:
            raise InputError(f"there is no law {law!r}; {did_you_mean(law, LAWS)}, or {', '.join(MADE)}")
        return LAWS[law]()
    if not all(hasattr(law, part) for part in ("on", "words", "name")):
        *some, last = [*map(repr, LAWS), *MADE]
        raise InputError(f"law= must be {', '.join(some)} or {last}; it is {law!r}.")
    chosen: Law = law
    return chosen
