"""An audit as the command line prints it: its verdict, its riskiest cells, its further sections and readings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .printed_sections import sections
from .words import how_known, readable, verdict

if TYPE_CHECKING:
    from ..results.audit_result import Audit


def printed_lines(audit: Audit, top: int) -> Iterator[str]:
    """What is printed, line by line; of every list at most `top` rows."""
    yield verdict(audit)
    yield f"Law {audit.belief.law.name}: {audit.belief.law.words}."
    yield from how_known(audit)
    if len(audit.cells):
        yield ""
        yield readable(audit.cells.head(top)).to_string(sparsify=False)
    if len(audit.cells) > top:
        yield f"... and {len(audit.cells) - top} more (--top, --csv)"
    yield from sections(audit, top)
    for name, reading in audit.readings.items():
        yield f"\nIf {name}:"
        yield from printed_lines(reading, top)
