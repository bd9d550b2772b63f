"""What a user says of a file besides its path; a format uses what it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..tables.dims import TOTAL


@dataclass(frozen=True)
class ReadingOptions:
    """The options of `read_release`, which says what they mean; None where nothing was said."""

    dims: Sequence[str] | None = None
    value: str | None = None
    status: str | None = None
    total: str = TOTAL
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    decimals: int = 0
    header: bool = True
    missing: str = "error"
    slack: float = 0
    contributors: str | None = None
    largest: str | None = None
    second: str | None = None
    perturbed: bool = False
    decimal_comma: bool = False
    metadata: str | None = None
    sheet: str | None = None
    crosstab: bool | None = None
