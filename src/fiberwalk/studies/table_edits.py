"""What R1 and R2 are said to do when a table is changed: the changes, and the rules that always hold (ASE15a, section 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

LEVEL = 1e-12
"""Differences that rounding may make."""


class Edit(NamedTuple):
    """A table F and what is published of it, G, changed in some way; and what then holds of the risks, if anything does."""

    name: str
    F: np.ndarray
    G: np.ndarray
    rule: str = ""
    holds: Callable[[float, float, float, float], bool] | None = None
    """Of R1 and R2 before, and R1 and R2 after."""


def edits(F: np.ndarray, G: np.ndarray) -> Iterator[Edit]:
    """Changes of a table of counts and of a sample of it (both flat, and neither empty)."""
    order = np.argsort(F, kind="stable")
    filled = order[F[order] > 0]
    cells, most = len(F), int(filled[-1])
    people, sampled = int(F.sum()), int(G.sum())
    yield Edit(
        "as it is", F, G, "0 <= R2 <= R1 <= 1", lambda r1, r2, a1, a2: -LEVEL <= a2 <= a1 + LEVEL <= 1 + 2 * LEVEL
    )
    yield Edit(
        "all of it published", F, F, "R2 rises to R1",
        lambda r1, r2, a1, a2: abs(a2 - a1) <= LEVEL and a2 >= r2 - LEVEL,
    )  # fmt: skip
    everybody, all_sampled = np.zeros_like(F), np.zeros_like(G)
    everybody[most], all_sampled[most] = people, sampled
    yield Edit(
        "everybody in one cell", everybody, all_sampled, "both are the highest for so many people and cells, and alike",
        lambda r1, r2, a1, a2: a1 >= r1 - LEVEL and abs(a2 - a1) <= LEVEL,
    )  # fmt: skip
    yield Edit(
        "everybody spread evenly", _even(people, cells), _even(sampled, cells),
        "R1 is the lowest for so many people and cells", lambda r1, r2, a1, a2: a1 <= r1 + LEVEL,
    )  # fmt: skip
    yield Edit(
        "ten times the counts", 10 * F, 10 * G, "both fall, or stay",
        lambda r1, r2, a1, a2: a1 <= r1 + LEVEL and a2 <= r2 + LEVEL,
    )  # fmt: skip
    yield Edit(
        "a cell more that is empty", np.append(F, 0), np.append(G, 0), "both rise, or stay",
        lambda r1, r2, a1, a2: a1 >= r1 - LEVEL and a2 >= r2 - LEVEL,
    )  # fmt: skip
    if len(filled) > 1:
        least, second_least = filled[:2]
        yield Edit(
            "smallest cell emptied into the largest", _moved(F, least, most), _moved(G, least, most), "R1 rises, or stays",
            lambda r1, r2, a1, a2: a1 >= r1 - LEVEL,
        )  # fmt: skip
        yield Edit("two smallest cells merged", _merged(F, least, second_least), _merged(G, least, second_least))
    yield Edit("largest cell split in two", _split(F, most), _split(G, most))
    empty = np.flatnonzero((F == 0) & (G == 0))
    if len(empty):
        yield Edit(
            "an empty cell merged into the largest", np.delete(F, empty[0]), np.delete(G, empty[0]), "both fall, or stay",
            lambda r1, r2, a1, a2: a1 <= r1 + LEVEL and a2 <= r2 + LEVEL,
        )  # fmt: skip


def _even(people: int, cells: int) -> np.ndarray:
    return np.asarray(people // cells + (np.arange(cells) < people % cells))


def _moved(table: np.ndarray, out: int, into: int) -> np.ndarray:
    changed = table.copy()
    changed[into] += changed[out]
    changed[out] = 0
    return changed


def _merged(table: np.ndarray, kept: int, removed: int) -> np.ndarray:
    return np.delete(_moved(table, removed, kept), removed)


def _split(table: np.ndarray, cell: int) -> np.ndarray:
    changed = np.append(table, table[cell] // 2)
    changed[cell] -= changed[-1]
    return changed
