"""What does an auditor that can be simulated let through, and what does it cost those who mean no harm?

    python bench/studies/server/simulatable_auditor.py [--attacks 250] [--lines 1 3] [--store]

A table of 4 x 3 x 2 cells is drawn from the prior that the auditor has, rounded at random to base 3, and asked about 200
times by up to three dims and one filter: at random, as people do who mean no harm, or by an attacker who works out for
herself what the answers tell (she has the auditor's public rules), and goes after the cell whose probabilities have moved
most, by the smallest groups. A breach is judged by a pool of her own, of other random numbers and more draws, after every
answer. A request that was refused is refused again until something new is answered: that is counted, and not run. The first
line has so many attacks of each kind, the others a twenty-fifth.

With --store what is printed is kept in bench/results/simulatable_auditor.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import fiberwalk as fw
from fiberwalk.posterior.particles.pool import Pool
from fiberwalk.server.auditor.watch import Watch

sys.path.insert(0, str(Path(__file__).parents[2]))

from stored import RESULTS, now
from written import circumstances

SHAPE, REQUESTS = (4, 3, 2), 200
DIMS = {name: tuple(str(place + 1) for place in range(size)) for name, size in zip("ABC", SHAPE, strict=True)}
OWN_DRAWS = 20_000
MAIN = {"least_ratio": 0.1, "breach_share": 0.05, "draws": 10_000}
SETTINGS: list[dict[str, Any] | None] = [
    MAIN,
    {**MAIN, "breach_share": 0.2},
    {**MAIN, "breach_share": 0.5},
    {**MAIN, "draws": 30_000},
    {**MAIN, "least_ratio": 0.25},
    {**MAIN, "least_ratio": 0.5},
    {**MAIN, "predicates": [[1, 2]]},
    {**MAIN, "mu": 3.0, "at_most": 14},
    None,
]
"""Rules of auditors; None: nobody refuses anything."""
Asked = tuple[str, tuple[tuple[str, str], ...]]


def all_requests() -> list[Asked]:
    """Every table of these dims with at most one filter."""
    requests: list[Asked] = []
    for number in (1, 2, 3):
        for dims in combinations(DIMS, number):
            requests.append((",".join(dims), ()))
            others = [(dim, label) for dim in DIMS if dim not in dims for label in DIMS[dim]]
            requests += [(",".join(dims), (one,)) for one in others]
    return requests


@dataclass
class Run:
    """One attack, and what came of it."""

    breached: bool = False
    answered: list[bool] = field(default_factory=list)
    new: int = 0
    """Answers that told something new."""
    seconds: list[float] = field(default_factory=list)
    """Of requests that were run."""


class Attack:
    """Somebody who asks one server, and works out what its answers tell."""

    def __init__(self, settings: dict[str, Any] | None, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        rules = {"mu": 1.0, "at_most": 8, **(settings or MAIN)}
        truth = np.minimum(self.random.poisson(rules["mu"], SHAPE), rules["at_most"])
        auditor = fw.server.Auditor(seed=seed, **rules)
        self.server = fw.server.TableServer(
            truth, mechanism="random_round", parameters={"base": 3}, seed=int(self.random.integers(2**62)),
            auditor=None if settings is None else auditor,
        )  # fmt: skip
        own = fw.server.Auditor(**{**rules, "draws": OWN_DRAWS, "seed": seed + 10**9})
        guard = fw.server.TableServer(truth, mechanism="random_round", parameters={"base": 3}, auditor=own)._guard
        assert guard is not None
        self.guard, self.belief = guard, guard.watch
        self.requests = all_requests()
        self.groups = [guard._asked(self._request(one))[0][1] for one in self.requests]  # type: ignore[index]
        self.refused: set[int] = set()
        self.run = Run()

    def _request(self, asked: Asked) -> Any:
        from fiberwalk.server.cube.request import as_request

        return as_request(asked[0], dict(asked[1]), DIMS)

    def ask(self, number: int) -> None:
        """Ask for one table."""
        if number in self.refused:
            self.run.answered.append(False)
            return
        begin = time.process_time()
        answer = self.server.tabulate(self.requests[number][0], dict(self.requests[number][1]))
        self.run.seconds.append(time.process_time() - begin)
        told = answer.released or answer.notice.startswith("the table is too sparse")  # all its figures are 0
        self.run.answered.append(told)
        if not told:
            self.refused.add(number)
            return
        table = answer.table if answer.released else answer.withheld
        assert table is not None
        before = self.belief
        self.belief = before.after(self.groups[number], table.values.ravel())
        if self.belief.answers > before.answers:
            self.run.new += 1
            self.refused.clear()
            self.run.breached |= breach(self.belief)

    def at_random(self) -> Run:
        """Requests of people who mean no harm."""
        for number in self.random.integers(len(self.requests), size=REQUESTS).tolist():
            self.ask(number)
            if self.belief.blind:
                break
        return self.run

    def adaptively(self) -> Run:
        """Requests for the smallest groups with the cell that moved most, until all that is left is refused."""
        done: set[int] = set()
        while len(self.run.answered) < REQUESTS and not self.belief.blind:
            cell = int(np.argmax(moved(self.belief).max(axis=1)))
            left = [k for k in range(len(self.requests)) if k not in done | self.refused]
            if not left:
                break
            number = min(left, key=lambda k: self._size(k, cell))
            self.ask(number)
            if number not in self.refused:
                done.add(number)
        return self.run

    def _size(self, number: int, cell: int) -> tuple[int, int]:
        """How many cells there are in the group of a cell, and in which order requests of the same size are made."""
        sizes = [int(group.sum()) for group in self.groups[number] if group[cell]]
        return min(sizes, default=10**6), number


def moved(belief: Watch) -> np.ndarray:
    """[cell, predicate]: by how much probabilities have changed, as a logarithm."""
    pool: Pool = belief.pool
    prior, after = pool.law.probabilities @ belief.judged.holds, belief.judged.holds[pool.tables].mean(axis=0)
    return np.abs(np.log(np.maximum(after, 1e-9) / prior))


def breach(belief: Watch) -> bool:
    """Has some predicate become more or less probable than it may be?"""
    after = belief.judged.holds[belief.pool.tables].mean(axis=0)
    return bool(belief.pool.lost or (after < belief.judged.low).any() or (after > belief.judged.high).any())


def attacked(settings: dict[str, Any] | None, seed: int, adaptive: bool) -> Run:
    """What came of one attack."""
    attack = Attack(settings, seed)
    return attack.adaptively() if adaptive else attack.at_random()


def row(settings: dict[str, Any] | None, attacks: int, workers: Executor) -> str:
    """A line of the table."""
    at_random, adaptive = (
        list(workers.map(attacked, [settings] * attacks, range(attacks), [way] * attacks)) for way in (False, True)
    )
    refused = 1 - np.mean([np.mean(one.answered) for one in at_random])
    first = 1 - np.mean([np.mean(one.answered[:10]) for one in at_random])
    seconds = np.concatenate([one.seconds for one in [*at_random, *adaptive]])
    rules = {"mu": 1.0, **MAIN, **(settings or {})}
    watched = " or ".join(str(set(one)) for one in rules.get("predicates", [[1], [2]]))
    said = [rules["least_ratio"], rules["breach_share"], watched, f"{rules['mu']:g}", f"{rules['draws']:,}"]
    cells = [
        *(["no auditor", *[""] * 4] if settings is None else said), attacks,
        f"{np.mean([one.breached for one in at_random]):.1%}", f"{np.mean([one.breached for one in adaptive]):.1%}",
        f"{np.mean([one.new for one in at_random]):.1f}", f"{np.mean([one.new for one in adaptive]):.1f}",
        f"{first:.0%}", f"{refused:.0%}", f"{1000 * np.mean(seconds):.0f}", f"{1000 * np.quantile(seconds, 0.95):.0f}",
    ]  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"


HEAD = (
    "| least ratio | breach share | predicates | expected count | draws | attacks of each kind | breaches, random | "
    "breaches, adaptive | answers with news, random | ... adaptive | refused of the first 10 random | ... of 200 | "
    "ms per request | ... 95% |"
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attacks", type=int, default=250)
    parser.add_argument("--lines", type=int, nargs="*", default=range(1, len(SETTINGS) + 1))
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    begin = time.perf_counter()
    text = [
        f"Attacks of {REQUESTS} requests, {len(all_requests())} different tables, rounded to base 3. Breaches: the share of "
        "attacks in which some answer made a predicate of a cell less probable than the least ratio, or more than its "
        f"inverse, judged by {OWN_DRAWS:,} draws that are not the auditor's. Where an attacker's own pool is lost that "
        "counts as a breach, and she stops. Milliseconds are of processor time.",
        "",
        HEAD,
        "| " + " | ".join(["---"] * HEAD.count(" | ")) + " | --- |",
    ]
    print("\n".join(text), flush=True)
    with ProcessPoolExecutor(2, get_context("spawn")) as workers:
        for line in options.lines:
            text.append(row(SETTINGS[line - 1], options.attacks if line == 1 else -(-options.attacks // 25), workers))
            print(text[-1], flush=True)
    if options.store:
        by = f"python bench/studies/server/simulatable_auditor.py --attacks {options.attacks} --store"
        when = circumstances(now(time.perf_counter() - begin))
        lines = ["# An auditor that can be simulated", "", f"By `{by}`.", "", *text, "", f"*{when}*", ""]
        (RESULTS / "simulatable_auditor.md").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
