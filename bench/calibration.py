"""Are the errors that an audit by chains states the errors that it makes? Random small releases, chains against exact.

For each cell that was sampled: how often p(x|y), the mean and the entropy lie within two of their stated standard errors of
the exact ones, and the entropy within three. About 95% of probabilities and means should, and at least 95% of entropies,
whose stated errors make room for values that were not seen.

python bench/calibration.py [number of releases]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import fiberwalk as fw


def random_release(rng: np.random.Generator) -> fw.Release | None:
    """A release of one of several kinds, small enough to be solved exactly; None where nothing is open."""
    kind = rng.choice(["margins", "hidden", "three-way", "three margins", "rounded", "rows only", "two squares"])
    mean = float(rng.choice([1.0, 3.0, 8.0]))
    if kind == "margins":
        shape = tuple(rng.integers(2, 5, 2))
        release = fw.publish(rng.poisson(mean, shape) + 1, margins=["A", "B"])
    elif kind == "hidden":
        table = rng.poisson(mean, tuple(rng.integers(3, 7, 2)))
        mask = rng.random(table.shape) < 0.6
        if not mask.any():
            return None
        release = fw.suppress(table, where=mask)
    elif kind == "three-way":
        table = rng.poisson(mean, tuple(rng.integers(2, 4, 3)))
        mask = rng.random(table.shape) < 0.8
        if not mask.any():
            return None
        release = fw.suppress(table, where=mask)
    elif kind == "three margins":
        shape = (2, int(rng.integers(2, 4)), int(rng.integers(2, 4)))
        release = fw.publish(rng.poisson(mean, shape) + 1, margins=["A,B", "B,C", "A,C"])
    elif kind == "rounded":
        release = fw.round_to(rng.poisson(mean, tuple(rng.integers(2, 4, 2))), base=int(rng.choice([3, 5])))
    elif kind == "rows only":
        release = fw.publish(rng.poisson(mean, (3, 4)) + 1, margins=["A"])
    else:
        # two blocks that have nothing to do with each other but for the sums that are asked about
        mask = np.kron(np.eye(2, dtype=bool), np.ones((2, 2), dtype=bool))
        release = fw.suppress(rng.poisson(mean, (4, 4)) + 1, where=mask)
    return release


def random_law(rng: np.random.Generator, release: fw.Release) -> Any:
    """One of the laws; expected counts that differ widely from cell to cell make for rare values."""
    kind = rng.choice(["uniform", "hypergeometric", "expected counts"])
    return (
        fw.expected(rng.lognormal(0.0, 1.5, release.grids[0].cells.shape)) if kind == "expected counts" else str(kind)
    )


@dataclass
class Calibration:
    """Errors in units of their stated standard errors."""

    p: list[float] = field(default_factory=list)
    mean: list[float] = field(default_factory=list)
    entropy: list[float] = field(default_factory=list)
    releases: int = 0
    bounds_differ: int = 0
    not_converged: int = 0

    def shares(self) -> dict[str, float]:
        """How many lie within two standard errors."""
        return {name: float(np.mean(np.abs(getattr(self, name)) < 2)) for name in ("p", "mean", "entropy")}


def calibrate(releases: int, first: int = 1) -> Iterator[Calibration]:
    """Audit random releases both ways; what has been found so far after each of them."""
    rng = np.random.default_rng(first)
    found = Calibration()
    while found.releases < releases:
        release = random_release(rng)
        if release is None:
            continue
        law = random_law(rng, release)
        margins = ["B", ""] if rng.random() < 0.3 else []
        try:
            exact = fw.audit(release, law, "exact", hidden_margins=margins, limit=10**9)
        except fw.TooLarge:
            continue
        if exact.tables == 1:
            continue
        seed = int(rng.integers(2**31))
        sampled = fw.audit(release, law, "chains", seed, hidden_margins=margins, progress=False)
        found.releases += 1
        found.not_converged += not sampled.converged
        for one, other in zip(sampled.belief.pmfs, exact.belief.pmfs, strict=True):
            if one.method == "exact":
                continue
            found.bounds_differ += (one.lower, one.upper) != (other.lower, other.upper)
            truth = np.array([other.between(int(v), int(v)) for v in one.values])
            found.p += ((one.probabilities - truth) / one.errors).tolist()
            found.mean.append((one.mean - other.mean) / max(one.mean_error, 1e-12))
            found.entropy.append((one.entropy - other.entropy) / max(one.entropy_error, 1e-12))
        yield found


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for found in calibrate(number):
        if found.releases in (number, number // 4, number // 2):
            shares = found.shares()
            print(
                f"{found.releases} releases, {len(found.mean)} sampled cells; within two standard errors: "
                f"{shares['p']:.1%} of {len(found.p)} probabilities, {shares['mean']:.1%} of means, "
                f"{shares['entropy']:.1%} of entropies (within three: {np.mean(np.abs(found.entropy) < 3):.1%}); "
                f"{found.bounds_differ} bounds differ, {found.not_converged} did not converge",
                flush=True,
            )


if __name__ == "__main__":
    main()
