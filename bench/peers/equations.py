"""The equations of a release as a competent user would write them down: one column for each hidden cell.

What is published is moved to the right-hand side, and nothing else is worked out beforehand. All peers that are given
equations are given these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.fiber.equations.rowspace import relations
from fiberwalk.fiber.equations.system import fiber_of
from fiberwalk.release.facts.facts import NO_LIMIT


@dataclass(frozen=True, eq=False)
class Equations:
    """A x = b with lower <= x <= upper (infinite where nothing is known); column k is the k-th hidden cell."""

    A: Any
    b: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    @property
    def independent(self) -> tuple[Any, np.ndarray]:
        """Rows that say all that there is to say, short ones rather than long ones, and their sums."""
        order = np.argsort(np.diff(self.A.indptr), kind="stable")
        kept, _ = relations(self.A[order].toarray())
        rows = np.sort(order[kept])
        return sp.csr_array(self.A[rows]), self.b[rows]


def equations(release: fw.Release) -> Equations:
    """The equations of a release whose facts are all exact."""
    fiber = fiber_of(release)
    if fiber.n_columns != release.n_cells:
        raise ValueError("a release with ranges has columns besides its cells")
    hidden = np.zeros(fiber.n_columns, dtype=bool)
    hidden[release.hidden] = True
    A = sp.csr_array(sp.csc_array(fiber.A)[:, release.hidden])
    b = fiber.b - fiber.A @ np.where(hidden, 0, fiber.lower)
    says = np.diff(A.indptr) > 0
    upper = fiber.upper[release.hidden]
    return Equations(
        sp.csr_array(A[says]),
        b[says],
        fiber.lower[release.hidden].astype(float),
        np.where(upper >= NO_LIMIT, np.inf, upper.astype(float)),
    )
