"""Candidates, one after the other: published, audited by the targets, and measured by what users keep."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ..auditing import audit
from ..base.errors import FiberwalkError, TimeUp
from ..base.interruption import INTERRUPTED, TIME_UP, check_time, time_limit
from ..base.progress import Progress
from ..maps.map_axis import Measure
from ..maps.map_methods import Candidate, check_release, original_of
from ..maps.map_seen import Seen
from ..maps.own_functions import in_words
from ..release.release import Release
from ..release.tables.tables import Table
from ..report.words import doubts
from ..results.audit_result import Audit
from ..results.cheapest_result import Tried
from ..results.map_result import NOT_AUDITED, Run
from ..withholding.suppressing import suppression
from ..withholding.suppression_result import Suppression
from .ladders import MERGE, SUPPRESSION, Ladder
from .merges import Level, Merge, levels
from .outlook import AUDITED, Judge


@dataclass(eq=False)
class Trials:
    """Candidates for one table."""

    table: Table
    judge: Judge
    utility: Measure
    margins: Any
    """The totals that are published."""
    seed: int
    tell: Progress
    tried: list[Tried] = field(default_factory=list)
    suppressed: Suppression | None = None

    def all_of(self, allowed: Sequence[Ladder], max_seconds: float | None) -> str:
        """Try all that is allowed; why that ended early, if it did."""
        try:
            with time_limit(max_seconds):
                for ladder in allowed:
                    self._climb(ladder)
        except (KeyboardInterrupt, TimeUp) as ended:
            found = self.suppressed
            if found is not None and all(one.release is not found.release for one in self.tried):
                name = next(ladder.name for ladder in allowed if ladder.kind == SUPPRESSION)
                self.judge.forget()
                self.tried.append(self._of_pattern(name, found))  # an ended search has found it, and it is not given up
            if not self.tried:
                raise  # there is nothing to tell yet
            return TIME_UP if isinstance(ended, TimeUp) else INTERRUPTED
        return ""

    def original(self) -> Run:
        """The table as it is, on the map."""
        release = original_of(self.table).publish(0)
        seen = Seen(self.table, release, None, partial(audit, release))
        n = int(self.judge.problem.primary.sum())
        return _run(original_of(self.table), None, (self.judge.certain(), 0.0), (self.utility.of(seen), 0.0), n, seen)

    def _climb(self, ladder: Ladder) -> None:
        for one in self._of(ladder):
            self.tried.append(one)
            self.tell(f"{one.name}: {'reaches the target' if one.reached else one.why_not}")
            if one.reached and ladder.climbed:
                break

    def _of(self, ladder: Ladder) -> Iterator[Tried]:
        if ladder.kind == SUPPRESSION:
            yield self._suppressed(ladder.name)
            check_time("candidates were audited")
            if self.suppressed is not None and INTERRUPTED in self.suppressed.withheld.stopped:
                raise KeyboardInterrupt
        elif ladder.kind == MERGE:
            for level in levels(self.table, self._given_away):
                self.tell(f"{ladder.name}: {level.looked_at:,} ways to have {level.lost} categories fewer")
                yield self._best_of(ladder.name, level)
        else:
            for candidate in ladder.rungs:
                yield self._published(candidate)

    def _published(self, candidate: Candidate) -> Tried:
        """A candidate of a ladder, with a seed of its own if it is random."""
        check_time("candidates were audited")
        number = seed_of(self.seed, candidate) if candidate.random else None
        try:
            release = in_words(lambda: candidate.publish(0 if number is None else number))
            check_release(release, self.table)
            return self._judged(candidate, release, number)
        except TimeUp:
            raise
        except FiberwalkError as problem:
            return _refused(candidate, str(problem))

    def _suppressed(self, name: str) -> Tried:
        """The cheapest pattern, which is a candidate if there is one."""
        task, wanted = self.judge.problem, [one.words for one in self.judge.targets]
        number = seed_of(self.seed, _pattern(name))
        try:
            self.suppressed = suppression(
                task, until=wanted, law=list(self.judge.laws), seed=number, progress=self.tell
            )
        except TimeUp:
            raise
        except FiberwalkError as problem:
            return _refused(_pattern(name), str(problem))
        return self._of_pattern(name, self.suppressed)

    def _of_pattern(self, name: str, found: Suppression) -> Tried:
        return self._judged(_pattern(name), found.release, found.seed, found.withheld.what_was_withheld)

    def _given_away(self, merge: Merge) -> list[str]:
        """What merged categories publish though it is sensitive."""
        check_time("merged categories were looked at")
        return self.judge.given_away(merge.release(self.margins))

    def _best_of(self, name: str, level: Level) -> Tried:
        """Of the merges that lose so many categories the best that reaches the target; else one that is near to it."""
        best: Tried | None = None
        for merge in level.merges or (level.nearest,):
            check_time("candidates were audited")
            candidate = Candidate(name, "categories lost", level.lost, publish=_nothing)
            try:
                one = self._judged(candidate, merge.release(self.margins), None, merge.words, level)
            except TimeUp:
                raise
            except FiberwalkError as problem:
                one = _refused(candidate, str(problem))
            if best is None or _rank(one) > _rank(best):
                best = one
        assert best is not None
        return best

    def _judged(
        self, candidate: Candidate, release: Release, number: int | None, what: str = "", level: Level | None = None
    ) -> Tried:
        """A candidate by what intruders believe, and by what users keep."""
        self.judge.progress = lambda line: self.tell(f"{candidate.method} {candidate.setting}: {line}")
        seen_by_intruders = self.judge.of(release)
        belief = seen_by_intruders.belief
        told = {"law": belief.law, "seed": AUDITED}
        seen = Seen(self.table, release, None, partial(Audit, belief, told))
        utility = self.utility.of(seen), self.utility.error(seen)
        n = int(self.judge.problem.primary.sum())
        run = _run(candidate, number, (seen_by_intruders.risk, seen_by_intruders.risk_error), utility, n, seen)
        return Tried(
            run, seen_by_intruders.reached, seen_by_intruders.why_not, what, release,
            1 if level is None else level.looked_at, level is None or level.complete,
        )  # fmt: skip


def seed_of(seed: int, candidate: Candidate) -> int:
    """The seed of a random candidate: it follows from the secret one and from its name, whatever else is tried."""
    name = hashlib.blake2b(f"{candidate.method} {candidate.setting}".encode(), digest_size=16).digest()
    words = np.random.SeedSequence([seed, int.from_bytes(name, "big")]).generate_state(2, np.uint64)
    return int(words[0]) << 64 | int(words[1])


def _pattern(name: str) -> Candidate:
    return Candidate(name, publish=_nothing, random=True)


def _nothing(seed: int) -> Release:
    raise AssertionError("patterns and merges are searched for")


def _rank(one: Tried) -> tuple[bool, float]:
    """Those that reach the target by their utility, the others by their risk."""
    value = one.run.utility if one.reached else -one.run.risk
    return one.reached, -math.inf if math.isnan(value) else value


def _run(
    candidate: Candidate,
    number: int | None,
    risk: tuple[float, float],
    utility: tuple[float, float],
    at_risk: int,
    seen: Seen,
) -> Run:
    """A candidate as a map knows it."""
    looked = seen.audited
    certificate = (seen.release.likelihood, NOT_AUDITED)
    if looked is not None:
        certificate = looked.certificate.likelihood, looked.certificate.word
    return Run(
        candidate.method, candidate.parameter, candidate.value, number, risk[0], utility[0], math.nan, *certificate,
        looked is None or looked.converged, tuple(word for word, _ in doubts(looked)) if looked else (), risk[1], at_risk,
        utility[1],
    )  # fmt: skip


def _refused(candidate: Candidate, why: str) -> Tried:
    """A candidate that cannot be."""
    run = Run(
        candidate.method, candidate.parameter, candidate.value, None, math.nan, math.nan, math.nan, "exact", NOT_AUDITED,
        True,
    )  # fmt: skip
    return Tried(run, False, why)
