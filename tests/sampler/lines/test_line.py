"""The weights along a line: the quick way by ratios gives what logarithms give, also where products would overflow."""

from __future__ import annotations

import numpy as np
import pytest

from fiberwalk.fiber.laws.law import Poisson
from fiberwalk.fiber.laws.support import WithEvidence
from fiberwalk.sampler.lines.line import LONGEST, Line, log_weight_along, weigh_line
from fiberwalk.sampler.lines.weights import FACTORIAL, POISSON, weights_on


@pytest.mark.parametrize("length", [2, 4, 12, 60, 160, 400])
@pytest.mark.parametrize("size", [3, 1000, 10**6, 10**9])
@pytest.mark.parametrize("tilt", [0.0, 1.0, 40.0])
@pytest.mark.parametrize("side", ["alternating", "first up", "mostly up"])
def test_weights_along_a_line_are_finite_and_right(length: int, size: int, tilt: float, side: str) -> None:
    rng = np.random.default_rng([length, size])
    n = LONGEST
    table = rng.integers(size, 2 * size + 1, length) + n
    table[0] = n - 1  # one small cell is enough for a line to be short
    steps = np.ones(length, dtype=np.int64)
    if side == "alternating":
        steps[1::2] = -1
    elif side == "first up":
        steps[length // 2 :] = -1
    else:
        steps[-1] = -1
    columns, lower, upper = np.arange(length), np.zeros(length, dtype=np.int64), np.full(length, 10**10)
    means = np.exp(rng.normal(0, tilt, length)) if tilt else np.ones(length)
    weights = weights_on(WithEvidence(Poisson(means), length, ()), columns, lower, upper)
    assert weights.kind == (POISSON if tilt else FACTORIAL)
    low, high = -(n - 1), 0
    found = np.empty(n)
    line = Line(table, columns, steps, 0, length, low, high)
    total = weigh_line(weights, line, found)
    logs = np.array([log_weight_along(weights, line, t) for t in range(low, high + 1)])
    wanted = np.exp(logs - logs.max())
    # What logarithms of factorials this large can tell.
    tolerance = 1e-9 + 1e-15 * np.abs(logs).max() * length
    assert np.isfinite(total)
    np.testing.assert_allclose(found.sum(), total, rtol=1e-12)
    np.testing.assert_allclose(found / total, wanted / wanted.sum(), rtol=0, atol=tolerance)
