"""Insiders: what the others are like, against all labelled people."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy.special import gammaln

import fiberwalk as fw
from fiberwalk.fiber.laws.own_units import log_namings, of_the_others


def labelled_people(rows: list[int], columns: list[int], mine: list[tuple[int, int]]) -> dict[int, float]:
    """The law of the others in her first cell: everybody but her is in a row and a column of their own, all ways alike.

    Of all ways to give people rows and columns those count that have the margins, and of which she knows her own places.
    """
    rows, columns = list(rows), list(columns)
    for i, j in mine:
        rows[i] -= 1
        columns[j] -= 1
    people = sum(rows)
    found: Counter[int] = Counter()
    for given in itertools.product(range(len(rows) * len(columns)), repeat=people):
        places = [divmod(one, len(columns)) for one in given]
        if [sum(i == k for i, _ in places) for k in range(len(rows))] != rows:
            continue
        if [sum(j == k for _, j in places) for k in range(len(columns))] != columns:
            continue
        found[sum(one == mine[0] for one in places)] += 1
    whole = sum(found.values())
    return {value: n / whole for value, n in found.items()}


@pytest.mark.parametrize("method", ["exact", "chains"])
def test_the_others_are_as_if_she_had_not_been_counted(method: str) -> None:
    """2 x 2 with margins of 4: nobody else is in her cell with probability 0.114, and not 0.232."""
    release = fw.publish([[2, 2], [2, 2]], margins=["A", "B"]).knows({"A": "1", "B": "1"}, own=1)
    wanted = labelled_people([4, 4], [4, 4], [(0, 0)])
    assert wanted[0] == pytest.approx(4 / 35)
    pmf = fw.audit(release, "hypergeometric", method).pmf(A="1", B="1")
    tolerance = 1e-12 if method == "exact" else 0.01
    assert pmf.to_dict() == pytest.approx(wanted, abs=tolerance)


def test_several_units_in_several_cells() -> None:
    release = fw.publish([[2, 1], [1, 2]], margins=["A", "B"])
    release = release.knows({"A": "1", "B": "1"}, own=1).knows({"A": "2", "B": "2"}, own=1)
    pmf = fw.audit(release, "hypergeometric").pmf(A="1", B="1")
    assert pmf.to_dict() == pytest.approx(labelled_people([3, 3], [3, 3], [(0, 0), (1, 1)]))


def test_under_means_the_others_follow_the_same_law() -> None:
    """An audit of what is left when she leaves says the same."""
    means = np.array([[1.0, 2.0], [3.0, 4.0]])
    with_her = fw.publish([[3, 2], [2, 4]], margins=["A", "B"]).knows({"A": "1", "B": "1"}, own=2)
    without = fw.publish([[1, 2], [2, 4]], margins=["A", "B"])
    one, other = (fw.audit(r, fw.laws.expected(means)).pmf(A="1", B="1").to_dict() for r in (with_her, without))
    assert one == pytest.approx({k: v for k, v in other.items() if k in one})


def test_other_laws_of_counts_weigh_the_ways_to_name_her_units() -> None:
    release = fw.publish([[2, 2], [2, 2]], margins=["A", "B"]).knows({"A": "1", "B": "1"}, own=1)
    everywhere = fw.laws.prior([({"A": "1", "B": "1"}, dict.fromkeys(range(5), 1.0))])
    assert fw.audit(release, everywhere).pmf(A="1", B="1").to_dict() == pytest.approx({0: 0.1, 1: 0.2, 2: 0.3, 3: 0.4})
    # Gamma(x + a) / (x - 1)! in her cell, Gamma(x + a) / x! in the others: a is 4 pi, fitted to the others' margins
    pi = np.outer([3, 4], [3, 4]) / 49
    x = np.arange(1, 5)
    values = np.array([[x, 4 - x], [4 - x, x]])
    logs = gammaln(values + 4 * pi[:, :, None]) - gammaln(values + 1.0)
    wanted = np.exp(logs.sum(axis=(0, 1))) * x
    np.testing.assert_allclose(fw.audit(release, fw.laws.dirichlet(4)).pmf(A="1", B="1"), wanted / wanted.sum())


def test_uniform_and_magnitudes_are_cut_off_and_say_so() -> None:
    release = fw.publish([[2, 2], [2, 2]], margins=["A", "B"]).knows({"A": "1", "B": "1"}, own=1)
    audit = fw.audit(release)
    assert audit.pmf(A="1", B="1").tolist() == [0.25] * 4
    from fiberwalk.report.words import how_known

    assert any("only cuts off the values below it" in line for line in how_known(audit))
    counted = fw.audit(release, "hypergeometric")
    assert any("her own units are taken out" in line for line in how_known(counted))
    money = fw.publish(fw.table([[2.0, 2.5], [2.0, 2.0]], decimals=1), margins=["A", "B"]).knows(
        {"A": "1", "B": "1"}, own=1.0
    )
    with pytest.warns(UserWarning, match="depends on the unit"):
        cut = fw.audit(money, "hypergeometric").pmf(A="1", B="1")
    with pytest.warns(UserWarning, match="depends on the unit"):
        known = fw.audit(
            fw.publish(fw.table([[2.0, 2.5], [2.0, 2.0]], decimals=1), margins=["A", "B"]).knows(
                {"A": "1", "B": "1"}, at_least=1.0
            ),
            "hypergeometric",
        ).pmf(A="1", B="1")
    np.testing.assert_allclose(cut.to_numpy(), known.to_numpy())


def test_namings_of_large_counts() -> None:
    for own in (1, 3, 64, 65, 500):
        exact = [sum(np.log(float(x - k)) for k in range(own)) for x in (10**6, 10**6 + 1)]
        np.testing.assert_allclose(log_namings(own, 10**6, 10**6 + 1), exact, rtol=1e-9)
    assert log_namings(2, 1, 2)[0] == -np.inf


def test_means_are_fitted_to_the_others() -> None:
    """A range of row totals leaves the means to a fit: hers are taken out of it first."""
    release = fw.round_to([[5, 5], [5, 5]], base=5).knows({"A": "1", "B": "1"}, own=3)
    others = of_the_others(release)
    assert others.upper.tolist() == (release.upper - release.own).tolist()
    assert not others.own.any()
    assert others.value[0] == release.value[0] - 3


def test_a_contributor_leaves_one_fewer() -> None:
    """What is not hers is that of n - 1 contributors, and nobody's where she is the only one."""
    turnover, firms = [[40, 55, 9], [80, 60, 21], [70, 90, 30]], [[4, 5, 1], [8, 6, 2], [7, 8, 3]]
    release = fw.suppress(turnover, where=[{"A": a, "B": b} for a in "12" for b in "13"])
    hers = release.knows({"A": "2", "B": "1"}, own=10)
    audit = fw.audit(hers, fw.laws.per_contributor(firms), magnitudes=True)
    plain = fw.audit(release, fw.laws.per_contributor(firms), magnitudes=True)
    assert audit._pmf({"A": "2", "B": "1"}, {}).mean + 10 != pytest.approx(plain._pmf({"A": "2", "B": "1"}, {}).mean)
    alone = release.knows({"A": "1", "B": "3"}, own=9)
    assert fw.audit(alone, fw.laws.per_contributor(firms), magnitudes=True)._pmf({"A": "1", "B": "3"}, {}).support == 1
