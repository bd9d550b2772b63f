"""What every result has that rests on a belief about hidden cells: how it was obtained, and how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass

from ..base.certificate import Certificate
from ..posterior.belief import Belief


@dataclass(frozen=True, eq=False, repr=False)
class Believed:
    """A result that rests on a belief."""

    belief: Belief

    @property
    def method(self) -> str:
        """How the distributions were obtained: "exact", or "chains" if anything was sampled."""
        return self.belief.method

    @property
    def certificate(self) -> Certificate:
        """How far the answer can be trusted, and what is taken to be known."""
        return self.belief.certificate

    @property
    def tables(self) -> int | None:
        """The number of tables that agree with all that is known; None where they were sampled and not counted."""
        return self.belief.tables
