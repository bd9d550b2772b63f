"""A case: a release, a law, and what is known of its cells; and how far an audit by chains is from that."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import fiberwalk as fw

TOLERANCE = 0.02
"""Bits that an entropy of a converged audit may be off by at most, and the tolerance that audits are asked for."""
ERRORS = 5.0
"""Stated errors that anything may be off by."""
COMMON = 0.01
"""Probabilities of at least this are looked at one by one."""
VISITS = 100.0
"""Effective visits from which on the error of a rarer value is looked at, too."""
ENOUGH = 1e-12


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of a cell: its entropy and mean, and where all of its law is known, each probability from `first` on."""

    entropy: float
    mean: float
    first: int = 0
    p: np.ndarray | None = None

    @classmethod
    def of(cls, first: int, p: np.ndarray) -> Known:
        """From the whole law."""
        some = p[p > 0]
        values = first + np.arange(len(p))
        return cls(float(-(some * np.log2(some)).sum()), float(values @ p), first, p)


@dataclass(frozen=True, eq=False)
class Case:
    """Something to audit, and what must come out for some cells."""

    words: str
    release: fw.Release
    law: Any
    known: tuple[tuple[Mapping[str, Any], Known], ...]
    seconds: float = 60.0
    """For one audit."""


@dataclass(frozen=True)
class Outcome:
    """How an audit by chains came out."""

    kind: str
    number: int
    seed: int
    words: str
    converged: bool
    seconds: float
    entropy_off: float = 0.0
    """The largest error of an entropy in bits; then errors in stated errors."""
    entropy: float = 0.0
    mean: float = 0.0
    common: float = 0.0
    rare: float = 0.0
    """... of probabilities below COMMON that were visited often enough."""
    uncovered: int = 0
    """Probabilities of values visited less often that are above the limit which was stated; of how many."""
    limits: int = 0
    problem: str = ""

    @property
    def wrong(self) -> bool:
        """Converged, and not right."""
        off = max(self.entropy, self.mean, self.common) > ERRORS or self.entropy_off > TOLERANCE
        return bool(self.problem) or (self.converged and off)


def exactly(release: fw.Release, law: Any, limit: int = 10**9) -> tuple[tuple[Mapping[str, Any], Known], ...] | None:
    """What exact solving says of all cells; None where it does not get there. Tests hold it to enumerators of their own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = fw.audit(release, law, "exact", limit=limit, progress=False)
        except (fw.TooLarge, fw.InputError):
            return None
    if found.tables == 1:
        return None
    names = [dim.name for dim in release.dims]
    labels = [[dim.node_labels[node] for dim, node in zip(release.dims, key, strict=True)] for key in found.belief.keys]
    cells = [dict(zip(names, one, strict=True)) for one in labels]
    laws = [Known.of(pmf.first, pmf.p) for pmf in found.belief.pmfs]
    return tuple(zip(cells, laws, strict=True))


def audited(case: Case, kind: str, number: int, seed: int) -> Outcome:
    """The case by chains, held to what is known."""
    import time

    begin = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            audit = fw.audit(
                case.release, case.law, "chains", seed, tolerance=TOLERANCE, max_seconds=case.seconds, progress=False
            )
    except fw.TimeUp:  # nothing was told
        return Outcome(kind, number, seed, case.words, False, time.perf_counter() - begin)
    except fw.FiberwalkError as problem:
        return Outcome(kind, number, seed, case.words, False, time.perf_counter() - begin, problem=str(problem)[:300])
    spent = time.perf_counter() - begin
    return compared(audit, case.known, Outcome(kind, number, seed, case.words, audit.converged, spent))


def compared(audit: fw.Audit, known: Sequence[tuple[Mapping[str, Any], Known]], outcome: Outcome) -> Outcome:
    """How far the audit is from what is known of its cells."""
    off, entropy, mean, common, rare = [0.0], [0.0], [0.0], [0.0], [0.0]
    uncovered = limits = 0
    for cell, right in known:
        pmf = audit._pmf(dict(cell), {})
        if pmf.support == 1 and right.entropy == 0:
            continue
        off.append(abs(pmf.entropy - right.entropy))
        entropy.append(off[-1] / max(pmf.entropy_error, ENOUGH) if off[-1] > 1e-9 else 0.0)
        away = abs(pmf.mean - right.mean)
        mean.append(away / max(pmf.mean_error, ENOUGH) if away > 1e-9 * max(1.0, abs(right.mean)) else 0.0)
        if right.p is None or pmf.width > 1:
            continue
        place = pmf.values - right.first
        inside = (place >= 0) & (place < len(right.p))
        truth = np.where(inside, right.p[np.clip(place, 0, len(right.p) - 1)], 0.0)
        z = np.abs(pmf.probabilities - truth) / np.maximum(pmf.errors, ENOUGH)
        z[np.abs(pmf.probabilities - truth) < 1e-12] = 0.0
        often = truth >= COMMON
        common.append(float(z[often].max(initial=0.0)))
        visited = ~often & (pmf.probabilities * pmf.ess >= VISITS)
        rare.append(float(z[visited].max(initial=0.0)))
        seldom = ~often & ~visited
        limits += int(seldom.sum())
        uncovered += int((truth > pmf.limits + 1e-12)[seldom].sum())
    from dataclasses import replace

    return replace(
        outcome, entropy_off=max(off), entropy=max(entropy), mean=max(mean), common=max(common), rare=max(rare),
        uncovered=uncovered, limits=limits,
    )  # fmt: skip
