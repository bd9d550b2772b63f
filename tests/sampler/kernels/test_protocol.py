"""The protocol for samplers: whatever the kernel, the law and the release, the draws follow the exact law of whole tables.

Small fibers are listed table by table. Draws that are well spaced are compared with the exact law by a chi-square test;
transition matrices are written down exactly and compared with single steps; tallies are compared with exact marginals.
Samplers that are wrong on purpose fail the same tests.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from support.effort import cases
from support.house.import_graph import sources
from support.kernels import RELEASES, Target, crediting, found, laws, targets
from support.naive import kernels as twins
from support.naive.wrong_kernels import CreditsWhenMoved, NeverRefused, OpenMovesOnly, PlainKernel, ShortRange
from support.places import ROOT
from support.protocol import LEAST_P, chi_square, p_value

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.moves.families.adaptive_lattice import AdaptiveLattice
from fiberwalk.moves.people.exchanges import Exchanges
from fiberwalk.moves.people.repair_steps import Replacements
from fiberwalk.moves.people.repairs import Repairs
from fiberwalk.posterior.belief import believe
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.unit import Unit
from fiberwalk.sampler.kernels.adaptive_lattice import AdaptiveKernel, walk_adaptive
from fiberwalk.sampler.kernels.balanced import BalancedKernel
from fiberwalk.sampler.kernels.exchanges import ExchangeKernel
from fiberwalk.sampler.kernels.independent.decomposable import DecomposableKernel
from fiberwalk.sampler.kernels.independent.two_way import TwoWayKernel
from fiberwalk.sampler.kernels.kernel import Kernel
from fiberwalk.sampler.kernels.ladder.kernel import Ladder
from fiberwalk.sampler.kernels.repairs import RepairKernel
from fiberwalk.sampler.kernels.row_pairs.kernel import RowPairKernel
from fiberwalk.sampler.kernels.schedule.kernel import ScheduleKernel
from fiberwalk.sampler.kernels.signed_list import ListedKernel
from fiberwalk.sampler.kernels.stocked_moves import MoveKernel
from fiberwalk.sampler.kernels.sub_tables import SubTableKernel
from fiberwalk.sampler.kernels.swaps.hit_and_run import SwapKernel
from fiberwalk.sampler.kernels.swaps.people import PersonSwapKernel
from fiberwalk.sampler.kernels.swaps.rounds import SwapRoundsKernel
from fiberwalk.sampler.lines.line import LONGEST
from fiberwalk.sampler.lines.weights import ALIKE, FACTORIAL, MIXED, POISSON
from fiberwalk.sampler.tallies.windows import shares

DRAWS = max(1500, cases(2000))


def laws_on(name: str) -> Iterator[tuple[str, fw.Release, object]]:
    yield from laws(RELEASES[name])


QUICK = {
    ("two-way", "uniform"),
    ("hierarchy", "hypergeometric"),
    ("decomposable", "hypergeometric"),
    ("own bounds", "expected"),
    ("linked", "listed with gaps"),
    ("rounded", "listed"),
}
"""Every kernel, every law and most kinds of releases; all combinations are slow."""
CASES = [
    pytest.param(name, law, marks=[] if (name, law) in QUICK else pytest.mark.slow)
    for name in RELEASES
    for law, _, _ in laws_on(name)
]


@pytest.mark.parametrize(("name", "law"), CASES)
def test_draws_follow_the_law_of_whole_tables(name: str, law: str) -> None:
    assert found(name, law)
    for target in found(name, law):
        p = p_value(target, 11, DRAWS)
        assert p > LEAST_P, f"{target.words}: p = {p}"


@pytest.mark.slow
@pytest.mark.parametrize("law", ["uniform", "hypergeometric"])
def test_draws_follow_the_law_of_many_tables(law: str) -> None:
    """Two-way tables by the quickest kernels, of which there are many more than above."""
    release = fw.publish([[3, 1, 4], [0, 5, 2], [2, 1, 3]], ["A", "B"])
    tried = set()
    for target in targets(release, law):
        kernel = type(target.unit.kernels[0])
        if (
            kernel in (SwapKernel, SwapRoundsKernel, TwoWayKernel, DecomposableKernel)
            or "a list of 15 moves" in target.words
        ):
            assert 500 < len(target.p) < 2000
            assert p_value(target, 12, 20_000) > LEAST_P, target.words
            tried.add(kernel)
    assert len(tried) > 1


def target_of(name: str, law: str, kernel: type[Kernel], words: str = "") -> Target:
    """The first target of that kind."""
    return next(one for one in found(name, law) if isinstance(one.unit.kernels[0], kernel) and words in one.words)


EVERY_LAW = (ALIKE, FACTORIAL, POISSON, MIXED)
OF_LAWS: dict[type[Kernel], tuple[int, ...]] = {
    **dict.fromkeys(
        (
            MoveKernel,
            SubTableKernel,
            ExchangeKernel,
            RepairKernel,
            AdaptiveKernel,
            RowPairKernel,
            ListedKernel,
            ScheduleKernel,
        ),
        EVERY_LAW,
    ),
    **dict.fromkeys((SwapKernel, SwapRoundsKernel, PersonSwapKernel), (ALIKE,)),
    BalancedKernel: (ALIKE, FACTORIAL, POISSON),
    **dict.fromkeys((TwoWayKernel, DecomposableKernel), (FACTORIAL,)),
    Ladder: (MIXED,),
}
"""The kinds of laws under which each kernel walks."""


def test_no_kernel_is_forgotten() -> None:
    """One that is on no release here could be wrong and pass: add a release to `releases()` of tests/support/kernels.py."""
    kernels = {
        value
        for name in sources(ROOT)
        if name.startswith("sampler.kernels.")
        for value in vars(importlib.import_module(f"fiberwalk.{name}")).values()
        if inspect.isclass(value) and issubclass(value, Kernel) and value.__module__ == f"fiberwalk.{name}"
    }
    assert {kernel for kernel in kernels if not inspect.isabstract(kernel)} - {Kernel} == set(OF_LAWS)


@pytest.mark.slow
def test_every_kernel_and_every_kind_of_law_is_tried() -> None:
    missing = {(kernel, kind) for kernel, kinds in OF_LAWS.items() for kind in kinds}
    for name in RELEASES:
        for law, _, _ in laws_on(name) if missing else ():
            missing -= {
                (type(kernel), target.unit.weights.kind)
                for target in found(name, law)
                for kernel in target.unit.kernels
            }
    assert not missing


def by_cycles(target: Target, kind: type[PlainKernel]) -> Target:
    """The same target, walked by a kernel of its own along the moves of a list."""
    kernel = target.unit.kernels[0]
    assert isinstance(kernel, MoveKernel)
    return replace(target, unit=replace(target.unit, kernels=(kind(kernel.moves.listed(), target.unit.weights),)))


def wrong_samplers() -> Iterator[tuple[str, Target]]:
    listed = target_of("two-way", "hypergeometric", MoveKernel, "a list of 15 moves")
    alike = listed.unit.weights._replace(kind=ALIKE)
    kernel = listed.unit.kernels[0]
    assert isinstance(kernel, MoveKernel)
    yield "uniform steps", replace(listed, unit=replace(listed.unit, kernels=(replace(kernel, weights=alike),)))
    yield "range one too short", by_cycles(listed, ShortRange)
    yield (
        "open moves only",
        by_cycles(target_of("own bounds", "uniform", MoveKernel, "a list of 15 moves"), OpenMovesOnly),
    )
    adaptive = target_of("two-way", "uniform", AdaptiveKernel)
    moves = adaptive.unit.kernels[0].moves  # type: ignore[attr-defined]
    yield (
        "never refused",
        replace(adaptive, unit=replace(adaptive.unit, kernels=(NeverRefused(moves, adaptive.unit.weights),))),
    )


@pytest.mark.parametrize("number", range(4))
def test_a_wrong_sampler_is_rejected(number: int) -> None:
    words, target = list(wrong_samplers())[number]
    # Wrong samplers may be slow as well: what matters is that their draws are told from the law.
    rows = target.places(target.draws(5, DRAWS, 3))
    assert (rows >= 0).all()
    p = chi_square(np.bincount(rows, minlength=len(target.p)), target.p)
    assert p < LEAST_P, f"{words}: p = {p}"


def test_the_plain_sampler_that_wrong_ones_are_made_from_is_right() -> None:
    target = by_cycles(target_of("two-way", "hypergeometric", MoveKernel, "a list of 15 moves"), PlainKernel)
    rows = target.places(target.draws(5, DRAWS, 3))
    assert chi_square(np.bincount(rows, minlength=len(target.p)), target.p) > LEAST_P


# Tallies


def exact_marginals(target: Target) -> list[np.ndarray]:
    """P(column = value) for each column, from its lower bound on."""
    lower, upper = target.unit.lower + target.unit.offset, target.unit.upper + target.unit.offset
    return [
        np.bincount(target.tables[:, j] - lower[j], target.p, minlength=int(upper[j] - lower[j]) + 1)
        for j in range(len(lower))
    ]


def tallied(unit: Unit, chain: Chain) -> list[np.ndarray]:
    """The shares that a chain counted, from each column's lower bound on."""
    answers = []
    offset, (lower, upper) = unit.question_offset(), unit.question_bounds()
    for q in range(len(unit.columns)):
        windows = chain.tally.windows
        assert windows.shift[q] == 0
        here = np.zeros(int(upper[q] - lower[q]) + 1)
        part = shares(windows, q)
        first = int(windows.origin[q] + offset[q] - (lower[q] + offset[q]))
        inside = (np.arange(len(part)) + first >= 0) & (np.arange(len(part)) + first < len(here))
        assert part[~inside].sum() == 0
        here[first + np.flatnonzero(inside)] = part[inside]
        answers.append(here)
    return answers


def farthest(target: Target, seed: int, chains: int = 30, batches: int = 8) -> float:
    """The least p-value of t-tests of all shares over independent chains that start at tables of the law itself."""
    rng = np.random.default_rng([seed, 2])
    unit, answers = target.unit, []
    for random in streams(seed, chains):
        chain = Chain(unit, target.start(rng), random)
        for _ in range(batches):
            chain.advance_batch(unit, None)
        answers.append(tallied(unit, chain))
    least = 1.0
    for j, exact in enumerate(exact_marginals(target)):
        seen = np.array([answer[j] for answer in answers])
        usual = (exact > 0.03) & (exact < 0.97)
        if usual.any():
            error = seen[:, usual].std(axis=0, ddof=1) / np.sqrt(chains)
            t = np.abs(seen[:, usual].mean(axis=0) - exact[usual]) / np.maximum(error, 1e-12)
            least = min(least, float(2 * stats.t.sf(t, chains - 1).min()))
        assert np.abs(seen[:, exact == 0.0]).max(initial=0.0) < 1e-9
    return least


def different_kernels(name: str, law: str) -> list[Target]:
    """One target of each kind of kernel and family."""
    return list({target.words.removeprefix("planned: "): target for target in found(name, law)}.values())


TALLIED = (
    ("linked in full", "uniform"),
    ("long lines", "hypergeometric"),
    ("at least", "uniform"),
    ("own bounds", "listed with gaps"),
    ("rounded", "expected"),
)


@pytest.mark.parametrize(
    ("name", "law"), [TALLIED[0], *(pytest.param(*one, marks=pytest.mark.slow) for one in TALLIED[1:])]
)
def test_tallies_agree_with_the_exact_marginals(name: str, law: str) -> None:
    for target in different_kernels(name, law):
        for lines in (True, False):
            if lines and not target.unit.kernels[0].credits_lines:
                continue
            unit = crediting(target.unit, lines) if target.unit.kernels[0].credits_lines else target.unit
            p = farthest(replace(target, unit=unit), 3)
            assert p > LEAST_P, f"{target.words}, lines {lines}: p = {p}"


def test_credits_that_depend_on_the_draw_are_noticed() -> None:
    target = target_of("two-way", "hypergeometric", MoveKernel, "a list of 15 moves")
    assert farthest(by_cycles(target, PlainKernel), 4, batches=6) > LEAST_P
    assert farthest(by_cycles(target, CreditsWhenMoved), 4, batches=6) < LEAST_P


@pytest.mark.parametrize("name", ["at least", "linked", "hierarchy"])
def test_exact_marginals_are_those_that_are_believed(name: str) -> None:
    """The marginals that tallies are compared with are the same as from the exact method of the product."""
    release = RELEASES[name]
    belief = believe(release)
    names = {tuple(key): pmf for key, pmf in zip(belief.keys.tolist(), belief.pmfs, strict=True)}
    compared = 0
    for target in targets(release, "uniform"):
        if not target.words.startswith("planned"):
            continue
        for column, p, low in zip(
            target.unit.columns, exact_marginals(target), target.unit.lower + target.unit.offset, strict=True
        ):
            pmf = names[tuple(release.keys[column].tolist())]
            exact = dict(zip(range(pmf.first, pmf.first + len(pmf.p)), pmf.p, strict=True))
            assert all(abs(exact.get(low + k, 0.0) - share) < 1e-9 for k, share in enumerate(p))
            compared += 1
    assert compared


# Transition matrices


def twin_parts(target: Target):
    """What a twin needs to know: tables, bounds, and the law as a function."""
    unit = target.unit
    tables = [tuple(row) for row in target.tables.tolist()]
    log = {table: float(np.log(p)) for table, p in zip(tables, target.p, strict=True)}
    lower, upper = (unit.lower + unit.offset).tolist(), (unit.upper + unit.offset).tolist()

    def inside(table: tuple[int, ...]) -> bool:
        return all(a <= x <= b for a, x, b in zip(lower, table, upper, strict=True))

    return tables, inside, lambda table: log.get(table, -np.inf)


def in_balance(P: np.ndarray, p: np.ndarray) -> None:
    np.testing.assert_allclose(P.sum(axis=1), 1.0, atol=1e-12)
    flow = p[:, None] * P
    np.testing.assert_allclose(flow, flow.T, atol=1e-12)


def single_steps(target: Target, row: int, times: int, seed: int, step) -> np.ndarray:
    """How often each table came after one step from a given one."""
    chain = Chain(target.unit, target.tables[row], streams(seed, 1)[0])
    chain.tally.by_steps[0] = 2
    start = chain.place.table.copy()
    after = np.empty((times, len(start)), dtype=np.int64)
    for k in range(times):
        chain.place.table[:] = start
        step(chain)
        after[k] = chain.place.table
    rows = target.places(after + target.unit.offset)
    assert (rows >= 0).all()
    return np.bincount(rows, minlength=len(target.p))


def rows_to_try(target: Target) -> list[int]:
    """The likeliest table, and the one that is least so."""
    return [int(np.argmax(target.p)), int(np.argmin(target.p))]


SMALL = {
    "two-way": fw.publish([[2, 1], [0, 2], [1, 1]], ["A", "B"]),
    "slices": fw.publish([[13, 12], [13, 14]], ["A", "B"]),
    "own bounds": fw.publish([[2, 1, 1], [1, 1, 2]], ["A", "B"]).knows({"A": "1", "B": "1"}, at_most=2),
    "three-way": fw.publish([[[1, 0, 1], [1, 2, 0]], [[0, 2, 1], [2, 0, 1]]], ["A,B", "A,C", "B,C"]),
    "rounded": fw.round_to([[2, 4], [1, 2]], 2, margins=["A", "B"]),
}


ELSEWHERE = (
    Ladder,
    MoveKernel,
    SwapKernel,
    SwapRoundsKernel,
    PersonSwapKernel,
    RowPairKernel,
    ListedKernel,
    ScheduleKernel,
)
"""Kernels whose single steps are held to twins in tests of their own, or that are others' steps drawn otherwise."""


@pytest.mark.parametrize("name", SMALL)
def test_single_steps_follow_exact_transition_matrices_in_detailed_balance(name: str) -> None:
    compared = 0
    for _, release, chosen in laws(SMALL[name]):
        done: set[str] = set()
        for target in targets(release, chosen):
            kernel = target.unit.kernels[0]
            assert len(target.p) <= 60
            if len(target.unit.kernels) > 1 or target.words in done or target.words.startswith("planned"):
                continue
            done.add(target.words)
            tables, inside, log = twin_parts(target)
            alike = target.unit.weights.kind == ALIKE
            if isinstance(kernel, MoveKernel) and "list of" in kernel.words:
                moves = kernel.moves.listed().toarray().tolist()
                P = twins.hit_and_run(tables, moves, inside, log, alike, LONGEST)
            elif isinstance(kernel, BalancedKernel):
                moves = signed(kernel, len(tables[0]))
                P = (
                    twins.mirrored(tables, moves, inside, fresh=1 / 8)
                    if alike
                    else twins.proposed(tables, moves, kernel.moves.reach.tolist(), log)
                )
            elif isinstance(kernel, SubTableKernel):
                parts = [kernel.moves.columns_of(k).tolist() for k in range(len(kernel.moves.arrays.n_rows))]
                P = twins.redrawn(tables, parts, target.p)
            elif isinstance(kernel, ExchangeKernel):
                arrays = kernel.moves.arrays
                odds = np.diff(arrays.odds, prepend=0.0)
                P = twins.exchanged(tables, equations_of(kernel.moves), arrays.row_of, odds, target.p)
            elif isinstance(kernel, RepairKernel):
                to = kernel.moves.arrays
                edges = list(zip(to.source.tolist(), to.target.tolist(), strict=True))
                P = twins.repaired(tables, equations_of(kernel.moves), edges, between(to), target.p, to.longest)
            elif isinstance(kernel, AdaptiveKernel):
                P = twins.along_a_basis(tables, basis_of(kernel.moves), inside, log, alike, LONGEST)
            elif isinstance(kernel, TwoWayKernel | DecomposableKernel):
                P = np.tile(target.p, (len(tables), 1))
            else:
                assert isinstance(kernel, ELSEWHERE), (
                    f"{type(kernel).__name__} wants a twin: here, or a test of its own"
                )
                continue
            in_balance(P, target.p)
            for row in rows_to_try(target):
                counts = single_steps(target, row, 600, 8, one_step(kernel, target.unit))
                assert (counts[P[row] == 0] == 0).all()
                reached = P[row] > 0
                p = chi_square(counts[reached], P[row][reached])
                assert p > LEAST_P, f"{name}, {target.words}, from table {row}: p = {p}"
            compared += 1
    assert compared > 8


def between(to: Replacements) -> Callable[[Sequence[int]], bool]:
    """Is a table between the bounds of its columns?"""
    return lambda table: bool((to.lower <= table).all() and (table <= to.upper).all())


def equations_of(moves: Exchanges | Repairs) -> np.ndarray:
    """The equations of a block as a matrix."""
    start, columns = moves.arrays.row_start, moves.arrays.columns
    A = np.zeros((len(start) - 1, moves.n_columns), dtype=np.int64)
    for row in range(len(A)):
        A[row, columns[start[row] : start[row + 1]]] = 1
    return A


def signed(kernel: BalancedKernel, n: int) -> list[list[int]]:
    """The moves of a kernel as rows of steps."""
    rows = np.zeros((len(kernel.moves.columns), n), dtype=np.int64)
    for row, columns in zip(rows, kernel.moves.columns, strict=True):
        row[columns[: kernel.half]], row[columns[kernel.half :]] = 1, -1
    return rows.tolist()


def basis_of(moves: AdaptiveLattice) -> list[list[int]]:
    """The vectors of the basis that a chain begins with."""
    vectors = np.zeros((len(moves.tableau.lead), moves.n_columns), dtype=np.int64)
    vectors[np.arange(len(vectors)), moves.tableau.lead] = 1
    vectors[:, moves.tableau.dependent] = moves.tableau.entry
    return vectors.tolist()


def one_step(kernel: Kernel, unit: Unit):
    """A single step of a kernel; a wandering basis is held where it is."""

    def step(chain: Chain) -> None:
        if isinstance(kernel, AdaptiveKernel):
            walk_adaptive(kernel.moves.given, chain.rooms[0], 0, kernel.weights, chain.place, chain.tally, 1, 1)
            return
        assert kernel.walk(chain.place, chain.tally, chain.rooms[0], 1, 1) == 1

    return step


def test_twins_notice_a_missing_ratio_of_acceptance() -> None:
    """The balance that twins are held to fails where steps that look at the table are never refused."""
    target = next(one for one in targets(SMALL["own bounds"], "uniform") if "Adaptive" in one.words)
    tables, inside, log = twin_parts(target)
    kernel = target.unit.kernels[0]
    assert isinstance(kernel, AdaptiveKernel)
    basis = basis_of(kernel.moves)
    P = twins.along_a_basis(tables, basis, inside, log, True, LONGEST)
    in_balance(P, target.p)
    lines = [[len(twins.whole_line(table, vector, inside)[0]) > 1 for vector in basis] for table in tables]
    assert len({sum(row) for row in lines}) > 1, "as many directions everywhere: nothing to refuse"
    accepted = np.zeros_like(P)
    for k, table in enumerate(tables):
        for vector in (v for v, there in zip(basis, lines[k], strict=True) if there):
            line, _ = twins.whole_line(table, vector, inside)
            for point in line:
                accepted[k, tables.index(point)] += 1.0 / len(line) / sum(lines[k])
    with pytest.raises(AssertionError):
        in_balance(accepted, target.p)


def test_the_slice_of_a_twin_leaves_any_law_as_it_is() -> None:
    weight = np.random.default_rng(1).gamma(0.5, size=9)
    weight[4] = 0.0
    P = np.array([twins.slice_row(weight, k) for k in range(9) if k != 4])
    kept = [k for k in range(9) if k != 4]
    assert not P[:, 4].any()
    in_balance(P[:, kept], weight[kept] / weight.sum())
