"""Blocks too large to be solved: the law of every question about them, by chains, with its bounds and its error."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.certificate import Certificate
from ...base.interruption import check_time, time_left
from ...base.progress import Progress
from ...fiber.bounds.chooser import cell_bounds, sharp_bounds
from ...fiber.laws.support import Support
from ...fiber.solvers.linear_program import OUTER
from ...moves.chooser import choose
from ...sampler.chains.settings import ChainSettings
from ...sampler.estimate import Estimate, Marginal, estimate
from .pmf import Pmf
from .sums import added

LISTED, LISTED_IN_ALL = 4096, 4_000_000
"""Up to so many values of a cell, and about so many of all, are listed also where no chain came by them."""
FOR_CHAINS = 0.9
"""The share of the time that chains may take; the rest is for bounds, which come last."""
ONE_VALUE = Certificate("exact", "its bounds leave one value")
MANY_COLUMNS = 1000
"""With more open cells than this no integer programs are solved for bounds, which could take hours."""


def time_for_chains() -> float | None:
    """Seconds that they may take of those that are left; None where there is no limit."""
    left = time_left()
    return None if left is None else FOR_CHAINS * left


@dataclass(frozen=True, eq=False)
class Sampled:
    """What chains found: for each question the laws of its parts, one for each block it concerns."""

    parts: tuple[tuple[tuple[int, Pmf], ...], ...]
    """Each with the number of its block."""
    as_one: bool
    """Were all blocks drawn as one?"""
    certificates: tuple[Certificate, ...]
    """Of each block."""
    certificate: Certificate
    stopped: str


def sample_blocks(
    support: Support,
    questions: Any,
    others: Sequence[Sequence[Pmf]],
    settings: ChainSettings,
    progress: Progress | None,
) -> Sampled:
    """Run chains on all blocks of a support until the stop rule is passed, also by sums over several of them.

    `others` are for each question the laws of its parts in further blocks.
    """
    estimated = estimate(
        choose(support, progress=progress),
        questions,
        settings,
        max_seconds=time_for_chains(),
        progress=progress,
        short=lambda now: short_of(now, others, settings.tolerance),
    )
    parts = tuple(_parts(estimated, question) for question in range(len(estimated.parts)))
    as_one = len(estimated.units) < len(support.solved.blocks)
    certificates = tuple(unit_estimate.unit.certificate for unit_estimate in estimated.units)
    return Sampled(parts, as_one, certificates, estimated.certificate, estimated.stopped)


def _parts(estimated: Estimate, question: int) -> tuple[tuple[int, Pmf], ...]:
    return tuple(
        (number, pmf_of(estimated.units[number].marginal(unit_question)))
        for number, unit_question in estimated.parts[question]
    )


def short_of(estimated: Estimate, others: Sequence[Sequence[Pmf]], tolerance: float) -> set[int]:
    """The units that must go on: of sums over several blocks whose entropy is not known well enough, those with the fewest
    effective draws."""
    short: set[int] = set()
    for question, other_parts in enumerate(others):
        n_parts = len(estimated.parts[question])
        if not n_parts or n_parts + len(other_parts) == 1:
            continue
        parts = _parts(estimated, question)
        total = added(0, [*other_parts, *(pmf for _, pmf in parts)])
        if 3 * total.entropy_error >= tolerance:
            short.update(number for number, pmf in parts if pmf.ess <= 2 * total.ess)
    return short


def pmf_of(marginal: Marginal) -> Pmf:
    """A marginal as it was counted; its bounds are those of what came up."""
    seen = np.flatnonzero(marginal.p > 0)
    span = slice(int(seen[0]), int(seen[-1]) + 1)
    first, p = marginal.first + marginal.width * span.start, marginal.p[span]
    return Pmf(
        first,
        p,
        np.ones(len(p), dtype=bool),
        lower=first,
        upper=first + marginal.width * len(p) - 1,
        support=marginal.width * len(p),
        entropy=marginal.entropy,
        width=marginal.width,
        method="chains",
        certificate=marginal.certificate,
        ess=marginal.ess,
        rhat=marginal.rhat,
        entropy_error=marginal.entropy_error,
        mean_error=marginal.mean_error,
        p_error=marginal.p_error[span],
        up_to_error=marginal.up_to_error[span],
        converged=marginal.converged,
    )


@dataclass(frozen=True, eq=False)
class Ranges:
    """Between which values some questions lie, and whether both ends are known to be attained."""

    lower: np.ndarray
    upper: np.ndarray
    sharp: np.ndarray


def ranges(support: Support, questions: Any, progress: Progress | None, executor: Executor | None = None) -> Ranges:
    """The bounds of questions that chains answer, which chains alone would not show."""
    solved = support.solved

    def tell(line: str) -> None:
        check_time("bounds were looked for")
        if progress is not None:
            progress(line)

    n = questions.shape[0]
    lower, upper, sharp = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.ones(n, dtype=bool)
    exactly = sum(len(block.columns) for block in solved.blocks) <= MANY_COLUMNS
    single = np.diff(questions.indptr) == 1
    cells = questions.indices[questions.indptr[:-1][single]]
    if len(cells):
        bounds = cell_bounds(support.narrowed, tell, exactly, executor, solved)
        lower[single], upper[single] = bounds.lower[cells], bounds.upper[cells]
        sharp[single] = (bounds.proof[cells] != OUTER).all(axis=1)
    if not single.all():
        bounds = sharp_bounds(solved, questions[np.flatnonzero(~single)], tell, exactly, executor)
        lower[~single], upper[~single] = bounds.lower, bounds.upper
        sharp[~single] = (bounds.proof != OUTER).all(axis=1)
    if support.gaps.any():
        # Excluded values in between may keep a bound from being attained.
        near = np.zeros(len(support.gaps), dtype=bool)
        for block in solved.blocks:
            near[block.columns] = support.gaps[block.columns].any()
        sharp &= questions @ near.astype(np.int64) == 0
    return Ranges(lower, upper, sharp)


def implied_ranges(support: Support, questions: Any) -> Ranges:
    """The bounds that presolve implies, at once; they may be wider than need be."""
    solved = support.solved
    low, high = solved.start.copy(), solved.start.copy()
    for block in solved.blocks:
        low[block.columns], high[block.columns] = block.lower, block.upper
    plus, minus = questions.maximum(0), questions.minimum(0)
    lower, upper = plus @ low + minus @ high, plus @ high + minus @ low
    return Ranges(lower, upper, lower == upper)


def within(pmf: Pmf, lower: int, upper: int, sharp: bool, excluded: np.ndarray | None, listed: int = LISTED) -> Pmf:
    """A sampled law between its bounds; `excluded` are values that have no probability, counted from `lower` on.

    Up to `listed` values all are listed, beyond that those between the least and the greatest that came up.
    """
    support = upper - lower + 1 - (0 if excluded is None else int(excluded.sum()))
    if support == 1:
        value = lower if excluded is None else lower + int(np.flatnonzero(~excluded)[0])
        return Pmf.exact(value, np.ones(1), np.ones(1, dtype=bool), ONE_VALUE)
    ends = replace(
        pmf, lower=lower, upper=upper, support=support, sharp=sharp, entropy=min(pmf.entropy, float(np.log2(support)))
    )
    if pmf.width > 1 or upper - lower + 1 > listed:
        return _inside(ends)
    p, (error, up_to_error) = np.zeros(upper - lower + 1), np.full((2, upper - lower + 1), 1 / max(pmf.ess, 1.0))
    window = slice(pmf.first - lower, pmf.first - lower + len(pmf.p))
    p[window], error[window], up_to_error[window] = pmf.p, pmf.every_error, pmf.every_error_up_to
    possible = np.ones(len(p), dtype=bool) if excluded is None else ~excluded
    error = np.where(possible, error, 0.0)
    return replace(ends, first=lower, p=p, possible=possible, p_error=error, up_to_error=up_to_error)


def _inside(pmf: Pmf) -> Pmf:
    """A law without bins beyond its bounds: what a sum of bins has there belongs to the last ones within them."""
    first, last = (pmf.lower - pmf.first) // pmf.width, (pmf.upper - pmf.first) // pmf.width
    if first <= 0 and last >= len(pmf.p) - 1:
        return pmf
    first, last = max(first, 0), min(last, len(pmf.p) - 1)
    p = pmf.p[first : last + 1].copy()
    p[0] += pmf.p[:first].sum()
    p[-1] += pmf.p[last + 1 :].sum()
    window = slice(first, last + 1)
    return replace(
        pmf,
        first=pmf.first + first * pmf.width,
        p=p,
        possible=pmf.possible[window],
        p_error=pmf.every_error[window],
        up_to_error=pmf.every_error_up_to[window],
    )
