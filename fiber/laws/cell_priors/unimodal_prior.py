"""unimodal: most probable in the middle of the interval that is known, and evenly less so towards its ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....base.errors import InputError
from ....base.saved_forms import saved
from .cell_prior import KNOWN, is_probability


@saved("Unimodal")
@dataclass(frozen=True)
class Unimodal:
    """A triangle over the interval that is known: the probability falls evenly from the peak to just beyond both ends."""

    peak: float | None = None
    name: str = "unimodal"
    needs_interval = True

    @property
    def words(self) -> str:
        """What the intruder assumes."""
        where = "in the middle" if self.peak is None else f"at {self.peak:g}"
        return f"most probable {where} and evenly less so towards the ends of {KNOWN}"

    @property
    def call(self) -> str:
        """How it is made."""
        return f"fw.laws.unimodal({'' if self.peak is None else f'peak={self.peak:g}'})"

    def log_weights(self, values: np.ndarray, known: tuple[int, int], decimals: int) -> np.ndarray:
        """The log-weights of some values: the probability would be 0 one step beyond either end of the interval."""
        low, high = known
        peak = (low + high) / 2 if self.peak is None else min(max(self.peak * 10**decimals, low), high)
        inside = np.clip(values, low, high)
        weights: np.ndarray = np.log(
            np.minimum((inside - low + 1) / (peak - low + 1), (high - inside + 1) / (high - peak + 1))
        )
        return weights


def unimodal(peak: float | None = None) -> Unimodal:
    """A prior for `prior`: highest in the middle of the interval that is known of the cell, and falling to its ends.

    The probability is proportional to 1 + the distance from the nearer end (Duncan, Fienberg, Krishnan, Padman and Roehrig
    2001 suggest such a prior: values in the middle leave the other cells more freedom). The interval is the one of
    `beta_binomial` without trials.

    Parameters
    ----------
    peak
        Where it is highest instead, in the table's own units: from there it falls evenly on either side. Outside the
        interval the nearer end is meant.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> release = fw.publish([[3, 1], [2, 4]], margins=["A", "B"])
    >>> law = fw.laws.prior([({"A": "1", "B": "1"}, fw.laws.unimodal())])
    >>> fw.audit(release, law).pmf(A="1", B="1").round(3).to_dict()
    {0: 0.111, 1: 0.222, 2: 0.333, 3: 0.222, 4: 0.111}
    """
    if peak is not None and not is_probability(peak):
        raise InputError(f"unimodal(peak={peak!r}): a number of at least 0, in the table's own units.")
    return Unimodal(None if peak is None else float(peak))
