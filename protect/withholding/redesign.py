"""Table redesign: categories are merged before publication."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from ...base.errors import InputError, did_you_mean
from ...release.facts.facts import Applied
from ...release.publish import parse_margins, publish_margins
from ...release.release import Release, of_table
from ...release.tables.dims import Dim, Level
from ...release.tables.tables import Table, as_table


def merge(
    table: Any,
    groups: Mapping[str, Mapping[str, Sequence[str]]],
    *,
    margins: Iterable[Any] | None = None,
) -> Release:
    """Publish a table with some categories merged, as facts about the original cells.

    Parameters
    ----------
    groups
        For each dim to be redesigned, the merged categories: {"activity": {"5,6": ["5", "6"]}}. Categories that
        are not named stay as they are.
    margins
        Margins to publish besides the merged table, in terms of the merged levels, which are called
        "dim:merged"; all of them when left out. Margins finer than the merger can be added too.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.merge([[1, 5], [7, 2], [3, 8]], {"A": {"1 or 2": ["1", "2"]}})
    <Release of A, B (3 x 2): 6 cells, 4 hidden, 7 known sums, with its truth>
    """
    labelled = as_table(table, profits=True)
    names = [dim.name for dim in labelled.dims]
    if not isinstance(groups, Mapping) or not all(isinstance(merged, Mapping) for merged in groups.values()):
        raise InputError("merge() needs {dim: {merged label: [labels]}}, such as {'activity': {'5,6': ['5', '6']}}.")
    if not any(groups.values()):
        raise InputError("merge() merges nothing: name a dim and its merged categories.")
    for name in groups:
        if name not in names:
            raise InputError(f"merge() names the dim {name!r}; {did_you_mean(str(name), names)}")
    dims = tuple(_merged(dim, groups[dim.name]) if dim.name in groups else dim for dim in labelled.dims)
    release = of_table(Table(labelled.values, dims, labelled.decimals, beforehand=labelled.beforehand))
    shown = [f"{dim.name}:merged" if dim.name in groups else dim.name for dim in dims]
    if margins is None:
        wanted = list(product(*((level, None) for level in shown)))
    else:
        wanted = [tuple(shown), *parse_margins(margins, dims)]
    note = "; ".join(f"{', '.join(merged)} of {name} are merged categories" for name, merged in groups.items())
    return replace(
        publish_margins(release, wanted), notes=(*release.notes, note), applied=(Applied("redesign", "exact", note),)
    )


def _merged(dim: Dim, groups: Mapping[str, Sequence[str]]) -> Dim:
    group_of = {label: label for label in dim.labels}
    seen: set[str] = set()
    for group, members in groups.items():
        if isinstance(members, str) or not isinstance(members, Iterable):
            raise InputError(f"merge(): the members of {group!r} must be a list of labels of dim {dim.name!r}.")
        for member in map(str, members):
            if member not in group_of:
                raise InputError(
                    f"merge(): dim {dim.name!r} has no label {member!r}; {did_you_mean(member, dim.labels)}"
                )
            if member in seen:
                raise InputError(f"merge(): {member!r} of dim {dim.name!r} is in two groups.")
            seen.add(member)
            group_of[member] = str(group)
    level = Level(f"{dim.name}:merged", tuple(group_of[label] for label in dim.labels))
    return Dim(dim.name, dim.labels, (*dim.levels, level))
