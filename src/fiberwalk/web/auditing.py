"""The interface of auditors: what was asked, who could be known by now, and the risk of an answer."""

from __future__ import annotations

import math
from threading import Lock
from typing import Annotated, Any

from fastapi import APIRouter, Query

from ..server.cube.request import Request
from .asking import as_asked, asked
from .coming_in import Auditor, Here
from .problems import PROBLEMS, Problem
from .service import Service
from .tables import Dims, Filters, MeanOf, SumOf, Totals

router = APIRouter(prefix="/api/auditor", tags=["auditors"], responses={code: PROBLEMS[code] for code in (401, 403)})
_one_ranking = Lock()
MOST_ROWS = 1000
MOST_NUMBER = 2**53
"""Beyond it programs that take all numbers for floating ones count no more."""

AT_ONCE = 10
"""Distinct requests of the log that are worked into a ranking by one call, each in up to a few seconds."""

Rows = Annotated[int, Query(ge=1, le=MOST_ROWS, description="How many rows at most.")]


@router.get("/log")
def log(
    service: Here,
    person: Auditor,
    user: str | None = None,
    after: Annotated[int | None, Query(ge=0, le=MOST_NUMBER)] = None,
    rows: Rows = 100,
) -> dict[str, Any]:
    """Requests in order, of everybody or of one user: those after a number, or the last ones."""
    kept = service.server.log
    found = kept.entries(user, after=after or 0)
    shown = found[-rows:] if after is None else found[:rows]
    return {
        "requests": len(found),
        "users": kept.users,
        "entries": [
            {"number": one.number, "at": one.at, "user": one.user, "asked": one.request.words, "released": one.released,
             "notice": one.notice, "version": one.version}
            for one in shown
        ],
    }  # fmt: skip


@router.get("/ranking")
def ranking(service: Here, person: Auditor, user: str | None = None, rows: Rows = 100) -> dict[str, Any]:
    """The cells of a few people that can be known best from all answers, or from those of one user.

    A long log is read in steps, one for each call: `waiting` says how many requests are still to be read.
    """
    with _one_ranking:  # it is brought up to date, one request after the other
        found = _ranking(service, user).update(most=AT_ONCE)
        cells, summary, waiting = found.cells.head(rows).reset_index(), found.summary(), found.waiting
    return {"summary": summary, "waiting": waiting, "cells": [_plain(row) for row in cells.to_dict("records")]}


@router.get("/why")
def why(
    service: Here, person: Auditor, cell: Annotated[str, Query(min_length=1)], user: str | None = None
) -> dict[str, Any]:
    """Which requests tell of a cell of the ranking."""
    with _one_ranking:
        rows = _ranking(service, user).why(cell).reset_index()
    return {"requests": [_plain(row) for row in rows.to_dict("records")]}


@router.get("/answer")
def answer(
    service: Here, person: Auditor, dims: Dims, filters: Filters = [], sum_of: SumOf = None, mean_of: MeanOf = None,  # noqa: B006
    totals: Totals = None,
) -> dict[str, Any]:  # fmt: skip
    """What a reader would be answered, beside the truth, with risk before and after and utility; not written in the log."""
    request = asked(service.server, dims, filters, sum_of, mean_of, totals)
    _refuse_too_large(service, request)
    found = service.server.look(**as_asked(request))
    shown = found.table if found.released else found.withheld
    return {
        "words": request.words,
        "released": found.released,
        "reason": found.reason,
        "notice": found.notice,
        "risk_before": found.risk_before,
        "risk_after": found.risk_after,
        "utility": found.utility,
        "dims": _dims(shown),
        "published": _figures(shown),
        "true": _figures(found.original),
    }


@router.get("/methods")
def methods(service: Here, person: Auditor, dims: Dims, filters: Filters = []) -> dict[str, Any]:  # noqa: B006
    """The risk that other methods would leave in a table of counts, and the utility that they would keep."""
    request = asked(service.server, dims, filters, None, None, None)
    _refuse_too_large(service, request)
    found = service.server.by_method(request.dims, dict(request.where)).reset_index()
    return {"words": request.words, "methods": [_plain(row) for row in found.to_dict("records")]}


def _refuse_too_large(service: Service, request: Request) -> None:
    if service.cells(request) > service.settings.max_cells:
        raise Problem(403, "Too many figures", f"At most {service.settings.max_cells:,} figures are sent.")


def _ranking(service: Service, user: str | None) -> Any:
    """The ranking of a user's answers, kept from call to call."""
    if user not in service.rankings:
        service.rankings[user] = service.server.ranking(user=user)
    return service.rankings[user]


def _dims(table: Any) -> list[dict[str, Any]]:
    dims = () if table is None else table.dims
    return [{"name": str(dim), "labels": list(map(str, table[dim].values))} for dim in dims]


def _figures(table: Any) -> list[Any] | None:
    return None if table is None else [_number(value) for value in table.values.ravel().tolist()]


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _number(value) for name, value in row.items()}


def _number(value: Any) -> Any:
    """A value as JSON has it: nothing for what is no number."""
    import pandas as pd

    if value is None or value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value.item() if hasattr(value, "item") else value
