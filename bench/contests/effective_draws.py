"""Effective draws a second of our chains, against the chain of Diaconis and Sturmfels on the same block and moves."""

from __future__ import annotations

from collections.abc import Iterator

from effective import course, rates
from figures import Figure, Finding
from problems import NAMES, problem
from written import number

WORDS = (
    "Effective draws a second of one thread (ArviZ, bulk, four chains): of the slowest, the median and the first cell, and "
    "of the chi-square distance to the mean table. Against the chain that moves by one unit (+-1), written in Numba with "
    "the same random numbers, along the same moves where these can be written down. Both start in stationarity. Two-way "
    "tables under the hypergeometric law need no chain: ours are independent."
)
PEER = "+-1 chain"
LAWS = ("uniform", "hypergeometric")
SLOWEST, MEDIAN, FIRST, CHI = "slowest cell", "median cell", "first cell", "chi-square"
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
FEW = 30
"""Effective draws of the slowest cell below which a figure is mostly chance."""


def run(quick: bool) -> Iterator[Finding]:
    """A line for each problem, law and quantity."""
    for name in NAMES:
        for law in LAWS:
            if quick and (name, law) not in QUICK:
                continue
            both = course(problem(name).release, law)
            tables, seconds = (500, 4.0) if quick else (1000, MOST_SECONDS.get(name, 15.0))
            ours, peer, apart = rates(both, tables, seconds, 5 if quick else 11)
            kept = "a table kept in " + ", ".join(
                f"{apart[walker.name]:,} {walker.counted} of {'+-1' if walker is both.peer else 'ours'} "
                f"({number(rate.seconds_per_table / apart[walker.name] * 1e9)} ns each)"
                for walker, rate in ((both.ours, ours), (both.peer, peer))
            )
            seen = f"effective draws seen of the slowest cell: {ours.seen:,.0f} and {peer.seen:,.0f}"
            doubt = "too few for more than a first idea" if min(ours.seen, peer.seen) < FEW else ""
            note = "; ".join(one for one in (both.ours.words, f"+-1 along {both.peer.words}", kept, seen, doubt) if one)
            for what, one, other in (
                (SLOWEST, ours.slowest, peer.slowest),
                (MEDIAN, ours.median, peer.median),
                (FIRST, ours.first, peer.first),
                (CHI, ours.chi_square, peer.chi_square),
            ):
                yield Figure(
                    contest="effective draws",
                    problem=f"{name}, {law}",
                    what=what,
                    unit="/s",
                    ours=one,
                    peer=PEER,
                    theirs=other,
                    target=TARGETS.get((name, law, what)),
                    note=note if what == SLOWEST else "",
                    guarded=what in (SLOWEST, MEDIAN) and not doubt,
                )
