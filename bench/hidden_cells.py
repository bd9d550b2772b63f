"""Chains on two-way tables with hidden cells, and on very sparse ones: effective draws per second, one thread.

    python bench/hidden_cells.py [--quick] [--units]

A 200 x 200 table of mean 10, half of its cells hidden or 5%, under both laws. The peer is the usual chain, written in Numba:
a swap (on 5%: a short cycle) at random, one unit forwards or backwards, accepted by the Metropolis rule. "worst" and
"median" are effective draws per second over 200 hidden cells by Geyer's initial monotone sequence; short runs flatter the
peer, which has hardly moved. "alone" leaves out the time of the tally, as it is left out for the peer. "tally" is how many
independent tables per second would estimate the cells' distributions as well as the tally does, by the variance between
batches. `swaps` is the time of a uniform swap on a 20 x 20 table in the same run: figures of different machines compare
through it. `--units` compares swaps of units with hit-and-run on sparse complete tables instead.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.fiber.jit import jit_lean
from fiberwalk.moves.chooser import choose
from fiberwalk.moves.random_words import fraction, next_word, streams
from fiberwalk.sampler.chain import Chain
from fiberwalk.sampler.kernel import MoveKernel, SwapKernel
from fiberwalk.sampler.stock import empty_stock, supplier
from fiberwalk.sampler.unit import Unit
from fiberwalk.sampler.walk_listed import listed_kernel
from fiberwalk.sampler.walk_row_pairs import row_pair_kernel
from fiberwalk.sampler.walk_units import UnitSwapKernel
from fiberwalk.sampler.weights import ALIKE, weights_on
from fiberwalk.sampler.windows import shares

LAWS = ("uniform", "hypergeometric")
CELLS = 200


@jit_lean
def one_unit_at_a_time(stock, factorial, table, lower, upper, random):
    """The peer: each move of a stock once, forwards or backwards, if the bounds and the Metropolis rule allow it."""
    for move in range(stock.state[1]):
        begin, end = stock.start[move], stock.start[move + 1]
        sign = np.int64(next_word(random) >> np.uint64(63)) * 2 - 1
        ratio, inside = 1.0, True
        for e in range(begin, end):
            j, step = stock.columns[e], sign * stock.steps[e]
            x = table[j] + step
            if x < lower[j] or x > upper[j]:
                inside = False
                break
            if factorial:
                ratio *= table[j] if step < 0 else 1.0 / x
        if inside and (ratio >= 1.0 or fraction(random) < ratio):
            for e in range(begin, end):
                table[stock.columns[e]] += sign * stock.steps[e]


def effective(draws: np.ndarray) -> np.ndarray:
    """Geyer's initial monotone sequence, for each column."""
    n = len(draws)
    x = draws[:, draws.std(axis=0) > 0].astype(float)
    x -= x.mean(axis=0)
    spectrum = np.fft.rfft(x, 2 * n, axis=0)
    rho = np.fft.irfft(spectrum * spectrum.conj(), axis=0)[: n // 2 * 2]
    pairs = (rho[0::2] + rho[1::2]) / rho[0]
    positive = np.cumprod(pairs > 0, axis=0)
    tau = 2 * (np.minimum.accumulate(pairs, axis=0) * positive).sum(axis=0) - 1
    return n / np.maximum(tau, 0.1)


def unit_of(block, weights, kernels, shares_of, certificate, order=None) -> Unit:
    order = np.arange(len(block.columns)) if order is None else order
    zero, none = np.zeros(len(order), dtype=np.int64), sp.csr_array((0, len(order)), dtype=np.int64)
    lower, upper, start = block.lower[order], block.upper[order], block.start[order]
    return Unit(block.columns[order], zero, lower, upper, start, weights, kernels, certificate, none, shares_of)


def swap_time(table) -> float:
    """Nanoseconds of a uniform swap, the yardstick."""
    moves = choose(fw.publish(table, ["A", "B"]))
    block, order = moves.support.solved.blocks[0], moves.sets[0].cell.ravel()
    weights = weights_on(moves.support.weigh, block.columns[order], block.lower[order], block.upper[order])
    unit = unit_of(block, weights, (SwapKernel(table.shape),), (1 << 40,), moves.certificate, order)
    chain = Chain(unit, unit.start, streams(1, 1)[0])
    chain.advance(unit, 10)
    return steps_alone(unit, chain, 0, 200_000) * 1e9


def steps_alone(unit, chain, which, steps) -> float:
    """Seconds of a step without the tally, the best of five."""
    kernel, best = unit.kernels[which], np.inf
    for _ in range(5):
        chain.tally.by_steps[0], chain.tally.n_waiting[0] = 0, 0
        begin = time.process_time()
        kernel.walk(chain.place, chain.tally, chain.rooms[which], 1, steps)
        best = min(best, (time.process_time() - begin) / steps)
    chain.tally.n_waiting[0] = 0
    return best


def tally_worth(batches: list[np.ndarray]) -> np.ndarray:
    """Independent draws per batch that would have the variance between the batches of each cell's distribution."""
    each = np.array(batches)
    mean = each.mean(axis=0)
    return (mean * (1 - mean)).sum(axis=1) / np.maximum(each.var(axis=0, ddof=1).sum(axis=1), 1e-12)


def ours(unit, cells, draws) -> None:
    n_batches = 10
    chain = Chain(unit, unit.start, streams(1, 1)[0])
    chain.advance(unit, draws // 5)
    chain.forget()
    found, times, kept = [], [], []
    for _ in range(n_batches):
        begin = time.process_time()
        kept.append(chain.keep(unit, cells, draws // n_batches))
        times.append(time.process_time() - begin)
        windows = chain.tally.windows
        values = np.zeros((len(cells), 1024))
        for i, q in enumerate(cells):
            here = shares(windows, q)[: 1024 - windows.origin[q]]
            values[i, windows.origin[q] : windows.origin[q] + len(here)] = here
        found.append(values)
        chain.forget()
    per_draw = min(times) / (draws // n_batches)
    ess, worth = effective(np.concatenate(kept)) / draws, tally_worth(found) / (draws // n_batches)
    n, whole = len(unit.columns), min(sum(unit.shares), draws)
    alone = sum(
        steps_alone(unit, chain, k, 200 * kernel.steps(n)) * kernel.steps(n) * min(share, whole) / whole
        for k, (kernel, share) in enumerate(zip(unit.kernels, unit.shares, strict=True))
    )
    print(
        f"    ours: worst {ess.min() / per_draw:.0f}, median {np.median(ess) / per_draw:.0f}; alone: worst "
        f"{ess.min() / alone:.0f}, median {np.median(ess) / alone:.0f}; tally: worst {worth.min() / per_draw:.0f}, "
        f"median {np.median(worth) / per_draw:.0f} ({1e6 * per_draw:.0f} us a draw, {1e6 * alone:.0f} without tally; "
        f"{ess.min() * draws:.0f} effective draws seen)",
        flush=True,
    )


def peer(moves, block, weights, cells, rounds) -> None:
    source, random, table = supplier(moves), streams(2, 1)[0], block.start.copy()
    stock, kept, seconds = empty_stock(4), np.empty((rounds, len(cells))), 0.0
    for k in range(-5, rounds):
        begin = time.process_time()
        for _ in range(5):
            source.fill(stock, random)
            one_unit_at_a_time(stock, weights.kind != ALIKE, table, block.lower, block.upper, random)
        seconds += (time.process_time() - begin) * (k >= 0)
        kept[max(k, 0)] = table[cells]
    ess = effective(kept) / seconds
    print(
        f"    +-1:  worst {ess.min():.1f}, median {np.median(ess):.1f} at most ({rounds * 5 * 4096:,} steps)",
        flush=True,
    )


def hidden(quick: bool) -> None:
    for share in (0.5, 0.05):
        rng = np.random.default_rng(0)
        release = fw.suppress(rng.poisson(10, (200, 200)), where=rng.random((200, 200)) < share)
        for law in LAWS:
            moves = choose(release, law)
            number = int(np.argmax([len(one.columns) for one in moves.support.solved.blocks]))
            block, (fast, around) = moves.support.solved.blocks[number], moves.sets[number].parts
            weights = weights_on(moves.support.weigh, block.columns, block.lower, block.upper)
            if share == 0.5:
                kernel, turns = row_pair_kernel(fast, weights, block.lower, block.upper, block.start), (49, 1)
            else:
                kernel, turns = listed_kernel(fast, weights, block), (49, 1)
            unit = unit_of(block, weights, (kernel, MoveKernel(around, weights)), turns, moves.certificate)
            print(f"{share:.0%} hidden, {law}: {len(block.columns):,} cells, {unit.words}")
            cells = np.random.default_rng(3).choice(len(block.columns), CELLS, replace=False)
            scale = 1 if share == 0.5 else 10
            ours(unit, cells, (400 if quick else 4000) * scale)
            peer(fast, block, weights, cells, 200 if quick else 2000)


def sparse(quick: bool) -> None:
    for mean in (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0):
        table = np.random.default_rng(5).poisson(mean, (50, 50))
        table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        moves = choose(fw.publish(table, ["A", "B"]))
        block, order = moves.support.solved.blocks[0], moves.sets[0].cell.ravel()
        weights = weights_on(moves.support.weigh, block.columns[order], block.lower[order], block.upper[order])
        shape = moves.sets[0].cell.shape
        print(f"{shape[0]} x {shape[1]}, mean {block.start.mean():.2f}: hit-and-run, then swaps of units")
        for kernel in (SwapKernel(shape), UnitSwapKernel(shape, int(block.start.sum()))):
            unit = unit_of(block, weights, (kernel,), (1 << 40,), moves.certificate, order)
            ours(unit, np.random.default_rng(3).choice(len(order), CELLS, replace=False), 1000 if quick else 10_000)


if __name__ == "__main__":
    print(f"swaps: {swap_time(np.random.default_rng(0).poisson(25, (20, 20))):.1f} ns")
    (sparse if "--units" in sys.argv else hidden)("--quick" in sys.argv)
    print(f"swaps: {swap_time(np.random.default_rng(0).poisson(25, (20, 20))):.1f} ns")
