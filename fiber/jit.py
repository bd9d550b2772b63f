"""The one decorator all kernels are compiled with.

Numba's own disk cache looks only at the file of the function it compiles, so that a caller goes on running old machine
code after a callee in another file has changed (numba issue 1833). Here the cache folder is named after a hash of all
our sources: any change starts a new one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

_CONFIG: Any = numba.config

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


def jit_inlined(function: Kernel) -> Kernel:
    """Compile a helper into each loop that calls it, without the counting of references.

    A named tuple of arrays is handed over as seven words for each array: with twenty arrays a call takes a hundred
    nanoseconds, unless there is no call.
    """
    return _compiled(function, _nrt=False, forceinline=True)


def _compiled(function: Kernel, **options: Any) -> Kernel:
    folder = cache_folder()
    before = _CONFIG.CACHE_DIR
    try:
        if folder is not None:
            _CONFIG.CACHE_DIR = str(folder)  # read by numba when the function is decorated
        compiled = numba.njit(nogil=True, error_model="numpy", cache=folder is not None, **options)(function)
    finally:
        _CONFIG.CACHE_DIR = before
    return cast(Kernel, compiled)


def cache_base() -> Path:
    """The folder that everything kept on disk is under; it need not be there."""
    chosen = os.environ.get("FIBERWALK_CACHE_DIR")
    return Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fiberwalk"


@cache
def cache_folder() -> Path | None:
    """The folder for machine code of exactly these sources, or None where nothing can be written."""
    folder = cache_base() / source_hash(Path(__file__).parents[1])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".writable-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return None
    return folder


def source_hash(package: Path) -> str:
    """A short hash of every source file of the package."""
    digest = hashlib.sha256()
    for path in sorted(package.glob("*/*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
