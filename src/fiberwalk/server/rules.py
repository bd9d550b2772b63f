"""The preliminary rules of a server: which tables are refused before anything is protected (SAE15, section 2.3)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from ..base.errors import InputError
from ..base.numbers import is_number
from .request import Request


class Broken(NamedTuple):
    """A rule that a table breaks: with the figures, for the agency, and as its user may be told."""

    reason: str
    notice: str


class Size(NamedTuple):
    """How large a table is and how its people are spread."""

    population: int
    cells: int
    small_share: float
    """The share of cells of 1 up to `small` people."""

    @property
    def mean_cell(self) -> float:
        """People per cell."""
        return self.population / max(self.cells, 1)


@dataclass(frozen=True)
class ServerRules:
    """What tables may be asked for. A rule that is None is no rule.

    Parameters
    ----------
    max_dims
        The most dims that span a table.
    max_filters
        The most dims that say who is in it (Shlomo, Antal and Elliot allow three dims and one filter).
    max_labels
        The most labels that such a filter names of a dim that the table does not show. With more than one, people can be
        asked for in groups of any kind, and a few hundred requests for overlapping groups average out what is random, also
        with record keys; offer groups as levels of a dim instead.
    min_population
        The fewest people in the table.
    max_small_share
        The largest share of small cells, those of 1 to `small` people, among all cells.
    small
        The largest count that is small.
    min_mean_cell
        The fewest people per cell on average.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.server.ServerRules(min_population=1000, max_small_share=0.1)  # doctest: +ELLIPSIS
    ServerRules(max_dims=3, max_filters=1, max_labels=1, min_population=1000, max_small_share=0.1, small=2, ...)
    """

    max_dims: int | None = 3
    max_filters: int | None = 1
    max_labels: int | None = 1
    min_population: int | None = None
    max_small_share: float | None = None
    small: int = 2
    min_mean_cell: float | None = None

    def __post_init__(self) -> None:
        least = {"max_dims": 1, "max_labels": 1, "small": 1}
        for rule in fields(self):
            value = getattr(self, rule.name)
            if value is None and rule.name != "small":
                continue
            whole = rule.name in ("max_dims", "max_filters", "max_labels", "min_population", "small")
            if not is_number(value) or value < least.get(rule.name, 0) or (whole and value != int(value)):
                kind = "a whole number" if whole else "a number"
                raise InputError(f"ServerRules({rule.name}={value!r}): {kind} of at least {least.get(rule.name, 0)}.")
        if self.max_small_share is not None and self.max_small_share > 1:
            raise InputError(
                f"ServerRules(max_small_share={self.max_small_share!r}): a share of cells, from 0 to 1; 0.1 is ten percent."
            )

    def size_of(self, counts: np.ndarray) -> Size:
        """What the rules look at in a table."""
        small = int(np.count_nonzero((counts > 0) & (counts <= self.small)))
        return Size(int(counts.sum()), counts.size, small / max(counts.size, 1))

    def broken_by_request(self, request: Request) -> list[Broken]:
        """The rules that a request breaks by its dims and filters, whatever the counts are."""
        broken = []
        for number, most, kind in (
            (len(request.dims), self.max_dims, "dim"),
            (len(request.where), self.max_filters, "filter"),
        ):
            if most is not None and number > most:
                words = f"the table has {numbered(number, kind)}; at most {most} {_is(most)} allowed"
                broken.append(Broken(words, words))
        for dim, labels in request.where:
            most = self.max_labels
            if most is not None and dim not in request.dims and len(labels) > most:
                words = f"the filter of {dim!r} names {len(labels)} labels; at most {most} {_is(most)} allowed"
                broken.append(Broken(words, words))
        return broken

    def broken_by_size(self, size: Size) -> list[Broken]:
        """The rules that the counts of a table break. Their figures are true ones: a user is told only which rule it was."""
        broken = []
        fewest = self.min_population or 1
        if size.population < fewest:
            needed = f"at least {fewest:,} {_is(fewest)} needed"
            people = (
                f"the table has a population of {size.population:,}" if size.population else "nobody is in the table"
            )
            broken.append(Broken(f"{people}; {needed}", f"the table has too small a population; {needed}"))
        if self.max_small_share is not None and size.small_share > self.max_small_share:
            cells = "cells of 1" if self.small == 1 else f"cells of 1 to {self.small}"
            allowed = f"at most {percent(self.max_small_share)} are allowed"
            words = f"of the table's {size.cells:,} cells are {cells}; {allowed}"
            broken.append(Broken(f"{percent(size.small_share, self.max_small_share)} {words}", f"too many {words}"))
        if self.min_mean_cell is not None and size.mean_cell < self.min_mean_cell:
            needed = f"at least {plain(self.min_mean_cell)} {_is(self.min_mean_cell)} needed"
            broken.append(
                Broken(
                    f"the table has {plain(size.mean_cell, self.min_mean_cell)} people a cell on average; {needed}",
                    f"the table has too few people a cell on average; {needed}",
                )
            )
        return broken


def plain(value: float, limit: float | None = None) -> str:
    """A figure of four digits, or as many as tell it from a limit that it is beyond."""
    shown = (float(f"{value:.{digits}g}") for digits in range(4, 18))
    return f"{next((figure for figure in shown if figure != limit), value):,.15g}"


def percent(share: float, limit: float | None = None) -> str:
    """A share in percent, as precisely as people read it."""
    return f"{plain(100 * share, None if limit is None else 100 * limit)}%"


def numbered(number: int, noun: str) -> str:
    """A number with its noun: 1 dim, 2 dims."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _is(number: float) -> str:
    return "is" if number == 1 else "are"
