"""What kernels have in common that need no chain."""

from __future__ import annotations

from ....base.certificate import Certificate
from ..kernel import Kernel

DIRECT = Certificate("connected", "every draw is a new table, independent of the last, drawn from the law itself")


class IndependentKernel(Kernel):
    """One table a draw, whatever that costs."""

    cost = 1.0
    credits_lines = False
    independent = True

    def steps(self, n_columns: int) -> int:
        """One."""
        return 1
