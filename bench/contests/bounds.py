"""Sharp bounds of every hidden cell, against one program of HiGHS for each bound and the audit of tau-ARGUS."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator

import numpy as np
from figures import Figure, Finding, Skipped
from peers import tau_argus
from peers.equations import Equations, equations
from peers.highs import Found, in_runs, integer_programs, warm_programs
from peers.rounds import best_round
from problems import problem

import fiberwalk as fw
from fiberwalk.fiber.blocks.presolve import presolve

WORDS = (
    "Bounds (two for each hidden cell) per second of processor time; ours are sharp integers, proven in whole numbers. "
    "HiGHS keeps one linear program warm and changes the objective only, or solves an integer program for each bound; "
    "where cells are many, it is timed on a sample of the bounds. Linear programs may leave intervals that are wider "
    "than the sharp ones: bounds that differ after rounding to integers are counted."
)
NAMES = (
    "200 x 200, half hidden",
    "200 x 200, 5% hidden",
    "hierarchical",
    "turnover",
    "hypercube",
    "20 x 20",
    "4 x 4 x 3",
    "5 x 4 x 3",
    "2^6",
)
QUICK = ("200 x 200, half hidden", "200 x 200, 5% hidden", "hierarchical", "turnover", "20 x 20", "4 x 4 x 3")
NOISY = ("turnover", "20 x 20")
"""Done in milliseconds, most of which is not spent on bounds: no matter for the guard."""
TARGETS = {"200 x 200, half hidden": 50.0}
MOST_WARM, MOST_INTEGER = 120, 6
"""Cells that are tried at most."""
BLUR = 1e-6
LINEAR, INTEGER = "HiGHS, one warm LP per bound", "HiGHS, one MILP per bound"


def run(quick: bool) -> Iterator[Finding]:
    """Problem after problem, peer after peer."""
    warnings.simplefilter("ignore")
    for name in QUICK if quick else NAMES:
        yield from _raced(name, quick)
    if not quick:
        yield _outsider("200 x 200, half hidden")
        if not tau_argus.installed():
            yield Skipped("bounds", tau_argus.NAME, tau_argus.HOW_TO_GET)


def _raced(name: str, quick: bool) -> Iterator[Finding]:
    release = problem(name).release
    frame = fw.bounds(release, explain=True)  # compiles, too
    sharp = frame[["lower", "upper"]].to_numpy()
    system, how = equations(release), frame["upper_by"].mode()[0]
    assert len(sharp) == system.A.shape[1]
    runs = in_runs(len(sharp), MOST_WARM // 2 if quick else MOST_WARM)
    ours, warm, found = _in_turn(release, system, runs, rounds=2 if len(sharp) > 5_000 else 5)

    def figure(peer: str, seconds: float, note: str) -> Figure:
        return Figure(
            contest="bounds",
            problem=name,
            what="all bounds",
            unit="bounds/s",
            ours=2 * len(sharp) / ours,
            peer=peer,
            theirs=2 * len(sharp) / seconds,
            target=TARGETS.get(name) if peer == LINEAR else None,
            note=f"ours: {how}; {note}",
            guarded=name not in NOISY,
        )

    yield figure(LINEAR, warm, _agreement(sharp, found, sharply=False))
    if quick:
        return
    some = np.random.default_rng(1).choice(len(sharp), min(MOST_INTEGER, len(sharp)), replace=False)
    seconds, found = best_round(lambda: integer_programs(system, some))
    yield figure(INTEGER, seconds, _agreement(sharp, found, sharply=True))
    if tau_argus.installed():
        table = presolve(release).start[release.hidden]
        if tau_argus.within_reach(system, table):
            seconds, intervals = best_round(lambda: tau_argus.audited(system, table))
            found = {cell: (low, high) for cell, (low, high) in enumerate(intervals)}
            yield figure(tau_argus.NAME, seconds, _agreement(sharp, found, sharply=False))


def _in_turn(release: fw.Release, system: Equations, runs: list[range], rounds: int) -> tuple[float, float, Found]:
    """Seconds for all bounds, ours and by warm programs, the best of some rounds; and what these programs found."""
    ours, warm, found = math.inf, math.inf, Found()
    for _ in range(rounds):
        begin = time.process_time()
        fw.bounds(release)
        ours = min(ours, time.process_time() - begin)
        seconds, found = warm_programs(system, runs)
        warm = min(warm, seconds)
    return ours, warm, found


def _agreement(sharp: np.ndarray, found: Found, *, sharply: bool) -> str:
    """How far a peer's intervals are ours; none may be narrower, and those of an integer program must be the same."""
    wider = fractions = 0
    for cell, (low, high) in found.items():
        lower, upper = math.ceil(low - BLUR), math.floor(high + BLUR)
        assert lower <= sharp[cell, 0], f"cell {cell}: its lower bound {low} is above ours"
        assert upper >= sharp[cell, 1], f"cell {cell}: its upper bound {high} is below ours"
        wider += (lower < sharp[cell, 0]) + (upper > sharp[cell, 1])
        fractions += (lower > low + BLUR) + (upper < high - BLUR)
    assert not (sharply and wider), f"{wider} bounds of integer programs are wider than ours"
    tried = f"all {2 * len(found)}" if len(found) == len(sharp) else f"{2 * len(found)}"
    told = f"{wider} wider than ours" if wider else "the same as ours"
    return f"{tried} of its bounds tried, {told}" + (f" after {fractions} fractions are rounded" if fractions else "")


def _outsider(name: str) -> Figure:
    """The same release without the truth: a first table must be found before any bound."""
    release = problem(name).release.without_truth()
    begin = time.process_time()
    frame = fw.bounds(release)
    rate = 2 * len(frame) / (time.process_time() - begin)
    words = "all bounds, as an outsider reads it"
    return Figure("bounds", name, words, "bounds/s", rate, note="no table is known to begin with")
