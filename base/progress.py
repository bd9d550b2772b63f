"""Where long work stands: one line that is overwritten, on a terminal or in a notebook; silent where nobody watches."""

from __future__ import annotations

import importlib
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from .errors import InputError

Progress = Callable[[str], None]
"""What is told, in a line of text, where long work stands."""
Counted = Callable[[int, int], None]
"""What a solver tells how many of how many are done; whoever asked it makes a line of that."""
WAIT = 0.5
"""Seconds until the first line, so that short work shows nothing."""
BETWEEN = 0.1
"""Seconds between two lines at least."""


_outer: ContextVar[tuple[Progress | None] | None] = ContextVar("what the work around shows", default=None)


def one_at_a_time(progress: Progress | None) -> Progress | None:
    """The same for several threads, which wait for each other."""
    if progress is None:
        return None
    lock = threading.Lock()

    def tell(line: str) -> None:
        with lock:
            progress(line)

    return tell


@contextmanager
def shown(progress: Progress | bool | None = None) -> Iterator[Progress | None]:
    """A function that shows lines: the user's own, or a line on the terminal or in the notebook, if there is one.

    Work that other work calls shows nothing beside it, unless it is told to.
    """
    around = _outer.get()
    if progress is None and around is not None:
        yield around[0]
        return
    with _line(progress) as tell:
        before = _outer.set((tell,))
        try:
            yield tell
        finally:
            _outer.reset(before)


@contextmanager
def _line(progress: Progress | bool | None) -> Iterator[Progress | None]:
    if progress is False:
        yield None
    elif progress is not None and progress is not True:
        if not callable(progress):
            raise InputError(f"progress={progress!r}: a function that takes a line of text, or False for silence.")
        yield progress
    else:
        notebook = _notebook()
        if notebook is None and not sys.stderr.isatty():
            yield None
            return
        line = _Notebook(notebook) if notebook is not None else _Terminal()
        try:
            yield line
        finally:
            line.stop()
            line.clear()


class _Line(ABC):
    """The newest text is shown when it is due, also if no other follows: the longest work may be announced first."""

    def __init__(self) -> None:
        self.due = time.monotonic() + WAIT
        self.used = False
        self.text = ""
        self.timer: threading.Timer | None = None
        self.turn = threading.Lock()

    def __call__(self, text: str) -> None:
        with self.turn:
            self.text = text
            if self.timer is None:
                self.timer = threading.Timer(max(0.0, self.due - time.monotonic()), self._show_newest)
                self.timer.daemon = True
                self.timer.start()

    def _show_newest(self) -> None:
        with self.turn:
            if self.timer is not None:
                self.show(self.text)
                self.used, self.timer, self.due = True, None, time.monotonic() + BETWEEN

    def stop(self) -> None:
        """Show nothing more."""
        with self.turn:
            if self.timer is not None:
                self.timer.cancel()
                self.timer = None

    @abstractmethod
    def show(self, text: str) -> None:
        """Overwrite what is shown."""


class _Terminal(_Line):
    def show(self, text: str) -> None:
        import shutil

        room = shutil.get_terminal_size().columns - 1
        sys.stderr.write("\r" + text[:room].ljust(room))
        sys.stderr.flush()

    def clear(self) -> None:
        """Leave no trace."""
        if self.used:
            self.show("")
            sys.stderr.write("\r")
            sys.stderr.flush()


class _Notebook(_Line):
    def __init__(self, display: Any) -> None:
        super().__init__()
        self.display, self.handle = display, None

    def show(self, text: str) -> None:
        bundle = {"text/plain": text}
        if self.handle is None:
            self.handle = self.display(bundle, raw=True, display_id=True)
        else:
            self.handle.update(bundle, raw=True)

    def clear(self) -> None:
        """Leave no trace."""
        if self.handle is not None:
            self.handle.update({"text/plain": ""}, raw=True)


def _notebook() -> Any:
    """How to display in the notebook that this runs in; None elsewhere. IPython is there already or not at all."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    return importlib.import_module("IPython.display").display
