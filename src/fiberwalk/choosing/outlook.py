"""What intruders believe of the sensitive figures once a candidate is published, and whether that reaches the targets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..base.interruption import INTERRUPTED, TIME_UP, time_up
from ..base.progress import Progress
from ..fiber.laws.by_name import as_law
from ..posterior.belief import Answers, Belief
from ..posterior.parts.pmf import Pmf
from ..protect.withholding.figures.figures import Figures
from ..protect.withholding.problem import SuppressionProblem
from ..release.facts.knowledge import Rule
from ..release.release import Release
from ..release.tables.dims import Dim
from ..withholding.clear_beliefs import clear_belief, standing_of
from ..withholding.targets import Standing, Target

AUDITED = 1
"""The seed of audits: nothing that is published depends on it, and the secret one is not handed around."""


@dataclass(frozen=True, eq=False)
class Outlook:
    """Of one candidate."""

    reached: bool
    why_not: str
    """Which figure is in the way; empty if none is."""
    risk: float
    """Of the worst sensitive figure, before the intruder and under the law that it is worst for."""
    risk_error: float
    belief: Belief
    """An outsider's, under the first law."""
    converged: bool


@dataclass(eq=False)
class Judge:
    """Judges candidates by the targets of one problem."""

    problem: SuppressionProblem
    targets: Sequence[Target]
    laws: Sequence[Any]
    wishes: Mapping[str, Any]
    """The keywords that posed the problem."""
    progress: Progress | None = None
    _known: dict[float, Answers] = field(default_factory=dict)

    @property
    def risk_words(self) -> str:
        """What the risk is, in words."""
        n = int(self.problem.primary.sum())
        whose = "the sensitive figure" if n == 1 else f"the worst of {n:,} sensitive figures"
        seen = ", before contributors who are alone in figures, too" if self.problem.alone else ""
        if len(self.targets) == 1:
            return f"{self.targets[0].risk_words}, {whose}{seen}"
        return f"share of what {' and '.join(one.words for one in self.targets)} allow, {whose}{seen}"

    @property
    def most(self) -> float:
        """The highest risk that the targets allow."""
        return self.targets[0].risk(self.targets[0].limit) if len(self.targets) == 1 else 1.0

    def forget(self) -> None:
        """Forget what is known of blocks: chains that were stopped told less of them than they could."""
        self._known.clear()

    def given_away(self, release: Release) -> list[str]:
        """What a release publishes though it is sensitive, and its own figures that the rule would hide, in words.

        A merged category has figures that the table did not have.
        """
        shown = self._shown(release)
        figures = self.problem.figures
        keys = keys_in(release, figures)
        words = [figures.words(int(at)) for at in np.flatnonzero(self.problem.primary) if tuple(keys[at]) in shown]
        rule = self._rule
        if rule is not None and release.truth is not None:
            for key in shown - set(map(tuple, keys.tolist())):
                value = int(np.asarray(release.row(key) @ release.truth).item())
                if rule.lower <= value <= rule.upper:
                    words.append(release.words(key))
        return words

    def of(self, release: Release) -> Outlook:
        """What intruders believe once it is published."""
        problem, figures = self.problem, np.flatnonzero(self.problem.primary)
        keys = keys_in(release, problem.figures)
        plain = _asking(release, keys[figures])
        given_away = self.given_away(release)
        beyond, risks = np.full(len(figures), -np.inf), np.full((len(figures), 2), -np.inf)
        first: Belief | None = None
        converged = True
        for attacker in range(len(problem.alone) + 1):
            reading, strange = plain, np.ones(len(figures), dtype=bool)
            if attacker:
                own = problem.figures_of_attacker(attacker)
                known = problem.truth[own]
                reading = plain.with_facts(keys[own], problem.figures.matrix[own], known, known)
                strange = ~np.isin(figures, own)
                if not strange.any() or not set(map(tuple, keys[own].tolist())) - self._shown(release):
                    continue
            for law in self.laws:
                belief, standings, measured = self._believed(reading, law, figures, keys)
                _refuse_half_done(belief)
                first = belief if first is None else first
                converged &= belief.converged
                doubt = 0.0 if belief.converged else np.inf
                worse = strange & (standings + doubt > beyond)
                beyond[worse] = standings[worse] + doubt
                higher = strange & (measured[:, 0] > risks[:, 0])
                risks[higher] = measured[higher]
                if given_away:
                    break
            if given_away:
                break  # it is known exactly, and nobody can know more
        assert first is not None
        worst = int(beyond.argmax())
        why = ""
        if given_away:
            why = f"publishes {_some(given_away)}"
        elif not converged:
            why = "chains did not settle"
        elif beyond[worst] > 0:
            names = [problem.figures.words(int(one)) for one in figures[beyond > 0]]
            names.insert(0, names.pop(names.index(problem.figures.words(int(figures[worst])))))
            narrow = f"leaves {names[0]} a narrower interval than wanted"
            why = narrow if np.isinf(beyond[worst]) else f"too much is believed of {_some(names)}"
        risk, error = risks[int(risks[:, 0].argmax())] if not given_away else (self.certain(), 0.0)
        return Outlook(not why, why, float(risk), float(error), first, converged)

    def certain(self) -> float:
        """The risk of a figure that is published as it is."""
        sure = [target.risk(0.0 if target.measure == "bits" else 1.0) for target in self.targets]
        return (
            sure[0]
            if len(sure) == 1
            else max(risk / target.risk(target.limit) for target, risk in zip(self.targets, sure, strict=True))
        )

    def _believed(
        self, reading: Release, law: Any, figures: np.ndarray, keys: np.ndarray
    ) -> tuple[Belief, np.ndarray, np.ndarray]:
        """A belief, how far each figure is beyond its targets by it, and its risk with its error."""
        truth = self.problem.figures.values

        def pmfs(belief: Belief) -> list[Pmf]:
            answers = dict(zip(map(tuple, belief.keys.tolist()), belief.pmfs, strict=True))
            return [answers.get(tuple(keys[at])) or _sure(int(truth[at])) for at in figures.tolist()]

        def stand(belief: Belief) -> list[Standing]:
            return [
                standing_of(self.targets, pmf, int(truth[at]))
                for pmf, at in zip(pmfs(belief), figures.tolist(), strict=True)
            ]

        belief, found = clear_belief(
            reading, as_law(law), stand, seed=AUDITED, known=self._known, progress=self.progress
        )
        of = pmfs(belief)
        wide = self._wide_enough(of, figures)
        beyond = np.where(wide, [one.beyond for one in found], np.inf)
        risks = [self._risk(pmf, int(truth[at])) for pmf, at in zip(of, figures.tolist(), strict=True)]
        return belief, beyond, np.array(risks)

    def _wide_enough(self, pmfs: Sequence[Pmf], figures: np.ndarray) -> np.ndarray:
        """Has each figure the interval that was asked for? Where none was, targets on probabilities say enough."""
        wanted, n = self.problem.sensitive, len(figures)
        if not _said(*(self.wishes.get(name) for name in ("below", "above", "width", "percent"))):
            return np.ones(n, dtype=bool)
        lower, upper = (np.zeros(len(wanted), dtype=np.int64) for _ in range(2))
        lower[:n], upper[:n] = [pmf.lower for pmf in pmfs], [pmf.upper for pmf in pmfs]
        wide = np.asarray(wanted.wide_enough(lower, upper, self.problem.truth))[:n]
        return wide & np.array([pmf.sharp for pmf in pmfs])

    def _risk(self, pmf: Pmf, truth: int) -> tuple[float, float]:
        """The risk of a figure and its standard error: that of the target, of several the largest share of its limit."""
        risks = []
        for target in self.targets:
            value, error = target.of(pmf, truth)
            risk = target.risk(value)
            error = 0.0 if not error else error * risk**2 if target.measure == "bits" else error
            scale = 1.0 if len(self.targets) == 1 else target.risk(target.limit)
            risks.append((risk / scale, error / scale if math.isfinite(risk) else 0.0))
        return max(risks)

    @property
    def _rule(self) -> Rule | None:
        rule, zeros = self.wishes.get("rule"), self.wishes.get("zeros_hidden", False)
        if rule is None:
            return None
        return Rule.parse(rule, zeros_hidden=zeros, decimals=self.problem.figures.start.decimals)

    @staticmethod
    def _shown(release: Release) -> set[tuple[int, ...]]:
        """The keys of everything that is published as it is."""
        cells = np.setdiff1d(np.arange(release.n_cells), release.hidden)
        return set(map(tuple, release.keys[cells].tolist())) | set(map(tuple, release.shown.tolist()))


def keys_in(release: Release, figures: Figures) -> np.ndarray:
    """The keys that the figures of a problem have in a release of its table, whose dims may have further groups."""
    places = [_same_nodes(mine, its) for mine, its in zip(figures.start.dims, release.dims, strict=True)]
    keys = np.stack([place[figures.keys[:, at]] for at, place in enumerate(places)], axis=1)
    missing = np.flatnonzero((keys < 0).any(axis=1))
    if len(missing):
        raise InputError(
            f"its release has no group for {figures.words(int(missing[0]))}, which is a total of the table."
        )
    return keys


def _same_nodes(mine: Dim, its: Dim) -> np.ndarray:
    """For each node of a dim that of another with the same labels below it; -1 where it has none."""
    nodes = {tuple(leaves.tolist()): node for node, leaves in reversed(list(enumerate(its.leaves)))}
    places = np.array([nodes.get(tuple(leaves.tolist()), -1) for leaves in mine.leaves])
    places[mine.total] = its.total
    return places


def _asking(release: Release, keys: np.ndarray) -> Release:
    """The release, asked about sensitive totals, too."""
    already = set(map(tuple, release.asked.tolist())) | set(map(tuple, release.keys.tolist()))
    more = [key for key in keys.tolist() if tuple(key) not in already]
    if not more:
        return release
    return replace(release, asked=np.array([*release.asked.tolist(), *more], dtype=np.int64))


def _sure(value: int) -> Pmf:
    """Of a figure that is published."""
    return Pmf.exact(value, np.ones(1), np.ones(1, dtype=bool))


def _refuse_half_done(belief: Belief) -> None:
    """Chains that were stopped say nothing of a candidate."""
    if belief.stopped == INTERRUPTED:
        raise KeyboardInterrupt
    if belief.stopped == TIME_UP:
        raise time_up("candidates were audited")


def _said(*wanted: Any) -> bool:
    """Is anything wanted?"""
    return any(not (one is None or (isinstance(one, (int, float)) and one == 0)) for one in wanted)


def _some(words: Sequence[str]) -> str:
    return words[0] + (f" and {len(words) - 1} more" if len(words) > 1 else "")
