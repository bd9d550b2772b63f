"""Whom a release is about, where it is not everybody: a filter on dims that it shows or does not show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...base.errors import InputError
from ..tables.dims import Dim

OTHERS = "all others"
"""The category of those whom no filter on a dim names."""

About = tuple[tuple[str, tuple[str, ...]], ...]


def whom(where: Mapping[str, Any], dims: Sequence[Dim], already: About = ()) -> About:
    """A filter as users write it, {dim: label} or {dim: [label, label]}, in addition to one that is there already."""
    if not isinstance(where, Mapping) or not where:
        raise InputError(
            f"whom a release is about is a dict of dim to label, or to a list of labels; this is {where!r}."
        )
    about = dict(already)
    labels_of = {dim.name: dim.labels for dim in dims}
    for dim, wanted in where.items():
        several = isinstance(wanted, Iterable) and not isinstance(wanted, str)
        labels = tuple(dict.fromkeys(map(str, wanted))) if several else (str(wanted),)
        if not labels:
            raise InputError(f"a release about no label of the dim {dim!r} is about nobody.")
        missing = [label for label in labels_of.get(str(dim), ()) if label not in labels]
        if missing:
            raise InputError(
                f"the table shows {dim}={missing[0]}, so that it is not only about {dim}={joined_labels(labels)}."
            )
        about[str(dim)] = labels
    return tuple(about.items())


def joined_labels(labels: Sequence[str]) -> str:
    """Several labels as one."""
    return " or ".join(labels)


def about_words(about: About) -> str:
    """Who it is about: region=N and sex=f."""
    return " and ".join(f"{dim}={joined_labels(labels)}" for dim, labels in about)


def with_filters(name: str, dim: Dim | None, filters: Iterable[tuple[str, ...]]) -> Dim:
    """A dim with a node for the labels of each filter: the dim that tables show, or one made of the filters alone."""
    filters = list(dict.fromkeys(filters))
    if dim is None:
        dim = Dim(name, (*dict.fromkeys(label for labels in filters for label in labels), OTHERS))
    for labels in filters:
        for label in labels:
            if label not in dim.node_labels:
                raise InputError(
                    f"linked releases: one is about {name}={label}, and another shows the dim {name!r} without that label."
                )
        if len(labels) > 1 and joined_labels(labels) not in dim.node_labels:
            leaves = sorted({int(leaf) for label in labels for leaf in dim.leaves[dim.node(label)]})
            dim = Dim(dim.name, dim.labels, dim.levels, (*dim.sets, (joined_labels(labels), tuple(leaves))))
    return dim
