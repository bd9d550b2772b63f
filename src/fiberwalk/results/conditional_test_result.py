"""ConditionalTest: the p-value of a model given its sums, and how far it can be trusted."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

import numpy as np

from ..base.certificate import Certificate
from ..base.saved_file import save
from ..base.saved_forms import saved


@saved("ConditionalTest", kind="conditional test")
@dataclass(frozen=True, eq=False, repr=False)
class ConditionalTest:
    """The p-value of a model: how probable so bad a fit is if it holds, among all tables with the same sums.

    `p` with its standard `error` (0 where all tables were listed), its confidence `interval` of 95%, the `observed`
    statistic, and what the asymptotic chi-square test would say: `df` and `p_asymptotic`.
    """

    p: float
    error: float
    method: str
    """"exact": over all tables; "chains": from drawn ones."""
    certificate: Certificate
    model: str
    statistic: str
    observed: float
    df: int
    """Degrees of freedom: in how many independent ways a table with these sums can change."""
    has_limit: bool
    """Does the statistic have an asymptotic chi-square distribution?"""
    expected: np.ndarray
    """Expected counts under the model (maximum likelihood), in the order of the table."""
    fitted: bool = True
    """Did the fit of the expected counts converge?"""
    tables: int | None = None
    """How many tables have these sums, where they were listed."""
    draws: int = 0
    ess: float = math.inf
    rhat: float = 1.0
    settled: bool = True
    stopped: str = ""
    seed: int | None = None

    @property
    def converged(self) -> bool:
        """Is the p-value exact, or its error as small as was wanted, by chains that agree?"""
        return self.settled and self.fitted

    @property
    def interval(self) -> tuple[float, float]:
        """Where the p-value lies with a confidence of 95% (Clopper and Pearson, of the effective draws)."""
        if self.method == "exact":
            return self.p, self.p
        from scipy.special import betaincinv

        hits, misses = self.p * self.ess, (1.0 - self.p) * self.ess
        low = 0.0 if hits <= 0 else float(betaincinv(hits, misses + 1.0, 0.025))
        high = 1.0 if misses <= 0 else float(betaincinv(hits + 1.0, misses, 0.975))
        return low, high

    @property
    def p_asymptotic(self) -> float:
        """The p-value of the chi-square distribution, near to `p` where counts are large; nan for statistics without it."""
        from scipy.special import gammaincc

        if not self.has_limit:
            return math.nan
        return float(gammaincc(self.df / 2.0, self.observed / 2.0)) if self.df else 1.0

    @property
    def doubt(self) -> str:
        """What must be said beside the p-value; empty where nothing must."""
        if not self.fitted:
            return "the fit of the expected counts has not converged"
        if not self.settled:
            return "NOT CONVERGED" + (f": {self.stopped}" if self.stopped else "")
        return "unproven" if self.certificate.word == "unproven" else ""

    @property
    def sentence(self) -> str:
        """The finding in words."""
        error = "" if self.method == "exact" else f" (standard error {self.error:.2g})"
        large = f"; large counts would suggest {self.p_asymptotic:.4f}" if self.has_limit else ""
        doubt = f" {self.doubt}." if self.doubt else ""
        return (
            f"If the model {self.model} holds, a table with these sums has a {self.statistic} of at least "
            f"{self.observed:.4g} with probability {self.p:.4f}{error}{large}.{doubt}"
        )

    def __repr__(self) -> str:
        error = "" if self.method == "exact" else f" ± {self.error:.2g}"
        doubt = f"; {self.doubt}" if self.doubt else ""
        return (
            f"<ConditionalTest of {self.model}: {self.statistic} {self.observed:.4g}, p = {self.p:.4f}{error}{doubt}>"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, from which `fiberwalk.load` makes it again."""
        save(self, path)
