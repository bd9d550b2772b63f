"""Every table one after the other, by the plain Python recursion with which the tests check exact answers."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[2] / "tests"))
from support.naive import tables as naive

NAME = "recursion in plain Python"


def listed(values: np.ndarray) -> tuple[float, list[tuple[int, ...]]]:
    """Seconds, and all two-way tables with the row and column sums of this one."""
    rows, columns = values.shape
    facts = naive.margin_facts(values, [range(rows), "*" * columns])
    facts += naive.margin_facts(values, ["*" * rows, range(columns)])
    begin = time.process_time()
    found = naive.tables(values.size, facts, most=10**7)
    return time.process_time() - begin, found


def laws(found: list[tuple[int, ...]], law: str) -> list[dict[int, float]]:
    """The distribution of each cell over the tables listed."""
    weight = {"uniform": naive.uniform, "hypergeometric": naive.hypergeometric}[law]
    return [naive.pmf(found, [cell], weight) for cell in range(len(found[0]))]
