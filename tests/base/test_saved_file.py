"""Files of results by themselves: what they hold, in which format, and what is refused in a sentence."""

from __future__ import annotations

import json
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fiberwalk.base import plain_file, saved_file, saved_forms
from fiberwalk.base.errors import InputError
from fiberwalk.base.saved_file import DOCUMENT, FORMAT, OLDEST, load, save
from fiberwalk.base.version import VERSION

KINDS = {"basket": "json"}  # any module: the classes are registered by the fixture


@dataclass(frozen=True, eq=False)
class Basket:
    weights: np.ndarray
    note: Any = ""


@dataclass(frozen=True)
class Apple:
    x: int = 1


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setattr(saved_forms, "_BY_NAME", dict(saved_forms._BY_NAME))
    monkeypatch.setattr(saved_forms, "_BY_CLASS", dict(saved_forms._BY_CLASS))
    saved_forms.saved("Basket", kind="basket")(Basket)
    saved_forms.saved("Apple")(Apple)


@pytest.fixture
def path(tmp_path) -> Path:
    save(Basket(np.array([1.5, 2.5]), (Apple(3), 10**30, float("inf"))), tmp_path / "basket.fw")
    return tmp_path / "basket.fw"


def change(path: Path, **entries: Any) -> None:
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    document = {**json.loads(members[DOCUMENT]), **entries}
    members[DOCUMENT] = json.dumps({key: one for key, one in document.items() if one is not ...}).encode()
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)


def test_what_is_saved_is_loaded_and_saved_again_as_the_same_bytes(path, tmp_path):
    found = load(path, KINDS)
    assert isinstance(found, Basket)
    assert found.weights.tolist() == [1.5, 2.5]
    assert found.note == (Apple(3), 10**30, float("inf"))
    save(found, tmp_path / "again.fw")
    assert (tmp_path / "again.fw").read_bytes() == path.read_bytes()
    with zipfile.ZipFile(path) as file:
        document = json.loads(file.read(DOCUMENT))
    assert (document["fiberwalk"], document["format"], document["version"]) == ("basket", FORMAT, VERSION)


def test_only_results_have_a_file_of_their_own(tmp_path):
    for item in (Apple(), 3):
        with pytest.raises(InputError, match=f"a {type(item).__name__} has no file of its own"):
            save(item, tmp_path / "file")
    assert not list(tmp_path.iterdir())


def test_the_version_that_wrote_a_file_does_not_matter_as_long_as_its_format_is_read(path, monkeypatch):
    change(path, version="7.3")
    assert load(path, KINDS).weights.tolist() == [1.5, 2.5]
    change(path, version=...)
    assert load(path, KINDS).weights.tolist() == [1.5, 2.5]
    monkeypatch.setattr(saved_file, "FORMAT", FORMAT + 1)  # a later version
    assert load(path, KINDS).weights.tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"format": 99, "version": "9.9"}, "this basket was saved by fiberwalk 9.9 in a newer format (99; this version, "
         f"{VERSION}, reads up to {FORMAT}): upgrade fiberwalk."),
        ({"format": 99, "version": ...}, "saved by fiberwalk of an unknown version in a newer format (99;"),
        ({"format": 99, "fiberwalk": "oracle"}, "this file was saved by fiberwalk"),
        ({"format": OLDEST - 1, "version": "0.0"}, "this basket was saved by fiberwalk 0.0 in an older format "
         f"({OLDEST - 1}; this version, {VERSION}, reads from {OLDEST} on): make it again, or open it with the version"),
        ({"format": -3}, "in an older format (-3;"),
        ({"format": "one"}, "this basket does not say in which format it was saved; save it again."),
        ({"format": True}, "does not say in which format"),
        ({"format": 1.0}, "does not say in which format"),
        ({"format": None}, "does not say in which format"),
        ({"format": [1]}, "does not say in which format"),
        ({"format": ...}, "does not say in which format"),
        ({"fiberwalk": "oracle"}, "it holds a 'oracle', which this version does not know; a newer one may."),
        ({"fiberwalk": ...}, "this is no result saved by fiberwalk."),
        ({"fiberwalk": ["basket"]}, "this is no result saved by fiberwalk."),
        ({"objects": ...}, "the file is damaged or was cut short"),
        ({"objects": 7}, "the file is damaged or was cut short"),
        ({"objects": [{"Basket": {}}]}, "the file is damaged or was cut short"),
        ({"basket": ...}, "the file is damaged or was cut short"),
        ({"basket": {"object": 0}}, "the file is damaged or was cut short"),  # an apple
        ({"basket": {"object": 50}}, "the file is damaged or was cut short"),
        ({"basket": {"list": [], "mapping": []}}, "the file is damaged or was cut short"),
    ],
)  # fmt: skip
def test_other_formats_and_strange_documents_are_refused_in_a_sentence(path, entries, words):
    change(path, **entries)
    with pytest.raises(InputError) as caught:
        load(path, KINDS)
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)


@pytest.mark.parametrize("document", ["[]", "3", "", "{", "[" * 100_000, '{"fiberwalk": NaN}'])
def test_a_document_that_is_none(path, document):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(DOCUMENT, document)
    with pytest.raises(InputError, match="this is no result saved by fiberwalk|damaged or was cut short"):
        load(path, KINDS)


def test_arrays_of_objects_are_not_read(path, tmp_path):
    """NumPy writes these as pickles, which could run anything."""
    np.save(tmp_path / "float64.npy", np.array([print], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(path) as file:
        document = file.read(DOCUMENT)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(DOCUMENT, document)
        file.write(tmp_path / "float64.npy", "float64.npy")
    with pytest.raises(InputError, match="damaged or was cut short"):
        load(path, KINDS)


def test_a_fault_of_ours_is_no_damage_of_the_file(path, tmp_path, monkeypatch):
    (tmp_path / "fw_faulty.py").write_text("None.nothing\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(AttributeError):
        load(path, {"basket": "fw_faulty"})


# --- files that somebody made up --------------------------------------------------------------------------------------


def rewritten(path: Path, how: int = zipfile.ZIP_DEFLATED, **members: bytes) -> Path:
    """The file with some members replaced, or added."""
    with zipfile.ZipFile(path) as file:
        content = {name: file.read(name) for name in file.namelist()}
    content |= {name.replace("__", "."): one for name, one in members.items()}
    with zipfile.ZipFile(path, "w", how) as file:
        for name, one in content.items():
            file.writestr(name, one)
    return path


def npy(head: str, rest: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + rest


FORGED = {
    "a shape without numbers": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000,), }"),
    "a negative shape": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-2,), }", bytes(16)),
    "objects": npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", bytes(16)),
    "two dims": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", bytes(16)),
    "a head that is code": npy("__import__('os').system('true')"),
    "a head that is nested": npy("(" * 9000),
    "no head": b"NUMPY",
    "nothing": b"",
}


@pytest.mark.parametrize("how", FORGED)
def test_forged_arrays_are_refused(how, path):
    with pytest.raises(InputError, match="damaged or was cut short"):
        load(rewritten(path, float64__npy=FORGED[how]), KINDS)


def test_a_file_that_would_unpack_to_gigabytes_is_not_read(path, monkeypatch):
    monkeypatch.setattr(plain_file, "ALWAYS_READ", 1 << 16)
    rewritten(path, float64__npy=bytes(1 << 24))
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("it was unpacked"))
    with pytest.raises(InputError, match="would unpack to far more than a result of its size holds"):
        load(path, KINDS)


def test_what_we_write_is_read_however_empty_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(plain_file, "ALWAYS_READ", 1 << 10)
    save(Basket(np.zeros(1 << 16)), tmp_path / "zeros.fw")
    assert load(tmp_path / "zeros.fw", KINDS).weights.shape == (1 << 16,)


@pytest.mark.parametrize("how", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_other_ways_to_pack_are_refused(how, path):
    with pytest.raises(InputError, match="damaged or was cut short"):
        load(rewritten(path, how), KINDS)


def test_encrypted_members_are_refused(path):
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(raw))
    with pytest.raises(InputError, match="damaged or was cut short"):
        load(path, KINDS)


@pytest.mark.parametrize("name", ["evil.py", "../float64.npy", "b/float64.npy", "float64.npz"])
def test_members_that_we_do_not_write_are_refused(name, path):
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(name, b"x")
    with pytest.raises(InputError, match="damaged or was cut short"):
        load(path, KINDS)


def test_a_document_that_is_nested_too_deeply_is_refused(path):
    with pytest.raises(InputError, match="damaged or was cut short"):
        load(rewritten(path, audit__json=b'{"fiberwalk":' * 20_000), KINDS)


def test_the_same_numbers_are_not_taken_a_million_times(path):
    again = [{"array": ["float64", 0, [1]]}, {"array": ["float64", 0, [2]]}, {"array": ["float64", 1, [1]]}]
    change(path, objects=[{"Basket": {"weights": again[0], "note": {"list": again}}}])
    with pytest.raises(InputError, match="longer than what it holds"):
        load(path, KINDS)


def test_any_flip_of_a_bit_is_refused_or_changes_nothing(path):
    raw, whole = path.read_bytes(), repr(vars(load(path, KINDS)))
    for place in range(0, len(raw) * 8, 7):
        changed = bytearray(raw)
        changed[place // 8] ^= 1 << place % 8
        path.write_bytes(bytes(changed))
        with suppress(InputError):
            assert repr(vars(load(path, KINDS))) == whole
