"""Only the published counts of a method, on plain arrays: what a server of many or large tables needs.

A release says besides what its figures tell an intruder, cell by cell, which takes far too long for hundreds of thousands
of cells. The counts are those of the public function with the same seed: its release can be made later, for an audit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..release.facts.facts import NO_VALUE
from ..release.tables.dims import Dim, Margin, parse_margin
from ..release.tables.integers import whole_numbers
from ..release.tables.table_forms import axis_name
from ..release.tables.tables import Table
from .mechanism.cell_keys import CellNumbers, taken_seed
from .methods import method_named, refuse_missing, refuse_unknown
from .perturbation.noise import as_noise
from .perturbation.perturbation import chosen_within, refuse_undecided
from .perturbation.transition_matrix import as_transitions
from .records.swapped_pairs import strata_of, swapped_within
from .records.swapping_checks import checked_swap, refuse_too_many, refuse_useless
from .rounding.random_rounding import RandomRounding
from .rounding.rounding import checked_base, checked_rule, nearest_multiple
from .rounding.semi_controlled_rounding import refuse_single_cells, rounded_by_number


def protected_counts(
    counts: np.ndarray,
    method: str,
    parameters: Mapping[str, Any],
    *,
    dims: Sequence[str] | None = None,
    seed: int,
    numbers: np.ndarray | None = None,
) -> np.ndarray:
    """What a method publishes of the cells of a table, without a release.

    Parameters
    ----------
    counts
        The true counts, an array of any shape.
    method, parameters
        The name of a method that publishes a figure for every cell, and the parameters that its function takes, but for
        those that are about the release alone (margins, exact, hierarchies, ...).
    dims
        The names of the axes, for parameters that name them; A, B, C, ... when left out.
    seed
        The seed of the random numbers. The counts are those that the public function publishes with it.
    numbers
        Numbers in [0, 1), in the shape of the counts, that decide instead of random ones, so that a cell is changed in the
        same way in every table (see `cell_numbers`). Semi-controlled rounding ranks cells by them.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> from fiberwalk.protect.protected_counts import protected_counts
    >>> counts = np.array([[4, 9, 1], [2, 7, 5]])
    >>> protected_counts(counts, "random_round", {"base": 3}, seed=5).tolist()
    [[3, 9, 0], [3, 9, 6]]
    >>> fw.protect.random_round(counts, base=3, seed=5).published.values.tolist()
    [[3, 9, 0], [3, 9, 6]]
    """
    cells = _checked(counts, dims, seed, numbers)
    method_named(method)
    name = method.replace("-", "_")
    publish = _METHODS.get(name)
    if publish is None and name not in _BY_RELEASE:
        raise InputError(
            f"{name} has no figure for every cell; methods that have are {', '.join([*_METHODS, *_BY_RELEASE])}."
        )
    if publish is None or parameters.get("additive"):
        return _by_release(cells, name, parameters)
    refuse_unknown(name, parameters, publish, " that changes cells")
    refuse_missing(name, parameters, publish)
    return publish(cells, **parameters).reshape(cells.shape)


@dataclass(frozen=True, eq=False)
class Cells:
    """The true counts as a flat array, the dims of their table, and the seed or the numbers that decide about them."""

    values: np.ndarray
    dims: tuple[Dim, ...]
    seed: int
    given: np.ndarray | None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the table."""
        return tuple(len(dim.labels) for dim in self.dims)

    @property
    def random(self) -> np.random.Generator:
        """Random numbers, from the first one on."""
        return np.random.default_rng(self.seed)

    @property
    def numbers(self) -> np.ndarray:
        """A number in [0, 1) for every cell."""
        return self.random.random(len(self.values)) if self.given is None else self.given

    def groups(self, margin: Margin) -> np.ndarray:
        """The number of the sum of a margin that each cell belongs to."""
        sizes = [size if level else 1 for level, size in zip(margin, self.shape, strict=True)]
        sums = np.arange(np.prod(sizes, dtype=np.intp)).reshape(sizes)
        return np.broadcast_to(sums, self.shape).ravel()

    def refuse_numbers(self, method: str) -> None:
        """Refuse numbers of cells where they cannot decide."""
        if self.given is not None:
            raise InputError(f"{method} has no random numbers that belong to cells: leave out numbers=.")


def _checked(counts: np.ndarray, names: Sequence[str] | None, seed: int, given: Any) -> Cells:
    array = np.asarray(counts)
    if not array.size or not array.ndim:
        raise InputError("the table is empty: it needs at least one dim and one cell.")
    called = [axis_name(i) for i in range(array.ndim)] if names is None else [str(name) for name in names]
    if len(called) != array.ndim:
        raise InputError(f"the table has {array.ndim} dims, and {len(called)} names are given for them.")
    dims = tuple(Dim(name, tuple(map(str, range(1, n + 1)))) for name, n in zip(called, array.shape, strict=True))
    if given is not None:
        given = np.asarray(given, dtype=float)
        if given.shape != array.shape or not ((given >= 0) & (given < 1)).all():
            raise InputError("numbers= must be from 0 to below 1, as many and in the same shape as the counts.")
        given = given.ravel()
    return Cells(whole_numbers(array, dims, 0).ravel(), dims, taken_seed(seed), given)


def _by_release(cells: Cells, name: str, parameters: Mapping[str, Any]) -> np.ndarray:
    """The counts of a method that has no shorter way than its release."""
    if name != "perturb":
        cells.refuse_numbers(name)
    table = Table(cells.values.reshape(cells.shape), cells.dims)
    passed = dict(parameters)
    if cells.given is not None:
        passed["keys"] = cells.given.reshape(cells.shape).view(CellNumbers)
    function = method_named(name).function(name)
    refuse_unknown(name, passed, function)
    refuse_missing(name, passed, function)
    figures = function(table, **passed, seed=cells.seed).figures
    if figures is None:
        raise InputError(f"{name}: the cells of the table are not among the tables that are offered.")
    assert (figures != NO_VALUE).all()
    return figures.reshape(cells.shape)


# --- the methods: their parameters are those of the public functions ------------------------------------------------


def _round_to(cells: Cells, base: float, rule: str = "nearest") -> np.ndarray:
    cells.refuse_numbers("round_to")
    checked_rule(rule)
    return nearest_multiple(cells.values, checked_base(base, 0, "round_to"))


def _random_round(cells: Cells, base: float = 3) -> np.ndarray:
    return RandomRounding(checked_base(base, 0, "random_round")).publish(cells.values, cells.numbers)


def _semi_controlled_round(cells: Cells, base: float = 3, within: Any = None) -> np.ndarray:
    step = checked_base(base, 0, "semi_controlled_round")
    groups = cells.groups(parse_margin(() if within is None else within, cells.dims))
    if groups.any():
        refuse_single_cells(int(groups[-1]) + 1, len(groups), "semi_controlled_round", within)
    return rounded_by_number(cells.values, step, groups, cells.numbers)


def _perturb(
    cells: Cells,
    matrix: Any,
    last_rows: int = 1,
    normalise: bool = False,
    preserve_totals: bool = False,
    within: Any = None,
    additive: Any = (),
) -> np.ndarray:
    transitions = as_transitions(matrix, last_rows, normalise)
    refuse_undecided(preserve_totals, within, cells.given)
    if not preserve_totals:
        return transitions.drawn(cells.values, cells.numbers)
    groups = cells.groups(parse_margin(() if within is None else within, cells.dims))
    return chosen_within(cells.values, transitions, groups, cells.random)


def _add_noise(cells: Cells, noise: Any, floor: bool = False, noisy_zeros: bool = True) -> np.ndarray:
    return as_noise(noise, floor, 0, noisy_zeros).publish(cells.values, cells.numbers)


def _swap(cells: Cells, dim: Any, rate: float = 0.1, within: Any = (), targeted: int | None = None) -> np.ndarray:
    cells.refuse_numbers("swap")
    exchange = checked_swap(cells.dims, dim, rate, within, targeted)
    strata = strata_of(cells.groups(exchange.alike), cells.groups(exchange.categories(cells.dims)))
    refuse_useless(cells.values, strata, exchange.names(cells.dims))
    refuse_too_many(rate, int(cells.values.sum()))
    return swapped_within(cells.values, strata, rate, targeted or 0, cells.random)


_METHODS: dict[str, Callable[..., np.ndarray]] = {
    "round_to": _round_to,
    "random_round": _random_round,
    "semi_controlled_round": _semi_controlled_round,
    "perturb": _perturb,
    "add_noise": _add_noise,
    "swap": _swap,
}
_BY_RELEASE = (
    "controlled_round",
    "round_lattice",
    "draw_sample",
    "swap_preserving",
    "simulate",
    "pram",
    "local_suppress",
    "markov_perturb",
)
