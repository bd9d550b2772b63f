"""What chains need, compiled in a process of its own while this one still looks at the release.

Numba compiles one kernel after the other, however many threads ask. So a machine on which no chain ever ran has a second
process compile: it runs chains on a toy of the same kind, and this one then finds their machine code on the disk. The other
process is told the kind alone, and nothing of the release.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from contextlib import suppress
from functools import cache
from itertools import combinations

import numpy as np

from ..base.jit import at_hand, cache_folder
from ..fiber.laws.support import Support
from ..fiber.laws.uniform import Uniform
from .tallies.windows import add_to

SWITCH = "FIBERWALK_COMPILE_AHEAD"
"""The environment variable that turns it off, as "0"."""
LARGE = 24
"""Cells of a block from which on chains are likely to be needed."""


def compile_ahead(inside: Support) -> None:
    """Begin, if blocks are large, unless chains ran on this machine before."""
    blocks = [block for block in inside.solved.blocks if len(block.columns) > LARGE]
    if not blocks:
        return
    usual = os.environ.get(SWITCH, "1") != "0" and (os.cpu_count() or 1) > 1 and cache_folder() is not None
    if usual and not at_hand(add_to):
        many_way = any(block.network is None for block in blocks)
        _begun(many_way, "uniform" if isinstance(inside.law, Uniform) else "hypergeometric")


@cache
def _begun(many_way: bool, law: str) -> subprocess.Popen[bytes] | None:
    """The other process; it is not left behind."""
    if getattr(sys, "frozen", False) or "python" not in os.path.basename(sys.executable or "").lower():
        return None
    code = f"from {__name__} import run_toy; run_toy({many_way}, {law!r})"
    environment = {**os.environ, SWITCH: "0", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with suppress(OSError):
        none = subprocess.DEVNULL
        child = subprocess.Popen([sys.executable, "-c", code], env=environment, stdin=none, stdout=none, stderr=none)
        atexit.register(_ended, child)
        return child
    return None


def _ended(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    child.wait()


def run_toy(many_way: bool, law: str) -> None:
    """Run chains on a toy until they stop."""
    import scipy.sparse as sp

    from ..fiber.equations.basic_moves import basic_moves
    from ..fiber.laws.support import support
    from ..moves.chooser import Moves
    from ..moves.families.lattice import LatticeMoves
    from ..moves.families.listed import Listed
    from ..moves.families.mixture import Mixture
    from ..moves.families.move_set import MoveSet
    from ..moves.registry import Wanted, moves_for_block
    from ..release.publish import publish
    from .chains.settings import ChainSettings
    from .estimate import estimate

    dims = 3 if many_way else 2
    margins = [",".join(chosen) for chosen in combinations("ABC"[:dims], dims - 1)]
    inside = support(publish(np.full((5,) * dims, 3), margins), law)
    wanted = Wanted(inside, 0, None, 0.0)
    if many_way:
        rows = basic_moves(inside.solved.fiber.coordinates[wanted.block.columns], wanted.block.A)
        sums = LatticeMoves(wanted.lattice)
        moves: MoveSet = Mixture((Listed(rows, sums.certificate), sums), (0.9, 0.1))
    else:
        moves = moves_for_block(wanted)
    questions = sp.csr_array(sp.eye_array(inside.solved.fiber.n_columns, dtype=np.int64))
    estimate(Moves(inside, (moves,)), questions, ChainSettings(seed=0))
