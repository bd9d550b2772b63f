"""Runs on disk: written whole or not at all, and taken up again only for the same work.

The files are pickles: take up only such as you wrote yourself.
"""

from __future__ import annotations

import os
import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...base.errors import InputError


def save(work: Any, fingerprint: str, path: str | os.PathLike[str]) -> None:
    """Write work to a file, by way of another that takes its place when it is complete.

    That other has always the same name: a process that is killed leaves one behind at most.
    """
    target = Path(path)
    beside = target.with_name(target.name + ".part")
    try:
        with beside.open("wb") as file:
            pickle.dump((fingerprint, work), file, protocol=5)
        beside.replace(target)
    except OSError as problem:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise InputError(f"the checkpoint {target} cannot be written: {problem.strerror or problem}.") from None


def load(path: str | os.PathLike[str] | None, fingerprint: str) -> Any:
    """The work that was saved under this name; None if there is no file, refused if it is another's."""
    if path is None or not Path(path).exists():
        return None
    try:
        with Path(path).open("rb") as file:
            mark, work = pickle.load(file)
    except Exception as problem:
        raise InputError(
            f"{path} is no checkpoint of fiberwalk, or was cut short ({problem}); remove it, or choose another file."
        ) from None
    if mark != fingerprint:
        raise InputError(
            f"the checkpoint {path} belongs to another release, law, seed or version; remove it, or choose another file."
        )
    return work
