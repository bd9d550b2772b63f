"""What a writer of public files takes: the rows of a publication, which never hold the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..tables.dims import Dim


@dataclass(frozen=True, eq=False)
class PublicRows:
    """One row per cell and per known or withheld sum, in whole numbers of 10^-decimals; NO_VALUE where nothing is told."""

    dims: Sequence[Dim]
    keys: np.ndarray
    """The nodes of each cell or sum."""
    value: np.ndarray
    status: np.ndarray
    """PUBLISHED, RANDOM (perturbed at random), PRIMARY or HIDDEN."""
    lower: np.ndarray
    upper: np.ndarray
    """The range that is told instead of the value, or beside it."""
    decimals: int
    source: str
    """The file that is to hold them, as errors name it."""
