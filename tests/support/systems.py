"""Small integer systems with all their tables."""

import numpy as np
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
