"""prior: an intruder who has an opinion of her own on some cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from ..release.errors import InputError
from ..release.numbers import scaled
from ..release.release import Release
from ..release.tables import key_of
from .laws import Hypergeometric, Law, Weigh, as_law
from .presolve import presolve

CellPrior = Mapping[Any, float] | Callable[[Any], float]
"""How probable values are, in the table's own units: listed, or as a function; what is not listed is impossible."""


@dataclass(frozen=True)
class BetaBinomial:
    """C(n, x) B(x + a, n - x + b) / B(a, b): x of n, where the share is Beta(a, b)."""

    n: int
    a: float
    b: float

    def __call__(self, value: float) -> float:
        """The probability of a value."""
        if not 0 <= value <= self.n or value != int(value):
            return 0.0
        others = self.n - value
        choices = math.lgamma(self.n + 1) - math.lgamma(value + 1) - math.lgamma(others + 1)
        return math.exp(choices + _log_beta(value + self.a, others + self.b) - _log_beta(self.a, self.b))


@dataclass(frozen=True, eq=False)
class Prior:
    """Some cells have priors of their own; the others have the weights of another law."""

    cells: tuple[tuple[Mapping[str, Any], CellPrior], ...]
    otherwise: Law
    name: str = "prior"
    call = "fw.prior([...])"

    @property
    def words(self) -> str:
        """What the intruder assumes."""
        n = len(self.cells)
        which = "one cell" if n == 1 else f"{n} cells"
        return f"she has a prior of her own on {which}; for the others, {self.otherwise.words}"

    def on(self, release: Release) -> Weigh:
        """The logarithms of the priors, and elsewhere the weights of the other law."""
        # The expected counts of the log-linear model no longer cancel where some cells are weighed by something else.
        law = self.otherwise
        others = law.with_means(release) if isinstance(law, Hypergeometric) else law.on(release)
        return PriorWeights(self._by_cell(release), others, release)

    def portable(self, release: Release) -> Prior:
        """The same law as files hold it: functions are listed for the values that are possible."""
        cells: list[tuple[Mapping[str, Any], CellPrior]] = []
        for (cell, prior), number in zip(self.cells, self._by_cell(release), strict=True):
            named = {str(dim): str(label) for dim, label in cell.items()}
            if not isinstance(prior, (Mapping, BetaBinomial)):
                low, high = _range(release, number)
                values = np.asarray(release.own_units(np.arange(low, high + 1))).tolist()
                prior = {value: float(prior(value)) for value in values}
            cells.append((named, prior))
        portable = getattr(self.otherwise, "portable", None)
        return replace(self, cells=tuple(cells), otherwise=self.otherwise if portable is None else portable(release))

    def _by_cell(self, release: Release) -> dict[int, CellPrior]:
        found: dict[int, CellPrior] = {}
        for cell, prior in self.cells:
            key = np.array(key_of(cell, release.dims))
            numbers = np.flatnonzero((release.keys == key).all(axis=1))
            if not len(numbers):
                raise InputError(
                    f"a prior is for one of the finest cells, and {release.words(key)} is a sum of several; say what is "
                    "known of a sum with knows()."
                )
            if int(numbers[0]) in found:
                raise InputError(f"{release.words(key)} has two priors; give it one.")
            found[int(numbers[0])] = prior
        return found


class PriorWeights:
    """The log-weights of values under priors of some cells and a law of the others."""

    def __init__(self, priors: Mapping[int, CellPrior], others: Weigh, release: Release) -> None:
        self.others, self.release = others, release
        self._log_of = {cell: self._function(cell, prior) for cell, prior in priors.items()}

    def __call__(self, cell: int, first: int, last: int) -> np.ndarray | None:
        """The log-weights of some values of a cell."""
        log_of = self._log_of.get(cell)
        if log_of is None:
            return self.others(cell, first, last)
        found = np.array([log_of(value) for value in range(first, last + 1)])
        if np.isneginf(found).all():
            show = self.release.show
            possible = show(first) if first == last else f"{show(first)} to {show(last)}"
            raise InputError(
                f"the prior on {self._named(cell)} gives no probability to what the published figures leave possible: "
                f"{possible}."
            )
        return found

    def _named(self, cell: int) -> str:
        return self.release.words(self.release.keys[cell])

    def _function(self, cell: int, prior: CellPrior) -> Callable[[int], float]:
        """value (a whole number of 10^-decimals) -> log-probability."""
        decimals = self.release.decimals
        if isinstance(prior, Mapping):
            where = f"the prior on {self._named(cell)}"
            listed = {scaled(value, decimals, where): _log(p) for value, p in prior.items()}
            return lambda value: listed.get(value, -np.inf)

        @cache
        def computed(value: int) -> float:
            shown = value if decimals == 0 else float(self.release.own_units(value))
            p = prior(shown)
            if not _is_probability(p):
                raise InputError(
                    f"the prior on {self._named(cell)} gives {p!r} for {shown}; a probability is a finite number of at "
                    "least 0."
                )
            return _log(p)

        return computed


def prior(cells: Iterable[tuple[Mapping[str, Any], CellPrior]], otherwise: Any = "uniform") -> Prior:
    """An intruder who has an opinion of her own on some cells.

    Parameters
    ----------
    cells
        Pairs of a cell, {dim: label}, and its prior: a dict of value -> probability (other values are impossible), a
        function of the value, or `beta_binomial(n, a, b)`. Values are in the table's own units. Probabilities need not
        add up to 1: only their ratios matter.
    otherwise
        The law of the other cells: "uniform", "hypergeometric", `expected(mu)`.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> release = fw.publish([[3, 1], [2, 4]], margins=["A", "B"])
    >>> law = fw.prior([({"A": "1", "B": "1"}, {2: 0.5, 3: 0.25, 7: 0.25})])
    >>> fw.audit(release, law).pmf(A="1", B="1").round(3).to_dict()
    {2: 0.667, 3: 0.333}
    """
    if isinstance(cells, Mapping) or not isinstance(cells, Iterable):
        raise InputError('prior() takes a list of pairs, such as [({"A": "1", "B": "2"}, {0: 0.5, 1: 0.5})].')
    pairs = []
    for pair in cells:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], Mapping):
            raise InputError(f"prior() takes pairs of a cell, {{dim: label}}, and its prior; this is {pair!r}.")
        cell, one = pair
        _check(dict(cell), one)
        pairs.append((dict(cell), dict(one) if isinstance(one, Mapping) else one))
    if not pairs:
        raise InputError("prior() needs at least one cell with its prior.")
    return Prior(tuple(pairs), as_law(otherwise))


def beta_binomial(n: int, a: float, b: float) -> BetaBinomial:
    """A prior for `prior`: x of n units are in the cell, and the share of them is Beta(a, b) distributed.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> [round(fw.beta_binomial(2, 1, 1)(x), 3) for x in range(4)]
    [0.333, 0.333, 0.333, 0.0]
    """
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
        raise InputError(f"beta_binomial(n={n!r}): a whole number of at least 0.")
    for name, value in (("a", a), ("b", b)):
        if not _is_probability(value) or value == 0:
            raise InputError(f"beta_binomial({name}={value!r}): a number above 0.")
    return BetaBinomial(int(n), float(a), float(b))


def _check(cell: dict[str, Any], prior: Any) -> None:
    if callable(prior):
        return
    if not isinstance(prior, Mapping) or not prior:
        raise InputError(f"the prior on {cell} must be a dict of value -> probability, or a function of the value.")
    for value, p in prior.items():
        if not _is_probability(p):
            raise InputError(
                f"the prior on {cell} gives {p!r} for {value!r}; a probability is a finite number of at least 0."
            )
    if not any(prior.values()):
        raise InputError(f"the prior on {cell} gives no value a probability above 0.")


def _is_probability(p: Any) -> bool:
    number = isinstance(p, (int, float, np.integer, np.floating)) and not isinstance(p, bool)
    return number and math.isfinite(p) and p >= 0


def _log(p: float) -> float:
    return math.log(p) if p > 0 else -np.inf


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _range(release: Release, cell: int) -> tuple[int, int]:
    """Between which values a cell lies, as presolve knows it."""
    solved = presolve(release)
    for block in solved.blocks:
        place = np.flatnonzero(block.columns == cell)
        if len(place):
            return int(block.lower[place[0]]), int(block.upper[place[0]])
    return int(solved.start[cell]), int(solved.start[cell])
