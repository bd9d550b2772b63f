"""believe(release, law): the exact p(x|y) of every hidden cell and of every sum that is asked about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..fiber.certificate import Certificate
from ..fiber.exact import solve_exactly
from ..fiber.laws import Law, Uniform, Weigh, as_law
from ..fiber.presolve import Block, presolve
from ..fiber.solved import Budget, Solved, refuse_wide
from ..fiber.sparse import rows_through
from ..fiber.support import refuse_impossible, with_evidence
from ..release.errors import InputError, TooLarge
from ..release.release import Release, as_release
from .pmf import Pmf

Progress = Callable[[str], None]
MOST_PRODUCTS = 20_000_000_000
"""Products of probabilities that one convolution may take (some seconds)."""


@dataclass(frozen=True, eq=False)
class Belief:
    """What an intruder with a law believes of a release."""

    release: Release
    law: Law
    keys: np.ndarray
    pmfs: tuple[Pmf, ...]
    tables: int | None
    certificate: Certificate
    stopped: str = ""
    """Why chains were stopped before they were done; empty if they were not."""

    @property
    def method(self) -> str:
        """ "exact", or "chains" if any of the distributions was sampled."""
        return "chains" if any(one.method == "chains" for one in self.pmfs) else "exact"

    @property
    def converged(self) -> bool:
        """Did every sampled distribution pass the stop rule?"""
        return all(one.converged for one in self.pmfs)


def believe(
    release: Release,
    law: Any = "uniform",
    *,
    hidden_margins: Iterable[Any] = (),
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Belief:
    """The exact law of every hidden cell, and of the sums that are asked about.

    Blocks are solved one by one; a sum over several blocks is the convolution of its parts.
    """
    chosen = as_law(law)
    solved = presolve(as_release(release))
    keys, picked, own = release.listed(hidden_margins)
    weigh = with_evidence(chosen.on(release), solved)
    if not isinstance(chosen, Uniform) or release.evidence:
        refuse_impossible(release, solved, weigh)
    picked.resize(picked.shape[0], solved.fiber.n_columns)
    by_column = sp.csc_array(picked)
    parts: list[list[Pmf]] = [[] for _ in range(picked.shape[0])]
    tables = 1
    methods = set()
    for number, block in enumerate(solved.blocks, start=1):
        if progress is not None:
            progress(f"block {number} of {len(solved.blocks)}: {len(block.columns)} cells")
        wanted, inside = rows_through(by_column, block.columns)
        answer = solve_block(block, weigh, inside, budget, progress=progress)
        tables *= answer.tables
        methods.add(answer.method)
        for k, row in enumerate(wanted):
            parts[row].append(_pmf(answer, k))
    fixed = picked @ np.where(solved.decided, solved.start, 0)
    pmfs = [_convolved(int(value), part) for value, part in zip(fixed, parts, strict=True)]
    return Belief(
        release=release,
        law=chosen,
        keys=keys,
        pmfs=tuple(pmf.shifted(int(mine)) for pmf, mine in zip(pmfs, own, strict=True)),
        tables=tables,
        certificate=Certificate("exact", _reason(len(solved.blocks), methods)),
    )


def _reason(blocks: int, methods: set[str]) -> str:
    if blocks == 0:
        return "the published figures decide every cell"
    how = f", by {' and '.join(sorted(methods))}"
    whole = (
        "every table was counted" if blocks == 1 else f"every table of each of {blocks} independent blocks was counted"
    )
    return whole + how


def solve_block(
    block: Block,
    weigh: Weigh,
    questions: Any,
    budget: Budget | None = None,
    *,
    count_only: bool = False,
    progress: Progress | None = None,
) -> Solved:
    """The exact law of the questions about a block: single columns, or sums of several."""
    refuse_wide(block.lower, block.upper)
    n, extra = len(block.columns), questions.shape[0]
    single = np.diff(questions.indptr) == 1
    of_column = questions.indices[questions.indptr[:-1][single]]
    weights = [weigh(int(c), int(a), int(z)) for c, a, z in zip(block.columns, block.lower, block.upper, strict=True)]
    sums = sp.csr_array(questions[np.flatnonzero(~single)])
    solved = solve_exactly(block, weights, sums, budget, count_only=count_only, progress=progress)
    if solved.tables == 0:
        raise InputError("the law and the evidence leave no possible table: every feasible one has probability zero.")
    chosen = np.empty(extra, dtype=np.int64)
    chosen[single], chosen[~single] = of_column, n + np.arange(sums.shape[0])
    return Solved(
        solved.tables,
        solved.lower[chosen],
        tuple(solved.possible[j] for j in chosen),
        tuple(solved.weights[j] for j in chosen),
        solved.method,
    )


def _pmf(answer: Solved, k: int) -> Pmf:
    return Pmf.exact(int(answer.lower[k]), answer.weights[k], answer.possible[k])


def _convolved(fixed: int, parts: list[Pmf]) -> Pmf:
    """The law of a constant plus independent parts.

    Summed directly: a transform would be faster, but drowns small probabilities in its rounding error.
    """
    first, p, possible = fixed, np.ones(1), np.ones(1, dtype=bool)
    for part in sorted(parts, key=lambda one: len(one.p)):
        if len(p) * len(part.p) > MOST_PRODUCTS:
            raise TooLarge("a hidden margin has too many values to convolve; leave it out, or use a coarser unit.")
        possible = np.convolve(possible.astype(float), part.possible.astype(float)) > 0.5
        first, p = first + part.first, np.convolve(p, part.p)
    trimmed = np.flatnonzero(possible)
    whole = slice(trimmed[0], trimmed[-1] + 1)
    p = np.where(possible[whole], p[whole], 0)
    return Pmf.exact(first + int(trimmed[0]), p / p.sum(), possible[whole])
