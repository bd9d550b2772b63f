"""Laws: what an intruder believes of a table before she sees the release, as a product of weights over the cells.

p(x) is proportional to prod_i w_i(x_i). A new law is a class with `name`, `words` and `on(release)`, which gives a function
from a cell and a range of its values to their log-weights (None: all alike).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...base.saved_forms import saved
from ...release.facts.facts import NO_VALUE
from ...release.release import Release
from .fitting import fitted_means

Weigh = Callable[[int, int, int], np.ndarray | None]
"""(cell, first value, last value) -> log-weights of the values, or None where all weigh the same."""


def alike(cell: int, first: int, last: int) -> None:
    """All values weigh the same."""


@dataclass(frozen=True, eq=False)
class Poisson:
    """Weights mu^x / x!, one mean for each cell. Samplers know this form and need no list of weights for it."""

    means: np.ndarray

    def __call__(self, cell: int, first: int, last: int) -> np.ndarray:
        """The log-weights of some values of a cell."""
        from scipy.special import gammaln, xlogy

        values = np.arange(first, last + 1)
        weights: np.ndarray = xlogy(values, self.means[cell]) - gammaln(values + 1.0)
        return weights


class Law(Protocol):
    """An intruder's belief: `name` for tables, `words` for reports."""

    @property
    def name(self) -> str:
        """One or two words."""
        ...

    @property
    def words(self) -> str:
        """What the intruder assumes, as half a sentence."""
        ...

    def on(self, release: Release) -> Weigh:
        """The weights of the law on the cells of a release."""
        ...


@saved("Uniform")
@dataclass(frozen=True)
class Uniform:
    """Every feasible table is as probable as any other."""

    name: str = "uniform"
    words: str = "every table that agrees with the release is equally probable"

    def on(self, release: Release) -> Weigh:
        """No weights."""
        return alike


@saved("Hypergeometric")
@dataclass(frozen=True)
class Hypergeometric:
    """The log-linear model of the published figures: w(x) = 1/x!, or mu^x/x! where figures are ranges.

    Where every published figure is exact, the expected counts cancel given the release. Where some are ranges they do
    not, and come from an iterative proportional fit to the published figures. What a random method published is evidence,
    weighed by itself: only cells that no fact speaks of take their expected count from it.
    """

    name: str = "hypergeometric"
    words: str = (
        "respondents fall into cells independently, as in the log-linear model of the published figures; "
        "a table x is then as probable as the product of mu^x / x!, where the expected counts mu cancel if all are exact"
    )

    def on(self, release: Release) -> Weigh:
        """Weights 1/x!, with means where the published figures do not settle them."""
        facts = release.sums
        ranged = (facts.value != NO_VALUE) & (facts.lower < facts.upper)
        ranged_cells = (release.value != NO_VALUE) & (release.lower < release.upper)
        if ranged.any() or ranged_cells.any() or (_loose(release) & _with_evidence(release)).any():
            return self.with_means(release)
        self._check(release)
        return Poisson(np.ones(release.n_cells))

    def with_means(self, release: Release) -> Poisson:
        """Weights mu^x/x!, also where the means would cancel if nothing but this law weighed the cells."""
        self._check(release)
        return Poisson(fitted_means(release))

    def _check(self, release: Release) -> None:
        _warn_of_units(release, self.name)
        _refuse_linked(release, self.name)
        loose = _loose(release) & ~_with_evidence(release)
        if loose.any():
            first = release.words(release.keys[np.flatnonzero(loose)[0]])
            warnings.warn(
                f"law 'hypergeometric': no published figure settles the expected count of {int(loose.sum())} cells, first "
                f"{first}; it is taken as 1. Give expected counts with fw.expected(mu) instead.",
                stacklevel=6,
            )


@saved("Expected")
@dataclass(frozen=True)
class Expected:
    """Independent Poisson counts with means from elsewhere, given the release: w(x) = mu^x / x!."""

    means: Any
    name: str = "expected counts"
    words: str = "counts are Poisson around expected counts that the intruder has from elsewhere"
    call = "fw.expected(mu)"

    def on(self, release: Release) -> Weigh:
        """Weights mu^x / x!, the means matched to the cells by their labels."""
        _warn_of_units(release, self.name)
        return Poisson(_aligned(self.means, release))

    def portable(self, release: Release) -> Expected:
        """The same law as files hold it, whatever form the means were given in: a table with the labels of the release."""
        from ...release.tables.tables import as_means, labelled

        return replace(self, means=labelled(as_means(self.means, release.dims), release.dims))


def expected(mu: Any) -> Expected:
    """An intruder who has expected counts from elsewhere (an older table, a model): a table like the one released.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> a = fw.audit(fw.publish([[1, 2], [3, 4]], ["A", "B"]), law=fw.expected([[9, 1], [1, 9]]))
    >>> a.pmf(A="1", B="1").round(3).tolist()
    [0.0, 0.002, 0.1, 0.898]
    """
    return Expected(mu)


def as_law(law: Any) -> Law:
    """A law by its name or as an object."""
    known: dict[str, Law] = {"uniform": Uniform(), "hypergeometric": Hypergeometric()}
    if isinstance(law, str):
        if law not in known:
            raise InputError(
                f"there is no law {law!r}; {did_you_mean(law, known)}, or fw.expected(mu), fw.prior([...]), "
                "fw.per_contributor(contributors)"
            )
        return known[law]
    if not all(hasattr(law, part) for part in ("on", "words", "name")):
        raise InputError(
            f"law= must be 'uniform', 'hypergeometric', fw.expected(mu), fw.prior([...]) or "
            f"fw.per_contributor(contributors); it is {law!r}."
        )
    chosen: Law = law
    return chosen


def _loose(release: Release) -> np.ndarray:
    """The cells whose expected count no published fact settles."""
    facts = release.sums
    settled = facts.matrix[np.flatnonzero((facts.value != NO_VALUE) | (facts.lower == facts.upper))]
    loose = np.ones(release.n_cells, dtype=bool)
    loose[settled.indices] = False
    return np.asarray(loose & (release.value == NO_VALUE) & (release.lower < release.upper))


def _with_evidence(release: Release) -> np.ndarray:
    """The cells that a random method published something of, by themselves or in a sum."""
    seen = np.zeros(release.n_cells, dtype=bool)
    for item in release.evidence:
        seen[item.cells] = seen[item.cells] | (item.figure != NO_VALUE)
    return seen


def _warn_of_units(release: Release, law: str) -> None:
    if release.of_magnitudes:
        unit = f"10^-{release.decimals}" if release.decimals else "1"
        warnings.warn(
            f"law {law!r} counts units: on a magnitude table its answer depends on the unit (here {unit}).",
            stacklevel=6,
        )


def _refuse_linked(release: Release, law: str) -> None:
    """Weights belong to the finest cells of one table: side by side, linked tables would weigh the same people twice."""
    if len(release.grids) != 1:
        raise InputError(
            f"law {law!r} weighs the cells of one table, and these are {len(release.grids)} linked ones; "
            "link them with full=True, as margins of the one crossed table, or use law='uniform'."
        )


def _aligned(means: Any, release: Release) -> np.ndarray:
    """Expected counts in the order of the release's cells."""
    from ...release.tables.tables import as_means

    _refuse_linked(release, "expected counts")
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
