"""JJ files, which tau-ARGUS and sdcTable exchange: cells by number, and the relations between them.

0
number of cells
id value cost status lb ub lpl upl spl        one line per cell; lb and ub are what everybody knows of it
number of relations
rhs k : id (coefficient) id (coefficient) ...  one line per relation, rhs = sum of coefficient * cell
"""

from __future__ import annotations

import os
import re
from collections.abc import Container
from dataclasses import replace

import numpy as np

from ...base.errors import InputError
from ...base.numbers import LARGEST, check_decimals, scaled, written
from ...base.text_files import read_text, written_whole
from ..facts.facts import NO_LIMIT, PRIMARY, PUBLISHED, Protection
from ..facts.statuses import EMPTY, read_status
from .format import FilePath, Format
from .numbered_table import NumberedCell, NumberedRelation, NumberedTable, as_publication, total_of
from .publication import Publication
from .reading_options import ReadingOptions

_TERM = re.compile(r"(\d+)\s*\(\s*([+-]?\d+)\s*\)")


def reads(path: FilePath) -> bool:
    """A JJ file begins with a 0 on a line of its own, then the number of cells."""
    if os.fspath(path).lower().endswith(".jj"):
        return True
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline(20).strip() == "0" and file.readline(20).strip().isdigit()
    except OSError:
        return False


def read(path: FilePath, options: ReadingOptions) -> Publication:
    """Read a JJ file; it says itself what a missing cell or a total is."""
    name = os.fspath(path)
    publication = as_publication(_parsed(name, options.decimals), name)
    return replace(publication, slack=scaled(options.slack, options.decimals, "slack="))


class _Lines:
    """The lines of a file that say something, one after the other."""

    def __init__(self, name: str) -> None:
        self.name = name
        text = read_text(name)
        self._rest = iter([(i, line.strip()) for i, line in enumerate(text.splitlines(), start=1) if line.strip()])

    def next(self, what: str) -> tuple[str, str]:
        """The next line and where it is; `what` it should be about."""
        try:
            number, line = next(self._rest)
        except StopIteration:
            raise InputError(f"{self.name}: the file ends before {what}; was it cut short?") from None
        return line, f"line {number}"

    def whole(self, what: str) -> int:
        """The next line, which is one whole number."""
        line, where = self.next(what)
        if not re.fullmatch("[0-9]{1,12}", line):
            raise InputError(f"{self.name}, {where}: {line[:40]!r} where {what} must be.")
        return int(line)

    def refuse_more(self, after: str) -> None:
        """There must be no further line."""
        for number, _ in self._rest:
            raise InputError(f"{self.name}, line {number}: there is more after {after}.")


def _parsed(name: str, decimals: int) -> NumberedTable:
    lines = _Lines(name)
    if lines.whole("the leading 0") != 0:
        raise InputError(f"{name}: a JJ file begins with a line that says 0.")
    n_cells = lines.whole("the number of cells")
    if n_cells == 0:
        raise InputError(f"{name}: the file has no cells.")
    cells: dict[str, NumberedCell] = {}
    for k in range(n_cells):
        line, where = lines.next(f"cell {k + 1} of {n_cells}")
        cell = _cell(name, line, where, cells, decimals)
        cells[cell.id] = cell
    n_relations = lines.whole("the number of relations")
    relations = []
    for k in range(n_relations):
        line, where = lines.next(f"relation {k + 1} of {n_relations}")
        relations.append(_relation(name, line, where, cells, decimals))
    lines.refuse_more(f"the {n_relations} relations that were announced")
    return NumberedTable(list(cells.values()), relations, decimals)


def _cell(name: str, line: str, where: str, before: Container[str], decimals: int) -> NumberedCell:
    parts = line.split()
    if len(parts) != 9:
        raise InputError(
            f"{name}, {where}: {len(parts)} entries where a cell has nine (id value cost status lb ub lpl upl spl)."
        )
    if parts[0] in before:
        raise InputError(f"{name}, {where}: cell {parts[0]} is given twice.")
    value, low, high, below, above, width = (
        _outward(parts[i], decimals, f"{name}, {where}", i) for i in (1, 4, 5, 6, 7, 8)
    )
    status = read_status(parts[3], True, f"{name}, {where}")
    if status == EMPTY and value:
        raise InputError(f"{name}, {where}: status {parts[3]} means an empty cell, but its value is {parts[1]}.")
    known = PUBLISHED if status == EMPTY else status
    return NumberedCell(parts[0], value, known, low, high, Protection(below, above, width), where)


def _relation(name: str, line: str, where: str, cells: Container[str], decimals: int) -> NumberedRelation:
    head, _, tail = line.partition(":")
    terms = _TERM.findall(tail)
    counts = head.split()
    whole_line = re.fullmatch(rf"\s*(?:{_TERM.pattern}\s*)*", tail)
    if len(counts) != 2 or counts[1] != str(len(terms)) or not whole_line:
        raise InputError(f"{name}, {where}: a relation reads 'rhs k : id (coef) ...' with k terms; was it cut short?")
    row: dict[str, int] = {}
    for cell, coefficient in terms:
        if cell not in cells:
            raise InputError(f"{name}, {where}: the relation names cell {cell}, which the file does not have.")
        row[cell] = row.get(cell, 0) + scaled(coefficient, 0, f"{name}, {where}")
    side = scaled(counts[0], decimals, f"{name}, {where}")
    return NumberedRelation(side, row, total_of(side, row), where)


def _outward(text: str, decimals: int, where: str, column: int) -> int:
    """A number of a cell line; a bound (lb, ub) may be huge, which is no limit, or finer than the unit of the cells."""
    if column not in (4, 5):
        return scaled(text, decimals, where)
    try:
        big = float(text) * 10.0 ** check_decimals(decimals)
    except ValueError:
        raise InputError(f"{where}: {text!r} is not a number.") from None
    if np.isnan(big):
        raise InputError(f"{where}: {text!r} where a number must be.")
    if not np.isfinite(big) or abs(big) >= 2**53:
        return NO_LIMIT if big > 0 else -NO_LIMIT
    return int(np.floor(big + 1e-6)) if column == 5 else int(np.ceil(big - 1e-6))


def write(table: NumberedTable, path: FilePath) -> None:
    """Write cells and relations, one line each."""

    def shown(value: int) -> str:
        return written(value, table.decimals)

    cells, relations = [], []
    for cell in table.cells:
        flag = {PUBLISHED: "s", PRIMARY: "u"}.get(cell.status, "m")
        # the format has no word for "unlimited": a number beyond all that are held exactly says it
        limits = f"{shown(cell.lower)} {shown(cell.upper) if cell.upper < NO_LIMIT else LARGEST}"
        level = cell.protection
        levels = " ".join(shown(amount) for amount in (level.below, level.above, level.width))
        cells.append(f"{cell.id} {shown(cell.value)} 1 {flag} {limits} {levels}")
    for relation in table.relations:
        terms = " ".join(f"{number} ({coefficient})" for number, coefficient in relation.terms.items())
        side = "0" if relation.total is not None else shown(relation.side)
        relations.append(f"{side} {len(relation.terms)} : {terms}")
    text = "\n".join(["0", str(len(cells)), *cells, str(len(relations)), *relations]) + "\n"
    with written_whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


JJ = Format("a JJ file", reads, read, has_columns=False, endings=(".jj",), write_own=write)
