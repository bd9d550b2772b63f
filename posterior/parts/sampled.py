"""Blocks too large to be solved: the law of every question about them, by chains, with its bounds and its error."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.certificate import Certificate
from ...base.interruption import time_check, time_left, time_limit
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
"""Of all time there is; the rest is for bounds, which come last."""
ONE_VALUE = Certificate("exact", "its bounds leave one value")
MANY_COLUMNS = 1000
"""With more open cells than this no integer programs are solved for bounds, which could take hours."""


def time_for_exact(method: str) -> AbstractContextManager[None]:
    """Where chains can take over, half of the time is left to them."""
    left = time_left()
    return time_limit(None if left is None or method == "exact" else left / 2)


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
    inside: Support,
    questions: Any,
    others: Sequence[Sequence[Pmf]],
    settings: ChainSettings,
    progress: Progress | None,
) -> Sampled:
    """Run chains on all blocks of a support until the stop rule is passed, by what is put together from them too.

    `others` are for each question the laws of its parts in further blocks.
    """
    found = estimate(
        choose(inside, progress=progress),
        questions,
        settings,
        max_seconds=time_for_chains(),
        progress=progress,
        short=lambda found: short_of(found, others, settings.tolerance),
    )
    parts = tuple(_parts(found, question) for question in range(len(found.parts)))
    as_one = len(found.units) < len(inside.solved.blocks)
    certificates = tuple(one.unit.certificate for one in found.units)
    return Sampled(parts, as_one, certificates, found.certificate, found.stopped)


def _parts(found: Estimate, question: int) -> tuple[tuple[int, Pmf], ...]:
    return tuple((unit, pmf_of(found.units[unit].marginal(which))) for unit, which in found.parts[question])


def short_of(found: Estimate, others: Sequence[Sequence[Pmf]], tolerance: float) -> set[int]:
    """The blocks with the fewest effective draws for sums over several blocks whose entropy is not known well enough."""
    units: set[int] = set()
    for question, more in enumerate(others):
        here = len(found.parts[question])
        if not here or here + len(more) == 1:
            continue
        parts = _parts(found, question)
        total = added(0, [*more, *(pmf for _, pmf in parts)])
        if 3 * total.entropy_error >= tolerance:
            units.update(unit for unit, pmf in parts if pmf.ess <= 2 * total.ess)
    return units


def pmf_of(one: Marginal) -> Pmf:
    """A marginal as it was counted; its bounds are those of what came up."""
    seen = np.flatnonzero(one.p > 0)
    some = slice(int(seen[0]), int(seen[-1]) + 1)
    first, p = one.first + one.width * some.start, one.p[some]
    return Pmf(
        first,
        p,
        np.ones(len(p), dtype=bool),
        lower=first,
        upper=first + one.width * len(p) - 1,
        support=one.width * len(p),
        entropy=one.entropy,
        width=one.width,
        method="chains",
        certificate=one.certificate,
        ess=one.ess,
        rhat=one.rhat,
        entropy_error=one.entropy_error,
        mean_error=one.mean_error,
        p_error=one.p_error[some],
        converged=one.converged,
    )


@dataclass(frozen=True, eq=False)
class Ranges:
    """Between which values some questions lie, and whether both ends are known to be attained."""

    lower: np.ndarray
    upper: np.ndarray
    sharp: np.ndarray


def ranges(inside: Support, questions: Any, progress: Progress | None) -> Ranges:
    """The bounds of questions that chains answer, which chains alone would not show."""
    solved, check = inside.solved, time_check()

    def tell(line: str) -> None:
        check("bounds were looked for")
        if progress is not None:
            progress(line)

    n = questions.shape[0]
    lower, upper, sharp = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.ones(n, dtype=bool)
    exactly = sum(len(block.columns) for block in solved.blocks) <= MANY_COLUMNS
    single = np.diff(questions.indptr) == 1
    cells = questions.indices[questions.indptr[:-1][single]]
    if len(cells):
        found = cell_bounds(inside.narrowed, tell, exactly)
        lower[single], upper[single] = found.lower[cells], found.upper[cells]
        sharp[single] = (found.proof[cells] != OUTER).all(axis=1)
    if not single.all():
        found = sharp_bounds(solved, questions[np.flatnonzero(~single)], tell, exactly)
        lower[~single], upper[~single] = found.lower, found.upper
        sharp[~single] = (found.proof != OUTER).all(axis=1)
    if inside.gaps.any():
        # Excluded values in between may keep a bound from being attained.
        near = np.zeros(len(inside.gaps), dtype=bool)
        for block in solved.blocks:
            near[block.columns] = inside.gaps[block.columns].any()
        sharp &= questions @ near.astype(np.int64) == 0
    return Ranges(lower, upper, sharp)


def implied_ranges(inside: Support, questions: Any) -> Ranges:
    """Bounds that presolve implies and that may be wider than need be, at once."""
    solved = inside.solved
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
    p, error = np.zeros(upper - lower + 1), np.full(upper - lower + 1, 1 / max(pmf.ess, 1.0))
    here = slice(pmf.first - lower, pmf.first - lower + len(pmf.p))
    p[here], error[here] = pmf.p, _errors(pmf)
    possible = np.ones(len(p), dtype=bool) if excluded is None else ~excluded
    return replace(ends, first=lower, p=p, possible=possible, p_error=np.where(possible, error, 0.0))


def _inside(pmf: Pmf) -> Pmf:
    """A law without bins beyond its bounds: what a sum of bins has there belongs to the last ones within them."""
    first, last = (pmf.lower - pmf.first) // pmf.width, (pmf.upper - pmf.first) // pmf.width
    if first <= 0 and last >= len(pmf.p) - 1:
        return pmf
    first, last = max(first, 0), min(last, len(pmf.p) - 1)
    p = pmf.p[first : last + 1].copy()
    p[0] += pmf.p[:first].sum()
    p[-1] += pmf.p[last + 1 :].sum()
    here = slice(first, last + 1)
    return replace(
        pmf, first=pmf.first + first * pmf.width, p=p, possible=pmf.possible[here], p_error=_errors(pmf)[here]
    )


def _errors(pmf: Pmf) -> np.ndarray:
    return np.zeros(len(pmf.p)) if pmf.p_error is None else pmf.p_error
