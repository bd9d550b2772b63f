"""Blocks solved exactly: the law of every question about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError, TimeUp, TooLarge
from ...base.interruption import time_left, time_limit
from ...base.progress import Progress, one_at_a_time
from ...fiber.blocks.presolve import Block
from ...fiber.exact.chooser import LogWeights, solve_exactly
from ...fiber.exact.one_line import line_of
from ...fiber.exact.solved import Budget, Solved, refuse_wide
from ...fiber.exact.two_way_count import count_two_way
from ...fiber.laws.law import Weigh, relative_weights
from ...fiber.solvers.side_by_side import in_threads, side_by_side

SHORT = 9
"""Up to so many cells of a table, other methods count as quickly."""
WIDE = 1_000_000
"""Values of all columns of a block, from which on it is solved by itself, as its weights take memory."""
FEW = 1_000_000
"""Up to so many tables on a line, walking through them is as good."""


def time_for_exact(method: str) -> AbstractContextManager[Callable[[], None]]:
    """Where chains can take over, half of the time is left to them."""
    left = time_left()
    return time_limit(None if left is None or method == "exact" else left / 2)


def counted_directly(block: Block, budget: Budget) -> int | None:
    """How many tables a block has whose values all count, where that takes neither a walk nor an elimination."""
    tables = count_two_way(block, budget) if len(block.columns) > SHORT else None
    if tables is None and int((block.upper - block.lower).max()) > FEW:
        line = line_of(block)
        tables = None if line is None else line.tables
    return tables


class Task(NamedTuple):
    """What is to be solved of a block, and nothing that cannot be sent elsewhere."""

    block: Block
    log_weights: LogWeights
    sums: Any
    chosen: np.ndarray
    """The questions, as numbers of columns and then of sums."""
    budget: Budget | None
    count_only: bool = False


def solve_block(
    block: Block,
    weigh: Weigh,
    questions: Any,
    budget: Budget | None = None,
    *,
    count_only: bool = False,
    progress: Progress | None = None,
) -> Solved:
    """The exact law of the questions about a block, value by value: single columns, or sums of several."""
    return _checked(_solved(_task(block, weigh, questions, budget, count_only), progress))


def solve_blocks(
    asked: Sequence[tuple[Block, Any]],
    weigh: Weigh,
    budget: Budget,
    *,
    all_or_none: bool = False,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> list[Solved | TooLarge | TimeUp]:
    """Blocks and questions about them side by side; in place of a law, why there is none.

    Where it is all or none, the first block that is too large ends the others, unless its tables lie on one line.
    """
    here, tell = in_threads(executor), one_at_a_time(progress)

    def made(number: int) -> Task:
        block, questions = asked[number]
        if tell is not None:
            tell(f"block {number + 1} of {len(asked)}: {len(block.columns)} cells")
        return _task(block, weigh, questions, budget)

    def job(number: int) -> tuple[Block, Callable[[], Task]]:
        make = partial(made, number)
        return asked[number][0], make if here else partial(_unwrapped, _caught(make))

    solve = partial(_attempted, all_or_none=all_or_none, progress=tell if here else None)
    # weights of many values are listed block by block, and never of all blocks at once
    alone = {k for k, (block, _) in enumerate(asked) if len(block.columns) <= SHORT or _places(block) > WIDE}
    found = {number: solve(job(number)) for number in sorted(alone)}
    others = [number for number in range(len(asked)) if number not in alone]
    found |= dict(zip(others, side_by_side(solve, [job(number) for number in others], executor), strict=True))
    return [_checked(found[number]) for number in range(len(asked))]


def _places(block: Block) -> int:
    """How many values all columns of a block can take."""
    return int((block.upper - block.lower + 1).sum())


def _caught(make: Callable[[], Task]) -> Task | TooLarge | TimeUp:
    """A task that is solved elsewhere and can only be made here, or why it cannot be made."""
    try:
        return make()
    except (TooLarge, TimeUp) as problem:
        return problem


def _unwrapped(made: Task | TooLarge | TimeUp) -> Task:
    if isinstance(made, Exception):
        raise made
    return made


def _task(block: Block, weigh: Weigh, questions: Any, budget: Budget | None, count_only: bool = False) -> Task:
    refuse_wide(block.lower, block.upper)
    n, single = len(block.columns), np.diff(questions.indptr) == 1
    windows = zip(block.columns.tolist(), block.lower.tolist(), block.upper.tolist(), strict=True)
    weights = [relative_weights(weigh, *window) for window in windows]
    sums = sp.csr_array(questions[np.flatnonzero(~single)])
    chosen = np.empty(questions.shape[0], dtype=np.int64)
    chosen[single] = questions.indices[questions.indptr[:-1][single]]
    chosen[~single] = n + np.arange(sums.shape[0])
    return Task(block, weights, sums, chosen, None if budget is None else budget.of_block(n), count_only)


def _solved(task: Task, progress: Progress | None) -> Solved:
    solved = solve_exactly(
        task.block, task.log_weights, task.sums, task.budget, count_only=task.count_only, progress=progress
    )
    return Solved(
        solved.tables,
        solved.lower[task.chosen],
        tuple(solved.possible[j] for j in task.chosen),
        tuple(solved.weights[j] for j in task.chosen),
        solved.method,
    )


def _attempted(
    job: tuple[Block, Callable[[], Task]], all_or_none: bool, progress: Progress | None
) -> Solved | TooLarge | TimeUp:
    """The law, or why there is none: listing weights, too, may be too much."""
    block, make = job
    try:
        return _solved(make(), progress)
    except (TooLarge, TimeUp) as problem:
        if all_or_none and (isinstance(problem, TimeUp) or line_of(block) is None):
            raise
        return problem


Outcome = TypeVar("Outcome", bound=Solved | TooLarge | TimeUp)


def _checked(outcome: Outcome) -> Outcome:
    """Refuse a law that leaves nothing."""
    if isinstance(outcome, Solved) and outcome.tables == 0:
        raise InputError("the law and the evidence leave no possible table: every feasible one has probability zero.")
    return outcome
