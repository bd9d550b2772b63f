"""A request for a table, from the parts of an address: dims=sex,age&filter=region=1&totals=added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from ..base.errors import InputError
from ..server.cube.request import Request, as_request
from ..server.table_server import TableServer


def asked(
    server: TableServer, dims: str, filters: Sequence[str], sum_of: str | None, mean_of: str | None, totals: str | None
) -> Request:
    """The request, or what is wrong with it."""
    return as_request(
        dims, _filters(server, filters), server.offered,
        sum_of=sum_of or None, mean_of=mean_of or None, totals=totals or None, summed=server.maker.magnitudes,
    )  # fmt: skip


def _filters(server: TableServer, texts: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in texts:
        named = [dim for dim in server.offered if text.startswith(f"{dim}=")]
        dim = max(named, key=len) if named else text.partition("=")[0]
        if "=" not in text:
            raise InputError(f"filter={text}: write it as filter=DIM=LABEL, such as filter=region=1.")
        found.setdefault(dim, []).append(text[len(dim) + 1 :])
    return found


def as_asked(request: Request) -> dict[str, Any]:
    """A request as `TableServer.tabulate` is asked."""
    of = {("mean_of" if request.mean else "sum_of"): request.of} if request.of else {}
    return {"dims": request.dims, "filters": dict(request.where), "totals": request.totals or None, **of}


def address(request: Request) -> str:
    """The part of an address that asks for the same again."""
    parts = [("dims", ",".join(request.dims))]
    parts += [("filter", f"{dim}={label}") for dim, labels in request.where for label in labels]
    if request.of:
        parts.append(("mean_of" if request.mean else "sum_of", request.of))
    if request.totals:
        parts.append(("totals", request.totals))
    return urlencode(parts)
