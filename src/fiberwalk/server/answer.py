"""The answer to a request: the protected table with its risk and utility, or why there is none."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError
from ..protect.mechanism.mechanism import CELLWISE
from ..release.facts.facts import Applied
from ..release.tables.dims import Dim
from ..release.tables.tables import Table, labelled
from .offered_tables import RoundedTables
from .protection import Protection, release_of
from .request import Request
from .rules import Size, numbered, percent, plain

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from ..release.release import Release


@dataclass(frozen=True, eq=False)
class Tables:
    """The true and the published counts of a released table, in the order of the cube."""

    dims: tuple[Dim, ...]
    true: np.ndarray
    published: np.ndarray
    numbers: np.ndarray | None
    """What decided about each cell, where record keys did."""
    seed: int
    lattice: RoundedTables | None = None
    """The offered tables that the published counts come from, where they do."""
    beside_offered: bool = False
    """Do they stand beside offered tables, which decide about the people who are a figure there?"""


@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """What a server answers. Only `table` and `notice` are for whoever asked; the rest is the agency's own.

    The same request gets the same answer. `original`, `risk_before` and `reason` hold figures of the true table; from the
    exact `utility` or `risk_after` of a table of a few cells its counts can be found by trial.
    """

    request: Request
    released: bool
    reason: str
    """Why there is no table, with the figures; empty where there is one."""
    notice: str
    """... as whoever asked may be told: which rule it was, and no true figure."""
    size: Size | None = None
    """How large the table is; None where the request alone was refused."""
    risk_before: float | None = None
    risk_after: float | None = None
    utility: float | None = None
    max_risk: float | None = None
    rises: str = ""
    """What must be said where the risk is larger after protection than before."""
    before: Protection | None = field(default=None, repr=False)
    """What the cube went through beforehand."""
    after: Protection | None = field(default=None, repr=False)
    """What the table itself went through."""
    risk_by_before: xr.DataArray | None = field(default=None, repr=False)
    """The risk of each category of by=, before protection; None where it was not asked for."""
    risk_by_after: xr.DataArray | None = field(default=None, repr=False)
    tables: Tables | None = field(default=None, repr=False)

    @cached_property
    def table(self) -> xr.DataArray | None:
        """The protected table; None where it was refused."""
        return None if self.tables is None else self._labelled(self.tables.published)

    @cached_property
    def original(self) -> xr.DataArray | None:
        """The true table, for the agency alone; None where it was refused."""
        return None if self.tables is None else self._labelled(self.tables.true)

    @property
    def protected(self) -> bool:
        """Did the counts go through a method, in the cube or in the table?"""
        return self.before is not None or self.after is not None

    @property
    def population(self) -> int | None:
        """The true number of people in the table; None where the request alone was refused."""
        return None if self.size is None else self.size.population

    @property
    def cells(self) -> int | None:
        """The number of cells."""
        return None if self.size is None else self.size.cells

    @property
    def small_share(self) -> float | None:
        """The true share of small cells."""
        return None if self.size is None else self.size.small_share

    @property
    def mean_cell(self) -> float | None:
        """The true number of people per cell."""
        return None if self.size is None else self.size.mean_cell

    def __repr__(self) -> str:
        # notebooks and logs store it, so it holds no figure of the true table
        return f"<Answer to {self.request.words}: {self._verdict(self.notice)}>"

    def _repr_html_(self) -> str | None:
        from ..base.html import in_notebook
        from ..report.notebook_form import answer_html

        return in_notebook(answer_html, self)

    def _verdict(self, why: str) -> str:
        return "released" if self.released else f"refused, because {why}"

    def summary(self) -> str:
        """The answer in a few lines, for the agency: it has figures of the true table.

        >>> import fiberwalk as fw
        >>> print(fw.server.tabulate([[30, 12], [9, 25]], "A,B").summary())
        A x B: released.
          76 people in 4 cells, 19 a cell; 0% of the cells are small.
          Risk 0.044 before protection, 0.044 after.
          Utility 1.0000 of 1. Protected by nothing: these are the true counts.
        """
        lines = [f"{self.request.words}: {self._verdict(self.reason)}."]
        if self.size is not None:
            people = f"{self.size.population:,} {'person' if self.size.population == 1 else 'people'}"
            lines.append(
                f"  {people} in {numbered(self.size.cells, 'cell')}, {plain(self.size.mean_cell)} a cell; "
                f"{percent(self.size.small_share)} of the cells are small."
            )
        if self.risk_before is not None:
            risk = f"  Risk {self.risk_before:.3f} before protection"
            risk += f", {self.risk_after:.3f} after" if self.risk_after is not None else ""
            risk += f" (at most {self.max_risk:g} is allowed)" if self.max_risk is not None else ""
            lines.append(f"{risk}{f'; {self.rises}' if self.rises else ''}.")
        if self.utility is not None:
            lines.append(f"  Utility {self.utility:.4f} of 1. Protected by {self._protected_by}.")
        return "\n".join(lines)

    @property
    def _protected_by(self) -> str:
        parts = [f"{self.before.words} on the cube"] if self.before else []
        parts += [f"{self.after.words}"] if self.after else []
        return ", then ".join(parts) or "nothing: these are the true counts"

    def to_frame(self) -> pd.DataFrame:
        """The protected table with one row a cell: a column for each dim, and `count`.

        >>> import fiberwalk as fw
        >>> fw.server.tabulate([[30, 12], [9, 25]], "A").to_frame()["count"].tolist()
        [42, 34]
        """
        import pandas as pd

        table = self._released().transpose(*self.request.dims)
        index = pd.MultiIndex.from_product([table[dim].values for dim in table.dims], names=list(table.dims))
        return index.to_frame(index=False).assign(count=table.values.ravel())

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the protected table, one row a cell."""
        from ..base.text_files import write_csv

        write_csv(self.to_frame(), path)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the protected table as a Parquet file (needs fiberwalk[parquet])."""
        from ..base.text_files import written_whole

        frame = self.to_frame()
        with written_whole(path) as temporary:
            try:
                frame.to_parquet(temporary, index=False)
            except ImportError:
                raise InputError(f"{path}: writing Parquet needs pyarrow; install fiberwalk[parquet].") from None

    def release(self, *, exact: Any = ()) -> Release:
        """The release of this table, by the same method, seed and keys: `fw.audit` tells what it gives away.

        Where tables were rounded together (`round_lattice`), it is what this table tells by itself. With a filter, the
        release knows whom it is about (`Release.about`), so that `fw.linked` of several answers does not take different
        people for the same. Where the data are a sample, it is about the people in the sample.

        Parameters
        ----------
        exact
            Margins that were published as they are (see `random_round`).

        Examples
        --------
        >>> import fiberwalk as fw
        >>> rounding = {"mechanism": "random_round", "parameters": {"base": 3}, "seed": 1}
        >>> answer = fw.server.tabulate([[30, 12], [9, 25]], "A,B", **rounding)
        >>> fw.bounds(answer.release()).loc[("2", "2")].to_dict()
        {'lower': 22, 'upper': 26}
        """
        from ..release.publish import publish

        self._released()
        assert self.tables is not None
        if self.before is not None:
            raise InputError(
                f"the counts were made from a cube protected by {self.before.words}, whose cells the table does not show: "
                "from the table alone it cannot be said what it tells of the truth; audit a server with when='after'."
            )
        true = Table(self.tables.true, self.tables.dims)
        if self.tables.lattice is not None:
            release = self.tables.lattice.release(self.request, true, exact)
        elif self.after is None:
            release = publish(true, margins=[tuple(dim.name for dim in true.dims)])
        else:
            numbers = None if self.tables.numbers is None else labelled(self.tables.numbers, true.dims)
            release = release_of(self.after, true, numbers, self.tables.seed, exact)
        if self.tables.beside_offered:
            release = replace(release, applied=tuple(map(_beside_offered, release.applied)))
        return replace(release, about=self.request.where)

    def _released(self) -> xr.DataArray:
        if self.table is None:
            raise InputError(f"there is no table: it was refused, because {self.notice}.")
        return self.table

    def _labelled(self, counts: np.ndarray) -> xr.DataArray:
        assert self.tables is not None
        return labelled(counts, self.tables.dims).transpose(*self.request.dims).rename("count")


def _beside_offered(method: Applied) -> Applied:
    """The method of a table beside offered ones: cells of people who are an offered figure are rounded as that was."""
    words = f"{method.words}; people who are a figure of the offered tables by themselves are rounded as they are there"
    return replace(method, likelihood=CELLWISE, words=words)
