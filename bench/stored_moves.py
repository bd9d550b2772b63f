"""Effective draws per second of the walk along listed moves, against a chain of single steps (+-1) written in Numba.

    python bench/stored_moves.py [case ...]

Without cases: 4x4x3 and 3x3x3. One thread.
For each case and law: the smallest effective sample size over the cells (Geyer's initial monotone sequence)
by the CPU seconds of its run, the best of several runs of each chain, taken in turn. "of n" is the number of draws kept;
where the effective size comes near it, the thinning hides part of the truth.
"""

from __future__ import annotations

import sys
import time

import numba
import numpy as np
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.fiber.certificate import Certificate
from fiberwalk.fiber.presolve import presolve
from fiberwalk.moves.cycles import cycles
from fiberwalk.moves.known_bases import expand, known_basis
from fiberwalk.moves.listed import Listed
from fiberwalk.moves.random_words import below, fraction, next_word, streams
from fiberwalk.moves.short_cycles import short_cycles
from fiberwalk.sampler.schedule_odds import learn_odds
from fiberwalk.sampler.walk_schedule import listed_arrays, room_for, walk_entries
from fiberwalk.sampler.weights import Weights

TWO_WAY = ["A,B", "A,C", "B,C"]
RUNS = 4


def law_of(name: str, block) -> Weights:
    n = len(block.lower)
    counted = np.full(n, name != "uniform")
    listed = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, block.upper.max() + 3)))])
    kind = 0 if name == "uniform" else 1
    return Weights(kind, counted, np.zeros(n), np.full(n, -1), block.lower.astype(np.int64), np.empty(0), listed)


@numba.njit(nogil=True, error_model="numpy")
def single_steps(start, columns, moves, factorial, lower, upper, table, random, thin, out):
    for row in range(len(out)):
        for _ in range(thin):
            k = below(random, len(start) - 1)
            sign = 1 if next_word(random) >> np.uint64(63) else -1
            inside = True
            for e in range(start[k], start[k + 1]):
                y = table[columns[e]] + sign * moves[e]
                if y < lower[columns[e]] or y > upper[columns[e]]:
                    inside = False
                    break
            if not inside:
                continue
            if factorial:
                ratio = 1.0
                for e in range(start[k], start[k + 1]):
                    x, step = table[columns[e]], sign * moves[e]
                    for i in range(step):
                        ratio /= x + i + 1
                    for i in range(-step):
                        ratio *= x - i
                if ratio < 1.0 and fraction(random) >= ratio:
                    continue
            for e in range(start[k], start[k + 1]):
                table[columns[e]] += sign * moves[e]
        out[row] = table


@numba.njit(nogil=True, error_model="numpy")
def listed_steps(arrays, weights, lower, upper, table, random, thin, room, out):
    made = 0
    for row in range(len(out)):
        made += walk_entries(arrays, weights, lower, upper, table, random, thin, room)
        out[row] = table
    return made


def effective(draws: np.ndarray) -> float:
    """The effective number of draws of one quantity."""
    n = len(draws)
    centred = draws - draws.mean()
    variance = (centred**2).mean()
    if variance == 0:
        return np.inf
    spectrum = np.fft.rfft(centred, 2 * n)
    correlation = np.fft.irfft(spectrum * spectrum.conj())[:n] / n / variance
    pairs = correlation[: n // 2 * 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs <= 0)
    pairs = np.minimum.accumulate(pairs[: negative[0] if len(negative) else len(pairs)])
    return n / max(2 * pairs.sum() - 1, 1 / np.log10(n))


def worst(out: np.ndarray) -> float:
    return min(effective(out[:, j].astype(float)) for j in range(out.shape[1]))


def basis(shape) -> sp.csr_array:
    found = known_basis(shape, [(0, 1), (0, 2), (1, 2)])
    return expand(found.plus, found.minus, shape)


def cases():
    """Name, release, moves, and for each law the thinning of the single steps and of the walk."""
    release = fw.examples.dfkpr01().release
    yield "4x4x3", release, basis((4, 4, 3)), {"uniform": (100, 60), "factorial": (1000, 50)}
    release = fw.publish(np.full((3, 3, 3), 100), TWO_WAY)
    yield "3x3x3", release, basis((3, 3, 3)), {"uniform": (5000, 8), "factorial": (100, 8)}
    rng = np.random.default_rng(5)
    release = fw.suppress(rng.poisson(0.7, (40, 40)), where=rng.random((40, 40)) < 0.25)
    block = max(presolve(release).blocks, key=lambda one: len(one.columns))
    inside = short_cycles(cycles(block)).rows
    spread = sp.csr_array(
        (np.ones(len(block.columns), np.int64), (np.arange(len(block.columns)), block.columns)),
        shape=(len(block.columns), presolve(release).fiber.n_columns),
    )
    yield "sparse 40x40", release, inside @ spread, {"uniform": (20_000, 4000), "factorial": (20_000, 4000)}


def restricted(release, rows):
    """The largest block and the moves that lie in it."""
    block = max(presolve(release).blocks, key=lambda one: len(one.columns))
    rows = sp.csr_array(rows)
    outside = np.ones(rows.shape[1], dtype=bool)
    outside[block.columns] = False
    inside = np.flatnonzero(abs(rows) @ outside == 0)
    return block, sp.csr_array(rows[inside][:, block.columns])


def compare(name: str, release, rows, thins) -> None:
    block, rows = restricted(release, rows)
    n_kept = 40_000 if len(block.columns) < 64 else 2_000
    listed = Listed(rows, Certificate("connected", "stored"))
    lower, upper = block.lower.astype(np.int64), block.upper.astype(np.int64)
    sparse = (rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data.astype(np.int64))
    print(f"{name}: {len(lower)} cells, {rows.shape[0]:,} moves", flush=True)
    for law, (thin_single, thin_listed) in thins.items():
        weights = law_of(law, block)
        random = streams(1, 2)
        table, other = block.start.astype(np.int64), block.start.astype(np.int64)
        begin = time.perf_counter()
        plain = listed_arrays(listed, block, weights)
        arrays = learn_odds(plain, weights, lower, upper, table, random[0], 1_000_000)
        learnt = time.perf_counter() - begin
        out = np.empty((n_kept, len(lower)), dtype=np.int32)
        best = {"+-1": (0.0, ""), "flat": (0.0, ""), "learnt": (0.0, "")}
        for _ in range(RUNS):
            for chain in best:
                if chain == "+-1":
                    thin = thin_single
                    single_steps(*sparse, law != "uniform", lower, upper, other, random[1], thin, out[:1])
                    begin = time.process_time()
                    single_steps(*sparse, law != "uniform", lower, upper, other, random[1], thin, out)
                    seconds, made = time.process_time() - begin, 0
                else:
                    thin, chosen = thin_listed, (arrays if chain == "learnt" else plain)
                    rest = (weights, lower, upper, table, random[0], thin, room_for(chosen))
                    listed_steps(chosen, *rest, out[: n_kept // 10])
                    begin = time.process_time()
                    made = listed_steps(chosen, *rest, out)
                    seconds = time.process_time() - begin
                size = worst(out)
                words = (
                    f"{size / seconds:10,.0f} ESS/s  {seconds / n_kept / thin * 1e9:6.1f} ns a step, "
                    f"{made / n_kept / thin:6.3f} open, {size:7,.0f} effective of {n_kept:,}, thinning {thin}"
                )
                best[chain] = max(best[chain], (size / seconds, words))
        for chain, (speed, words) in best.items():
            print(f"  {law:10} {chain:7} {words}  {speed / best['+-1'][0]:8.1f} x", flush=True)
        print(f"  {law:10} learning took {learnt:.2f} s and made {len(arrays.order):,} entries", flush=True)


if __name__ == "__main__":
    for case in cases():
        if case[0] in (sys.argv[1:] or ["4x4x3", "3x3x3"]):
            compare(*case)
