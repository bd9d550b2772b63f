"""What may be asked of a server, as everybody may know it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any

from .cube.request import TOTALS, as_request
from .rules import ServerRules

if TYPE_CHECKING:
    import pandas as pd

    from .table_server import TableServer


@dataclass(frozen=True)
class OfferedDim:
    """A dim or level that may be asked for."""

    name: str
    labels: tuple[str, ...]
    level_of: str | None
    """The dim that it was said to be a level of; None: it is a dim itself."""


@dataclass(frozen=True, repr=False)
class Catalogue:
    """What may be asked of a server. Nothing of it follows from figures, only from what was declared.

    Parameters
    ----------
    dims
        Dims and levels, each with its labels in order.
    summed
        The magnitudes whose sums and means may be asked for.
    rules
        The rules, of which those about figures are decided on protected tables.
    """

    dims: tuple[OfferedDim, ...]
    summed: tuple[str, ...]
    rules: ServerRules

    def __repr__(self) -> str:
        named = ", ".join(f"{dim.name} ({len(dim.labels)})" for dim in self.dims)
        return f"<Catalogue of {named}>"

    @property
    def labels(self) -> Mapping[str, tuple[str, ...]]:
        """The labels of every dim and level."""
        return {dim.name: dim.labels for dim in self.dims}

    def why_not(self, dims: Any, filters: Mapping[str, Any] | None = None, **options: Any) -> str:
        """Which rules a request breaks by itself, in words; empty where it may be asked.

        Whether it is answered then depends on its protected figures.

        >>> import fiberwalk as fw
        >>> server = fw.server.TableServer([[30, 12], [9, 25]], rules=fw.server.ServerRules(max_dims=1))
        >>> server.catalogue.why_not("A,B"), server.catalogue.why_not("A")
        ('the table has 2 dims; at most 1 is allowed', '')
        """
        request = as_request(dims, filters, self.labels, summed=self.summed, **options)
        return "; ".join(self.rules.broken_by_request(request, prod(len(self.labels[dim]) for dim in request.dims)))

    def tables(self, max_dims: int | None = None) -> Iterator[tuple[str, ...]]:
        """The tables that may be asked for: combinations of dims and levels, none of which names a dim twice.

        >>> import fiberwalk as fw
        >>> list(fw.server.TableServer([[30, 12], [9, 25]]).catalogue.tables())
        [('A',), ('B',), ('A', 'B')]
        """
        most = max_dims or self.rules.max_dims or len(self.dims)
        family = {dim.name: dim.level_of or dim.name for dim in self.dims}
        for number in range(1, most + 1):
            for names in combinations(family, number):
                if len({family[name] for name in names}) == number and not self.why_not(names):
                    yield names

    def to_frame(self) -> pd.DataFrame:
        """A row for each label: dim, level_of, label."""
        import pandas as pd

        rows = [(dim.name, dim.level_of or "", label) for dim in self.dims for label in dim.labels]
        return pd.DataFrame(rows, columns=["dim", "level_of", "label"])

    @property
    def totals(self) -> tuple[str, ...]:
        """The ways in which totals can be asked for."""
        return tuple(TOTALS)


def catalogue_of(server: TableServer) -> Catalogue:
    """What may be asked of a server.

    That a column only is found to follow from another is not told: it may hang on one person.
    """
    columns = [server.cube.column[name] for name in server.offered]
    dims = tuple(OfferedDim(column.name, column.labels, column.told_level_of) for column in columns)
    return Catalogue(dims, tuple(server.maker.magnitudes), server.rules)
