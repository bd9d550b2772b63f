"""The JSON interface of readers: what may be asked for, and the tables themselves."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from .asking import address, asked
from .coming_in import Anybody, Here, Reader
from .formats import FORMATS
from .instead import instead
from .problems import PROBLEMS, Described, Problem

router = APIRouter(prefix="/api", tags=["tables"])

Dims = Annotated[str, Query(min_length=1, description="What spans the table, such as sex,age.")]
Filters = Annotated[list[str], Query(alias="filter", description="Who is in it: DIM=LABEL; may be repeated.")]
SumOf = Annotated[str | None, Query(description="Show sums of this magnitude.")]
MeanOf = Annotated[str | None, Query(description="Show means of this magnitude.")]
Totals = Annotated[Literal["consistent", "added"] | None, Query(description="How totals are made; left out: none.")]
FormatName = Literal["json-stat2", "csv", "xlsx", "parquet"]
FIGURES: Described = {code: PROBLEMS[code] for code in (401, 403, 422, 429)}


@router.get("/me", responses={401: PROBLEMS[401]}, openapi_extra={"security": [{"HTTPBearer": []}, {}]})
def me(service: Here, person: Anybody) -> dict[str, Any]:
    """Who is asking, what she may do, and whether a token would be of any use."""
    settings = service.settings
    return {
        "title": settings.title,
        "user": person.name if person else "",
        "reader": person is not None,
        "auditor": person is not None and person.auditor,
        "tokens": bool(settings.readers or settings.auditors),
    }


@router.get("/catalogue", responses={401: PROBLEMS[401]})
def catalogue(service: Here, person: Reader) -> dict[str, Any]:
    """What may be asked for: dims with their levels and labels, magnitudes, and rules."""
    found = service.server.catalogue
    rules = {rule.name: getattr(found.rules, rule.name) for rule in fields(found.rules)}
    return {
        "title": service.settings.title,
        "dims": [{"name": dim.name, "labels": dim.labels, "level_of": dim.level_of} for dim in found.dims],
        "summed": found.summed,
        "totals": found.totals,
        "rules": {name: value for name, value in rules.items() if value is not None},
        "formats": list(FORMATS),
        "max_cells": service.settings.max_cells,
    }


@router.get("/check", responses={401: PROBLEMS[401]})
def check(
    service: Here, person: Reader, dims: Dims, filters: Filters = [], sum_of: SumOf = None, mean_of: MeanOf = None,  # noqa: B006
    totals: Totals = None,
) -> dict[str, Any]:  # fmt: skip
    """How large a table would be, and which rule it breaks by itself, if any; no table is made."""
    request = asked(service.server, dims, filters, sum_of, mean_of, totals)
    broken = service.server.rules.broken_by_request(request, service.server.cube.cells(request))
    return {
        "words": request.words,
        "query": address(request),
        "cells": service.cells(request),
        "allowed": not broken,
        "why_not": "; ".join(broken),
        "instead": instead(service.server, request) if broken else [],
    }


@router.get("/table", responses={**FIGURES, 200: {"content": {one.media_type: {} for one in FORMATS.values()}}},
            response_class=Response)  # fmt: skip
def table(
    service: Here, person: Reader, dims: Dims, filters: Filters = [], sum_of: SumOf = None, mean_of: MeanOf = None,  # noqa: B006
    totals: Totals = None, format: FormatName = "json-stat2",
) -> Response:  # fmt: skip
    """A protected table."""
    request = asked(service.server, dims, filters, sum_of, mean_of, totals)
    answer = service.answer(person, request).public()
    if not answer.released:
        raise Problem(
            403, "Refused", f"{answer.notice}.", words=request.words, instead=instead(service.server, request)
        )
    form = FORMATS[format]
    headers = {"Cache-Control": "private, no-store"}
    if format != "json-stat2":
        headers["Content-Disposition"] = f'attachment; filename="{"-".join(request.dims)}.{form.ending}"'
    return Response(form.written(answer), media_type=form.media_type, headers=headers)


@router.get("/answer", responses=FIGURES)
def answer(
    service: Here, person: Reader, dims: Dims, filters: Filters = [], sum_of: SumOf = None, mean_of: MeanOf = None,  # noqa: B006
    totals: Totals = None,
) -> dict[str, Any]:  # fmt: skip
    """A protected table, or why there is none and what can be asked instead: for pages, to which both are answers."""
    request = asked(service.server, dims, filters, sum_of, mean_of, totals)
    found = service.answer(person, request).public()
    return {
        "words": request.words,
        "query": address(request),
        "released": found.released,
        "notice": found.notice,
        "shows": found.shows,
        "dataset": found.to_json_stat() if found.released else None,
        "instead": [] if found.released else instead(service.server, request),
    }
