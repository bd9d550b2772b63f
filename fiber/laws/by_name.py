"""The laws by name: those that can be asked for in a word, and how the others are made.

A new law has one line here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.errors import InputError, did_you_mean
from .dirichlet import Dirichlet
from .hypergeometric import Hypergeometric
from .law import Law
from .uniform import Uniform

LAWS: dict[str, Callable[[], Law]] = {
    "uniform": Uniform,
    "hypergeometric": Hypergeometric,
    "dirichlet": Dirichlet,
}
MADE = {
    "fw.laws.expected(mu)": "expected_counts",
    "fw.laws.dirichlet(c)": "dirichlet",
    "fw.laws.prior([...])": "priors",
    "fw.laws.per_contributor(contributors)": "contributor_law",
}
"""The calls that make the laws which need more than a name, and the files these are in."""
CELL_PRIORS = ("beta_binomial_prior", "unimodal_prior", "log_normal_prior", "frequencies")
"""The files of the forms that an opinion on a single cell may have."""


def homes() -> list[str]:
    """The modules of all laws and of what they are made of: a saved result may hold any of these."""
    here = __package__
    by_call = [f"{here}.{home}" for home in (*MADE.values(), "unknown_law")]
    return [
        *(law.__module__ for law in LAWS.values()),
        *by_call,
        *(f"{here}.cell_priors.{home}" for home in CELL_PRIORS),
    ]


def as_law(law: Any) -> Law:
    """A law by its name or as an object."""
    if isinstance(law, str):
        if law not in LAWS:
            raise InputError(f"there is no law {law!r}; {did_you_mean(law, LAWS)}, or {', '.join(MADE)}")
        return LAWS[law]()
    if not all(hasattr(law, part) for part in ("on", "words", "name")):
        *choices, last = [*map(repr, LAWS), *MADE]
        raise InputError(f"law= must be {', '.join(choices)} or {last}; it is {law!r}.")
    chosen: Law = law
    return chosen
