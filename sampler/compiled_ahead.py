"""What looks at chains and bounds need, compiled in a process of its own while this one still looks at the release.

Numba compiles one kernel after the other, however many threads ask. So on a machine on which no chain ever ran a second
process compiles: it runs chains on a toy, and this one then finds the machine code on the disk. The toy is always the same,
one whose own kernel is soon compiled: the kernels of this release's moves and law are compiled here at the same time, and
the other process is told nothing of the release.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from contextlib import suppress
from functools import cache

import numpy as np
import scipy.sparse as sp

from ..base.jit import at_hand, cache_folder
from ..base.random_streams import streams
from ..fiber.laws.support import Support

SWITCH = "FIBERWALK_COMPILE_AHEAD"
"""The environment variable that turns it off, as "0"."""
DRAWS = 8192
"""Draws on a toy: enough for several looks."""
LARGE = 24
"""Cells of a block from which on chains are likely to be needed."""


def compile_ahead(inside: Support) -> None:
    """Begin, if blocks are large, unless chains ran on this machine before."""
    if not any(len(block.columns) > LARGE for block in inside.solved.blocks):
        return
    from .tallies.windows import value_sums

    usual = os.environ.get(SWITCH, "1") != "0" and (os.cpu_count() or 1) > 1 and cache_folder() is not None
    if usual and not at_hand(value_sums):
        _begun()


@cache
def _begun() -> subprocess.Popen[bytes] | None:
    """The other process; it is not left behind."""
    if getattr(sys, "frozen", False) or "python" not in os.path.basename(sys.executable or "").lower():
        return None
    code = f"from {__name__} import run_toy; run_toy()"
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


def run_toy() -> int:
    """Run chains on a toy, and find its bounds; gives back the draws that a chain made."""
    from ..fiber.bounds.chooser import cell_bounds
    from ..fiber.equations.basic_moves import basic_moves
    from ..fiber.laws.support import support
    from ..moves.chooser import Moves
    from ..moves.families.listed import Listed
    from ..moves.registry import BASIC
    from ..release.publish import publish
    from .chains.chain import Chain
    from .chains.run import Run
    from .chains.settings import ChainSettings
    from .chains.unit_run import UnitRun
    from .chains.units import units_of

    release = publish(np.full((4, 4, 4), 3), ["A,B", "A,C", "B,C"])
    inside = support(release, "uniform")
    (block,) = inside.solved.blocks
    moves = Listed(basic_moves(inside.solved.fiber.coordinates[block.columns], block.A), BASIC)
    (unit,) = units_of(Moves(inside, (moves,)), sp.csr_array(sp.eye_array(len(block.columns), dtype=np.int64)))
    chains = [Chain(unit, unit.start, random) for random in streams(0, 2)]
    run = UnitRun(unit, chains)
    Run([run], ChainSettings(seed=0, chains=2, max_draws=DRAWS)).go_on()
    cell_bounds(release)
    return run.made
