"""Do chains ever converge to what is wrong? Cases that are made to mislead them, each with the right answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from verification.adversaries import KINDS, kind
from verification.adversaries.case import COMMON, ERRORS, TOLERANCE, VISITS, Case, Outcome, audited
from verification.parts import Check, Part, Setting, rows

WORDS = (
    "Cases that are made to mislead chains: opinions with two narrow peaks or with gaps on each of six cells, counts from a "
    "thousand to a billion, thin and sparse fibers with means over four decades, figures published by chance beside exact "
    "totals, intruders with units of their own. Each is sampled from several seeds and held to brute force, to exact "
    "solving, or to the normal limit of large counts. Converged and wrong means: an entropy, a mean or a probability of at "
    f"least {COMMON:.0%} off by more than {ERRORS:.0f} stated errors, or an entropy off by more than {TOLERANCE:g} bits."
)
CASES = {"peaks": 30, "large_counts": 40, "thin_fibers": 100, "chance": 60, "insiders": 60}
LONG = {"peaks": 200, "large_counts": 300, "thin_fibers": 1500, "chance": 800, "insiders": 800}
CONVERGE = {"peaks": 0.8}
"""Shares of audits that must converge within their time; of others there is no such rule."""
COVERED = 0.995
BEYOND = 0.001
"""Of the audits in which a rarer value that was visited often enough may be off by more than ERRORS."""
MOST_SHOWN = 12


def the_case(name: str, seed: int, number: int) -> Case:
    """A case of a kind, by its number."""
    rng = np.random.default_rng([seed, KINDS.index(name), number])
    while True:
        found: Case | None = kind(name).case(rng)
        if found is not None:
            return found


def tried(name: str, seed: int, number: int, chain_seed: int) -> Outcome:
    """One case from one seed of the chains."""
    return audited(the_case(name, seed, number), name, number, chain_seed)


def tasks(cases: dict[str, int], seed: int) -> list[tuple[str, int, int, int]]:
    """All that is to be tried."""
    return [
        (name, seed, number, 1 + again)
        for name, n in cases.items()
        for number in range(n)
        for again in range(kind(name).SEEDS)
    ]


def run(setting: Setting) -> Part:
    """A tenth of what `make verify-long` tries."""
    cases = {name: setting.number(n) for name, n in CASES.items()}
    return judged(list(setting.each(tried, tasks(cases, setting.seed), "adversarial audits")))


def judged(found: Iterable[Outcome]) -> Part:
    """None may be wrong; most must converge; errors of rare values must be what they are said to be."""
    found = list(found)
    wrong = [one for one in found if one.wrong]
    settled = [one for one in found if one.converged]
    checks = [Check("none is converged and wrong", not wrong, f"{len(wrong)} of {len(settled):,} converged audits")]
    for name, least in CONVERGE.items():
        some = [one for one in found if one.kind == name]
        share = np.mean([one.converged for one in some]) if some else 1.0
        checks.append(
            Check(f"{name}: at least {least:.0%} converge in time", bool(share >= least), f"{share:.1%} of {len(some)}")
        )
    beyond = sum(one.rare > ERRORS for one in settled)
    allowed = max(1.0, BEYOND * len(settled))
    checks.append(
        Check(
            f"at most one audit in {1 / BEYOND:,.0f} has a value below {COMMON:.0%}, of at least {VISITS:.0f} effective "
            f"visits, beyond {ERRORS:.0f} stated errors",
            bool(beyond <= allowed),
            f"{beyond} of {len(settled):,}",
        )
    )
    limits, uncovered = sum(one.limits for one in settled), sum(one.uncovered for one in settled)
    share = 1.0 - uncovered / max(limits, 1)
    checks.append(
        Check(
            f"limits of rarer values cover at least {COVERED:.1%}", bool(share >= COVERED), f"{share:.3%} of {limits:,}"
        )
    )
    lines = [
        _line(name, [one for one in found if one.kind == name]) for name in dict.fromkeys(one.kind for one in found)
    ]
    head = ["kind", "audits", "converged", "largest errors: entropy", "mean", f"p from {COMMON:.0%}", "bits off"]
    told = [f"* {one.kind} {one.number}, seed {one.seed}: {one.words}; {one.problem or _how(one)}" for one in wrong]
    more = [f"Wrong, the first {MOST_SHOWN} of {len(wrong)}:", *told[:MOST_SHOWN]] if wrong else []
    return Part(tuple(checks), (rows(head, lines), "\n".join(more)) if more else (rows(head, lines),))


def _line(name: str, some: list[Outcome]) -> list[str]:
    settled = [one for one in some if one.converged]
    largest = [
        max((getattr(one, of) for one in settled), default=0.0) for of in ("entropy", "mean", "common", "entropy_off")
    ]
    shares = f"{len(settled) / max(len(some), 1):.1%}"
    return [
        name.replace("_", " "),
        f"{len(some):,}",
        shares,
        *(f"{one:.1f}" for one in largest[:3]),
        f"{largest[3]:.4f}",
    ]


def _how(one: Outcome) -> str:
    far = f"entropy {one.entropy:.1f}, mean {one.mean:.1f}, p {one.common:.1f} stated errors"
    return f"{far}, {one.entropy_off:.3f} bits off"


def pictures(values: dict[str, Any], home: Path) -> Iterator[tuple[Path, str]]:
    """None."""
    yield from ()
