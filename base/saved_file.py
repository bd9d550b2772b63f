"""Results in files: a zip of one JSON document and its arrays, without pickle.

The same result gives the same bytes. Reading a file runs no code that is in it.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InputError
from .plain_form import Reader, Writer
from .saved_forms import form_named, form_of
from .text_files import written_whole
from .version import VERSION

FORMAT = 1
"""Raised when older versions could no longer read what is written; new fields and classes do not need that."""
OLDEST = 1
"""The oldest format that is still read."""
DOCUMENT = "audit.json"
NOT_OURS = "this is no audit saved by fiberwalk."
DAMAGED = "the file is damaged or was cut short; save the audit again."
MOST_MEMBERS, ENCRYPTED = 64, 1
ALWAYS_READ, MOST_TIMES = 1 << 26, 200
"""Bytes that any file may unpack to, and how many times its own size a larger one may."""
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time stamp of every member: when a file was written is no part of a result."""


def save(result: Any, path: str | os.PathLike[str]) -> None:
    """Write a result, of a class that is `saved` with a kind, to a file, which appears whole or not at all."""
    form = form_of(result)
    if form is None or not form.kind:
        raise InputError(f"a {type(result).__name__} has no file of its own.")
    writer = Writer()
    document = {"fiberwalk": form.kind, "format": FORMAT, "version": VERSION}
    document |= {form.kind: writer.plain(result), "objects": writer.objects}
    with written_whole(path) as temporary, zipfile.ZipFile(temporary, "w") as file:
        _add(file, DOCUMENT, json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode())
        for name, array in writer.arrays().items():
            content = io.BytesIO()
            np.save(content, array, allow_pickle=False)
            _add(file, f"{name}.npy", content.getvalue())


def load(path: str | os.PathLike[str], kinds: Mapping[str, str], homes: Iterable[str] = ()) -> Any:
    """The result that was saved in a file.

    `kinds` are the modules of the results, by the words that stand for them in files; `homes` further modules, with classes
    that a result may hold though its own module does not load them. No other modules are loaded, whatever the file says.
    """
    name = _check_readable(path)
    with _problems_told(name), zipfile.ZipFile(path) as file:
        members = _checked_members(file, os.path.getsize(path))
        document = json.loads(file.read(DOCUMENT))
        kind = _checked_kind(document, kinds)
        arrays = {one.removesuffix(".npy"): _array(file.read(one)) for one in members if one.endswith(".npy")}
    importlib.import_module(kinds[kind])
    with _problems_told(name):
        reader = Reader(arrays, document["objects"], partial(form_named, homes=tuple(homes)))
        found = reader.made(document[kind])
        form = form_of(found)
        if form is None or form.kind != kind:
            raise InputError(DAMAGED)
    return found


@contextmanager
def _problems_told(name: str) -> Iterator[None]:
    """Whatever may be wrong with a file, in one sentence that names it."""
    try:
        yield
    except InputError as problem:
        raise InputError(f"{name}: {problem}") from None
    except OSError as problem:
        raise InputError(f"{name}: the file cannot be read ({problem.strerror or problem}).") from None
    except Exception:  # of a file that somebody made up, anything may be wrong
        raise InputError(f"{name}: {DAMAGED}") from None


def _checked_members(file: zipfile.ZipFile, size: int) -> list[str]:
    """The names of what a file holds, if it is what we write, and not more than such a file can hold; nothing is unpacked.

    A few kilobytes of a zip may say that they are gigabytes.
    """
    members = file.infolist()
    names = [one.filename for one in members]
    if DOCUMENT not in names:
        raise InputError(NOT_OURS)
    if len(names) > MOST_MEMBERS or len(set(names)) < len(names):
        raise InputError(DAMAGED)
    for one in members:
        plain = one.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) and not one.flag_bits & ENCRYPTED
        if not plain or not re.fullmatch(rf"{re.escape(DOCUMENT)}|[a-z]+[0-9]*\.npy", one.filename):
            raise InputError(DAMAGED)
    if sum(one.file_size for one in members) > max(ALWAYS_READ, size * MOST_TIMES):
        raise InputError("the file would unpack to far more than a result of its size holds; it is not read.")
    return names


def _array(content: bytes) -> np.ndarray:
    """An array that `numpy.save` wrote. What its head says is believed only as far as there are bytes for it."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    if version != (1, 0):
        raise InputError(DAMAGED)
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    rest = content[stream.tell() :]
    if len(shape) != 1 or dtype.kind not in "biufU" or shape[0] * dtype.itemsize != len(rest):
        raise InputError(DAMAGED)
    return np.frombuffer(rest, dtype)


def _add(file: zipfile.ZipFile, name: str, content: bytes) -> None:
    member = zipfile.ZipInfo(name, LONG_AGO)
    dense = len(content) > len(zlib.compress(content)) * MOST_TIMES  # so empty that it would look like a bomb
    member.compress_type = zipfile.ZIP_STORED if dense else zipfile.ZIP_DEFLATED
    member.create_system, member.external_attr = 3, 0o644 << 16  # the same on every system
    file.writestr(member, content)


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
    what = kind if kind in kinds else "file"
    if isinstance(number, bool) or not isinstance(number, int):
        raise InputError(f"this {what} does not say in which format it was saved; save it again.")
    said = f"this {what} was saved by fiberwalk {version} in"
    if number > FORMAT:
        raise InputError(
            f"{said} a newer format ({number}; this version, {VERSION}, reads up to {FORMAT}): upgrade fiberwalk."
        )
    if number < OLDEST:
        raise InputError(
            f"{said} an older format ({number}; this version, {VERSION}, reads from {OLDEST} on): make it again, or open it "
            "with the version that saved it."
        )
    if kind not in kinds:
        raise InputError(f"it holds a {kind!r}, which this version does not know; a newer one may.")
    return kind
