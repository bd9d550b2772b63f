"""What the questions of a unit are called, in the user's words."""

from __future__ import annotations

from dataclasses import dataclass

from ...release.release import Release
from .unit import Unit


@dataclass(frozen=True, eq=False)
class QuestionNames:
    """The labels of a unit's questions, made up only when one is asked for."""

    release: Release
    unit: Unit

    def __getitem__(self, question: int, /) -> str:
        """The name of a question."""
        if question >= len(self.unit.columns):
            return "a sum that was asked for"
        column = int(self.unit.columns[question])
        if column < 0:
            return self.unit.further[question - len(self.unit.columns)]
        return self.release.words(self.release.keys[column]) if column < self.release.n_cells else "a published sum"
