"""What an attacker claims: what is certain of each finest cell, and what is probable of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .bounds import certain, some_table
from .chain import LARGEST, Task, walk
from .evidence import Figure
from .population import Frame
from .world import World

SMALL = 2
"""The largest small count: 1 and 2 are a person, or two who know of each other."""
SURE = 0.95


@dataclass(frozen=True, eq=False)
class Claims:
    """Of every finest cell: between which counts it certainly lies, and which count is how probable,
    by the more cautious of two chains."""

    lower: np.ndarray
    upper: np.ndarray
    value: np.ndarray
    probability: np.ndarray
    undecided: int = 0
    """Cells of which one count was found, and neither a second nor a proof."""
    contradictions: int = 0

    @classmethod
    def of_nothing(cls, cells: int) -> Claims:
        """No claim at all."""
        ends = np.zeros(cells, dtype=np.int64), np.full(cells, 10**9)
        return cls(*ends, np.zeros(cells, dtype=np.int64), np.zeros(cells))

    @property
    def known(self) -> np.ndarray:
        """Cells whose count is claimed for certain, and is 0, 1 or 2."""
        return (self.lower == self.upper) & (self.upper <= SMALL)

    @property
    def somebody(self) -> np.ndarray:
        """Cells that are claimed to be 1 or 2 for certain, without saying which."""
        return (self.lower >= 1) & (self.upper <= SMALL) & ~self.known

    @property
    def likely(self) -> np.ndarray:
        """Cells that are claimed to be 0, 1 or 2 with more than 95%."""
        return (self.probability > SURE) & (self.value <= SMALL)


@dataclass(frozen=True)
class Score:
    """How many claims there are, and how many are right."""

    known: int
    known_small: int
    """... of them 1 or 2."""
    somebody: int
    wrong: int
    likely: int
    likely_right: int
    undecided: int
    contradictions: int

    @property
    def proven(self) -> int:
        """Cells under 3 that were proven: which count it is, or that it is 1 or 2."""
        return self.known + self.somebody


def score(claims: Claims, counts: np.ndarray, possible: np.ndarray) -> Score:
    """Hold claims to the truth."""
    known, somebody, likely = (which & possible for which in (claims.known, claims.somebody, claims.likely))
    wrong = (known | somebody) & ((counts < claims.lower) | (counts > claims.upper))
    return Score(
        int(known.sum()), int((known & (claims.upper > 0)).sum()), int(somebody.sum()), int(wrong.sum()),
        int(likely.sum()), int((likely & (claims.value == counts)).sum()), claims.undecided, claims.contradictions,
    )  # fmt: skip


def believe(world: World, figures: Sequence[Figure], *, sweeps: int = 3000, seed: int = 1) -> Claims:
    """What follows from some figures, for one who knows the code, the rules, the method and all but the secret."""
    frame = world.frame
    if not figures:
        return Claims.of_nothing(frame.size)
    task = _task(world, figures)
    start = np.zeros(frame.size, dtype=np.int64)
    for figure in figures:
        cells = frame.cells(figure.box)
        if len(cells) == 1:
            start[cells] = (figure.lower + figure.upper) // 2
    tallied = _chains(world, figures, task, start, sweeps, seed)
    tallies = sum(tallied, np.zeros((frame.size, LARGEST + 1), dtype=np.int64))
    found = certain(world, figures, _worth_proving(tallies, frame.possible), most=SMALL, whole=sweeps > 0)
    known = (found.lower == found.upper) & (found.upper <= SMALL)
    value = np.where(known, found.lower, tallies.argmax(axis=1))
    shares = [of_chain[np.arange(frame.size), value] / of_chain[0].sum() for of_chain in tallied]
    probability = np.min(shares, axis=0) if len(shares) > 1 else np.zeros(frame.size)
    return Claims(
        found.lower, found.upper, value, np.where(known, 1.0, probability), found.undecided, int(found.impossible)
    )


def _chains(
    world: World, figures: Sequence[Figure], task: Task, start: np.ndarray, sweeps: int, seed: int
) -> list[np.ndarray]:
    """The tallies of two chains; where the first tables are not possible ones, from one that an integer program found."""
    found: list[np.ndarray] = []
    warm = True
    for chain in range(4 if sweeps else 0):
        tallies, counted = walk(task, start, sweeps, sweeps // 3, seed + chain, warm)
        if counted:
            found.append(tallies)
        elif warm:
            table = some_table(world, figures)
            start, warm = (start, True) if table is None else (table, False)
        if len(found) == 2:
            break
    return found


def _worth_proving(tallies: np.ndarray, possible: np.ndarray) -> dict[int, tuple[int, int]]:
    """Cells that had one small count in all tables that were drawn, or 1 and 2, with these; without draws, all cells."""
    if not tallies.any():
        return {int(cell): (SMALL + 1, -1) for cell in np.flatnonzero(possible)}
    seen = tallies > 0
    fewest, most = seen.argmax(axis=1), LARGEST - seen[:, ::-1].argmax(axis=1)
    worth = possible & (most <= SMALL) & ((fewest == most) | (fewest >= 1))
    return {int(cell): (int(fewest[cell]), int(most[cell])) for cell in np.flatnonzero(worth)}


def _task(world: World, figures: Sequence[Figure]) -> Task:
    frame = world.frame
    cells = [frame.cells(figure.box) for figure in figures]
    possible = frame.possible
    of_figure = np.repeat(np.arange(len(figures)), list(map(len, cells)))
    of_cell = np.concatenate(cells)
    order = np.argsort(of_cell, kind="stable")
    starts = np.searchsorted(of_cell[order], np.arange(frame.size + 1))
    begins = np.cumsum([0, *(len(figure.logs) for figure in figures)])
    mean = world.people / max(int(possible.sum()), 1)
    return Task(
        starts,
        of_figure[order],
        np.array([figure.first for figure in figures]),
        begins,
        np.concatenate([figure.logs for figure in figures]).astype(float),
        np.array([0 if figure.published is None else figure.published + 1000 for figure in figures]),
        np.array([world.consistent and figure.published is not None for figure in figures]),
        np.full(frame.size, np.log(mean / (1 + mean))),
        possible,
        _neighbours(frame),
    )


def _neighbours(frame: Frame) -> np.ndarray:
    """The possible cells that differ from each in one dim; repeated to the same number."""
    places = np.array(np.unravel_index(np.arange(frame.size), frame.shape))
    possible = frame.possible
    apart = (places[:, :, None] != places[:, None, :]).sum(axis=0)
    rows = [np.flatnonzero((row == 1) & possible) for row in apart]
    longest = max(map(len, rows))
    return np.array([np.resize(row if len(row) else np.array([cell]), longest) for cell, row in enumerate(rows)])
