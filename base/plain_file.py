"""Plain data in files: a zip of one JSON document and its arrays. Reading one runs no code that is in it.

What a file says of itself is believed only as far as there are bytes for it, and before anything is unpacked.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from .errors import InputError

MOST_MEMBERS, ENCRYPTED = 64, 1
ALWAYS_READ, MOST_TIMES = 1 << 26, 200
"""Bytes that any file may unpack to, and how many times its own size a larger one may."""
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time stamp of every member: when a file was written is no part of what it says."""


class NotOurs(InputError):
    """A file that holds something else; whoever reads it says so in a sentence, and what to do."""


class Damaged(InputError):
    """A file that is not as it was written; whoever reads it says so in a sentence, and what to do."""


def write(file: Any, name: str, document: Any, arrays: Mapping[str, list[np.ndarray]], *, packed: bool = True) -> None:
    """Write a document under a name, and the arrays of each type end to end; unless packed, as they are."""
    with zipfile.ZipFile(file, "w") as members:
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
        _add(members, name, [text], packed)
        for kind, parts in arrays.items():
            _add(members, f"{kind}.npy", [_head(parts), *(part.view(np.uint8).data for part in parts)], packed)


def read(file: Any, name: str, size: int) -> tuple[Any, dict[str, np.ndarray]]:
    """The document of a file of so many bytes, and the arrays of each type; else `NotOurs` or `Damaged`."""
    try:
        with zipfile.ZipFile(file) as members:
            names = _checked(members, name, size)
            document = json.loads(members.read(name))
            arrays = {member.removesuffix(".npy"): _array(members.read(member)) for member in names if member != name}
            return document, arrays
    except (InputError, OSError):
        raise
    except Exception:  # of a file that somebody made up, anything may be wrong
        raise Damaged from None


def _checked(file: zipfile.ZipFile, document: str, size: int) -> list[str]:
    """The names of what a file holds, if it is what we write, and not more than such a file can hold; nothing is unpacked.

    A few kilobytes of a zip may say that they are gigabytes.
    """
    members = file.infolist()
    names = [member.filename for member in members]
    if document not in names:
        raise NotOurs
    if len(names) > MOST_MEMBERS or len(set(names)) < len(names):
        raise Damaged
    for member in members:
        plain = member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) and not member.flag_bits & ENCRYPTED
        if not plain or not re.fullmatch(rf"{re.escape(document)}|[a-z]+[0-9]*\.npy", member.filename):
            raise Damaged
    if sum(member.file_size for member in members) > max(ALWAYS_READ, size * MOST_TIMES):
        raise InputError("the file would unpack to far more than a result of its size holds; it is not read.")
    return names


def _head(parts: list[np.ndarray]) -> bytes:
    """What `numpy.save` writes before the numbers of these arrays, one after the other."""
    stream = io.BytesIO()
    whole = {"descr": parts[0].dtype.str, "fortran_order": False, "shape": (sum(len(part) for part in parts),)}
    np.lib.format.write_array_header_1_0(stream, whole)
    return stream.getvalue()


def _array(content: bytes) -> np.ndarray:
    """An array that `numpy.save` wrote."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    if version != (1, 0):
        raise Damaged
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    rest = content[stream.tell() :]
    if len(shape) != 1 or dtype.kind not in "biufU" or shape[0] * dtype.itemsize != len(rest):
        raise Damaged
    return np.frombuffer(rest, dtype)


def _add(file: zipfile.ZipFile, name: str, pieces: list[Any], packed: bool) -> None:
    member = zipfile.ZipInfo(name, LONG_AGO)
    member.create_system, member.external_attr = 3, 0o644 << 16  # the same on every system
    if packed:
        content = b"".join(pieces)
        dense = len(content) > len(zlib.compress(content)) * MOST_TIMES  # so empty that it would look like a bomb
        member.compress_type = zipfile.ZIP_STORED if dense else zipfile.ZIP_DEFLATED
        file.writestr(member, content)
        return
    with file.open(member, "w", force_zip64=True) as out:
        for piece in pieces:
            out.write(piece)
