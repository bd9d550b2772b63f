"""Connections whose answers leave at once."""

from __future__ import annotations

import asyncio
import socket

from uvicorn.protocols.http.auto import AutoHTTPProtocol


class PromptConnection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """Without Nagle's algorithm, which asyncio leaves on for a socket that processes share: 40 ms for every answer."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Somebody calls."""
        called: socket.socket | None = transport.get_extra_info("socket")
        if called is not None and called.family in (socket.AF_INET, socket.AF_INET6):
            called.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)
