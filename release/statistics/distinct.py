"""How many labels of a dim occur."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError
from ...base.saved_forms import saved
from ..facts.choice import Choice
from ..facts.fact import Fact, Meaning
from ..facts.facts import NO_LIMIT
from ..facts.groups import Group


@saved("Distinct")
@dataclass(frozen=True)
class Distinct:
    """How many labels of a dim occur."""

    number: int
    of: str

    of_nobody = True
    """Can it be said of a group in which nobody can be?"""

    def words(self, whom: str) -> str:
        """The figure in words."""
        return f"{self.number} labels of {self.of} occur in {whom}"

    def means(self, whom: Group) -> Meaning:
        """What it says of the cells."""
        labels = whom.by_label(self.of)
        if not 0 <= self.number <= len(labels):
            raise InputError(f"{self.words(whom.words)}, but there are only {len(labels)}.")
        choices = []
        for label, cells in labels.items():
            one = np.ones(len(cells), dtype=np.int64)
            matrix = sp.csr_array((one, cells, [0, len(cells)]), shape=(1, whom.told.n_cells))
            limits = np.array([[0], [1]]), np.array([[0], [NO_LIMIT]])
            choices.append(Choice(matrix, *limits, f"{label} occurs or does not"))
        return Meaning(choices=tuple(choices), second=self.number)


def distinct(figure: int, dim: str) -> Fact:
    """How many labels of a dim occur in a group.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.publish([3, 0, 4], margins=[""]).without_truth()
    >>> fw.count(r.knows({}, fw.facts.distinct(1, "A")))
    3
    """
    if isinstance(figure, bool) or not isinstance(figure, (int, np.integer)) or figure < 0:
        raise InputError(f"distinct(): {figure!r} must be a whole number of at least 0.")
    return Distinct(int(figure), str(dim))
