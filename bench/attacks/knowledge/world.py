"""What an attacker knows before the first request: the dims, the code, the rules, the method, and not the secret."""

from __future__ import annotations

from dataclasses import dataclass

from fiberwalk.server.rules import ServerRules

from .laws import Law
from .population import Frame

OF_PEOPLE, OF_TABLES, OF_REQUESTS = "people", "tables", "requests"


@dataclass(frozen=True, eq=False)
class World:
    """Public knowledge."""

    frame: Frame
    law: Law
    rules: ServerRules
    people: int
    """About how many there are."""
    draws: str = OF_PEOPLE
    """What a random number belongs to, by the code: the people in a cell, those in all cells of a table, or a request."""
    empties_redrawn: bool = False
    """Does it change the same empty group by its labels, so that another form of a request brings another draw?"""
    refusals_see_truth: bool = False
    """Do refusals depend on true counts?"""
    sums_of: int | None = None
    """Requests about so many dims at most are answered by sums of other figures (`round_lattice`), without a draw."""

    @property
    def consistent(self) -> bool:
        """Are the same people published alike in every request? (Where nobody is, see `empties_redrawn`.)"""
        return self.draws == OF_PEOPLE
