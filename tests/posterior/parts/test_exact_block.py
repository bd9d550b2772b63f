"""Blocks side by side: what is too much for one of them, be it only to list its weights, leaves the others alone."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from support.elsewhere import Elsewhere

import fiberwalk as fw
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.exact import solved
from fiberwalk.fiber.exact.solved import Budget, Solved
from fiberwalk.posterior.parts import exact_block
from fiberwalk.posterior.parts.exact_block import solve_blocks

WHERE = pytest.mark.parametrize("executor", [None, Elsewhere()])


def asked_of(*tables: np.ndarray):
    """Blocks of two-way tables with their totals, and every cell as a question."""
    blocks = [presolve(fw.publish(table, margins=["A", "B"])).blocks[0] for table in tables]
    return [(block, sp.identity(len(block.columns), dtype=np.int64, format="csr")) for block in blocks]


def uniform(cell: int, first: int, last: int) -> None:
    return None


class OutOfTime:
    """Weights of which those of the first table's cells cannot be listed in time."""

    def __init__(self, largest: int) -> None:
        self.largest = largest

    def __call__(self, cell: int, first: int, last: int) -> None:
        if last > self.largest:
            raise fw.TimeUp("its time was up while the weights were listed")


@WHERE
def test_time_that_is_up_while_weights_are_listed_leaves_the_block_to_chains(executor):
    asked = asked_of(np.full((4, 4), 9), np.full((4, 4), 2))
    weigh = OutOfTime(largest=20)
    first, second = solve_blocks(asked, weigh, Budget(), executor=executor)
    assert isinstance(first, fw.TimeUp)
    assert isinstance(second, Solved)
    with pytest.raises(fw.TimeUp, match="the weights were listed"):
        solve_blocks(asked, weigh, Budget(), all_or_none=True, executor=executor)


@WHERE
def test_values_that_are_too_many_to_list_leave_a_line_to_be_walked(executor, monkeypatch):
    monkeypatch.setattr(solved, "MOST_PLACES", 100)
    line, square = np.array([[30, 40], [50, 60]]), np.full((4, 4), 9)
    (outcome,) = solve_blocks(asked_of(line), uniform, Budget(), all_or_none=True, executor=executor)
    assert isinstance(outcome, fw.TooLarge)
    with pytest.raises(fw.TooLarge, match="values to tell apart"):
        solve_blocks(asked_of(line, square), uniform, Budget(), all_or_none=True, executor=executor)
    both = solve_blocks(asked_of(line, square), uniform, Budget(), executor=executor)
    assert all(isinstance(outcome, fw.TooLarge) for outcome in both)


def test_weights_of_many_values_are_listed_block_by_block(monkeypatch):
    """So that memory holds those of one block at a time."""
    monkeypatch.setattr(exact_block, "WIDE", 50)
    events: list[str] = []
    solve = exact_block._solved
    monkeypatch.setattr(exact_block, "_solved", lambda *given: (events.append("solved"), solve(*given))[1])

    def weigh(cell: int, first: int, last: int) -> None:
        events.extend(["listed"] if cell == 0 else [])

    solve_blocks(asked_of(np.full((4, 4), 3), np.full((4, 4), 4)), weigh, Budget())
    assert events == ["listed", "solved", "listed", "solved"]
