"""What every reader of a file hands over: a publication, figure by figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..facts.facts import PUBLISHED, Protection
from ..tables.beforehand import NOTHING_STATED, Statement
from ..tables.dims import Dim


@dataclass(frozen=True)
class Figure:
    """One line of a publication: a cell or total, its figure or range, its status, and where it stands in the file.

    A hidden figure that carries a value is the truth, which only the agency's own files hold.
    """

    key: tuple[int, ...]
    value: int | None
    status: int = PUBLISHED
    lower: int | None = None
    upper: int | None = None
    where: str = ""
    contributors: int | None = None
    largest: int | None = None
    second: int | None = None


@dataclass(frozen=True)
class Relation:
    """A sum that a file tells besides its figures: coefficient * cell or total, over all `terms`, is `side`."""

    terms: Mapping[tuple[int, ...], int]
    side: int
    where: str = ""


@dataclass(frozen=True)
class Publication:
    """Figures of the cells and totals of crossed dims, in whole numbers of 10^-decimals.

    Nothing is checked yet but what a single line can tell; `from_figures` finds out whether they can be one release.
    """

    dims: Sequence[Dim]
    figures: Sequence[Figure]
    source: str
    """The file, as errors name it."""
    missing: str = "error"
    """What a cell without a line is: "zero" (the file leaves out empty cells), "hidden", or an error."""
    decimals: int = 0
    slack: int = 0
    """How far a published total may be from the sum it stands for (rounded totals)."""
    relations: Sequence[Relation] = ()
    totals: Mapping[str, str] = field(default_factory=dict)
    """What the file calls the total of a dim, where that is not what the user says."""
    protection: Mapping[tuple[int, ...], Protection] | None = None
    """The protection levels of cells and totals, where the file has any."""
    known: Statement = NOTHING_STATED
    """What is stated of all cells beforehand."""
