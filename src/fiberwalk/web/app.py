"""The whole service as one application, which any server of ASGI applications runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from ..base.errors import FiberwalkError
from ..base.version import VERSION
from . import auditing, pxweb, tables, watching
from .problems import PROBLEMS, Problem, told
from .service import Service
from .watching import Counts, Watched

PAGE = Path(__file__).parent / "page"
PARTS = frozenset(path.name for path in PAGE.iterdir() if path.suffix in (".css", ".js"))
OWN_ONLY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
FOR_BROWSERS = {
    "Content-Security-Policy": OWN_ONLY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
"""What they are told with every answer."""


def app_of(service: Service) -> FastAPI:
    """All interfaces of a service, and what holds of every answer."""
    made = FastAPI(
        title=service.settings.title, version=VERSION, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json",
        description="Tables that are counted and protected when they are asked for.", responses={422: PROBLEMS[422]},
    )  # fmt: skip
    made.state.service, made.state.counts = service, Counts()
    for router in (tables.router, pxweb.router, auditing.router, watching.router):
        made.include_router(router)
    made.add_middleware(Watched, headers=FOR_BROWSERS)
    made.add_exception_handler(Problem, _problem)
    made.add_exception_handler(FiberwalkError, _wrong)
    made.add_exception_handler(RequestValidationError, _malformed)
    made.add_exception_handler(HTTPException, _of_http)
    made.get("/", include_in_schema=False)(lambda: FileResponse(PAGE / "index.html"))
    made.get("/page/{name}", include_in_schema=False)(_part_of_the_page)
    return made


def _part_of_the_page(name: str) -> FileResponse:
    if name not in PARTS:
        raise Problem(404, "Not found", "There is no such page.")
    return FileResponse(PAGE / name, headers={"Cache-Control": "no-cache"})  # a browser asks whether it changed


async def _problem(request: Request, problem: Any) -> JSONResponse:
    return told(problem)


async def _wrong(request: Request, problem: Any) -> JSONResponse:
    return told(Problem(422, "Not understood", str(problem)))


async def _malformed(request: Request, problem: Any) -> JSONResponse:
    """A parameter that is missing or not of its kind."""
    said = [f"{'.'.join(str(part) for part in one['loc'][1:])}: {one['msg']}" for one in problem.errors()]
    return told(Problem(422, "Not understood", "; ".join(said)))


async def _of_http(request: Request, problem: Any) -> JSONResponse:
    """No such address, or not by this method."""
    answer = told(Problem(problem.status_code, str(problem.detail), f"{problem.detail}."))
    answer.headers.update(problem.headers or {})
    if problem.status_code == 405 and (methods := _methods(request)):
        answer.headers["Allow"] = ", ".join(methods)  # the library names those of one route of the path
    return answer


def _methods(request: Request) -> list[str]:
    """By which methods the path of a request can be asked, as the description has it."""
    for path, ways in request.app.openapi()["paths"].items():
        if compile_path(path)[0].match(request.url.path):
            return sorted(way.upper() for way in ways)
    return []
