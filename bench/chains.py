"""The uniform chain on two-way tables: effective draws, nanoseconds a step, what whole-line tallies are worth, two threads.

    python bench/chains.py [--quick]

Peer: the chain of Diaconis and Sturmfels, which adds or takes one at two rows and two columns, written here without a
branch and with the same random words, so that its steps are as quick as ours. Both start in stationarity. Effective draws
of the mean are Geyer's, of the slowest cell and of the median cell (of the same 400 cells in large tables); both
chains keep one table in so many steps that the draws are still correlated. Times of a single thread are processor time,
the best of several rounds in which all take turns; times of two threads are on the clock, and mean little while the
machine has other work: the load average is shown. With `--quick` the +-1 chain is too short for ratios that can be quoted.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.fiber.jit import jit_lean
from fiberwalk.moves.random_words import streams
from fiberwalk.sampler.chain import Chain
from fiberwalk.sampler.diagnostics import effective_draws
from fiberwalk.sampler.kernel import SwapKernel
from fiberwalk.sampler.plan import units_of
from fiberwalk.sampler.run import new_run
from fiberwalk.sampler.tally import NO_CREDITS
from fiberwalk.sampler.windows import shares

SNEE = np.array([[68, 119, 26, 7], [20, 84, 17, 94], [15, 54, 14, 10], [5, 29, 14, 16]])


def even(shape, n, seed=1):
    cells = int(np.prod(shape))
    return np.random.default_rng(seed).multinomial(n, np.full(cells, 1 / cells)).reshape(shape)


# The table; steps from one kept table to the next, ours and +-1; kept tables of the +-1 chain; the least ratio wanted.
CASES = {
    "4 x 4": (SNEE, 8, 4_000, 8_000, 300),
    "20 x 20": (even((20, 20), 10_000), 500, 200_000, 5_000, 300),
    "100 x 100": (even((100, 100), 100_000), 20_000, 2_000_000, 2_000, 100),
}
# Draws of a trial, how many times longer the reference is, and the least ratio wanted.
TALLIES = {"4 x 4": (20_000, 40, ""), "20 x 20": (2_000, 40, "at least 3x"), "100 x 100": (100, 40, "")}
TRIALS = 8
KEPT = 8_000
WATCHED = 400


@jit_lean
def plus_minus_one(table, rows, columns, random, watched, kept, steps):
    """The peer: two rows, two columns, one more and one less; a step that would go below 0 is not made."""
    low32, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    n_rows, n_columns = np.uint64(rows), np.uint64(columns)
    one_less_row, one_less_column = np.uint64(rows - 1), np.uint64(columns - 1)
    a, b, c, d = random[0], random[1], random[2], random[3]
    for draw in range(len(kept)):
        for _ in range(steps):
            mixed = a + d
            word = ((mixed << np.uint64(23)) | (mixed >> np.uint64(41))) + a
            t = b << np.uint64(17)
            c ^= a
            d ^= b
            b ^= c
            a ^= d
            c ^= t
            d = (d << np.uint64(45)) | (d >> np.uint64(19))
            product = (word >> half) * n_rows
            i = product >> half
            product = (product & low32) * one_less_row
            k = product >> half
            k += np.uint64(k >= i)
            product = (word & low32) * n_columns
            j = product >> half
            product = (product & low32) * one_less_column
            m = product >> half
            m += np.uint64(m >= j)
            upper, under = i * n_columns, k * n_columns
            # Rows in the other order give the other sign.
            two, three = table[upper + m], table[under + j]
            one = min(np.int64(1), min(two, three))
            table[upper + j] += one
            table[under + m] += one
            table[upper + m] = two - one
            table[under + j] = three - one
        for w in range(len(watched)):
            kept[draw, w] = table[watched[w]]
    random[0], random[1], random[2], random[3] = a, b, c, d


@jit_lean
def add_draws(kept, counts):
    """Count the values of kept tables."""
    for draw in range(len(kept)):
        for j in range(kept.shape[1]):
            counts[j, kept[draw, j]] += 1.0


def unit_of(values):
    moves = fw.choose_moves(fw.publish(values, ["A", "B"]))
    unit = units_of(moves, sp.csr_array((0, values.size), dtype=np.int64))[0]
    (kernel,) = (one for one in unit.kernels if isinstance(one, SwapKernel))
    return replace(unit, kernels=(kernel,), shares=(1 << 40,))


def stationary(unit, seed):
    """A chain that has forgotten its start, and knows its windows."""
    chain = Chain(unit, unit.start, streams(seed, 1)[0])
    chain.advance(unit, 400_000_000 // (12 * len(unit.columns)) if len(unit.columns) > 100 else 100_000)
    chain.forget()
    return chain


@dataclass(frozen=True, eq=False)
class Often(SwapKernel):
    """Swaps, with so few steps to a draw that draws are correlated."""

    apart: int

    def steps(self, n_columns):
        return self.apart


def best_of(jobs, rounds):
    """Processor seconds of each job, the best of some rounds in which they take turns."""
    best = dict.fromkeys(jobs, np.inf)
    for _ in range(rounds):
        for name, job in jobs.items():
            begin = time.thread_time()
            job()
            best[name] = min(best[name], time.thread_time() - begin)
    return best


def step_times(unit, values, chain, rounds):
    """Nanoseconds of a step: ours without and with tallies, and +-1."""
    steps = unit.kernels[0].steps(values.size)
    draws = max(1, 1_000_000 // steps)
    table, random = chain.place.table.copy(), streams(3, 1)[0]
    nothing, none = np.zeros(0, dtype=np.int64), np.zeros((1, 0), dtype=np.int64)

    def ours(counts):
        chain.counts = counts
        chain.advance(unit, draws)

    jobs = {
        "off": lambda: ours(False),
        "on": lambda: ours(True),
        "one": lambda: plus_minus_one(table, *values.shape, random, nothing, none, draws * steps),
    }
    best_of(jobs, 1)
    return {name: seconds / (draws * steps) * 1e9 for name, seconds in best_of(jobs, rounds).items()}


def ess_of(chains):
    """Effective draws of the mean of every watched cell; [chain, draw, cell]."""
    draws = chains.astype(float)
    draws -= draws.mean(axis=(0, 1))
    found = effective_draws(draws, draws**2, 1)
    return found[np.ptp(chains, axis=(0, 1)) > 0]


def mixing(quick) -> None:
    print("steps: nanoseconds, and effective draws a second of the slowest cell (of the median cell)")
    print(f"{'':10} {'tallies off':>34} {'whole-line tallies':>34} {'+-1':>26}   off / +-1   on / +-1   at least")
    for name, (values, apart, apart_one, kept_one, target) in CASES.items():
        unit = unit_of(values)
        chain = stationary(unit, 1)
        watched = np.unique(np.linspace(0, values.size - 1, min(values.size, WATCHED)).astype(np.int64))
        often = replace(unit, kernels=(Often(values.shape, apart),))
        rows = KEPT // 4 if quick else KEPT
        ours = []
        for random in streams(5, 4):
            chain.advance(unit, 200)
            one = Chain(often, chain.place.table + unit.offset, random)
            one.counts = False
            ours.append(one.keep(often, watched, rows // 4))
        ess = ess_of(np.stack(ours)) / (rows // 4 * 4 * apart)  # of a step
        rows = kept_one // (20 if quick else 1)
        others = []
        for random in streams(6, 4):
            chain.counts = False
            chain.advance(unit, 1000)
            kept = np.zeros((rows // 4, len(watched)), dtype=np.int64)
            plus_minus_one(chain.place.table.copy(), *values.shape, random, watched, kept, apart_one)
            others.append(kept)
        found = ess_of(np.stack(others))
        ess_one = found / (rows // 4 * 4 * apart_one)
        ns = step_times(unit, values, chain, 5 if quick else 20)
        rate = {
            key: (one.min() * 1e9 / ns[key], np.median(one) * 1e9 / ns[key])
            for key, one in (("off", ess), ("on", ess), ("one", ess_one))
        }
        shown = "  ".join(f"{ns[k]:6.1f} ns {rate[k][0]:10,.1f} ({rate[k][1]:10,.1f})" for k in ("off", "on", "one"))
        ratios = [f"{rate[k][0] / rate['one'][0]:.0f}x ({rate[k][1] / rate['one'][1]:.0f}x)" for k in ("off", "on")]
        print(f"{name:10} {shown} {ratios[0]:>14} {ratios[1]:>14} {target:>5}x", flush=True)
        print(
            f"{'':10} kept every {apart:,} steps of ours, {apart_one:,} of +-1; effective share "
            f"{ess.min() * apart:.2f}, {found.min() / (rows // 4 * 4):.2f}; +-1: {found.min():,.0f} effective draws"
        )


def pmfs(chain, most):
    """[cell, value]: what a chain has credited."""
    windows, found = chain.tally.windows, np.zeros((len(chain.place.table), most))
    assert not windows.shift.any()
    for q in range(len(found)):
        one = shares(windows, q)
        found[q, windows.origin[q] : windows.origin[q] + len(one)] = one[: most - windows.origin[q]]
    return found


def tallies(quick) -> None:
    print("\nwhole-line tallies against histograms of stored tables, one in as many steps as there are cells")
    print("squared error of p(value | margins) (mean over cells and values) x processor time; smaller is better")
    for name, (values, *_, draws, longer, target) in ((k, (*v, *TALLIES[k])) for k, v in CASES.items()):
        unit = unit_of(values)
        kernel, cells = unit.kernels[0], values.size
        steps = kernel.steps(cells)
        draws = draws // 4 if quick else draws
        chain = stationary(unit, 1)
        chain.counts = True
        chain.advance(unit, longer * draws)
        most = int((chain.tally.windows.origin + chain.tally.windows.size).max())
        truth = pmfs(chain, most)
        stored = max(1, draws * steps // cells)
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
            kernel.walk(chain.place, tally, None, stored, cells)
            add_draws(kept, counts)
            seconds[1] = min(seconds[1], time.thread_time() - begin)
            error[1, trial] = np.mean((counts / stored - truth) ** 2)
        product = error.mean(axis=1) * seconds
        fewer = error[1].mean() / error[0].mean()
        print(
            f"{name:10} error {fewer:6.2f} times smaller, time {seconds[0] / seconds[1]:5.2f} times longer:"
            f" {product[1] / product[0]:6.2f}x {target}",
            flush=True,
        )


def threads(quick) -> None:
    print("\nfour chains of a run, seconds of one thread and of two, on the clock; and by processor time,")
    print(
        "as the clock would show if threads never waited (one thread does all that is done at looks, both share the rest)"
    )
    for name, (values, *_) in CASES.items():
        moves = fw.choose_moves(fw.publish(values, ["A", "B"]))
        questions = sp.csr_array((0, values.size), dtype=np.int64)
        most = {16: 1 << 18, 400: 1 << 14}.get(values.size, 1 << 10)
        best, found = np.full((3, 2), np.inf), []
        for _ in range(2 if quick else 5):
            for workers in (1, 2):
                run = new_run(moves, questions, seed=1, chains=4, tolerance=1e-9, most_draws=most)
                with ThreadPoolExecutor(workers) as executor:
                    begin = np.array([time.perf_counter(), time.thread_time(), time.process_time()])
                    run.go_on(executor)
                    spent = np.array([time.perf_counter(), time.thread_time(), time.process_time()]) - begin
                spent[2] -= spent[1]
                best[:, workers - 1] = np.minimum(best[:, workers - 1], spent)
                found.append(run.units[0].pooled.counters.sum())
        assert len(set(found)) == 1, "threads must not change the result"
        clock, looks, rest = best
        alone, both = looks[0] + rest[0], looks[1] + rest[1] / 2
        print(
            f"{name:10} {clock[0]:6.2f} s {clock[1]:6.2f} s {clock[0] / clock[1]:5.2f}x; by processor time {alone:6.2f} s"
            f" {both:6.2f} s {alone / both:5.2f}x (looks {looks[0]:.2f} s); at least 1.8x on two idle processors;"
            f" load average {os.getloadavg()[0]:.1f} on {os.cpu_count()}",
            flush=True,
        )


def main() -> None:
    quick = "--quick" in sys.argv
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n")
    mixing(quick)
    tallies(quick)
    threads(quick)


if __name__ == "__main__":
    main()
