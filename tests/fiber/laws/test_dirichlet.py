"""Tables published by chance: a law that leaves open how people are shared out, and a warning under one that does not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln
from support.effort import cases

import fiberwalk as fw
from fiberwalk.fiber.laws.law import GammaRatio
from fiberwalk.report.words import doubts


def test_a_sample_is_not_drawn_together(tmp_path) -> None:
    """90 and 10 of 1,000 people: by chance or not, the first are about nine in ten."""
    release = fw.protect.as_protected([90, 10], "draw_sample", exact=[1000])
    with pytest.warns(UserWarning, match=r"same expected count for 2 cells.*A=2: 10, A=1: 90.*law='dirichlet'"):
        drawn_together = fw.audit(release, "hypergeometric")
    assert drawn_together.cells["mean"].tolist() == pytest.approx([540, 460], abs=1)
    assert [word for word, _ in doubts(drawn_together)] == ["the law leaves something out"]
    assert "draws them together" in drawn_together.certificate.caveats[0]
    drawn_together.to_html(tmp_path / "audit.html")
    assert "it draws them together" in (tmp_path / "audit.html").read_text()
    open_shares = fw.audit(release, "dirichlet")
    assert open_shares.cells["mean"].tolist() == pytest.approx([893, 107], abs=1)
    assert not open_shares.certificate.caveats
    assert list(open_shares.readings) == ["c were 0.5", "c were 8"]


def test_a_rounded_table_with_an_exact_total_keeps_its_truth() -> None:
    release = fw.protect.random_round([[300, 3], [3, 6]], exact=[""], seed=1)
    with pytest.warns(UserWarning, match="the same expected count"):
        assert fw.audit(release, "hypergeometric").pmf(A="1", B="1")[300] < 0.01
    assert fw.audit(release, "dirichlet").pmf(A="1", B="1")[300] > 0.3


@pytest.mark.parametrize(
    "release",
    [
        fw.publish([[30, 3], [3, 6]], margins=["A", "B"]),
        fw.protect.random_round([[4, 3], [3, 6]], exact=[""], seed=1),
        fw.protect.random_round([[300, 3], [3, 600]], exact=["A", "B"], seed=1),
        fw.protect.random_round([[300, 3], [3, 600]], seed=1),
        fw.protect.add_noise([[30, 3], [3, 6]], fw.protect.geometric_noise(0.1), exact=[""], seed=1),
    ],
    ids=["exact", "alike", "told apart by margins", "no exact figure", "noise larger than the figures"],
)
def test_no_warning_where_there_is_nothing_to_warn_of(release: fw.Release) -> None:
    """Warnings are errors in this suite."""
    assert not fw.audit(release, "hypergeometric", limit=10**7).certificate.caveats


@pytest.mark.parametrize("a", [0.3, 1.0, 2.5, 40.0])
def test_weights_are_ratios_of_gamma_functions(a: float) -> None:
    found = GammaRatio(np.array([a]))(0, 0, 400)
    values = np.arange(401.0)
    np.testing.assert_allclose(found, gammaln(values + a) - gammaln(values + 1), atol=1e-9)
    large = GammaRatio(np.array([a]))(0, 10**9, 10**9 + 1)
    assert large[1] - large[0] == pytest.approx((a - 1) * 1e-9, abs=1e-12)


def test_shares_come_from_exact_facts_alone() -> None:
    """What was published by chance enters as evidence, and would be used twice."""
    law = fw.laws.dirichlet(10)
    one = fw.protect.random_round([[30, 3], [9, 6]], exact=["A"], seed=1)
    other = fw.protect.random_round([[15, 18], [9, 6]], exact=["A"], seed=2)
    np.testing.assert_allclose(law.weights(one), law.weights(other))
    np.testing.assert_allclose(law.weights(one), 10 * np.array([33, 33, 15, 15]) / 96)
    assert law.weights(one).sum() == pytest.approx(10)


def test_it_is_calibrated_under_itself() -> None:
    """Shares and people by the law, a sample of them published: the ranges of 90% hold so many truths as they say."""
    random, law = np.random.default_rng(8), fw.laws.dirichlet(6.0)
    held = at_least = 0
    ranks = []
    number = max(120, cases(120))
    for k in range(number):
        shares = random.dirichlet(np.full(3, 2.0))
        truth = random.multinomial(40, shares)
        release = fw.protect.draw_sample(truth, size=12, seed=k)
        audit = fw.audit(release, law)
        for cell in range(3):
            pmf = audit._pmf({"A": str(cell + 1)}, {})
            low, high = pmf.shortest(0.9)
            held += low <= truth[cell] <= high
            at_least += pmf.between(low, high)
            below = pmf.between(0, int(truth[cell]) - 1)
            ranks.append(below + random.random() * pmf.between(int(truth[cell]), int(truth[cell])))
    # 5 standard errors of a share, the three cells of a table counted as one and a half
    assert abs(held - at_least) / (3 * number) < 5 * np.sqrt(0.09 / (1.5 * number))
    assert abs(np.mean(ranks) - 0.5) < 5 * np.sqrt(1 / 12 / (1.5 * number))


@pytest.mark.parametrize("c", [0, -1, "many", np.inf, True])
def test_c_is_a_number_above_zero(c: object) -> None:
    with pytest.raises(fw.InputError, match="how many respondents the first opinion weighs"):
        fw.laws.dirichlet(c)
