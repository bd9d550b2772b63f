"""What a part of the verification finds: checks that were passed or failed, paragraphs, and values for pictures."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Check:
    """Something that must hold, whether it did, and the figure that says so."""

    words: str
    passed: bool
    found: str


@dataclass(frozen=True)
class Part:
    """All that one part found."""

    checks: tuple[Check, ...]
    paragraphs: tuple[str, ...] = ()
    """Markdown, below the table of checks."""
    values: dict[str, Any] = field(default_factory=dict)
    """What the pictures are drawn from; numbers, lists and words only."""


@dataclass(frozen=True)
class Setting:
    """How much is tried, from which seed, and in how many processes; the last does not change what is found."""

    releases: int | None = None
    """Random releases of each part that takes some; None: as many as the part thinks enough."""
    seed: int = 1
    workers: int = 2

    def number(self, usual: int) -> int:
        """How many releases a part takes."""
        return usual if self.releases is None else self.releases

    def each(self, job: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], words: str) -> Iterator[Any]:
        """What a job gives for each of some tasks, in their order, with a line of progress now and then."""
        tasks = list(tasks)
        if self.workers == 1:
            yield from _told((job(*one) for one in tasks), len(tasks), words)
            return
        # Processes that begin afresh: threads of compiled code do not survive a fork.
        with ProcessPoolExecutor(self.workers, mp_context=multiprocessing.get_context("spawn")) as processes:
            chunk = max(1, min(20, len(tasks) // (4 * self.workers)))
            yield from _told(processes.map(job, *zip(*tasks, strict=True), chunksize=chunk), len(tasks), words)


def _told(results: Iterable[Any], number: int, words: str) -> Iterator[Any]:
    begin = last = time.monotonic()
    for done, one in enumerate(results, start=1):
        now = time.monotonic()
        if now - last > 20 or done == number:
            print(f"  {done:,} of {number:,} {words}, {now - begin:.0f} s", flush=True)
            last = now
        yield one


def rows(head: list[str], lines: Iterable[Iterable[Any]]) -> str:
    """A Markdown table."""
    shown = [head, ["---"] * len(head), *([str(cell) for cell in line] for line in lines)]
    return "\n".join("| " + " | ".join(line) + " |" for line in shown) + "\n"
