"""What an elimination takes of memory, known before it is taken: arrays of 8-byte numbers, counted as they come and go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np

from ...base.interruption import check_time
from .elimination_kernel import MOST_WEIGHTS, strip_room

NUMBER = 8
ORBITS = 11
"""Numbers for each line, besides its open sums, while lines are put in the order of their orbits."""
CHECKS = 3
"""Copies of the sums of the column's equations while these are put together."""
TURNED = 14
"""Numbers for each state, besides its open sums, while another sum becomes the axis."""
WRITTEN, AFTER = 4, 12
"""Numbers for each line after a step: written by the kernel, and in all until they are put away."""
LARGE = 100_000_000
"""Bytes from which on eliminations in several threads wait for each other: one uses all processors, and may take all of the
memory that there is."""
WAIT = 0.1
_THE_LARGE_ONE = Lock()

Claim = Callable[[int], None]
"""What is told of the bytes that an elimination holds in all, before it takes them."""


@contextmanager
def one_large_at_a_time() -> Iterator[Claim]:
    """A claim to bytes for the time of the block; one that is large waits until no other thread has such a claim."""
    waited = False

    def claim(bytes_in_all: int) -> None:
        nonlocal waited
        while bytes_in_all > LARGE and not waited:
            check_time("cells were eliminated")
            waited = _THE_LARGE_ONE.acquire(timeout=WAIT)

    try:
        yield claim
    finally:
        if waited:
            _THE_LARGE_ONE.release()


def of_arrays(objects: Iterable[Any]) -> int:
    """The bytes of those that are arrays."""
    return sum(item.nbytes for item in objects if isinstance(item, np.ndarray))


def of_finding_orbits(lines: int, open_sums: int) -> int:
    """To put lines in the order of their orbits."""
    return NUMBER * lines * (open_sums + ORBITS)


def of_checking(orbits: int, open_sums: int, equations: int) -> int:
    """To tell where the orbits lead."""
    return NUMBER * orbits * (open_sums + CHECKS * equations + 4)


def of_turning(states: int, open_sums: int) -> int:
    """To make another sum the axis."""
    return NUMBER * states * (open_sums + TURNED)


def of_kernels(most: np.ndarray, threads: int) -> int:
    """The rooms in which the products of a step are made, on so many threads."""
    weights = min(int(most[1]) * int(most[2]), MOST_WEIGHTS)
    strips = 2 * strip_room(int(most[1]), int(most[3])) + strip_room(int(most[2]), int(most[3]))
    return NUMBER * threads * (strips + 2 * weights + int(most[3]))
