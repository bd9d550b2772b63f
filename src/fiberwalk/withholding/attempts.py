"""Does a pattern reach its targets? Each is audited as precisely as the answer needs, and what was solved is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..base.interruption import check_time
from ..base.progress import Progress
from ..posterior.belief import Answers, Belief
from ..protect.withholding.problem import SuppressionProblem
from .clear_beliefs import clear_belief, standing_of
from .targets import Standing, Target


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
        """How far figures are beyond their targets under one law."""
        truth = self.problem.figures.values
        keys = [tuple(key) for key in self.problem.figures.keys[figures].tolist()]

        def stand(belief: Belief) -> list[Standing]:
            pmfs = dict(zip(map(tuple, belief.keys.tolist()), belief.pmfs, strict=True))
            return [
                standing_of(self.targets, pmfs[key], int(truth[figure]))
                for key, figure in zip(keys, figures.tolist(), strict=True)
            ]

        belief, found = clear_belief(release, law, stand, seed=self.seed, known=self._known, progress=self.progress)
        doubt = 0.0 if belief.converged else np.inf
        return np.array([one.beyond for one in found]) + doubt
