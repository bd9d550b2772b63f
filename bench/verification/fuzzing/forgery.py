"""Changes that keep a file well-formed, check sums and all: what somebody does who knows the format."""

from __future__ import annotations

import hashlib
import io
import json
import re
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from verification.fuzzing.damage import HEAVY, NUMBERS, OF_TEXTS, TEXTS, Change, Random

DEEP = 100_000
STRANGE: tuple[Any, ...] = (
    None, True, 0, -1, 1, 2**31, 2**62, 2**63, 10**40, -(10**40), 0.5, 1e308, -0.0, float("nan"), float("inf"), "", "\ud800",
    "a" * 10_000, [], {}, [[]], {"array": ["int64", 0, [10**9]]}, {"array": ["int64", -1, [1]]}, {"object": 0},
    {"object": -1}, {"object": 10**6},
    {"integer": "f" * 100_000}, {"float": "nan"}, {"list": [1] * 1_000}, {"mapping": [[[], 1]]}, {"sparse": []},
    {"objects": [[10**6, 10**6], []]}, {"objects": [[0], []]}, {"table": [1, 2, 3]}, {"frame": [1, []]},
    {"frame": [10**9, [["a", 1]]]},
    {"os.system": ["true"]}, {"Release": {}}, {"Pmf": {"first": 1}}, {"a": 1, "b": 2},
)  # fmt: skip
"""What may stand anywhere in a document."""


def _document_changed(document: Any, rng: Random) -> Any:
    """One place of a document: another value, one that stands elsewhere, gone, or twice."""
    places: list[tuple[Any, Any]] = []
    walk: list[Any] = [document]
    while walk:
        one = walk.pop()
        keys = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        for key in keys:
            places.append((one, key))
            walk.append(one[key])
    if not places:
        return STRANGE[int(rng.integers(len(STRANGE)))]
    holder, key = places[int(rng.integers(len(places)))]
    other_holder, other_key = places[int(rng.integers(len(places)))]
    how = int(rng.integers(7))
    if how == 0:
        holder[key] = json.loads(json.dumps(other_holder[other_key]))
    elif how == 1:
        del holder[key]
    elif how == 2 and isinstance(holder, list):
        holder.insert(key, holder[key])
    elif how == 3 and isinstance(holder, dict):
        holder[str(rng.choice(["fiberwalk", "format", "x", "array", "__class__"]))] = holder.pop(key)
    elif how == 4 and isinstance(holder[key], (int, float)) and not isinstance(holder[key], bool):
        holder[key] = holder[key] * int(rng.choice([-1, 0, 10, 10**9])) + int(rng.integers(-2, 3))
    else:
        holder[key] = STRANGE[int(rng.integers(len(STRANGE)))]
    return document


def _members(content: bytes) -> dict[str, bytes] | None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            return {name: file.read(name) for name in file.namelist()}
    except Exception:  # an earlier change has left no archive
        return None


def _archive(members: dict[str, bytes], pack: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", pack) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return made.getvalue()


def _of_members(change: Callable[[dict[str, bytes], Random], None]) -> Change:
    """A change of what an archive holds, which is packed anew."""

    def changed(content: bytes, rng: Random) -> bytes:
        members = _members(content)
        if not members:
            return content
        change(members, rng)
        return _archive(members)

    return changed


def _edit_document(members: dict[str, bytes], rng: Random) -> None:
    name = next((one for one in members if one.endswith(".json")), None)
    if name is None:
        return
    try:
        document = json.loads(members[name])
    except Exception:
        return
    for _ in range(int(rng.integers(1, 4))):
        document = _document_changed(document, rng)
    members[name] = json.dumps(document).encode()


def _raw_document(members: dict[str, bytes], rng: Random) -> None:
    """A document that is none, or one that no parser likes."""
    name = next(iter(members))
    documents = (
        b"[" * DEEP + b"]" * DEEP, b'{"a":' * DEEP + b"1" + b"}" * DEEP, b"9" * 100_000, b"nan", b"null", b"{}", b"",
        b"\xff\xfe{}", b'{"fiberwalk": "audit"}', b'"' + b"\\ud800" * 10 + b'"', members[name][: len(members[name]) // 2],
        members[name].replace(b"0", b"9" * 5_000, 1), members[name].replace(b"1", b"1e400"),
    )  # fmt: skip
    members[name] = documents[int(rng.integers(len(documents)))]


def _chosen_array(members: dict[str, bytes], rng: Random) -> str | None:
    names = [one for one in members if one.endswith(".npy")]
    return names[int(rng.integers(len(names)))] if names else None


def _forge_head(members: dict[str, bytes], rng: Random) -> None:
    """An array whose head says something else than there is."""
    name = _chosen_array(members, rng)
    if name is None:
        return
    shapes = ["()", "(0,)", "(10**12,)", "(1000000000000,)", "(-1,)", "(3, 4)", "(1,)", "None", "'a'", "(" * 300]
    dtypes = [
        "'|O'",
        "'<i8'",
        "'<f8'",
        "'<U1000000'",
        "'|V0'",
        "'<M8[ns]'",
        "[('a', '<i8')]",
        "'nonsense'",
        "'<i1000'",
        "5",
    ]
    order = ["True", "False", "1", "None"]
    said = f"{{'descr': {rng.choice(dtypes)}, 'fortran_order': {rng.choice(order)}, 'shape': {rng.choice(shapes)}, }}"
    if rng.random() < 0.2:
        said = str(
            rng.choice(np.array(["{}", "[" * 5_000, "__import__('os')", "1", "\x00", "{'shape': " * 500], object))
        )
    head = said.encode().ljust(118) + b"\n"
    version = bytes(rng.choice(np.array([b"\x01\x00", b"\x02\x00", b"\x03\x00", b"\x09\x09"], object)))
    length = struct.pack("<H" if version == b"\x01\x00" else "<I", len(head) if rng.random() < 0.9 else 60_000)
    members[name] = b"\x93NUMPY" + version + length + head + members[name][128:]


def _edit_array(members: dict[str, bytes], rng: Random) -> None:
    """Numbers of an array that are something else."""
    name = _chosen_array(members, rng)
    if name is None:
        return
    content = bytearray(members[name])
    if len(content) < 136:
        return
    patterns = (b"\xff" * 8, b"\x00" * 8, b"\x00" * 7 + b"\x80", b"\x00" * 6 + b"\xf8\x7f", b"\x01" + b"\x00" * 7)
    for _ in range(int(rng.integers(1, 5))):
        place = 128 + 8 * int(rng.integers((len(content) - 128) // 8))
        content[place : place + 8] = patterns[int(rng.integers(len(patterns)))]
    members[name] = bytes(content)


def _array_length(members: dict[str, bytes], rng: Random) -> None:
    """An array longer or shorter than the document thinks, well-formed."""
    name = _chosen_array(members, rng)
    if name is None:
        return
    kinds = [
        np.zeros(int(rng.choice([0, 1, 3, 100_000])), dtype=one)
        for one in ("int64", "float64", "bool", "U3", "int8", "complex64")
    ]
    made = io.BytesIO()
    np.save(made, kinds[int(rng.integers(len(kinds)))])
    members[name] = made.getvalue()


def _other_members(members: dict[str, bytes], rng: Random) -> None:
    """A member more, one less, or one under another name."""
    names = list(members)
    name, how = names[int(rng.integers(len(names)))], int(rng.integers(4))
    if how == 0:
        del members[name]
    elif how == 1:
        members[
            str(rng.choice(["../../etc/x.npy", "extra.npy", "audit.json.npy", "x" * 5_000 + ".npy", "é.npy", "a/"]))
        ] = b"x"
    elif how == 2:
        members[str(rng.choice(["int64.npy", "audit.json", "float64.npy"]))] = members.pop(name)
    else:
        members |= {f"a{k}.npy": members[name] for k in range(int(rng.choice([3, 200])))}


def _bomb(members: dict[str, bytes], rng: Random) -> None:
    """Zeros that are packed to next to nothing."""
    name = list(members)[int(rng.integers(len(members)))]
    members[name] = members[name] + bytes([int(rng.choice([0, 32]))]) * int(rng.choice([10**6, 50_000_000]))


def _other_packing(content: bytes, rng: Random) -> bytes:
    members = _members(content)
    ways = (zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    return content if not members else _archive(members, ways[int(rng.integers(len(ways)))])


def _forge_archive(content: bytes, rng: Random) -> bytes:
    """What the archive says of a member: sizes, ways of packing, flags, places."""
    changed = bytearray(content)
    found = [k for k in range(len(changed) - 46) if changed[k : k + 4] in (b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06")]
    if not found:
        return content
    place = found[int(rng.integers(len(found)))] + int(rng.integers(4, 46))
    changed[place : place + 4] = struct.pack("<I", int(rng.choice([0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 9, 12, 2**20])))
    return bytes(changed)


OF_RESULTS: dict[str, Change] = {
    "edit_document": _of_members(_edit_document),
    "raw_document": _of_members(_raw_document),
    "forge_head": _of_members(_forge_head),
    "edit_array": _of_members(_edit_array),
    "array_length": _of_members(_array_length),
    "other_members": _of_members(_other_members),
    "bomb": _of_members(_bomb),
    "other_packing": _other_packing,
    "forge_archive": _forge_archive,
}


def _sealed(change: Change) -> Change:
    """The same change of what a checkpoint holds below its head, with the digest that belongs to it."""

    def changed(content: bytes, rng: Random) -> bytes:
        lines = content.split(b"\n", 3)
        if len(lines) < 4:
            return content
        form, whose, rest = lines[0].rpartition(b" ")[2], lines[1], change(lines[3], rng)
        digest = hashlib.sha256(form + b" " + whose + b" " + rest).hexdigest()
        return b"\n".join([lines[0], whose, digest.encode(), rest])

    return changed


OF_CHECKPOINTS: dict[str, Change] = {f"{name}, sealed": _sealed(change) for name, change in OF_RESULTS.items()}


def other_columns(content: bytes, rng: Random) -> bytes:
    """A Parquet file with columns of other types, names and numbers, or none."""
    import pandas as pd

    made = io.BytesIO()
    try:
        frame = pd.read_parquet(io.BytesIO(content))
        for _ in range(int(rng.integers(1, 3))):
            frame = _frame_changed(frame, rng)
        frame.to_parquet(made)
    except Exception:  # an earlier change has left no Parquet file, or pandas does not write such a one
        return content
    return made.getvalue()


def _frame_changed(frame: Any, rng: Random) -> Any:
    import datetime
    import decimal

    import pandas as pd

    n, name = len(frame), frame.columns[int(rng.integers(frame.shape[1]))] if frame.shape[1] else "x"
    columns: tuple[Any, ...] = (
        np.full(n, np.nan), np.full(n, np.inf), np.full(n, 1e300), np.full(n, 2**62), np.arange(n) + 0.5, np.zeros(n, bool),
        [None] * n, [b"\xff\xfe"] * n, [[1, 2]] * n, [{"a": 1}] * n, [decimal.Decimal("NaN")] * n,
        [decimal.Decimal("1e30")] * n, [datetime.date(2020, 1, 1)] * n, pd.date_range("2020", periods=n, tz="UTC"),
        [pd.Timedelta(1, "s")] * n, pd.Categorical(["a"] * n), pd.array([1] * n, dtype="Int8"),
        pd.array([None] * n, dtype="Int64"), [_one_of(TEXTS, rng)] * n, [_one_of(NUMBERS, rng)] * n,
        np.ones(n, np.float16), np.full(n, 2**64 - 1, np.uint64),
    )  # fmt: skip
    how = int(rng.integers(9))
    if how <= 3:
        return frame.assign(**{str(name): columns[int(rng.integers(len(columns)))]})
    if how == 4:
        return frame.rename(columns={name: _one_of(TEXTS, rng)})
    if how == 5:
        return frame.drop(columns=[name])
    if how == 6:
        return frame.iloc[: int(rng.integers(2))]
    if how == 7:
        return frame.set_index(name)
    if frame.shape[1] < 20 and rng.random() < 0.5:
        return pd.concat([frame.add_suffix(str(k)) for k in range(100)], axis=1)
    return pd.concat([frame] * 3)


def _one_of(texts: tuple[str, ...], rng: Random) -> str:
    return texts[int(rng.integers(len(texts)))]


OF_PARQUET: dict[str, Change] = {"other_columns": other_columns}


# --- workbooks ------------------------------------------------------------------------------------------------------


def _other_part(members: dict[str, bytes], rng: Random) -> None:
    """The text of a part of a workbook, the archive around it well-formed."""
    names = sorted(name for name in members if name.endswith(".xml"))
    sheets = [name for name in names if "sheet" in name or "Strings" in name] or names
    if not names:
        return
    name = str(rng.choice(sheets if rng.random() < 0.8 else names))
    change = str(rng.choice(["other_tag", *(one for one in OF_TEXTS if one not in HEAVY)]))
    members[name] = _other_tag(members[name], rng) if change == "other_tag" else OF_TEXTS[change](members[name], rng)


def _other_tag(text: bytes, rng: Random) -> bytes:
    """What stands between two tags, or in quotes, says something else: a figure, a label, the place of a cell."""
    kind = rb">([^<>]+)<" if rng.random() < 0.5 else rb'r="([^"]*)"'
    found = list(re.finditer(kind, text))
    if not found:
        return text
    one = found[int(rng.integers(len(found)))]
    places = ("A1", "XFD1048576", "A99999999", "1", "", "ZZZZ9", "A0")
    instead = str(rng.choice(np.array((*NUMBERS, *TEXTS, *places), dtype=object)))
    escaped = instead.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return text[: one.start(1)] + escaped.encode("utf-8", errors="surrogatepass") + text[one.end(1) :]


OF_WORKBOOKS: dict[str, Change] = {"other_part": _of_members(_other_part)}
