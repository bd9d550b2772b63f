"""How large a system is for algebra: the volume (determinant) of its lattice."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...fiber.equations.lattice import integer_kernel


def log_volume(A: Any, bounded: np.ndarray) -> float:
    """Log2 of the volume (determinant) of the lattice of all integer z with A z = 0, lifted where columns are `bounded`.

    With a lattice basis B it is the root of the Gram determinant det(B (I + D) B'), where D has a 1 for each bounded column,
    whose change appears once more in its slack column. It does not depend on the basis, on the order of columns and rows,
    nor on repeated equations. A Markov basis of a lattice of large volume tends to have many and long moves: of the figures
    that can be had at once, the volume tells best how long 4ti2 will take.
    """
    basis = integer_kernel(A).basis.toarray().astype(float)
    if not len(basis):
        return 0.0
    sign, log_determinant = np.linalg.slogdet(basis @ ((1.0 + bounded)[:, None] * basis.T))
    return float(log_determinant) / math.log(4.0) if sign > 0 else math.inf
