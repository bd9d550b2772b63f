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
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError
from ...base.numbers import LARGEST, check_decimals, scaled
from ...base.text_files import read_text, written_whole
from ..facts.facts import NO_LIMIT, PUBLISHED, Protection
from ..facts.statuses import EMPTY, read_status
from ..figures import Figure, from_figures
from ..release import Release
from ..tables.dims import Dim

_TERM = re.compile(r"(\d+)\s*\(\s*([+-]?\d+)\s*\)")


@dataclass(frozen=True)
class _Cell:
    id: str
    value: int
    status: int
    lower: int
    upper: int
    below: int
    above: int
    width: int
    where: str


def looks_like_jj(path: str | os.PathLike[str]) -> bool:
    """A JJ file begins with a 0 on a line of its own, then the number of cells."""
    if os.fspath(path).lower().endswith(".jj"):
        return True
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline(20).strip() == "0" and file.readline(20).strip().isdigit()
    except OSError:
        return False


def read_jj(path: str | os.PathLike[str], *, decimals: int, tolerance: float = 0) -> Release:
    """Read a JJ file: cells that a relation calls a total (coefficient -1) are sums, the others are finest cells."""
    name = os.fspath(path)
    cells, relations = _parse(name, decimals)
    totals: dict[str, list[str]] = {}
    for _, rhs, terms in relations:
        negative = [one for one, a in terms.items() if a == -1]
        if rhs == 0 and len(negative) == 1 and all(a == 1 for one, a in terms.items() if one != negative[0]):
            totals.setdefault(negative[0], [one for one in terms if one != negative[0]])
    finest = [cell.id for cell in cells if cell.id not in totals]
    position = {one: i for i, one in enumerate(finest)}
    made_of: dict[str, tuple[int, ...]] = {one: (i,) for one, i in position.items()}

    def resolve(one: str, path_down: tuple[str, ...] = ()) -> tuple[int, ...]:
        if one in path_down:
            raise InputError(f"{name}: cell {one} is a total of itself, through {', '.join(path_down)}.")
        if one not in made_of:
            parts = [leaf for part in totals[one] for leaf in resolve(part, (*path_down, one))]
            if len(set(parts)) < len(parts):
                twice = next(leaf for leaf in parts if parts.count(leaf) > 1)
                raise InputError(f"{name}: the total {one} counts cell {finest[twice]} more than once.")
            made_of[one] = tuple(sorted(parts))
        return made_of[one]

    if not finest:
        raise InputError(f"{name}: every cell is a total of others.")
    sets = tuple((one, resolve(one)) for one in totals)
    dim = Dim("cell", tuple(finest), (), sets)
    figures = [
        Figure(
            (dim.node(cell.id),),
            cell.value,
            cell.status,
            *((None, None) if cell.status == PUBLISHED else _limits(cell, cell.id in totals)),
            where=cell.where,
        )
        for cell in cells
    ]
    slack = scaled(tolerance, decimals, "tolerance=")
    release = from_figures([dim], figures, source=name, decimals=decimals, tolerance=slack)
    rows, words, sides = [], [], []
    for line, rhs, terms in relations:
        summed: Counter[int] = Counter()
        for one, a in terms.items():
            for cell in resolve(one):
                summed[cell] += a
        row = {cell: a for cell, a in summed.items() if a}
        if not row:
            if rhs:
                raise InputError(f"{name}, line {line}: the relation says 0 = {rhs}.")
            continue
        if (
            release.truth is not None
            and abs((total := sum(a * int(release.truth[c]) for c, a in row.items())) - rhs) > slack
        ):
            raise InputError(
                f"{name}, line {line}: the relation's cells sum to {release.show(total)}, not {release.show(rhs)}, "
                f"{release.show(abs(total - rhs))} off; correct the values, or give tolerance= if they are rounded."
            )
        rows.append(row)
        words.append(f"relation on line {line}:")
        sides.append(rhs)
    if rows:
        release = release.with_facts(
            np.full((len(rows), 1), -1),
            _sparse(rows, len(finest)),
            np.array(sides) - slack,
            np.array(sides) + slack,
            words=words,
        )
    wanted: dict[tuple[int, ...], Protection] = {
        (dim.node(cell.id),): Protection(cell.below, cell.above, cell.width) for cell in cells
    }
    return replace(release, protection=wanted)


def _sparse(rows: list[dict[int, int]], n: int) -> sp.csr_array:
    place = [(i, cell) for i, row in enumerate(rows) for cell in row]
    data = np.array([a for row in rows for a in row.values()], dtype=np.int64)
    return sp.csr_array((data, tuple(np.array(place, dtype=np.int64).T)), shape=(len(rows), n))


def _limits(cell: _Cell, is_total: bool) -> tuple[int | None, int | None]:
    return (cell.lower if cell.lower > 0 or not is_total else None, cell.upper)


def _parse(name: str, decimals: int) -> tuple[list[_Cell], list[tuple[int, int, dict[str, int]]]]:
    lines = [(i, line.strip()) for i, line in enumerate(read_text(name).splitlines(), start=1) if line.strip()]
    reader = iter(lines)

    def next_line(what: str) -> tuple[int, str]:
        try:
            return next(reader)
        except StopIteration:
            raise InputError(f"{name}: the file ends before {what}; was it cut short?") from None

    def whole(what: str) -> int:
        number, line = next_line(what)
        if not re.fullmatch("[0-9]+", line):
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
        cells.append(_Cell(parts[0], value, known, low, high, below, above, width, where))
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
            row[one] = row.get(one, 0) + int(a)
        relations.append((number, scaled(counts[0], decimals, f"{name}, line {number}"), row))
    rest = next(reader, None)
    if rest is not None:
        raise InputError(
            f"{name}, line {rest[0]}: there is more after the {n_relations} relations that were announced."
        )
    return cells, relations


def _outward(text: str, decimals: int, where: str, column: int) -> int:
    """A number of a cell line; what everybody knows (lb, ub) may be wide, or finer than the unit, and is widened."""
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


def _implied_upper(release: Release) -> np.ndarray:
    """An upper limit of every cell: its own, or that of a sum it is part of."""
    upper = release.upper.copy()
    facts = release.sums
    for i in np.flatnonzero(facts.upper < NO_LIMIT):
        part = slice(facts.matrix.indptr[i], facts.matrix.indptr[i + 1])
        if (facts.matrix.data[part] > 0).all():
            cells = facts.matrix.indices[part]
            upper[cells] = np.minimum(upper[cells], facts.upper[i] // facts.matrix.data[part])
    return upper


def write_jj(release: Release, path: str | os.PathLike[str]) -> None:
    """Write a release with its truth as a JJ file: cells and sums numbered from 0, each sum as a relation."""
    name = os.fspath(path)
    if release.truth is None:
        raise InputError(
            f"{name}: a JJ file holds the true value of every cell, and this release has no truth; write CSV."
        )
    if release.figures is not None:
        raise InputError(
            f"{name}: a JJ file holds true values, not those that were published in their place; write CSV."
        )
    if release.evidence or release.own.any():
        raise InputError(f"{name}: a JJ file cannot hold evidence or an insider's own part.")
    facts = release.sums
    known = {tuple(key) for key in facts.keys if (key >= 0).all()}
    asked = [key for key in release.asked if tuple(key) not in known]
    sum_rows = sp.csr_array(sp.vstack([facts.matrix, *(release.row(key) for key in asked)]))
    sum_keys = np.concatenate([facts.keys, np.array(asked, dtype=np.int64).reshape(-1, len(release.dims))])
    lower = np.concatenate([facts.lower, np.zeros(len(asked), np.int64)])
    upper = np.concatenate([facts.upper, np.full(len(asked), NO_LIMIT)])
    relation = np.concatenate([(facts.keys < 0).any(axis=1), np.zeros(len(asked), dtype=bool)])
    implied = _implied_upper(release)
    lines, relations = [], []
    wanted = release.protection or {}

    def cell_line(number: int, value: int, flag: str, low: int, high: int, key: np.ndarray) -> str:
        # the format has no word for "unlimited": a number beyond all that are held exactly says it
        limits = f"{release.show(low)} {release.show(high) if high < NO_LIMIT else LARGEST}"
        level = wanted.get(tuple(key.tolist()), Protection())
        levels = " ".join(release.show(one) for one in (level.below, level.above, level.width))
        return f"{number} {release.show(value)} 1 {flag} {limits} {levels}"

    for i in range(release.n_cells):
        flag = {0: "s", 1: "u"}.get(int(release.status[i]), "m")
        if flag == "s":
            low, high = 0, int(release.truth[i])
        else:
            low, high = int(release.lower[i]), int(implied[i])
        lines.append(cell_line(i, int(release.truth[i]), flag, low, high, release.keys[i]))
    number = release.n_cells
    for i in range(sum_rows.shape[0]):
        part = slice(sum_rows.indptr[i], sum_rows.indptr[i + 1])
        terms = [f"{c} ({a})" for c, a in zip(sum_rows.indices[part], sum_rows.data[part], strict=True)]
        if relation[i]:
            if lower[i] != upper[i]:
                raise InputError(f"{name}: a JJ file cannot hold the range {release.fact_words(i)}.")
            relations.append(f"{release.show(int(lower[i]))} {len(terms)} : {' '.join(terms)}")
            continue
        exact = lower[i] == upper[i]
        value = int((sum_rows[[i]] @ release.truth)[0])
        lines.append(
            cell_line(number, value, "s" if exact else "m", 0 if exact else int(lower[i]),
                      int(upper[i]), sum_keys[i])
        )  # fmt: skip
        relations.append(f"0 {len(terms) + 1} : {number} (-1) {' '.join(terms)}")
        number += 1
    text = "\n".join(["0", str(len(lines)), *lines, str(len(relations)), *relations]) + "\n"
    with written_whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
