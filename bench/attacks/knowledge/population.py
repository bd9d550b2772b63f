"""Made-up people, and what everybody knows of them beforehand: which dims there are, and how some follow from others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

import numpy as np
import pandas as pd

Box = tuple[int, ...]
"""A group of people: of every dim the labels that they may have, as bits."""


@dataclass(frozen=True)
class Alone:
    """Within some labels of one dim everybody has the same label of another: children have no job."""

    dim: str
    labels: tuple[str, ...]
    other: str
    label: str


@dataclass(frozen=True)
class Frame:
    """What everybody knows of the people: the dims with their labels, the levels, and who can have only one label."""

    dims: Mapping[str, tuple[str, ...]]
    levels: Mapping[str, tuple[str, Mapping[str, tuple[str, ...]]]] = field(default_factory=dict)
    """Name of a level -> the dim that it groups, and the labels of each group."""
    alone: tuple[Alone, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """How many labels each dim has; the finest cells are numbered in this order."""
        return tuple(map(len, self.dims.values()))

    @property
    def size(self) -> int:
        """How many finest cells there are."""
        return prod(self.shape)

    def labels(self, name: str) -> tuple[str, ...]:
        """The labels of a dim or a level."""
        return tuple(self.levels[name][1]) if name in self.levels else self.dims[name]

    def dim_of(self, name: str) -> str:
        """The dim that a level groups; a dim itself."""
        return self.levels[name][0] if name in self.levels else name

    def bits(self, name: str, labels: tuple[str, ...]) -> int:
        """The labels of its dim that some labels of a dim or a level stand for."""
        dim = self.dim_of(name)
        if name in self.levels:
            groups = self.levels[name][1]
            labels = tuple(label for group in labels for label in groups[group])
        return sum(1 << self.dims[dim].index(label) for label in labels)

    def box(self, named: Iterable[tuple[str, tuple[str, ...]]]) -> Box:
        """The group of people who have one of the labels of each dim or level that is named."""
        names = list(self.dims)
        box = list(self.everybody)
        for name, labels in named:
            box[names.index(self.dim_of(name))] &= self.bits(name, labels)
        return tuple(box)

    @property
    def everybody(self) -> Box:
        """The group of all people."""
        return tuple((1 << size) - 1 for size in self.shape)

    def canonical(self, box: Box) -> Box | None:
        """One name for the same people, as far as everybody knows that they are the same; None where nobody can be."""
        names = list(self.dims)
        kept = list(box)
        for rule in self.alone:
            place, other = names.index(rule.dim), names.index(rule.other)
            only = self.bits(rule.other, (rule.label,))
            if kept[place] & ~self.bits(rule.dim, rule.labels) == 0:
                kept[other] &= only
            elif kept[other] & only == 0:
                kept[place] &= ~self.bits(rule.dim, rule.labels)
        return tuple(kept) if all(kept) else None

    def cells(self, box: Box) -> np.ndarray:
        """The finest cells of a group."""
        axes = [
            [place for place in range(size) if bits >> place & 1] for bits, size in zip(box, self.shape, strict=True)
        ]
        return np.ravel_multi_index(np.ix_(*axes), self.shape).ravel()

    @property
    def possible(self) -> np.ndarray:
        """Which finest cells somebody can be in."""
        boxes = [tuple(1 << place for place in places) for places in np.ndindex(self.shape)]
        return np.array([self.canonical(box) == box for box in boxes])


@dataclass(frozen=True, eq=False)
class Population:
    """The people themselves, whom only the server has."""

    frame: Frame
    counts: np.ndarray
    """Of every finest cell."""

    @property
    def records(self) -> pd.DataFrame:
        """A row for every person, with a column for every dim and level."""
        places = np.repeat(np.arange(self.frame.size), self.counts)
        codes = np.unravel_index(places, self.frame.shape)
        columns = {
            name: np.array(labels, dtype=object)[code]
            for (name, labels), code in zip(self.frame.dims.items(), codes, strict=True)
        }
        for level, (dim, groups) in self.frame.levels.items():
            group = {label: name for name, labels in groups.items() for label in labels}
            columns[level] = np.array([group[label] for label in columns[dim]], dtype=object)
        return pd.DataFrame(columns)


def town(seed: int, people: int = 600, regions: int = 3, ages: int = 6) -> Population:
    """A small town: region, age (with bands of two), sex and job; the youngest have none. Counts are skewed."""
    classes = tuple("abcdefgh"[:ages])
    bands = {f"{first}{second}": (first, second) for first, second in zip(classes[::2], classes[1::2], strict=True)}
    frame = Frame(
        dims={"region": tuple("NESW"[:regions]), "age": classes, "sex": ("f", "m"), "job": ("none", "farm", "trade")},
        levels={"band": ("age", bands)},
        alone=(Alone("age", classes[:1], "job", "none"),),
    )
    random = np.random.default_rng(seed)
    share = random.gamma(0.8, size=frame.shape)
    for axis, size in enumerate(frame.shape):
        weights = random.gamma(3.0, size=size)
        share = share * weights.reshape([-1 if axis == place else 1 for place in range(len(frame.shape))])
    share = share.ravel() * frame.possible
    return Population(frame, random.multinomial(people, share / share.sum()))
