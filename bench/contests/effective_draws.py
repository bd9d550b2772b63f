"""Effective draws a second of our chains, against the chain of Diaconis and Sturmfels on the same block and moves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from effective import SINGLE, Rates, course, rates
from figures import Figure, Finding
from problems import NAMES, problem
from written import number, times

WORDS = (
    "Effective draws a second of one thread (ArviZ, bulk, four chains): of the slowest, the median and the first cell, and "
    "of the chi-square distance to the mean table. Against the chain that moves by one unit (+-1), written in Numba with "
    "the same random numbers, along the same moves where these can be written down. Both start in stationarity. In tables "
    "of more than 200 cells, 200 are watched. Nothing is credited to p(x|y) on either side; what that costs is told under "
    "Steps, and what it is worth under Tallies. Two-way tables under the hypergeometric law need no chain: ours are "
    "independent. Where there is a target, it is all done thrice, with other random numbers, and the median ratio counts."
)
PEER = SINGLE
LAWS = ("uniform", "hypergeometric")
SLOWEST, MEDIAN, FIRST, CHI = "slowest cell", "median cell", "first cell", "chi-square"
QUANTITIES: dict[str, Callable[[Rates], float]] = {
    SLOWEST: lambda one: one.slowest,
    MEDIAN: lambda one: one.median,
    FIRST: lambda one: one.first,
    CHI: lambda one: one.chi_square,
}
TARGETS = {
    ("4 x 4", "uniform", FIRST): 300,
    ("20 x 20", "uniform", SLOWEST): 300,
    ("100 x 100", "uniform", SLOWEST): 100,
    ("4 x 4 x 3", "uniform", SLOWEST): 3,
    ("4 x 4 x 3", "hypergeometric", SLOWEST): 10,
    ("200 x 200, half hidden", "uniform", MEDIAN): 200,
}
QUICK = {
    ("4 x 4", "uniform"),
    ("20 x 20", "uniform"),
    ("4 x 4 x 3", "uniform"),
    ("4 x 4 x 3", "hypergeometric"),
    ("hierarchical", "uniform"),
    ("5 x 4 x 3", "uniform"),
}
MOST_SECONDS = {"100 x 100": 60.0, "200 x 200, half hidden": 60.0}
REPEATED = {(name, law) for name, law, _ in TARGETS}
REPEATS = 3
FEW = 30
"""Effective draws of the slowest cell below which a figure is mostly chance."""


def run(quick: bool) -> Iterator[Finding]:
    """A line for each problem, law and quantity."""
    for name in NAMES:
        for law in LAWS:
            if quick and (name, law) not in QUICK:
                continue
            repeats = 1 if quick or (name, law) not in REPEATED else REPEATS
            found = [raced(name, law, quick, seed) for seed in range(1, repeats + 1)]
            doubtful = min(min(one.ours.seen, one.peer.seen) for one in found) < FEW
            for what, quantity in QUANTITIES.items():
                runs = sorted(found, key=lambda one, quantity=quantity: one.ratio(quantity))
                middle = runs[len(runs) // 2]
                notes = [middle.note] if what == SLOWEST else []
                if repeats > 1:
                    notes.append("ratios of all runs: " + ", ".join(times(one.ratio(quantity)) for one in runs))
                if doubtful:
                    notes.append("too few effective draws seen for more than a first idea")
                yield Figure(
                    contest="effective draws",
                    problem=f"{name}, {law}",
                    what=what,
                    unit="/s",
                    ours=quantity(middle.ours),
                    peer=PEER,
                    theirs=quantity(middle.peer),
                    target=TARGETS.get((name, law, what)),
                    note="; ".join(notes) if what in (SLOWEST, MEDIAN) or repeats > 1 else "",
                    guarded=what in (SLOWEST, MEDIAN) and not doubtful,
                )


@dataclass(frozen=True)
class Both:
    """What one race of both chains found."""

    ours: Rates
    peer: Rates
    note: str

    def ratio(self, quantity: Callable[[Rates], float]) -> float:
        """How many times better ours is."""
        theirs = quantity(self.peer)
        return quantity(self.ours) / theirs if theirs else math.inf


def raced(name: str, law: str, quick: bool, seed: int) -> Both:
    """Both chains on one problem."""
    both = course(problem(name).release, law, seed)
    tables, seconds = (500, 4.0) if quick else (1000, MOST_SECONDS.get(name, 15.0))
    ours, peer, apart = rates(both, tables, seconds, 5 if quick else 11)
    kept = "a table kept in " + ", ".join(
        f"{apart[walker.name]:,} {walker.counted} of {'+-1' if walker is both.peer else 'ours'} "
        f"({number(rate.seconds_per_table / apart[walker.name] * 1e9)} ns each)"
        for walker, rate in ((both.ours, ours), (both.peer, peer))
    )
    seen = f"effective draws seen of the slowest cell: {ours.seen:,.0f} and {peer.seen:,.0f}"
    return Both(ours, peer, "; ".join((both.ours.words, f"+-1 along {both.peer.words}", kept, seen)))
