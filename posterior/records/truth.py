"""What was believed of records, held to the people who there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...release.population.kinds import Kinds


class Held(NamedTuple):
    """Of each kind how many people there are and of how many of its records there is somebody; and how many people are of no
    record that was held for possible."""

    people: np.ndarray
    occupied: np.ndarray
    impossible: int


def held_to(kinds: Kinds, labels: Sequence[np.ndarray]) -> Held:
    """The people of a population, by the labels that each has of each dim."""
    domain = kinds.domain
    codes = []
    for name, known, own in zip(domain.names, domain.labels, labels, strict=True):
        place = {label: number for number, label in enumerate(known)}
        unknown = next((str(label) for label in own if str(label) not in place), None)
        if unknown is not None:
            raise InputError(f"against(truth): {name!r} has no label {unknown!r}; {did_you_mean(unknown, known)}")
        codes.append(np.array([place[str(label)] for label in own], dtype=np.int64))
    people = np.stack(codes, axis=1)
    of_person = kinds.of_people(people)
    possible = of_person >= 0
    counts = np.bincount(of_person[possible], minlength=len(kinds))
    distinct, first = np.unique(people[possible], axis=0, return_index=True)
    occupied = np.bincount(of_person[possible][first], minlength=len(kinds))
    assert len(distinct) == len(first)
    return Held(counts, occupied, int((~possible).sum()))
