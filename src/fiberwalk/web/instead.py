"""What can be asked in place of a request that was refused: the nearest ones that the rules allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..server.cube.request import Request
from ..server.table_server import TableServer
from .asking import address

MOST = 5


def instead(server: TableServer, request: Request) -> list[dict[str, Any]]:
    """Requests that break no rule, each with words and the address that asks for it."""
    found: dict[str, str] = {}
    for nearest in (_near(server, request), *(_near(server, one) for one in _near(server, request))):
        for one in nearest:
            if one.words not in found and not server.rules.broken_by_request(one, server.cube.cells(one)):
                found[one.words] = address(one)
        if found:
            break
    return [{"words": words, "query": query} for words, query in list(found.items())[:MOST]]


def _near(server: TableServer, request: Request) -> Iterator[Request]:
    """Requests with a level in place of a dim, with a dim or filter less, or with one label of a filter."""
    column, where = server.cube.column, dict(request.where)
    for dim in request.dims:
        for name in server.offered:
            if column[name].told_level_of == dim and name not in request.dims:
                dims = tuple(name if one == dim else one for one in request.dims)
                yield replace(request, dims=dims, where=tuple(one for one in request.where if one[0] != dim))
    for one, labels in request.whole.where:
        if len(labels) > 1:
            yield replace(request, where=tuple((name, of[:1] if name == one else of) for name, of in request.where))
    for name in where:
        yield replace(request, where=tuple(one for one in request.where if one[0] != name))
    if len(request.dims) > 1:
        for dim in reversed(request.dims):
            rest = tuple(one for one in request.dims if one != dim)
            yield replace(request, dims=rest, where=tuple(one for one in request.where if one[0] != dim))
