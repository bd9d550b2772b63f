"""What of a table the rules release, decided on its protected figures."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .cube.hypercube import Hypercube
from .cube.request import Request
from .protecting.making import Made
from .rules import ServerRules


@dataclass(frozen=True)
class Verdict:
    """Which labels of areas may be shown (None: the table is refused), and which not or, of a refused one, why."""

    kept: tuple[str, ...] | None
    why: tuple[str, ...]


@dataclass(frozen=True)
class Judge:
    """The rules of a server about figures."""

    rules: ServerRules
    cube: Hypercube
    small: int
    """The largest published figure that is small."""

    def verdict(self, request: Request, made: Made) -> Verdict:
        """What of a whole table is released."""
        areas = self.rules.areas
        if areas is None or areas not in request.dims:
            broken = self._broken(made.published, made.possible)
            return Verdict(None if broken else (), tuple(broken))
        axis, every = self.cube.in_order(request).index(areas), self.cube.labels[areas]
        parts = [(made.published.take(place, axis), made.possible.take(place, axis)) for place in range(len(every))]
        why = {label: self._broken(*part) for label, part in zip(every, parts, strict=True)}
        asked = request.chosen.get(areas, every)
        kept = tuple(label for label in asked if not why[label])
        if kept:
            return Verdict(kept, tuple(label for label in asked if why[label]))
        return Verdict(None, tuple(f"{areas}={label}: {'; '.join(why[label])}" for label in asked))

    def released(self, request: Request, made: Made) -> np.ndarray:
        """The figures of a whole table; not a number where they are not released."""
        verdict = self.verdict(request, made)
        figures = made.shown.astype(float)
        if verdict.kept is None:
            figures[...] = np.nan
        elif verdict.kept and self.rules.areas is not None:
            axis = self.cube.in_order(request).index(self.rules.areas)
            out = np.array([label not in verdict.kept for label in self.cube.labels[self.rules.areas]])
            figures[(slice(None),) * axis + (out,)] = np.nan
        return figures

    def shown(self, request: Request, verdict: Verdict) -> Request:
        """The request with those areas that may be shown; of a refused table the whole."""
        if verdict.kept is None:
            return request.whole
        if self.rules.areas is None or not verdict.kept:
            return request
        where = dict(request.where) | {self.rules.areas: verdict.kept}
        if len(verdict.kept) == len(self.cube.labels[self.rules.areas]):
            del where[self.rules.areas]
        return replace(request, where=tuple((name, where[name]) for name in self.cube.column if name in where))

    def _broken(self, published: np.ndarray, possible: np.ndarray) -> list[str]:
        """The rules that published figures break, among the cells that can have anybody."""
        return self.rules.broken_by_figures(self.rules.size_of(published[possible], self.small), self.small)
