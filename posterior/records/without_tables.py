"""What would be known without one of the tables."""

from __future__ import annotations

from collections.abc import Iterator

from ...base.errors import InputError, TooLarge
from ...base.progress import Progress
from ...fiber.blocks.presolve import presolve
from ...release.population.population import PopulationRelease
from .rebuilt import Rebuilt

EVERY_TABLE = "nothing (all tables)"


def without_each(rebuilt: Rebuilt, progress: Progress | None) -> Iterator[tuple[str, int | None, int | None]]:
    """For all tables and without each: how many records are certain, and how many possible."""
    yield (EVERY_TABLE, *_told(rebuilt.release))
    for table in rebuilt.release.tables:
        if progress is not None:
            progress(f"without the table {table.name!r}")
        yield (table.name, *_told(rebuilt.release.without(table.name)))


def _told(release: PopulationRelease) -> tuple[int | None, int | None]:
    """As far as bounds of single figures show; None where too much may be, or nothing bounds it any more."""
    try:
        kinds = release.kinds
        solved = presolve(kinds.release)
    except (TooLarge, InputError):
        return None, None
    low, high = solved.start.copy(), solved.start.copy()
    for block in solved.blocks:
        low[block.columns], high[block.columns] = block.lower, block.upper
    low, high = low[: len(kinds)], high[: len(kinds)]
    certain = int(((low >= 1) & (kinds.multiplicity == 1)).sum())
    return certain, int(kinds.multiplicity[high > 0].sum())
