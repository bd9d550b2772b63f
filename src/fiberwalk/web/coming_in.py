"""Who comes in by which door: what routes depend on. It is looked up at once, without a thread of its own."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPBearer

from .problems import Problem
from .service import Person, Service

_token = HTTPBearer(auto_error=False, description="The token that the office gave you; an open service needs none.")


async def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


Here = Annotated[Service, Depends(_service)]


async def _reader(request: Request, service: Here, token: Annotated[object, Depends(_token)]) -> Person:
    """Who is asking; the token stands among the parameters so that the description tells of it."""
    person = service.person(request.headers.get("Authorization"), _named_by_proxy(request, service))
    request.state.person = person
    return person


Reader = Annotated[Person, Depends(_reader)]


async def _anybody(request: Request, service: Here, token: Annotated[object, Depends(_token)]) -> Person | None:
    """Who is asking, and nobody who may not come in; a token that nobody has is refused as everywhere."""
    if request.headers.get("Authorization") or service.open or _named_by_proxy(request, service):
        return await _reader(request, service, token)
    return None


Anybody = Annotated[Person | None, Depends(_anybody)]


def _named_by_proxy(request: Request, service: Service) -> str | None:
    header = service.settings.user_header
    return None if header is None else request.headers.get(header)


async def _auditor(person: Reader) -> Person:
    if not person.auditor:
        if not person.name:
            raise Problem(401, "For auditors", "This is for auditors, with a token: Authorization: Bearer TOKEN.")
        raise Problem(403, "For auditors", "This is for auditors only.")
    return person


Auditor = Annotated[Person, Depends(_auditor)]
