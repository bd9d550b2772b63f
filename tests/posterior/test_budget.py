"""How much exact solving may cost before chains take over: as much as these are foreseen to cost."""

from __future__ import annotations

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.fiber.exact.solved import MOST_OPERATIONS, Budget
from fiberwalk.posterior import belief
from fiberwalk.posterior.belief import QUICK, budget_for

TABLE = fw.publish(np.arange(16).reshape(4, 4) % 5 + 2, margins=["A", "B"])


@pytest.mark.parametrize(("tolerance", "method"), [(0.02, "chains"), (0.001, "exact")])
def test_what_chains_would_take_long_for_is_solved_exactly(tolerance, method, monkeypatch):
    """The same table, and only the accuracy that is asked for differs."""
    monkeypatch.setattr(belief, "QUICK", Budget(operations=1_000, foreseen=True))
    monkeypatch.setattr(belief, "CHAINS_TAKE", 50_000)
    assert fw.audit(TABLE, "hypergeometric", tolerance=tolerance, max_draws=4_096).method == method


def test_a_block_may_cost_as_much_as_chains_would_but_never_less_than_two_seconds():
    few, many = (budget_for("auto").of_block(cells).operations for cells in (10, 2_000))
    assert few == QUICK.operations < many
    finer = budget_for("auto", tolerance=0.01).of_block(2_000).operations
    assert finer == 4 * many
    assert budget_for("auto", tolerance=1e-200).of_block(2_000).operations == MOST_OPERATIONS
    coarse = budget_for("auto", tolerance=1.0).of_block(2_000)
    assert (coarse.operations, coarse.bytes) == (QUICK.operations, QUICK.bytes)


def test_a_limit_that_is_given_holds_for_every_block_and_memory_by_itself_changes_no_operations():
    assert budget_for("auto", limit=10).of_block(2_000).operations == 10
    assert budget_for("exact").of_block(2_000) == Budget()
    more = budget_for("auto", memory=3_000_000_000)
    assert more.of_block(2_000).operations == budget_for("auto").of_block(2_000).operations
    assert (more.bytes, more.foreseen) == (3_000_000_000, True)
