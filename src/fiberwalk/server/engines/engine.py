"""What an engine does for a server: it counts records in groups and adds up their keys. All else is done here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...base.errors import InputError


@dataclass(frozen=True)
class KeyFacts:
    """What is to be known of the record keys before they are added up, of both halves in turn."""

    records: int
    missing: tuple[int, int]
    """Records without a number."""
    smallest: tuple[float, float]
    largest: tuple[float, float]
    whole: tuple[bool, bool]
    """Does the column hold whole numbers only?"""


class Engine(ABC):
    """Microdata, one row a person, that somebody else counts.

    An engine gives values, counts and sums, as Arrow arrays. It tells texts apart as they are written (no collation that
    takes "a" for "A"). Sums of keys are those of 64-bit integers; one that is too large for these may be what is left of it
    modulo 2^64, or be refused. What an engine says when it fails is not repeated: it may quote values of records.
    """

    @property
    @abstractmethod
    def words(self) -> str:
        """What is counted, for messages."""

    @property
    @abstractmethod
    def columns(self) -> Sequence[str]:
        """The names of all columns, in order."""

    @abstractmethod
    def values(self, column: str, most: int) -> Any:
        """The distinct values of a column in any order, or so many of them, as an Arrow array; null where one is missing."""

    @abstractmethod
    def key_facts(self, keys: Sequence[str]) -> KeyFacts:
        """What the two columns of halves of record keys hold."""

    @abstractmethod
    def distinct_keys(self, keys: Sequence[str]) -> int:
        """How many keys there are, once it is known that their halves are whole numbers below 2^32."""

    @abstractmethod
    def groups(self, columns: Sequence[str], keys: Sequence[str], most: int) -> Iterable[Any]:
        """Batches of Arrow with a row for each combination of values that there is, in any order, or of so many of them.

        Its columns are those that are asked for, in turn, the number of records, and the sum of each of the columns of keys.
        """


@contextmanager
def in_our_words(words: str) -> Iterator[None]:
    """An error of somebody else's program in one sentence, which says of what kind it is and nothing that it says."""
    try:
        yield
    except InputError as problem:
        raise problem if str(problem).startswith(words) else InputError(f"{words}: {problem}") from None
    except ImportError as problem:
        raise InputError(f"{words}: the package {problem.name} is not there, or not whole.") from None
    except Exception as problem:
        kind = type(problem).__name__
        too_large = "; it needs more memory than it was given (memory=)" if "OutOfMemory" in kind else ""
        raise InputError(f"{words}: it cannot be counted ({kind}){too_large}.") from None
