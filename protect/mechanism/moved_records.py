"""What methods that move records share: they publish a table of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...release.facts.facts import Applied
from ...release.release import Release


def published_as(release: Release, figures: np.ndarray, applied: Applied) -> Release:
    """The release of what a method left as it was, with the table that it published instead of the true one."""
    note = f"{applied.name}: {applied.words} (likelihood: {applied.likelihood})"
    return replace(release, figures=figures, applied=(*release.applied, applied), notes=(*release.notes, note))
