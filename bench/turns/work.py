"""What both sides run: contests of fixed work, and seeds whose draws are compared.

Only public names of fiberwalk are used, so that commits with other folders and modules can run it. Chains make a fixed
number of draws, whether they agree or not, on one thread: work that depends on what is drawn would make no ratio of speeds.
The releases are smaller than those of the race, so that a run takes some tenths of a second.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from problems import SNEE, even, margins, problem, suppressed

import fiberwalk as fw

LAWS: Any = fw.laws if "laws" in fw.__all__ else fw
PROTECT: Any = fw.protect if "protect" in fw.__all__ else fw
"""Commits from before there were namespaces have all names in fw itself."""

ONE_THREAD = ThreadPoolExecutor(1)
SEED = 7
NEVER = 1e-9
"""Bits: a tolerance that no chain comes to, so that all make the draws they are told to."""
KEPT = 20
"""Drawn tables of each of two chains that are compared."""


@dataclass(frozen=True)
class Walk:
    """Chains on a release under a law: so many draws are timed, none where only the draws themselves are compared."""

    release: Callable[[], fw.Release]
    law: Callable[[], Any]
    draws: int = 0

    def ready(self) -> Callable[[], object]:
        """An audit by one chain."""
        release, law = self.release(), self.law()
        return lambda: fw.audit(
            release,
            law=law,
            method="chains",
            seed=SEED,
            tolerance=NEVER,
            max_draws=self.draws,
            chains=1,
            executor=ONE_THREAD,
            progress=False,
        )

    def drawn(self) -> np.ndarray:
        """[chain, draw, ...]: tables of two chains."""
        found = fw.sample(self.release(), self.law(), KEPT, 2, SEED, thin=3, executor=ONE_THREAD)
        return found["table"].values


def uniform() -> str:
    """Every table alike."""
    return "uniform"


def hypergeometric() -> str:
    """The log-linear model of what is published."""
    return "hypergeometric"


def with_a_gap() -> Any:
    """One cell may have any value but one: what single moves cannot cross, sub-tables and random lattice bases can."""
    return LAWS.prior([({"A": "1", "B": "1"}, lambda value: float(value != 7))])


def two_way(rows: int, columns: int, n: int) -> Callable[[], fw.Release]:
    """A complete two-way table, given row and column totals."""
    return lambda: fw.publish(even((rows, columns), n), ["A", "B"])


def four_way(size: int, n: int) -> Callable[[], fw.Release]:
    """Four dims, given three two-way margins in a chain."""
    return lambda: fw.publish(even((size,) * 4, n), ["A,B", "B,C", "C,D"])


def named(name: str) -> Callable[[], fw.Release]:
    """A problem of the race."""
    return lambda: problem(name).release


WALKS: dict[str, Walk] = {
    "chains, 4 x 4": Walk(named("4 x 4"), uniform, 16384),
    "chains, 16 x 16": Walk(two_way(16, 16, 5000), uniform, 1024),
    "chains, 24 x 32 in rounds of swaps": Walk(two_way(24, 32, 7680), uniform, 1024),
    "chains, 24 x 24 very sparse": Walk(two_way(24, 24, 36), uniform, 1024),
    "chains, 20 x 20 with holes, uniform": Walk(lambda: suppressed(20, 0.5), uniform, 1024),
    "chains, 20 x 20 with holes, hypergeometric": Walk(lambda: suppressed(20, 0.5), hypergeometric, 1024),
    "chains, 60 x 60 few cells hidden": Walk(lambda: suppressed(60, 0.07), uniform, 1024),
    "chains, 4 x 4 x 3, uniform": Walk(named("4 x 4 x 3"), uniform, 2048),
    "chains, 4 x 4 x 3, hypergeometric": Walk(named("4 x 4 x 3"), hypergeometric, 2048),
    "chains, 5 x 5 x 5 x 5 given AB, BC, CD": Walk(four_way(5, 600), uniform, 1024),
    "chains, 4 x 4 with a gap": Walk(lambda: fw.publish(SNEE // 8, ["A", "B"]), with_a_gap, 1024),
    "independent tables, 12 x 12": Walk(two_way(12, 12, 1440), hypergeometric, 8192),
    "independent tables, 4 x 4 x 4 x 4": Walk(four_way(4, 600), hypergeometric, 4096),
    "2 x 2 x 2 x 2 x 2 given all three-way margins": Walk(
        lambda: fw.publish(even((2,) * 5, 64), margins(5, 3)), hypergeometric
    ),
    "turnover": Walk(named("turnover"), uniform),
    "6 x 5 expected": Walk(two_way(6, 5, 200), lambda: LAWS.expected(even((6, 5), 300, seed=2) + 1)),
    "6 x 5 unimodal": Walk(two_way(6, 5, 200), lambda: LAWS.prior(everywhere=LAWS.unimodal())),
    "5 x 5 randomly rounded": Walk(
        lambda: PROTECT.random_round(even((5, 5), 300), 3, margins=["A", "B"], seed=1), uniform
    ),
}


def exact(release: fw.Release, law: str) -> Callable[[], object]:
    """An audit that counts every table."""
    return lambda: fw.audit(release, law=law, method="exact", progress=False)


def bounds(release: fw.Release) -> Callable[[], object]:
    """Sharp bounds of all cells."""
    return lambda: fw.bounds(release)


def started(*words: str) -> Callable[[], object]:
    """A new process, from nothing to its end."""
    return lambda: subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)


def read() -> Callable[[], object]:
    """A large release made from its table, and all that it decides at once."""
    random = np.random.default_rng(0)
    table, where = random.poisson(10, (250, 250)), random.random((250, 250)) < 0.04
    return lambda: fw.bounds(fw.suppress(table, where=where))


CONTESTS: dict[str, Callable[[], Callable[[], object]]] = {
    **{name: walk.ready for name, walk in WALKS.items() if walk.draws},
    "exact, elimination": lambda: exact(fw.publish(SNEE // 3, ["A", "B"]), "hypergeometric"),
    "exact, enumeration": lambda: exact(fw.publish(np.full((3, 3, 3), 3), margins(3, 2)), "uniform"),
    "bounds, 100 x 100 half hidden": lambda: bounds(suppressed(100, 0.5)),
    "reading, 250 x 250": read,
    "start-up, fiberwalk --help": lambda: started("-m", "fiberwalk", "--help"),
    "start-up, import": lambda: started("-c", "import fiberwalk as fw; fw.publish"),
}
"""By name what makes a contest ready; what it gives is then timed, again and again."""

DRAWS: dict[str, Callable[[], np.ndarray]] = {name: walk.drawn for name, walk in WALKS.items()}
"""By name what a seed draws."""
