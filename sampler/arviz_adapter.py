"""Draws of tables in the form that ArviZ reads.

The form is an `xarray.Dataset` with the dims `chain` and `draw` before those of the table. Both lines of ArviZ take it
as it is (`az.summary`, `az.rhat`, `az.ess`, `az.plot_trace`, ...), so that the user gets the same thing on every Python:
0.23, the last for Python 3.11, does not know the `DataTree` of 1.x, and 1.x has no `InferenceData`. Where a tool asks
for the group `posterior`, `as_posterior` puts the draws there in ArviZ's own form. Only there is ArviZ itself imported: it
is slow to load, and 0.23 warns once a day when it is.

ArviZ has no R-hat for a cell that is the same in all draws: it shows NaN there, with a warning from numpy. Cells that the
published figures decide are such, so they can be left out: `cells_to_arviz` has single cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import xarray

NAME = "table"
"""What the variable that holds the draws is called."""

CELL = "cell"
"""What the dim of single cells is called."""

TAKEN = ("chain", "draw", "sample", "variable", NAME)
"""Names that ArviZ needs for itself."""


def to_arviz(
    draws: np.ndarray,
    dims: Sequence[str],
    labels: Mapping[str, Sequence[str]] | Sequence[Sequence[str]],
    attrs: Mapping[str, Any] | None = None,
) -> xarray.Dataset:
    """Tables `draws[chain, draw, *table]` with their dims and labels, ready for ArviZ.

    A dim of the table that bears a name ArviZ needs for itself gets an underscore after it: a table over shops and
    chains has the dim `chain_` here.

    >>> import numpy as np
    >>> draws = to_arviz(np.ones((4, 100, 2, 1), dtype=int), ["sex", "age"], [["f", "m"], ["young"]], {"seed": 1})
    >>> draws["table"].dims
    ('chain', 'draw', 'sex', 'age')
    """
    import xarray

    draws = np.asarray(draws)
    by_dim = [labels[dim] for dim in dims] if isinstance(labels, Mapping) else list(labels)
    shape = tuple(len(dim_labels) for dim_labels in by_dim)
    if draws.ndim != 2 + len(dims) or draws.shape[2:] != shape:
        raise ValueError(f"draws of shape {draws.shape} are not [chain, draw] of tables {tuple(dims)} of shape {shape}")
    dims = _free_names(dims)
    chains, number = draws.shape[:2]
    coords: dict[str, Any] = {"chain": np.arange(chains), "draw": np.arange(number)}
    coords |= {dim: [str(label) for label in dim_labels] for dim, dim_labels in zip(dims, by_dim, strict=True)}
    return xarray.Dataset({NAME: (("chain", "draw", *dims), draws)}, coords=coords, attrs=dict(attrs or {}))


def cells_to_arviz(
    draws: np.ndarray,
    names: Sequence[str],
    labels: Mapping[str, Sequence[str]],
    attrs: Mapping[str, Any] | None = None,
) -> xarray.Dataset:
    """Draws of single cells, `draws[chain, draw, cell]`, along one dim `cell` of names that ArviZ shows as they are.

    The labels of each cell lie beside its name, so that cells can be picked by them.

    >>> import numpy as np
    >>> draws = cells_to_arviz(np.ones((4, 100, 2), int), ["A=1, B=2", "A=2, B=2"], {"A": ["1", "2"], "B": ["2", "2"]})
    >>> draws["table"].sel(cell="A=1, B=2").shape
    (4, 100)
    >>> draws.where(draws["A"] == "2", drop=True)["cell"].values.tolist()
    ['A=2, B=2']
    """
    import xarray

    draws = np.asarray(draws)
    chains, number, _ = draws.shape
    coords: dict[str, Any] = {
        "chain": np.arange(chains),
        "draw": np.arange(number),
        CELL: [str(name) for name in names],
    }
    free = _free_names(list(labels), (*TAKEN, CELL))
    coords |= {
        dim: (CELL, [str(label) for label in dim_labels]) for dim, dim_labels in zip(free, labels.values(), strict=True)
    }
    return xarray.Dataset({NAME: (("chain", "draw", CELL), draws)}, coords=coords, attrs=dict(attrs or {}))


def as_posterior(draws: xarray.Dataset) -> Any:
    """Draws as the group `posterior` of ArviZ's own form: `InferenceData` in 0.23, `xarray.DataTree` in 1.x."""
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"\s*ArviZ is undergoing a major refactor", FutureWarning)
        import arviz
    convert = getattr(arviz, "convert_to_datatree", None) or arviz.convert_to_inference_data
    return convert(draws)


def _free_names(dims: Sequence[str], taken: Sequence[str] = TAKEN) -> list[str]:
    names = list(dims)
    for place, dim in enumerate(dims):
        if dim in taken:
            while names[place] in taken or names[place] in dims:
                names[place] += "_"
    return names
