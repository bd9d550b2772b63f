"""Whether the service is well, what it did so far, and a line for each request on standard error."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Request, Response
from starlette.datastructures import MutableHeaders

from ..base.version import VERSION
from .coming_in import Auditor, Here
from .problems import PROBLEMS, Problem, told

router = APIRouter(tags=["watching"])
UP_TO = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Seconds; the edges that durations are counted by."""


NOBODY_THERE = 499
"""What is noted where an answer was never begun, because whoever asked has gone."""


class Counts:
    """Requests of this process by route and status, and how long they took."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.requests: Counter[tuple[str, int]] = Counter()
        self.within: Counter[float] = Counter()
        self.seconds = 0.0

    def add(self, route: str, status: int, seconds: float) -> None:
        """Count one."""
        with self._lock:
            self.requests[route, status] += 1
            self.seconds += seconds
            self.within.update(edge for edge in UP_TO if seconds <= edge)

    def text(self) -> str:
        """As Prometheus reads it."""
        with self._lock:
            lines = ["# TYPE fiberwalk_requests_total counter"]
            lines += [
                f'fiberwalk_requests_total{{route="{route}",status="{status}"}} {number}'
                for (route, status), number in sorted(self.requests.items())
            ]
            number = sum(self.requests.values())
            lines.append("# TYPE fiberwalk_request_seconds histogram")
            lines += [f'fiberwalk_request_seconds_bucket{{le="{edge:g}"}} {self.within[edge]}' for edge in UP_TO]
            lines.append(f'fiberwalk_request_seconds_bucket{{le="+Inf"}} {number}')
            lines += [f"fiberwalk_request_seconds_sum {self.seconds:.6f}", f"fiberwalk_request_seconds_count {number}"]
        return "\n".join(lines) + "\n"


def where_it_broke(problem: BaseException) -> str:
    """The kind of an error, and the place in the code."""
    place = problem.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = "" if place is None else f" in {Path(place.tb_frame.f_code.co_filename).name}:{place.tb_lineno}"
    return type(problem).__name__ + where


@router.get("/health")
def health(service: Here) -> dict[str, Any]:
    """Does it answer, and can it read its log?"""
    len(service.server.log)
    return {"status": "well", "version": VERSION}


@router.get("/metrics", response_class=Response, responses={code: PROBLEMS[code] for code in (401, 403)})
def metrics(request: Request, person: Auditor) -> Response:
    """What this process did since it began, for Prometheus."""
    return Response(request.app.state.counts.text(), media_type="text/plain; version=0.0.4")


class Watched:
    """An application of which every request is counted, and told of in a line: no token, no label, no figure."""

    def __init__(self, app: Any, headers: Mapping[str, str]) -> None:
        self.app, self.headers = app, headers

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, with these headers and a number."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begin, number, statuses, bug = time.perf_counter(), uuid4().hex, [], ""

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
                MutableHeaders(scope=message).update({**self.headers, "X-Request-ID": number})
            await send(message)

        try:
            await self.app(scope, receive, sent)
        except Exception as problem:  # without its words, which may quote what is withheld
            bug = where_it_broke(problem)
            if not statuses:
                await told(Problem(500, "Error", f"This should not happen: {number}."))(scope, receive, sent)
        seconds = time.perf_counter() - begin
        path = getattr(scope.get("route"), "path", "other")
        status = statuses[0] if statuses else NOBODY_THERE
        scope["app"].state.counts.add(path, status, seconds)
        person = scope.get("state", {}).get("person")
        line = {
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"), "id": number,
            "user": person.name if person else "", "method": scope["method"], "route": path, "status": status,
            "ms": round(1000 * seconds, 1),
        }  # fmt: skip
        line |= {"bug": bug} if bug else {}
        print(json.dumps(line, ensure_ascii=False), file=sys.stderr, flush=True)
