"""Moves that connect every fiber of a system, computed by 4ti2 where it is installed and the system is not too large.

A Markov basis of A connects {y >= 0 : A y = b} for every b (Diaconis and Sturmfels 1998). Where a cell has an upper
bound that the equations do not imply, the bound is made an equation with a slack cell, y_j + s_j = u_j, before the
computation: the basis then connects the fibers for all values of the bounds as well. 4ti2 is called through py4ti2, which
is under the GPL and an extra, `fiberwalk[algebra]`. It runs in a process of its own, so that it can be stopped; what it
finds is checked in integers and kept on disk under a name that does not depend on the order of the cells.

Which moves a block gets decides every draw of its chains. So whether 4ti2 is asked follows from the system alone, and from
whether it is installed: neither a clock nor what lies on the disk has a say. Where it is asked and not done in time, that
is an error and not another set of moves.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError
from ...base.jit import cache_base
from ...fiber.equations.rowspace import relations
from .canonical import Canonical, canonical
from .lattice_volume import log_volume

MOST_COLUMNS = 500
"""Of cells with the added ones: of larger systems not even the volume is looked at."""

MOST_VOLUME = 13.6
"""Log2 of the volume up to which 4ti2 is asked. Set by 74 systems (margins of tables of two to six dims, parts of
them, some with bounds; random equations): the 48 within it took at most 11 seconds on a busy core, the first that was not
done after 40 had 14.3. Others may take longer, which is what the clock is for."""

MOST_SECONDS = 300.0
"""4ti2 is stopped after these, with an error."""

MOST_BYTES = 8 * 2**30
"""Of memory for 4ti2."""

FAST, EXACT = "Py4ti2int64", "Py4ti2gmp"
"""4ti2 with machine integers, which wrap around unseen, and with integers of any length, three times slower."""

LARGEST_ENTRY = 2**40

BEYOND_64_BITS = 64
"""The status of a child whose moves do not fit into its answer."""

NOT_INSTALLED = "4ti2 is not installed (pip install 'fiberwalk[algebra]')"
NO_TIME = "4ti2 was given no time (max_seconds=0)"
COMPUTED = "computed by 4ti2"
UNBOUNDED = "the equations and bounds leave some cells without any limit"

Compute = Callable[[Any, str, float], Any]
"""Moves (one per row) of a matrix by a variant of 4ti2 within some seconds."""


@dataclass(frozen=True, eq=False)
class Algebra:
    """Moves that connect every fiber, one of each pair +m and -m, or None; and where they are from or why there are none."""

    moves: Any | None
    words: str


class NotDone(Exception):
    """4ti2 gave no moves, and would not at any other time; says why."""


class Stopped(NotDone):
    """4ti2 was stopped by a clock or by the machine: another time, or elsewhere, it might give moves."""


def markov_basis(
    A: Any,
    upper_bounded: np.ndarray | None = None,
    max_seconds: float = MOST_SECONDS,
    compute: Compute | None = None,
    most_volume: float | None = None,
) -> Algebra:
    """Moves that connect {y : A y = b, y >= 0} for every b, and with any upper bounds on the columns `upper_bounded`.

    The equations, with these bounds, must leave no column without limit. `compute` replaces 4ti2; `most_volume` is
    for whoever has hours for one basis. An `InputError` where 4ti2 was asked and stopped.
    """
    if A.dtype.kind not in "biu" or not A.shape[1]:
        raise ValueError(f"A is a matrix of whole numbers with a column for each cell, not {A.shape} of {A.dtype}")
    A = sp.csr_array(A, dtype=np.int64)
    bounded = np.zeros(A.shape[1], dtype=bool) if upper_bounded is None else np.asarray(upper_bounded, dtype=bool)
    if bounded.shape != (A.shape[1],):
        raise ValueError(f"upper_bounded says yes or no for each of the {A.shape[1]} columns, not for {bounded.shape}")
    if not 0 <= max_seconds < math.inf:
        raise ValueError(f"max_seconds is a number of seconds, not {max_seconds}")
    if max_seconds == 0:
        return Algebra(None, NO_TIME)
    if (np.bincount(A.indices[A.data != 0], minlength=A.shape[1]) == 0)[~bounded].any():
        return Algebra(None, UNBOUNDED)
    too_large = why_not_asked(A, bounded, MOST_VOLUME if most_volume is None else most_volume)
    if too_large is not None:
        return Algebra(None, too_large)
    if compute is None and not installed():
        return Algebra(None, NOT_INSTALLED)  # and what somebody else's 4ti2 left on this disk is not looked at
    form = canonical(A, bounded)
    moves = _kept(form)
    if moves is None:
        try:
            moves = _computed(form, max_seconds, compute)
        except Stopped as reason:
            raise InputError(_in_vain(A.shape[1], reason)) from None
        except NotDone as reason:
            return Algebra(None, str(reason))
        _keep(form, moves)
    return Algebra(_given_order(moves, form.order), COMPUTED)


def why_not_asked(A: Any, bounded: np.ndarray, most_volume: float) -> str | None:
    """Why a system is too large for 4ti2 to be asked, by its equations alone; None where it is not."""
    columns = A.shape[1] + int(bounded.sum())
    if columns > MOST_COLUMNS:
        return f"too large for 4ti2 to be asked ({columns:,} columns, at most {MOST_COLUMNS})"
    volume = log_volume(A, bounded)
    if volume > most_volume:
        return f"too large for 4ti2 to be asked (a lattice of volume 2^{volume:.1f}, at most 2^{most_volume:g})"
    return None


def _in_vain(n_cells: int, reason: Stopped) -> str:
    """What a user can do where 4ti2 was asked and stopped."""
    return (
        f"moves for {n_cells} cells that depend on each other were asked of 4ti2, and {reason}. Others would make other "
        "draws, so none are put in their place. fiberwalk.moves.choose_moves(release, law, max_seconds=...) (fiberwalk "
        "moves --max-seconds) with more time computes them once and keeps them for all later work; "
        "sample(moves=choose_moves(release, law, max_seconds=0)) does without 4ti2, and so does everything where py4ti2 is "
        "not installed."
    )


def _computed(form: Canonical, max_seconds: float, compute: Compute | None) -> Any:
    """The moves of a canonical system, checked."""
    basis = sp.csr_array((compute or by_child)(lifted(form.matrix, form.flags), variant(form.matrix), max_seconds))
    basis = one_of_each_pair(basis)
    if ((basis < 0).sum(axis=1) == 0).any():
        raise NotDone(UNBOUNDED)
    moves = sp.csr_array(basis[:, : form.matrix.shape[1]])
    if not in_kernel(form.matrix, moves):
        raise NotDone("4ti2 failed: a move of its changes the sums (its integers may have overflowed)")
    return moves


def lifted(A: Any, bounded: np.ndarray) -> Any:
    """The system with an equation y_j + s_j = u_j for each bounded column: if all are bounded, the Lawrence lifting of A."""
    columns = np.flatnonzero(bounded)
    identity = sp.eye_array(len(columns), dtype=np.int64)
    chosen = sp.csr_array(
        (np.ones(len(columns), dtype=np.int64), (np.arange(len(columns)), columns)), shape=(len(columns), A.shape[1])
    )
    return sp.csr_array(sp.block_array([[A, None], [chosen, identity]])) if len(columns) else sp.csr_array(A)


def variant(A: Any) -> str:
    """The variant of 4ti2 that a system needs: machine integers where they are far from overflowing.

    The elements of every reduced Groebner basis are among the Graver basis, whose entries are at most the dimension of
    the kernel times the largest subdeterminant (Sturmfels 1996, theorem 4.7). By Hadamard, that is at most the product
    of the lengths of the columns, or of the rows, of independent rows; adding equations for bounds does not change it.
    The limit leaves what is on the way to these bases some millions of times more room.
    """
    if not A.nnz:
        return FAST
    independent, _ = relations(A.toarray())
    rows = A.toarray()[independent].astype(float)
    columns_squared = np.sort((rows**2).sum(axis=0))[::-1][: len(independent)]
    logs = [np.log2(squared[squared > 0]).sum() / 2 for squared in (columns_squared, (rows**2).sum(axis=1))]
    dimension = max(A.shape[1] - len(independent), 1)
    return FAST if min(logs) + math.log2(dimension) <= math.log2(LARGEST_ENTRY) else EXACT


def in_kernel(A: Any, moves: Any) -> bool:
    """Does no move change a sum? In whole numbers, of any length where they might be large."""
    if not A.nnz or not moves.nnz:
        return True
    largest, furthest = (max(int(part.data.max()), -int(part.data.min())) for part in (A, moves))
    if largest * furthest * A.shape[1] < 2**63:
        return not (moves @ A.T).count_nonzero()
    return not (moves.toarray().astype(object) @ A.toarray().astype(object).T).any()


def one_of_each_pair(moves: Any) -> Any:
    """The different moves without zero, one of m and -m, in an order that depends on the moves alone."""
    moves = sp.csr_array(moves, dtype=np.int64)
    moves.sum_duplicates()
    moves.eliminate_zeros()
    moves = moves[np.diff(moves.indptr) > 0]
    signs = np.sign(moves.data[moves.indptr[:-1]])
    moves.data = moves.data * np.repeat(signs, np.diff(moves.indptr))
    places: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    for row in range(moves.shape[0]):
        part = slice(moves.indptr[row], moves.indptr[row + 1])
        places.setdefault((tuple(moves.indices[part].tolist()), tuple(moves.data[part].tolist())), row)
    return sp.csr_array(moves[[places[key] for key in sorted(places, key=lambda key: (len(key[0]), key))]])


def installed() -> bool:
    """Is 4ti2 there? It is not imported here."""
    return all(importlib.util.find_spec(name) is not None for name in (FAST, EXACT))


def by_child(A: Any, module: str, max_seconds: float) -> Any:
    """Run 4ti2 in a child process, killed when the time is over, on Ctrl-C and with this process."""
    program = [sys.executable, "-P", str(Path(__file__).with_name("algebra_child.py"))]
    problem = {"matrix": A.toarray().tolist(), "module": module, "seconds": max_seconds, "bytes": MOST_BYTES}
    text = json.dumps({**problem, "path": sys.path}).encode()
    out_of_time = f"it ran out of its {max_seconds:g} seconds"
    try:
        # in a session of its own, as Ctrl-C would otherwise reach it too; `run` kills it then
        child = subprocess.run(program, input=text, capture_output=True, timeout=max_seconds, start_new_session=True)
    except subprocess.TimeoutExpired:
        raise Stopped(out_of_time) from None
    except OSError as error:
        raise Stopped(f"it could not be started: {error}") from None
    if child.returncode == BEYOND_64_BITS:
        raise NotDone("4ti2's moves have entries beyond 64 bits")
    if child.returncode == -getattr(signal, "SIGALRM", 0):
        raise Stopped(out_of_time)
    if child.returncode:
        raise Stopped(_reason(child.returncode, child.stderr))
    return _read_answer(child.stdout, A.shape[1])


def _reason(code: int, errors: bytes) -> str:
    if b"bad_alloc" in errors or b"MemoryError" in errors:
        return "it ran out of memory"
    lines = errors.decode(errors="replace").strip().splitlines()
    ended = f"it was ended by signal {-code}" if code < 0 else f"it ended with status {code}"
    return f"{ended} ({lines[-1]})" if lines else ended


def _read_answer(answer: bytes, n_columns: int) -> Any:
    try:
        header, numbers = answer.split(b"\n", 1)
        sizes = json.loads(header)
        rows, columns, values = np.frombuffer(numbers, dtype=np.int64).reshape(3, sizes["entries"])
        return sp.csr_array((values, (rows, columns)), shape=(sizes["moves"], n_columns))
    except (ValueError, KeyError, TypeError) as error:
        raise Stopped(f"its answer cannot be read ({error})") from None


def _given_order(moves: Any, order: np.ndarray) -> Any:
    """Moves of the canonical system as moves of the given one."""
    by_entry = sp.coo_array(moves)
    rows, columns = by_entry.coords
    return one_of_each_pair(sp.csr_array((by_entry.data, (rows, order[columns])), shape=moves.shape))


def _file(form: Canonical) -> Path:
    return cache_base() / "bases" / f"{form.name}.npz"


PARTS = ("data", "indices", "indptr")
FORM = 2
"""Of the files of moves, raised when they are made of something else: what is in another form is computed again."""


def _version() -> str:
    """Which 4ti2 would be asked: there are several smallest bases, and another version may find another."""
    try:
        return importlib.metadata.version("py4ti2")
    except importlib.metadata.PackageNotFoundError:
        return ""


def _kept(form: Canonical) -> Any | None:
    """The moves kept on disk for exactly this system, checked again, or None."""
    try:
        with open(_file(form), "rb") as raw, np.load(raw, allow_pickle=False) as file:
            if not np.array_equal(file["form"], FORM) or not np.array_equal(file["by"], _version()):
                return None
            matrix, moves = (
                sp.csr_array(tuple(file[f"{name}_{part}"] for part in PARTS), shape=tuple(file[f"{name}_shape"]))
                for name in ("matrix", "moves")
            )
            moves.check_format(full_check=True)  # scipy reads indices that point anywhere, and crashes
            flags = file["flags"]
    except (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile):
        return None
    if not form.same_as(matrix, flags) or moves.dtype != np.int64 or moves.shape[1] != len(flags):
        return None
    return moves if in_kernel(form.matrix, moves) else None


def _keep(form: Canonical, moves: Any) -> None:
    """Write the moves to disk, whole or not at all; where nothing can be written they are computed again next time."""
    content: dict[str, Any] = {"form": np.array(FORM), "by": np.array(_version()), "flags": form.flags}
    for name, matrix in (("matrix", form.matrix), ("moves", moves)):
        content |= {f"{name}_{part}": getattr(matrix, part) for part in PARTS}
        content[f"{name}_shape"] = np.array(matrix.shape)
    try:
        path = _file(form)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(file, **content)
        os.replace(temporary, path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
