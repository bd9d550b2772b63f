"""That a figure is withheld says how few are behind it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base.errors import InputError
from ...base.numbers import check_whole
from ...base.saved_forms import saved
from ..facts.fact import Fact, Meaning, Row
from ..facts.groups import Group


@saved("Withheld")
@dataclass(frozen=True)
class Withheld:
    """A figure is withheld because fewer than so many are behind it."""

    fewer_than: int
    zeros_hidden: bool

    of_nobody = True
    """Can it be said of a group in which nobody can be?"""

    def words(self, whom: str) -> str:
        """The figure in words."""
        nobody = "nobody, or " if self.zeros_hidden else ""
        return f"a figure on {whom} is withheld, since {nobody}fewer than {self.fewer_than} are behind it"

    def means(self, whom: Group) -> Meaning:
        """What it says of the cells."""
        if whom.told.decimals:
            raise InputError(
                f"{self.words(whom.words)}: that is about how many there are, and this is a table of amounts."
            )
        least = 0 if self.zeros_hidden else 1
        return Meaning((Row(whom.cells, np.ones(len(whom.cells), dtype=np.int64), least, self.fewer_than - 1),))


def withheld(*, fewer_than: int, zeros_hidden: bool = False) -> Fact:
    """A figure about a group is withheld because fewer than so many are behind it; somebody is, unless zeros are hidden too.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.publish([3, 4], margins=[""]).without_truth()
    >>> fw.bounds(r.knows({"A": "1"}, fw.facts.withheld(fewer_than=5)))["upper"].tolist()
    [4, 6]
    """
    check_whole(fewer_than=fewer_than)
    if fewer_than == 1 and not zeros_hidden:
        raise InputError("withheld(): fewer than 1 is nobody; say zeros_hidden=True where that is withheld, too.")
    return Withheld(int(fewer_than), zeros_hidden)
