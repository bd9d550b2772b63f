"""A server of tables opened to others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.errors import InputError
from ..server.table_server import TableServer
from .settings import ServiceSettings

if TYPE_CHECKING:
    from fastapi import FastAPI


def application(server: TableServer, settings: ServiceSettings | None = None) -> FastAPI:
    """A server of tables as an application of ASGI: what readers and auditors call, and the page.

    Run it by `fiberwalk serve`, or with uvicorn or another server of such applications. It needs fiberwalk[server].

    Parameters
    ----------
    server
        The server that answers, with its log, seed and rules.
    settings
        Title, tokens, limits.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> server = fw.server.TableServer([[30, 12], [9, 25]], mechanism="random_round", parameters={"base": 3}, seed=1)
    >>> fw.server.application(server).title
    'Tables on request'
    """
    try:
        from .app import app_of
    except ImportError:
        raise InputError("a service over HTTP needs FastAPI and uvicorn; install fiberwalk[server].") from None
    from .service import Service

    if settings is not None and not isinstance(settings, ServiceSettings):
        raise InputError(f"settings= are ServiceSettings(...); this is {settings!r}.")
    return app_of(Service(server, settings or ServiceSettings()))
