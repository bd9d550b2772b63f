"""What goes wrong, as programs read it (RFC 9457): a title, a status and a sentence; never anything of the inside."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse

MEDIA_TYPE = "application/problem+json"
SHAPE = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
}


def _described(words: str) -> dict[str, Any]:
    """A problem, in the description of the interfaces."""
    return {"description": words, "content": {MEDIA_TYPE: {"schema": SHAPE}}}


Described = dict[int | str, dict[str, Any]]

PROBLEMS: Described = {
    400: _described("No JSON."),
    401: _described("Who is asking?"),
    403: _described("Refused; `instead` has requests that break no rule."),
    404: _described("No such table."),
    422: _described("Not understood, or no such dim, label or magnitude."),
    429: _described("Too many requests in a minute."),
}


class Problem(Exception):
    """A request that is not answered, and why."""

    def __init__(self, status: int, title: str, detail: str, *, retry: int | None = None, **further: Any) -> None:
        super().__init__(detail)
        self.status, self.title, self.detail, self.retry, self.further = status, title, detail, retry, further

    @property
    def content(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "type": "about:blank",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            **self.further,
        }

    @property
    def headers(self) -> dict[str, str]:
        """What else is said."""
        headers = {} if self.retry is None else {"Retry-After": str(self.retry)}
        return {**headers, "WWW-Authenticate": "Bearer"} if self.status == 401 else headers


def told(problem: Problem) -> JSONResponse:
    """A problem as it is sent."""
    return JSONResponse(problem.content, problem.status, problem.headers, MEDIA_TYPE)
