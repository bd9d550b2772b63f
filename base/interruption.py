"""Ctrl-C at awkward moments: inside compiled functions, and where half of something would be lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = "it was interrupted"


@contextmanager
def plain_interrupts() -> Iterator[None]:
    """Ctrl-C is a KeyboardInterrupt also inside a compiled function, which makes a SystemError of it."""
    try:
        yield
    except SystemError as problem:
        if isinstance(problem.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise


@contextmanager
def interrupts_held() -> Iterator[Callable[[], bool]]:
    """Ctrl-C is noted and does no harm meanwhile; the function tells whether it came. Elsewhere than in the main thread,
    where none comes, nothing is done.
    """
    came = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(came)
    finally:
        signal.signal(signal.SIGINT, before)
