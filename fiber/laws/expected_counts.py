"""expected: an intruder who has expected counts from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.saved_forms import saved
from ...release.release import Release
from .law import Poisson, Weigh, refuse_linked, warn_of_units


@saved("Expected")
@dataclass(frozen=True)
class Expected:
    """Independent Poisson counts with means from elsewhere, given the release: w(x) = mu^x / x!."""

    means: Any
    name: str = "expected counts"
    words: str = "counts are Poisson around expected counts that the intruder has from elsewhere"
    call = "fw.laws.expected(mu)"

    def on(self, release: Release) -> Weigh:
        """Weights mu^x / x!, the means matched to the cells by their labels."""
        warn_of_units(release, self.name)
        return Poisson(_aligned(self.means, release))

    def removes_own(self, release: Release) -> np.ndarray:
        """Every cell counts people: an intruder's own units are taken out of it."""
        return np.ones(release.n_cells, dtype=bool)

    def portable(self, release: Release) -> Expected:
        """The same law as files hold it, whatever form the means were given in: a table with the labels of the release."""
        from ...release.tables.tables import as_means, labelled

        return replace(self, means=labelled(as_means(self.means, release.dims), release.dims))


def expected(mu: Any) -> Expected:
    """An intruder who has expected counts from elsewhere, such as an older table or a model.

    Counts are independent and Poisson with these means, given the release: a table x is as probable as the product of
    mu^x / x!.

    Parameters
    ----------
    mu
        A table like the one released: the expected count of each cell. A cell with the mean 0 is empty.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> a = fw.audit(fw.publish([[1, 2], [3, 4]], ["A", "B"]), law=fw.laws.expected([[9, 1], [1, 9]]))
    >>> a.pmf(A="1", B="1").round(3).tolist()
    [0.0, 0.002, 0.1, 0.898]
    """
    return Expected(mu)


def _aligned(means: Any, release: Release) -> np.ndarray:
    """Expected counts in the order of the release's cells."""
    from ...release.tables.tables import as_means

    refuse_linked(release, "expected counts")
    values = as_means(means, release.dims)
    if values.shape != release.grids[0].cells.shape:
        raise InputError(
            f"expected counts have the shape {values.shape}; the table has {release.grids[0].cells.shape}."
        )
    if not np.isfinite(values).all() or (values < 0).any():
        raise InputError("expected counts must be numbers of at least 0.")
    flat = np.empty(release.n_cells)
    flat[release.grids[0].cells.ravel()] = values.ravel()
    return flat * 10.0**release.decimals
