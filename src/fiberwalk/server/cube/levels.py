"""Levels of one dim that are offered: each nested in the next, so that no two of them tell more finely than either."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ...base.errors import InputError
from .coded_columns import FEW_PEOPLE

if TYPE_CHECKING:
    from .hypercube import Column, Hypercube


def refuse_crossing(cube: Hypercube, offered: Sequence[str]) -> None:
    """Refuse to offer two levels of one dim that are not nested: bands of ten years that begin in different years.

    Tables by either of them, together, tell of groups that neither shows: by differences even where nobody asks for both
    in one table.
    """
    levels = [cube.column[name] for name in offered if cube.column[name].level_of is not None]
    for one, other in combinations(levels, 2):
        told = None not in (one.told_level_of, other.told_level_of)
        by_chance = not told and cube.population <= FEW_PEOPLE
        if _finest(one, told) == _finest(other, told) and not by_chance and not nested(one, other, told):
            raise InputError(
                f"{one.name!r} and {other.name!r} are levels of {one.level_of!r} that cross: neither is nested in the "
                "other, so that tables by both tell of smaller groups than either. Offer one of them "
                f"(ServerRules(dims=[...]) without {other.name!r}), or both all the same with crossing=True."
            )


def nested(one: Column, other: Column, told: bool) -> bool:
    """Does each label of one of two levels belong to one label of the other? Told levels have groups, found ones people."""
    groups = np.stack([one.told_group, other.told_group]) if told else np.stack([one.codes, other.codes])  # type: ignore[list-item]
    pairs = np.unique(groups, axis=1).shape[1]
    return pairs == max(len(np.unique(level)) for level in groups)


def _finest(level: Column, told: bool) -> str | None:
    return level.told_level_of if told else level.level_of
