"""Objects as plain data and back: what JSON can say, and arrays beside it.

A tuple is a JSON list, numbers and texts are themselves, and everything else is an object with one member that names its
kind. Only the classes of `saved_forms` are written or made again, field by field: reading a file runs no code that is in it.
What several objects share is written once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from .errors import InputError
from .saved_forms import Form, as_written, form_named, form_of

LARGEST = 2**63
"""JSON readers disagree on larger whole numbers, and Python refuses very large ones in decimal digits."""


class Writer:
    """Turns objects into plain data; the arrays met on the way are laid end to end, those of one type together."""

    def __init__(self) -> None:
        self._parts: dict[str, list[np.ndarray]] = {}
        self._ends: dict[str, int] = {}
        self._seen: dict[int, tuple[Any, dict[str, Any]]] = {}  # what is seen is kept, so that its id stays its own
        self.objects: list[dict[str, Any]] = []
        """The objects of saved classes as plain data; each refers only to those before it."""

    def plain(self, item: Any) -> Any:
        """What JSON can say of an object."""
        if item is None or isinstance(item, (bool, str)):
            return item
        if isinstance(item, np.generic):
            return self.plain(item.item())
        if isinstance(item, int):
            return item if -LARGEST < item < LARGEST else {"integer": hex(item)}
        if isinstance(item, float):
            return item if math.isfinite(item) else {"float": repr(item)}
        form = form_of(item)
        if form is not None:
            return self._object(item, form)
        if type(item) is tuple:
            return [self.plain(part) for part in item]
        if isinstance(item, list):
            return {"list": [self.plain(part) for part in item]}
        if isinstance(item, Mapping):
            return {"mapping": [[self.plain(key), self.plain(value)] for key, value in item.items()]}
        if isinstance(item, Fraction):
            return {"fraction": [self.plain(item.numerator), self.plain(item.denominator)]}
        return self._of_arrays(item)

    def _of_arrays(self, item: Any) -> dict[str, Any]:
        """An array, or something that is made of arrays."""
        if isinstance(item, np.ndarray):
            return self._array(item)
        if sp.issparse(item):
            rows = sp.csr_array(item)
            return {"sparse": [self.plain(part) for part in (rows.data, rows.indices, rows.indptr, rows.shape)]}
        if type(item).__name__ == "DataArray":
            labels = tuple(tuple(str(label) for label in item[dim].values) for dim in item.dims)
            return {"table": [self.plain(part) for part in (item.values, tuple(item.dims), labels)]}
        if type(item).__name__ == "DataFrame":
            columns = item.reset_index()
            named = [[self.plain(name), self.plain(columns[name].to_numpy())] for name in columns]
            return {"frame": [item.index.nlevels, named]}
        raise InputError(f"a result with a {type(item).__name__} in it cannot be saved.")

    def _object(self, item: Any, form: Form) -> dict[str, Any]:
        if id(item) not in self._seen:
            written = as_written(item)
            named = {name: self.plain(getattr(written, name)) for name in form.fields}
            self.objects.append({form.name: named})
            self._seen[id(item)] = item, {"object": len(self.objects) - 1}
        return self._seen[id(item)][1]

    def _array(self, array: np.ndarray) -> dict[str, Any]:
        if array.dtype.kind not in "biufU":
            return {"objects": [list(array.shape), [self.plain(value) for value in array.ravel().tolist()]]}
        if id(array) not in self._seen:
            flat = array.ravel().astype(array.dtype.newbyteorder("="), copy=False)
            name = flat.dtype.name
            start = self._ends.get(name, 0)
            self._parts.setdefault(name, []).append(flat)
            self._ends[name] = start + len(flat)
            self._seen[id(array)] = array, {"array": [name, start, list(array.shape)]}
        return self._seen[id(array)][1]

    def parts(self) -> dict[str, list[np.ndarray]]:
        """The arrays of each type in their order, flat."""
        return dict(sorted(self._parts.items()))


class Reader:
    """Makes objects again from plain data; `find` knows what names of classes stand for."""

    def __init__(
        self,
        arrays: Mapping[str, np.ndarray],
        objects: Iterable[Any],
        find: Callable[[str], Form | None] = form_named,
    ) -> None:
        self.arrays = arrays
        self.find = find
        self.objects: list[Any] = []
        self._shared: dict[Any, np.ndarray] = {}
        self._left = {name: len(array) for name, array in arrays.items()}
        self.kinds: dict[str, Callable[[Any], Any]] = {
            "integer": lambda digits: int(digits, 16),
            "float": float,
            "fraction": lambda parts: Fraction(*map(self.made, parts)),
            "list": lambda items: [self.made(item) for item in items],
            "mapping": lambda pairs: {self.made(key): self.made(value) for key, value in pairs},
            "array": self._array,
            "objects": self._objects,
            "sparse": self._sparse,
            "table": self._table,
            "frame": self._frame,
            "object": lambda number: self.objects[number],
        }
        for item in objects:
            self.objects.append(self.made(item))

    def made(self, plain: Any) -> Any:
        """The object that plain data describe."""
        if isinstance(plain, list):
            return tuple(self.made(item) for item in plain)
        if not isinstance(plain, dict):
            return plain
        ((kind, content),) = plain.items()
        if kind in self.kinds:
            return self.kinds[kind](content)
        form = self.find(kind)
        if form is None:
            raise InputError(f"it holds a {kind!r}, which this version does not know; a newer one may.")
        strange = set(content) - set(form.fields)
        if strange:
            raise InputError(f"its {kind} has {min(strange)!r}, which this version does not know; a newer one may.")
        return form.chosen(**{name: self.made(value) for name, value in content.items()})

    def _array(self, content: Any) -> np.ndarray:
        name, start, shape = content
        key = name, start, tuple(shape)
        if key not in self._shared:
            self._shared[key] = self._part(name, start, shape)
        return self._shared[key]

    def _part(self, name: str, start: int, shape: list[int]) -> np.ndarray:
        # Arrays are laid end to end, so that no number is in two of them: a file that repeats them is made to fill memory.
        self._left[name] -= math.prod(shape)
        if min(start, *shape, self._left[name]) < 0:
            raise InputError("its arrays are longer than what it holds.")
        return self.arrays[name][start : start + math.prod(shape)].reshape(shape).copy()

    def _objects(self, content: Any) -> np.ndarray:
        shape, items = content
        array = np.empty(len(items), dtype=object)
        array[:] = [self.made(item) for item in items]
        return array.reshape(shape)

    def _sparse(self, content: Any) -> Any:
        data, indices, indptr, shape = (self.made(part) for part in content)
        return sp.csr_array((data, indices, indptr), shape=shape)

    def _table(self, content: Any) -> Any:
        import xarray as xr

        values, dims, labels = (self.made(part) for part in content)
        return xr.DataArray(
            values, dims=dims, coords={dim: list(names) for dim, names in zip(dims, labels, strict=True)}
        )

    def _frame(self, content: Any) -> Any:
        import pandas as pd

        levels, columns = content
        made = pd.DataFrame({self.made(name): self.made(values) for name, values in columns})
        return made.set_index(list(made.columns[:levels]))
