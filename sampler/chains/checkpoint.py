"""Runs on disk: written whole or not at all, and taken up again only for the same work.

Three lines say the version of the form, whose work it is (its fingerprint) and the digest of all the rest; then comes what
of the work changes as it goes on, as plain data. The work itself (tables, moves, kernels) is made anew by whoever takes it
up, so a checkpoint can run nothing, and one that is not as it was written is refused.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from ...base import plain_file
from ...base.errors import InputError
from ...base.plain_form import Reader, Writer

FORM = 4
"""Raised with every change of what the file is made of: work that began in another form is begun anew."""
HEAD = b"fiberwalk checkpoint "
FIRST_FORM = re.compile(rb"\x80\x05\x95.{8}\x8c\x40[0-9a-f]{64}\x94", re.DOTALL)
"""How files of the first form begin, which were pickles of the name of the work and the work."""
LONGEST = 200
"""Bytes of a line of the head, and of what has to be read to know the first form."""
DOCUMENT = "checkpoint.json"
AT_A_TIME = 1 << 20
INSTEAD = "remove it, or choose another file"

State = dict[str, Any]
"""What changes: numbers, texts and arrays, in tuples, lists and mappings."""


class Work(Protocol):
    """What can be taken up again."""

    def state(self) -> State:
        """What changes as the work goes on."""

    def restore(self, state: State) -> None:
        """Go on from there: the same work, as it was begun anew."""


def save(work: Work, fingerprint: str, path: str | os.PathLike[str]) -> None:
    """Write work to a file, by way of another that takes its place when it is complete.

    That other has always the same name: a process that is killed leaves one behind at most.
    """
    target = Path(path)
    beside = target.with_name(target.name + ".part")
    try:
        with beside.open("w+b") as file:
            file.write(_lines(fingerprint, "0" * 64))
            begin, writer = file.tell(), Writer()
            document = writer.plain(work.state())
            plain_file.write(file, DOCUMENT, document, writer.parts(), packed=False)
            file.seek(begin)
            digest = _digest(file, fingerprint)
            file.seek(0)
            file.write(_lines(fingerprint, digest))
        beside.replace(target)
    except OSError as problem:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise InputError(f"the checkpoint {target} cannot be written: {problem.strerror or problem}.") from None


def load(path: str | os.PathLike[str] | None, fingerprint: str) -> State | None:
    """What was saved of the work of this name; None if there is no file, refused if it is another's."""
    if path is None or not Path(path).exists():
        return None
    with _problems_told(path), Path(path).open("rb") as file:
        _check_form(file, path)
        if file.readline(LONGEST) != f"{fingerprint}\n".encode():
            raise InputError(f"the checkpoint {path} belongs to another release, law, seed or version; {INSTEAD}.")
        digest_line, begin = file.readline(LONGEST), file.tell()
        if digest_line != f"{_digest(file, fingerprint)}\n".encode():
            raise plain_file.Damaged
        file.seek(begin)
        document, arrays = plain_file.read(file, DOCUMENT, os.path.getsize(path))
        try:
            state: State = Reader(arrays, (), lambda name: None).made(document)
        except InputError:  # it holds what no checkpoint does
            raise plain_file.Damaged from None
        return state


def take_up(work: Work, state: State | None, path: str | os.PathLike[str] | None) -> None:
    """Let work that was begun anew go on from what a file holds of it, if there is any."""
    if state is None or path is None:
        return
    with _problems_told(path):
        work.restore(state)


@contextmanager
def _problems_told(path: str | os.PathLike[str]) -> Iterator[None]:
    """Whatever may be wrong with a file, in one sentence that names it."""
    try:
        yield
    except (plain_file.NotOurs, plain_file.Damaged):
        raise InputError(f"the checkpoint {path} is damaged or was cut short; {INSTEAD}.") from None
    except InputError:
        raise
    except OSError as problem:
        reason = problem.strerror or problem
        raise InputError(f"the checkpoint {path} cannot be read ({reason}); {INSTEAD}.") from None
    except Exception:  # of a file that somebody made up, anything may be wrong
        raise InputError(f"the checkpoint {path} is damaged or was cut short; {INSTEAD}.") from None


def _lines(fingerprint: str, digest: str) -> bytes:
    return HEAD + f"{FORM}\n{fingerprint}\n{digest}\n".encode()


def _digest(file: BinaryIO, fingerprint: str) -> str:
    """The digest of the fingerprint and of all that is still to be read."""
    digest = hashlib.sha256(f"{FORM} {fingerprint} ".encode())
    while portion := file.read(AT_A_TIME):
        digest.update(portion)
    return digest.hexdigest()


def _check_form(file: BinaryIO, path: str | os.PathLike[str]) -> None:
    """Read the first line, and refuse the file unless it is in the form that this version writes."""
    begin = file.readline(LONGEST)
    head = re.fullmatch(HEAD + rb"([0-9]{1,9})\n", begin)
    if head:
        form = int(head[1])
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
