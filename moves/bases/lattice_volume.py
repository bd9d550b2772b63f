"""How large a system is for algebra: the volume that one move of its lattice takes up."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...fiber.equations.lattice import integer_kernel


def log_volume(A: Any, bounded: np.ndarray) -> float:
    """Log2 of the volume (determinant) of the lattice of all integer z with A z = 0, lifted where columns are `bounded`.

    With a lattice basis B it is the root of det(B (I + D) B'), D the 1s of the bounded columns, whose change is seen once
    more in a column of its own. It does not depend on the basis, on the order of anything, nor on how often an equation is
    said. A Markov basis of a lattice of large volume has many and long moves, as all that the lattice leaves out has to be
    walked around: of the figures that can be had at once, it tells best how long 4ti2 will take.
    """
    basis = integer_kernel(A).basis.toarray().astype(float)
    if not len(basis):
        return 0.0
    sign, log_determinant = np.linalg.slogdet(basis @ ((1.0 + bounded)[:, None] * basis.T))
    return float(log_determinant) / math.log(4.0) if sign > 0 else math.inf
