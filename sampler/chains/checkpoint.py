"""Runs on disk: written whole or not at all, and taken up again only for the same work.

A line that names the version of their form, a line that names the work, and the work itself as a pickle: nothing is
unpickled before both lines are found right. Take up only such files as you wrote yourself.
"""

from __future__ import annotations

import os
import pickle
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from ...base.errors import InputError

FORM = 2
"""Raised with every change of what the file is made of: work that began in another form is begun anew."""
HEAD = b"fiberwalk checkpoint "
FIRST_FORM = re.compile(rb"\x80\x05\x95.{8}\x8c\x40[0-9a-f]{64}\x94", re.DOTALL)
"""How files of the first form begin, which were pickles of the name of the work and the work."""
LONGEST = 200
"""Bytes of a line of the head, and of what has to be read to know the first form."""
INSTEAD = "remove it, or choose another file"


def save(work: Any, fingerprint: str, path: str | os.PathLike[str]) -> None:
    """Write work to a file, by way of another that takes its place when it is complete.

    That other has always the same name: a process that is killed leaves one behind at most.
    """
    target = Path(path)
    beside = target.with_name(target.name + ".part")
    try:
        with beside.open("wb") as file:
            file.write(HEAD + f"{FORM}\n{fingerprint}\n".encode())
            pickle.dump(work, file, protocol=5)
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
            _check_form(file, path)
            if file.readline(LONGEST) != f"{fingerprint}\n".encode():
                raise InputError(f"the checkpoint {path} belongs to another release, law, seed or version; {INSTEAD}.")
            return pickle.load(file)
    except InputError:
        raise
    except Exception as problem:  # a pickle that was cut short may raise anything
        raise InputError(f"{path} is no checkpoint of fiberwalk, or was cut short ({problem}); {INSTEAD}.") from None


def _check_form(file: BinaryIO, path: str | os.PathLike[str]) -> None:
    """Read the first line, and refuse the file unless it is in the form that this version writes."""
    begin = file.readline(LONGEST)
    said = re.fullmatch(HEAD + rb"([0-9]{1,9})\n", begin)
    if said:
        form = int(said[1])
    else:
        file.seek(0)
        if not FIRST_FORM.match(file.read(LONGEST)):
            raise InputError(f"{path} is no checkpoint of fiberwalk; {INSTEAD}.")
        form = 1
    if form != FORM:
        age = "a newer" if form > FORM else "an older"
        raise InputError(
            f"the checkpoint {path} was written by {age} version of fiberwalk (form {form}; this version reads {FORM}): "
            f"finish the work with that version, or begin anew: {INSTEAD}."
        )
