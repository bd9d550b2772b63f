"""prior: an intruder who has an opinion of her own on some cells, or the same one on all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.interruption import check_time
from ...base.numbers import scaled
from ...base.saved_forms import saved
from ...release.release import Release
from ...release.tables.tables import key_of
from ..blocks.presolve import presolve
from ..bounds.known_intervals import known_intervals
from .by_name import as_law
from .cell_priors.beta_binomial_prior import BetaBinomial
from .cell_priors.cell_prior import KnownPrior, is_probability
from .hypergeometric import Hypergeometric
from .law import Law, Poisson, Tail, Weigh, alike
from .unknown_law import on_paper

CellPrior = Mapping[Any, float] | Callable[[Any], float] | KnownPrior
"""How probable values are, in the table's own units: listed, as a function, or one of `cell_priors`."""
AT_A_TIME = 1 << 20
"""Values whose weights are worked out at once."""
LogWeights = Callable[[int, np.ndarray], np.ndarray]
"""(cell, some of its values) -> their log-weights."""


@saved("Prior")
@dataclass(frozen=True, eq=False)
class Prior:
    """Some cells have priors of their own; the others have the same one, or the weights of another law."""

    cells: tuple[tuple[Mapping[str, Any], CellPrior], ...]
    otherwise: Law
    name: str = "prior"
    everywhere: CellPrior | None = None

    @property
    def words(self) -> str:
        """What the intruder assumes."""
        n_cells = len(self.cells)
        on_some = (
            f"she has a prior of her own on {'one cell' if n_cells == 1 else f'{n_cells} cells'}; " if n_cells else ""
        )
        if self.everywhere is None:
            return f"{on_some}for the others, {self.otherwise.words}"
        cells = "every other hidden cell" if n_cells else "every hidden cell"
        return f"{on_some}on {cells} she has the same prior: {getattr(self.everywhere, 'words', 'one of her own')}"

    @property
    def below_zero(self) -> bool:
        """Does it weigh negative values too? Priors that are listed, or a function, weigh whatever they name."""
        named = [prior for _, prior in self.cells] + ([] if self.everywhere is None else [self.everywhere])
        plain = not any(hasattr(prior, "log_weights") for prior in named)
        return plain and bool(getattr(self.otherwise, "below_zero", False))

    @property
    def call(self) -> str:
        """How it is made, for reports."""
        arguments = ["[...]"] if self.cells else []
        if self.everywhere is not None:
            arguments.append(f"everywhere={getattr(self.everywhere, 'call', '...')}")
        return f"fw.laws.prior({', '.join(arguments)})"

    def on(self, release: Release) -> Weigh:
        """The logarithms of the priors, and elsewhere the weights of the other law."""
        by_cell = self._by_cell(release)
        if self.everywhere is not None:
            shared = dict.fromkeys(release.hidden.tolist(), self.everywhere)
            return PriorWeights({**shared, **by_cell}, alike, release)
        # The expected counts of the log-linear model no longer cancel where some cells are weighed by something else.
        law = self.otherwise
        others = law.with_means(release) if isinstance(law, Hypergeometric) else law.on(release)
        return PriorWeights(by_cell, others, release)

    def removes_own(self, release: Release) -> np.ndarray:
        """Cells that a prior on counts weighs, or a law that takes own units out."""
        if self.everywhere is not None:
            return np.ones(release.n_cells, dtype=bool)
        law = self.otherwise
        removes: np.ndarray = (
            law.removes_own(release) if hasattr(law, "removes_own") else np.zeros(release.n_cells, bool)
        )
        removes[list(self._by_cell(release))] = True
        return removes

    def portable(self, release: Release) -> Prior:
        """The same law as files hold it: functions are listed for the values that are possible."""
        low, high = _ranges(release)
        cells: list[tuple[Mapping[str, Any], CellPrior]] = []
        for (cell, prior), number in zip(self.cells, self._by_cell(release), strict=True):
            named = {str(dim): str(label) for dim, label in cell.items()}
            cells.append((named, _listed(prior, int(low[number]), int(high[number]), release)))
        shared = self.everywhere
        if shared is not None and len(release.hidden):
            shared = _listed(shared, int(low[release.hidden].min()), int(high[release.hidden].max()), release)
        return replace(self, cells=tuple(cells), otherwise=on_paper(self.otherwise, release), everywhere=shared)

    def _by_cell(self, release: Release) -> dict[int, CellPrior]:
        by_cell: dict[int, CellPrior] = {}
        number_of = {tuple(key): number for number, key in enumerate(release.keys.tolist())} if self.cells else {}
        for cell, prior in self.cells:
            key = key_of(cell, release.dims)
            number = number_of.get(tuple(key))
            if number is None:
                raise InputError(
                    f"a prior is for one of the finest cells, and {release.words(key)} is a sum of several; say what is "
                    "known of a sum with knows()."
                )
            if number in by_cell:
                raise InputError(f"{release.words(key)} has two priors; give it one.")
            by_cell[number] = prior
        return by_cell


class PriorWeights:
    """The log-weights of values under priors of some cells and a law of the others."""

    def __init__(self, priors: Mapping[int, CellPrior], others: Weigh, release: Release) -> None:
        self.priors, self.others, self.release = priors, others, release
        asking = np.array(
            [cell for cell, cell_prior in priors.items() if getattr(cell_prior, "needs_interval", False)], dtype=np.intp
        )
        low, high = known_intervals(release, asking) if len(asking) else (asking, asking)
        self.known = dict(zip(asking.tolist(), zip(low.tolist(), high.tolist(), strict=True), strict=True))
        self._computed: dict[int, LogWeights] = {}  # cells may share a prior: what is computed of it is kept once

    def __call__(self, cell: int, first: int, last: int) -> np.ndarray | None:
        """The log-weights of some values of a cell."""
        prior = self.priors.get(cell)
        if prior is None:
            return self.others(cell, first, last)
        if id(prior) not in self._computed:
            self._computed[id(prior)] = self._log_weights(cell, prior)
        log_weights = np.empty(last - first + 1)
        for begin in range(0, len(log_weights), AT_A_TIME):
            if begin:
                check_time(f"the weights of {len(log_weights):,} values of {self._named(cell)} were listed")
            values = np.arange(first + begin, min(first + begin + AT_A_TIME, last + 1))
            log_weights[begin : begin + AT_A_TIME] = self._computed[id(prior)](cell, values)
        if np.isneginf(log_weights).all():
            show = self.release.show
            possible = show(first) if first == last else f"{show(first)} to {show(last)}"
            raise InputError(
                f"the prior on {self._named(cell)} gives no probability to what the published figures leave possible: "
                f"{possible}."
            )
        return log_weights

    def excludes_nothing(self, cell: int) -> bool:
        """Is it plain, without a list, that no value of a cell has probability zero?"""
        prior = self.priors.get(cell)
        if prior is None:
            return self.others is alike or (isinstance(self.others, Poisson) and bool(self.others.means[cell] > 0))
        return bool(getattr(prior, "always_positive", False))

    def tail(self, cell: int) -> Tail | None:
        """A formula for the large values of a cell, where there is one."""
        prior = self.priors.get(cell)
        if prior is None:
            return self.others.tail(cell) if hasattr(self.others, "tail") else None
        return prior.tail(self.release.decimals) if hasattr(prior, "tail") else None

    def signature(self, cell: int) -> bytes | None:
        """What tells the prior of a cell from others, without a list; None where it takes one."""
        prior = self.priors.get(cell)
        if prior is None or not getattr(prior, "always_positive", False):
            return None
        return repr((prior, self.known.get(cell))).encode()

    def _named(self, cell: int) -> str:
        return self.release.words(self.release.keys[cell])

    def _log_weights(self, first_cell: int, prior: CellPrior) -> LogWeights:
        """How the values of a prior's cells are weighed; the first of them is named where the prior itself is wrong."""
        decimals, where = self.release.decimals, f"the prior on {self._named(first_cell)}"
        if hasattr(prior, "log_weights"):
            return lambda cell, values: prior.log_weights(values, self.known.get(cell, (0, 0)), decimals)
        log_of: dict[int, float] = {}
        if isinstance(prior, Mapping):
            log_of = {scaled(value, decimals, where): _log(p) for value, p in prior.items()}
            return lambda cell, values: np.array([log_of.get(value, -np.inf) for value in values.tolist()])

        def computed(cell: int, values: np.ndarray) -> np.ndarray:
            for value in values.tolist():
                if value not in log_of:
                    shown = value if decimals == 0 else float(self.release.own_units(value))
                    p = prior(shown)
                    if not is_probability(p):
                        raise InputError(
                            f"the prior on {self._named(cell)} gives {p!r} for {shown}; a probability is a finite number of "
                            "at least 0."
                        )
                    log_of[value] = _log(p)
            return np.array([log_of[value] for value in values.tolist()])

        return computed


def prior(
    priors: Iterable[tuple[Mapping[str, Any], CellPrior]] = (),
    otherwise: Any = None,
    *,
    everywhere: CellPrior | None = None,
) -> Prior:
    """An intruder who has an opinion of her own on some cells, or the same one on all.

    A cell's prior multiplies with what a release says of it by evidence, such as a randomly rounded figure.

    Parameters
    ----------
    priors
        Pairs of a cell, {dim: label}, and its prior: a dict of value -> probability (other values are impossible), a
        function of the value, `beta_binomial(...)`, `unimodal(...)`, `log_normal(...)` or `frequencies_of(reference)`.
        Values are in the table's own units. Probabilities need not add up to 1: only their ratios matter.
    otherwise
        The law of the other cells: "uniform" (the default), "hypergeometric", `expected(mu)`.
    everywhere
        Or one prior for every other cell that is not published as it is.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> release = fw.publish([[3, 1], [2, 4]], margins=["A", "B"])
    >>> law = fw.laws.prior([({"A": "1", "B": "1"}, {2: 0.5, 3: 0.25, 7: 0.25})])
    >>> fw.audit(release, law).pmf(A="1", B="1").round(3).to_dict()
    {2: 0.667, 3: 0.333}
    >>> law = fw.laws.prior(everywhere=fw.laws.unimodal())
    >>> fw.audit(release, law).pmf(A="1", B="1").round(3).to_dict()
    {0: 0.009, 1: 0.139, 2: 0.704, 3: 0.139, 4: 0.009}
    """
    if isinstance(priors, Mapping) or not isinstance(priors, Iterable):
        raise InputError('prior() takes a list of pairs, such as [({"A": "1", "B": "2"}, {0: 0.5, 1: 0.5})].')
    pairs = []
    for pair in priors:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], Mapping):
            raise InputError(f"prior() takes pairs of a cell, {{dim: label}}, and its prior; this is {pair!r}.")
        cell, cell_prior = pair
        pairs.append((dict(cell), _checked(f"the prior on {dict(cell)}", cell_prior)))
    if everywhere is None:
        if not pairs:
            raise InputError("prior() needs at least one cell with its prior, or everywhere=.")
        return Prior(tuple(pairs), as_law("uniform" if otherwise is None else otherwise))
    if otherwise is not None:
        raise InputError("prior(everywhere=) leaves no cell for otherwise=; give one of them.")
    shared = _checked("the prior everywhere", everywhere)
    name = "prior" if pairs else getattr(shared, "name", "prior")
    return Prior(tuple(pairs), as_law("uniform"), name, shared)


def _checked(where: str, prior: Any) -> Any:
    if callable(prior) or hasattr(prior, "log_weights"):
        return prior
    if not isinstance(prior, Mapping) or not prior:
        raise InputError(
            f"{where} must be a dict of value -> probability, a function of the value, or one of "
            "fw.laws.beta_binomial(...), fw.laws.unimodal(...), fw.laws.log_normal(...), fw.laws.frequencies_of(reference)."
        )
    for value, p in prior.items():
        if not is_probability(p):
            raise InputError(f"{where} gives {p!r} for {value!r}; a probability is a finite number of at least 0.")
    if not any(prior.values()):
        raise InputError(f"{where} gives no value a probability above 0.")
    return dict(prior)


def _log(p: float) -> float:
    return math.log(p) if p > 0 else -np.inf


def _listed(prior: CellPrior, low: int, high: int, release: Release) -> CellPrior:
    """A prior in plain data: a function as the list of what it gives for some values."""
    if isinstance(prior, (Mapping, BetaBinomial)) or hasattr(prior, "log_weights"):
        return prior
    values = np.asarray(release.own_units(np.arange(low, high + 1))).tolist()
    return {value: float(prior(value)) for value in values}


def _ranges(release: Release) -> tuple[np.ndarray, np.ndarray]:
    """Between which values each cell lies, as presolve knows it."""
    presolved = presolve(release)
    low, high = presolved.start.copy(), presolved.start.copy()
    for block in presolved.blocks:
        low[block.columns], high[block.columns] = block.lower, block.upper
    return low, high
