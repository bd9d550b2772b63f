"""Laws as kernels take them: what is not listed value by value has a formula, which says the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.fiber.laws.support import support
from fiberwalk.sampler.lines.weights import MANY, has_tails, log_weight, weights_on

FIRMS = [[4, 5, 1], [8, 6, 2], [7, 8, 3]]
TURNOVER = np.array([[40_000, 55_000, 9_000], [80_000, 60_000, 21_000], [70_000, 90_000, 30_000]])
SQUARE = np.array([[1, 0, 1], [1, 0, 1], [0, 0, 0]], dtype=bool)


def magnitudes() -> fw.Release:
    return fw.suppress(TURNOVER, where=SQUARE)


def in_doubt() -> fw.Release:
    return fw.publish(TURNOVER, margins=["A", "B"])


LAWS: dict[str, tuple[fw.Release, Any]] = {
    "per contributor": (magnitudes(), fw.laws.per_contributor(FIRMS)),
    "per contributor, an insider": (
        magnitudes().knows({"A": "1", "B": "1"}, own=7_000),
        fw.laws.per_contributor(FIRMS),
    ),
    "log-normal, narrow": (magnitudes(), fw.laws.prior(everywhere=fw.laws.log_normal(20_000, 0.01))),
    "dirichlet": (in_doubt(), fw.laws.dirichlet(3.0)),
    "dirichlet, large": (in_doubt(), fw.laws.dirichlet(3e5)),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_formula_says_what_a_list_would(name: str) -> None:
    release, law = LAWS[name]
    inside = support(release, law)
    for block in inside.solved.blocks:
        given = inside.weigh, block.columns, block.lower, block.upper
        whole, short = weights_on(*given), weights_on(*given, tails=True)
        assert not has_tails(whole)
        assert has_tails(short)
        assert len(short.value) < len(whole.value)
        for j, (low, high) in enumerate(zip(block.lower.tolist(), block.upper.tolist(), strict=True)):
            border = low + int(short.listed[j])
            near = [x for x in (low, low + 1, border - 1, border, border + 1, high) if low <= x <= high]
            far = np.random.default_rng(j).integers(low, high + 1, 50).tolist()
            listed = [log_weight(whole, j, x) for x in near + far]
            np.testing.assert_allclose([log_weight(short, j, x) for x in near + far], listed, rtol=1e-9, atol=1e-9)


def test_cells_with_evidence_of_their_own_are_listed() -> None:
    """What was published by chance has no formula."""
    release = fw.protect.random_round(TURNOVER, 5, margins=["A"], seed=1)
    inside = support(release, fw.laws.dirichlet(3.0))
    for block in inside.solved.blocks:
        weights = weights_on(inside.weigh, block.columns, block.lower, block.upper, tails=True)
        with_evidence = np.isin(block.columns, [column for column, _ in inside.weigh.evidence])
        assert not weights.tail[with_evidence].any()


def test_short_ranges_are_listed() -> None:
    inside = support(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]), fw.laws.dirichlet(3.0))
    (block,) = inside.solved.blocks
    assert (block.upper - block.lower < MANY).all()
    assert not has_tails(weights_on(inside.weigh, block.columns, block.lower, block.upper, tails=True))


def test_large_magnitudes_are_sampled_without_a_list() -> None:
    """Four cells of millions each, on one line of tables: held to the sum of all of them."""
    release, law = fw.suppress(300 * TURNOVER, where=SQUARE), fw.laws.per_contributor(FIRMS)
    audit = fw.audit(release, law, "chains", 1, tolerance=0.05)
    assert audit.converged
    inside = support(release, law)
    (block,) = inside.solved.blocks
    rises = block.start - block.start[0] - (block.lower - block.lower[0]) == 0
    logs = np.zeros(int(block.upper[0] - block.lower[0]) + 1)
    for j, column in enumerate(block.columns.tolist()):
        given = inside.weigh(column, int(block.lower[j]), int(block.upper[j]))
        assert given is not None
        logs += given if rises[j] else given[::-1]
    p = np.exp(logs - logs.max())
    p /= p.sum()
    found = audit._pmf({"A": "1", "B": "1"}, {})
    values = block.lower[0] + np.arange(len(p))
    assert abs(found.mean - float(values @ p)) < 5 * found.mean_error
    some = p[p > 0]
    assert abs(found.entropy + float((some * np.log2(some)).sum())) < 5 * found.entropy_error
