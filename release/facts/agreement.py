"""Can a table be the one that a release is about?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..told import Told


def disagreement(release: Told, cells: np.ndarray) -> str | None:
    """The first thing that a release says and a table denies, in words; None where they agree.

    `cells` are scaled integers in the order of the release's own. What a mechanism says of whole tables is not looked at.
    """
    wrong = np.flatnonzero((cells < release.lower) | (cells > release.upper))
    if len(wrong):
        i = wrong[0]
        range_words = release.between(int(release.lower[i]), int(release.upper[i]))
        return f"it says that {release.words(release.keys[i])} {range_words}, and there it is not"
    sums = release.sums.matrix @ cells
    wrong = np.flatnonzero((sums < release.sums.lower) | (sums > release.sums.upper))
    if len(wrong):
        return f"it says that {release.fact_words(int(wrong[0]))}, and there it is not"
    held = [choice.branches_of(cells) for choice in release.choices]
    for choice, branches in zip(release.choices, held, strict=True):
        if not len(branches):
            return f"it says that {choice.words}, and there it is not"
    for tally in release.tallies:
        if not tally.lower <= sum(branch in held[choice] for choice, branch in tally.branches) <= tally.upper:
            return f"it says that {tally.words}, and there it is not"
    for item in release.evidence:
        value = int(item.coefficients @ cells[item.cells])
        place = value - item.first
        if not 0 <= place < len(item.log_weights) or item.log_weights[place] == -np.inf:
            return f"{release.evidence_words(item)}, cannot have been what it is there"
    return None
