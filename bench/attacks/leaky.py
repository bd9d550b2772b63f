"""Servers with one fault each, on which an attack must succeed; and one without, on which none may.

They are small and slow, answer by public names only (`tabulate`, `released`, `notice`, `table`), and show that a suite which
finds nothing would have found something.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, product

import numpy as np
import xarray as xr

from fiberwalk.server.rules import ServerRules

from .knowledge.laws import Law
from .knowledge.population import Population


@dataclass(frozen=True, eq=False)
class Answered:
    """What an outsider sees of an answer."""

    released: bool
    notice: str
    table: xr.DataArray | None


@dataclass(eq=False)
class PlainServer:
    """No fault: the draw of a cell is a keyed hash of who is in it, and nobody is always nobody. It refuses nothing."""

    population: Population
    law: Law
    secret: int

    def tabulate(self, dims: Sequence[str], filters: Mapping[str, Sequence[str]] | None = None) -> Answered:
        """Count, and change each cell."""
        frame, chosen = self.population.frame, {name: tuple(labels) for name, labels in (filters or {}).items()}
        shown = [tuple(label for label in frame.labels(name) if label in chosen.get(name, (label,))) for name in dims]
        cells = []
        for labels in product(*shown):
            box = frame.box([*zip(dims, ((label,) for label in labels), strict=True), *chosen.items()])
            inside = frame.cells(box) if all(box) else np.zeros(0, dtype=int)
            cells.append((inside[self.population.counts[inside] > 0], labels))
        refusal = self.refusal(np.array([self.population.counts[inside].sum() for inside, _ in cells]))
        if refusal:
            return Answered(False, refusal, None)
        figures = [self.figure(inside, f"{dims}{labels}{chosen}") for inside, labels in cells]
        table = np.array(figures).reshape([len(labels) for labels in shown])
        coords = dict(zip(dims, map(list, shown), strict=True))
        return Answered(True, "", xr.DataArray(table, dims=tuple(dims), coords=coords))

    def refusal(self, counts: np.ndarray) -> str:
        """Why a table is refused; empty where it is not."""
        return ""

    def figure(self, inside: np.ndarray, words: str) -> int:
        """What is published of a cell."""
        return self.drawn(inside, str(inside.tolist())) if len(inside) else 0

    def drawn(self, inside: np.ndarray, key: str) -> int:
        """The figure of the people of some finest cells that a key decides."""
        digest = hashlib.blake2b(f"{self.secret}|{key}".encode(), digest_size=8).digest()
        number = int.from_bytes(digest, "big") / 2**64
        row = self.law.probabilities[int(self.population.counts[inside].sum())]
        edges = np.cumsum(list(row.values()))
        return list(row)[min(int(np.searchsorted(edges, number, side="right")), len(row) - 1)]


class DrawsAnew(PlainServer):
    """The fault: each request brings draws of its own."""

    _asked = count()

    def figure(self, inside: np.ndarray, words: str) -> int:
        """Another figure each time."""
        return self.drawn(inside, f"{next(self._asked)}") if len(inside) else 0


class EmptiesByLabels(PlainServer):
    """The fault: a cell with nobody in it is changed by its labels, and those of the filters."""

    def figure(self, inside: np.ndarray, words: str) -> int:
        """Another figure in another form of the request, of nobody alone."""
        return self.drawn(inside, str(inside.tolist()) if len(inside) else words)


@dataclass(eq=False)
class RefusesByTruth(PlainServer):
    """The fault: the rule about small cells looks at true counts."""

    rules: ServerRules = field(kw_only=True)

    def refusal(self, counts: np.ndarray) -> str:
        """As the rule has it."""
        small = np.count_nonzero((counts > 0) & (counts <= self.rules.small))
        assert self.rules.max_small_share is not None
        too_many = small > self.rules.max_small_share * len(counts)
        return "too many of the table's cells are cells of 1 to 2" if too_many else ""
