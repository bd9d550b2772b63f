"""Two rows of a two-way table redrawn as a whole, given the sums of their columns and of the rows, under prod 1/x!.

A heat bath: what is drawn does not depend on what the rows held, so one step mixes them completely. It is right for cells
without lower or upper bounds of their own; the columns may be any that the two rows share.
"""

from __future__ import annotations

import numpy as np

from ..fiber.jit import jit_lean
from .hypergeometric import draw_with_table


@jit_lean
def redraw_two_rows_hypergeometric(
    first: np.ndarray, second: np.ndarray, log_factorials: np.ndarray, random: np.ndarray, table: np.ndarray
) -> None:
    """Draw the cells `first` of one row and `second` of the other anew; first[j] and second[j] stand in one column.

    `log_factorials` is a table of log n! (independent_two_way.log_factorial_table), as long as it is worth it.
    """
    left, beyond = 0, 0
    for j in range(len(first)):
        left += table[first[j]]
        beyond += table[first[j]] + table[second[j]]
    for j in range(len(first) - 1):
        column = table[first[j]] + table[second[j]]
        beyond -= column
        x = 0
        if left > 0 and column > 0:
            x = draw_with_table(column, beyond, left, log_factorials, random)
        table[first[j]] = x
        table[second[j]] = column - x
        left -= x
    if len(first):
        # `beyond` is the sum of the last column
        table[first[-1]] = left
        table[second[-1]] = beyond - left
