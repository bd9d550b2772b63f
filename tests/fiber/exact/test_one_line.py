"""Blocks with one degree of freedom: summed about the mode, at any size, as if every table were looked at."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln
from support.effort import examples

import fiberwalk as fw
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.exact.one_line import law_on, line_of
from fiberwalk.fiber.exact.solved import refuse_wide


def twin(line, log_means: np.ndarray) -> np.ndarray:
    """The law of every table on a line, by the definition."""
    t = np.arange(line.first, line.last + 1)[:, None]
    x = line.start + t * line.step
    logs = (x * log_means - gammaln(x + 1.0)).sum(axis=1)
    p = np.exp(logs - logs.max())
    return p / p.sum()


@given(
    st.lists(st.integers(0, 40), min_size=4, max_size=4),
    st.lists(st.floats(-3, 3), min_size=4, max_size=4),
    st.sampled_from([4, 64, 1 << 20]),
)
@examples(60)
def test_a_line_has_the_law_of_its_tables(cells: list[int], logs: list[float], most: int) -> None:
    blocks = presolve(fw.publish(np.array(cells).reshape(2, 2), margins=["A", "B"])).blocks
    for block in blocks:
        line = line_of(block)
        assert line is not None
        log_means = np.array(logs)[block.columns]
        wanted = twin(line, log_means)
        found = law_on(line, np.exp(log_means), np.ones(len(block.columns), dtype=bool), most)
        # what is left out is next to nothing, and bins hold what their tables have
        inside = np.zeros(found.width * len(found.p) + line.tables)
        start = found.first - line.first
        inside[: len(wanted) - start] = wanted[start:]
        bins = inside[: found.width * len(found.p)].reshape(len(found.p), found.width).sum(axis=1)
        np.testing.assert_allclose(found.p, bins, atol=1e-12)
        assert wanted[:start].sum() + inside[found.width * len(found.p) :].sum() < 1e-14
        some = wanted[wanted > 0]
        assert found.bits == pytest.approx(-(some * np.log2(some)).sum(), abs=1e-9)
        alike = law_on(line, np.ones(0), np.zeros(len(block.columns), dtype=bool), most)
        assert alike.bits == pytest.approx(np.log2(line.tables))
        np.testing.assert_allclose(alike.p.sum(), 1.0)


@pytest.mark.parametrize(("m", "bits"), [(10**7, 12.17384), (10**9, 15.49577), (10**12, 20.47866)])
def test_two_by_two_at_any_size(m: int, bits: float) -> None:
    """[[m, 5], [7, m]]: from m = 1e7 on bins were too coarse, and 1e9 was said to have exactly 19 bits."""
    audit = fw.audit(fw.publish([[m, 5], [7, m]], margins=["A", "B"]), law="hypergeometric")
    pmf = audit._pmf({"A": "1", "B": "1"}, {})
    assert audit.certificate.word == "exact"
    assert pmf.entropy == pytest.approx(bits, abs=1e-4)
    assert pmf.mean == pytest.approx((m + 5) * (m + 7) / (2 * m + 12), rel=1e-12)
    deviation = np.sqrt(m / 8)
    low, high = pmf.shortest(0.9)
    assert high - low == pytest.approx(2 * 1.64485 * deviation, rel=0.01)
    assert pmf.between(int(pmf.mean - deviation), int(pmf.mean + deviation)) == pytest.approx(0.6827, abs=0.002)
    assert (pmf.lower, pmf.upper) == (0, m + 5)


def test_the_uniform_law_on_a_long_line() -> None:
    audit = fw.audit(fw.publish([[10**9, 5], [7, 10**9]], margins=["A", "B"]))
    pmf = audit._pmf({"A": "1", "B": "1"}, {})
    assert audit.tables == 10**9 + 6
    assert pmf.entropy == pytest.approx(np.log2(10**9 + 6))
    assert pmf.mean == pytest.approx((10**9 + 5) / 2, rel=1e-9)
    assert fw.count(fw.publish([[10**9, 5], [7, 10**9]], margins=["A", "B"])) == 10**9 + 6


def test_lines_are_told_from_other_blocks() -> None:
    wide = presolve(fw.publish(np.full((3, 3), 10**8), margins=["A", "B"])).blocks[0]
    assert line_of(wide) is None
    with pytest.raises(fw.TooLarge, match="values to tell apart"):
        refuse_wide(wide.lower, wide.upper)
