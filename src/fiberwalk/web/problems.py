"""What goes wrong, as programs read it (RFC 9457): a title, a status and a sentence; never anything of the inside."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse

MEDIA_TYPE = "application/problem+json"


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
