"""A hypercube from published tables, by iterative proportional fitting (SAE15, section 5.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import Contradiction, InputError
from ...base.numbers import in_own_units, is_number
from ...release.release import Release
from ...release.tables.dims import Dim, Margin
from ...release.tables.table_forms import read_form
from ...release.tables.tables import Table, labelled
from .log_linear_model import SOON, design, fillable, groups
from .raking import CLOSE, MOST_ROUNDS, raked

if TYPE_CHECKING:
    import xarray as xr

MOST_CELLS = 20_000_000


@dataclass(frozen=True, eq=False)
class Shown:
    """One published table: which it is, its dims and its figures."""

    which: str
    dims: tuple[Dim, ...]
    values: np.ndarray

    @property
    def names(self) -> list[str]:
        """What its dims are called."""
        return [dim.name for dim in self.dims]

    def summed(self, names: Sequence[str]) -> np.ndarray:
        """Its sums over all dims but these, in this order."""
        away = tuple(i for i, name in enumerate(self.names) if name not in names)
        order = [name for name in self.names if name in names]
        return np.asarray(self.values.sum(axis=away).transpose([order.index(name) for name in names]))


def fitted_cube(tables: Any, *, people: float | None = None, start: Any = None) -> xr.DataArray:
    """The hypercube that has some published tables for its margins and is as even as they allow.

    It crosses all dims of the tables. Iterative proportional fitting makes it agree with each of them; dims that no table
    shows together are independent, given what the tables show. Expected counts come back, as `log_linear` gives them of a
    full table. The cube can stand for data that are not public: rounded to whole numbers it is cut, protected and measured
    by `table_study`; as it is, an intruder may believe it (`expected`).

    Tables must agree where they overlap, as those of one census do. Where two have different sums of what both show, or all
    together cannot be margins of any table, that is an error which says where.

    Parameters
    ----------
    tables
        A list of tables with named dims: DataArrays, Series with named indexes, crosstabs, long frames with a count column.
        A dim of the same name has the same labels everywhere, in any order. Or a release, whose complete margins with exact
        figures are taken.
    people
        Take every table for shares, whatever it sums to, and make the cube sum to this: for tables of different years
        or populations. They must agree as shares.
    start
        A table of all dims that the fit begins with, in place of ones: its interactions are kept as far as the tables say
        nothing of them, and its zeros stay zeros, such as pensioners of 5.

    Examples
    --------
    >>> import fiberwalk as fw, xarray as xr
    >>> ages = xr.DataArray([6, 4], {"age": ["young", "old"]})
    >>> work = xr.DataArray([[5, 1], [2, 2]], {"sex": ["f", "m"], "work": ["yes", "no"]})
    >>> cube = fw.laws.fitted_cube([ages, work])
    >>> cube.dims, cube.sel(age="young").round(6).values.tolist()
    (('age', 'sex', 'work'), [[3.0, 0.6], [1.2, 1.2]])
    """
    shown = _of_release(tables) if isinstance(tables, Release) else _read_all(tables)
    if people is not None:
        if not is_number(people) or not 0 < people < np.inf:
            raise InputError(f"fitted_cube(people={people!r}): how many there are in all, a number above 0.")
        shown = [Shown(table.which, table.dims, table.values / table.values.sum()) for table in shown]
    dims = tuple({dim.name: dim for table in reversed(shown) for dim in table.dims}[name] for name in _names(shown))
    cells = int(np.prod([len(dim.labels) for dim in dims], dtype=float))
    if cells > MOST_CELLS:
        raise InputError(f"fitted_cube(): the tables cross to {cells:,} cells; at most {MOST_CELLS:,} are fitted.")
    shown = [_arranged(table, dims) for table in shown]
    for pair in combinations(shown, 2):
        _refuse_different_sums(*pair)
    initial = _start(start, dims)
    cube = _fitted(initial, shown, dims)
    return labelled(cube * (1.0 if people is None else people), dims)


# --- what is given --------------------------------------------------------------------------------------------------


def _read_all(tables: Any) -> list[Shown]:
    if isinstance(tables, (str, bytes)) or not isinstance(tables, Iterable) or hasattr(tables, "ndim"):
        raise InputError("fitted_cube() takes a list of published tables with named dims, or a release.")
    listed = list(tables)
    if not listed:
        raise InputError("fitted_cube() needs at least one published table.")
    return [_read(table, f"table {place}") for place, table in enumerate(listed, start=1)]


def _read(table: Any, which: str, count: str | None = None) -> Shown:
    if isinstance(table, Table):
        table = table.to_xarray()
    values, names, labels, _ = read_form(table)
    if not values.ndim or any(name is None for name in names):
        raise InputError(
            f"fitted_cube(): {which} has no names for its dims, so that it cannot be told what it shares with others; give "
            "a DataArray, or a Series or frame with named indexes."
        )
    try:
        numbers = values.astype(float)
    except (TypeError, ValueError):
        raise InputError(f"fitted_cube(): {which} is no table of numbers.") from None
    if not numbers.size or not ((numbers >= 0) & (numbers < np.inf)).all():
        raise InputError(
            f"fitted_cube(): {which} has a figure that is no number of at least 0; leave out no cell of it."
        )
    if not numbers.sum() > 0:
        raise InputError(f"fitted_cube(): {which} sums to 0.")
    dims = []
    for name, of_dim, size in zip(names, labels, numbers.shape, strict=True):
        dims.append(Dim(str(name), tuple(map(str, range(1, size + 1) if of_dim is None else of_dim))))
    return Shown(which, tuple(dims), numbers)


def _of_release(release: Release) -> list[Shown]:
    """The complete margins of a release that are published exactly."""
    if len(release.grids) != 1:
        raise InputError(
            "fitted_cube(): this release is of several linked tables; give one with full=True, or a list of tables."
        )
    sums, dims = release.sums, release.dims
    exact = (sums.lower == sums.upper) & (sums.keys >= 0).all(axis=1)
    keys, figures = [sums.keys[exact]], [sums.lower[exact]]
    is_exact = release.lower == release.upper
    keys.append(release.keys[is_exact])
    figures.append(release.lower[is_exact])
    all_keys, values = np.concatenate(keys), in_own_units(np.concatenate(figures), release.decimals)
    totals = all_keys == np.array([dim.total for dim in dims])
    finest = (totals | (all_keys < np.array([len(dim.labels) for dim in dims]))).all(axis=1)
    margins = []
    for over in np.unique(totals[finest], axis=0):
        spanning = [i for i, away in enumerate(over) if not away]
        rows = finest & (totals == over).all(axis=1)
        table = np.full([len(dims[i].labels) for i in spanning], np.nan)
        table[tuple(all_keys[rows][:, spanning].T)] = values[rows]
        if spanning and not np.isnan(table).any():
            which = f"the margin {' x '.join(dims[i].name for i in spanning)}"
            margins.append(Shown(which, tuple(Dim(dims[i].name, dims[i].labels) for i in spanning), table))
    missing = [dim.name for dim in dims if not any(dim.name in margin.names for margin in margins)]
    if missing:
        raise InputError(
            f"fitted_cube(): this release has no complete margin with exact figures that shows {missing[0]!r}; the law "
            "'hypergeometric' of an audit reads what is hidden, rounded or random."
        )
    return margins


def _names(shown: Sequence[Shown]) -> list[str]:
    """All dims, in the order in which they come."""
    return list(dict.fromkeys(name for table in shown for name in table.names))


def _arranged(table: Shown, dims: Sequence[Dim]) -> Shown:
    """A table in the order of the cube's dims and labels."""
    values, own_dims = table.values, {dim.name: dim for dim in table.dims}
    shown = [dim for dim in dims if dim.name in own_dims]
    values = values.transpose([table.names.index(dim.name) for dim in shown])
    for axis, dim in enumerate(shown):
        own_labels = own_dims[dim.name].labels
        if set(own_labels) != set(dim.labels):
            stranger = min(set(own_labels) ^ set(dim.labels))
            raise InputError(
                f"fitted_cube(): {table.which} and another one do not have the same labels on dim {dim.name!r}: "
                f"{stranger!r}."
            )
        values = values.take([own_labels.index(label) for label in dim.labels], axis=axis)
    return Shown(table.which, tuple(shown), values)


def _start(start: Any, dims: Sequence[Dim]) -> np.ndarray:
    if start is None:
        return np.ones([len(dim.labels) for dim in dims])
    table = _read(start, "start=")
    if set(table.names) != {dim.name for dim in dims}:
        raise InputError(
            f"fitted_cube(): start= crosses all dims of the tables, {', '.join(dim.name for dim in dims)}; it has "
            f"{', '.join(table.names)}."
        )
    return _arranged(table, dims).values


# --- do they agree? -------------------------------------------------------------------------------------------------


def _refuse_different_sums(table: Shown, other: Shown) -> None:
    """Refuse two tables that tell different things of what both show."""
    common = [dim for dim in table.dims if dim.name in other.names]
    names = [dim.name for dim in common]
    ours, theirs = table.summed(names), other.summed(names)
    apart = np.abs(ours - theirs)
    if not (apart > CLOSE * max(ours.max(), theirs.max())).any():
        return
    place = np.unravel_index(int(apart.argmax()), apart.shape)
    where = ", ".join(f"{dim.name}={dim.labels[i]}" for dim, i in zip(common, place, strict=True)) or "the grand total"
    raise Contradiction(
        f"fitted_cube(): {table.which} and {other.which} contradict each other: {where} is {ours[place]:.9g} in one and "
        f"{theirs[place]:.9g} in the other; people= takes tables for shares."
    )


def _fitted(start: np.ndarray, shown: Sequence[Shown], dims: Sequence[Dim]) -> np.ndarray:
    """The cube that has the tables for its margins; a sentence where there is none."""
    margins: list[Margin] = [tuple(dim.name if dim.name in table.names else None for dim in dims) for table in shown]
    targets = [(groups(margin, dims), table.values.ravel()) for margin, table in zip(margins, shown, strict=True)]
    cube, converged = raked(start, targets, SOON)
    if converged:
        return cube
    # What cannot be filled goes to 0 so slowly that the fit never comes to rest: such cells are taken out.
    sums, figures = design(margins, dims), np.concatenate([table.values.ravel() for table in shown])
    free = start.ravel() > 0
    any_table = _some_table(sums[:, np.flatnonzero(free)], figures)
    if any_table is None:
        besides = " with the zeros of start=" if not free.all() else ""
        raise Contradiction(
            f"fitted_cube(): the tables agree where they overlap, and yet no table{besides} has all of them for its margins."
        )
    filled = np.zeros(start.size, dtype=bool)
    filled[free] = fillable(any_table, sums[:, np.flatnonzero(free)], np.ones(len(any_table), dtype=bool))
    cube, converged = raked(np.where(filled.reshape(start.shape), start, 0.0), targets, MOST_ROUNDS)
    if not converged:
        raise InputError(
            f"fitted_cube(): the fit has not come to rest after {MOST_ROUNDS:,} rounds, although the tables agree; leave "
            "out tables, or merge categories that hardly anybody is in."
        )
    return cube


def _some_table(sums: Any, figures: np.ndarray) -> np.ndarray | None:
    """A table of numbers of at least 0 with these sums, if there is one; tiny parts of the total count as nothing."""
    from scipy.optimize import linprog

    program = linprog(np.zeros(sums.shape[1]), A_eq=sums.astype(float), b_eq=figures, bounds=(0, None), method="highs")
    if program.status == 2:
        return None
    if program.status:
        raise InputError(
            "fitted_cube(): whether the tables can be margins of one cube could not be decided; give fewer."
        )
    return np.where(program.x > CLOSE * figures.max(initial=0.0), program.x, 0.0)
