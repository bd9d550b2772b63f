"""Small integer systems with all their tables."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st


@st.composite
def systems(draw):
    """A small system with coefficients that tables do not have, and its tables by trying everything."""
    n = draw(st.integers(2, 5))
    numbers = st.integers(-3, 4)
    A = np.array(draw(st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=0, max_size=3)), dtype=np.int64)
    A = A.reshape(-1, n)
    lower = np.array(draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)))
    upper = lower + np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    start = np.array([draw(st.integers(int(a), int(b))) for a, b in zip(lower, upper, strict=True)])
    grid = np.indices(tuple(upper - lower + 1)).reshape(n, -1).T + lower
    rows = np.array(draw(st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=1, max_size=4)))
    return A, A @ start, lower, upper, start, rows, grid[(grid @ A.T == A @ start).all(axis=1)]


AGES = np.array([0, 3, 5, 9])
"""Of grouped systems; nought is an age that a sum does not show."""


@st.composite
def grouped_systems(draw):
    """Few people by age and kind, how many of some groups there are, and what their ages add up to; with all tables."""
    kinds = draw(st.integers(1, 3))
    x = np.array(draw(st.lists(st.integers(0, 1), min_size=4 * kinds, max_size=4 * kinds)))
    age, kind = np.tile(AGES, kinds), np.repeat(np.arange(kinds), 4)
    rows = [np.ones(4 * kinds, int), age]
    for _ in range(draw(st.integers(0, 2))):
        inside = np.isin(kind, draw(st.lists(st.sampled_from(range(kinds)), min_size=1, unique=True)))
        rows += [inside.astype(int), inside * age][: draw(st.integers(1, 2))]
    if draw(st.booleans()):  # how many are at most so old
        rows.append((age <= draw(st.sampled_from(AGES))).astype(int))
    A = np.array(rows)
    upper = np.full(4 * kinds, draw(st.integers(1, 2)) if kinds < 3 else 1)
    upper = np.maximum(upper, x)
    grid = np.indices(tuple(upper + 1)).reshape(4 * kinds, -1).T
    return sp.csr_array(A), A @ x, np.zeros(4 * kinds, int), upper, grid[(grid @ A.T == A @ x).all(axis=1)]
