"""Trials in processes of their own: one that takes too long is ended, one that dies is replaced, and the file is known."""

from __future__ import annotations

import multiprocessing
import queue
import resource
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

MOST_SECONDS = 20.0
"""Of the processor, so that other work on the machine is not laid to a file's charge."""
LONGEST_WAIT = 60.0
"""For a file, on a machine that may be busy; then its process is ended."""
MOST_MEGABYTES = 1_000.0
SAFE_MEGABYTES = 2_000
"""A process that wants so much more than it began with gets a MemoryError, so that no machine is filled."""
FIRST_SECONDS = 300.0
"""What a new process may take to load, compile and make the examples."""


@dataclass(frozen=True)
class Batch:
    """The files of some numbers, of one seed."""

    seed: int
    kinds: tuple[str, ...]
    numbers: tuple[int, ...]


def outcomes(seed: int, files: int, kinds: tuple[str, ...], workers: int) -> Iterator[Any]:
    """How each file ended, as they are done; the number of processes changes nothing but the order."""
    batches = [Batch(seed, kinds, tuple(range(first, files, workers))) for first in range(workers)]
    done: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def work(batch: Batch) -> None:
        try:
            for one in _batch_outcomes(batch):
                done.put(one)
        except Exception as problem:
            done.put(problem)

    with ThreadPoolExecutor(workers) as threads:
        for batch in batches:
            threads.submit(work, batch)
        for _ in range(files):
            one = done.get()
            if isinstance(one, Exception):
                raise one
            yield one


def _batch_outcomes(batch: Batch) -> Iterator[Any]:
    from verification.fuzzing.trial import DIED, SLOW

    left = list(batch.numbers)
    context = multiprocessing.get_context("spawn")
    while left:
        here, there = context.Pipe()
        child = context.Process(target=_read_all, args=(there, replace(batch, numbers=tuple(left))), daemon=True)
        child.start()
        there.close()
        limit, begun = FIRST_SECONDS, None
        try:
            while left:
                if not here.poll(limit):
                    raise TimeoutError
                said = here.recv()
                if begun is None:
                    begun, limit = said, LONGEST_WAIT
                else:
                    left.remove(said.number)
                    begun, limit = None, FIRST_SECONDS
                    yield said
        except (TimeoutError, EOFError, ConnectionResetError) as end:
            if begun is None:
                raise RuntimeError("a process ended before it had a file to read") from None
            left.remove(begun.number)
            yield replace(begun, ended=SLOW if isinstance(end, TimeoutError) else DIED, seconds=MOST_SECONDS)
        finally:
            child.kill()
            child.join()
            here.close()


def _read_all(pipe: Connection, batch: Batch) -> None:
    """In a process of its own: say of each file what it is before it is read, and how that ended after it."""
    from verification.fuzzing.kinds import KINDS, damaged
    from verification.fuzzing.trial import DIED, Outcome, judged

    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            if kind.name in batch.kinds:
                path = Path(folder) / f"good{kind.ending}"
                for good in kind.examples():  # once, so that what is loaded and compiled is not laid to a file's charge
                    path.write_bytes(good)
                    kind.read(path)
        _limit_memory()
        for number in batch.numbers:
            file = damaged(Path(folder) / "file", batch.seed, number, batch.kinds)
            pipe.send(Outcome(number, file.kind.name, file.words, DIED))  # unless something else is said of it
            before = _forget_peak()
            begin = time.process_time()
            found = judged(file, number)
            seconds, grown = time.process_time() - begin, max(0.0, _peak() - before)
            pipe.send(within_limits(replace(found, seconds=seconds, megabytes=grown)))


def within_limits(outcome: Any) -> Any:
    """The outcome, unless the file took too much."""
    from verification.fuzzing.trial import LARGE, SLOW

    if outcome.passed and outcome.seconds > MOST_SECONDS:
        return replace(outcome, ended=SLOW)
    return replace(outcome, ended=LARGE) if outcome.passed and outcome.megabytes > MOST_MEGABYTES else outcome


def _limit_memory() -> None:
    status = _status()
    if "VmSize" in status:
        most = int((status["VmSize"] + SAFE_MEGABYTES) * 2**20)
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _status() -> dict[str, float]:
    """What Linux says of this process, in megabytes; empty elsewhere."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return {}
    return {
        name: float(rest.split()[0]) / 1024 for name, _, rest in (one.partition(":") for one in lines) if "kB" in rest
    }


def _forget_peak() -> float:
    """Megabytes that the process has now; where the system can, its peak is forgotten, so that a later one is seen."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return _peak()
    return _status().get("VmRSS", 0.0)


def _peak() -> float:
    status = _status()
    return status["VmHWM"] if "VmHWM" in status else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
