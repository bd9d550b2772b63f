"""Are the errors that an audit by chains states the errors that it makes? Random small releases, chains against exact."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import fiberwalk as fw
from verification.parts import Check, Part, Setting, rows

WORDS = (
    "Random small releases are audited twice, exactly and by chains. Of each cell that was sampled, the errors of p(x|y), "
    "of the probability of at most x, of the mean and of the entropy are taken in units of the errors that the audit "
    "states. If these are what they should be, 68% lie within one, 95% within two and 99.7% within three; of entropies and "
    "of very small probabilities more, as their stated errors make room for values that were not seen. Errors of exactly "
    "nothing are those of cells whose whole law a single step counts; they are left out."
)
RELEASES = 600
NORMAL = {1: 0.6827, 2: 0.9545, 3: 0.9973}
LEAST = {
    "p": {2: 0.94, 3: 0.985},
    "common": {2: 0.93, 3: 0.98},
    "tail": {2: 0.93, 3: 0.98},
    "mean": {2: 0.93, 3: 0.98},
    "entropy": {2: 0.95, 3: 0.985},
}
"""Shares that must lie within so many standard errors."""
MOST_WITHIN_ONE = {"common": 0.8, "tail": 0.8, "mean": 0.8}
"""Errors that are stated much too large would pass all else. Not asked of all probabilities: a third of them are of values
so rare that their stated errors, which make room for what was not seen, are a hundred times what they can be wrong by."""
NAMES = {
    "p": "probabilities",
    "common": "probabilities from 1% to 99%",
    "tail": "tail probabilities from 1% to 99%",
    "mean": "means",
    "entropy": "entropies",
}
COMMON = 0.01
NOTHING = 1e-9
"""Standard errors; what is less is the rounding of numbers."""
QUANTILES = 199
EXTREMES = 20
"""Of the largest and smallest errors each is kept for the picture."""


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
        fw.laws.expected(rng.lognormal(0.0, 1.5, release.grids[0].cells.shape))
        if kind == "expected counts"
        else str(kind)
    )


@dataclass(frozen=True)
class Calibration:
    """Errors in units of their stated standard errors, of one release or of many."""

    p: tuple[float, ...] = ()
    common: tuple[float, ...] = ()
    """Of probabilities that are neither nearly 0 nor nearly 1."""
    tail: tuple[float, ...] = ()
    mean: tuple[float, ...] = ()
    entropy: tuple[float, ...] = ()
    bounds_differ: int = 0
    not_converged: int = 0

    def share(self, of: str, within: float) -> float:
        """How many lie within so many standard errors."""
        return float(np.mean(np.abs(getattr(self, of)) < within))


def put_together(found: Iterable[Calibration]) -> Calibration:
    """Of many releases."""
    every = list(found)
    errors = {name: tuple(z for one in every for z in getattr(one, name)) for name in NAMES}
    return Calibration(
        **errors,
        bounds_differ=sum(one.bounds_differ for one in every),
        not_converged=sum(one.not_converged for one in every),
    )


def calibrated(seed: int, number: int) -> Calibration:
    """A random release, audited both ways."""
    rng = np.random.default_rng([seed, number])
    while True:
        release = random_release(rng)
        if release is None:
            continue
        law = random_law(rng, release)
        margins = ["B", ""] if rng.random() < 0.3 else []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of means that no figure settles
            try:
                exact = fw.audit(release, law, "exact", hidden_margins=margins, limit=10**9)
            except fw.TooLarge:
                continue
            if exact.tables == 1:
                continue
            chain_seed = int(rng.integers(2**31))
            sampled = fw.audit(release, law, "chains", chain_seed, hidden_margins=margins, progress=False)
        return compared(sampled, exact)


def compared(sampled: fw.Audit, exact: fw.Audit) -> Calibration:
    """The errors of all sampled cells and sums."""
    p: list[float] = []
    common: list[float] = []
    tail: list[float] = []
    mean: list[float] = []
    entropy: list[float] = []
    differ = 0
    for one, other in zip(sampled.belief.pmfs, exact.belief.pmfs, strict=True):
        if one.method == "exact":
            continue
        differ += (one.lower, one.upper) != (other.lower, other.upper)
        truth = np.array([other.between(int(v), int(v)) for v in one.values])
        wrong_by = (one.probabilities - truth) / one.errors
        p += wrong_by.tolist()
        common += wrong_by[(truth >= COMMON) & (truth <= 1 - COMMON)].tolist()
        truth = np.minimum(other.up_to(one.values), 1.0)
        found = np.array([one.between(one.lower, int(v)) for v in one.values])
        errors = np.array([one.between_error(one.lower, int(v)) for v in one.values])
        tail += ((found - truth) / errors)[(truth >= COMMON) & (truth <= 1 - COMMON)].tolist()
        mean.append((one.mean - other.mean) / max(one.mean_error, 1e-12))
        entropy.append((one.entropy - other.entropy) / max(one.entropy_error, 1e-12))
    errors = (tuple(z for z in some if abs(z) > NOTHING) for some in (p, common, tail, mean, entropy))
    return Calibration(*errors, bounds_differ=differ, not_converged=int(not sampled.converged))


def run(setting: Setting) -> Part:
    """Audit all releases both ways."""
    number = setting.number(RELEASES)
    tasks = ((setting.seed, k) for k in range(number))
    return judged(put_together(setting.each(calibrated, tasks, "releases audited both ways")), number)


def judged(found: Calibration, releases: int) -> Part:
    """What the errors say."""
    checks = [
        Check(
            "sampled cells have the bounds of the exact audit",
            found.bounds_differ == 0,
            f"{found.bounds_differ} differ",
        ),
        Check("every audit converges", found.not_converged == 0, f"{found.not_converged} of {releases:,} do not"),
    ]
    for of, least in LEAST.items():
        for within, share in least.items():
            seen = found.share(of, within)
            words = f"at least {share:.1%} of {NAMES[of]} lie within {within} stated standard errors"
            checks.append(Check(words, seen >= share, f"{seen:.2%}"))
    for of, most in MOST_WITHIN_ONE.items():
        seen = found.share(of, 1)
        words = f"errors of {NAMES[of]} are not stated much too large: at most {most:.0%} within one"
        checks.append(Check(words, seen <= most, f"{seen:.2%}"))
    lines = [
        [NAMES[of], f"{len(getattr(found, of)):,}", *(f"{found.share(of, k):.1%}" for k in NORMAL)] for of in NAMES
    ]
    lines.append(["a normal error", "", *(f"{share:.1%}" for share in NORMAL.values())])
    table = rows(["of", "how many", "within one", "within two", "within three"], lines)
    values = {NAMES[of]: _quantiles(np.array(getattr(found, of)), 1 if of == "entropy" else 2) for of in NAMES}
    return Part(tuple(checks), (f"{releases:,} releases.", table), values)


def _quantiles(z: np.ndarray, sides: int) -> dict[str, Any]:
    """Sorted errors for a QQ plot, every one of the extremes and some of the others; one side: without their signs."""
    ordered = np.sort(z if sides == 2 else np.abs(z))
    ends = np.concatenate([np.arange(EXTREMES), len(z) - 1 - np.arange(EXTREMES)])
    some = np.concatenate([np.linspace(0, len(z) - 1, QUANTILES).astype(int), ends[(ends >= 0) & (ends < len(z))]])
    some = np.unique(some)
    at = (some + 0.5) / len(z)
    return {
        "number": len(z),
        "sides": sides,
        "at": [float(f"{one:.7g}") for one in at],
        "z": [float(f"{one:.4g}") for one in ordered[some]],
    }


def pictures(values: dict[str, Any], home: Path) -> Iterator[tuple[Path, str]]:
    """The QQ plots."""
    from verification.plots import error_plots

    path = home / "verification_calibration.png"
    yield error_plots(values, path), "QQ plots of errors in stated standard errors against the normal law"
