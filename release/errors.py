"""The ways a question can be refused, each with one sentence in the user's words."""

from __future__ import annotations


class FiberwalkError(Exception):
    """Base of every error that fiberwalk raises on purpose."""


class InputError(FiberwalkError, ValueError):
    """What was handed in cannot be right; the sentence names the file, row or cell and what to do."""


class Contradiction(InputError):
    """No table satisfies the facts of the release; `facts` names a small set of them that clash."""

    def __init__(self, sentence: str, facts: tuple[str, ...] = ()):
        super().__init__(sentence)
        self.facts = facts


class TooLarge(FiberwalkError):
    """The fiber is too large to be solved exactly within the limit that was set."""


class NumericalDoubt(FiberwalkError):
    """The solver's floating-point answer did not hold up when checked in whole numbers."""
