"""How a server protects: a method, its parameters, and whether it treats the cube once or every table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..protect.methods import METHODS, method_named
from ..protect.protected_counts import protected_counts
from ..release.tables.table_forms import MOST_CELLS
from .hypercube import Hypercube
from .request import Request

KEYED = ("random_round", "semi_controlled_round", "perturb", "add_noise")
"""Methods that decide about a cell by a number of its own, which may be the sum of its records' keys."""


@dataclass(frozen=True, eq=False)
class Protection:
    """A method with its parameters."""

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The method as people write it: random-round base=3."""
        parameters = (f"{key}={_shown(value)}" for key, value in self.parameters.items())
        return " ".join([self.name.replace("_", "-"), *parameters])

    @property
    def keyed(self) -> bool:
        """Do record keys decide how a cell is changed (the cell-key method)?"""
        chosen_together = self.parameters.get("preserve_totals") or self.parameters.get("additive")
        return self.name in KEYED and not chosen_together

    def numbers(self, cube: Hypercube, request: Request, keys: np.ndarray) -> np.ndarray | None:
        """The number that decides about each cell of a table, where it follows from the keys of its records."""
        return cube.numbers(request, keys) if self.keyed else None

    def publish(
        self, counts: np.ndarray, cube: Hypercube, request: Request, seed: int, numbers: np.ndarray | None
    ) -> np.ndarray:
        """The counts of a table that was cut out of a cube, protected."""
        dims = cube.in_order(request)
        if self._swapped in cube.labels and self._swapped not in dims:
            raise InputError(
                f"the table does not show {self._swapped!r}, whose values are swapped: protect the cube instead, "
                "when='before'."
            )
        return protected_counts(counts, self.name, self.parameters, dims=dims, seed=seed, keys=numbers)

    def of_cube(self, cube: Hypercube) -> Hypercube:
        """The cube itself, protected."""
        whole = cube.whole()
        finer = None if self._swapped not in cube.labels else cube.column[self._swapped].level_of
        if finer is not None:
            raise InputError(
                f"{self._swapped!r} is a level of {finer!r}, whose labels would no longer suit: swap {finer!r} itself, or "
                f"leave it out of the cube (columns=)."
            )
        if (cells := prod(len(cube.labels[name]) for name in whole.dims)) > MOST_CELLS:
            raise InputError(
                f"the cube has {cells:.3g} cells, more than the {MOST_CELLS:,} that can be protected at once: choose fewer "
                "columns (columns=), or protect every table instead (when='after')."
            )
        cut = cube.cut(whole)
        numbers = self.numbers(cube, whole, cut.keys)
        return cube.with_counts(self.publish(cut.counts, cube, whole, cube.table_seed(cut.keys), numbers))

    @property
    def _swapped(self) -> Any:
        """The dim whose values are swapped."""
        return self.parameters.get("dim") if self.name == "swap" else None


def as_protection(method: Any, parameters: Any) -> Protection | None:
    """A method as users name it; None: tables as they are."""
    if parameters is not None and not isinstance(parameters, Mapping):
        raise InputError(
            f"parameters= is a dict of the method's parameters, such as {{'base': 3}}; it is {parameters!r}."
        )
    if method is None:
        if parameters:
            raise InputError("parameters= needs a mechanism=, such as 'random_round'.")
        return None
    if not isinstance(method, str):
        raise InputError(f"mechanism= is the name of a method, such as 'random_round'; it is {method!r}.")
    method_named(method)
    own = dict(parameters or {})
    for setting in ("seed", "keys"):
        if setting in own:
            raise InputError(
                f"parameters= has {setting!r}, which the server gives itself: {setting}= is one of its own settings."
            )
    return Protection(method.replace("-", "_"), own)


def release_of(protection: Protection, table: Any, numbers: Any, seed: int, exact: Any) -> Any:
    """The release by the public function of a method: what it publishes, and what that tells an intruder."""
    function = METHODS[protection.name].function(protection.name)
    further: dict[str, Any] = {"exact": exact} if exact else {}
    if protection.keyed:
        further["keys"] = numbers
    if protection.name != "round_to":
        further["seed"] = seed
    return function(table, **protection.parameters, **further)


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value):
        return ",".join(value)
    return str(value) if isinstance(value, (str, int, float)) else "..."
