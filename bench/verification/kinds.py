"""Are errors of entropies as large as they are stated, kind by kind, at the time of stopping? Also those of large tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from waiting.releases import RELEASES

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.chooser import choose
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.run import Run, new_run
from fiberwalk.sampler.chains.settings import ChainSettings
from fiberwalk.sampler.chains.unit import Unit
from fiberwalk.sampler.chains.unit_run import UnitRun
from fiberwalk.sampler.estimate import estimate_by
from verification.parts import Check, Part, Setting, rows

WORDS = (
    "Releases of many kinds and sizes, from the contest *time to answer*, are each sampled with many seeds until the stop "
    "rule is passed. The standard deviation of their entropies over the seeds, all cells together, is divided by the "
    "standard error that the runs state. A kind passes where the 95% interval of this ratio, by a bootstrap over seeds, "
    "overlaps 0.80 to 1.02 and is no wider than 0.2. The median over the seeds is a reference far longer than a run: "
    "of all cells and runs, at least 95% lie within two stated errors of it, 99.5% within three, and 99.5% within the "
    "tolerance."
)
SEEDS = 100
LEAST, MOST, WIDEST = 0.80, 1.02, 0.2
WITHIN = {2: 0.95, 3: 0.995}
IN_TOLERANCE = 0.995
BOTH = ("uniform", "hypergeometric")
USUAL, COARSE = 0.02, 0.05
"""Tolerances in bits: the default, and one that large tables reach in a second."""
KINDS: dict[str, tuple[float, tuple[str, ...]]] = {
    "4 x 4, Snee": (USUAL, BOTH),
    "12 x 12, sparse": (USUAL, BOTH),
    "3 x 4 x 6": (USUAL, BOTH),
    "5 x 4 x 3": (USUAL, BOTH),
    "2^6": (COARSE, BOTH),
    "3^4": (COARSE, BOTH),
    "8 x 8, expected counts": (COARSE, ("expected",)),
    "6 x 6, unimodal": (COARSE, ("unimodal",)),
    "4 x 4 x 4": (COARSE, BOTH),
    "20 x 20, 40% hidden": (COARSE, BOTH),
    "20 x 20, rounded at random": (COARSE, BOTH),
    "linked": (COARSE, BOTH),
    "turnover": (COARSE, ("uniform",)),
    "5 x 6 x 7": (COARSE, BOTH),
    "8 x 8 x 8": (COARSE, BOTH),
    "30 x 30": (COARSE, BOTH),
    "40 x 40, counts under 3 hidden": (COARSE, ("hypergeometric",)),
    "hierarchical": (COARSE, ("hypergeometric",)),
    "100 x 50, 5% hidden": (COARSE, BOTH),
    "1000 x 10, 10% hidden": (COARSE, ("uniform",)),
}
RESAMPLED = 2000


class Found(NamedTuple):
    """The entropies of the open cells of a release in one run, their stated errors, and whether it converged."""

    entropy: np.ndarray
    error: np.ndarray
    converged: bool


class Ready(NamedTuple):
    """Chains of a release that are about to start: what each unit is, its starts, and the release."""

    units: list[tuple[Unit, list[np.ndarray]]]
    release: fw.Release
    fixed: np.ndarray


@cache
def ready(name: str, law: str) -> Ready:
    """Units that are tuned once and for all; how they are tuned is no matter of errors."""
    release = RELEASES[name].release()
    moves = choose(support(release, RELEASES[name].law(law)))
    picked = sp.csr_array(release.picked(release.hidden))
    picked.resize(picked.shape[0], moves.support.solved.fiber.n_columns)
    begun = new_run(moves, picked, ChainSettings(seed=0)).units
    units = [(one.unit, [chain.place.table + one.unit.offset for chain in one.chains]) for one in begun]
    solved = moves.support.solved
    return Ready(units, release, picked @ np.where(solved.decided, solved.start, 0))


def sampled(name: str, law: str, tolerance: float, seed: int) -> Found:
    """One run to its end."""
    here = ready(name, law)
    seeds = np.random.SeedSequence(seed).spawn(len(here.units))
    runs = [
        UnitRun(unit, [Chain(unit, *begin) for begin in zip(starts, streams(own, len(starts)), strict=True)])
        for (unit, starts), own in zip(here.units, seeds, strict=True)
    ]
    run = Run(runs, ChainSettings(seed=seed, tolerance=tolerance))
    result = estimate_by(run, here.release, here.fixed, max_seconds=None, progress=None, short=None)
    laws = [part[0] for question in range(len(result.parts)) if len(part := result.marginals(question)) == 1]
    return Found(
        np.array([law.entropy for law in laws]), np.array([law.entropy_error for law in laws]), result.converged
    )


class Ratio(NamedTuple):
    """Of one kind: the true standard deviation over the stated one with its 95% interval, and what lies within how many."""

    cells: int
    ratio: float
    low: float
    high: float
    within: dict[int, float]
    in_tolerance: float
    not_converged: int

    @property
    def overlaps(self) -> bool:
        """Is the ratio what it should be, as far as the seeds can tell?"""
        return self.low <= MOST and self.high >= LEAST and self.high - self.low <= WIDEST


def ratio_of(entropy: np.ndarray, error: np.ndarray, random: np.random.Generator) -> tuple[float, float, float]:
    """The ratio of [seed, cell] entropies, and the ends of its 95% interval by a bootstrap over seeds."""

    def ratio(times: np.ndarray) -> np.ndarray:
        """With each seed so many times; a row each."""
        n = times.sum(axis=1, keepdims=True)
        mean = times @ entropy / n
        variance = (times @ entropy**2 / n - mean**2).sum(axis=1) * (n / (n - 1))[:, 0]
        return np.asarray(np.sqrt(np.maximum(variance, 0.0) / (times @ (error**2).sum(axis=1) / n[:, 0])))

    entropy = entropy - entropy.mean(axis=0)
    seeds = len(entropy)
    drawn = random.multinomial(seeds, np.full(seeds, 1.0 / seeds), size=RESAMPLED).astype(float)
    low, high = np.quantile(ratio(drawn), [0.025, 0.975])
    return float(ratio(np.ones((1, seeds)))[0]), float(low), float(high)


def judged_kind(found: list[Found], tolerance: float, random: np.random.Generator) -> Ratio:
    """What the runs of a kind say."""
    entropy, error = np.array([one.entropy for one in found]), np.array([one.error for one in found])
    known = (error > 0).all(axis=0)
    entropy, error, seeds = entropy[:, known], error[:, known], len(found)
    # Not the mean: of a cell that most runs know nearly exactly, some may have counted in wider bins, and say so. It is made
    # of the runs themselves, so that they lie a little closer to it than to the truth.
    away = np.abs(entropy - np.median(entropy, axis=0)) * np.sqrt(seeds / (seeds - 1))
    within = {k: float((away < k * error).mean()) for k in WITHIN}
    ratio, low, high = ratio_of(entropy, error, random)
    not_converged = sum(not one.converged for one in found)
    return Ratio(int(known.sum()), ratio, low, high, within, float((away < tolerance).mean()), not_converged)


def run(setting: Setting) -> Part:
    """Sample all kinds with all seeds."""
    seeds = setting.number(SEEDS)
    kinds = [(name, law, tolerance) for name, (tolerance, laws) in KINDS.items() for law in laws]
    tasks = [(*kind, setting.seed * 1000 + k) for kind in kinds for k in range(seeds)]
    runs = list(setting.each(sampled, tasks, "runs to the end"))
    random = np.random.default_rng(setting.seed)
    found = {kinds[k]: judged_kind(runs[k * seeds : (k + 1) * seeds], kinds[k][2], random) for k in range(len(kinds))}
    return judged(found, seeds)


def judged(found: dict[tuple[str, str, float], Ratio], seeds: int) -> Part:
    """What all kinds say."""
    wrong = {"overlaps": "", "within": "", "in_tolerance": "", "not_converged": ""}
    for (name, law, _), one in found.items():
        if not one.overlaps:
            wrong["overlaps"] += f"; {name} ({law}): {one.ratio:.2f}, {one.low:.2f} to {one.high:.2f}"
        if any(one.within[k] < least for k, least in WITHIN.items()):
            wrong["within"] += f"; {name} ({law}): " + ", ".join(f"{share:.2%}" for share in one.within.values())
        if one.in_tolerance < IN_TOLERANCE:
            wrong["in_tolerance"] += f"; {name} ({law}): {one.in_tolerance:.2%}"
        if one.not_converged:
            wrong["not_converged"] += f"; {name} ({law}): {one.not_converged}"
    checks = tuple(
        Check(words, not wrong[what], wrong[what][2:] or f"{len(found)} of {len(found)} kinds")
        for what, words in {
            "overlaps": f"true errors are {LEAST:.2f} to {MOST:.2f} of those stated, as far as {seeds} seeds can tell",
            "within": "at least 95% of entropies lie within two stated errors, and 99.5% within three",
            "in_tolerance": f"at least {IN_TOLERANCE:.1%} of entropies lie within the tolerance",
            "not_converged": "every run converges",
        }.items()
    )
    lines = [
        [
            f"{name}, {law}", f"{one.cells:,}", f"{tolerance:g}", f"{one.ratio:.2f} ({one.low:.2f} to {one.high:.2f})",
            *(f"{share:.2%}" for share in (*one.within.values(), one.in_tolerance)),
        ]
        for (name, law, tolerance), one in found.items()
    ]  # fmt: skip
    head = ["kind", "cells", "tolerance (bits)", "true error / stated", "within two", "within three", "in tolerance"]
    return Part(checks, (f"{seeds} seeds of each kind.", rows(head, lines)))


def pictures(values: dict[str, Any], home: Path) -> Iterator[tuple[Path, str]]:
    """There are none."""
    yield from ()
