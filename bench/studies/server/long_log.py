"""How long a ranking takes to take up one answer more when thousands were answered, and how much memory it holds.

    python bench/studies/server/long_log.py [--answers 10000] [--seed 1] [--store]

Requests are made at random, by up to three dims and at most one filter of one label, of the example hypercube (245,700
cells, 1.5 million people), rounded at random to base 3; after each answer the ranking is brought up to date. With --store
what is printed is kept in bench/results/long_log.md.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import fiberwalk as fw

sys.path.insert(0, str(Path(__file__).parents[2]))

from stored import RESULTS, now
from written import circumstances

HEAD = (
    "answers",
    "distinct requests",
    "figures held",
    "cells of 1 or 2 people, P >= 0.95",
    "s of processor an answer, mean of the new ones",
    "... 95%",
    "... longest",
    "memory, MiB",
)


def asked_at_random(cube: object, random: np.random.Generator) -> tuple[list[str], dict[str, str]]:
    """Up to three dims, and in half of all requests a filter by one label of another."""
    names = list(cube.dims)  # type: ignore[attr-defined]
    chosen = [names[place] for place in random.permutation(len(names))]
    dims, rest = chosen[: (number := int(random.integers(1, 4)))], chosen[number:]
    if random.random() < 0.5:
        return dims, {}
    labels = cube[rest[0]].values  # type: ignore[index]
    return dims, {rest[0]: str(labels[int(random.integers(len(labels)))])}


def line(values: object) -> str:
    return "| " + " | ".join(map(str, values)) + " |"  # type: ignore[call-overload]


def main() -> None:
    """Print how time and memory grow."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    random, begin = np.random.default_rng(options.seed), time.perf_counter()
    cube = fw.examples.hypercube()
    server = fw.server.TableServer(cube, mechanism="random_round", parameters={"base": 3}, seed=options.seed)
    ranking = server.audit()
    text = [line(HEAD), line(["---"] * len(HEAD))]
    print("\n".join(text), flush=True)
    seconds: list[float] = []
    steps = {int(step) for step in (10, 30, 100, 300, 1000, 2000, 3000, 5000, 10_000) if step <= options.answers}
    for number in range(1, options.answers + 1):
        server.tabulate(*asked_at_random(cube, random))
        before, known = time.process_time(), len(ranking.seen)
        ranking.update()
        if len(ranking.seen) > known:
            seconds.append(time.process_time() - before)
        if number in steps | {options.answers}:
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            figures, sure = len(ranking.neighbourhoods.figures), len(ranking.sure)
            times = (np.mean(seconds), np.quantile(seconds, 0.95), np.max(seconds)) if seconds else (0.0, 0.0, 0.0)
            row = [f"{number:,}", f"{len(ranking.seen):,}", f"{figures:,}", f"{sure:,}"]
            text.append(line([*row, *(f"{value:.3f}" for value in times), f"{memory:,.0f}"]))
            print(text[-1], flush=True)
            seconds = []
            if options.store:  # each line as soon as it is there, so that nothing is lost of a run of hours
                keep(text, ranking.left_out, number, options, time.perf_counter() - begin)
    print(*left_out(ranking.left_out), sep="\n")


def left_out(what: Mapping[str, int]) -> list[str]:
    """What the ranking did not read."""
    return [f"Left out: {number:,} {words}." for words, number in what.items()] or ["Nothing was left out."]


def keep(text: list[str], what: Mapping[str, int], number: int, options: argparse.Namespace, seconds: float) -> None:
    """Write what was found so far."""
    by = f"python bench/studies/server/long_log.py --answers {options.answers} --seed {options.seed} --store"
    so_far = "" if number == options.answers else f" It was not at its end: these are {number:,} answers."
    lines = ["# A log of many answers", "", f"By `{by}`.{so_far}", "", *text, "", *left_out(what), ""]
    lines += [f"*{circumstances(now(seconds))}*", ""]
    (RESULTS / "long_log.md").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
