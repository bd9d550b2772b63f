"""Refusals as an oracle: labels that are shown are chosen so that the rule about small cells is met or broken by one.

A table is refused if more than a share of its cells are small. Cut to one label of a dim, it says whether that slice has
more small cells than so many; together with slices of which the number is known, whether it has more than any other number.
A slice without a small cell, of which a figure may stand for 0 to 2 people, has nobody there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fiberwalk.server.rules import ServerRules

from ..knowledge.evidence import Evidence
from ..knowledge.outside import Ask, Seen
from ..knowledge.population import Box, Frame
from .attack import most_dims, understood

Key = tuple[tuple[str, ...], str, str]
"""A slice: the dims of the table, the dim that is cut, and its label."""


@dataclass(eq=False)
class Slice:
    """The cells of a table that have one label, and how many of them may be small."""

    cells: int
    fewest: int
    most: int

    @property
    def known(self) -> bool:
        """Is it known how many are small?"""
        return self.fewest == self.most


class Refusals:
    """Every answer and every refusal bounds the number of small cells."""

    name = "refusals"
    words = "tables cut to labels so that the rule about small cells tells how many a slice has"

    def __init__(self, least_labels: int = 2) -> None:
        self.least_labels = least_labels
        """Dims with fewer labels are not cut."""
        self.slices: dict[Key, Slice] = {}

    def requests(self, evidence: Evidence) -> Iterator[Ask]:
        """All slices; then each again, together with known ones."""
        rules = evidence.world.rules
        if rules.max_small_share is None and rules.min_population is None:
            return
        keys = [key for key in self._keys(evidence.world.frame, most_dims(evidence.world))]
        for dims, name, label in keys:
            ask = Ask(dims).with_filter(name, label)
            if not understood(evidence.world, ask):
                continue
            yield ask
            cells = int(np.prod([len(evidence.world.frame.labels(dim)) for dim in dims if dim != name]))
            self.slices[dims, name, label] = Slice(cells, 0, cells)
            self._narrow([(dims, name, label)], evidence.of[ask], rules)
        if rules.max_small_share is None:
            return
        for key in sorted(self.slices, key=lambda key: self.slices[key].cells):
            while (together := self._splitting(key, rules.max_small_share)) is not None:
                dims, name, _ = key
                ask = Ask(dims).with_filter(name, *(label for _, _, label in together))
                yield ask
                if not self._narrow(together, evidence.of[ask], rules):
                    break

    def conclude(self, evidence: Evidence) -> None:
        """What is known of slices becomes knowledge of cells, through what was published of them."""
        world = evidence.world
        if not world.refusals_see_truth:
            return  # the figures tell all that refusals depend on
        self._people(evidence)
        figures = {figure.box: figure for figure in evidence.figures()}
        for key, known in self.slices.items():
            boxes = self._boxes(world.frame, *key)
            shown = [figures[box] for box in boxes if box in figures]
            may_be = [one for one in shown if one.lower <= world.rules.small and one.upper >= 1]
            if known.most == 0:
                for one in may_be:
                    if one.upper <= world.rules.small:
                        evidence.tell(one.box, 0, 0)
                    elif one.lower >= 1:
                        evidence.tell(one.box, world.rules.small + 1, one.upper)
            elif known.fewest == len(may_be) and len(shown) == len(boxes):
                for one in may_be:
                    evidence.tell(one.box, 1, world.rules.small)

    @property
    def found(self) -> tuple[int, int]:
        """Of how many slices the number of small cells is known, and how many there are."""
        return sum(one.known for one in self.slices.values()), len(self.slices)

    def _keys(self, frame: Frame, most: int) -> Iterator[Key]:
        for number in range(2, most + 1):
            for dims in combinations(frame.dims, number):
                for name in dims:
                    if len(frame.labels(name)) >= self.least_labels:
                        for label in frame.labels(name):
                            yield dims, name, label

    def _narrow(self, together: list[Key], seen: Seen, rules: ServerRules) -> bool:
        """What an answer says of the one slice that is not known; False where it says nothing."""
        share = rules.max_small_share
        if share is None or (not seen.released and "cells of 1" not in seen.notice):
            return False
        one = self.slices[together[0]]
        known = sum(self.slices[key].fewest for key in together[1:])
        cells = sum(self.slices[key].cells for key in together)
        allowed = int(np.floor(share * cells + 1e-9)) - known
        before = one.fewest, one.most
        if seen.released:
            one.most = min(one.most, allowed)
        else:
            one.fewest = max(one.fewest, allowed + 1)
        return (one.fewest, one.most) != before

    def _splitting(self, key: Key, share: float) -> list[Key] | None:
        """Known slices that, put beside one, let the rule ask whether it has more than half of what it may have."""
        one = self.slices[key]
        if one.known:
            return None
        dims, name, _ = key
        beside = [
            other for other in self.slices if other[:2] == (dims, name) and other != key and self.slices[other].known
        ]
        best, middle = None, (one.fewest + one.most - 1) / 2
        clean = sorted(beside, key=lambda other: self.slices[other].most)
        for ordered in (clean, clean[::-1]):
            for number in range(1, len(ordered) + 1):
                chosen = ordered[:number]
                cells = one.cells * (number + 1)
                allowed = int(np.floor(share * cells + 1e-9)) - sum(self.slices[other].most for other in chosen)
                if one.fewest <= allowed < one.most:
                    distance = abs(allowed - middle)
                    if best is None or distance < best[0]:
                        best = distance, [key, *chosen]
        return None if best is None else best[1]

    @staticmethod
    def _boxes(frame: Frame, dims: tuple[str, ...], name: str, label: str) -> list[Box]:
        """The cells of a slice."""
        labels = tuple((label,) if dim == name else frame.labels(dim) for dim in dims)
        figures = np.zeros(tuple(map(len, labels)), dtype=int)
        return [box for box, _ in Seen(Ask(dims).with_filter(name, label), True, "", figures, labels).boxes(frame)]

    @staticmethod
    def _people(evidence: Evidence) -> None:
        """How many people a table has, as far as the rule about them tells."""
        least, frame = evidence.world.rules.min_population, evidence.world.frame
        if least is None:
            return
        for seen in evidence.answers:
            box = frame.box(seen.ask.filters)
            known = frame.canonical(box) if all(box) else None
            if known is not None and (seen.released or "population" in seen.notice):
                evidence.tell(known, *((least, 10**9) if seen.released else (0, least - 1)))
