"""Short cycles of sparse patterns: longer ones only through cells that have few."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples

from fiberwalk.moves.families import short_cycles as module


@examples(100)
@given(st.data())
def test_a_longer_move_is_kept_where_a_cell_has_few_shorter_ones(data):
    n, enough = data.draw(st.integers(8, 20)), data.draw(st.integers(1, 4))
    rows = np.zeros((data.draw(st.integers(1, 40)), n), dtype=np.int64)
    for row in rows:
        cells = data.draw(st.permutations(range(n)))[: data.draw(st.sampled_from([4, 6, 8]))]
        row[cells] = 1
    before, module.ENOUGH = module.ENOUGH, enough
    try:
        kept = module._wanted(sp.csr_array(rows)).toarray()
    finally:
        module.ENOUGH = before
    expected = []
    for row in rows:  # in their order: whether one is kept depends on shorter ones alone
        shorter = [other for other in expected_of(rows, row.sum(), enough)]
        through = np.sum(shorter, axis=0) if shorter else np.zeros(n)
        if (through[row > 0] < enough).any():
            expected.append(row)
    assert kept.tolist() == np.array(expected).tolist()


def expected_of(rows: np.ndarray, size: int, enough: int) -> list[np.ndarray]:
    """The rows shorter than a size that are kept, by the same rule."""
    kept: list[np.ndarray] = []
    for shorter in (4, 6, 8):
        if shorter >= size:
            break
        through = np.sum(kept, axis=0) if kept else np.zeros(rows.shape[1])
        kept += [row for row in rows if row.sum() == shorter and (through[row > 0] < enough).any()]
    return kept
