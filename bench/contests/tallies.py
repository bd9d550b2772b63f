"""What crediting whole lines is worth: the error of p(x|y) for the same time, against histograms of stored tables."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from figures import Figure, Finding
from swap_chains import stationary, swaps_in_a_step

from fiberwalk.base.jit import jit_lean
from fiberwalk.base.random_streams import streams
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.tallies.tally import NO_CREDITS
from fiberwalk.sampler.tallies.windows import shares

WORDS = (
    "Squared error of p(value | margins), mean over cells and values, times the processor seconds it took; uniform law. "
    "Ours credits the whole line of every step, or of one in four; the peer counts the values of stored tables, one in as "
    "many swaps as there are cells. The truth is a run forty times longer than a trial."
)
PEER = "histogram of stored tables"
DRAWS = {"4 x 4": 20_000, "20 x 20": 2_000, "100 x 100": 100}
LONGER, TRIALS = 40, 8


@jit_lean
def add_draws(kept, counts):
    """Count the values of kept tables."""
    for draw in range(len(kept)):
        for j in range(kept.shape[1]):
            counts[j, kept[draw, j]] += 1.0


def pmfs(chain: Chain, most: int) -> np.ndarray:
    """[cell, value]: what a chain has credited."""
    windows, found = chain.tally.windows, np.zeros((len(chain.place.table), most))
    assert not windows.shift.any()
    for q in range(len(found)):
        one = shares(windows, q)
        found[q, windows.origin[q] : windows.origin[q] + len(one)] = one[: most - windows.origin[q]]
    return found


def run(quick: bool) -> Iterator[Finding]:
    """Error times time, on each of the two-way tables."""
    for name, draws in DRAWS.items():
        if quick and name == "100 x 100":
            continue
        unit, chain = stationary(name)
        kernel, cells = unit.kernels[0], len(unit.columns)
        chain.counts = True
        chain.advance(unit, LONGER * draws)
        most = int((chain.tally.windows.origin + chain.tally.windows.size).max())
        truth = pmfs(chain, most)
        apart = max(1, cells // swaps_in_a_step(kernel))
        stored = max(1, draws * kernel.steps(cells) // apart)
        error, seconds = np.zeros((2, TRIALS)), np.full(2, np.inf)
        for trial, random in enumerate(streams(7, TRIALS)):
            chain.forget()
            chain.place.random[:] = random
            begin = time.thread_time()
            chain.advance(unit, draws)
            seconds[0] = min(seconds[0], time.thread_time() - begin)
            error[0, trial] = np.mean((pmfs(chain, most) - truth) ** 2)
            counts, kept = np.zeros((cells, most)), np.zeros((stored, cells), dtype=np.int64)
            chain.tally.by_steps[0] = NO_CREDITS
            tally = chain.tally._replace(kept=kept, keep=np.arange(cells))
            tally.kept_state[:3] = 0, 0, 1
            begin = time.thread_time()
            kernel.walk(chain.place, tally, None, stored, apart)
            add_draws(kept, counts)
            seconds[1] = min(seconds[1], time.thread_time() - begin)
            error[1, trial] = np.mean((counts / stored - truth) ** 2)
        product = error.mean(axis=1) * seconds
        fewer = error[1].mean() / error[0].mean()
        yield Figure(
            "tallies",
            name,
            "squared error x seconds",
            "",
            float(product[0]),
            PEER,
            float(product[1]),
            more_is_better=False,
            note=f"error {fewer:.1f} times smaller, time {seconds[0] / seconds[1]:.2f} times longer",
        )
