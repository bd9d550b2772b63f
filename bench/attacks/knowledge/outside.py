"""What an outsider may do: ask for tables, and see whether they are released, the notice, and the table. Nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

import fiberwalk as fw

from .population import Box, Frame

Filters = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Ask:
    """A request, as it is written: the same table in another form is another request."""

    dims: tuple[str, ...]
    filters: Filters = ()

    def with_filter(self, dim: str, *labels: str) -> Ask:
        """The same with one filter more."""
        return Ask(self.dims, (*self.filters, (dim, labels)))


@dataclass(frozen=True, eq=False)
class Seen:
    """What came back."""

    ask: Ask
    released: bool
    notice: str
    figures: np.ndarray | None
    """The table, in the order of the dims that were asked for."""
    labels: tuple[tuple[str, ...], ...] = ()
    """The labels that it shows of each of them."""

    def boxes(self, frame: Frame) -> Iterator[tuple[Box, int]]:
        """Every figure of the table with the people whom it counts; without cells that nobody can be in."""
        assert self.figures is not None
        for labels, figure in zip(product(*self.labels), self.figures.ravel().tolist(), strict=True):
            shown = zip(self.ask.dims, ((label,) for label in labels), strict=True)
            box = frame.box([*self.ask.filters, *shown])
            known = frame.canonical(box) if all(box) else None
            if known is not None:
                yield known, figure


@dataclass(eq=False)
class Outside:
    """A server from outside. It counts the requests."""

    server: Any
    """Whatever has `tabulate(dims, filters=)`."""
    asked: int = field(default=0)

    def ask(self, ask: Ask) -> Seen:
        """Send one request; a request that the server does not understand is refused, too."""
        self.asked += 1
        filters: Mapping[str, list[str]] = {dim: list(labels) for dim, labels in ask.filters}
        try:
            answer = self.server.tabulate(list(ask.dims), filters=filters or None)
        except fw.InputError as problem:
            return Seen(ask, False, str(problem), None)
        if not answer.released:
            return Seen(ask, False, answer.notice, None)
        table = answer.table.transpose(*ask.dims)
        labels = tuple(tuple(map(str, table[dim].values)) for dim in ask.dims)
        return Seen(ask, True, answer.notice, np.asarray(table.values), labels)
