"""What of a chain changes from look to look, as plain numbers and arrays, and back.

What is taken up again is checked: numbers that steps use as places must be places, whoever wrote the file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.plain_file import Damaged
from ..kernels.kernel import ANYTHING
from ..tallies.spread import Spread, is_kept
from ..tallies.windows import FARTHEST, Windows, windows_from
from .chain import Chain, Reference
from .settings import BATCHES
from .unit import Unit


def state_of(unit: Unit, chain: Chain) -> dict[str, Any]:
    """Where a chain is after a look."""
    rooms = zip(unit.kernels, chain.rooms, strict=True)
    return {
        "turn": chain.turn,
        "made": chain.made,
        "counts": chain.counts,
        "batch": chain.batch,
        "length": chain.length,
        "table": chain.place.table,
        "random": chain.place.random,
        "windows": windows_state(chain.tally.windows),
        "joint": chain.tally.joint_counts,
        "sums": chain.sums,
        "squares": chain.squares,
        "surprise": chain.surprise,
        "means": chain.means,
        "epoch": (chain.epoch, chain.epoch_began),
        "spread": None if chain.spread is None else chain.spread.state(),
        "stride": chain.stride,
        "centre": chain.tally.centre,
        "rooms": [[array for array, *_ in kernel.lasting(room)] for kernel, room in rooms],
    }


def restore(unit: Unit, chain: Chain, state: dict[str, Any], reference: Reference | None) -> None:
    """Put a chain that was just begun where another of the same unit was, in the epoch of a reference."""
    chain.turn = whole_number(state["turn"], 0, len(unit.kernels) - 1)
    chain.made = whole_number(state["made"], 0, unit.shares[chain.turn] - 1)
    chain.counts = bool(state["counts"])
    chain.batch, chain.length = whole_number(state["batch"], 0, BATCHES), whole_number(state["length"], 1)
    fill(chain.place.random, state["random"], *ANYTHING)
    fill(chain.place.table, state["table"], unit.lower, unit.upper)
    for kernel, room, saved in zip(unit.kernels, chain.rooms, state["rooms"], strict=True):
        for (array, least, most), saved_array in zip(kernel.lasting(room), saved, strict=True):
            fill(array, saved_array, least, most)
    fill(chain.tally.joint_counts, state["joint"], *ANYTHING)
    fill(chain.sums, state["sums"], *ANYTHING)
    fill(chain.squares, state["squares"], *ANYTHING)
    fill(chain.surprise, state["surprise"], *ANYTHING)
    fill(chain.means, state["means"], *ANYTHING)
    fill(chain.stride, state["stride"], 0, FARTHEST)
    fill(chain.tally.centre, state["centre"], *ANYTHING)
    chain.tally = chain.tally._replace(windows=windows_of(state["windows"], unit.n_questions))
    epoch, epoch_began = state["epoch"]
    chain.epoch, chain.epoch_began = whole_number(epoch, 0), whole_number(epoch_began, 0, BATCHES)
    chain.spread = None
    if reference is not None and reference.epoch == chain.epoch:
        chain.note_what_was(reference)
        if is_kept(reference.windows):
            chain.spread = Spread(reference.windows)
            arrays, batches = chain.spread.state()[:-1], state["spread"][-1]
            for array, saved in zip(arrays, state["spread"][:-1], strict=True):
                fill(array, saved, *ANYTHING)
            chain.spread.batches = whole_number(batches, 0, BATCHES)


def windows_state(windows: Windows | None) -> tuple[np.ndarray, ...] | None:
    """The arrays from which windows can be made again."""
    return None if windows is None else windows[:-1]


def windows_of(arrays: tuple[np.ndarray, ...], questions: int) -> Windows:
    """Windows of so many questions, made again."""
    made = windows_from(*arrays)
    if made is None or len(made.start) != questions:
        raise Damaged
    return made


def checked(array: np.ndarray, shape: tuple[int, ...], kind: type = float) -> np.ndarray:
    """An array of this shape and kind of numbers."""
    if array.shape != shape or array.dtype != kind:
        raise Damaged
    return array


def whole_number(value: Any, least: int, most: int | None = None) -> int:
    """A whole number that is not beyond its bounds."""
    if type(value) is not int or value < least or (most is not None and value > most):
        raise Damaged
    return value


def fill(array: np.ndarray, saved: np.ndarray, least: Any, most: Any) -> None:
    """Write given numbers over an array of the same kind and size, if none is beyond its bounds."""
    if saved.dtype != array.dtype or saved.shape != array.shape:
        raise Damaged
    if np.any(saved < least) or np.any(saved > most):
        raise Damaged
    array[...] = saved
