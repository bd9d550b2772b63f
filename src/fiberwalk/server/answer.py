"""The answer to a request: the protected table with its risk and utility, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..base.errors import InputError
from .cube.request import Request
from .measuring.agency_view import AgencyView
from .protecting.protection import Protection
from .public_answer import PublicAnswer
from .reading_back.counts import read_answer
from .rules import Size, numbered, percent, plain
from .tables import Tables

if TYPE_CHECKING:
    import xarray as xr

    from ..release.release import Release


@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """What a server answers. Only `table` and `notice` are for whoever asked; the rest is the agency's own.

    The same request gets the same answer. `original`, risks and utility look at the true table, and are made when the agency
    looks at them: they decide nothing, and who waits for an answer does not wait for them. `withheld` is the protected table
    that was refused: who audits takes it for answered, because a refusal tells at most as much.
    """

    request: Request
    released: bool
    reason: str
    """Why there is no table, with the published figures that decided; empty where there is one."""
    notice: str
    """... as whoever asked may be told; of a table that is shown in part, what is left out."""
    max_risk: float | None = None
    before: Protection | None = field(default=None, repr=False)
    """What the cube went through beforehand."""
    after: Protection | None = field(default=None, repr=False)
    """What the table itself went through."""
    tables: Tables | None = field(default=None, repr=False)
    view: AgencyView | None = field(default=None, repr=False)
    """Risk and utility; None where the request alone was refused."""
    shows: str = "count"
    """What the figures are."""

    @cached_property
    def table(self) -> xr.DataArray | None:
        """The protected table; None where it was refused. A figure that is withheld is not a number."""
        return None if self.tables is None or not self.released else self.tables.labelled(self.tables.shown, self.shows)

    @cached_property
    def withheld(self) -> xr.DataArray | None:
        """The protected table that was refused, for the agency; None where it was answered, or the request alone refused."""
        return None if self.tables is None or self.released else self.tables.labelled(self.tables.shown, self.shows)

    @cached_property
    def original(self) -> xr.DataArray | None:
        """The true table, for the agency alone; None where the request alone was refused."""
        return None if self.tables is None else self.tables.labelled(self.tables.true, self.shows)

    def public(self) -> PublicAnswer:
        """What whoever asked may have: the table or the notice, to be shown, written and sent.

        An answer itself has the data behind it; hand out only this.

        >>> import fiberwalk as fw
        >>> fw.server.tabulate([[30, 12], [9, 25]], "A,B").public()
        <PublicAnswer to A x B: released>
        """
        return PublicAnswer(self.request, self.table, self.notice, self.shows, self._protected_by)

    @property
    def protected(self) -> bool:
        """Did the counts go through a method, in the cube or in the table?"""
        return self.before is not None or self.after is not None

    @property
    def risk_before(self) -> float | None:
        """The risk of the true table."""
        return None if self.view is None else self.view.risk_before

    @property
    def risk_after(self) -> float | None:
        """The risk that protection leaves."""
        return None if self.view is None else self.view.risk_after

    @property
    def rises(self) -> str:
        """What must be said where the risk is larger after protection than before."""
        return "" if self.view is None else self.view.rises

    @property
    def utility(self) -> float | None:
        """What is kept of the table, from 0 to 1."""
        return None if self.view is None else self.view.utility

    @property
    def needs_protection(self) -> bool | None:
        """Is the risk of the true table above `max_risk`? None where no such is set."""
        return None if self.view is None or self.max_risk is None else self.view.risk_before > self.max_risk

    @property
    def too_risky(self) -> bool | None:
        """Is the risk above `max_risk` also when the table is protected? None where no such is set."""
        return None if self.view is None or self.max_risk is None else self.view.risk_after > self.max_risk

    @property
    def risk_by_before(self) -> xr.DataArray | None:
        """The risk of each category of by=, before protection; None where it was not asked for."""
        return None if self.view is None else self.view.risk_by(after=False)

    @property
    def risk_by_after(self) -> xr.DataArray | None:
        """The risk of each category of by= that protection leaves."""
        return None if self.view is None else self.view.risk_by(after=True)

    @property
    def size(self) -> Size | None:
        """How large the true table is; None where the request alone was refused."""
        return None if self.view is None else self.view.size

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
        return f"<Answer to {self.public().words}>"

    def _repr_html_(self) -> str | None:
        from ..base.html import in_notebook
        from ..report.notebook_form import answer_html

        return in_notebook(answer_html, self.public())

    def summary(self) -> str:
        """The answer in a few lines, for the agency: it has figures of the true table.

        >>> import fiberwalk as fw
        >>> print(fw.server.tabulate([[30, 12], [9, 25]], "A,B").summary())
        A x B: released.
          76 people in 4 cells, 19 a cell; 0% of the cells are small.
          Risk 0.044 before protection, 0.044 after.
          Utility 1.0000 of 1. Protected by nothing: these are the true counts.
        """
        verdict = "released" if self.released else f"refused, because {self.reason}"
        lines = [f"{self.request.words}: {verdict}."]
        if self.size is not None:
            people = f"{self.size.population:,} {'person' if self.size.population == 1 else 'people'}"
            lines.append(
                f"  {people} in {numbered(self.size.cells, 'cell')}, {plain(self.size.mean_cell)} a cell; "
                f"{percent(self.size.small_share)} of the cells are small."
            )
        if self.view is not None:
            lines.append(f"  {self._risk_in_words(self.view)}.")
            lines.append(f"  Utility {self.view.utility:.4f} of 1. Protected by {self._protected_by}.")
        return "\n".join(lines)

    def _risk_in_words(self, view: AgencyView) -> str:
        if view.unknown:
            return f"Its risk cannot be measured: {view.unknown}"
        words = f"Risk {view.risk_before:.3f} before protection, {view.risk_after:.3f} after"
        if self.max_risk is not None:
            words += f" ({'above' if self.too_risky else 'at most'} {self.max_risk:g})"
        return words + (f"; {view.rises}" if view.rises else "")

    @property
    def _protected_by(self) -> str:
        parts = [f"{self.before.words} on the cube"] if self.before else []
        parts += [f"{self.after.words}"] if self.after else []
        return ", then ".join(parts) or "nothing: these are the true counts"

    def release(self, *, exact: Any = ()) -> Release:
        """The release of this table, by the same method, seed and keys: `fw.audit` tells what it gives away.

        Where tables were rounded together (`round_lattice`), it is what this table tells by itself. With a filter, the
        release knows whom it is about (`Release.about`), so that `fw.linked` of several answers does not take different
        people for the same. Where the data are a sample, it is about the people in the sample. Of a refused table it is what
        the whole table would have told: no refusal tells more.

        Where the cube was protected beforehand, a figure is the sum of changed cells that the table does not show. Then the
        release says what follows for certain: how far the sum may be from the truth, or which sums the method keeps.

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
        {'lower': 25, 'upper': 29}
        """
        if self.tables is None:
            raise InputError(f"there is no table: it was refused, because {self.notice}.")
        return read_answer(self, self.tables, exact)
