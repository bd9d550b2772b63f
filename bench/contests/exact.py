"""Exact distributions of every cell, against a walk through every table; and how far beyond that exactness goes."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np
from figures import Figure, Finding, best_of, once
from peers import enumeration, recursion
from peers.rounds import best_round
from problems import SNEE, problem

import fiberwalk as fw

WORDS = (
    "Seconds of processor time from a release to the exact distribution of every cell, against walks through every table: a "
    "compiled one, our own, and a recursion in plain Python; distributions must agree. Then releases whose tables are too "
    "many for any walk. All figures after compilation."
)
LAWS = ("uniform", "hypergeometric")
CUBE = np.array(
    [[[2, 1, 3], [1, 2, 0], [3, 2, 1]], [[1, 3, 2], [2, 1, 1], [2, 0, 3]], [[3, 1, 1], [0, 2, 2], [1, 3, 2]]]
)
SMALL = 2 * np.array([[3, 1, 2], [2, 4, 1], [1, 2, 3]])
SMALL_NAME = f"3 x 3, n = {SMALL.sum()}"


def run(quick: bool) -> Iterator[Finding]:
    """Small tables first."""
    for law in LAWS:
        fw.audit(fw.publish(SNEE // 8, ["A", "B"]), law=law)  # compile
        enumeration.audited(fw.publish(SMALL, ["A", "B"]), law)
    fw.count(fw.publish(SNEE // 8, ["A", "B"]))
    rate, figures = _against_recursion()
    yield from figures
    for name, release in _walkable(quick).items():
        for law in LAWS:
            yield from _against_enumeration(name, release, law, rate)
    if quick:
        return
    for name, release in _beyond().items():
        yield from _alone(name, release)
    yield from _wide_interval()


def _walkable(quick: bool) -> dict[str, fw.Release]:
    """Releases with up to a hundred million tables."""
    square, strip, cube = SNEE // 8, np.arange(15, 31).reshape(2, 8) // 3, 4 * CUBE
    found = {f"4 x 4, n = {square.sum()}": fw.publish(square, ["A", "B"])}
    if not quick:
        found[f"2 x 8, n = {strip.sum()}"] = fw.publish(strip, ["A", "B"])
        found[f"3 x 3 x 3, n = {cube.sum()}"] = fw.publish(cube, ["A,B", "A,C", "B,C"])
    return found


def _figure(problem: str, what: str, ours: float, **more) -> Figure:
    return Figure("exact", problem, what, "s", ours, more_is_better=False, **more)


def _against_recursion() -> tuple[float, list[Figure]]:
    """Tables a second of the recursion, and how long it takes for what an audit gives."""
    release, figures, rate = fw.publish(SMALL, ["A", "B"]), [], 0.0
    for law in LAWS:
        listing, found = best_round(lambda: recursion.listed(SMALL), rounds=3)
        laws, weighing = once(lambda found=found, law=law: recursion.laws(found, law), time.process_time)
        audit = fw.audit(release, law=law)
        assert audit.tables == len(found)
        for cell, expected in zip(release.hidden, laws, strict=True):
            ours = audit.pmf(**_labels(int(cell)))
            assert all(math.isclose(ours[value], p, rel_tol=1e-9) for value, p in expected.items())
        rate = max(rate, len(found) / listing)
        seconds = best_of({"ours": lambda law=law: fw.audit(release, law=law)}, 10, time.process_time)["ours"]
        note = f"{len(found):,} tables"
        figures.append(
            _figure(
                SMALL_NAME,
                f"all distributions, {law}",
                seconds,
                peer=recursion.NAME,
                theirs=listing + weighing,
                note=note,
            )
        )
    return rate, figures


def _labels(cell: int) -> dict[str, str]:
    """A cell of a two-way table without labels."""
    i, j = divmod(cell, SMALL.shape[1])
    return {"A": str(i + 1), "B": str(j + 1)}


def _against_enumeration(name: str, release: fw.Release, law: str, rate: float) -> Iterator[Figure]:
    """Both ways to the same distributions: once where that takes seconds, else the best of several rounds."""
    jobs = {
        "ours": lambda: fw.audit(release, law=law, method="exact"),
        "theirs": lambda: enumeration.audited(release, law),
    }
    (ours, first), (theirs, second) = (once(job, time.process_time) for job in jobs.values())
    assert ours.tables == theirs.tables
    assert np.allclose(ours.cells["entropy"], theirs.cells["entropy"], atol=1e-9)
    best = {"ours": first, "theirs": second}
    if first + second < 2:
        best = best_of(jobs, 5, time.process_time)
    note = f"{ours.tables:,} tables"
    yield _figure(
        name, f"all distributions, {law}", best["ours"], peer=enumeration.NAME, theirs=best["theirs"], note=note
    )
    yield Figure(
        "exact",
        name,
        f"tables walked through, {law}",
        "tables/s",
        ours.tables / best["theirs"],
        recursion.NAME,
        rate,
        note=f"the compiled walk; the recursion on {SMALL_NAME}",
        guarded=False,  # the two walk through different tables, and swing by themselves
    )


def _beyond() -> dict[str, fw.Release]:
    """Releases with so many tables that no enumeration gets through in a minute, and most in no time at all."""
    paper, duncan = fw.examples.dot02_table2().release, fw.examples.dfkpr01()
    cycles = np.zeros((41, 82), dtype=bool)
    for k in range(40):
        cycles[k : k + 2, 2 * k : 2 * k + 2] = True
    random = np.random.default_rng(1)
    return {
        "redesign of Domingo-Ferrer and others, row totals unknown": paper,
        "the same, row totals known": paper.knows({"activity": "5"}, exactly=3898),
        "4 x 4": problem("4 x 4").release,
        "4 x 4 x 3, margins IJ+ and +JK": fw.publish(duncan.table, ["I,J", "J,K"]),
        "4 x 4 x 3": problem("4 x 4 x 3").release,
        "2 x 300, n = 6,000": fw.publish(random.poisson(10, (2, 300)), ["A", "B"]),
        "41 x 82, a chain of 40 cycles hidden": fw.suppress(random.poisson(50, cycles.shape), where=cycles),
    }


def _alone(name: str, release: fw.Release) -> Iterator[Figure]:
    """What no walk can do: the number of tables, and every distribution."""
    tables, seconds = once(lambda: fw.count(release), time.process_time)
    # 2 x 300 has more tables than a float can tell: the logarithm of an integer is exact enough
    shown = f"{tables:,} tables" if tables < 10**24 else f"about 10^{math.log10(tables):.0f} tables"
    yield _figure(name, "count of all tables", seconds, note=shown)
    for law in LAWS:
        _, seconds = once(lambda law=law: fw.audit(release, law=law, method="exact"), time.process_time)
        yield _figure(name, f"all distributions, {law}", seconds, note=shown)


def _wide_interval() -> Iterator[Figure]:
    """A cell of the 4 x 4 x 3 table with a wide interval and next to no uncertainty."""
    audit = fw.audit(problem("4 x 4 x 3").release, law="hypergeometric", method="exact")
    cell = audit.cells.loc[("4", "2", "1")]
    where = f"4 x 4 x 3, cell (4, 2, 1), from {cell['lower']} to {cell['upper']}"
    told = {
        f"probability of its most probable value, {cell['modal']}": ("", cell["p_modal"]),
        "bits that the interval suggests": ("bits", 1 / cell["uniform_risk"]),
        "bits that are left": ("bits", cell["entropy"]),
        "risk, in times what the interval suggests": ("times", cell["understatement"]),
    }
    for what, (unit, value) in told.items():
        yield Figure("exact", where, what, unit, float(value), note=f"{value:.3f}")
    yield Figure("exact", "4 x 4 x 3", "cells that look safe and are not", "cells", len(audit.deceptive()))
