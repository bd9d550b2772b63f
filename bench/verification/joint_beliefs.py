"""What many answers of a table server tell together: is what is claimed of finest cells right as often as it is said?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import kstest

import fiberwalk as fw
from verification.parts import Check, Part, Setting, rows

WORDS = (
    "People are drawn from the law that the intruder believes in, a server is asked for tables of them (all of up to three "
    "dims or of up to two, levels, and some with filters), and the finest cells are believed by chains, as one "
    "random number of the same people makes it. The rank of the true count of a cell must then be even, and of the counts "
    "that are claimed with more than 95%, at least 93% must be right. Chains are stopped after some draws; beliefs that "
    "have not converged by then, and say so, are held to the same."
)

LOGS = 100
MOST_DRAWS = 30_000
SURE, RIGHT = 0.95, 0.93
LEAST = 0.001
"""The p-value of the test that ranks are even."""
AGES = [str(age) for age in range(6)]
BANDS = ["young", "young", "middle", "middle", "old", "old"]
METHODS: dict[str, dict[str, Any]] = {
    "random_round": {"parameters": {"base": 3}},
    "add_noise": {"parameters": {"noise": fw.protect.uniform_noise(2)}},
    "add_noise, on zeros too": {"parameters": {"noise": fw.protect.uniform_noise(1)}, "noisy_zeros": True},
    "perturb": {
        "parameters": {"matrix": [[1, 0, 0, 0], [0.3, 0.4, 0.3, 0], [0.1, 0.2, 0.4, 0.3], [0, 0.15, 0.15, 0.7]]},
    },
}


@dataclass(frozen=True)
class Log:
    """One server and its answers: where the truth of one cell stands, and the claims about all."""

    rank: float
    """Uniform if all is well: P(count below the truth) and a random part of P(the truth)."""
    claims: int
    right: int
    outside: int
    """Cells whose true count is outside the bounds."""
    converged: bool


def logged(method: str, seed: int) -> Log:
    """Draw a population, ask, believe, and hold the belief to the truth."""
    random = np.random.default_rng([seed, 29])
    shape = {"region": 2, "age": len(AGES), "sex": 2, "job": 2}
    share = random.gamma(0.7, size=tuple(shape.values()))
    mu = xr.DataArray(share * random.uniform(80, 250) / share.sum(), dims=list(shape))
    mu = mu.assign_coords(
        {"age": AGES, **{dim: [f"{dim}{k}" for k in range(n)] for dim, n in shape.items() if dim != "age"}}
    )
    counts = xr.DataArray(random.poisson(mu), dims=mu.dims, coords={**mu.coords, "band": ("age", BANDS)})
    options = METHODS[method]
    server = fw.server.TableServer(
        counts, mechanism=method.partition(",")[0], **options, seed=int(random.integers(2**31)),
        hierarchies={"age": ["band"]}, rules=fw.server.ServerRules(max_dims=None, max_filters=None, max_labels=None),
    )  # fmt: skip
    most = int(random.integers(2, 4))
    answers = [server.tabulate(list(dims)) for k in range(1, most + 1) for dims in combinations(shape, k)]
    answers += [
        server.tabulate("band,sex,region"),
        server.tabulate("job,sex", {"age": random.choice(AGES, 2).tolist()}),
    ]
    audit = server.believe(
        answers, fw.laws.expected(mu), method="chains", seed=seed, tolerance=0.2, max_draws=MOST_DRAWS, progress=False
    )
    return held_to(audit, counts, random)


def held_to(audit: fw.Audit, counts: xr.DataArray, random: np.random.Generator) -> Log:
    """Ranks and claims of a belief."""
    dims = [dim.name for dim in audit.release.dims]
    cells = audit.belief.release.index(audit.belief.keys)
    truth = [int(counts.sel(dict(zip(dims, labels, strict=True)))) for labels in cells]
    pmfs = audit.belief.pmfs
    one = int(random.integers(len(pmfs)))
    rank = pmfs[one].between(0, truth[one] - 1) + random.random() * pmfs[one].between(truth[one], truth[one])
    modal = [pmf.modal for pmf in pmfs]
    sure = [k for k, (_, p) in enumerate(modal) if p > SURE]
    outside = sum(not pmf.lower <= true <= pmf.upper for pmf, true in zip(pmfs, truth, strict=True))
    return Log(rank, len(sure), sum(modal[k][0] == truth[k] for k in sure), outside, audit.converged)


def run(setting: Setting) -> Part:
    """So many logs, of all methods in turn."""
    methods = list(METHODS)
    tasks = [(methods[k % len(methods)], setting.seed * 100_000 + k) for k in range(setting.number(LOGS))]
    found = list(setting.each(logged, tasks, "logs of a server"))
    return judged((method for method, _ in tasks), found)


def judged(methods: Iterable[str], found: list[Log]) -> Part:
    """What all logs say."""
    by_method: dict[str, list[Log]] = {}
    for method, log in zip(methods, found, strict=True):
        by_method.setdefault(method, []).append(log)
    claims, right = sum(log.claims for log in found), sum(log.right for log in found)
    p = float(kstest([log.rank for log in found], "uniform").pvalue)
    outside = sum(log.outside for log in found)
    checks = (
        Check(f"ranks are even (p at least {LEAST:g})", p >= LEAST, f"p = {p:.3f} of {len(found)} logs"),
        Check(
            f"of counts claimed with more than {SURE:.0%}, at least {RIGHT:.0%} are right",
            claims > 0 and right >= RIGHT * claims,
            f"{right:,} of {claims:,}" + (f", {right / claims:.1%}" if claims else ""),
        ),
        Check("no count is outside its bounds", outside == 0, f"{outside} are"),
    )
    lines = [
        [
            method, str(len(logs)), str(sum(log.converged for log in logs)),
            f"{sum(log.claims for log in logs):,}", f"{sum(log.right for log in logs):,}",
        ]
        for method, logs in by_method.items()
    ]  # fmt: skip
    return Part(checks, (rows(["method", "logs", "converged", "claims", "right"], lines),))


def pictures(values: dict[str, Any], home: Path) -> Iterator[tuple[Path, str]]:
    """None."""
    yield from ()
