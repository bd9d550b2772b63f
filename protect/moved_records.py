"""What methods that move records share: they need whole records, and publish a table of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..release.errors import InputError
from ..release.facts import Applied
from ..release.release import Release
from ..release.table_forms import Hierarchies
from ..release.tables import Table, as_table


def table_of_counts(table: Any, method: str, hierarchies: Hierarchies | None, count: str | None) -> Table:
    """A table whose units are records."""
    labelled = as_table(table, hierarchies=hierarchies, count=count)
    if labelled.decimals:
        raise InputError(f"{method} moves records, one by one: it needs a table of counts, without decimals.")
    return labelled


def published_as(release: Release, figures: np.ndarray, applied: Applied) -> Release:
    """The release of what a method left as it was, with the table that it published instead of the true one."""
    note = f"{applied.name}: {applied.words} (likelihood: {applied.likelihood})"
    return replace(release, figures=figures, applied=(*release.applied, applied), notes=(*release.notes, note))
