"""Windows that grow, coarsen, move and are added up count the same as a dictionary from values to credits."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples
from support.kernels import crediting

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.chooser import choose
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.settings import BATCHES
from fiberwalk.sampler.chains.units import units_of
from fiberwalk.sampler.tallies.windows import Windows, add_to, clear, cover, first_windows, plain_counts, shares

HUGE = 10**9


class Twin:
    """Credits as they were given, one by one; what falls into a range of values is worked out in fractions."""

    def __init__(self, questions: int) -> None:
        self.given: list[list[tuple[int, int]]] = [[] for _ in range(questions)]

    def credit(self, q: int, low: int, high: int) -> None:
        self.given[q].append((low, high))

    def within(self, q: int, first: int, last: int) -> Fraction:
        total = Fraction(0)
        for low, high in self.given[q]:
            common = min(high, last) - max(low, first) + 1
            if common > 0:
                total += Fraction(common, high - low + 1)
        return total


@st.composite
def credits(draw) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[tuple[int, int, int]]]:
    """Bounds and first values of some questions, sums with negative values among them, and ranges to credit."""
    n = draw(st.integers(1, 4))
    lower, upper, value = [], [], []
    for _ in range(n):
        low = draw(st.sampled_from([0, 0, 5, -40, -HUGE]))
        width = draw(st.sampled_from([1, 12, 31, 32, 33, 200, 5000, HUGE, 2 * HUGE]))
        lower.append(low)
        upper.append(low + width)
        value.append(draw(st.integers(low, low + width)))
    items = []
    for _ in range(draw(st.integers(1, 40))):
        q = draw(st.integers(0, n - 1))
        here = draw(st.integers(lower[q], upper[q]) | st.just(value[q]))
        length = draw(st.sampled_from([0, 0, 1, 7, 60, 3000, HUGE]))
        items.append((q, here, min(upper[q], here + draw(st.integers(0, length)))))
    return np.array(lower), np.array(upper), np.array(value), items


def same_counts(windows: Windows, twin: Twin, tolerance: float = 1e-9) -> None:
    """Every counter holds what the twin has in its values, and nothing was left out."""
    starts, counts = np.zeros(len(windows.start), dtype=np.int64), np.zeros(int(windows.size.sum()))
    plain_counts(windows, starts, counts)
    for q, those in enumerate(twin.given):
        origin, shift, size = int(windows.origin[q]), int(windows.shift[q]), int(windows.size[q])
        assert windows.credits[q] == len(those)
        mine = counts[starts[q] : starts[q] + size]
        np.testing.assert_allclose(mine.sum(), len(those), atol=tolerance)
        touched = {(end - origin) >> shift for pair in those for end in pair} | set(np.flatnonzero(mine)[:40].tolist())
        for k in touched:
            assert 0 <= k < size
            first = origin + (k << shift)
            wanted = float(twin.within(q, first, first + (1 << shift) - 1))
            assert abs(mine[k] - wanted) < tolerance * (1 + len(those)), (q, k)
        if those:
            np.testing.assert_allclose(shares(windows, q).sum(), 1.0)


class Credited:
    """As much of a chain as its tally needs: credits come as from a kernel and wait where windows are too narrow."""

    def __init__(self, lower: np.ndarray, upper: np.ndarray, value: np.ndarray, most: int) -> None:
        release = fw.publish([[1, 1], [1, 1]], ["A", "B"])
        moves = choose(support(release))
        (self.unit,) = units_of(moves, np.zeros((0, 4), dtype=np.int64))
        self.chain = Chain(self.unit, self.unit.start, streams(0, 1)[0])
        self.chain.most = most
        self.chain.tally = self.chain.tally._replace(windows=first_windows(value, lower, upper))
        self.chain.total = first_windows(value, lower, upper)

    def give(self, items: list[tuple[int, int, int]]) -> None:
        self.chain._give(np.array(items, dtype=np.int64))

    def to_total(self) -> None:
        chain = self.chain
        chain.total = cover(chain.total, chain.tally.windows, chain.most)
        add_to(chain.total, chain.tally.windows)
        clear(chain.tally.windows)


@given(credits(), st.sampled_from([64, 100, 1024]), st.integers(1, 12))
@examples(60)
def test_windows_count_as_a_dictionary_does(case, most: int, portion: int) -> None:
    lower, upper, value, items = case
    twin, total, whole = Twin(len(lower)), Twin(len(lower)), Credited(lower, upper, value, most)
    for begin in range(0, len(items), portion):
        part = items[begin : begin + portion]
        whole.give(part)
        for one in part:
            twin.credit(*one)
            total.credit(*one)
        same_counts(whole.chain.tally.windows, twin)
        if begin % 2:
            whole.to_total()
            twin = Twin(len(lower))
            same_counts(whole.chain.tally.windows, twin)
    whole.to_total()
    same_counts(whole.chain.total, total)
    assert (whole.chain.total.size <= np.maximum(most, 32)).all()


@given(credits(), credits(), st.sampled_from([64, 1024]))
@examples(30)
def test_windows_of_different_chains_add_up(one, other, most: int) -> None:
    """Pooled from narrow windows, as at a look, in whatever order."""
    n = min(len(one[0]), len(other[0]))
    lower = np.minimum(one[0][:n], other[0][:n])
    upper = np.maximum(one[1][:n], other[1][:n])
    twin, chains = Twin(n), []
    for case in (one, other):
        chain = Credited(lower, upper, case[2][:n], most)
        items = [item for item in case[3] if item[0] < n]
        for item in items:
            twin.credit(*item)
        if items:
            chain.give(items)
        chains.append(chain.chain.tally.windows)
    for order in (chains, chains[::-1]):
        origin = order[0].origin
        pooled = first_windows(origin, origin, origin)
        for windows in order:
            pooled = cover(pooled, windows, most)
            add_to(pooled, windows)
        same_counts(pooled, twin)


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("law", ["uniform", "hypergeometric", "listed"])
def test_chains_count_what_they_draw_however_far_they_go(law: str, lines: bool) -> None:
    """Large counts: windows grow and coarsen while credits wait; counted by draws, they hold the draws and no others.

    Counted by whole lines the counts differ, but no credit is lost: as many as columns were touched, and all shares add up.
    """
    big = np.array([[10**6, 40, 3000], [70, 2 * 10**6, 5], [900, 1, 10**5]])
    release = fw.publish(big, ["A", "B"])
    if law == "listed":
        item = fw.protect.Evidence(np.array([0]), np.array([1]), 0, -np.abs(np.arange(10**6 + 4000) - 999_000) / 300.0)
        release, law = replace(release, evidence=(item,)), "uniform"
    moves = choose(support(release, law))
    questions = np.zeros((1, 9), dtype=np.int64)
    questions[0, :3] = 1, -3, 2
    (unit,) = units_of(moves, questions)
    (kernel,) = unit.kernels
    lines = lines and kernel.credits_lines  # a table drawn as a whole has no lines
    unit = crediting(unit, lines)
    draws = 3 * 16
    chain = Chain(unit, unit.start, streams(5, 1)[0])
    twin = Twin(10)
    kept = chain.keep(unit, np.arange(10), draws) - unit.question_offset()
    counted = chain.tally.windows
    for table in kept.tolist():
        for q, x in enumerate(table):
            twin.credit(q, x, x)
    assert (kept[:, 9] == unit.sums.toarray()[0] @ kept[:, :9].T).all()
    if not lines:
        same_counts(counted, twin)
    else:
        assert (counted.credits[:9] > 0).all()
        starts, counts = np.zeros(10, dtype=np.int64), np.zeros(int(counted.size.sum()))
        plain_counts(counted, starts, counts)
        sums = np.add.reduceat(counts, starts)
        np.testing.assert_allclose(sums, counted.credits, rtol=1e-9)
    assert counted.shift.max() > 0


def test_joined_batches_keep_their_sums() -> None:
    release = fw.publish([[2, 1, 3], [1, 0, 2]], ["A", "B"])
    moves = choose(support(release))
    questions = np.zeros((1, 6), dtype=np.int64)
    questions[0, :2] = 1, -2  # a sum that can be negative
    (unit,) = units_of(moves, questions)
    chain = Chain(unit, unit.start, streams(1, 1)[0])
    twin: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(unit.n_questions))
    for number in range(3 * BATCHES):
        chain.advance_batch(unit, None)
        last = chain.batch - 1
        twin["sums"] = twin["sums"] + chain.sums[last]
        twin["squares"] = twin["squares"] + chain.squares[last]
        np.testing.assert_allclose(chain.sums[: chain.batch].sum(axis=0), twin["sums"])
        np.testing.assert_allclose(chain.squares[: chain.batch].sum(axis=0), twin["squares"])
        if number < BATCHES:
            assert chain.batch == number + 1
    assert chain.length > 16
    # Every draw credits a sum once, and nothing was lost when batches were joined.
    assert chain.tally.windows.credits[len(unit.columns)] == chain.batch * chain.length
