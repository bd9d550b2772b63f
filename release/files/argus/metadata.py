"""What a .rda file of tau-ARGUS says of a table: its separator, and of each column what it is.

A line without brackets names a variable, in the order of the columns; the lines after it, each with a keyword in brackets,
say what it is: RECODEABLE (a dim, with TOTCODE, HIERCODELIST, HIERLEADSTRING or HIERLEVELS), NUMERIC (a figure, with
DECIMALS), FREQUENCY, MAXSCORE (the largest contribution, then the second largest), STATUS, and NUMERIC with a second
keyword for costs, shadows and protection levels.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....base.errors import InputError
from ....base.text_files import read_text
from ...tables.dims import TOTAL
from ..format import FilePath

DIM, VALUE, CONTRIBUTORS, LARGEST, SECOND, STATUS, BELOW, ABOVE, OTHER = (
    "dim", "value", "contributors", "largest", "second", "status", "below", "above", "other"
)  # fmt: skip
_KINDS = {
    "RECODEABLE": DIM, "RECODABLE": DIM, "NUMERIC": VALUE, "FREQUENCY": CONTRIBUTORS, "MAXSCORE": LARGEST,
    "STATUS": STATUS, "SHADOW": OTHER, "COST": OTHER, "COSTVAR": OTHER, "LOWERPL": BELOW, "UPPERPL": ABOVE,
}  # fmt: skip
_SAYS_NOTHING_HERE = ("DISTANCE", "CODELIST", "HIERARCHICAL", "TRUNCABLE")
_OF_MICRODATA = ("WEIGHT", "HOLDING", "REQUEST", "RECORDKEY", "SPSS")
_WORD = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True)
class Variable:
    """A column of a table."""

    name: str
    kind: str = OTHER
    total: str = TOTAL
    hierarchy: str | None = None
    """The name of a file."""
    lead: str = "@"
    widths: tuple[int, ...] = ()
    """How many characters of a label each level of its hierarchy has, where that is how labels say it."""
    decimals: int = 0


@dataclass(frozen=True)
class Metadata:
    """What is known of a table's columns, and what its statuses are called."""

    source: str
    variables: Sequence[Variable]
    separator: str = ";"
    safe: str = "S"
    unsafe: str = "U"
    protect: str = "P"

    def of_kind(self, kind: str) -> list[Variable]:
        """The variables of a kind, in their order."""
        return [one for one in self.variables if one.kind == kind]

    def named(self, name: str) -> Variable | None:
        """The variable of a name."""
        return next((one for one in self.variables if one.name == name), None)


def metadata_beside(path: FilePath) -> str | None:
    """The .rda file that belongs to a table, if there is one: text with keywords, not data of R, called so, too."""
    stem = os.path.splitext(os.fspath(path))[0]
    for ending in (".rda", ".RDA", ".Rda"):
        if os.path.isfile(stem + ending):
            try:
                with open(stem + ending, "rb") as file:
                    begin = file.read(4096)
            except OSError:
                return stem + ending
            return stem + ending if b"<" in begin and b"\x00" not in begin else None
    return None


def read_metadata(path: FilePath) -> Metadata:
    """Read a .rda file about a table."""
    found = Metadata(os.fspath(path), [])
    variables: list[Variable] = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        words = [quoted or plain for quoted, plain in _WORD.findall(line)]
        if not words:
            continue
        where = f"{found.source}, line {number}"
        if not line.lstrip().startswith("<"):
            variables.append(Variable(words[0].strip()))
            continue
        keyword, said = words[0].strip("<>").upper(), words[1:]
        if keyword in ("SEPARATOR", "SAFE", "UNSAFE", "PROTECT"):
            found = _called(found, keyword, _one(said, keyword, where))
        elif not variables:
            raise InputError(f"{where}: <{keyword}> stands before the name of a variable.")
        else:
            variables[-1] = _with(variables[-1], keyword, said, where)
    if len(found.separator) != 1:
        raise InputError(f"{found.source}: the separator {found.separator!r} is not one character.")
    return _checked(replace(found, variables=_ranked(variables)))


def _ranked(variables: Sequence[Variable]) -> list[Variable]:
    """The variables, with contributions as they rank: the first <MAXSCORE> is the largest, the next the second largest."""
    ranks = iter((LARGEST, SECOND))
    return [replace(one, kind=next(ranks, OTHER)) if one.kind == LARGEST else one for one in variables]


def _called(metadata: Metadata, keyword: str, word: str) -> Metadata:
    """The metadata with a separator, or what a status is called."""
    if keyword == "SEPARATOR":
        return replace(metadata, separator=word)
    if keyword == "SAFE":
        return replace(metadata, safe=word)
    return replace(metadata, unsafe=word) if keyword == "UNSAFE" else replace(metadata, protect=word)


def _one(said: Sequence[str], keyword: str, where: str) -> str:
    if not said:
        raise InputError(f"{where}: <{keyword}> says nothing; was the line cut short?")
    return said[0]


def _with(variable: Variable, keyword: str, said: Sequence[str], where: str) -> Variable:
    """A variable and one line more about it."""
    if keyword in _OF_MICRODATA:
        raise InputError(f"{where}: <{keyword}> is about microdata, and a table has none; count the records first.")
    if keyword == "TOTCODE":
        return replace(variable, total=said[0].strip() if said else "")
    if keyword == "HIERCODELIST":
        return replace(variable, hierarchy=_one(said, keyword, where))
    if keyword == "HIERLEADSTRING":
        return replace(variable, lead=_one(said, keyword, where))
    if keyword == "HIERLEVELS":
        return replace(variable, widths=tuple(_whole(word, keyword, where) for word in said))
    if keyword == "DECIMALS":
        return replace(variable, decimals=_whole(_one(said, keyword, where), keyword, where))
    if keyword in _SAYS_NOTHING_HERE:
        return variable
    kind = _KINDS.get(keyword)
    further = _KINDS.get(said[0].strip("<>").upper()) if kind == VALUE and said else kind
    if kind is None or further is None:
        raise InputError(f"{where}: the keyword {' '.join([f'<{keyword}>', *said])[:60]!r} is unknown.")
    return replace(variable, kind=further)


def _whole(word: str, keyword: str, where: str) -> int:
    if not re.fullmatch("[0-9]{1,2}", word):
        raise InputError(f"{where}: <{keyword}> says {word[:40]!r} where a number must be.")
    return int(word)


def _checked(metadata: Metadata) -> Metadata:
    """The metadata, if they are about a table."""
    names = [one.name for one in metadata.variables]
    for name in names:
        if not name or names.count(name) > 1:
            raise InputError(
                f"{metadata.source}: " + (f"two variables are called {name!r}." if name else "a variable has no name.")
            )
    if not metadata.of_kind(DIM):
        raise InputError(f"{metadata.source}: no variable is a dim (<RECODEABLE>); is this about a table?")
    return metadata
