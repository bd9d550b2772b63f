"""believe(release, law): p(x|y) of every hidden cell and of every sum that is asked about.

Blocks are independent of each other. Each is solved exactly where that is possible, and sampled by chains where it is not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..base.certificate import ALL_DECIDED, Certificate
from ..base.errors import TimeUp, TooLarge
from ..base.interruption import INTERRUPTED, TIME_UP, plain_interrupts
from ..base.progress import Progress
from ..base.saved_forms import saved
from ..fiber.blocks.known_sums import known_sums
from ..fiber.blocks.presolve import Block
from ..fiber.equations.sparse import rows_through
from ..fiber.exact.solved import MOST_OPERATIONS, Budget, Solved
from ..fiber.laws.law import Law
from ..fiber.laws.support import Support
from ..fiber.laws.support import support as support_of
from ..fiber.laws.unknown_law import on_paper
from ..release.release import Release, as_release
from ..sampler.chains.settings import TOLERANCE, ChainSettings
from .keyed_figures.figures import keyed_figures
from .keyed_figures.same_people import with_somebody
from .parts.answered import Answered, BlockAnswer
from .parts.exact_block import solve_blocks, time_for_exact
from .parts.line_block import solve_line
from .parts.pmf import Pmf
from .parts.sums import added
from .paths.paths import hidden_paths

if TYPE_CHECKING:
    from .parts.sampled import Sampled
    from .paths.hidden_path import PathBelief

METHODS = ("auto", "exact", "chains")
QUICK = Budget(operations=4_000_000_000, bytes=1_000_000_000, foreseen=True)
"""What exact solving of any block may cost where chains can take over: about two seconds."""
CHAINS_TAKE = 15_000_000
"""Operations for each cell of a block until its entropies are known to TOLERANCE: some milliseconds in most releases of the
contest *time to answer* (bench/waiting). What is foreseen to take longer is left to chains."""


def budget_for(
    method: str, limit: int | None = None, memory: int | None = None, tolerance: float = TOLERANCE
) -> Budget:
    """What exact solving of a block may cost, in operations and bytes; what is left out is as usual with the method.

    With the method "auto" this is as much as chains are foreseen to cost, whose draws grow with 1 / tolerance^2.
    """
    usual = Budget()
    if method == "auto":
        usual = replace(QUICK, a_cell=int(min(CHAINS_TAKE * min(TOLERANCE / tolerance, 1e3) ** 2, MOST_OPERATIONS)))
    if limit is not None:
        return Budget.given(limit, usual.bytes if memory is None else memory)
    return usual if memory is None else replace(usual, bytes=Budget.given(usual.operations, memory).bytes)


@saved("Belief")
@dataclass(frozen=True, eq=False)
class Belief:
    """What an intruder with a law (a prior) believes of a release: the posterior."""

    release: Release
    law: Law
    keys: np.ndarray
    pmfs: tuple[Pmf, ...]
    tables: int | None
    certificate: Certificate
    stopped: str = ""
    """Why chains were stopped before they were done; empty if they were not."""
    path: PathBelief | None = None
    """What is believed of the steps that led to the published table, where these are hidden."""

    @property
    def method(self) -> str:
        """ "exact", or "chains" if any block was sampled."""
        return "exact" if self.certificate.word == "exact" else "chains"

    @property
    def converged(self) -> bool:
        """Did every sampled distribution pass the stop rule?"""
        return all(pmf.converged for pmf in self.pmfs)

    def _saved_form_(self) -> Belief:
        return replace(self, law=on_paper(self.law, self.release))


Answers = dict[str, BlockAnswer]
"""What is known already of blocks, by their fingerprint: for a release of which a part is asked about again."""


def believe(
    release: Release,
    law: Any = "uniform",
    *,
    hidden_margins: Iterable[Any] = (),
    method: str = "auto",
    budget: Budget | None = None,
    settings: ChainSettings | None = None,
    known: Answers | None = None,
    progress: Progress | None = None,
) -> Belief:
    """p(x|y), the posterior law, of every hidden cell and of the sums that are asked about.

    With the method "auto" a block is sampled if it cannot be solved within the budget, with "chains" in any case. A sum
    over several blocks is the convolution of its parts. What is found of each block is put into `known`, and blocks that
    are in it already are not solved again.
    """
    settings, known = settings or ChainSettings(), {} if known is None else known
    budget = budget or budget_for(method, tolerance=settings.tolerance)
    paths, keyed = hidden_paths(as_release(release)), keyed_figures(release)
    support = support_of(with_somebody(release), law)
    if method != "exact" and support.solved.blocks and keyed is None:
        from ..sampler.compiled_ahead import compile_ahead

        compile_ahead(support)
    keys, picked, own = release.listed(hidden_margins)
    picked, fixed = _open_part(support, picked, len(release.hidden))
    if paths is not None:
        from .paths.hidden_path import by_paths

        answered = by_paths(paths, support, picked, method, budget, settings, progress)
    elif keyed is not None:
        from .keyed_figures.believed import by_keyed_figures

        answered = by_keyed_figures(release, support, picked, method, budget, settings, progress)
    else:
        answered = _by_blocks(support, picked, method, budget, settings, known, progress)
    parts, answers, evidence, stopped = answered.parts, answered.answers, answered.evidence, answered.stopped
    pmfs = [added(int(value), question_parts) for value, question_parts in zip(fixed, parts, strict=True)]
    # hidden paths and draws of people may rule out what the facts allow: their bounds then hold, but need not be attained
    attained = paths is None and keyed is None
    pmfs, unbounded = _between_bounds(pmfs, support, picked, settings, attained, progress)
    return Belief(
        release=release,
        law=support.law,
        keys=keys,
        pmfs=tuple(pmf.shifted(int(mine)) for pmf, mine in zip(pmfs, own, strict=True)),
        tables=_product([answer.tables for answer in answers]),
        certificate=replace(
            _certificate(answers, evidence), likelihood=release.likelihood, caveats=_caveats(support.law, release)
        ),
        stopped=stopped or unbounded,
        path=answered.path,
    )


def _caveats(law: Law, release: Release) -> tuple[str, ...]:
    """What a law says of itself on a release."""
    caveats: tuple[str, ...] = law.caveats(release) if hasattr(law, "caveats") else ()
    return caveats


def _by_blocks(
    support: Support,
    picked: Any,
    method: str,
    budget: Budget,
    settings: ChainSettings,
    known: Answers,
    progress: Progress | None,
) -> Answered:
    """The laws of all questions, block by block."""
    blocks = support.solved.blocks
    by_column = sp.csc_array(picked)
    asked = [rows_through(by_column, block.columns) for block in blocks]
    marks = [_fingerprint(support, block, of_block) for block, (_, of_block) in zip(blocks, asked, strict=True)]
    if method != "chains":
        new = [number for number, mark in enumerate(marks) if mark not in known]
        questions = [(blocks[number], asked[number][1]) for number in new]
        for number, answer in zip(new, _exactly(support, questions, method, budget, settings, progress), strict=True):
            if answer is not None:
                known[marks[number]] = answer
    parts: list[list[Pmf]] = [[] for _ in range(picked.shape[0])]
    answers: list[BlockAnswer] = []
    open_blocks: list[tuple[str, Block, np.ndarray]] = []
    for block, mark, (wanted, _) in zip(blocks, marks, asked, strict=True):
        if mark in known:
            answers.append(known[mark])
            for row, pmf in zip(wanted, known[mark].pmfs, strict=True):
                parts[row].append(pmf)
        else:
            open_blocks.append((mark, block, wanted))
    evidence: tuple[str, ...] = ()
    stopped = ""
    if open_blocks:
        from .parts.sampled import sample_blocks

        open_support = support.only(block for _, block, _ in open_blocks)
        sampled = sample_blocks(open_support, picked, parts, settings, progress)
        for row, block_pmfs in enumerate(sampled.parts):
            parts[row].extend(pmf for _, pmf in block_pmfs)
        answers += _remember(known, open_blocks, sampled)
        evidence, stopped = sampled.certificate.evidence, sampled.stopped
    return Answered(parts, answers, evidence, stopped)


def _open_part(support: Support, questions: Any, cells: int) -> tuple[Any, np.ndarray]:
    """What of each question is open, and what the facts decide of it. The first questions are cells, the others sums.

    Of a sum that has one possible value nothing is open, though its cells may be.
    """
    solved = support.solved
    questions.resize(questions.shape[0], solved.fiber.n_columns)
    questions = sp.csr_array(questions, copy=True)
    fixed = questions @ np.where(solved.decided, solved.start, 0)
    if questions.shape[0] > cells:
        settled = np.zeros(questions.shape[0], dtype=bool)
        settled[cells:] = known_sums(support.narrowed, solved, questions[cells:])
        fixed[settled] = (questions @ solved.start)[settled]
        questions.data[np.repeat(settled, np.diff(questions.indptr))] = 0
        questions.eliminate_zeros()
    return questions, fixed


def _exactly(
    support: Support,
    asked: list[tuple[Block, Any]],
    method: str,
    budget: Budget,
    settings: ChainSettings,
    progress: Progress | None,
) -> Iterator[BlockAnswer | None]:
    """What is exactly known of blocks and questions about them; None of a block that is left to chains."""
    with time_for_exact(method):
        found = solve_blocks(
            asked,
            support.weigh,
            budget,
            all_or_none=method == "exact",
            executor=settings.executor,
            progress=progress,
        )
    for (block, questions), exact in zip(asked, found, strict=True):
        if isinstance(exact, Solved):
            laws = zip(exact.lower, exact.weights, exact.possible, strict=True)
            pmfs = tuple(Pmf.exact(int(first), p, possible) for first, p, possible in laws)
            yield BlockAnswer(pmfs, exact.tables, Certificate("exact", exact.method))
            continue
        along_line = solve_line(block, support.weigh, questions) if isinstance(exact, TooLarge) else None
        if along_line is None and method == "exact":
            raise exact
        yield along_line


def _remember(known: Answers, left: list[tuple[str, Block, np.ndarray]], sampled: Sampled) -> list[BlockAnswer]:
    """What chains found of each block; of all as one where they were drawn as one, which is not kept for later."""
    if sampled.as_one:
        return [BlockAnswer((), None, sampled.certificate)]
    answers = []
    for number, (mark, _, wanted) in enumerate(left):
        pmfs = tuple(next(pmf for block, pmf in sampled.parts[row] if block == number) for row in wanted)
        known[mark] = BlockAnswer(pmfs, None, sampled.certificates[number])
        answers.append(known[mark])
    return answers


def _between_bounds(
    pmfs: list[Pmf],
    support: Support,
    questions: Any,
    settings: ChainSettings,
    attained: bool,
    progress: Progress | None,
) -> tuple[list[Pmf], str]:
    """Sampled laws within the bounds that their cells and sums have; exact ones show their own.

    Where Ctrl-C or the end of the time stops the search, they have the bounds that presolve implies, and the result says so.
    """
    sampled = [k for k, pmf in enumerate(pmfs) if pmf.method == "chains"]
    if not sampled:
        return pmfs, ""
    from .parts.sampled import LISTED, LISTED_IN_ALL, implied_ranges, ranges, within

    rows, stopped = sp.csr_array(questions[sampled]), ""
    try:
        with plain_interrupts():
            bounds = ranges(support, rows, progress, settings.executor)
    except (KeyboardInterrupt, TimeUp) as problem:
        stopped = TIME_UP if isinstance(problem, TimeUp) else INTERRUPTED
        bounds = implied_ranges(support, rows)
    bounded, listed = list(pmfs), int(np.clip(LISTED_IN_ALL // len(sampled), 64, LISTED))
    for place, k in enumerate(sampled):
        low, high, excluded = int(bounds.lower[place]), int(bounds.upper[place]), None
        columns = rows.indices[rows.indptr[place] : rows.indptr[place + 1]]
        if len(columns) == 1 and support.gaps[columns[0]]:
            weights = support.weigh(int(columns[0]), low, high)
            excluded = None if weights is None else np.isneginf(weights)
        pmf = within(pmfs[k], low, high, attained and bool(bounds.sharp[place]), excluded, listed)
        bounded[k] = replace(pmf, converged=pmf.converged and 3 * pmf.entropy_error < settings.tolerance)
    return bounded, stopped


def _certificate(answers: list[BlockAnswer], evidence: tuple[str, ...]) -> Certificate:
    """The weakest of the blocks', with what the chains showed."""
    if not answers:
        return ALL_DECIDED
    sampled = [answer.certificate for answer in answers if answer.certificate.word != "exact"]
    exact = [answer.certificate.reason for answer in answers if answer.certificate.word == "exact"]
    how = f", by {' and '.join(sorted(set(exact)))}" if exact else ""
    if not sampled:
        n = len(answers)
        tables = "every table" if n == 1 else f"every table of each of {n} independent blocks"
        return Certificate("exact", f"{tables} was counted{how}")
    weakest = Certificate.together(sampled)
    shown = [*weakest.evidence]
    if exact:
        shown.append(f"{len(exact)} of {len(answers)} independent blocks were solved exactly{how}")
    return replace(weakest, evidence=tuple(dict.fromkeys([*shown, *evidence])))


def _product(counts: list[int | None]) -> int | None:
    total = 1
    for count in counts:
        if count is None:
            return None
        total *= count
    return total


def _fingerprint(support: Support, block: Block, questions: Any) -> str:
    """A name for a block, its weights and what is asked of it."""
    weigh = support.weigh
    arrays = [block.columns, block.A.indptr, block.A.indices, block.A.data, block.b, block.lower, block.upper]
    arrays += [questions.indptr, questions.indices, questions.data]
    arrays += weigh.signature(block.columns, block.lower, block.upper)
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes() + b"|")
    return digest.hexdigest()
