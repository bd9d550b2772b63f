"""Joint probabilities of a few cells or sums.

The values x, y, z of some questions make one number, x + m y + m n z, with one digit for each: its law, which is asked of a
block like that of any other sum, is their joint law. Blocks are independent, so that their parts of the questions add up
independently of each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.certificate import WORDS, Certificate
from ..base.errors import InputError, TimeUp, TooLarge
from ..fiber.blocks.presolve import Block
from ..fiber.equations.sparse import rows_through
from ..fiber.exact.solved import Budget
from ..fiber.laws.support import Support, support
from ..moves.chooser import choose
from ..release.release import Release
from ..sampler.chains.diagnostics import effective_draws
from .parts.exact_block import solve_block
from .parts.sampled import Chains, time_for_exact
from .paths.hidden_path import EXACT_PATHS, weighed_tables
from .paths.path_draws import draw_first_tables
from .paths.path_groups import path_groups
from .paths.path_unit import REDRAWN
from .paths.paths import HiddenPaths, hidden_paths

Progress = Callable[[str], None]
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
        small, large = sorted((self, other), key=lambda one: int(one.possible.sum()))
        shape = tuple(a + b - 1 for a, b in zip(small.p.shape, large.p.shape, strict=True))
        _refuse_many(shape)
        places = np.argwhere(small.possible)
        if len(places) * large.p.size > MOST_PRODUCTS:
            raise TooLarge("these sums have too many values together; ask about fewer at once.")
        p, possible = np.zeros(shape), np.zeros(shape, dtype=bool)
        for place in map(tuple, places):
            here = tuple(slice(a, a + n) for a, n in zip(place, large.p.shape, strict=True))
            p[here] += small.p[place] * large.p
            possible[here] |= large.possible
        weakest = max((other.certificate, self.certificate), key=lambda one: WORDS.index(one.word))
        ess, converged = min(self.ess, other.ess), self.converged and other.converged
        return Joint(self.first + other.first, p, possible, weakest, ess, converged)


def joint_law(
    release: Release,
    law: Any,
    rows: Any,
    *,
    method: str = "auto",
    budget: Budget | None = None,
    chains: Chains | None = None,
    progress: Progress | None = None,
) -> Joint:
    """The joint law of some questions, given as sparse rows over the cells of a release."""
    paths = hidden_paths(release)
    inside = support(release, law)
    solved = inside.solved
    rows = sp.csr_array(rows)
    rows.resize(rows.shape[0], solved.fiber.n_columns)
    by_column = sp.csc_array(rows)
    k = rows.shape[0]
    point = (1,) * k
    known = Certificate("exact", "the published figures decide every cell")
    fixed = rows @ np.where(solved.decided, solved.start, 0)
    whole = Joint(fixed, np.ones(point), np.ones(point, dtype=bool), known)
    if paths is not None:
        return _of_paths(paths, inside, law, rows, whole, method, budget or Budget(), chains or Chains(), progress)
    left = []
    for block in solved.blocks:
        wanted, part = rows_through(by_column, block.columns)
        if not len(wanted):
            continue
        within = _spread(part, wanted, k)
        low, high = _ends(block, within)
        _refuse_many(tuple((high - low + 1).tolist()))
        try:
            if method == "chains":
                raise TooLarge("")
            with time_for_exact(method):
                whole = whole.plus(_exactly(block, inside, within, budget, progress))
        except (TooLarge, TimeUp):
            if method == "exact":
                raise
            left.append((block, wanted))
    for one in _sampled(release, law, inside, rows, left, chains or Chains(), progress):
        whole = whole.plus(one)
    return whole


def _spread(part: Any, wanted: np.ndarray, k: int) -> Any:
    """What a block says of all k questions: an empty row for those that do not concern it."""
    place = sp.csr_array((np.ones(len(wanted), np.int64), (wanted, np.arange(len(wanted)))), shape=(k, len(wanted)))
    return sp.csr_array(place @ part)


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


def _exactly(block: Block, inside: Support, questions: Any, budget: Budget | None, progress: Progress | None) -> Joint:
    """The law of the number whose digits are the questions' values, taken apart again."""
    low, high = _ends(block, questions)
    shape = tuple((high - low + 1).tolist())
    worth = np.cumprod([1, *shape[:0:-1]])[::-1]  # of a unit of each digit, the last one varying fastest
    number = sp.csr_array((worth @ questions)[None, :]) if questions.shape[1] else questions
    solved = solve_block(block, inside.weigh, number, budget, progress=progress)
    values = solved.lower[0] + np.arange(len(solved.weights[0]))
    if number.nnz == 1:  # the law of that column, whatever it counts for
        values = values * number.data[0]
    places = values - int(worth @ low)
    p, possible = np.zeros(int(np.prod(shape))), np.zeros(int(np.prod(shape)), dtype=bool)
    p[places], possible[places] = solved.weights[0], solved.possible[0]
    exact = Certificate("exact", f"every table was counted, by {solved.method}")
    return Joint(low, p.reshape(shape), possible.reshape(shape), exact)


def _sampled(
    release: Release,
    law: Any,
    inside: Support,
    rows: Any,
    left: list[tuple[Block, np.ndarray]],
    chains: Chains,
    progress: Progress | None,
) -> list[Joint]:
    """The joint law of the questions in each block that was not solved, by how often combinations come up in chains."""
    if not left:
        return []
    part = replace(inside, solved=replace(inside.solved, blocks=tuple(block for block, _ in left)))
    parts: list[Any] = []
    groups: list[tuple[int, ...]] = []
    for block, wanted in left:
        here = np.zeros(rows.shape[1], dtype=np.int64)
        here[block.columns] = 1
        groups.append(tuple(range(len(parts), len(parts) + len(wanted))))
        parts += [sp.csr_array(rows[[row]].multiply(here)) for row in wanted]
    questions = sp.csr_array(sp.vstack(parts))
    questions.eliminate_zeros()
    moves = choose(release, law, inside=part, progress=progress)
    found = chains.estimate(moves, questions, joint=groups, progress=progress)
    laws, taken = [], [0] * len(found.units)
    for (_, wanted), group in zip(left, groups, strict=True):
        unit = found.parts[group[0]][0][0]
        one = found.units[unit]
        places = [found.parts[question][0][1] for question in group]
        shares = one.joint[taken[unit]]
        taken[unit] += 1
        shape, first = [1] * rows.shape[0], np.zeros(rows.shape[0], dtype=np.int64)
        for axis, row in enumerate(wanted):
            shape[row] = shares.shape[axis]
        first[wanted] = (one.unit.question_bounds()[0] + one.unit.question_offset())[places]
        p = shares.reshape(shape)
        ess = float(one.diagnosis.ess[places].min())
        laws.append(Joint(first, p, p > 0, found.certificate, ess, one.converged))
    return laws


def _of_paths(  # noqa: PLR0913  (what `joint_law` was asked, handed on)
    paths: HiddenPaths,
    inside: Support,
    law: Any,
    rows: Any,
    known: Joint,
    method: str,
    budget: Budget,
    chains: Chains,
    progress: Progress | None,
) -> Joint:
    """The joint law at the beginning of hidden paths: by every table where they are few, else by drawn ones."""
    whole, by_column = known, sp.csc_array(rows * ~inside.solved.decided)
    try:
        if method == "chains":
            raise TooLarge("chains are asked for.")
        for group in path_groups(paths, inside):
            wanted, part = rows_through(by_column, group.cells)
            if len(wanted):
                tables, p, _ = weighed_tables(paths, group, inside, budget)
                whole = whole.plus(_counted(_spread(part, wanted, rows.shape[0]) @ tables.T, p, EXACT_PATHS))
        return whole
    except TooLarge:
        if method == "exact":
            raise
    drawn, how = draw_first_tables(
        paths,
        law,
        draws=PATH_DRAWS,
        chains=chains.number,
        seed=chains.seed,
        executor=chains.executor,
        progress=progress,
    )
    values = rows[:, : drawn.shape[2]] @ drawn.reshape(-1, drawn.shape[2]).astype(np.int64).T
    found = _counted(values, np.full(values.shape[1], 1 / values.shape[1]), Certificate("connected", REDRAWN))
    each = values.T.reshape(chains.number, PATH_DRAWS, -1).astype(float)
    ess = effective_draws(each, each**2, 1, np.ptp(values, axis=1) > 0)
    return replace(found, ess=float(ess.min()), converged=how["converged"] == "yes")


def _counted(values: np.ndarray, p: np.ndarray, certificate: Certificate) -> Joint:
    """The joint law of questions that have some values in tables of some probability."""
    first = values.min(axis=1)
    shape = tuple((values.max(axis=1) - first + 1).tolist())
    _refuse_many(shape)
    places = tuple(values - first[:, None])
    shares, possible = np.zeros(shape), np.zeros(shape, dtype=bool)
    np.add.at(shares, places, p)
    possible[places] = True
    return Joint(first, shares, possible, certificate)
