"""The cells whose interval looks safe and whose distribution is not: the list that intervals alone cannot give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..base.errors import InputError
from ..posterior.belief import Belief
from ..posterior.parts.pmf import Pmf
from ..risk.deception import count_deceives, magnitude_deceives
from ..risk.nearness import best_guess, within_percent
from .cell_frame import true_values
from .wanted_protection import stated_levels

if TYPE_CHECKING:
    import pandas as pd


def deceptive_frame(
    belief: Belief, cells: pd.DataFrame, *, magnitude: bool, values: int, limit: float, bits: float, percent: float
) -> pd.DataFrame:
    """See `Audit.deceptive`."""
    if not isinstance(values, (int, np.integer)) or values < 2:
        raise InputError(f"deceptive(values={values!r}): a whole number of at least 2.")
    for name, given in (("limit", limit), ("bits", bits)):
        if not isinstance(given, (int, float, np.number)) or not given >= 0:
            raise InputError(f"deceptive({name}={given!r}): a number of at least 0.")
    truth = true_values(belief)
    why = []
    for row, (pmf, level) in enumerate(zip(belief.pmfs, stated_levels(belief), strict=True)):
        if pmf.support == 1 or (level is not None and not level.met(pmf)):
            why.append("")  # it does not even look safe
        elif magnitude:
            true = None if truth is None else int(truth[row])
            why.append(_why_magnitude(pmf, true, belief, level is not None, percent, limit))
        elif level is None and pmf.support < values:
            why.append("")
        else:
            modal, p_modal = pmf.modal
            shown = belief.release.show(modal)
            why.append(count_deceives(pmf.support, p_modal, pmf.entropy, certainty=limit, bits=bits, sure_of=shown))
    words = np.array(why, dtype=object)
    places = belief.release.index(belief.keys).get_indexer(cells.index)
    found = cells.assign(why=words[places] if len(words) else words)
    return found[found["why"] != ""]


def _why_magnitude(pmf: Pmf, truth: int | None, belief: Belief, looks_safe: bool, percent: float, limit: float) -> str:
    half = (pmf.upper - pmf.lower) / 2
    centre = (pmf.upper + pmf.lower) / 2 if truth is None else truth
    reach = 100 * half / centre if centre else np.inf
    if reach <= percent and not looks_safe:
        return ""
    if truth is not None:
        return magnitude_deceives(reach, pmf.between(*within_percent(truth, percent)), percent=percent, certainty=limit)
    guess, near = best_guess(pmf, percent)
    return magnitude_deceives(reach, near, percent=percent, certainty=limit, guess=belief.release.show(guess))
