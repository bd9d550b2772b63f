"""Nanoseconds of a step: what a swap costs, with and without crediting whole lines to p(x|y)."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from figures import Figure, Finding, best_of
from peers.plus_minus_one import swaps_alike
from swap_chains import stationary, swaps_in_a_step

from fiberwalk.base.random_streams import streams

WORDS = (
    "Nanoseconds of a uniform hit-and-run step of a 2 x 2 swap, one thread. The limit is a step that does nothing but what "
    "every step must: one random word, two rows, two columns, four reads and four writes, without a branch (the step of the "
    "+-1 chain). A step with tallies credits all values of its line to p(x|y) of four cells; in the largest table, where "
    "many swaps are made at a time, one step in four does."
)
LIMIT = "the least step"
STEPS = 2_000_000


def run(quick: bool) -> Iterator[Finding]:
    """A step on each of the two-way tables."""
    for name in ("4 x 4", "20 x 20", "100 x 100"):
        unit, chain = stationary(name)
        shape, n = unit.kernels[0].shape, len(unit.columns)
        per_draw = unit.kernels[0].steps(n) * swaps_in_a_step(unit.kernels[0])
        draws = max(1, STEPS // per_draw)
        table, random = chain.place.table.copy(), streams(3, 1)[0]

        def ours(counts: bool, unit=unit, chain=chain, draws=draws) -> None:
            chain.counts = counts
            chain.advance(unit, draws)

        jobs = {
            "off": lambda ours=ours: ours(False),
            "on": lambda ours=ours: ours(True),
            "least": lambda t=table, s=shape, r=random, n=draws * per_draw: swaps_alike(t, *s, r, n),
        }
        best_of(jobs, 1, time.thread_time)
        found = {
            key: seconds / (draws * per_draw) * 1e9
            for key, seconds in best_of(jobs, 10 if quick else 40, time.thread_time).items()
        }
        for key, what in (("off", "ns per step"), ("on", "ns per step, tallies on")):
            target = 0.5 if key == "off" else None
            yield Figure(
                "steps", name, what, "ns", found[key], LIMIT, found["least"], more_is_better=False, target=target
            )
        assert np.array_equal(table.reshape(shape).sum(axis=0), chain.place.table.reshape(shape).sum(axis=0))
