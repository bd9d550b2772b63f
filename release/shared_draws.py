"""Random numbers that linked releases share: a figure seen twice counts once, and methods that depend on others say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from ..base.certificate import LIKELIHOODS
from ..base.errors import Contradiction, InputError
from .facts.facts import LABELS, RECORDS, Applied, Evidence
from .release import Release

EXACT, CELLWISE, SUPPORT = LIKELIHOODS
ONE_TABLE = (
    "read together with other tables, only the figures that it cannot change are used: an audit is a LOWER bound of what an "
    "intruder can learn"
)
SAME_SEED = "another table was protected with the same seed, and so with the same random numbers"
SAME_KEYS = "another table used the keys of the same cells for another method"
SHARED_RECORDS = "in another table the same records have the same random number"


def seen_once(evidence: Sequence[Evidence], release: Release) -> tuple[Evidence, ...]:
    """Evidence without repeats: a figure that several tables show by the same random draw tells nothing twice."""
    kept: dict[object, Evidence] = {}
    for number, item in enumerate(evidence):
        if not item.draw or item.key is None:
            kept[number] = item
            continue
        first = kept.setdefault((item.draw, *map(int, item.key)), item)
        if first.figure != item.figure:
            raise Contradiction(
                f"linked releases: {release.words(item.key)} is published as {release.show(first.figure)} in one table and "
                f"as {release.show(item.figure)} in another, though both say that it has the same key ({item.draw})."
            )
    return tuple(kept.values())


def methods_of(releases: Sequence[Release]) -> tuple[Applied, ...]:
    """The methods of several releases over the same dims; where their random numbers depend on each other, none is exact.

    Evidence of several tables is multiplied as if each had random numbers of its own (shared figures count once).
    """
    reasons: dict[Applied, str] = {}
    for first_release, second_release in combinations([release for release in releases if release.evidence], 2):
        for first in first_release.applied:
            for second in second_release.applied:
                if why := _dependence(first, second, first_release, second_release):
                    reasons.setdefault(first, why)
                    reasons.setdefault(second, why)
    methods = dict.fromkeys(method for release in releases for method in release.applied)
    return tuple(_read_together(method, reasons.get(method, "")) for method in methods)


def _read_together(method: Applied, reason: str) -> Applied:
    """A method of one of several linked tables, with what is left out of its likelihood."""
    if method.beyond_evidence:
        words = f"{method.words}; {ONE_TABLE}"
        return replace(method, likelihood=SUPPORT, words=words, mechanism=None, beyond_evidence=False)
    if reason and method.likelihood == EXACT:
        return replace(method, likelihood=CELLWISE, words=f"{method.words}; {reason}, which is left out")
    return method


def _dependence(first: Applied, second: Applied, first_release: Release, second_release: Release) -> str:
    """Why the random numbers of two methods depend on each other; empty where they do not."""
    if first.keys != second.keys:
        return ""
    same_method = (first.name, first.words) == (second.name, second.words)
    both_known = first.seed is not None and second.seed is not None
    if not first.keys:
        return SAME_SEED if both_known and first.seed == second.seed else ""
    here, there = (
        {tuple(item.key.tolist()) for item in table.evidence if item.key is not None}
        for table in (first_release, second_release)
    )
    if first.keys == RECORDS:
        return "" if same_method and here == there else SHARED_RECORDS
    if same_method and both_known and first.seed != second.seed:
        raise InputError(
            f"linked releases: two tables went through {first.name} with keys='{LABELS}' but different seeds, so that their "
            "keys differ; protect both with the same seed=, or without keys=."
        )
    return SAME_KEYS if not same_method and here & there and not (both_known and first.seed != second.seed) else ""
