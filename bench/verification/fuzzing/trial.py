"""One file read: it is read well, or refused in a sentence of ours; anything else is a fault of the reader."""

from __future__ import annotations

import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

from fiberwalk.base.errors import FiberwalkError
from verification.fuzzing.kinds import Damaged, damaged

READ, REFUSED = "read", "refused"
FOREIGN, WORDY, SLOW, LARGE, DIED = "foreign error", "not one sentence", "too slow", "too much memory", "died"
LONGEST_SENTENCE = 2_000
"""Characters of an error: a file may have labels of any length, which nobody wants to read in full."""


@dataclass(frozen=True)
class Outcome:
    """How the reading of a file ended."""

    number: int
    kind: str
    file: str
    """What it was, and what was done to it."""
    ended: str
    words: str = ""
    """What the error said, or where an error came from that is not ours."""
    seconds: float = 0.0
    megabytes: float = 0.0
    """What the process grew by while it was read, at its largest."""

    @property
    def passed(self) -> bool:
        """Ended as a file may."""
        return self.ended in (READ, REFUSED)


def tried(folder: Path, seed: int, number: int, kinds: tuple[str, ...]) -> Outcome:
    """Make the file of a number, and read it."""
    return judged(damaged(folder, seed, number, kinds), number)


def judged(file: Damaged, number: int = 0) -> Outcome:
    """Read a file."""

    def ended(how: str, words: str = "") -> Outcome:
        return Outcome(number, file.kind.name, file.words, how, words)

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # numpy's and pandas' tell of something that nobody thought of
        try:
            file.kind.read(file.path)
        except FiberwalkError as refusal:
            said = str(refusal)
            plain = "\n" not in said and 0 < len(said) <= LONGEST_SENTENCE and said.isprintable()
            return ended(REFUSED if plain else WORDY, said[:300])
        except BaseException as problem:
            place = traceback.extract_tb(problem.__traceback__)
            ours = [one for one in place if "fiberwalk" in one.filename or "/release/" in one.filename] or place
            return ended(
                FOREIGN,
                f"{type(problem).__name__}: {str(problem)[:200]} ({Path(ours[-1].filename).name}:{ours[-1].lineno})",
            )
    return ended(READ)
