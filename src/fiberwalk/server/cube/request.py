"""What a user of the server asks for: the dims that span a table, and who is in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...base.errors import InputError, did_you_mean

CONSISTENT, ADDED = "consistent", "added"
TOTALS = {
    CONSISTENT: "as in other tables",
    ADDED: "added up",
}
"""Ways to make totals, and what holds of them."""
Labels = Mapping[str, tuple[str, ...]]
"""The labels of every dim of a cube, in its order."""


@dataclass(frozen=True)
class Request:
    """A table that is asked for. Two ways to write the same request are the same."""

    dims: tuple[str, ...]
    """What spans it, in the user's order."""
    where: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Who is in it: the labels of some dims, both in the order of the cube."""
    of: str = ""
    """The magnitude that is summed; empty: people are counted."""
    mean: bool = False
    """Is it the mean of the magnitude that is shown, and not the sum?"""
    totals: str = ""
    """How totals are made (see TOTALS); empty: there are none."""

    @property
    def words(self) -> str:
        """The request as people read it: sex x age where region=1."""
        filters = " and ".join(f"{dim}={' or '.join(labels)}" for dim, labels in self.where)
        shown = f"{'mean' if self.mean else 'sum'} of {self.of} by " if self.of else ""
        totals = f", with totals {TOTALS[self.totals]}" if self.totals else ""
        return shown + " x ".join(self.dims) + (f" where {filters}" if filters else "") + totals

    @property
    def whole(self) -> Request:
        """The request with all labels of the dims that it shows: to choose among these is only to look at a part."""
        return replace(self, where=tuple((dim, labels) for dim, labels in self.where if dim not in self.dims))

    @property
    def chosen(self) -> dict[str, tuple[str, ...]]:
        """The labels that are chosen of dims that the table shows."""
        return {dim: labels for dim, labels in self.where if dim in self.dims}


def as_request(
    dims: Any,
    where: Any,
    known: Labels,
    *,
    sum_of: Any = None,
    mean_of: Any = None,
    totals: Any = None,
    summed: Iterable[str] = (),
) -> Request:
    """A request as users write it: dims as "sex,age" or a list, where as {dim: label} or {dim: [label, label]}."""
    if sum_of is not None and mean_of is not None:
        raise InputError("sum_of= and mean_of=: a table shows one of them.")
    of = sum_of if mean_of is None else mean_of
    if of is not None and of not in summed:
        option, there = "sum_of" if mean_of is None else "mean_of", list(summed)
        said = did_you_mean(str(of), there) if there else "this server has none (summed=)."
        raise InputError(f"{option}={of!r}: there is no such magnitude; {said}")
    if totals is not None and totals not in TOTALS:
        raise InputError(f"totals={totals!r}: {' or '.join(repr(way) for way in TOTALS)}, or None.")
    if mean_of is not None and totals == ADDED:
        raise InputError(f"totals={ADDED!r}: means do not add up; take totals={CONSISTENT!r}.")
    return Request(_spanned(dims, known), _filters(where, known), of or "", mean_of is not None, totals or "")


def _spanned(dims: Any, known: Labels) -> tuple[str, ...]:
    if isinstance(dims, str):
        names = [dims.strip()] if dims.strip() in known else [part.strip() for part in dims.split(",")]
    elif isinstance(dims, Iterable) and not isinstance(dims, Mapping):
        names = [str(dim) for dim in dims]
    else:
        raise InputError(f"dims= is a list of dims, or a text such as 'sex,age'; it is {dims!r}.")
    if not any(names):
        raise InputError(f"a table needs at least one dim; {did_you_mean('', known)}")
    for name in names:
        if name not in known:
            raise InputError(f"there is no dim {name!r}; {did_you_mean(name, known)}")
        if names.count(name) > 1:
            raise InputError(f"the dim {name!r} is asked for twice.")
    return tuple(names)


def _filters(where: Any, known: Labels) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if where is None:
        return ()
    if not isinstance(where, Mapping):
        raise InputError(f"filters= is a dict of dim to label, or to a list of labels; it is {where!r}.")
    chosen: dict[str, set[str]] = {}
    for dim, labels in where.items():
        if dim not in known:
            raise InputError(f"filters= names the dim {str(dim)!r}; {did_you_mean(str(dim), known)}")
        several = isinstance(labels, Iterable) and not isinstance(labels, str)
        chosen[dim] = {str(label) for label in labels} if several else {str(labels)}
        if not chosen[dim]:
            raise InputError(f"filters= names no label of the dim {dim!r}: nobody would be in the table.")
        for label in chosen[dim]:
            if label not in known[dim]:
                raise InputError(f"dim {dim!r} has no label {label!r}; {did_you_mean(label, known[dim])}")
    kept = {dim: tuple(label for label in labels if label in chosen.get(dim, ())) for dim, labels in known.items()}
    # A filter by every label of a dim leaves nobody out.
    return tuple((dim, labels) for dim, labels in kept.items() if 0 < len(labels) < len(known[dim]))
