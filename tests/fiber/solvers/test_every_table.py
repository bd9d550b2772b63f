"""Every table of a small system, against a slow and obvious twin."""

from __future__ import annotations

import numpy as np
from support.naive import tables as naive

import fiberwalk as fw
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.solvers.every_table import every_table


def test_naive_tables_agree_with_every_table():
    values = np.array([[2, 1, 0], [0, 1, 1]])
    facts = naive.margin_facts(values, [[0, 1], [0] * 3]) + naive.margin_facts(values, [[0] * 2, [0, 1, 2]])
    expected = {tuple(table) for table in naive.tables(6, facts)}
    release = fw.publish(values, ["A", "B"])
    block = presolve(release).blocks[0]
    found = every_table(block.A, block.b, block.lower, block.upper, 1000)
    back = np.argsort(block.columns)
    assert {tuple(row) for row in found[:, back].tolist()} == expected
