"""A service that listens, for clients that speak HTTP."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager


@contextmanager
def running(application):
    """The address of an application while it is served."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(application, port=0, log_level="error", access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
