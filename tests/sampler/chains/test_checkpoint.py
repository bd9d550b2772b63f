"""Checkpoints: the version of their form and whose they are is known before anything is unpickled."""

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path

import pytest

import fiberwalk as fw
from fiberwalk.sampler.chains import checkpoint
from fiberwalk.sampler.chains.checkpoint import FORM, load, save

MARK, OTHER = (hashlib.sha256(text).hexdigest() for text in (b"mine", b"another's"))


class Bomb:
    """Its pickle writes a file when it is read."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple:
        return Path.touch, (self.place,)


def test_work_is_taken_up_again(tmp_path):
    path = tmp_path / "run"
    assert load(None, MARK) is None
    assert load(path, MARK) is None
    save({"draws": 7}, MARK, path)
    save({"draws": 8}, MARK, path)
    assert load(path, MARK) == {"draws": 8}
    assert path.read_bytes().split(b"\n")[:2] == [f"fiberwalk checkpoint {FORM}".encode(), MARK.encode()]
    assert [one.name for one in tmp_path.iterdir()] == ["run"]


def head(form: object, mark: str = MARK) -> bytes:
    return f"fiberwalk checkpoint {form}\n{mark}\n".encode()


REFUSED = {
    "of the first form": (
        lambda bomb: pickle.dumps((MARK, bomb), protocol=5),
        "was written by an older version of fiberwalk (form 1; this version reads 2): finish the work with that version, or "
        "begin anew: remove it, or choose another file.",
    ),
    "of an older form": (lambda bomb: head(FORM - 1) + pickle.dumps(bomb), "an older version of fiberwalk (form 1;"),
    "of a newer form": (lambda bomb: head(FORM + 1) + pickle.dumps(bomb), "a newer version of fiberwalk (form 3;"),
    "of a form that is no number": (lambda bomb: head("x") + pickle.dumps(bomb), "is no checkpoint of fiberwalk"),
    "of other work": (
        lambda bomb: head(FORM, OTHER) + pickle.dumps(bomb),
        "belongs to another release, law, seed or version; remove it, or choose another file.",
    ),
    "another pickle": (lambda bomb: pickle.dumps(bomb), "is no checkpoint of fiberwalk; remove it"),
    "a pickle of a pair": (lambda bomb: pickle.dumps(("no mark", bomb), 5), "is no checkpoint of fiberwalk; remove it"),
    "nothing": (lambda bomb: b"", "is no checkpoint of fiberwalk; remove it"),
    "a text": (lambda bomb: b"A,B,value\n1,2,3\n", "is no checkpoint of fiberwalk; remove it"),
    "a long line": (lambda bomb: b"fiberwalk checkpoint " + b"9" * 10_000, "is no checkpoint of fiberwalk; remove it"),
    "a head alone": (lambda bomb: head(FORM), "is no checkpoint of fiberwalk, or was cut short"),
    "half a head": (lambda bomb: head(FORM)[:40], "belongs to another release"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_taken_up_is_refused_in_a_sentence_and_not_unpickled(tmp_path, case):
    content, words = REFUSED[case]
    path = tmp_path / "run"
    path.write_bytes(content(Bomb(tmp_path / "exploded")))
    with pytest.raises(fw.InputError) as caught:
        load(path, MARK)
    assert str(path) in str(caught.value)
    assert words in str(caught.value)
    assert not (tmp_path / "exploded").exists()


def test_work_that_was_cut_short_and_a_folder(tmp_path):
    save(list(range(1000)), MARK, tmp_path / "run")
    whole = (tmp_path / "run").read_bytes()
    (tmp_path / "run").write_bytes(whole[: len(whole) // 2])
    for path in (tmp_path / "run", tmp_path):
        with pytest.raises(fw.InputError, match="is no checkpoint of fiberwalk, or was cut short"):
            load(path, MARK)


def test_a_later_form_refuses_this_one(tmp_path, monkeypatch):
    save(1, MARK, tmp_path / "run")
    monkeypatch.setattr(checkpoint, "FORM", FORM + 1)
    with pytest.raises(fw.InputError, match="written by an older version of fiberwalk .form 2; this version reads 3"):
        load(tmp_path / "run", MARK)
