"""What figures of people tell of every cell: each part exactly where that is cheap enough, else by chains."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...base.errors import TooLarge
from ...base.progress import Progress
from ...fiber.equations.sparse import rows_through
from ...fiber.exact.solved import Budget
from ...fiber.laws.support import Support
from ...release.release import Release
from ...sampler.chains.checkpoint import load, take_up
from ...sampler.chains.memory import refuse_what_does_not_fit
from ...sampler.chains.run import Run
from ...sampler.chains.settings import ChainSettings
from ...sampler.estimate import estimate_by
from ..parts.answered import Answered, BlockAnswer, open_questions
from ..parts.pmf import Pmf
from ..parts.sampled import pmf_of, short_of, time_for_chains
from .figures import Part, keyed_figures, parts_of
from .sweep import Law, swept
from .walking import mark_of, meets_all, runs_of, unit_of

EXACT = Certificate("exact", "sums over all tables, cell by cell")


def by_keyed_figures(
    release: Release,
    support: Support,
    picked: Any,
    method: str,
    budget: Budget,
    settings: ChainSettings,
    progress: Progress | None,
) -> Answered:
    """The laws of all questions, part by part; the support may know what follows from the figures of the release."""
    keyed = keyed_figures(release)
    assert keyed is not None
    low, high = _bounds(support)
    columns = open_questions(support, picked)
    parts: list[list[Pmf]] = [[] for _ in range(picked.shape[0])]
    answers: list[BlockAnswer] = []
    left: list[Part] = []
    for part in parts_of(release, keyed, low, high):
        if progress is not None:
            progress(f"figures of {len(part.cells):,} cells")
        asked, rows = rows_through(columns, part.cells)
        try:
            if method == "chains":
                raise TooLarge("chains are asked for.")
            answer = _exactly(part, support, sp.csr_array(rows), budget)
        except TooLarge:
            if method == "exact":
                raise
            left.append(part)
            continue
        answers.append(answer)
        for question, pmf in zip(asked, answer.pmfs, strict=True):
            parts[question].append(pmf)
    if not left:
        return Answered(parts, answers)
    units = [unit_of(part, support, columns) for part in left]
    refuse_what_does_not_fit(units, settings)
    mark = mark_of(units, settings)
    state = load(settings.checkpoint, mark)
    run = Run(runs_of(units, support, settings), settings, mark, possible=meets_all)
    take_up(run, state, settings.checkpoint)
    sampled = estimate_by(
        run,
        support.release,
        np.zeros(picked.shape[0]),
        max_seconds=time_for_chains(),
        progress=progress,
        short=lambda estimated: short_of(estimated, parts, settings.tolerance),
    )
    for question, of_units in enumerate(sampled.parts):
        pmfs = (pmf_of(sampled.units[number].marginal(unit_question)) for number, unit_question in of_units)
        parts[question] = [*parts[question], *pmfs]
    answers += [BlockAnswer((), None, estimated.unit.certificate) for estimated in sampled.units]
    return Answered(parts, answers, sampled.certificate.evidence, sampled.stopped)


def _bounds(support: Support) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of all cells, as the facts imply them."""
    solved, n = support.solved, support.release.n_cells
    low, high = solved.start.copy(), solved.start.copy()
    for block in solved.blocks:
        low[block.columns], high[block.columns] = block.lower, block.upper
    return low[:n].astype(np.int64), high[:n].astype(np.int64)


def _exactly(part: Part, support: Support, questions: Any, budget: Budget) -> BlockAnswer:
    """The laws of the questions about a part, and how many tables it has."""
    weights = []
    for cell, low, high in zip(part.cells.tolist(), part.low.tolist(), part.high.tolist(), strict=True):
        own = support.weigh.relative(cell, low, high)
        weights.append(np.zeros(high - low + 1) if own is None else own)
    single = np.diff(questions.indptr) == 1
    single[single] = questions.data[questions.indptr[:-1][single]] == 1
    found = swept(part, weights, questions[np.flatnonzero(~single)], budget)
    laws: list[Law] = []
    sums = iter(found.sums)
    for row in range(questions.shape[0]):
        laws.append(found.cells[questions.indices[questions.indptr[row]]] if single[row] else next(sums))
    return BlockAnswer(tuple(Pmf.exact(law.first, law.p, law.possible) for law in laws), found.tables, EXACT)
