"""Does a pattern reach its targets? Each is audited as precisely as the answer needs, and what was solved is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..base.interruption import check_time
from ..base.progress import Progress
from ..posterior.belief import Answers, believe, budget_for
from ..protect.withholding.problem import SuppressionProblem
from ..sampler.chains.settings import ChainSettings
from .targets import Standing, Target

PRECISIONS = (0.2, 0.05, 0.02)
"""Tolerances in bits, one after the other until every figure is clearly on one side of its target."""
EXACTLY = 300_000_000
"""Operations of exact solving of a block, for one pattern of many: some tenths of a second."""


@dataclass(eq=False)
class Attempts:
    """Patterns of a problem, and what an intruder would believe of its sensitive figures where they are withheld."""

    problem: SuppressionProblem
    targets: Sequence[Target]
    laws: Sequence[Any]
    seed: int
    progress: Progress | None = None
    audited: int = 0
    _known: dict[float, Answers] = field(default_factory=dict)
    _seen: dict[bytes, np.ndarray] = field(default_factory=dict)

    def beyond(self, hidden: np.ndarray) -> np.ndarray:
        """How far each sensitive figure is beyond its targets under the worst law, before the best informed intruder."""
        mark = np.packbits(hidden).tobytes()
        if mark not in self._seen:
            self._seen[mark] = self._asked(hidden)
        return self._seen[mark]

    def reached(self, hidden: np.ndarray) -> bool:
        """Does no sensitive figure lie beyond its targets?"""
        return bool((self.beyond(hidden) <= 0).all())

    def _asked(self, hidden: np.ndarray) -> np.ndarray:
        self.audited += 1
        check_time("patterns of suppressions were audited")
        figures = np.flatnonzero(self.problem.primary)
        worst = np.full(len(figures), -np.inf)
        for attacker in range(len(self.problem.alone) + 1):
            if attacker and not hidden[self.problem.figures_of_attacker(attacker)].any():
                continue
            release = self.problem.released(hidden, attacker)
            strange = ~np.isin(figures, self.problem.alone[attacker - 1]) if attacker else np.ones(len(figures), bool)
            for law in self.laws:
                worst[strange] = np.maximum(worst[strange], self._unless_refused(release, law, figures[strange]))
        return worst

    def _unless_refused(self, release: Any, law: Any, figures: np.ndarray) -> np.ndarray:
        """What one law says; a law that cannot be fitted where so much is withheld says nothing good of a pattern."""
        try:
            return self._of_law(release, law, figures)
        except InputError:
            if self.audited == 1:  # it is refused from the first
                raise
            return np.full(len(figures), np.inf)

    def _of_law(self, release: Any, law: Any, figures: np.ndarray) -> np.ndarray:
        """How far figures are beyond their targets under one law; chains go on only where that is not clear."""
        truth = self.problem.figures.values
        keys = [tuple(key) for key in self.problem.figures.keys[figures].tolist()]
        for tolerance in PRECISIONS:
            settings = ChainSettings(self.seed, tolerance=tolerance)
            belief = believe(
                release, law, budget=replace(budget_for("auto", tolerance=tolerance), operations=EXACTLY), settings=settings,
                known=self._known.setdefault(tolerance, {}), progress=self.progress,
            )  # fmt: skip
            pmfs = dict(zip(map(tuple, belief.keys.tolist()), belief.pmfs, strict=True))
            found: list[Standing] = []
            for key, figure in zip(keys, figures.tolist(), strict=True):
                each = [target.standing(pmfs[key], int(truth[figure])) for target in self.targets]
                found.append(Standing(max(one.beyond for one in each), all(one.clear for one in each)))
            if belief.converged and (belief.method == "exact" or all(one.clear for one in found)):
                break
        doubt = 0.0 if belief.converged else np.inf
        return np.array([one.beyond for one in found]) + doubt
