"""What is selected of a table of PxWebApi 2, as requests for tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import combinations, product
from math import prod

from ..base.errors import did_you_mean
from ..server.cube.request import Request, as_request
from ..server.table_server import TableServer
from .problems import Problem

CONTENTS = "ContentsCode"
COUNT = "count"


@dataclass(frozen=True)
class Selection:
    """Values of one variable."""

    variable: str
    values: tuple[str, ...]
    codelist: str | None = None


@dataclass(frozen=True)
class Selected:
    """What is shown, and the requests that make it."""

    shown: dict[str, tuple[str, ...]]
    """The values of each variable, in the order in which they were selected."""
    dims: dict[str, str]
    """The dim or level that stands for each variable."""
    requests: dict[str, Request]
    """By what they show."""

    def places(self, dims: Sequence[str], labels: Sequence[Sequence[str]]) -> list[int]:
        """Where the figures stand in an answer with these dims and labels; a dim that it has not, has one value."""
        stride = {dim: prod(len(one) for one in labels[k + 1 :]) for k, dim in enumerate(dims)}
        steps = []
        for variable, values in self.shown.items():
            dim = self.dims[variable]
            own = labels[dims.index(dim)] if dim in stride else values
            steps.append([stride.get(dim, 0) * own.index(value) for value in values])
        return [sum(one) for one in product(*steps)]


def contents_of(server: TableServer) -> dict[str, str]:
    """What tables can show, each code with its name."""
    counts = "people" if server.maker.weighted_base is None else "people, weighted"
    return {
        COUNT: counts,
        **{f"{way}-{name}": f"{way} of {name}" for name in server.maker.magnitudes for way in ("sum", "mean")},
    }


def tables_of(server: TableServer) -> list[tuple[str, ...]]:
    """The tables: combinations of dims, levels left to codelists, that the rules allow."""
    dims = [name for name in server.offered if server.cube.column[name].told_level_of not in server.offered]
    most = server.rules.max_dims or len(dims)
    found = [names for number in range(1, most + 1) for names in combinations(dims, number)]
    return [names for names in found if not _broken(server, Request(names))]


def _broken(server: TableServer, request: Request) -> list[str]:
    return server.rules.broken_by_request(request, server.cube.cells(request))


def selected(server: TableServer, table: tuple[str, ...], picked: Sequence[Selection]) -> Selected:
    """The requests for what is selected; all of the table where nothing is."""
    by_name = {one.variable: one for one in picked}
    for name in by_name:
        if name not in (*table, CONTENTS):
            raise Problem(422, "Not understood", f"There is no variable {name!r}; {did_you_mean(name, table)}")
    contents = _values(by_name.pop(CONTENTS, Selection(CONTENTS, (COUNT,))), tuple(contents_of(server)))
    shown: dict[str, tuple[str, ...]] = {}
    dims: dict[str, str] = {}
    for one in by_name.values() or [Selection(name, ("*",)) for name in table]:
        dim = _level(server, one)
        shown[one.variable], dims[one.variable] = _values(one, server.offered[dim]), dim
    if not shown:
        raise Problem(422, "Not understood", "Select values of at least one variable besides ContentsCode.")
    requests = {}
    for code in contents:
        way, _, name = code.partition("-")
        of = {} if code == COUNT else {f"{way}_of": name}
        where = {dims[variable]: values for variable, values in shown.items()}
        requests[code] = as_request(
            _spanning(server, shown, dims), where, server.offered, summed=server.maker.magnitudes, **of
        )
    return Selected(shown, dims, requests)


def _level(server: TableServer, one: Selection) -> str:
    """The dim of a variable, or the level that its codelist is."""
    if one.codelist is None:
        return one.variable
    levels = [name for name in server.offered if server.cube.column[name].told_level_of == one.variable]
    if one.codelist not in levels:
        raise Problem(
            422,
            "Not understood",
            f"{one.variable!r} has no codelist {one.codelist!r}; {did_you_mean(one.codelist, levels)}",
        )
    return one.codelist


def _values(one: Selection, known: tuple[str, ...]) -> tuple[str, ...]:
    """The values that are meant, each once; * stands for any text, and ? for a character."""
    found: dict[str, None] = {}
    for value in one.values:
        meant = [value] if value in known else [own for own in known if fnmatchcase(own, value.replace("[", "[[]"))]
        if not meant:
            raise Problem(
                422, "Not understood", f"{one.variable!r} has no value {value!r}; {did_you_mean(value, known)}"
            )
        found.update(dict.fromkeys(meant))
    if not found:
        raise Problem(422, "Not understood", f"Select values of {one.variable!r}, or leave it out.")
    return tuple(found)


def _spanning(server: TableServer, shown: dict[str, tuple[str, ...]], dims: dict[str, str]) -> list[str]:
    """The dims that span the table: those with several values, and those with one that are too many for filters."""
    single = [variable for variable, values in shown.items() if len(values) == 1]
    most = len(single) if server.rules.max_filters is None else server.rules.max_filters
    filters = single[: min(most, len(shown) - 1)]
    return [dims[variable] for variable in shown if variable not in filters]
