"""The one decorator all kernels are compiled with.

Numba's own disk cache looks only at the file of the function it compiles, so that a caller goes on running old machine
code after a callee, or a constant, in another file has changed (numba issue 1833). Here the cache folder is named after a
hash of all files of the rooms, at any depth: any change starts a new one, and the old one is removed. The face has no
kernels, and no kernel takes a constant from it, so that it can change without compiling anything again.

To compile takes a second or so for each kernel, once on a machine. On a small table many kernels have a few thousand steps
to make, which the interpreter makes in some milliseconds: where no machine code is at hand, the same function is then run as
plain Python (`sparingly`).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import types
from numba.core.registry import CPUDispatcher

ROOMS = ("base", "release", "fiber", "moves", "sampler", "protect", "posterior", "risk")
"""The rooms, in the order in which they import each other; all but the face."""
NO_ENTRY = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
HOMES = ".installations"
"""The file in a folder of machine code that says which installations it was compiled for; the same sources share one."""
A_DAY, A_MINUTE = 86_400, 60
WRITING = ".writing"
"""The file that says that somebody writes machine code; others wait, so many times so many seconds."""
PATIENCE, WAIT = 500, 0.01
CLOSES_OVER = "{function} closes over the kernel {other}: its machine code would never be found again on the disk."

MOST_STEPS = 50_000
"""Steps of the loops of a kernel, about a microsecond each, that are left to the interpreter before it is compiled: no more
than take as long as to find machine code on the disk, so that every process may do so."""
FEW_STEPS = 30_000
"""The same where machine code is on the disk and numba, which takes a quarter of a second over the first that a process
loads, has loaded none yet."""
LOADED_WITH_THE_FIRST = "numba.np.arraymath"
"""A part of numba by which to tell. Were it called otherwise, small work would be left to the interpreter for longer."""

_CONFIG: Any = numba.config
_SPENT: dict[Any, float] = {}
_LOCK = Lock()

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def jit(function: Kernel) -> Kernel:
    """Compile a kernel: no Python objects, no GIL, machine code kept on disk where that is possible."""
    return _compiled(function)


def jit_lean(function: Kernel) -> Kernel:
    """Compile a kernel that allocates nothing, without the counting of references to its arrays.

    Handing arrays to a helper costs two atomic operations for each otherwise, a hundred times the helper's own work. The
    option is numba's own and not documented: a test looks at the machine code.
    """
    return _compiled(function, _nrt=False)


def jit_inner(function: Kernel) -> Kernel:
    """Compile a helper that only kernels call, and that allocates nothing.

    It gets no entry for calls from Python, which would take as long to compile as the helper itself.
    """
    return _compiled(function, _nrt=False, **NO_ENTRY)


def jit_inlined(function: Kernel) -> Kernel:
    """Compile a helper that only kernels call into each loop that calls it, without the counting of references.

    A named tuple of arrays is handed over as seven words for each array: with twenty arrays a call takes a hundred
    nanoseconds, unless there is no call.
    """
    return _compiled(function, _nrt=False, forceinline=True, **NO_ENTRY)


class _Kernel(CPUDispatcher):
    """A kernel that is compiled once for numbers: numba would compile another for each constant that it is called with."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        plain = {name: types.unliteral(given) for name, given in kws.items()}
        return super().get_call_template(tuple(types.unliteral(given) for given in args), plain)


class _Inner(_Kernel):
    """A kernel without an entry: numba would call what is not there."""

    def __call__(self, *given: Any) -> Any:
        raise TypeError(f"{self.py_func.__name__} is for kernels alone; in Python, call its py_func.")


def _compiled(function: Kernel, **options: Any) -> Kernel:
    for cell in getattr(function, "__closure__", None) or ():
        if isinstance(cell.cell_contents, numba.core.dispatcher.Dispatcher):
            raise TypeError(CLOSES_OVER.format(function=function, other=cell.cell_contents))
    folder = cache_folder()
    with _LOCK:  # another thread would put back the folder that numba had before, and machine code go anywhere
        before = _CONFIG.CACHE_DIR
        try:
            if folder is not None:
                _CONFIG.CACHE_DIR = str(folder)  # read by numba when the function is decorated
            compiled = numba.njit(nogil=True, error_model="numpy", cache=folder is not None, **options)(function)
        finally:
            _CONFIG.CACHE_DIR = before
    if folder is not None:
        _keep_if_there_is_room(compiled)
    compiled.__class__ = _Inner if options.get("no_cpython_wrapper") else _Kernel
    return cast(Kernel, compiled)


def _keep_if_there_is_room(compiled: Any) -> None:
    """Let a kernel run, too, where its machine code does not fit on the disk: it is compiled again next time.

    Processes write one at a time: of two that compile the same kernel for other arguments, one might else find the machine
    code of the other under its own number.
    """
    keep = compiled._cache.save_overload

    def kept(*signature_and_code: Any) -> None:
        with suppress(OSError), _alone(cache_base() / WRITING):
            keep(*signature_and_code)

    compiled._cache.save_overload = kept


@contextmanager
def _alone(mark: Path) -> Iterator[None]:
    """While no other process does the same; OSError where one takes too long."""
    for _ in range(PATIENCE):
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError:
            with suppress(OSError):
                if time.time() - mark.stat().st_mtime > A_MINUTE:  # whoever wrote it is gone
                    mark.unlink()
            time.sleep(WAIT)
    else:
        raise OSError(f"{mark} was not removed")
    try:
        yield
    finally:
        with suppress(OSError):
            mark.unlink()


def sparingly(kernel: Kernel, steps: float) -> Kernel:
    """The kernel, or its twin in plain Python where it is not loaded and so many steps are not worth it.

    The steps are no fewer than it will make: where there are many after all, plain Python takes a hundred times as long.

    Only for kernels whose numbers are signed integers and floats: mixed with unsigned ones, numpy makes floats of them.
    """
    if _loaded(kernel):
        return kernel
    with _LOCK:
        spent = _SPENT[kernel] = _SPENT.get(kernel, 0.0) + steps
    few = 0 if LOADED_WITH_THE_FIRST in sys.modules else FEW_STEPS
    return kernel if spent > (few if _on_disk(kernel) else MOST_STEPS) else interpreted(kernel)


def at_hand(kernel: Any) -> bool:
    """Is a kernel compiled in this process, or its machine code on the disk?"""
    return _loaded(kernel) or _on_disk(kernel)


def _loaded(kernel: Any) -> bool:
    return bool(kernel.overloads)


@cache
def _on_disk(kernel: Any) -> bool:
    index = getattr(getattr(kernel._cache, "_cache_file", None), "_index_path", None)
    return index is not None and os.path.exists(index)


def interpreted(kernel: Kernel) -> Kernel:
    """The twin of a kernel in plain Python."""
    twin = _twin(kernel)

    def run(*given: Any) -> Any:
        with np.errstate(all="ignore"):  # as machine code does: overflow wraps, and division by zero is infinite
            return twin(*given)

    return cast(Kernel, run)


@cache
def _twin(kernel: Any) -> FunctionType:
    """The function that was compiled, which calls the twins of other kernels."""
    python: FunctionType = kernel.py_func
    names = {
        name: _twin(value) if isinstance(value, numba.core.dispatcher.Dispatcher) else value
        for name, value in python.__globals__.items()
        if name in python.__code__.co_names
    }
    return FunctionType(python.__code__, {"__builtins__": __builtins__, **names}, python.__name__, python.__defaults__)


def cache_base() -> Path:
    """The folder that everything kept on disk is under; it need not be there."""
    chosen = os.environ.get("FIBERWALK_CACHE_DIR")
    return Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fiberwalk"


@cache
def cache_folder() -> Path | None:
    """The folder for machine code of exactly these sources, or None where nothing can be written."""
    folder = cache_base() / own_sources()
    home = os.path.realpath(__file__)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f".writable-{os.getpid()}").touch()
        (folder / f".writable-{os.getpid()}").unlink()
        if home not in _homes(folder):
            _write_homes(folder, [*_homes(folder), home])
            remove_older(folder, home)
    except OSError:
        return None
    return folder


@cache
def own_sources() -> str:
    """The hash of the sources at work: it names the folder of their machine code, and runs that only they may resume."""
    return source_hash(room_folders(__package__.rpartition(".")[0]))


def room_folders(package: str) -> dict[str, list[str]]:
    """The folders of each room: beside the package in a checkout, through links or not; inside it once installed."""
    folders = {}
    for room in ROOMS:
        spec = find_spec(f"{package}.{room}")
        if spec is not None:
            folders[room] = list(spec.submodule_search_locations or ())
    return folders


def source_hash(rooms: Mapping[str, Iterable[str]]) -> str:
    """A short hash of every file of the rooms: where it stands in its room, and what it says."""
    digest = hashlib.sha256()
    for room, folders in sorted(rooms.items()):
        for folder in folders:
            for path, name in _files(folder):
                digest.update(f"{room}/{name}\0".encode())
                digest.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return digest.hexdigest()[:16]


def _files(folder: str) -> list[tuple[str, str]]:
    """The files at and below a folder with their names from there, links followed; neither compiled nor hidden ones."""
    files, seen = [], set()
    for here, folders, names in os.walk(folder, followlinks=True):
        seen.add(os.path.realpath(here))
        # A link back to a folder above would be followed for ever.
        folders[:] = [
            inner
            for inner in folders
            if inner != "__pycache__" and inner[0] != "." and os.path.realpath(os.path.join(here, inner)) not in seen
        ]
        for name in names:
            if name[0] != "." and not name.endswith((".pyc", ".pyo")):
                path = os.path.join(here, name)
                files.append((path, os.path.relpath(path, folder).replace(os.sep, "/")))
    return sorted(files, key=lambda file: file[1])


def remove_older(folder: Path, home: str) -> None:
    """Remove the machine code of older sources of this installation, and of installations that are gone.

    Other installations keep theirs. A process that runs on older sources is not harmed: numba makes its folder again
    before it writes there, and compiles what it does not find.
    """
    for other in folder.parent.iterdir():
        if other == folder or not re.fullmatch("[0-9a-f]{16}", other.name) or not other.is_dir():
            continue
        homes = _homes(other)
        left = [known for known in homes if known != home and os.path.exists(known)]
        if not homes and time.time() - other.stat().st_mtime < A_DAY:
            continue  # an older version, which does not say whose folder it is, may be at work
        if not left:
            shutil.rmtree(other, ignore_errors=True)
        elif left != homes:
            _write_homes(other, left)


def _homes(folder: Path) -> list[str]:
    """The installations that machine code was compiled for; none where an older version did not write it."""
    try:
        return (folder / HOMES).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def _write_homes(folder: Path, homes: Iterable[str]) -> None:
    (folder / HOMES).write_text("\n".join(homes), encoding="utf-8")
