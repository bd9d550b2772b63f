"""In the measures of others: what papers on samplers print figures of, by our chains, on one thread.

    python bench/waiting/measures.py

Hazelton, McVeagh and van Brunt (2021) count effective draws a second under the uniform law; Bakenhus and Petrovic (2023)
the distinct tables that are found in a second.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from effective import course, rates, ready

from fiberwalk.base.random_streams import streams
from fiberwalk.sampler.chains.chain import Chain
from waiting.releases import RELEASES

EFFECTIVE = ("3 x 4 x 6", "30 x 15")
DISTINCT = ("4 x 4, Snee", "5 x 5 x 5, 625 units", "10 x 10 x 10, 65% possible")
SECOND, AT_A_TIME = 1.0, 2000


def effective(name: str, tables: int = 1000) -> str:
    """Effective draws a second, beside those of the chain that moves by one unit along the same moves."""
    ours, single, _ = rates(course(RELEASES[name].release(), "uniform"), tables)
    return (
        f"{name}, uniform: {ours.slowest:,.0f} effective draws a second of the slowest cell, {ours.median:,.0f} of the "
        f"median one; the +-1 chain {single.slowest:,.0f} and {single.median:,.0f}"
    )


def distinct(name: str, seconds: float = SECOND) -> str:
    """Different tables among the draws of a chain that walks for a second."""
    here = ready(RELEASES[name].release(), "uniform")
    unit, every = here.unit, np.arange(len(here.unit.columns))
    chain = Chain(unit, here.starts[0], streams(7, 1)[0])
    chain.counts = False
    marks, spent, draws = [], 0.0, 0
    # Two tables have the same mark by chance once in 2^64: a sum of odd numbers that overflows.
    factors = np.random.default_rng(1).integers(0, 2**63, len(every), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    while spent < seconds:
        begin = time.perf_counter()
        kept = chain.keep(unit, every, AT_A_TIME)
        spent += time.perf_counter() - begin
        draws += len(kept)
        marks.append(np.unique((kept.astype(np.uint64) * factors).sum(axis=1)))
    found = len(np.unique(np.concatenate(marks)))
    return f"{name}, uniform: {found / spent:,.0f} distinct tables a second, among {draws / spent:,.0f} draws"


def measured() -> Iterator[str]:
    """All of them, in words."""
    yield from (effective(name) for name in EFFECTIVE)
    yield from (distinct(name) for name in DISTINCT)


if __name__ == "__main__":
    for line in measured():
        print(line, flush=True)
