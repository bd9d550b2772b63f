"""Results in files: a zip of one JSON document and its arrays, without pickle.

The same result gives the same bytes. Reading a file runs no code that is in it.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from . import plain_file
from .errors import InputError
from .plain_file import Damaged, NotOurs
from .plain_form import Reader, Writer
from .saved_forms import form_named, form_of
from .text_files import written_whole
from .version import VERSION

FORMAT = 1
"""Raised when older versions could no longer read what is written; new fields and classes do not need that."""
OLDEST = 1
"""The oldest format that is still read."""
DOCUMENT = "audit.json"
NOT_OURS = "this is no result saved by fiberwalk."
DAMAGED = "the file is damaged or was cut short; save the result again."


def save(result: Any, path: str | os.PathLike[str], *, private: bool = False) -> None:
    """Write a result, of a class that is `saved` with a kind, to a file, which appears whole or not at all."""
    form = form_of(result)
    if form is None or not form.kind:
        raise InputError(f"a {type(result).__name__} has no file of its own.")
    writer = Writer()
    document = {"fiberwalk": form.kind, "format": FORMAT, "version": VERSION}
    document |= {form.kind: writer.plain(result), "objects": writer.objects}
    with written_whole(path, private=private) as temporary:
        plain_file.write(temporary, DOCUMENT, document, writer.parts())


def load(path: str | os.PathLike[str], kinds: Mapping[str, str], homes: Iterable[str] = ()) -> Any:
    """The result that was saved in a file.

    `kinds` are the modules of the results, by the words that stand for them in files; `homes` further modules, with classes
    that a result may hold though its own module does not load them. No other modules are loaded, whatever the file says.
    """
    name = _check_readable(path)
    with _problems_told(name):
        document, arrays = plain_file.read(path, DOCUMENT, os.path.getsize(path))
        kind = _checked_kind(document, kinds)
    importlib.import_module(kinds[kind])
    with _problems_told(name):
        reader = Reader(arrays, document["objects"], partial(form_named, homes=tuple(homes)))
        result = reader.made(document[kind])
        form = form_of(result)
        if form is None or form.kind != kind:
            raise InputError(DAMAGED)
    return result


@contextmanager
def _problems_told(name: str) -> Iterator[None]:
    """Whatever may be wrong with a file, in one sentence that names it."""
    try:
        yield
    except NotOurs:
        raise InputError(f"{name}: {NOT_OURS}") from None
    except Damaged:
        raise InputError(f"{name}: {DAMAGED}") from None
    except InputError as problem:
        raise InputError(f"{name}: {problem}") from None
    except OSError as problem:
        raise InputError(f"{name}: the file cannot be read ({problem.strerror or problem}).") from None
    except Exception:  # of a file that somebody made up, anything may be wrong
        raise InputError(f"{name}: {DAMAGED}") from None


def _check_readable(path: str | os.PathLike[str]) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"a file is named by its path; this is a {type(path).__name__}.")
    name = os.fspath(path)
    if Path(path).is_dir():
        raise InputError(f"{name}: this is a folder, not a file.")
    try:
        with open(path, "rb") as file:
            begin = file.read(2)
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file.") from None
    except OSError as problem:
        raise InputError(f"{name}: the file cannot be read ({problem.strerror}).") from None
    if begin != b"PK":
        raise InputError(f"{name}: {NOT_OURS}")
    return str(name)


def _checked_kind(document: Any, kinds: Mapping[str, str]) -> str:
    """The kind of result that a file holds, if it is of a format that this version reads."""
    kind = document.get("fiberwalk") if isinstance(document, dict) else None
    if not isinstance(kind, str):
        raise InputError(NOT_OURS)
    number, version = document.get("format"), document.get("version", "of an unknown version")
    thing = kind if kind in kinds else "file"
    if isinstance(number, bool) or not isinstance(number, int):
        raise InputError(f"this {thing} does not say in which format it was saved; save it again.")
    saved_in = f"this {thing} was saved by fiberwalk {version} in"
    if number > FORMAT:
        raise InputError(
            f"{saved_in} a newer format ({number}; this version, {VERSION}, reads up to {FORMAT}): upgrade fiberwalk."
        )
    if number < OLDEST:
        raise InputError(
            f"{saved_in} an older format ({number}; this version, {VERSION}, reads from {OLDEST} on): make it again, or "
            "open it with the version that saved it."
        )
    if kind not in kinds:
        raise InputError(f"it holds a {kind!r}, which this version does not know; a newer one may.")
    return kind
