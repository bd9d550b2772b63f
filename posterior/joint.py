"""Joint probabilities of a few cells or sums.

The values x, y, z of some questions make one number, x + m y + m n z, with one digit for each (mixed radix): its law, which
is asked of a block like that of any other sum, is their joint law. Blocks are independent, so that their parts of the
questions add up independently of each other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.certificate import ALL_DECIDED, Certificate
from ..base.errors import InputError, TimeUp, TooLarge
from ..base.progress import Progress
from ..fiber.blocks.presolve import Block
from ..fiber.equations.sparse import rows_through
from ..fiber.exact.solved import Budget
from ..fiber.laws.support import Support
from ..fiber.laws.support import support as support_of
from ..moves.chooser import choose
from ..release.release import Release
from ..sampler.chains.diagnostics import effective_draws
from ..sampler.chains.settings import ChainSettings
from ..sampler.estimate import estimate
from .keyed_figures.figures import refuse_keyed
from .parts.exact_block import solve_block, time_for_exact
from .parts.sampled import time_for_chains
from .paths.hidden_path import EXACT_PATHS, weighed_tables
from .paths.path_draws import draw_first_tables
from .paths.path_groups import path_groups
from .paths.path_unit import REDRAWN
from .paths.paths import HiddenPaths, hidden_paths

MOST_COMBINATIONS = 1_000_000
MOST_PRODUCTS = 20_000_000_000
"""Products of probabilities that putting blocks together may take (some seconds)."""
PATH_DRAWS = 20_000
"""Tables of each chain from which joint probabilities at the beginning of hidden paths are counted."""


@dataclass(frozen=True, eq=False)
class Joint:
    """The joint law of some questions: `p[i, j, ...]` belongs to the values first[0] + i, first[1] + j, ..."""

    first: np.ndarray
    p: np.ndarray
    possible: np.ndarray
    """Which combinations occur: proven where the method is exact, came up where it is chains."""
    certificate: Certificate
    ess: float = np.inf
    converged: bool = True

    @property
    def method(self) -> str:
        """ "exact", or "chains" if any block was sampled."""
        return "exact" if self.certificate.word == "exact" else "chains"

    def plus(self, other: Joint) -> Joint:
        """The joint law of sums, one part of each in this law and one, independently, in the other."""
        small, large = sorted((self, other), key=lambda law: int(law.possible.sum()))
        shape = tuple(a + b - 1 for a, b in zip(small.p.shape, large.p.shape, strict=True))
        _refuse_many(shape)
        places = np.argwhere(small.possible)
        if len(places) * large.p.size > MOST_PRODUCTS:
            raise TooLarge("these sums have too many values together; ask about fewer at once.")
        p, possible = np.zeros(shape), np.zeros(shape, dtype=bool)
        for place in map(tuple, places):
            window = tuple(slice(a, a + n) for a, n in zip(place, large.p.shape, strict=True))
            p[window] += small.p[place] * large.p
            possible[window] |= large.possible
        weakest = Certificate.weakest((other.certificate, self.certificate))
        ess, converged = min(self.ess, other.ess), self.converged and other.converged
        return Joint(self.first + other.first, p, possible, weakest, ess, converged)


def joint_law(
    release: Release,
    law: Any,
    rows: Any,
    *,
    method: str = "auto",
    budget: Budget | None = None,
    settings: ChainSettings | None = None,
    progress: Progress | None = None,
) -> Joint:
    """The joint law of some questions, given as sparse rows over the cells of a release."""
    refuse_keyed(release, "the joint law of several cells")
    paths, settings = hidden_paths(release), settings or ChainSettings()
    support = support_of(release, law)
    solved = support.solved
    rows = sp.csr_array(rows)
    rows.resize(rows.shape[0], solved.fiber.n_columns)
    by_column = sp.csc_array(rows)
    k = rows.shape[0]
    point = (1,) * k
    fixed = rows @ np.where(solved.decided, solved.start, 0)
    joint = Joint(fixed, np.ones(point), np.ones(point, dtype=bool), ALL_DECIDED)
    if paths is not None:
        return _of_paths(paths, support, rows, joint, method, budget or Budget(), settings, progress)
    left = []
    for block in solved.blocks:
        wanted, of_block = rows_through(by_column, block.columns)
        if not len(wanted):
            continue
        within = _spread(of_block, wanted, k)
        low, high = _ends(block, within)
        _refuse_many(tuple((high - low + 1).tolist()))
        try:
            if method == "chains":
                raise TooLarge("")
            with time_for_exact(method):
                joint = joint.plus(_exactly(block, support, within, budget, progress))
        except (TooLarge, TimeUp):
            if method == "exact":
                raise
            left.append((block, wanted))
    for block_joint in _sampled(support, rows, left, settings, progress):
        joint = joint.plus(block_joint)
    return joint


def _spread(of_block: Any, wanted: np.ndarray, k: int) -> Any:
    """What a block says of all k questions: an empty row for those that do not concern it."""
    place = sp.csr_array((np.ones(len(wanted), np.int64), (wanted, np.arange(len(wanted)))), shape=(k, len(wanted)))
    return sp.csr_array(place @ of_block)


def _ends(block: Block, questions: Any) -> tuple[np.ndarray, np.ndarray]:
    """Between which values the bounds of a block's columns leave some questions."""
    low = questions.maximum(0) @ block.lower + questions.minimum(0) @ block.upper
    high = questions.maximum(0) @ block.upper + questions.minimum(0) @ block.lower
    return low, high


def _refuse_many(shape: tuple[int, ...]) -> None:
    combinations = float(np.prod(np.array(shape, dtype=float)))
    if combinations > MOST_COMBINATIONS:
        raise InputError(
            f"these cells have {combinations:,.0f} combinations of values, more than the {MOST_COMBINATIONS:,} that can be "
            "listed; ask about fewer cells at once."
        )


def _exactly(block: Block, support: Support, questions: Any, budget: Budget | None, progress: Progress | None) -> Joint:
    """The law of the number whose digits are the questions' values, taken apart again."""
    low, high = _ends(block, questions)
    shape = tuple((high - low + 1).tolist())
    worth = np.cumprod([1, *shape[:0:-1]])[::-1]  # what 1 in each digit counts for, the last one varying fastest
    number = sp.csr_array((worth @ questions)[None, :]) if questions.shape[1] else questions
    block_law = solve_block(block, support.weigh, number, budget, progress=progress)
    values = block_law.lower[0] + np.arange(len(block_law.weights[0]))
    if number.nnz == 1:  # the law of that column, whatever it counts for
        values = values * number.data[0]
    places = values - int(worth @ low)
    p, possible = np.zeros(int(np.prod(shape))), np.zeros(int(np.prod(shape)), dtype=bool)
    p[places], possible[places] = block_law.weights[0], block_law.possible[0]
    exact = Certificate("exact", f"every table was counted, by {block_law.method}")
    return Joint(low, p.reshape(shape), possible.reshape(shape), exact)


def _sampled(
    support: Support,
    rows: Any,
    left: list[tuple[Block, np.ndarray]],
    settings: ChainSettings,
    progress: Progress | None,
) -> list[Joint]:
    """The joint law of the questions in each block that was not solved, by how often combinations come up in chains."""
    if not left:
        return []
    parts: list[Any] = []
    groups: list[tuple[int, ...]] = []
    for block, wanted in left:
        in_block = np.zeros(rows.shape[1], dtype=np.int64)
        in_block[block.columns] = 1
        groups.append(tuple(range(len(parts), len(parts) + len(wanted))))
        parts += [sp.csr_array(rows[[row]].multiply(in_block)) for row in wanted]
    questions = sp.csr_array(sp.vstack(parts))
    questions.eliminate_zeros()
    moves = choose(support.only(block for block, _ in left), progress=progress)
    estimated = estimate(moves, questions, settings, max_seconds=time_for_chains(), joint=groups, progress=progress)
    laws, taken = [], [0] * len(estimated.units)
    for (_, wanted), group in zip(left, groups, strict=True):
        number = estimated.parts[group[0]][0][0]
        unit_estimate = estimated.units[number]
        places = [estimated.parts[question][0][1] for question in group]
        shares = unit_estimate.joint[taken[number]]
        taken[number] += 1
        shape, first = [1] * rows.shape[0], np.zeros(rows.shape[0], dtype=np.int64)
        for axis, row in enumerate(wanted):
            shape[row] = shares.shape[axis]
        first[wanted] = (unit_estimate.unit.question_bounds()[0] + unit_estimate.unit.question_offset())[places]
        p = shares.reshape(shape)
        ess = float(unit_estimate.diagnosis.ess[places].min())
        laws.append(Joint(first, p, p > 0, estimated.certificate, ess, unit_estimate.converged))
    return laws


def _of_paths(
    paths: HiddenPaths,
    support: Support,
    rows: Any,
    known: Joint,
    method: str,
    budget: Budget,
    settings: ChainSettings,
    progress: Progress | None,
) -> Joint:
    """The joint law at the beginning of hidden paths: by every table where they are few, else by drawn ones."""
    joint, by_column = known, sp.csc_array(rows * ~support.solved.decided)
    try:
        if method == "chains":
            raise TooLarge("chains are asked for.")
        for group in path_groups(paths, support):
            wanted, of_group = rows_through(by_column, group.cells)
            if len(wanted):
                tables, p, _ = weighed_tables(paths, group, support, budget)
                joint = joint.plus(_counted(_spread(of_group, wanted, rows.shape[0]) @ tables.T, p, EXACT_PATHS))
        return joint
    except TooLarge:
        if method == "exact":
            raise
    drawn, how = draw_first_tables(paths, support, settings, draws=PATH_DRAWS, progress=progress)
    values = rows[:, : drawn.shape[2]] @ drawn.reshape(-1, drawn.shape[2]).astype(np.int64).T
    counted = _counted(values, np.full(values.shape[1], 1 / values.shape[1]), Certificate("connected", REDRAWN))
    by_chain = values.T.reshape(settings.chains, PATH_DRAWS, -1).astype(float)
    ess = effective_draws(by_chain, by_chain**2, 1, np.ptp(values, axis=1) > 0)
    return replace(counted, ess=float(ess.min()), converged=how["converged"] == "yes")


def _counted(values: np.ndarray, p: np.ndarray, certificate: Certificate) -> Joint:
    """The joint law of questions, from their values in tables whose probabilities are p."""
    first = values.min(axis=1)
    shape = tuple((values.max(axis=1) - first + 1).tolist())
    _refuse_many(shape)
    places = tuple(values - first[:, None])
    shares, possible = np.zeros(shape), np.zeros(shape, dtype=bool)
    np.add.at(shares, places, p)
    possible[places] = True
    return Joint(first, shares, possible, certificate)
