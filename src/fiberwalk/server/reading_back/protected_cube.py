"""What a table tells of the truth that was counted from a cube protected beforehand: each figure is a sum of changed cells.

Of a cell of the cube itself the method says how probable each true count is. Of a sum of several, which the table does not
show one by one, it is said how far it may be from the truth at most, or which sums the method keeps as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError
from ...protect.mechanism.cell_keys import CellNumbers
from ...protect.mechanism.mechanism import SUPPORT
from ...release.facts.facts import Applied
from ...release.publish import parse_margins, publish_margins
from ...release.release import Release, of_table
from ...release.tables.tables import Table
from ..cube.label_sets import families
from ..protecting.protection import Protection, release_of

if TYPE_CHECKING:
    from ..answer import Answer
    from ..cube.hypercube import Hypercube
    from ..cube.request import Request
    from ..tables import Tables


@dataclass(frozen=True)
class Reach:
    """How far below and above the truth a method may publish a count."""

    below: int
    above: int

    def of_sum(self, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same for sums of so many counts."""
        return self.below * cells, self.above * cells


def read_from_cube(answer: Answer, tables: Tables, true: Table, exact: Any) -> Release:
    """The release of a table that was counted from a protected cube."""
    assert answer.before is not None
    assert answer.view is not None
    cube, request, before = answer.view.cube, tables.request, answer.before
    cells = cells_behind(cube, request)
    if answer.after is None and set(request.dims) == set(cube.spanning) and not request.where:
        return release_of(before, true, _numbers(before, cube, request), _cube_seed(cube), exact)
    if answer.after is None and before.keyed and (cells == 1).all():
        return release_of(before, true, _numbers(before, cube, request), 0, exact)
    release = publish_margins(of_table(true), parse_margins(exact, true.dims))
    if before.name == "swap":
        return _swapped(answer, tables, release, exact)
    reach, after = reach_of(before), Reach(0, 0) if answer.after is None else reach_of(answer.after)
    if reach is None or after is None:
        raise InputError(
            f"the counts were made from a cube protected by {before.words}, whose cells the table does not show: what it "
            f"tells of the truth is not known. Ask for the cube itself ({', '.join(cube.spanning)})."
        )
    below, above = reach.of_sum(cells)
    figures = tables.made.published
    lower = np.maximum(figures - above - after.above, 0)
    if not before.noisy_zeros and not (answer.after and answer.after.noisy_zeros):
        lower = np.maximum(lower, (figures > 0).astype(np.int64))  # of nobody, nobody is published
    upper = np.maximum(figures + below + after.below, lower)
    words = (
        f"counted from a cube protected by {before.words}"
        + (f", then {answer.after.words}" if answer.after else "")
        + "; figures are sums of changed cells, of which only is used how far they can be from the truth at most"
    )
    every = release.picked(np.arange(release.n_cells))
    release = release.with_facts(release.keys, every, lower.ravel(), upper.ravel(), figures.ravel())
    return _with_method(release, figures, words)


def cells_behind(cube: Hypercube, request: Request) -> np.ndarray:
    """How many cells of the cube each cell of a table may be the sum of."""
    behind = np.ones([len(cube.labels[name]) for name in cube.in_order(request)], dtype=np.int64)
    named = set()
    for family in families(cube, request.whole, found_too=True):
        named.add(family.finest.name)
        behind *= family.summed(np.ones(len(family.finest.labels), dtype=np.int64))
    for name in cube.spanning:
        if name not in named:
            behind *= len(cube.labels[name])
    return behind[cube.view(request)]


def reach_of(protection: Protection) -> Reach | None:
    """How far a method may change a count; None where that has no limit that it says."""
    chosen = protection.parameters
    if protection.name in ("random_round", "semi_controlled_round", "controlled_round"):
        return Reach(chosen.get("base", 3) - 1, chosen.get("base", 3) - 1)
    if protection.name == "round_to":
        return Reach((chosen["base"] - 1) // 2, chosen["base"] // 2)
    if protection.name == "add_noise":
        return Reach(max(-min(chosen["noise"]), 0), max(*chosen["noise"], 0))
    if protection.name == "perturb" and not chosen.get("additive"):
        rows, columns = np.nonzero(chosen["matrix"].matrix)
        return Reach(int((rows - columns).max()), int((columns - rows).max()))
    return None


def _swapped(answer: Answer, tables: Tables, release: Release, exact: Any) -> Release:
    """A table of a cube whose records were swapped: the sums that swapping keeps."""
    assert answer.before is not None
    assert answer.view is not None
    cube, request = answer.view.cube, tables.request
    swapped = {_finest(cube, name) for name in _names(answer.before.parameters["dim"])}
    within = {_finest(cube, name) for name in _names(answer.before.parameters.get("within", ()))}
    named = {_finest(cube, name) for name in (*request.dims, *dict(request.where))}
    if answer.after is not None:
        if named & swapped:
            raise InputError(
                f"the counts were made from a cube protected by {answer.before.words}, and changed again: what they tell of "
                f"the truth is not known. Tables without {', '.join(sorted(swapped))} are as in the true cube."
            )
        true = Table(tables.made.counted.counts, tables.dims)
        return release_of(answer.after, true, tables.made.numbers, answer.view.seed, exact)
    filtered = {_finest(cube, name) for name in dict(request.whole.where)}
    kept = []
    for margin in (set(cube.spanning) - swapped, swapped | within):
        if filtered <= margin:
            kept.append(tuple(name for name in release_dims(release) if _finest(cube, name) in margin))
    release = publish_margins(release, kept)
    words = f"counted from a cube protected by {answer.before.words}; only the sums that it keeps are used"
    return _with_method(release, tables.made.published, words)


def release_dims(release: Release) -> list[str]:
    """The names of a release's dims."""
    return [dim.name for dim in release.dims]


def _names(dims: Any) -> list[str]:
    return [name.strip() for name in dims.split(",") if name.strip()] if isinstance(dims, str) else list(dims or ())


def _finest(cube: Hypercube, name: str) -> str:
    return cube.column[name].level_of or name


def _numbers(before: Protection, cube: Hypercube, request: Request) -> CellNumbers | None:
    numbers = before.numbers(cube, request.whole, cube.cut(request.whole))
    return None if numbers is None else numbers[cube.view(request)].view(CellNumbers)


def _cube_seed(cube: Hypercube) -> int:
    return cube.table_seed(cube.cut(cube.whole()).keys)


def _with_method(release: Release, figures: np.ndarray, words: str) -> Release:
    applied = Applied("protected cube", SUPPORT, words)
    note = f"{applied.name}: {applied.words} (likelihood: {applied.likelihood})"
    return replace(release, figures=figures.ravel(), applied=(applied,), notes=(*release.notes, note))
