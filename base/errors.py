"""The ways a question can be refused, each with one sentence in the user's words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LONGEST = 1_500
"""Characters of a sentence: what it quotes of a file may be of any length."""


class FiberwalkError(Exception):
    """Base of every error that fiberwalk raises on purpose: one line, whatever stands in the file that it quotes."""

    def __str__(self) -> str:
        """The sentence, without what would end a line, move a cursor or fill a screen."""
        sentence = "".join(
            character if character.isprintable() else _escaped(character) for character in super().__str__()
        )
        return (
            sentence if len(sentence) <= LONGEST else f"{sentence[: LONGEST // 2]} ... {sentence[5 - LONGEST // 2 :]}"
        )


class InputError(FiberwalkError, ValueError):
    """What was handed in cannot be right; the sentence names the file, row or cell and what to do."""


class Contradiction(InputError):
    """No table satisfies the facts of the release; `facts` names a small set of them that clash."""

    def __init__(self, sentence: str, facts: tuple[str, ...] = ()):
        super().__init__(sentence)
        self.facts = facts


class TooLarge(FiberwalkError):
    """The fiber is too large to be solved exactly within the limit that was set."""


class TimeUp(FiberwalkError):
    """The time limit is over, and there is no result yet."""


class NumericalDoubt(FiberwalkError):
    """The solver's floating-point answer did not hold up when checked in whole numbers."""


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of an error sentence: what the user may have meant, or what there is to choose from."""
    known = list(known)
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    shown = ", ".join(repr(choice) for choice in known[:8])
    return f"known: {shown}{', ...' if len(known) > 8 else ''}"
