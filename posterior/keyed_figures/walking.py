"""Parts as units of chains: the kernel, what is asked of them, tables far apart to start from, and the certificate."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...base.errors import TooLarge
from ...base.jit import own_sources
from ...base.random_streams import streams
from ...fiber.laws.support import Support
from ...sampler.chains.chain import Chain
from ...sampler.chains.settings import ChainSettings
from ...sampler.chains.starts import MOST_COLUMNS, dispersed_starts
from ...sampler.chains.unit import Unit
from ...sampler.chains.unit_run import UnitRun
from ...sampler.chains.units import Walked, unit_asked
from ...sampler.kernels.kernel import Kernel, Place
from ...sampler.lines.line import LONGEST
from ...sampler.lines.weights import Weights, weights_on
from ...sampler.tallies.tally import Tally, idle_tally
from .figures import Part
from .ladder import laddered
from .passage import Room, Task, room_for, walk
from .proposals import proposals
from .same_people import may_be_the_same

SINGLE_STEPS = (
    "in principle only: people come and go one by one, through tables that figures rule out, which are passed through at a "
    "price and not counted"
)
SEED_OF_MARKS = 64
STEPS_PER_CELL = 2
"""Steps that count from one draw to the next, for each cell."""
SEED_OF_TRIALS = 65
NANOSECONDS = 60.0
"""What a figure takes in a step, about."""


@dataclass(frozen=True, eq=False)
class FigureKernel(Kernel):
    """People come, go and move; figures of the same people count once."""

    task: Task
    weights: Weights

    words = "people who come, go and move"
    credits_lines = False
    cost = 1.0

    def work(self, n_columns: int) -> float:
        """So many steps, each of which looks at the figures of up to four cells."""
        return self.steps(n_columns) * NANOSECONDS * (2.0 + 2.0 * len(self.task.of_cell) / n_columns)

    def steps(self, n_columns: int) -> int:
        """Some for each cell."""
        return max(20, STEPS_PER_CELL * n_columns)

    def most_credits(self, n_columns: int) -> int:
        """None of steps: each draw is credited."""
        return 0

    def learned(self, unit: Unit, start: np.ndarray, random: np.ndarray) -> FigureKernel:
        """With a ladder of prices of figures that are not met, found from a table on."""
        place = Place(np.array(start, dtype=np.int64), unit.lower, unit.upper, random, np.zeros(LONGEST))
        return replace(self, task=laddered(self.task, self.weights, self.room(), place))

    def room(self) -> Room:
        """All of it is made anew from the table."""
        return room_for(self.task)

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Steps, so many to a draw."""
        done: int = walk(self.task, self.weights, room, place, tally, draws, steps)
        return done


def unit_of(part: Part, support: Support, questions: Any) -> Unit:
    """A part with its kernel; `questions` are sparse columns."""
    weights = weights_on(support.weigh, part.cells, part.low, part.high)
    # a cell that is known to be 0 may have an expected count of 0
    weights = weights._replace(log_mean=np.where(np.isneginf(weights.log_mean), 0.0, weights.log_mean))
    walked = Walked(part.cells, part.low, part.high, support.solved.start[part.cells])
    kernel = FigureKernel(_task(part, support.release.keys[part.cells]), weights)
    return unit_asked(walked, weights, (kernel,), Certificate("connected", SINGLE_STEPS), questions)


def _task(part: Part, keys: np.ndarray) -> Task:
    by_cell = sp.csc_array(part.incidence)
    by_cell.sort_indices()
    proposed = proposals(part, keys)
    shared = np.zeros(len(part.first), dtype=bool)
    shared[may_be_the_same(part).ravel()] = True  # within bounds that chains keep to, others never are the same
    random = np.random.default_rng(SEED_OF_MARKS)
    return Task(
        by_cell.indptr.astype(np.int64), by_cell.indices.astype(np.int64), part.first, part.begins.astype(np.int64),
        part.logs, _as_words(part.published), shared, part.low, part.high,
        random.integers(1, 2**63, len(part.cells)).astype(np.uint64), proposed,
        prices=np.array([-float(np.log(2.0 * proposed.kinds[-1]))]), rungs=np.zeros(1),
    )  # fmt: skip


def _as_words(published: np.ndarray) -> np.ndarray:
    """Another number of 64 random bits for every publication."""
    distinct, kind = np.unique(published, return_inverse=True)
    return np.random.default_rng(SEED_OF_MARKS + 1).integers(1, 2**63, len(distinct)).astype(np.uint64)[kind]


def meets_all(unit: Unit, state: np.ndarray) -> bool:
    """Does a table meet all figures?"""
    inside = ((state >= unit.lower) & (state <= unit.upper)).all()
    return bool(inside) and np.array_equal(_settled(unit, state, streams(0, 1)[0]), state)


def mark_of(units: Sequence[Unit], settings: ChainSettings) -> str:
    """A name for one piece of work: the same figures, law, questions, settings and sources, and nothing else."""
    digest = hashlib.sha256(repr(tuple(settings.decisive.values())).encode())
    digest.update(own_sources().encode())
    for unit in units:
        digest.update(unit.digest().encode())
        for array in (unit.sums.data, unit.sums.indices, unit.sums.indptr):
            digest.update(np.ascontiguousarray(array).tobytes() + b"|")
    return digest.hexdigest()


def runs_of(units: Sequence[Unit], support: Support, settings: ChainSettings) -> list[UnitRun]:
    """The units, after a trial, with chains at tables far apart, which are bounds of different cells."""
    tables = _far_apart(support, settings.chains)
    runs = []
    for untried, child in zip(units, np.random.SeedSequence(settings.seed).spawn(len(units)), strict=True):
        (of_trial,) = streams(SEED_OF_TRIALS, 1)
        unit = replace(untried, kernels=(untried.kernels[0].learned(untried, tables[0][untried.columns], of_trial),))
        ready = []
        for table, random in zip(tables, streams(child, settings.chains), strict=True):
            ready.append(Chain(unit, _settled(unit, table[unit.columns], random), random))
        runs.append(UnitRun(unit, ready))
    return runs


def _far_apart(support: Support, number: int) -> np.ndarray:
    """Tables of all cells that agree with the facts; as many as there are chains."""
    tables = np.tile(support.solved.start, (number, 1))
    for block in support.solved.blocks:
        if block.network is not None or len(block.columns) <= MOST_COLUMNS:
            tables[:, block.columns] = dispersed_starts(support.solved, block, _none(), number)
    return tables


def _none() -> Any:
    """The moves that lead to corners of blocks which are too large for integer programs; no others are asked for here."""
    return None


def _settled(unit: Unit, table: np.ndarray, random: np.ndarray) -> np.ndarray:
    """A table that meets all figures, by steps from another one."""
    kernel = unit.kernels[0]
    assert isinstance(kernel, FigureKernel)
    place = Place(np.array(table, dtype=np.int64), unit.lower, unit.upper, random, np.zeros(LONGEST))
    if kernel.walk(place, idle_tally(unit.n_questions, unit.most_waiting), kernel.room(), 0, 1) < 0:
        raise TooLarge(
            "no table was found, in a search of some million steps, that meets all figures at once; ask with fewer answers."
        )
    return place.table
