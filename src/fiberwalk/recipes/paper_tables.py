"""Tables and releases of the papers, ready to be audited, each with its source and its corrected misprints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..base.errors import InputError
from ..protect.withholding.suppression import suppress
from ..release.facts.facts import HIDDEN
from ..release.figures import from_figures
from ..release.files.publication import Figure, Publication
from ..release.publish import publish
from ..release.release import Release
from ..release.tables.dims import Dim, Level
from ..release.tables.tables import Table

if TYPE_CHECKING:
    import xarray as xr

_DOT02 = (
    "J. Domingo-Ferrer, A. Oganian and V. Torra (2002), Information-theoretic disclosure risk measures in "
    "statistical disclosure control of tabular data"
)
_DFKPR01 = (
    "G. T. Duncan, S. E. Fienberg, R. Krishnan, R. Padman and S. F. Roehrig (2001), Disclosure limitation methods and "
    "information loss for tabular data"
)
_ASE15 = (
    "L. Antal, N. Shlomo and M. Elliot (2015), Disclosure risk measurement with entropy in two-dimensional sample based "
    "frequency tables"
)


@dataclass(frozen=True, eq=False, repr=False)
class Example:
    """A table of a paper: the release to audit, the table behind it where it is known, its source and its notes.

    Where the paper follows one cell through a random method, also the table that it publishes and the snooper's prior.
    """

    name: str
    title: str
    source: str
    release: Release
    table: xr.DataArray | None = None
    notes: tuple[str, ...] = ()
    published: xr.DataArray | None = None
    prior: Mapping[int, float] | None = None
    """Of the upper left cell: value -> probability."""

    def __repr__(self) -> str:
        return f"<Example {self.name}: {self.title}>"

    def _repr_html_(self) -> str | None:
        from ..base.html import in_notebook
        from ..report.notebook_form import example_html

        return in_notebook(example_html, self)


def names() -> list[str]:
    """The names of the papers' examples, as `load` takes them.

    >>> import fiberwalk as fw
    >>> fw.examples.names()[:2]
    ['dot02_table1', 'dot02_table2']
    """
    return list(_EXAMPLES)


def load(name: str) -> Example:
    """An example by its name, one of `names()`.

    >>> import fiberwalk as fw
    >>> fw.examples.load("ase15")
    <Example ase15: religion by output area, cells of 1 and 2 suppressed>
    """
    if name not in _EXAMPLES:
        raise InputError(f"there is no example {name!r}; there are {', '.join(_EXAMPLES)}.")
    return _EXAMPLES[name]()


_ACTIVITIES, _SIZES = ("2,3", "4", "5", "6", "7"), ("4", "5", "6", "7", "8")
_SIZE_TOTALS = (1448, 4353, 4281, 4847, 5210)
_MISPRINT = "The printed total of size class 4 is 1148; the cells and the grand total say 1448, which is used here."


def dot02_table1() -> Example:
    """DOT02, Table 1: turnover by activity and size class with four suppressed cells.

    >>> import fiberwalk as fw
    >>> fw.bounds(fw.examples.dot02_table1().release).iloc[0].to_dict()
    {'lower': 0, 'upper': 406}
    """
    rows = [
        (80, 253, 54, 0, 0, 387),
        (641, 3694, 2062, 746, 0, 7143),
        (592, None, 329, None, 1440, 3898),
        (57, None, 946, None, 2027, 4281),
        (78, 0, 890, 1719, 1743, 4430),
    ]
    dims = [Dim("activity", _ACTIVITIES), Dim("size", _SIZES)]
    return Example(
        "dot02_table1",
        "economic activity by size class, four cells suppressed",
        f"{_DOT02}, Table 1",
        _printed(dims, [0, 1, 2, 3, 4], rows, "DOT02, Table 1"),
        notes=(_MISPRINT, "The suppressed values are not printed: this is what an outsider reads."),
    )


def dot02_table2() -> Example:
    """DOT02, Table 2: the same table redesigned, activities 5 and 6 combined.

    >>> import fiberwalk as fw
    >>> fw.examples.dot02_table2().release
    <Release of activity, size (5 x 5): 25 cells, 10 hidden, 15 known sums, as an outsider reads it>
    """
    rows = [
        (80, 253, 54, 0, 0, 387),
        (641, 3694, 2062, 746, 0, 7143),
        (649, 406, 1275, 2382, 3467, 8179),
        (78, 0, 890, 1719, 1743, 4430),
    ]
    combined = Level("activity:merged", ("2,3", "4", "5,6", "5,6", "7"))
    dims = [Dim("activity", _ACTIVITIES, (combined,)), Dim("size", _SIZES)]
    nodes = [dims[0].node(label) for label in ("2,3", "4", "5,6", "7")]
    return Example(
        "dot02_table2",
        "economic activity by size class, two activities combined",
        f"{_DOT02}, Table 2",
        _printed(dims, nodes, rows, "DOT02, Table 2"),
        notes=(_MISPRINT, "Ask hidden_margins=['activity'] for the unknown row totals x6 and x12 of the paper."),
    )


def _printed(dims: list[Dim], nodes: list[int], rows: Sequence[tuple[int | None, ...]], source: str) -> Release:
    """A printed two-way table with row totals, column totals and None where a cell is withheld."""
    lines = zip([*nodes, dims[0].total], [*rows, (*_SIZE_TOTALS, sum(_SIZE_TOTALS))], strict=True)
    figures = [
        Figure((node, column), value, 0 if value is not None else HIDDEN)
        for node, row in lines
        for column, value in enumerate(row)
    ]
    return from_figures(Publication(dims, figures, source, missing="hidden"))


# One table with the margins of DFKPR01's Table 1, found by an integer program. The 48 cells of the original are not
# legible in print and cannot be recovered from the margins.
_ONE_FEASIBLE = [
    [[1, 2, 0], [5, 1, 81], [67, 1, 0], [1, 71, 0]],
    [[0, 0, 5], [1, 5, 2], [1, 79, 0], [1, 1, 2]],
    [[3, 0, 0], [2, 2, 0], [1, 1, 5], [2, 58, 47]],
    [[1, 0, 63], [2, 2, 2], [0, 0, 56], [3, 2, 2]],
]


def dfkpr01() -> Example:
    """DFKPR01, Table 1: the margins IJ+, +JK and I+K of a 4 x 4 x 3 table, with one feasible table.

    >>> import fiberwalk as fw
    >>> fw.bounds(fw.examples.dfkpr01().release).loc[("1", "1", "1")].to_dict()
    {'lower': 0, 'upper': 3}
    """
    values = np.array(_ONE_FEASIBLE)
    table = Table(
        values, tuple(Dim(name, tuple("1234"[:size])) for name, size in zip("IJK", values.shape, strict=True))
    )
    return Example(
        "dfkpr01",
        "three two-way margins of a 4 x 4 x 3 table",
        f"{_DFKPR01}, Table 1",
        publish(table, ["I,J", "J,K", "I,K"]).without_truth(),
        table.to_xarray(),
        notes=(
            "The 48 cells are not legible in print: `table` is one feasible table, not the original.",
            "The printed third disclosure of I+K, (3,3), is (4,3).",
        ),
    )


def dfkpr01_square() -> Example:
    """DFKPR01, sections 4 and 5: one square of a larger table, its Markov perturbation, and the snooper's prior (Table 4).

    The upper left cell is 1 and is published as 3. All methods of the paper's R-U map protect this square.

    >>> import fiberwalk as fw
    >>> square = fw.examples.dfkpr01_square()
    >>> square.table.values.tolist(), square.published.values.tolist()
    ([[1, 14], [17, 83]], [[3, 12], [15, 85]])
    """
    dims = (Dim("row", ("1", "2")), Dim("column", ("1", "2")))
    table = Table(np.array([[1, 14], [17, 83]]), dims)
    return Example(
        "dfkpr01_square",
        "a 2 x 2 square with margins 15, 100 and 18, 97",
        f"{_DFKPR01}, sections 4 and 5 (Markov perturbation), and Table 4",
        publish(table, ["row", "column"]),
        table.to_xarray(),
        notes=(
            "`release` shows the margins alone, as suppression would: `published` is the square after Markov perturbation.",
            "Table 3 is the likelihood of theta = 0.05, 0.1 and 0.2; its .001, .515, .380, 008 and .002 are misprints of "
            ".0001, .0515, .0380, .0008 and .0002, and its 0 at theta = 0.2, w = 11 is .0001. It is no posterior: its rows "
            "do not add up to 1.",
            "The printed posteriors (Table 5) and risks (section 5) do not follow from Tables 3 and 4; the utilities do.",
        ),
        published=Table(np.array([[3, 12], [15, 85]]), dims).to_xarray(),
        prior={0: 0, 1: 0.3, 2: 0.3, 3: 0.15, 4: 0.1, 5: 0.05, 6: 0.04, 7: 0.03, 8: 0.02, 9: 0.01},
    )


def ase15() -> Example:
    """ASE15, Table 1: religion by output area, 2001 UK census extract, small counts suppressed by a threshold rule.

    >>> import fiberwalk as fw
    >>> int(fw.examples.ase15().table.sum())
    2449
    """
    rows = """181 0 0 1 17 1 1 83 18
              138 2 4 2 0 0 1 36 16
              130 0 0 0 22 4 1 61 40
              173 0 0 1 14 4 1 97 22
              142 2 5 0 15 6 1 37 21
              129 0 0 0 0 0 1 69 20
              118 2 0 2 24 9 1 38 20
              130 0 0 0 34 1 1 82 32
              148 3 0 0 0 2 1 38 21
              136 1 2 0 13 0 0 55 16"""
    values = np.array([[int(cell) for cell in row.split()] for row in rows.splitlines()])
    dims = (
        Dim("area", tuple(str(area + 1) for area in range(10))),
        Dim("religion", tuple(str(religion + 1) for religion in range(9))),
    )
    table = Table(values, dims)
    return Example(
        "ase15",
        "religion by output area, cells of 1 and 2 suppressed",
        f"{_ASE15}, Table 1",
        suppress(table, rule="< 3", rule_known=False),
        table.to_xarray(),
        notes=(
            "The paper does not name the categories: areas and religions are numbered.",
            "The suppression of cells of 1 and 2 is ours, to have something to audit.",
        ),
    )


_EXAMPLES: dict[str, Callable[[], Example]] = {
    "dot02_table1": dot02_table1,
    "dot02_table2": dot02_table2,
    "dfkpr01": dfkpr01,
    "dfkpr01_square": dfkpr01_square,
    "ase15": ase15,
}
