"""Who could be known by now from everything that was answered, and from which requests; taken up answer by answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from ...base.errors import InputError
from ...base.progress import Progress
from ..log.entries import Entry, digest_of
from .groups import Group, Groups
from .neighbourhoods import NO_DIM, Neighbourhood, Neighbourhoods
from .solving import Figure, Solver, Told, probability, told_by

if TYPE_CHECKING:
    import pandas as pd

    from ..answer import Answer
    from ..log.log import Log

MOST_FIGURES = 300_000
"""Distinct figures that are held; further ones are left out, and counted."""
WEAKER = (
    "Figures are read in neighbourhoods: of the same people, by up to two dims more, every table alike. Whoever reads all "
    "of them together knows more: what is certain here is certain, and no probability here is a limit of anything."
)


class Known(NamedTuple):
    """How well a cell is known, and how that came about."""

    told: Told
    where: Neighbourhood
    request: int | None
    """The request by which it came to be known as well as the limit says; None: it is not."""


@dataclass(eq=False, repr=False)
class Ranking:
    """The cells of a few people that are known best, from everything that was answered to everybody or to one user.

    `update()` takes up what was asked since; only what the new answers touch is worked out again. Figures of refused tables
    count as if they had been told, because a refusal tells at most as much.
    """

    log: Log
    user: str | None
    limit: float
    small: int
    groups: Groups
    solver: Solver
    ask: Callable[[Entry], Answer | None]
    """The answer to a request of the log, made again; None where it was of another version of the server."""
    inside: Callable[[Group], bool]
    """Which groups are looked at."""
    neighbourhoods: Neighbourhoods = field(default_factory=Neighbourhoods)
    known: dict[Group, Known] = field(default_factory=dict)
    taken: int = 0
    """The number of the last request that was taken up."""
    left_out: dict[str, int] = field(default_factory=dict)
    """What was not read, and how often."""
    seen: dict[str, int] = field(default_factory=dict)
    """Requests that were taken up, by what they ask for."""

    def __repr__(self) -> str:
        return f"<Ranking of {len(self.known):,} cells from {len(self.seen):,} requests>"

    def update(self, progress: Progress | None = None, most: int | None = None) -> Ranking:
        """Take up what was asked since, or so many requests of it that were not asked before; itself."""
        new, distinct = self.log.entries(self.user, after=self.taken), len(self.seen)
        for place, entry in enumerate(new):
            if most is not None and len(self.seen) - distinct >= most:
                break
            if progress is not None:
                progress(f"request {place + 1:,} of {len(new):,}")
            self.taken = entry.number
            self._take_up(entry)
        return self

    @property
    def waiting(self) -> int:
        """How many requests were made that are not taken up yet."""
        return self.log.number_after(self.taken, self.user)

    @property
    def cells(self) -> pd.DataFrame:
        """A row for each cell of at most `small` people, as far as is known, those that are known best first."""
        import pandas as pd

        order = sorted(self.known.items(), key=lambda one: (-(one[1].told.value > 0), -one[1].told.p, one[0]))
        rows = [
            (
                self.groups.words(group), known.told.lower, known.told.upper, known.told.value, known.told.p,
                known.told.lower == known.told.upper, known.request,
            )
            for group, known in order
        ]  # fmt: skip
        columns = ["cell", "lower", "upper", "value", "p", "known", "request"]
        frame = pd.DataFrame(rows, columns=columns).astype({"request": "Int64"})
        return frame.set_index("cell")

    @property
    def sure(self) -> pd.DataFrame:
        """The cells with somebody in them that are known for certain, or with a probability of at least the limit."""
        cells = self.cells
        return cells[(cells["value"] > 0) & (cells["p"] >= self.limit)]

    def summary(self) -> str:
        """What was read, who could be known, and what was left out."""
        sure = self.sure
        certain = int(sure["known"].sum())
        of = "everybody" if self.user is None else self.user
        lines = [
            f"{len(self.seen):,} distinct requests of {of}, with {len(self.neighbourhoods.figures):,} distinct figures.",
            f"Cells of 1 to {self.small} people: {certain:,} known for certain, {len(sure) - certain:,} more with "
            f"P >= {self.limit:g}.",
        ]
        if len(sure):
            tipped = sure["request"].value_counts()
            lines.append(
                f"Most of them came to be known by request {tipped.index[0]}: {tipped.iloc[0]:,} "
                f"({self.log.entry(int(tipped.index[0])).request.words})."
            )
        lines += [f"Left out: {number:,} {what}." for what, number in self.left_out.items()]
        return "\n".join([*lines, WEAKER])

    def why(self, cell: str) -> pd.DataFrame:
        """Which requests tell of a cell: how well it is known from each alone, and from all the others without it.

        `cell` is its name in `cells`. Where no request is enough by itself, it is their comparison that tells; not a number:
        the cell is not told apart then.
        """
        import pandas as pd

        named = {self.groups.words(group): group for group in self.known}
        if cell not in named:
            raise InputError(f"{cell!r}: there is no such cell in the ranking; see the index of cells.")
        known = self.known[named[cell]]
        figures = self._figures(known.where)
        numbers = sorted({n for figure in figures for n in self.neighbourhoods.requests[figure.group]})
        rows = []
        for number in numbers:
            mine = [figure for figure in figures if number in self.neighbourhoods.requests[figure.group]]
            others = [figure for figure in figures if set(self.neighbourhoods.requests[figure.group]) - {number}]
            alone, without = (self._p_of(known, named[cell], part) for part in (mine, others))
            entry = self.log.entry(number)
            rows.append((number, entry.user, entry.request.words, alone, without))
        return pd.DataFrame(rows, columns=["request", "user", "asked", "p_alone", "p_without"]).set_index("request")

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write a report on one page, for the agency alone."""
        from ...report.log_page import write_log_report

        write_log_report(self, path)

    def _p_of(self, known: Known, cell: Group, figures: list[Figure]) -> float:
        """How probable the count that a cell is known as is by some figures; not a number where none tells of it."""
        law = self.solver.read(known.where, figures).laws.get(cell) if figures else None
        return float("nan") if law is None else probability(law, known.told.value)

    def _take_up(self, entry: Entry) -> None:
        if not entry.by_figures:
            return
        text = entry.request.words
        if text in self.seen:
            return
        answer = self.ask(entry)
        if answer is None or answer.tables is None:
            self._leave_out("requests that were answered by other data, keys, rules, method or seed")
            return
        if not answer.tables.whole.of_counts:
            self._leave_out("tables of weighted counts, sums or means")
            return
        self.seen[text] = entry.number
        touched: set[Neighbourhood] = set()
        for groups, figures in _figures_of(self.groups, answer):
            kept = [
                (group, figure)
                for group, figure in zip(groups, figures, strict=True)
                if self.inside(group) and self._room_for(group)
            ]
            touched |= self.neighbourhoods.add(entry.number, [one for one, _ in kept], [one for _, one in kept])
        self._solve(touched, entry.number)

    def _room_for(self, group: Group) -> bool:
        figures = self.neighbourhoods.figures
        if group in figures or len(figures) < MOST_FIGURES:
            return True
        self._leave_out("figures, as there are too many")
        return False

    def _solve(self, touched: set[Neighbourhood], number: int) -> None:
        """Work out again what some neighbourhoods tell; a large one line by line."""
        waiting = sorted(
            touched, key=lambda one: (one.other != NO_DIM, one)
        )  # those of two dims come first, from the end
        done: set[Neighbourhood] = set()
        while waiting:
            where = waiting.pop()
            if where in done:
                continue
            done.add(where)
            figures = self._figures(where)
            if not figures:
                continue
            laws, whole = self.solver.read(where, figures)
            lines = [] if where.other == NO_DIM else self.neighbourhoods.lines(where)
            if whole:
                done.update(lines)
            elif where.other == NO_DIM:
                self._leave_out("lines of too many cells")
            else:
                waiting += lines
            for group, law in laws.items():
                self._note(group, None if law is None else told_by(law), where, number)

    def _note(self, group: Group, told: Told | None, where: Neighbourhood, number: int) -> None:
        """Keep what is known best of a cell, if it is one of a few people."""
        before = self.known.get(group)
        if told is None or told.value > self.small:
            if before is not None and before.where == where:
                del self.known[group]
            return
        if before is not None and before.where != where and before.told.p >= told.p:
            return
        sure = told.p >= self.limit
        request = (
            before.request if sure and before is not None and before.request is not None else number if sure else None
        )
        self.known[group] = Known(told, where, request)

    def _figures(self, where: Neighbourhood) -> list[Figure]:
        return [Figure(group, self.neighbourhoods.figures[group]) for group in self.neighbourhoods.of(where)]

    def _leave_out(self, what: str) -> None:
        self.left_out[what] = self.left_out.get(what, 0) + 1


def _figures_of(groups: Groups, answer: Answer) -> Iterator[tuple[list[Group], list[int]]]:
    """Whom the counts of an answer are about, and what they are; those of its totals as well."""
    assert answer.tables is not None
    tables = answer.tables
    parts = [(tables.request, tables.made)]
    whole = tables.request.whole
    parts += [(replace(whole, dims=kept, totals=""), made) for kept, made in tables.totals.items()]
    for request, made in parts:
        known = made.possible.ravel().copy()
        if made.elsewhere is not None:
            known &= made.elsewhere.ravel() < 0  # those tell what they told elsewhere
        pairs = [
            (group, figure)
            for group, figure, own in zip(groups.of(request), made.published.ravel().tolist(), known, strict=True)
            if own
        ]
        yield [group for group, _ in pairs], [figure for _, figure in pairs]


def answered_again(answer: Callable[..., Answer], version: int, seed: int) -> Callable[[Entry], Answer | None]:
    """How requests of a log are answered again: the same figures, or none, where data, keys, rules or method are others."""

    def ask(entry: Entry) -> Answer | None:
        if entry.version != version:
            return None
        made = answer(entry.request)
        return made if made.tables is not None and digest_of(made.tables.shown, seed) == entry.digest else None

    return ask
