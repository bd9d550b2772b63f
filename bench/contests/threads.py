"""Two threads against one, on the same chains."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from figures import Figure, Finding, Skipped, once
from problems import problem

from fiberwalk.base.jit import jit_lean
from fiberwalk.base.random_streams import next_word, streams
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.chooser import Moves, choose
from fiberwalk.sampler.chains.run import new_run
from fiberwalk.sampler.chains.settings import ChainSettings

WORDS = (
    "Seconds of the same four chains on one thread and on two, uniform law, without what comes before them (see the "
    "remarks); both give the same tallies to the last bit. Of several rounds, on one thread and on two in turn, the "
    "one with the median ratio is told. 'By processor time' is what the clock would show if threads never waited: "
    "one thread does all that is done where chains are looked at, both share the rest. 'Pure arithmetic' is what "
    "the machine gives at most: processors of a rented machine may be two halves of one core."
)
# Draws of each chain, some seconds of one thread; chains are looked at after 1,024 of them, 2,048, 4,096 and so on.
DRAWS = {
    "4 x 4": 1 << 19,
    "20 x 20": 1 << 14,
    "100 x 100": 1 << 11,
    "4 x 4 x 3": 1 << 17,
    "200 x 200, half hidden": 1 << 11,
}
TARGET = 1.8
ROUNDS = 7
SPINS = 150_000_000


class Spent(NamedTuple):
    """Seconds on the clock, of the thread that looks at chains, and of all that run them."""

    clock: float
    looks: float = 0.0
    chains: float = 0.0


def middle(rounds: list[tuple[Spent, Spent]]) -> tuple[Spent, Spent]:
    """The round (on one thread, on two) with the median ratio on the clock.

    The best of each by itself would not do: where others are at work on the machine, one quiet processor is found more
    often than two.
    """
    return sorted(rounds, key=lambda one: one[0].clock / one[1].clock)[len(rounds) // 2]


def run(quick: bool) -> Iterator[Finding]:
    """Speed-ups."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if cores < 2:
        yield Skipped("threads", "one thread", "this machine has one processor.")
        return
    if not quick:
        yield machine()
    for name in ("4 x 4",) if quick else DRAWS:
        yield from raced(name, rounds=3 if quick or DRAWS[name] == 1 << 11 else ROUNDS)


@jit_lean
def spin(state, steps):
    """Random words and nothing else: no memory but four words, no other thread to wait for."""
    for _ in range(steps):
        next_word(state)


def machine() -> Figure:
    """What this machine gives at most: two loops of pure arithmetic, after each other and at the same time."""
    states = streams(1, 2)
    spin(states[0], 1)
    rounds = []
    with ThreadPoolExecutor(2) as executor:
        for _ in range(ROUNDS):
            one = once(lambda: [spin(state, SPINS) for state in states])[1]
            two = once(lambda: list(executor.map(lambda state: spin(state, SPINS), states)))[1]
            rounds.append((Spent(one), Spent(two)))
    spent = middle(rounds)
    return Figure(
        "threads",
        "pure arithmetic",
        "two threads, on the clock",
        "s",
        spent[1].clock,
        "one thread",
        spent[0].clock,
        more_is_better=False,
        note="what this machine gives at most: no memory, nothing to wait for",
        guarded=False,
    )


def raced(name: str, rounds: int) -> Iterator[Figure]:
    """One problem: on the clock, and by processor time."""
    release = problem(name).release
    choosing = min(once(lambda: choose(support(release)))[1] for _ in range(2))
    moves = choose(support(release))
    _, rows, _ = release.listed()
    rows.resize(rows.shape[0], moves.support.solved.fiber.n_columns)
    questions = sp.csr_array(rows)
    found, spent, preparing = [], [], np.inf
    for _ in range(rounds):
        took = []
        for workers in (1, 2):
            before, one, tallies = walked(moves, questions, DRAWS[name], workers)
            took.append(one)
            preparing = min(preparing, before)
            found.append(tallies)
        spent.append((took[0], took[1]))
    assert all(np.array_equal(one, found[0]) for one in found), "threads must not change the result"
    one, two = middle(spent)
    load = f"load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load not known"
    yield Figure(
        "threads",
        name,
        "two threads, on the clock",
        "s",
        two.clock,
        "one thread",
        one.clock,
        more_is_better=False,
        target=TARGET,
        note=f"{load} on {os.cpu_count()} processors",
        guarded=False,
    )
    yield Figure(
        "threads",
        name,
        "two threads, by processor time",
        "s",
        two.looks + two.chains / 2,
        "one thread",
        one.looks + one.chains,
        more_is_better=False,
        note=f"looks {one.looks:.2f} s; before the chains, on one thread: moves {choosing:.2f} s, "
        f"starts and tuning {preparing:.2f} s",
    )


def walked(moves: Moves, questions: sp.csr_array, draws: int, workers: int) -> tuple[float, Spent, np.ndarray]:
    """Seconds of starts and tuning; of the chains on the clock, at looks and in threads; and all tallies."""
    # An error that no chain reaches: all runs end at the same number of draws.
    with ThreadPoolExecutor(workers) as executor:
        settings = ChainSettings(seed=1, chains=4, tolerance=1e-9, max_draws=draws, executor=executor)
        run, preparing = once(lambda: new_run(moves, questions, settings))
        begin = np.array([time.perf_counter(), time.thread_time(), time.process_time()])
        run.go_on()
        clock, looks, whole = np.array([time.perf_counter(), time.thread_time(), time.process_time()]) - begin
    tallies = [unit.pooled.counters for unit in run.units if unit.pooled is not None]
    return preparing, Spent(clock, looks, whole - looks), np.concatenate(tallies)
