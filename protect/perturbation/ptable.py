"""Perturbation tables (ptables) of other tools for the cell key method, read as transition matrices.

Two kinds of files: probabilities (`i;j;p;v;p_ij_ub`, as the R package ptable writes them for tau-ARGUS and cellKey: the
count i is published as j with probability p), and what every cell key does (`pcv,ckey,pvalue` or
`cell_value,cell_key,perturbation`: with this key a count changes by so much; all keys are equally probable).
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from ...base.errors import InputError
from ...base.text_files import Rows, read_rows, read_text
from .transition_matrix import GoesBeyond

_PROBABILITIES = ("i", "j", "p")
_KEYED = (("pcv", "ckey", "pvalue"), ("cell_value", "cell_key", "perturbation"))
_CHECKED = ("v", "p_ij_ub", "p_int_ub")
"""Columns that repeat what the others say: the change j - i, and the sum of the probabilities so far."""
ROUNDED = 1e-6
"""How far printed probabilities may be from adding up to 1."""
MOST_ENTRIES = 20_000_000

Moves = dict[int, dict[int, float]]
"""Of each count, how probable each published one is."""


def is_ptable(path: str | os.PathLike[str]) -> bool:
    """Does a file have the columns of a perturbation table?"""
    names = _names(read_text(path).lstrip("\n ").partition("\n")[0])
    return any(set(kind) <= set(names) for kind in (_PROBABILITIES, *_KEYED))


def _names(line: str) -> list[str]:
    return [name.strip().strip('"').lower() for name in re.split(r"[,;\t]", line)]


def read_ptable(path: str | os.PathLike[str]) -> np.ndarray:
    """Read a perturbation table of another tool as the transition matrix that `perturb` takes.

    A row for every count up to the largest in the file, a column for every published one. Where the file begins with the
    count 1, zeros stay zeros. Of a table by cell keys the probabilities are read, not which key does what: `perturb` has
    keys of its own.

    Parameters
    ----------
    path
        A text file with columns i, j, p (and v and p_ij_ub, which are checked), as tau-ARGUS and the R package ptable have
        it; or pcv, ckey, pvalue, or cell_value, cell_key, perturbation. Say with `last_rows` of `perturb` how larger counts
        change: mostly like the last row (1); in tables with 750 counts, whose last 250 repeat, `last_rows=250`.

    Examples
    --------
    >>> import fiberwalk as fw, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ptable.csv"
    >>> _ = path.write_text("pcv,ckey,pvalue\\n1,0,-1\\n1,1,0\\n1,2,1\\n1,3,0\\n")
    >>> matrix = fw.protect.read_ptable(path)
    >>> matrix.tolist()
    [[1.0, 0.0, 0.0], [0.25, 0.5, 0.25]]
    >>> fw.protect.perturb([[1, 2], [2, 0]], matrix, seed=1).published.values.tolist()
    [[1, 3], [1, 0]]
    """
    source = os.fspath(path)
    (_, header), *rows = read_rows(path, as_written=True)
    names = [name.lower() for name in header]
    for number, row in rows:
        if len(row) != len(names):
            raise InputError(f"{source}, row {number}: {len(row)} columns where the header has {len(names)}.")
    if len(set(names)) < len(names):
        raise InputError(f"{source}: two columns are called {next(one for one in names if names.count(one) > 1)!r}.")
    if not rows:
        raise InputError(f"{source}: the table has no rows.")
    keyed = next((kind for kind in _KEYED if set(kind) <= set(names)), None)
    if keyed is not None:
        moves = _by_keys(source, [names.index(name) for name in keyed], rows)
    elif set(_PROBABILITIES) <= set(names):
        moves = _by_probabilities(source, names, rows)
    else:
        kinds = "; ".join(", ".join(kind) for kind in (_PROBABILITIES, *_KEYED))
        raise InputError(f"{source}: no perturbation table: it needs the columns {kinds}.")
    return _matrix(source, moves)


def _by_keys(source: str, places: Sequence[int], rows: Rows) -> Moves:
    """The probabilities of changes: how many of the cell keys make each."""
    keys: dict[int, dict[int, int]] = {}
    for number, row in rows:
        where = f"{source}, row {number}"
        count, key, change = (_whole(row[place], where) for place in places)
        if count < 0 or key < 0 or count + change < 0:
            raise InputError(
                f"{where}: the count {count} with the key {key} becomes {count + change}; none is below 0."
            )
        if key in keys.setdefault(count, {}):
            raise InputError(f"{where}: the count {count} has the key {key} twice.")
        keys[count][key] = count + change
    first = min(keys)
    wanted = set(keys[first])
    if sorted(wanted) not in (list(range(len(wanted))), list(range(1, len(wanted) + 1))):
        raise InputError(f"{source}: the keys of the count {first} are not all numbers from 0 or 1 to the largest.")
    for count, of_count in keys.items():
        if set(of_count) != wanted:
            raise InputError(
                f"{source}: the count {count} has {len(of_count)} keys and the count {first} has {len(wanted)}, or others; "
                "all counts need the same ones."
            )
    return {
        count: {published: times / len(wanted) for published, times in Counter(of_count.values()).items()}
        for count, of_count in keys.items()
    }


def _by_probabilities(source: str, names: list[str], rows: Rows) -> Moves:
    """The probabilities that the file says, after a check of what it says twice."""
    if "type" in names:
        other = next((row[names.index("type")] for _, row in rows if row[names.index("type")].lower() != "all"), None)
        if other is not None:
            raise InputError(
                f"{source}: rows of type {other!r} are about magnitudes; perturb() takes tables for counts."
            )
    i, j, p = (names.index(name) for name in _PROBABILITIES)
    moves: Moves = {}
    for number, row in rows:
        where = f"{source}, row {number}"
        count, published, chance = _whole(row[i], where), _whole(row[j], where), _chance(row[p], where)
        if count < 0 or published < 0:
            raise InputError(f"{where}: the count {count} becomes {published}; none is below 0.")
        so_far = moves.setdefault(count, {})
        if published in so_far:
            raise InputError(f"{where}: the count {count} becomes {published} in two rows.")
        so_far[published] = chance
        for name in _CHECKED:
            if name in names and row[names.index(name)]:
                said, due = (
                    _number(row[names.index(name)], where),
                    published - count if name == "v" else sum(so_far.values()),
                )
                if abs(said - due) > ROUNDED:
                    raise InputError(f"{where}: {name} is {said:g}, but by the other columns it is {due:g}.")
    for count, so_far in moves.items():
        if abs(sum(so_far.values()) - 1) > ROUNDED:
            raise InputError(
                f"{source}: the probabilities of the count {count} sum to {sum(so_far.values()):.10g}, not to 1."
            )
    return moves


def _whole(text: str, where: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,9}(\.0*)?", text):
        raise InputError(f"{where}: {text[:40]!r} where a whole number must be; perturb() takes tables for counts.")
    return int(text.partition(".")[0])


def _chance(text: str, where: str) -> float:
    number = _number(text, where)
    if not 0 <= number <= 1 + ROUNDED:
        raise InputError(f"{where}: {text[:40]!r} is no probability.")
    return number


def _number(text: str, where: str) -> float:
    """A number, whose decimals may stand after a comma: probabilities have no thousands."""
    try:
        number = float(text.replace(",", ".") if text.count(",") == 1 else text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in text:
        raise InputError(f"{where}: {text[:40]!r} where a number must be.")
    return number


def _matrix(source: str, moves: Moves) -> np.ndarray:
    """The matrix of the probabilities: its rows sum to 1, however they were printed."""
    moves = moves if 0 in moves else {0: {0: 1.0}, **moves}
    cap, largest = max(moves), max(max(to) for to in moves.values())
    if (cap + 1) * (max(cap, largest) + 1) > MOST_ENTRIES:
        raise InputError(f"{source}: counts up to {max(cap, largest)} are more than a table can have here.")
    missing = next((count for count in range(cap + 1) if count not in moves), None)
    if missing is not None:
        raise InputError(f"{source}: no row says what becomes of the count {missing}, though larger ones have rows.")
    matrix = np.zeros((cap + 1, max(cap, largest) + 1))
    for count, to in moves.items():
        matrix[count, list(to)] = list(to.values())
    return (matrix / matrix.sum(axis=1, keepdims=True)).view(GoesBeyond)
