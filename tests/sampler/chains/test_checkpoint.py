"""Checkpoints: they run nothing, one that is not as it was written is refused, and whatever is taken up goes on the same."""

from __future__ import annotations

import hashlib
import io
import pickle
import zipfile
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from support.kernels import RELEASES, laws
from support.kernels import found as of_release

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.chooser import choose
from fiberwalk.sampler.chains import checkpoint, unit_run
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.chain_state import restore, state_of
from fiberwalk.sampler.chains.checkpoint import FORM, load, save
from fiberwalk.sampler.chains.run import new_run
from fiberwalk.sampler.chains.settings import ChainSettings
from fiberwalk.sampler.kernels.kernel import Kernel

MARK, OTHER = (hashlib.sha256(text).hexdigest() for text in (b"mine", b"another's"))
DAMAGED = "is damaged or was cut short; remove it, or choose another file."


class Bomb:
    """Its pickle writes a file when it is read."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple:
        return Path.touch, (self.place,)


class Counted:
    """Some work."""

    def __init__(self, **state: Any) -> None:
        self.now = state

    def state(self) -> dict[str, Any]:
        return self.now

    def restore(self, state: dict[str, Any]) -> None:
        self.now = state


def head(form: object, mark: str = MARK) -> bytes:
    return f"fiberwalk checkpoint {form}\n{mark}\n".encode()


def sealed(rest: bytes) -> bytes:
    """A checkpoint with any content, and the right digest."""
    digest = hashlib.sha256(f"{FORM} {MARK} ".encode() + rest).hexdigest()
    return head(FORM) + f"{digest}\n".encode() + rest


def zipped(**members: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, text in members.items():
            file.writestr(name.replace("_", "."), text)
    return content.getvalue()


def test_work_is_taken_up_again(tmp_path):
    path = tmp_path / "run"
    assert load(None, MARK) is None
    assert load(path, MARK) is None
    save(Counted(draws=7), MARK, path)
    save(Counted(draws=8, tables=[np.arange(3), np.array([], np.int16)], of=(1.5, None, "x", True)), MARK, path)
    found = load(path, MARK)
    assert (found["draws"], found["of"]) == (8, (1.5, None, "x", True))
    assert [(one.tolist(), one.dtype) for one in found["tables"]] == [([0, 1, 2], np.int64), ([], np.int16)]
    assert path.read_bytes().split(b"\n")[:2] == [f"fiberwalk checkpoint {FORM}".encode(), MARK.encode()]
    assert [one.name for one in tmp_path.iterdir()] == ["run"]


REFUSED = {
    "of the first form": (
        lambda bomb: pickle.dumps((MARK, bomb), protocol=5),
        "was written by an older version of fiberwalk (form 1; this version reads 4): finish the work with that version, or "
        "begin anew: remove it, or choose another file.",
    ),
    "of the second form": (lambda bomb: head(2) + pickle.dumps(bomb), "an older version of fiberwalk (form 2;"),
    "of a newer form": (lambda bomb: head(FORM + 1) + pickle.dumps(bomb), "a newer version of fiberwalk (form 5;"),
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
    "a head alone": (lambda bomb: head(FORM), DAMAGED),
    "half a head": (lambda bomb: head(FORM)[:40], "belongs to another release"),
    "a pickle under the head of this form": (lambda bomb: head(FORM) + pickle.dumps(bomb), DAMAGED),
    "a pickle with its digest": (lambda bomb: sealed(pickle.dumps(bomb)), DAMAGED),
    "a pickle in a zip": (lambda bomb: sealed(zipped(**{"data_pkl": pickle.dumps(bomb)})), DAMAGED),
    "a pickle as an array": (
        lambda bomb: sealed(zipped(**{"checkpoint_json": b"{}", "object_npy": pickle.dumps(bomb)})), DAMAGED
    ),
    "a class": (lambda bomb: sealed(zipped(**{"checkpoint_json": b'{"Bomb": {"place": "x"}}'})), DAMAGED),
    "no JSON": (lambda bomb: sealed(zipped(**{"checkpoint_json": b"{" * 100_000})), DAMAGED),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_taken_up_is_refused_in_a_sentence_and_runs_nothing(tmp_path, case):
    content, words = REFUSED[case]
    path = tmp_path / "run"
    path.write_bytes(content(Bomb(tmp_path / "exploded")))
    with pytest.raises(fw.InputError) as caught:
        load(path, MARK)
    assert str(path) in str(caught.value)
    assert words in str(caught.value)
    assert not (tmp_path / "exploded").exists()


def test_a_folder_and_a_file_cut_short(tmp_path):
    save(Counted(numbers=list(range(1000))), MARK, tmp_path / "run")
    whole = (tmp_path / "run").read_bytes()
    (tmp_path / "run").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(fw.InputError, match=DAMAGED):
        load(tmp_path / "run", MARK)
    with pytest.raises(fw.InputError, match="cannot be read .Is a directory.; remove it, or choose another file."):
        load(tmp_path, MARK)


def test_a_later_form_refuses_this_one(tmp_path, monkeypatch):
    save(Counted(), MARK, tmp_path / "run")
    monkeypatch.setattr(checkpoint, "FORM", FORM + 1)
    with pytest.raises(fw.InputError, match="written by an older version of fiberwalk .form 4; this version reads 5"):
        load(tmp_path / "run", MARK)


HOLES = np.array([[4, 2, 3, 5], [1, 4, 2, 2], [3, 3, 1, 4], [2, 5, 2, 1]])
MASK = np.array([[1, 1, 0, 1], [1, 1, 1, 0], [0, 1, 1, 1], [1, 0, 1, 1]], dtype=bool)


def test_no_bit_can_be_flipped(tmp_path):
    """Bits all over a finished checkpoint, those of its head among them: it is refused in a sentence."""
    path = tmp_path / "run"

    def again() -> Any:
        return fw.sample(fw.suppress(HOLES, where=MASK), draws=5, chains=2, seed=1, checkpoint=path)

    again()
    whole = path.read_bytes()
    mark = whole.split(b"\n")[1].decode()
    assert load(path, mark) is not None
    anywhere = np.random.default_rng(0).choice(8 * len(whole), 800, replace=False).tolist()
    for bit in [*anywhere, *range(0, 8 * 200, 7)]:
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        with pytest.raises(fw.InputError, match="checkpoint"):
            load(path, mark)
    with pytest.raises(fw.InputError, match="checkpoint"):
        again()


# --- chains that are taken up go on the same -------------------------------------------------------------------------


@cache
def every_kernel() -> dict[str, Any]:
    """A unit for each kernel of the sampler and each kind of law that it walks under, by their names."""
    left = {one.__name__ for one in _concrete(Kernel) if one.__module__.startswith("fiberwalk.sampler.")}
    found: dict[str, Any] = {}
    for name in ("two-way", "three-way", "decomposable", "hidden cells"):
        for law, _, _ in laws(RELEASES[name]):
            for target in of_release(name, law):
                for kernel in target.unit.kernels:
                    found.setdefault(f"{type(kernel).__name__} {target.unit.weights.kind} {'gaps' in law}", target.unit)
    assert left == {name.split()[0] for name in found}
    return found


def test_every_kernel_goes_on_from_what_is_saved(tmp_path):
    """Walked on from a checkpoint, a chain that was begun elsewhere comes by the same tables, bit by bit."""
    for name, unit in every_kernel().items():
        one, other = (Chain(unit, unit.start, streams(seed, 1)[0]) for seed in (3, 4))
        one.advance(unit, 37)
        other.advance(unit, 5)
        save(Counted(chain=state_of(unit, one)), MARK, tmp_path / name)
        saved = load(tmp_path / name, MARK)
        assert saved is not None
        restore(unit, other, saved["chain"], None)
        one.advance(unit, 600)  # longer than a stock of moves lasts
        other.advance(unit, 600)
        assert np.array_equal(one.place.table, other.place.table), name
        assert np.array_equal(one.place.random, other.place.random), name
        for mine, theirs in zip(one.tally.windows, other.tally.windows, strict=True):
            assert np.array_equal(mine, theirs), name


def _concrete(kind: type) -> list[type]:
    ours = [child for child in kind.__subclasses__() if child.__module__.startswith("fiberwalk.")]
    below = [one for child in ours for one in _concrete(child)]
    return below or [kind]


def test_a_chain_that_forgets_where_it_was_in_its_schedule_is_noticed(monkeypatch, tmp_path):
    """The test above can fail: without what lasts in its room, a kernel goes on otherwise."""
    for one in _concrete(Kernel):
        monkeypatch.setattr(one, "lasting", Kernel.lasting)
    with pytest.raises(AssertionError):
        test_every_kernel_goes_on_from_what_is_saved(tmp_path)


def started(seed: int = 1, checkpoint: Any = None) -> Any:
    moves = choose(support(fw.suppress(HOLES, where=MASK), fw.laws.prior(everywhere=fw.laws.unimodal())))
    questions = np.zeros((0, moves.support.solved.fiber.n_columns), dtype=np.int64)
    settings = ChainSettings(seed=seed, chains=2, tolerance=0.05, checkpoint=checkpoint)
    return new_run(moves, sp.csr_array(questions), settings, fingerprint=MARK)


@cache
def finished_state() -> dict[str, Any]:
    done = started()
    done.go_on()
    return done.state()


def test_whole_runs_end_the_same_from_wherever_they_are_taken_up(tmp_path):
    looks = []

    def stop_later(_: str) -> None:
        looks.append(len(looks))
        if len(looks) % 3 == 0:
            raise RuntimeError

    for _ in range(20):
        part = started(checkpoint=tmp_path / "run")
        checkpoint.take_up(part, load(tmp_path / "run", MARK), tmp_path / "run")
        try:
            part.go_on(progress=stop_later)
        except RuntimeError:
            continue
        break
    assert len(looks) > 3
    assert _same(finished_state(), part.state())


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(np.array_equal(one, other, equal_nan=isinstance(one, np.ndarray) and one.dtype.kind == "f"))


FORGED = {
    "a table beyond its bounds": lambda unit: unit["chains"][0]["table"].__iadd__(1_000_000),
    "a table of other cells": lambda unit: unit["chains"][0].update(table=np.zeros(1, np.int64)),
    "numbers of another kind": lambda unit: unit["chains"][0].update(random=np.zeros(4)),
    "windows that begin elsewhere": lambda unit: unit["chains"][0]["windows"][0].__iadd__(1 << 40),
    "windows without end": lambda unit: unit["chains"][0]["windows"][2].__iadd__(1 << 40),
    "windows of too few questions": lambda unit: unit.update(pooled=tuple(one[:1] for one in unit["pooled"])),
    "a turn of no kernel": lambda unit: unit["chains"][0].update(turn=99),
    "too many batches": lambda unit: unit["chains"][1].update(batch=65),
    "no batches": lambda unit: unit["chains"][1].update(batch=None),
    "a chain too few": lambda unit: unit["chains"].pop(),
    "nothing of what was looked at": lambda unit: unit.pop("diagnosis"),
    "a room that is none": lambda unit: unit["chains"][0].update(rooms=[]),
    "a place that is none": lambda unit: unit["chains"][0]["rooms"][0][0].__iadd__(1 << 40),
}


@pytest.mark.parametrize("case", FORGED)
def test_content_that_somebody_made_up_is_refused_before_anything_is_walked(tmp_path, case):
    state = deepcopy(finished_state())
    FORGED[case](state["units"][0])
    save(Counted(**state), MARK, tmp_path / "run")
    with pytest.raises(fw.InputError, match=DAMAGED):
        checkpoint.take_up(started(), load(tmp_path / "run", MARK), tmp_path / "run")


def test_chains_that_were_tuned_otherwise_are_not_mixed_up(tmp_path):
    state = deepcopy(finished_state())
    state["units"][0]["tuned"] = "elsewhere"
    with pytest.raises(fw.InputError, match="begun on a machine where the same chains were tuned otherwise"):
        checkpoint.take_up(started(), state, tmp_path / "run")
    assert unit_run.TUNED_OTHERWISE.endswith("begin anew with another file.")
