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
import scipy.sparse as sp

from ..base.jit import at_hand, cache_folder
from ..base.random_streams import streams
from ..fiber.laws.support import Support
from ..fiber.laws.uniform import Uniform
from ..moves.families.move_set import MoveSet
from .tallies.windows import value_sums

SWITCH = "FIBERWALK_COMPILE_AHEAD"
"""The environment variable that turns it off, as "0"."""
DRAWS = 8192
"""Draws on a toy: enough for several looks."""
SMALL = 4
"""The side of a toy of three dims for blocks of up to 64 cells, in which other kernels are used under weights."""
LARGE = 24
"""Cells of a block from which on chains are likely to be needed."""


def compile_ahead(inside: Support) -> None:
    """Begin, if blocks are large, unless chains ran on this machine before."""
    blocks = [block for block in inside.solved.blocks if len(block.columns) > LARGE]
    if not blocks:
        return
    usual = os.environ.get(SWITCH, "1") != "0" and (os.cpu_count() or 1) > 1 and cache_folder() is not None
    if usual and not at_hand(value_sums):
        dims = 3 if any(block.network is None for block in blocks) else 2
        side = SMALL if max(len(block.columns) for block in blocks) <= SMALL**3 else SMALL + 1
        _begun(dims, side, "uniform" if isinstance(inside.law, Uniform) else "hypergeometric")


@cache
def _begun(dims: int, side: int, law: str) -> subprocess.Popen[bytes] | None:
    """The other process; it is not left behind."""
    if getattr(sys, "frozen", False) or "python" not in os.path.basename(sys.executable or "").lower():
        return None
    code = f"from {__name__} import run_toy; run_toy({dims}, {side}, {law!r})"
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


def run_toy(dims: int, side: int, law: str) -> int:
    """Run chains on a toy, and find its bounds; gives back the draws that a chain made."""
    from ..fiber.bounds.chooser import cell_bounds
    from ..fiber.equations.basic_moves import basic_moves
    from ..fiber.laws.support import support
    from ..moves.chooser import Moves
    from ..moves.families.listed import Listed
    from ..moves.registry import BASIC, Wanted, moves_for_block
    from ..release.publish import publish
    from .chains.chain import Chain
    from .chains.run import Run
    from .chains.settings import ChainSettings
    from .chains.unit_run import UnitRun
    from .chains.units import units_of

    margins = [",".join(chosen) for chosen in combinations("ABC"[:dims], dims - 1)]
    release = publish(np.full((side,) * dims, 3), margins)
    inside = support(release, law)
    (block,) = inside.solved.blocks
    if dims > 2:
        rows = basic_moves(inside.solved.fiber.coordinates[block.columns], block.A)
        moves: MoveSet = Listed(rows, BASIC)
    else:
        moves = moves_for_block(Wanted(inside, 0, None, 0.0))
    (unit,) = units_of(Moves(inside, (moves,)), sp.csr_array(sp.eye_array(len(block.columns), dtype=np.int64)))
    chains = [Chain(unit, unit.start, random) for random in streams(0, 2)]
    run = UnitRun(unit, chains)
    Run([run], ChainSettings(seed=0, chains=2, max_draws=DRAWS)).go_on()
    cell_bounds(release)
    return run.made
