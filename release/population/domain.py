"""The domain of a population: dims with their labels, recodes of them, and groups of people in the words of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...base.saved_forms import saved
from ..facts.whom import joined_labels


@saved("Axis")
@dataclass(frozen=True, eq=False)
class Axis:
    """A way to show a dim: by its labels, or by a recode whose groups may overlap or leave some labels out."""

    name: str
    dim: int
    labels: tuple[str, ...]
    members: tuple[np.ndarray, ...]
    """Of each label the numbers of the dim's own labels that are in it."""
    recode: bool = False


@saved("Inside")
@dataclass(frozen=True, eq=False)
class Inside:
    """A group of people: of some dims which labels they may have, as masks, and the group in words."""

    masks: Mapping[int, np.ndarray]
    words: str

    @property
    def dims(self) -> set[int]:
        """The dims that it names."""
        return set(self.masks)


@saved("Domain")
@dataclass(frozen=True, eq=False)
class Domain:
    """The dims of a population and all ways to show them."""

    names: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    axes: Mapping[str, Axis] = field(default_factory=dict)

    def axis(self, name: Any, where: str) -> Axis:
        """The dim or recode of a name."""
        if str(name) not in self.axes:
            raise InputError(
                f"{where}: the population has no dim or recode {str(name)!r}; {did_you_mean(str(name), list(self.axes))}"
            )
        return self.axes[str(name)]

    def inside(self, group: Any, where: str) -> Inside:
        """A group {dim or recode: label or labels}."""
        if not isinstance(group, Mapping):
            raise InputError(f"{where}: a group is a dict of dim or recode to label, or to labels; this is {group!r}.")
        masks: dict[int, np.ndarray] = {}
        words = []
        for name, wanted in group.items():
            axis = self.axis(name, where)
            labels = as_labels(wanted)
            if not labels:
                raise InputError(f"{where}: {name}=[] is a group of nobody.")
            mask = np.zeros(len(self.labels[axis.dim]), dtype=bool)
            for label in labels:
                mask[axis.members[number_of(label, axis.labels, axis.name, where)]] = True
            masks[axis.dim] = masks[axis.dim] & mask if axis.dim in masks else mask
            words.append(f"{axis.name}={shortly(labels)}")
        return Inside(masks, ", ".join(words) or "everybody")


def as_labels(wanted: Any) -> tuple[str, ...]:
    """One label or several, as texts."""
    several = isinstance(wanted, Iterable) and not isinstance(wanted, str)
    return tuple(dict.fromkeys(map(str, wanted))) if several else (str(wanted),)


def number_of(label: str, labels: tuple[str, ...], name: str, where: str) -> int:
    """Where a label stands."""
    if label not in labels:
        raise InputError(f"{where}: {name!r} has no label {label!r}; {did_you_mean(label, labels)}")
    return labels.index(label)


def shortly(labels: tuple[str, ...]) -> str:
    """Several labels in words: a run of whole numbers by its ends, many others by the first and how many they are."""
    if len(labels) > 2 and all(label.isdigit() for label in labels):
        numbers = sorted(map(int, labels))
        if numbers[-1] - numbers[0] == len(numbers) - 1:
            return f"{numbers[0]}-{numbers[-1]}"
    return joined_labels(labels) if len(labels) <= 3 else f"{labels[0]} or {len(labels) - 1} others"


def domain_of(dims: Any, recodes: Any) -> Domain:
    """Check dims and recodes as users give them."""
    if not isinstance(dims, Mapping) or not dims:
        raise InputError(
            "population(): dims are a dict of dim to its labels, such as {'sex': ['f', 'm'], 'age': range(116)}."
        )
    names = tuple(map(str, dims))
    labels = []
    for name, given in zip(names, dims.values(), strict=True):
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InputError(f"population(): the labels of {name!r} are a list; they are {given!r}.")
        listed = [str(label) for label in given]
        twice = (
            next((label for label in listed if listed.count(label) > 1), None)
            if len(set(listed)) < len(listed)
            else None
        )
        if twice is not None:
            raise InputError(f"population(): {name!r} has the label {twice!r} twice.")
        if not listed:
            raise InputError(f"population(): {name!r} has no labels.")
        labels.append(tuple(listed))
    axes = {
        name: Axis(name, number, own, tuple(np.array([place]) for place in range(len(own))))
        for number, (name, own) in enumerate(zip(names, labels, strict=True))
    }
    for axis in _recodes(recodes, names, labels):
        if axis.name in axes:
            raise InputError(f"population(): {axis.name!r} names two dims or recodes; rename one.")
        axes[axis.name] = axis
    return Domain(names, tuple(labels), axes)


def _recodes(recodes: Any, names: tuple[str, ...], labels: list[tuple[str, ...]]) -> Iterator[Axis]:
    """Recodes {dim: {recode: {label: labels}}}."""
    shape = "recodes are a dict of dim to {recode: {label: labels of the dim}}"
    if recodes is None:
        return
    if not isinstance(recodes, Mapping):
        raise InputError(f"population(): {shape}; they are {recodes!r}.")
    for dim, by_name in recodes.items():
        if str(dim) not in names:
            raise InputError(f"population(): recodes of {str(dim)!r}; {did_you_mean(str(dim), list(names))}")
        number = names.index(str(dim))
        if not isinstance(by_name, Mapping):
            raise InputError(f"population(): {shape}; those of {str(dim)!r} are {by_name!r}.")
        for name, groups in by_name.items():
            where = f"population(): recode {str(name)!r}"
            if not isinstance(groups, Mapping) or not groups:
                raise InputError(f"{where} is a dict of label to labels of {str(dim)!r}; it is {groups!r}.")
            members = []
            for label, wanted in groups.items():
                inside = as_labels(wanted)
                if not inside:
                    raise InputError(f"{where} has nobody in {str(label)!r}.")
                places = [number_of(one, labels[number], str(dim), where) for one in inside]
                members.append(np.unique(np.array(places, dtype=np.int64)))
            yield Axis(str(name), number, tuple(map(str, groups)), tuple(members), recode=True)
