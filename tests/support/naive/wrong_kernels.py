"""Samplers that are wrong on purpose: each is a mistake that is easily made, and that a test must notice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from fiberwalk.base.jit import jit_lean
from fiberwalk.base.random_streams import below
from fiberwalk.moves.families.adaptive_kernel import directions, wander, write
from fiberwalk.moves.families.adaptive_lattice import AdaptiveLattice
from fiberwalk.sampler.kernels.kernel import Kernel, Place
from fiberwalk.sampler.lines.line import Line, draw_on_line, line_range
from fiberwalk.sampler.lines.weights import Weights
from fiberwalk.sampler.tallies.tally import BY_STEPS, Tally, credit, end_of_draw


@jit_lean
def note_draw(tally: Tally, table: np.ndarray) -> None:
    """What every kernel does after a draw, for calls from Python."""
    end_of_draw(tally, table)


@jit_lean
def note_value(tally: Tally, question: int, value: int) -> None:
    """Credit one value."""
    credit(tally, question, value, value)


@dataclass(frozen=True, eq=False)
class PlainKernel(Kernel):
    """Hit-and-run along listed moves, step by step in Python; right as it is."""

    rows: Any
    weights: Weights

    words = "plain hit-and-run"
    cost = 100.0

    def move(self, place: Place) -> tuple[np.ndarray, np.ndarray] | None:
        rows = sp.csr_array(self.rows)
        k = below(place.random, rows.shape[0])
        part = slice(rows.indptr[k], rows.indptr[k + 1])
        return rows.indices[part].astype(np.int64), rows.data[part].astype(np.int64)

    def line(self, place: Place, columns: np.ndarray, sizes: np.ndarray) -> tuple[int, int]:
        return line_range(place.lower, place.upper, place.table, columns, sizes, 0, len(columns))

    def note(self, tally: Tally, place: Place, columns: np.ndarray, sizes: np.ndarray, times: int) -> None:
        for j in columns:
            note_value(tally, j, place.table[j])

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        for done in range(draws):
            for _ in range(steps):
                found = self.move(place)
                if found is None:
                    continue
                columns, sizes = found
                low, high = self.line(place, columns, sizes)
                line = Line(place.table, columns, sizes, 0, len(columns), low, high)
                times, _ = draw_on_line(self.weights, line, place.random, place.weight)
                place.table[columns] += times * sizes
                if tally.by_steps[0] == BY_STEPS:
                    self.note(tally, place, columns, sizes, times)
            note_draw(tally, place.table)
            if tally.n_waiting[0] > 0:
                return done + 1
        return draws


class ShortRange(PlainKernel):
    """A range that is one too short at its upper end."""

    def line(self, place: Place, columns: np.ndarray, sizes: np.ndarray) -> tuple[int, int]:
        low, high = super().line(place, columns, sizes)
        return low, max(high - 1, 0)


class OpenMovesOnly(PlainKernel):
    """One of the moves that can be made here, as if there were as many everywhere."""

    def move(self, place: Place) -> tuple[np.ndarray, np.ndarray] | None:
        found = []
        rows = sp.csr_array(self.rows)
        for k in range(rows.shape[0]):
            part = slice(rows.indptr[k], rows.indptr[k + 1])
            one = rows.indices[part].astype(np.int64), rows.data[part].astype(np.int64)
            low, high = self.line(place, *one)
            if low < high:
                found.append(one)
        return found[below(place.random, len(found))] if found else None


class CreditsWhenMoved(PlainKernel):
    """Draws that are right, of which only those are credited that changed something."""

    def note(self, tally: Tally, place: Place, columns: np.ndarray, sizes: np.ndarray, times: int) -> None:
        if times != 0:
            super().note(tally, place, columns, sizes, times)


@dataclass(frozen=True, eq=False)
class NeverRefused(Kernel):
    """Vectors of wandering bases without the ratio of acceptance."""

    moves: AdaptiveLattice
    weights: Weights

    words = "wandering bases, every step accepted"
    cost = 500.0
    credits_lines = False

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        n = self.moves.n_columns
        basis, columns, sizes = self.moves.workspace(), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        for done in range(draws):
            for _ in range(steps):
                wander(basis, place.random, 3)
                number = directions(self.moves.given, basis, place.table)
                if number:
                    length = write(basis, basis.found[below(place.random, number)], 1, columns, sizes)
                    low, high = line_range(place.lower, place.upper, place.table, columns, sizes, 0, length)
                    line = Line(place.table, columns, sizes, 0, length, low, high)
                    times, _ = draw_on_line(self.weights, line, place.random, place.weight)
                    place.table[columns[:length]] += times * sizes[:length]
            note_draw(tally, place.table)
            if tally.n_waiting[0] > 0:
                return done + 1
        return draws
