"""How a server protects: a method, its parameters, and whether it treats the cube once or every table."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...protect.mechanism.cell_keys import CellNumbers
from ...protect.methods import METHODS, method_named, refuse_missing, refuse_unknown
from ...protect.perturbation.ptable import read_ptable
from ...protect.perturbation.transition_matrix import Transitions, as_transitions
from ...protect.protected_counts import protected_counts
from ...release.tables.table_forms import MOST_CELLS
from ..cube.hypercube import Counted, Hypercube
from ..cube.label_sets import can_be
from ..cube.request import Request
from ..cube.whom import numbers_of_labels

KEYED = ("random_round", "semi_controlled_round", "perturb", "add_noise")
"""Methods that decide about a cell by a number of its own, which may follow from its records' keys."""
AFTER = ("random_round", "add_noise", "perturb", "round_to", "round_lattice")
"""Methods by which the same people are published alike in every table, in whatever form it is asked for."""
NOISY = ("add_noise", "perturb")
"""Methods that may change a count of 0."""


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
        return self.name in KEYED and not self.chosen_together

    @property
    def chosen_together(self) -> bool:
        """Are the cells to change chosen among all cells of a table?"""
        return bool(self.parameters.get("preserve_totals") or self.parameters.get("additive"))

    @cached_property
    def noisy_zeros(self) -> bool:
        """May a count of 0 be published as another?"""
        if self.name == "perturb":
            return bool(self._first_row[1:].any())
        return self.name == "add_noise" and bool(self.parameters.get("noisy_zeros", True))

    @property
    def notes(self) -> list[str]:
        """What the agency should know of this method for every table."""
        notes = []
        if self.noisy_zeros:
            notes.append(
                "zeros are changed by noise, each by its labels: whoever compares tables by many dims finds empty cells, "
                "because occupied ones repeat"
            )
        elif self.name in NOISY and not self._may_become_0:
            notes.append(
                "no count becomes 0: a published 0 is a true one, and every other figure is of an occupied cell"
            )
        return notes

    @property
    def _may_become_0(self) -> bool:
        if self.name == "perturb":
            return bool(self.parameters["matrix"].matrix[1:, 0].any())
        return min(self.parameters["noise"]) < 0

    def small(self, count: int) -> int:
        """The largest published figure that counts as small where true counts up to so many do."""
        base = self.parameters.get("base", 3) if "round" in self.name else 1
        return int(-(-count // base) * base)

    def numbers(self, cube: Hypercube, request: Request, counted: Counted) -> CellNumbers | None:
        """The number that decides about each cell of a whole table: from who is in it, where nobody is from its labels."""
        if not self.keyed:
            return None
        numbers = cube.numbers(counted.keys)
        if not self.noisy_zeros:
            return numbers  # nothing is decided about an empty cell
        return np.where(counted.counts == 0, numbers_of_labels(cube, request), numbers).view(CellNumbers)

    def publish(
        self, counts: np.ndarray, dims: Sequence[str], seed: int, numbers: CellNumbers | None, possible: np.ndarray
    ) -> np.ndarray:
        """The counts of a table, protected; 0 where nobody can be."""
        if not dims:  # the grand total, as a table of one cell
            one = None if numbers is None else numbers.reshape(1).view(CellNumbers)
            return self.publish(counts.reshape(1), ["everybody"], seed, one, possible.reshape(1)).reshape(())
        published = protected_counts(counts, self.name, self.parameters, dims=dims, seed=seed, numbers=numbers)
        return np.where(possible, published, 0)

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
        numbers = self.numbers(cube, whole, cut)
        possible = can_be(cube, whole)
        return cube.with_counts(self.publish(cut.counts, whole.dims, cube.table_seed(cut.keys), numbers, possible))

    def refuse_after(self) -> None:
        """Refuse a method that would change the same people differently in another table."""
        if self.name not in AFTER or self.chosen_together:
            words = self.words if self.chosen_together else self.name
            raise InputError(
                f"{words} treats a table as a whole: the same people would be published differently in other tables, and "
                "asking again would average out what is random. Protect the cube once (when='before'), round all tables "
                "that are offered together (round_lattice), or take a method that follows record keys: random_round, "
                "add_noise, perturb."
            )

    @property
    def _first_row(self) -> np.ndarray:
        transitions: Transitions = self.parameters["matrix"]
        return transitions.matrix[0]

    @property
    def _swapped(self) -> Any:
        """The dim whose values are swapped."""
        return self.parameters.get("dim") if self.name == "swap" else None


def as_protection(method: Any, parameters: Any, noisy_zeros: bool = False) -> Protection | None:
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
    entry = method_named(method)
    name, own = method.replace("-", "_"), dict(parameters or {})
    for setting in ("seed", "keys", "noisy_zeros"):
        if setting in own:
            raise InputError(
                f"parameters= has {setting!r}, which the server gives itself: {setting}= is one of its own settings."
            )
    function = entry.function(name)
    refuse_unknown(name, own, function)
    refuse_missing(name, own, function)
    if name == "perturb":
        matrix = own["matrix"]
        matrix = read_ptable(matrix) if isinstance(matrix, (str, os.PathLike)) else matrix
        rows = {option: own[option] for option in ("last_rows", "normalise") if option in own}
        own["matrix"] = as_transitions(matrix, **rows)  # once, and not for every table
    return _with_zeros(Protection(name, own), noisy_zeros)


def _with_zeros(protection: Protection, noisy_zeros: bool) -> Protection:
    """The method with zeros as they are to be: kept unless noise on them is asked for."""
    if noisy_zeros or protection.name not in NOISY:
        return protection
    if protection.name == "perturb":
        if protection.noisy_zeros:
            raise InputError(
                "the first row of the matrix publishes a count of 0 as others. On a server zeros stay zero, because an "
                "empty cell, whose random number can follow from its labels only, would be told from others by comparing "
                "tables: make the first row 1, 0, 0, ..., or say noisy_zeros=True."
            )
        return protection
    if protection.parameters.get("floor") is False:
        raise InputError(
            "floor=False: where zeros stay zero, a figure below 0 would tell a small count; leave it out, so that what "
            "falls below zero is shown as 0, or say noisy_zeros=True."
        )
    return replace(protection, parameters={**protection.parameters, "floor": True, "noisy_zeros": False})


def protections(
    method: Any, parameters: Any, when: Any, before: Any, noisy_zeros: bool
) -> tuple[Protection | None, Protection | None]:
    """What the cube goes through, and what every table does."""
    if when not in ("after", "before"):
        raise InputError(f"when={when!r}: 'after' (every table is protected) or 'before' (the cube is, once).")
    if when == "before" and before is not None:
        raise InputError("before= names what the cube goes through, and so does when='before': give one of them.")
    protection = as_protection(method, parameters, noisy_zeros)
    if when == "before":
        return protection, None
    if protection is not None:
        protection.refuse_after()
    if before is None:
        return None, protection
    if isinstance(before, str) or not isinstance(before, Sequence) or len(before) != 2:
        raise InputError("before= is a pair of a method and its parameters, such as ('swap', {'dim': 'region'}).")
    first = as_protection(before[0], before[1], noisy_zeros)
    if protection is not None and first is not None and first.name == "add_noise" and not first.parameters.get("floor"):
        raise InputError(
            "before= adds noise that leaves counts below 0, which cannot be changed again: give it floor=True."
        )
    return first, protection


def release_of(
    protection: Protection, table: Any, numbers: Any, seed: int, exact: Any, margins: Sequence[Any] = ()
) -> Any:
    """The release by the public function of a method: what it publishes, and what that tells an intruder.

    `numbers` are those of the cells, then of the margins that are published, too.
    """
    function = METHODS[protection.name].function(protection.name)
    further: dict[str, Any] = {"exact": exact} if exact else {}
    if margins:
        further["margins"] = margins
    if protection.keyed:
        further["keys"] = numbers
    if protection.name != "round_to":
        further["seed"] = seed
    return function(table, **protection.parameters, **further)


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value):
        return ",".join(value)
    return str(value) if isinstance(value, (str, int, float)) else "..."
