"""Between server, log and auditor: requests become groups of cells, and the log becomes what is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from threading import RLock
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...protect.mechanism.mechanism import Mechanism
from ...protect.methods import METHODS
from ...release.release import unpublished
from ..answer import Answer
from ..cube.request import CONSISTENT, Request
from ..log.entries import Entry
from ..log.log import Log
from ..protecting.making import Maker
from ..rules import ServerRules
from ..totals import requests_of_totals
from .auditor import Auditor
from .sub_cube import sub_cube
from .watch import watch


class Guard:
    """Asks an auditor about requests, and tells it what was answered.

    What was answered is read from the log, in its order, so that a server that is set up anew decides alike.
    """

    def __init__(self, auditor: Auditor, maker: Maker, offered: Iterable[str], rules: ServerRules) -> None:
        if not isinstance(auditor, Auditor):
            raise InputError(f"auditor= is an Auditor(...); this is {auditor!r}.")
        _refuse_rules(rules)
        self.cube = maker.cube
        self.offered = {name: self.cube.labels[name] for name in offered}
        self.watched = sub_cube(self.cube, self.offered, auditor.filters)
        self.watch = watch(auditor, self.watched.dims, self.watched.possible, _mechanism(maker))
        self.lock = RLock()
        self._read = 0
        """The last number of the log that was read."""

    @property
    def notes(self) -> list[str]:
        """What the agency should know."""
        blind = self.watch.blind
        return [self.watch.auditor.words] + ([f"the auditor refuses all that is new: {blind}"] if blind else [])

    def allows(self, request: Request) -> bool:
        """May a request be answered, whatever the answer is?"""
        asked = self._asked(request)
        return asked is not None and self.watch.allows(np.concatenate([groups for _, groups, _ in asked]))

    def catch_up(self, log: Log, answer: Callable[[Request], Answer], digest: Callable[[Answer], str]) -> None:
        """Take in what the log has that was not read yet, by answering it again."""
        for entry in log.entries(after=self._read):
            self._read = entry.number
            if entry.by_figures and not self.watch.blind:
                why = self._take_in(entry, answer, digest)
                if why:
                    self.watch = self.watch.blinded(f"the log has an answer {why}, request {entry.number}")

    def _take_in(self, entry: Entry, answer: Callable[[Request], Answer], digest: Callable[[Answer], str]) -> str:
        """Take in one answer; why not, where that cannot be."""
        asked = self._asked(entry.request) if self._known(entry.request) else None
        if asked is None:
            return "that no auditor would have allowed"
        if not sum(len(groups) for _, groups, _ in asked):
            return ""
        again = answer(entry.request)
        if digest(again) != entry.digest or again.tables is None:
            return "by other data or another method"
        made = [again.tables.whole.published, *(part.published for part in again.tables.totals.values())]
        if not entry.released and any(figures.any() for figures in made):
            return "that was withheld by its figures"
        figures = np.concatenate([of.ravel()[places] for of, (_, _, places) in zip(made, asked, strict=True)])
        self.watch = self.watch.after(np.concatenate([groups for _, groups, _ in asked]), figures)
        return ""

    def _asked(self, request: Request) -> list[tuple[Request, np.ndarray, np.ndarray]] | None:
        """Of the table and those of its totals: the groups of watched cells, and where their figures stand.

        None where a request is refused for its form.
        """
        asked = []
        for part in self._tables(request):
            found = self.watched.groups(self.cube, part)
            if found is None:
                return None
            asked.append((part, *found))
        if request.chosen and any(len(groups) for _, groups, _ in asked):
            return None
        return asked

    def _tables(self, request: Request) -> Iterator[Request]:
        """The whole tables that an answer shows figures of."""
        yield request.whole
        if request.totals == CONSISTENT:
            yield from (part for _, part in requests_of_totals(request.whole, self.cube.in_order(request)))

    def _known(self, request: Request) -> bool:
        """Can this server answer a request of a log at all?"""
        where = dict(request.where)
        names = {*request.dims, *where} <= set(self.offered)
        return names and not request.of and all(set(of) <= set(self.offered[name]) for name, of in where.items())


def _refuse_rules(rules: ServerRules) -> None:
    """Refuse rules by which a refusal tells something of figures that nobody was shown."""
    if (rules.min_population or 0) > 1 or rules.max_small_share is not None or rules.min_mean_cell is not None:
        raise InputError(
            "auditor= goes without the rules min_population, max_small_share and min_mean_cell: what they refuse is told by "
            "figures that were not shown, and the auditor decides by what was."
        )


def _mechanism(maker: Maker) -> Mechanism:
    """The method of a server that an auditor can reckon with."""
    method: Any = maker.after
    plain = maker.protected_cube is None and maker.lattice is None and maker.elsewhere is None
    counts = not maker.magnitudes and maker.weighted_base is None
    if method is None or not method.keyed or method.noisy_zeros or not plain or not counts:
        raise InputError(
            "auditor= goes with counts that are protected by mechanism='random_round', 'perturb' or 'add_noise' after they "
            "were counted, zeros kept: without before=, summed=, weighted_base=, published_before= and noisy_zeros=."
        )
    read = METHODS[method.name].read
    assert read is not None
    mechanism, _ = read(unpublished(()), **method.parameters)
    return mechanism  # type: ignore[return-value]
