"""Files of results by themselves: what they hold, in which format, and what is refused in a sentence."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fiberwalk.base import saved_file, saved_forms
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
        ({"fiberwalk": ...}, "this is no audit saved by fiberwalk."),
        ({"fiberwalk": ["basket"]}, "this is no audit saved by fiberwalk."),
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
    with pytest.raises(InputError, match="this is no audit saved by fiberwalk|damaged or was cut short"):
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
