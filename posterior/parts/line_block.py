"""One block whose tables lie on a line, however many there are: the law of every question about it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.certificate import Certificate
from ...fiber.blocks.presolve import Block
from ...fiber.exact.one_line import LEFT_OUT, LineLaw, law_on, line_of
from ...fiber.laws.law import Poisson, alike
from ...fiber.laws.support import WithEvidence
from .answered import BlockAnswer
from .pmf import Pmf

LISTED_IN_ALL, LISTED = 4_000_000, 1 << 20
"""Probabilities of all questions together, and of one, that are kept."""
SUMMED = Certificate("exact", f"a sum along one line of tables that leaves out less than {2 * LEFT_OUT:.0e}, proven")


def solve_line(block: Block, weigh: WithEvidence, questions: Any) -> BlockAnswer | None:
    """The exact law of the questions about a block, if its tables lie on a line and its law has a formula; else None."""
    law, columns = weigh.law, block.columns
    if not (law is alike or isinstance(law, Poisson)):
        return None
    if any(not weigh.excludes_nothing(column) or weigh.takes_out(column) for column in columns.tolist()):
        return None
    line = line_of(block)
    if line is None:
        return None
    along = questions @ line.step
    if (np.abs(along) != 1).any():  # sums that leave out values
        return None
    counted = columns < weigh.n_cells if isinstance(law, Poisson) else np.zeros(len(columns), dtype=bool)
    means = law.means[columns[counted]] if isinstance(law, Poisson) else np.ones(0)
    most = int(np.clip(LISTED_IN_ALL // max(1, len(along)), 256, LISTED))
    line_law = law_on(line, means, counted, most)
    begin = questions @ line.start
    ends = (
        (int(intercept) + int(slope) * line.first, int(intercept) + int(slope) * line.last)
        for slope, intercept in zip(along, begin, strict=True)
    )
    pmfs = tuple(
        _pmf(line_law, int(slope), int(intercept), *sorted(ends_of))
        for slope, intercept, ends_of in zip(along, begin, ends, strict=True)
    )
    return BlockAnswer(pmfs, line.tables, SUMMED)


def _pmf(law: LineLaw, along: int, begin: int, lower: int, upper: int) -> Pmf:
    """The law of begin + along * t, where along is 1 or -1."""
    last = law.first + law.width * len(law.p) - 1
    first, p = (begin + law.first, law.p) if along > 0 else (begin - last, law.p[::-1])
    return Pmf(
        first,
        p,
        np.ones(len(p), dtype=bool),
        lower=lower,
        upper=upper,
        support=upper - lower + 1,
        entropy=law.bits,
        width=law.width,
        certificate=SUMMED,
    )
