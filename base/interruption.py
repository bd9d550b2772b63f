"""What ends work before it is done: Ctrl-C, also inside compiled functions and where half of something would be lost, and a
limit of time."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any

from .errors import InputError, TimeUp

INTERRUPTED = "it was interrupted"
TIME_UP = "its time was up"


def check_max_seconds(max_seconds: Any) -> None:
    """Refuse what is no limit of time."""
    if max_seconds is not None and (not isinstance(max_seconds, (int, float)) or not 0 < max_seconds < math.inf):
        raise InputError(f"max_seconds={max_seconds!r}: a number of seconds above 0, or None.")


class _Limit:
    """A moment after which work ends, within the limit around it."""

    def __init__(self, seconds: float | None, outer: _Limit | None) -> None:
        self.own, self.outer = math.inf if seconds is None else time.monotonic() + seconds, outer

    @property
    def end(self) -> float:
        """The earliest of all that hold."""
        return self.own if self.outer is None else min(self.own, self.outer.end)

    def end_now(self) -> None:
        """It is over, also for threads that share it."""
        self.own = -math.inf


_LIMIT: ContextVar[_Limit | None] = ContextVar("limit", default=None)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[Callable[[], None]]:
    """Allow so many seconds within the block, fewer where a limit around it ends earlier; None: no limit of its own.

    The function that it gives ends the time at once, for threads that work within the block.
    """
    limit = _Limit(seconds, _LIMIT.get())
    token = _LIMIT.set(limit)
    try:
        yield limit.end_now
    finally:
        _LIMIT.reset(token)


def time_left() -> float | None:
    """Seconds until the limit, 0 at least; None where there is none."""
    limit = _LIMIT.get()
    end = math.inf if limit is None else limit.end
    return None if end == math.inf else max(0.0, end - time.monotonic())


def check_time(doing: str) -> None:
    """Raise `TimeUp` if the time limit is over; long work calls this now and then."""
    limit = _LIMIT.get()
    if limit is not None and time.monotonic() > limit.end:
        raise time_up(doing)


def time_up(doing: str) -> TimeUp:
    """What to raise when the time is up."""
    return TimeUp(f"{TIME_UP} while {doing}, and there is no result yet; allow more time.")


def check_ended(doing: str) -> None:
    """Raise `TimeUp` if a limit was ended at once, as other threads failed; for work that a limit of time does not end."""
    limit = _LIMIT.get()
    if limit is not None and limit.end == -math.inf:
        check_time(doing)


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
    """Hold Ctrl-C back within the block; the function says whether it came.

    Does nothing outside the main thread, which alone receives it.
    """
    came = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    usual = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(came)
    finally:
        signal.signal(signal.SIGINT, usual)
