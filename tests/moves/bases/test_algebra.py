"""Bases by 4ti2: names that no order changes, files that are not believed blindly, and a child that can be stopped."""

from __future__ import annotations

import itertools
import math
import os
import signal
import subprocess
import sys
import textwrap
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from fiberwalk.base.errors import InputError
from fiberwalk.moves.bases import algebra
from fiberwalk.moves.bases.algebra import COMPUTED, in_kernel, markov_basis, one_of_each_pair, variant
from fiberwalk.moves.bases.canonical import canonical


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FIBERWALK_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "bases"


def margins(shape, sets):
    labels = np.indices(shape).reshape(len(shape), -1)
    rows = [
        (labels[list(axes)] == np.array(key)[:, None]).all(axis=0)
        for axes in sets
        for key in itertools.product(*(range(shape[axis]) for axis in axes))
    ]
    return np.array(rows, dtype=np.int64)


def two_way_margins(shape):
    return margins(shape, itertools.combinations(range(len(shape)), 2))


def lattice(A, module, seconds):
    """Not a Markov basis, but moves: a rational basis of the kernel by elimination, times its denominators."""
    rows, pivots = [[Fraction(x) for x in row] for row in A.toarray().tolist()], []
    for column in range(A.shape[1]):
        rank = len(pivots)
        leading = next((i for i in range(rank, len(rows)) if rows[i][column]), None)
        if leading is None:
            continue
        rows[rank], rows[leading] = rows[leading], rows[rank]
        rows[rank] = [x / rows[rank][column] for x in rows[rank]]
        for i, row in enumerate(rows):
            if i != rank and row[column]:
                rows[i] = [x - row[column] * y for x, y in zip(row, rows[rank], strict=True)]
        pivots.append(column)
    moves = []
    for free in set(range(A.shape[1])) - set(pivots):
        scale = math.lcm(*(row[free].denominator for row in rows))
        move = [0] * A.shape[1]
        move[free] = scale
        for pivot, row in zip(pivots, rows, strict=False):
            move[pivot] = int(-scale * row[free])
        moves.append(move)
    return np.array(moves, dtype=np.int64).reshape(-1, A.shape[1])


def never(A, module, seconds):
    raise AssertionError("computed a second time")


def shuffled(A, random):
    return A[random.permutation(len(A))][:, random.permutation(A.shape[1])]


def random_system(random):
    return np.concatenate([np.ones((1, 7), dtype=np.int64), random.integers(-1, 3, (4, 7))])


TABLES = [(3, 3), (2, 3, 4), (3, 3, 3), (3, 3, 4), (2, 2, 2, 2), (2, 2, 3, 3)]
SYSTEMS = [two_way_margins(shape) if len(shape) > 2 else margins(shape, [(0,), (1,)]) for shape in TABLES]
SYSTEMS += [random_system(np.random.default_rng(seed)) for seed in range(30)]
SMALL = two_way_margins((2, 2, 3))


@pytest.fixture
def whatever_the_size(monkeypatch):
    monkeypatch.setattr(algebra, "MOST_VOLUME", math.inf)


@pytest.mark.usefixtures("whatever_the_size")
@pytest.mark.parametrize("A", SYSTEMS, ids=range(len(SYSTEMS)))
def test_the_name_of_a_system_does_not_depend_on_its_order_and_kept_moves_are_told_in_the_given_one(A):
    random = np.random.default_rng(1)
    first = markov_basis(A, compute=lattice)
    assert first.words == COMPUTED
    assert first.moves.shape[0] == A.shape[1] - np.linalg.matrix_rank(A)
    for _ in range(5):
        B = shuffled(A, random)
        again = markov_basis(sp.csr_array(B), compute=never)
        assert again.moves.shape == first.moves.shape
        assert not (B @ again.moves.T.toarray()).any()
        entries = [np.sort(np.abs(moves.data)) for moves in (first.moves, again.moves)]
        assert np.array_equal(*entries)


def test_the_canonical_form_is_the_system_in_another_order():
    random = np.random.default_rng(2)
    for A in SYSTEMS:
        flags = random.random(A.shape[1]) < 0.5
        form = canonical(A, flags)
        assert np.array_equal(form.flags, flags[form.order])
        rows = {tuple(row) for row in (A[:, form.order] // np.gcd.reduce(A, axis=1)[:, None].clip(1)).tolist()}
        both_signs = rows | {tuple(-x for x in row) for row in rows}
        assert {tuple(row) for row in form.matrix.toarray().tolist()} <= both_signs
        assert np.linalg.matrix_rank(form.matrix.toarray()) == np.linalg.matrix_rank(A)


def test_what_says_nothing_about_moves_does_not_change_the_name_and_what_does_changes_it():
    no_flags = np.zeros(12, dtype=bool)
    name = canonical(SMALL, no_flags).name
    said_twice = np.concatenate([SMALL, 3 * SMALL[:2], -SMALL[2:3], np.zeros((1, 12), dtype=np.int64)])
    assert canonical(said_twice, no_flags).name == name
    assert canonical(SMALL, ~no_flags).name != name
    one_flag = [canonical(SMALL, np.arange(12) == cell).name for cell in range(12)]
    assert len({*one_flag, name}) == 2  # all cells are alike
    other = SMALL.copy()
    other[0] *= 1 + (np.arange(12) == 0)
    assert canonical(other, no_flags).name != name


def rewrite(path, **changed):
    with np.load(path) as file:
        content = {**file, **changed}
    with open(path, "wb") as file:
        np.savez_compressed(file, **content)


def tampered(path, other):
    with np.load(path) as file:
        data = file["moves_data"].copy()
    data[0] += 1
    rewrite(path, moves_data=data)


def beyond_the_columns(path, other):
    with np.load(path) as file:
        indices = file["moves_indices"].copy()
    indices[0] = 1000
    rewrite(path, moves_indices=indices)


def of_no_form(path, other):
    with np.load(path) as file:
        content = {name: part for name, part in file.items() if name != "form"}
    with open(path, "wb") as file:
        np.savez_compressed(file, **content)


DAMAGES = {
    "of an older version": of_no_form,
    "of another form": lambda path, other: rewrite(path, form=np.array(99)),
    "by another 4ti2": lambda path, other: rewrite(path, by=np.array("0.0.1")),
    "cut": lambda path, other: path.write_bytes(path.read_bytes()[:-100]),
    "empty": lambda path, other: path.write_bytes(b""),
    "something else": lambda path, other: path.write_text("moves"),
    "of another system": lambda path, other: path.write_bytes(other.read_bytes()),
    "tampered": tampered,
    "beyond the columns": beyond_the_columns,
    "without moves": lambda path, other: rewrite(path, moves_shape=np.array([3])),
    "fractions": lambda path, other: rewrite(path, moves_data=np.array(0.5)),
    "pickled": lambda path, other: rewrite(path, flags=np.array([None])),
    "a folder": lambda path, other: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_or_foreign_file_is_not_believed(damage, folder):
    wanted = markov_basis(SMALL, compute=lattice).moves.toarray()
    (path,) = folder.iterdir()
    markov_basis(two_way_margins((2, 2, 4)), compute=lattice)
    (other,) = set(folder.iterdir()) - {path}
    DAMAGES[damage](path, other)
    answer = markov_basis(SMALL, compute=lattice)
    assert answer.words == COMPUTED
    assert (answer.moves.toarray() == wanted).all()
    if damage != "a folder":
        assert (markov_basis(SMALL, compute=never).moves.toarray() == wanted).all()  # mended
    assert {one.suffix for one in folder.iterdir()} == {".npz"}


def test_nothing_can_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FIBERWALK_CACHE_DIR", str(tmp_path / "file" / "x"))
    for _ in range(2):
        assert markov_basis(SMALL, compute=lattice).words == COMPUTED


def test_what_is_wrong_with_the_question_is_said():
    with pytest.raises(ValueError, match=r"each of the 12 columns, not for \(3,\)"):
        markov_basis(SMALL, np.zeros(3, dtype=bool))
    with pytest.raises(ValueError, match="a number of seconds, not -1"):
        markov_basis(SMALL, max_seconds=-1)
    assert "given no time" in markov_basis(SMALL, max_seconds=0).words
    with pytest.raises(ValueError, match="whole numbers.* of float64"):
        markov_basis(SMALL.astype(float))
    assert "without any limit" in markov_basis(np.array([[1, 1, 0]])).words


def test_4ti2_is_asked_by_the_size_of_a_system_alone():
    wide = markov_basis(np.ones((1, 800), dtype=np.int64), compute=never)
    assert wide.words == "too large for 4ti2 to be asked (800 columns, at most 500)"
    lifted = markov_basis(np.ones((1, 300), dtype=np.int64), np.ones(300, dtype=bool), compute=never)
    assert "600 columns" in lifted.words
    far = two_way_margins((4, 4, 4))
    for seconds in (1.0, 1e6):  # however much time there is
        assert markov_basis(far, max_seconds=seconds, compute=never).words == (
            "too large for 4ti2 to be asked (a lattice of volume 2^27.0, at most 2^13.6)"
        )
    near = two_way_margins((2, 2, 2, 3))
    assert markov_basis(near, max_seconds=1e-3, compute=lattice).words == COMPUTED


def test_what_lies_on_the_disk_does_not_decide_which_moves_there_are(monkeypatch):
    """Neither that of somebody with 4ti2 for somebody without, nor that of systems that are too large to be asked of it."""
    markov_basis(SMALL, compute=lattice)
    with monkeypatch.context() as without:
        without.setattr(algebra, "FAST", "a_module_that_is_not_there")
        answer = markov_basis(SMALL)
        assert answer.moves is None
        assert answer.words == "4ti2 is not installed (pip install 'fiberwalk[algebra]')"
    monkeypatch.setattr(algebra, "MOST_VOLUME", 1.0)
    assert "too large for 4ti2 to be asked" in markov_basis(SMALL, compute=never).words


@pytest.mark.usefixtures("whatever_the_size")
def test_kept_moves_are_those_that_would_be_computed(folder):
    """Of a system in any order: 4ti2 is asked for its canonical form, so that there is one answer for all orders."""
    random = np.random.default_rng(4)
    for A in SYSTEMS[1:6]:
        markov_basis(A, compute=lattice)
        other = shuffled(A, random)
        kept = markov_basis(other, compute=never).moves.toarray()
        for path in folder.iterdir():
            path.unlink()
        assert np.array_equal(markov_basis(other, compute=lattice).moves.toarray(), kept)


PRETENDED = {
    "sleeps": "import time; time.sleep(600)",
    "raises": "raise ArithmeticError('no basis today')",
    "aborts": "import os; os.abort()",
    "has no memory": "return [0] * 10**12",
    "wrong": "return [[1, -1, 0]]",
    "huge": "return [[2**70, -2**70, 0]]",
    "unlimited": "return [[1, 0, 1]]",
    "talks": "print('phase 1'); import os; os.write(1, b'phase 2'); return [[1, -1, 0], [-1, 1, 0], [0, 0, 0]]",
}


@pytest.fixture
def pretend(tmp_path, monkeypatch):
    """A module in the place of py4ti2."""

    def put(body):
        (tmp_path / "pretended_4ti2.py").write_text(f"def markov(*problem):\n    {body}\n")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr(algebra, "FAST", "pretended_4ti2")
        monkeypatch.setattr(algebra, "EXACT", "pretended_4ti2")

    return put


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("wrong", "4ti2 failed: a move of its changes the sums (its integers may have overflowed)"),
        ("huge", "4ti2's moves have entries beyond 64 bits"),
        ("unlimited", "the equations and bounds leave some cells without any limit"),
    ],
)
def test_4ti2_has_no_moves_to_give(kind, words, pretend, folder):
    pretend(PRETENDED[kind])
    answer = markov_basis(np.array([[1, 2, 3]]))
    assert answer.moves is None
    assert answer.words == words
    assert not folder.exists()
    assert "pretended_4ti2" not in sys.modules


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("sleeps", "it ran out of its 0.5 seconds."),
        ("raises", "it ended with status 1 (ArithmeticError: no basis today)."),
        ("aborts", "it was ended by signal 6"),
        ("has no memory", "it ran out of memory."),
    ],
)
def test_4ti2_that_was_stopped_is_an_error_and_not_another_set_of_moves(kind, words, pretend, folder):
    pretend(PRETENDED[kind])
    with pytest.raises(InputError) as error:
        markov_basis(np.array([[1, 2, 3]]), max_seconds=0.5 if kind == "sleeps" else 600)
    said = str(error.value)
    assert said.startswith(f"moves for 3 cells that depend on each other were asked of 4ti2, and {words}")
    assert "choose_moves(release, law, max_seconds=...)" in said
    assert "choose_moves(release, law, max_seconds=0)" in said
    assert not folder.exists()


def test_moves_of_a_child_that_talks(pretend):
    pretend(PRETENDED["talks"])
    answer = markov_basis(np.array([[1, 1, 1]]))
    assert answer.words == COMPUTED
    assert answer.moves.toarray().tolist() == [[1, -1, 0]]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends at its time limit")
@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGKILL])
def test_the_child_ends_with_its_parent(way, tmp_path):
    """It holds the far end of a pipe, which is read to its end: there it is when nobody is left who could write."""
    (tmp_path / "sleeper.py").write_text(
        "import os, time\ndef markov(*problem):\n    os.write(2, b'child')\n    time.sleep(600)\n"
    )
    code = textwrap.dedent(f"""
        import subprocess, sys
        sys.path.insert(0, {str(tmp_path)!r})
        import numpy as np
        from fiberwalk.moves.bases import algebra
        run = subprocess.run
        def heard(*program, capture_output, **more):  # its errors go where this process says them
            return run(*program, stdout=subprocess.PIPE, **more)
        subprocess.run = heard
        algebra.FAST = algebra.EXACT = "sleeper"
        algebra.markov_basis(np.array([[1, 2, 3]]), max_seconds=500)
    """)
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE) as parent:
        assert parent.stderr.read(5) == b"child"
        parent.send_signal(way)
        parent.stderr.read()  # returns only when both have ended
        assert parent.wait() != 0


def test_integers_of_any_length_are_used_where_machine_integers_might_overflow():
    assert variant(sp.csr_array(two_way_margins((3, 3, 5)))) == algebra.FAST
    assert variant(sp.csr_array(np.array([[2**50, 2**50 + 1, 2**51 + 7]]))) == algebra.EXACT
    large = sp.csr_array(np.array([[2**40, -(2**40)]]))
    assert in_kernel(large, sp.csr_array(np.array([[2**40, 2**40]])))
    assert not in_kernel(large, sp.csr_array(np.array([[2**24, 0]])))  # 2 ** 64 is 0 in machine integers


def test_one_of_each_pair():
    moves = np.array([[0, -1, 1], [1, -1, 0], [0, 0, 0], [0, 1, -1], [-1, 1, 0]])
    assert one_of_each_pair(moves).toarray().tolist() == [[1, -1, 0], [0, 1, -1]]
    assert one_of_each_pair(np.zeros((0, 3), dtype=np.int64)).shape == (0, 3)


needs_4ti2 = pytest.mark.skipif(not algebra.installed(), reason="needs the extra fiberwalk[algebra]")


def connected(tables, moves):
    """Can every table be reached from the first?"""
    left, front = {tuple(table) for table in tables}, [tuple(tables[0])]
    left.discard(front[0])
    while front:
        table = np.array(front.pop())
        for step in np.concatenate([table + moves, table - moves]).tolist():
            if tuple(step) in left:
                left.discard(tuple(step))
                front.append(tuple(step))
    return not left


def all_connected(A, upper, moves):
    """Are all fibers within the box 0 <= y <= upper connected?"""
    points = np.indices(np.array(upper) + 1).reshape(len(upper), -1).T
    sums = points @ A.T
    fibers = {}
    for point, key in zip(points.tolist(), map(tuple, sums.tolist()), strict=True):
        fibers.setdefault(key, []).append(point)
    return all(connected(tables, moves) for tables in fibers.values())


@needs_4ti2
def test_4ti2_knows_3_3_3():
    A = two_way_margins((3, 3, 3))
    answer = markov_basis(A)
    assert answer.words == COMPUTED
    assert answer.moves.shape == (81, 27)
    assert answer.moves.dtype == np.int64
    assert not (A @ answer.moves.T.toarray()).any()
    assert sorted(np.diff(answer.moves.indptr)) == [8] * 27 + [12] * 54
    assert (markov_basis(A, compute=never).moves != answer.moves).nnz == 0
    assert "Py4ti2int64" not in sys.modules


@needs_4ti2
@pytest.mark.parametrize("module", ["FAST", "EXACT"])
def test_lifted_moves_connect_whatever_the_bounds_are(module, monkeypatch):
    monkeypatch.setattr(algebra, "variant", lambda A: getattr(algebra, module))
    A = np.array([[1, 2, 3, 0], [0, 1, 1, 1]])
    plain, with_bounds = markov_basis(A).moves.toarray(), markov_basis(A, np.ones(4, dtype=bool)).moves.toarray()
    some = markov_basis(A, np.array([True, False, False, False])).moves.toarray()
    boxes = list(itertools.product(range(4), range(4), range(4), range(4)))
    assert all(all_connected(A, box, with_bounds) for box in boxes)
    assert not all(all_connected(A, box, plain) for box in boxes)
    assert all(all_connected(A, (first, 9, 9, 9), some) for first in range(4))


@needs_4ti2
def test_differences_with_a_limit():
    """A column of slack: x + y - s = b is bounded by the bounds of x and y alone."""
    A = np.array([[1, 1, -1]])
    assert "without any limit" in markov_basis(A).words
    moves = markov_basis(A, np.array([True, True, False])).moves.toarray()
    assert {tuple(move) for move in moves.tolist()} >= {(1, 0, 1), (0, 1, 1)}
    assert all_connected(A, (3, 2, 9), moves)


@needs_4ti2
def test_the_child_is_stopped_by_the_clock_while_4ti2_itself_is_at_work():
    """Of a system that takes it hours, which nobody but a test asks of it."""
    with pytest.raises(algebra.Stopped, match=r"it ran out of its 0\.5 seconds"):
        algebra.by_child(sp.csr_array(two_way_margins((4, 4, 4))), algebra.FAST, 0.5)


def test_the_child_is_a_program_that_needs_only_python(tmp_path):
    """It starts where the package cannot be imported."""
    (tmp_path / "fake.py").write_text("def markov(*problem): return [[1, -1]]\n")
    problem = f'{{"matrix": [[1, 1]], "module": "fake", "seconds": 5, "bytes": {2**40}, "path": ["{tmp_path}"]}}'
    program = Path(algebra.__file__).with_name("algebra_child.py")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(program)], input=problem.encode(), capture_output=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    header, numbers = done.stdout.split(b"\n", 1)
    assert header == b'{"moves": 1, "entries": 2}'
    assert np.frombuffer(numbers, dtype=np.int64).reshape(3, 2).tolist() == [[0, 0], [0, 1], [1, -1]]
