"""The cache of machine code: an edit anywhere in the rooms is seen, and what older sources left is removed."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from support.effort import examples
from support.house.import_graph import ROOMS
from support.places import ROOT
from support.worlds import worlds

import fiberwalk as fw
from fiberwalk.base import jit


def small_package(home: Path, linked: bool) -> Path:
    """A package with our decorator, a caller in one room and its callee two folders down in another; that room's folder."""
    package, elsewhere = home / "fake", home / "elsewhere" / "moves"
    rooms = {"base": package / "base", "moves": elsewhere if linked else package / "moves"}
    for folder in (package, *rooms.values(), rooms["moves"] / "deep" / "deeper"):
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("")
    (rooms["moves"] / "deep" / "__init__.py").write_text("")
    if linked:
        (package / "moves").symlink_to(elsewhere)
    (rooms["base"] / "jit.py").write_text((ROOT / "base" / "jit.py").read_text())
    (rooms["base"] / "caller.py").write_text(
        "from .jit import jit\nfrom ..moves.deep.deeper.callee import inner\n"
        "@jit\ndef outer(x):\n    return inner(x) * 10\n"
    )
    return rooms["moves"] / "deep" / "deeper"


def callee(number: int) -> str:
    return f"from ....base.jit import jit\nfrom .number import N\n@jit\ndef inner(x):\n    return x + N + {number}\n"


@pytest.mark.parametrize("linked", [False, True], ids=["in the package", "behind a link"])
def test_an_edited_callee_is_seen_by_a_cached_caller(tmp_path, linked):
    """Numba alone would go on running the old machine code of a callee in another file (numba issue 1833)."""
    deep, machine_code = small_package(tmp_path, linked), tmp_path / "cache"
    code = "from fake.base.caller import outer; print(outer(1), sum(outer.stats.cache_hits.values()))"

    def call() -> list[str]:
        environment = {"FIBERWALK_CACHE_DIR": str(machine_code), "PATH": "", "PYTHONPATH": str(tmp_path)}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    (deep / "number.py").write_text("N = 0\n")
    (deep / "callee.py").write_text(callee(1))
    assert call() == ["20", "0"]
    (tmp_path / "fake" / "face.py").write_text("")
    assert call() == ["20", "1"]  # the cache is used; the face compiles nothing
    before = set(machine_code.iterdir())
    (deep / "callee.py").write_text(callee(5))
    assert call() == ["60", "0"]  # and is left where a callee changed
    (deep / "number.py").write_text("N = 2\n")
    assert call() == ["80", "0"]  # or a constant, in a file without a kernel
    assert len(before) == len(set(machine_code.iterdir())) == 1  # what older sources left is removed
    assert before.isdisjoint(machine_code.iterdir())


@jit.jit_inlined
def helper(x):
    return x + 1


@jit.jit
def caller(x):
    return 2 * helper(x)


def test_a_helper_of_kernels_is_refused_in_python():
    assert caller(3) == 8
    with pytest.raises(TypeError, match=r"helper is for kernels alone; in Python, call its py_func"):
        helper(3)
    assert jit.interpreted(caller)(3) == 8  # with the twins of all that it calls


@jit.jit_inner
def product(x, y):
    return x * y


@jit.jit
def with_constants(x):
    return product(x, 2) + product(x, 3) + product(4, y=x)


def test_constants_do_not_make_a_helper_be_compiled_again():
    """As numba does by itself: once for 2, once for 3."""
    assert with_constants(5) == 45
    left_by_an_earlier_run = bool(with_constants.stats.cache_hits)
    assert len(product.overloads) == (0 if left_by_an_earlier_run else 1)


def test_small_work_is_left_to_the_interpreter_until_there_was_much_of_it(monkeypatch):
    @jit.jit
    def kernel(x):
        return x + 1

    monkeypatch.setattr(jit, "MOST_STEPS", 100)
    monkeypatch.setattr(jit, "_on_disk", lambda kernel: False)
    for _ in range(3):
        assert jit.sparingly(kernel, 30)(1) == 2
        assert not kernel.overloads
    assert jit.sparingly(kernel, 30)(1) == 2
    assert kernel.overloads  # compiled by now
    assert jit.sparingly(kernel, 0) is kernel


@pytest.mark.parametrize(("first", "interpreted"), [("sys", False), ("no module of this name", True)])
def test_the_first_machine_code_is_not_loaded_for_few_steps(first, interpreted, monkeypatch):
    """A process takes a quarter of a second over the first that it loads, and hardly any time over others."""

    @jit.jit
    def kernel(x):
        return x + 1

    monkeypatch.setattr(jit, "FEW_STEPS", 100)
    monkeypatch.setattr(jit, "LOADED_WITH_THE_FIRST", first)
    monkeypatch.setattr(jit, "_on_disk", lambda kernel: True)
    assert (jit.sparingly(kernel, 90) is not kernel) == interpreted
    assert jit.sparingly(kernel, 20) is kernel


@examples(25)
@given(worlds(most_cells=9, most_count=4), st.sampled_from(["uniform", "hypergeometric"]))
def test_machine_code_and_the_interpreter_answer_the_same(world, law):
    note(world.story)

    def answer() -> list[list[float]]:
        audit = fw.audit(world.release, law=law, method="exact")
        return [audit.cells[name].to_list() for name in ("lower", "upper", "entropy", "mean")]

    compiled = answer()
    with pytest.MonkeyPatch.context() as patch:
        for found in ("_loaded", "_on_disk"):
            patch.setattr(jit, found, lambda kernel: False)
        patch.setattr(jit, "MOST_STEPS", float("inf"))
        assert answer() == compiled


def test_processes_write_machine_code_one_at_a_time(tmp_path, monkeypatch):
    mark = tmp_path / ".writing"
    with jit._alone(mark):
        assert mark.exists()
        monkeypatch.setattr(jit, "PATIENCE", 2)
        with pytest.raises(OSError, match="was not removed"), jit._alone(mark):
            pass
    assert not mark.exists()
    mark.touch()
    os.utime(mark, (0, 0))  # whoever wrote it is gone
    with jit._alone(mark):
        assert mark.exists()


def test_threads_do_not_lead_each_other_to_other_folders():
    """Machine code once came to lie in the folder from which the program was run."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            made = list(threads.map(lambda k: jit.jit(lambda x: x + k), range(400)))
    finally:
        sys.setswitchinterval(before)
    folder = str(jit.cache_folder())
    assert folder != "None"
    assert all(one._cache.cache_path.startswith(folder) for one in made)


def test_a_kernel_that_closes_over_another_is_refused():
    """The other would be told by a number that every process draws anew, so that nothing kept on disk is ever found."""

    @jit.jit
    def inner(x):
        return x + 1

    with pytest.raises(TypeError, match=r"closes over the kernel .*inner.* would never be found again on the disk"):

        @jit.jit
        def outer(x):
            return inner(x)


def test_machine_code_of_other_installations_is_left_alone(tmp_path):
    here, there = tmp_path / "a.py", tmp_path / "b.py"
    here.touch()
    there.touch()

    def folder(name: str, *homes: Path) -> Path:
        made = tmp_path / "cache" / name
        made.mkdir(parents=True)
        if homes:
            (made / jit.HOMES).write_text("\n".join(map(str, homes)))
        return made

    new = folder("0" * 16, here)
    kept = [folder("1" * 16, there), folder("2" * 16, here, there), folder("bases")]
    kept.append(folder("6" * 16))  # whose it is was not written down; it may be in use
    gone = [folder("3" * 16, here), folder("4" * 16), folder("5" * 16, tmp_path / "removed.py")]
    os.utime(gone[1], (1e9, 1e9))
    jit.remove_older(new, str(here))
    assert set((tmp_path / "cache").iterdir()) == {new, *kept}
    assert not any(one.exists() for one in gone)
    assert (kept[1] / jit.HOMES).read_text() == str(there)


def test_all_rooms_and_only_they_decide_on_machine_code():
    assert jit.ROOMS == ROOMS
    rooms = jit.room_folders("fiberwalk")
    assert {room: [Path(one).resolve() for one in found] for room, found in rooms.items()} == {
        room: [ROOT / room] for room in ROOMS
    }


def test_kernels_run_where_nothing_can_be_written(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    code = textwrap.dedent("""
        from fiberwalk.base.jit import cache_folder, jit
        @jit
        def double(x):
            return 2 * x
        print(cache_folder(), double(4))
    """)
    environment = {**os.environ, "FIBERWALK_CACHE_DIR": str(blocked / "x")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout.split() == ["None", "8"], done.stderr


def test_kernels_run_where_their_machine_code_does_not_fit(tmp_path):
    code = textwrap.dedent("""
        import errno, os
        from fiberwalk.base.jit import cache_folder, jit
        def no_room(*_):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.replace = no_room  # by which numba puts a file in its place
        @jit
        def double(x):
            return 2 * x
        print(double(4), sum(double.stats.cache_misses.values()))
    """)
    (tmp_path / "doubled.py").write_text(code)  # numba keeps only what stands in a file
    environment = {**os.environ, "FIBERWALK_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, tmp_path / "doubled.py"], capture_output=True, text=True, env=environment)
    assert done.stdout.split() == ["8", "1"], done.stderr
