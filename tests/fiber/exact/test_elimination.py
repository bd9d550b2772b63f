"""Sum-product elimination: far beyond enumeration, against independent counting and closed forms."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln
from support.effort import examples
from support.methods import only

import fiberwalk as fw
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.equations.rowspace import relations
from fiberwalk.fiber.exact import chooser as exact
from fiberwalk.fiber.exact import elimination_layout
from fiberwalk.fiber.exact.elimination import Elimination, eliminate_block
from fiberwalk.fiber.exact.residues import from_residues, primes
from fiberwalk.fiber.exact.solved import Budget
from fiberwalk.fiber.exact.tilting import centred

SNEE = np.array([[68, 119, 26, 7], [20, 84, 17, 94], [15, 54, 14, 10], [5, 29, 14, 16]])


def naive_count(rows, columns):
    """The number of two-way tables with some totals, column by column, in Python's integers."""
    ways = Counter({tuple(rows): 1})
    for total in columns:
        after: Counter = Counter()
        for left, number in ways.items():
            stack = [((), total)]
            for limit in left:
                stack = [((*chosen, x), rest - x) for chosen, rest in stack for x in range(min(limit, rest) + 1)]
            for chosen, rest in stack:
                if rest == 0:
                    after[tuple(a - x for a, x in zip(left, chosen, strict=True))] += number
        ways = after
    return ways[(0,) * len(rows)]


def naive_two_rows(first, columns):
    """p(x) of the first cell of a 2 x J table under 1/x!, as fractions: columns are hypergeometric."""
    rest = sum(columns[1:])
    law = {}
    for x in range(max(0, first - rest), min(first, columns[0]) + 1):
        law[x] = math.comb(columns[0], x) * math.comb(rest, first - x)
    return {x: Fraction(weight, sum(law.values())) for x, weight in law.items()}


@pytest.mark.parametrize("shape", [(2, 5), (3, 4), (4, 3)])
def test_counts_of_two_way_tables(shape):
    table = np.random.default_rng(5).poisson(4, shape)
    with only("elimination"):
        counted = fw.count(fw.publish(table, ["A", "B"]))
    assert counted == naive_count(table.sum(1).tolist(), table.sum(0).tolist())


def test_snees_table_is_counted():
    """The number that Diaconis and Gangolli (1995) give for the table of hair and eye colour."""
    assert fw.count(fw.publish(SNEE, ["A", "B"])) == 1_225_914_276_768_514


def test_both_methods_agree_on_a_fiber_of_millions():
    release = fw.publish(SNEE // 8, ["A", "B"])
    for law in ("uniform", "hypergeometric"):
        audits = []
        for method in ("enumeration", "elimination"):
            with only(method):
                audits.append(fw.audit(release, law=law))
            assert method in audits[-1].certificate.reason
        assert audits[0].tables == audits[1].tables == 6_486_540
        for one, two in zip(audits[0].belief.pmfs, audits[1].belief.pmfs, strict=True):
            assert (one.values == two.values).all()
            assert two.probabilities == pytest.approx(one.probabilities, rel=1e-10)


def test_many_columns_and_probabilities_far_out():
    """A 2 x 60 table under the hypergeometric law, against fractions: also where these are small."""
    table = np.random.default_rng(2).poisson(30, (2, 60))
    audit = fw.audit(fw.publish(table, ["A", "B"]), law="hypergeometric")
    expected = naive_two_rows(int(table[0].sum()), table.sum(0).tolist())
    found = audit.pmf(A="1", B="1")
    assert found.index.tolist() == list(expected)
    assert min(expected.values()) < 1e-15
    assert found.to_numpy() == pytest.approx(np.array([float(p) for p in expected.values()]), rel=1e-9)
    ways = [1]
    for total in table.sum(0).tolist():
        ways = np.convolve(np.array(ways, dtype=object), np.array([1] * (total + 1), dtype=object)).tolist()
    assert audit.tables == ways[int(table[0].sum())]


def test_values_too_improbable_for_a_float_are_still_possible():
    release = fw.publish([[900, 900], [900, 900]], ["A", "B"])
    with only("elimination"):
        pmf = fw.audit(release, law="hypergeometric").pmf(A="1", B="1")
    assert pmf.index.tolist() == list(range(1801))
    assert pmf[0] == 0.0 < pmf[900]


def test_the_redesign_of_dot02_with_known_row_totals():
    release = fw.examples.dot02_table2().release.knows({"activity": "5"}, exactly=3898)
    merged = [649, 406, 1275, 2382, 3467]
    ways = [1]
    for total in merged:
        ways = np.convolve(np.array(ways, dtype=object), np.array([1] * (total + 1), dtype=object)).tolist()
    audit = fw.audit(release)
    assert audit.tables == fw.count(release) == ways[3898]
    x1 = audit.pmf(activity="5", size="4")
    others = [1]
    for total in merged[1:]:
        others = np.convolve(np.array(others, dtype=object), np.array([1] * (total + 1), dtype=object)).tolist()
    shares = [Fraction(others[3898 - x], ways[3898]) for x in x1.index]
    assert x1.to_numpy() == pytest.approx(np.array([float(p) for p in shares]), rel=1e-9)


def test_dfkpr01_given_all_three_margins():
    """Sums over the fiber must be the published figures themselves."""
    release = fw.examples.dfkpr01().release
    audit = fw.audit(release)
    assert audit.tables == fw.count(release) == 495_590_024  # as an enumeration counted
    means = audit.cells["mean"].to_xarray()
    published = fw.examples.dfkpr01().table
    for dim in ("I", "J", "K"):
        assert means.sum(dim).values == pytest.approx(published.sum(dim).values, rel=1e-9)
    bounds = fw.bounds(release)
    assert (audit.cells["lower"] == bounds["lower"].reindex(audit.cells.index)).all()
    assert (audit.cells["upper"] == bounds["upper"].reindex(audit.cells.index)).all()


def test_a_long_chain_of_cycles_falls_apart():
    n = 40
    mask = np.zeros((n + 1, 2 * n + 2), dtype=bool)
    for k in range(n):
        mask[k : k + 2, 2 * k : 2 * k + 2] = True
    table = np.random.default_rng(3).poisson(50, mask.shape)
    release = fw.suppress(table, where=mask)
    assert len(presolve(release).blocks) == n
    squares = [table[k : k + 2, 2 * k : 2 * k + 2] for k in range(n)]
    sizes = [min(s[0, 0], s[1, 1]) + min(s[0, 1], s[1, 0]) + 1 for s in squares]
    assert fw.count(release) == math.prod(int(size) for size in sizes)


def test_a_count_that_does_not_add_up_is_not_given(monkeypatch):
    release = fw.publish(np.hstack([SNEE // 8, SNEE[:, :1] // 8]), ["A", "B"])
    monkeypatch.setattr(Elimination, "residue", lambda self, prime: 7)
    with only("elimination"), pytest.raises(fw.NumericalDoubt, match="in whole numbers .* floating point"):
        fw.count(release)


def test_residues_put_large_counts_together():
    block = presolve(fw.publish(np.full((2, 60), 9), ["A", "B"])).blocks[0]
    allowed = [np.ones(int(z - a) + 1, dtype=bool) for a, z in zip(block.lower, block.upper, strict=True)]
    run = Elimination(block.A, block.b, block.lower, allowed, Budget())
    ways = np.array([1], dtype=object)
    for _ in range(60):
        ways = np.convolve(ways, np.array([1] * 19, dtype=object))
    count = int(ways[540])
    assert count > 2**200
    assert run.residue(None) == count % 2**64
    for prime, _ in zip(primes(), range(5), strict=False):
        assert run.residue(prime) == count % prime
        assert all(prime % d for d in range(2, 2000))
    assert from_residues(lambda prime: count % (prime or 2**64), math.log(count) + 1) == count
    assert from_residues(lambda prime: count % (prime or 2**64), math.log(count) - 50) != count  # one prime too few


def test_a_budget_is_kept_and_refusals_tell_what_it_would_take():
    release = fw.publish(SNEE, ["A", "B"])
    with pytest.raises(
        fw.TooLarge, match=r"with 2,000,000 operations and .* bytes: 16 cells .* more operations .* up to 10\^11 a pass"
    ):
        fw.audit(release, method="exact", limit=2_000_000)
    with pytest.raises(fw.TooLarge, match=r"and 200,000,000 bytes: .*--memory"):
        fw.audit(release, "hypergeometric", "exact", memory=200_000_000)
    with pytest.raises(fw.TooLarge, match=r"and 2,000,000 bytes: .*--memory"):
        fw.audit(release, "uniform", "exact", memory=2_000_000)
    big = fw.publish(np.random.default_rng(1).poisson(5, (12, 12)), ["A", "B"])
    with pytest.raises(
        fw.TooLarge, match=r"144 cells .* up to 10\^\d+ operations of elimination; .*about 10\^\d+ steps"
    ):
        fw.count(big)


def test_what_is_foreseen_to_cost_too_much_is_given_up_at_once(monkeypatch):
    monkeypatch.setattr(elimination_layout, "CHEAP", 10_000)
    spent: list[int] = []
    charge = elimination_layout.Layout.charge
    monkeypatch.setattr(
        elimination_layout.Layout, "charge", lambda self, more: (spent.append(int(more)), charge(self, more))[1]
    )

    def cost(table: np.ndarray, budget: Budget) -> int:
        """Of all that was laid out, whether refused or not."""
        (block,) = presolve(fw.publish(table, ["A", "B"])).blocks
        allowed = [np.ones(int(z - a) + 1, dtype=bool) for a, z in zip(block.lower, block.upper, strict=True)]
        spent.clear()
        Elimination(block.A, block.b, block.lower, allowed, budget)
        return sum(spent)

    for budget, least, most in (
        (Budget(20_000_000), 20_000_000, math.inf),
        (Budget(20_000_000, foreseen=True), 0, 100_000),
    ):
        with pytest.raises(fw.TooLarge, match="16 cells .* more operations"):
            cost(SNEE // 2, budget)
        assert least <= sum(spent) <= most
    enough = cost(SNEE // 8, Budget())
    assert cost(SNEE // 8, Budget(4 * enough, foreseen=True)) == enough


def test_estimates_are_not_too_low_and_not_absurd():
    block = presolve(fw.publish(SNEE // 8, ["A", "B"])).blocks[0]
    allowed = [np.ones(int(z - a) + 1, dtype=bool) for a, z in zip(block.lower, block.upper, strict=True)]
    run = Elimination(block.A, block.b, block.lower, allowed, Budget())
    assert run.operations / 10 <= math.exp(run.plan.log_operations) <= 1000 * run.operations


@examples(100)
@given(st.integers(1, 5), st.integers(1, 6), st.data())
def test_rows_that_follow_from_others_are_their_combinations(m, n, data):
    numbers = data.draw(st.lists(st.integers(-2, 2), min_size=m * n, max_size=m * n))
    A = np.array(numbers, dtype=np.int64).reshape(m, n)
    kept, combination = relations(A)
    if len(kept) == np.linalg.matrix_rank(A):
        assert list(kept) == sorted(kept)
    assert (combination @ A[kept] == A).all()
    # an older NumPy knows no rank of a matrix without rows
    assert (np.linalg.matrix_rank(A[kept]) if len(kept) else 0) == np.linalg.matrix_rank(A)


def test_rows_that_depend_on_each_other_only_modulo_the_prime_are_all_kept():
    prime = 2**31 - 1
    kept, combination = relations(np.array([[prime, 1], [0, 1]]))
    assert len(kept) == 2
    assert (combination @ np.array([[prime, 1], [0, 1]])[kept] == [[prime, 1], [0, 1]]).all()


def test_tilted_weights_are_the_same_law_and_centred():
    A, b = sp.csr_array([[1, 1, 1]]), np.array([40])
    logs = [np.array([-math.lgamma(v + 1) for v in range(51)])] * 3
    weights, log_factor = centred(A, b, logs)
    assert sum(w @ np.arange(51) for w in weights) == pytest.approx(40, abs=0.5 * math.sqrt(40))
    for x in ([10, 10, 20], [0, 0, 40]):
        product = sum(math.log(w[v]) for w, v in zip(weights, x, strict=True)) + log_factor
        assert product == pytest.approx(sum(one[v] for one, v in zip(logs, x, strict=True)))


def test_sums_inside_a_block_are_asked_one_by_one():
    release = fw.publish(SNEE // 8, ["A", "B"])
    block = presolve(release).blocks[0]
    sums = sp.csr_array(np.array([[1, 1] + [0] * 14, [0] * 12 + [1, 0, 1, 0]]))
    answers = []
    for method in ("enumeration", "elimination"):
        with only(method):
            answers.append(exact.solve_exactly(block, [None] * 16, sums))
    for k in (16, 17):
        laws = [
            {int(a.lower[k]) + i: p for i, (p, has) in enumerate(zip(a.weights[k], a.possible[k], strict=True)) if has}
            for a in answers
        ]
        assert laws[0].keys() == laws[1].keys()
        assert list(laws[0].values()) == pytest.approx(list(laws[1].values()), rel=1e-10)


def test_the_only_table_is_found_however_improbable():
    logs = [np.array([0.0, -800.0]), np.array([0.0, -800.0])]
    A, b = sp.csr_array([[1, 1]]), np.array([2])
    solved = eliminate_block(A, b, np.zeros(2, np.int64), np.ones(2, np.int64), logs, Budget())
    assert solved.tables == 1  # the only table is found, though its weight is exp(-1600)
    assert [one.tolist() for one in solved.weights] == [[0.0, 1.0], [0.0, 1.0]]


@pytest.mark.parametrize("table", [
    [[663, 2564, 466, 258, 941], [1901, 1799, 12819, 910, 273]],
    [[72, 111, 1311], [1812, 2613, 1763]],
    [[20, 48, 23, 746, 74], [11, 16, 50, 1709, 41], [66, 118, 51, 1670, 24]],
])  # fmt: skip
def test_laws_of_very_different_counts_are_centred(table):
    """Newton's method alone throws these to the edge of their ranges and stays there."""
    block = presolve(fw.publish(np.array(table), ["A", "B"])).blocks[0]
    A, b = block.A[:-1], (block.b - block.A @ block.lower)[:-1]
    values = [np.arange(a, z + 1) for a, z in zip(block.lower, block.upper, strict=True)]
    weights, _ = centred(A, b, [-gammaln(one + 1.0) for one in values])
    means = np.array([w @ np.arange(len(w)) for w in weights])
    spread = np.array([w @ (np.arange(len(w)) - m) ** 2 for w, m in zip(weights, means, strict=True)])
    assert (np.abs(A @ means - b) <= np.sqrt(A @ spread)).all()


def test_evidence_may_leave_no_table():
    release = fw.publish(np.full((6, 6), 10), margins=["A", "B"])
    weights = np.full(61, -np.inf)
    weights[[0, 50]] = 0
    items = tuple(fw.protect.Evidence(np.array([c]), np.array([1]), 0, weights) for c in range(6))
    for ask in (fw.count, fw.audit):
        with pytest.raises(fw.InputError, match="leave no possible table"):
            ask(replace(release, evidence=items))


def test_equations_may_leave_no_table():
    A, zero = sp.csr_array([[1, 1], [1, -1]]), np.zeros(2, np.int64)
    assert eliminate_block(A, np.array([3, 0]), zero, np.full(2, 3), [None, None], Budget()).tables == 0  # by parity
    A = sp.csr_array([[1, 1], [0, 0]])
    assert eliminate_block(A, np.array([2, 1]), zero, np.full(2, 3), [None, None], Budget()).tables == 0


def test_weights_may_leave_no_table():
    logs = [np.array([0.0, -np.inf, 0.0]), np.array([0.0, -np.inf, 0.0]), None]
    A, b = sp.csr_array([[1, 1, 0], [0, 1, 1]]), np.array([1, 2])
    solved = eliminate_block(A, b, np.zeros(3, np.int64), np.full(3, 2), logs, Budget())
    assert solved.tables == 0
