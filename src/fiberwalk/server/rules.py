"""The rules of a server: which tables are refused. They look at the request and at protected figures, never at true ones."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from ..base.errors import InputError, did_you_mean
from ..base.numbers import is_number
from .cube.request import Request

TOO_THIN = "the table is too sparse or has too few people"
"""The one notice of all refusals that depend on figures: it names neither the rule nor the figure."""


class Size(NamedTuple):
    """How large a table is and how its people are spread."""

    population: int
    cells: int
    small_share: float
    """The share of small cells, those of 1 up to some number of people."""

    @property
    def mean_cell(self) -> float:
        """People per cell."""
        return self.population / max(self.cells, 1)


@dataclass(frozen=True)
class ServerRules:
    """What tables may be asked for. A rule that is None is no rule.

    The first rules are about the request alone, and a user is told which one it was. The others are about the *protected*
    table: whoever is refused learns at most what that table would have told, and is told neither the rule nor the figure.

    Parameters
    ----------
    dims
        The dims and levels that may be asked for, as a list or "sex,age"; all when left out.
    max_dims
        The most dims that span a table.
    max_filters
        The most dims, not shown by the table, that say who is in it (Shlomo, Antal and Elliot allow three dims and one
        filter). To choose labels of a dim that it shows is no filter: the whole table is made, and a part is shown.
    max_labels
        The most labels that such a filter names. With more than one, people can be asked for in groups of any kind, and a
        few hundred requests for overlapping groups average out what is random, also with record keys; offer groups as
        levels of a dim instead.
    max_cells
        The most cells of a table.
    min_population
        The fewest people in the table: what its published figures add up to.
    max_small_share
        The largest share of small figures, those of 1 to `small`, among all cells that can have anybody.
    small
        The largest count that is small. Where figures are rounded, it is rounded up: to base 3, a published 3 is small.
    min_mean_cell
        The fewest people per cell on average.
    areas
        A dim or level. Where a table shows it, each of its labels must keep the rules about figures by itself, and those
        that do not are left out of the table.
    min_contributors
        The fewest people, by published counts, behind a weighted count and behind the sum or mean of a magnitude; those of
        fewer are withheld.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.server.ServerRules(min_population=1000, max_small_share=0.1)  # doctest: +ELLIPSIS
    ServerRules(dims=None, max_dims=3, max_filters=1, max_labels=1, max_cells=None, min_population=1000, ...)
    """

    dims: str | Sequence[str] | None = None
    max_dims: int | None = 3
    max_filters: int | None = 1
    max_labels: int | None = 1
    max_cells: int | None = None
    min_population: int | None = None
    max_small_share: float | None = None
    small: int = 2
    min_mean_cell: float | None = None
    areas: str | None = None
    min_contributors: int | None = None

    def __post_init__(self) -> None:
        for rule in fields(self):
            problem = _problem(rule.name, getattr(self, rule.name))
            if problem:
                raise InputError(f"ServerRules({rule.name}={getattr(self, rule.name)!r}): {problem}.")
        if isinstance(self.dims, str):
            object.__setattr__(self, "dims", tuple(name.strip() for name in self.dims.split(",")))
        elif self.dims is not None:
            object.__setattr__(self, "dims", tuple(self.dims))

    @staticmethod
    def read(path: str | os.PathLike[str]) -> ServerRules:
        """Rules from a TOML file: a line for each, by the names of the parameters.

        Examples
        --------
        >>> import fiberwalk as fw, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "rules.toml"
        >>> _ = path.write_text('dims = ["sex", "age", "region"]\\nmin_population = 1000\\nareas = "region"\\n')
        >>> fw.server.ServerRules.read(path).areas
        'region'
        """
        from .setting_files import read_settings

        known = [rule.name for rule in fields(ServerRules)]
        return ServerRules(**read_settings(path, known, "rule", _problem))

    def offered(self, known: Sequence[str]) -> tuple[str, ...]:
        """The dims and levels that may be asked for, of those that the data have."""
        wanted = known if self.dims is None else self.dims
        named = [("dims", name) for name in wanted] + ([] if self.areas is None else [("areas", self.areas)])
        for rule, name in named:
            if name not in known:
                raise InputError(f"ServerRules({rule}=...) names {name!r}; {did_you_mean(str(name), known)}")
        return tuple(name for name in known if name in wanted)

    def size_of(self, counts: np.ndarray, small: int | None = None) -> Size:
        """What the rules look at in a table."""
        few = int(np.count_nonzero((counts > 0) & (counts <= (self.small if small is None else small))))
        return Size(int(counts.sum()), counts.size, few / max(counts.size, 1))

    def broken_by_request(self, request: Request, cells: int) -> list[str]:
        """The rules that a request breaks by itself, whatever the figures are: in words for everybody."""
        broken = []
        filters = request.whole.where
        for number, most, kind in (
            (len(request.dims), self.max_dims, "dim"),
            (len(filters), self.max_filters, "filter"),
            (cells, self.max_cells, "cell"),
        ):
            if most is not None and number > most:
                broken.append(f"the table has {numbered(number, kind)}; at most {most:,} {_is(most)} allowed")
        for dim, labels in filters:
            most = self.max_labels
            if most is not None and len(labels) > most:
                broken.append(f"the filter of {dim!r} names {len(labels)} labels; at most {most} {_is(most)} allowed")
        return broken

    def broken_by_figures(self, size: Size, small: int) -> list[str]:
        """The rules that published figures break, for the agency: a user is told `TOO_THIN`, whichever it was."""
        broken = []
        fewest = self.min_population or 1
        if size.population < fewest:
            broken.append(f"its figures add up to {size.population:,}; at least {fewest:,} {_is(fewest)} needed")
        if self.max_small_share is not None and size.small_share > self.max_small_share:
            figures = "1" if small == 1 else f"1 to {small}"
            broken.append(
                f"{percent(size.small_share, self.max_small_share)} of its {size.cells:,} figures are {figures}; at most "
                f"{percent(self.max_small_share)} are allowed"
            )
        if self.min_mean_cell is not None and size.mean_cell < self.min_mean_cell:
            broken.append(
                f"its figures are {plain(size.mean_cell, self.min_mean_cell)} on average; at least "
                f"{plain(self.min_mean_cell)} {_is(self.min_mean_cell)} needed"
            )
        return broken


_LEAST = {"max_dims": 1, "max_labels": 1, "max_cells": 1, "small": 1, "min_contributors": 1}
_SHARES_AND_MEANS = ("max_small_share", "min_mean_cell")


def _problem(rule: str, value: Any) -> str:
    """What is wrong with the value of a rule; empty where nothing is."""
    if value is None:
        return "a whole number of at least 1" if rule == "small" else ""
    if rule == "areas":
        return "" if isinstance(value, str) else "the name of one dim"
    if rule == "dims":
        listed = isinstance(value, Iterable) and not isinstance(value, Mapping)
        return "" if listed and all(isinstance(name, str) for name in value) and value else "a list of names"
    least = _LEAST.get(rule, 0)
    whole = rule not in _SHARES_AND_MEANS
    if not is_number(value) or value < least or (whole and value != int(value)):
        return f"a {'whole ' * whole}number of at least {least}"
    if rule == "max_small_share" and value > 1:
        return "a share of cells, from 0 to 1; 0.1 is ten percent"
    return ""


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
