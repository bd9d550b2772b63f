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
    return replace(publication, tolerance=scaled(options.tolerance, options.decimals, "tolerance="))


def _parsed(name: str, decimals: int) -> NumberedTable:
    lines = [(i, line.strip()) for i, line in enumerate(read_text(name).splitlines(), start=1) if line.strip()]
    reader = iter(lines)

    def next_line(what: str) -> tuple[int, str]:
        try:
            return next(reader)
        except StopIteration:
            raise InputError(f"{name}: the file ends before {what}; was it cut short?") from None

    def whole(what: str) -> int:
        number, line = next_line(what)
        if not re.fullmatch("[0-9]{1,12}", line):
            raise InputError(f"{name}, line {number}: {line[:40]!r} where {what} must be.")
        return int(line)

    if whole("the leading 0") != 0:
        raise InputError(f"{name}: a JJ file begins with a line that says 0.")
    cells = []
    n_cells = whole("the number of cells")
    if n_cells == 0:
        raise InputError(f"{name}: the file has no cells.")
    seen: set[str] = set()
    for k in range(n_cells):
        number, line = next_line(f"cell {k + 1} of {n_cells}")
        parts = line.split()
        where = f"line {number}"
        if len(parts) != 9:
            raise InputError(
                f"{name}, {where}: {len(parts)} entries where a cell has nine (id value cost status lb ub lpl upl spl)."
            )
        if parts[0] in seen:
            raise InputError(f"{name}, {where}: cell {parts[0]} is given twice.")
        seen.add(parts[0])
        value, low, high, below, above, width = (
            _outward(parts[i], decimals, f"{name}, {where}", i) for i in (1, 4, 5, 6, 7, 8)
        )
        status = read_status(parts[3], True, f"{name}, {where}")
        if status == EMPTY and value:
            raise InputError(f"{name}, {where}: status {parts[3]} means an empty cell, but its value is {parts[1]}.")
        known = PUBLISHED if status == EMPTY else status
        cells.append(NumberedCell(parts[0], value, known, low, high, Protection(below, above, width), where))
    relations = []
    n_relations = whole("the number of relations")
    for k in range(n_relations):
        number, line = next_line(f"relation {k + 1} of {n_relations}")
        head, _, tail = line.partition(":")
        terms = _TERM.findall(tail)
        counts = head.split()
        whole_line = re.fullmatch(rf"\s*(?:{_TERM.pattern}\s*)*", tail)
        if len(counts) != 2 or counts[1] != str(len(terms)) or not whole_line:
            raise InputError(
                f"{name}, line {number}: a relation reads 'rhs k : id (coef) ...' with k terms; was it cut short?"
            )
        row: dict[str, int] = {}
        for one, a in terms:
            if one not in seen:
                raise InputError(f"{name}, line {number}: the relation names cell {one}, which the file does not have.")
            row[one] = row.get(one, 0) + scaled(a, 0, f"{name}, line {number}")
        side = scaled(counts[0], decimals, f"{name}, line {number}")
        relations.append(NumberedRelation(side, row, total_of(side, row), f"line {number}"))
    rest = next(reader, None)
    if rest is not None:
        raise InputError(
            f"{name}, line {rest[0]}: there is more after the {n_relations} relations that were announced."
        )
    return NumberedTable(cells, relations, decimals)


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
        return NO_LIMIT if big > 0 else 0
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
