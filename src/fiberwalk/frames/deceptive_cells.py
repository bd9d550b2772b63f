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
    belief: Belief, cells: pd.DataFrame, *, magnitude: bool, support: int, certainty: float, bits: float, percent: float
) -> pd.DataFrame:
    """See `Audit.deceptive`."""
    if not isinstance(support, (int, np.integer)) or support < 2:
        raise InputError(f"deceptive(support={support!r}): a whole number of at least 2.")
    for name, bound in (("certainty", certainty), ("bits", bits)):
        if not isinstance(bound, (int, float, np.number)) or not bound >= 0:
            raise InputError(f"deceptive({name}={bound!r}): a number of at least 0.")
    truth = true_values(belief)
    why = []
    for row, (pmf, level) in enumerate(zip(belief.pmfs, stated_levels(belief), strict=True)):
        if pmf.support == 1 or (level is not None and not level.met(pmf)):
            why.append("")  # it does not even look safe
        elif magnitude:
            true_value = None if truth is None else int(truth[row])
            why.append(_why_magnitude(pmf, true_value, belief, level is not None, percent, certainty))
        elif level is None and pmf.support < support:
            why.append("")
        else:
            modal, p_modal = pmf.modal
            shown = belief.release.show(modal)
            why.append(count_deceives(pmf.support, p_modal, pmf.entropy, certainty=certainty, bits=bits, sure_of=shown))
    reasons = np.array(why, dtype=object)
    places = belief.release.index(belief.keys).get_indexer(cells.index)
    reasoned = cells.assign(why=reasons[places] if len(reasons) else reasons)
    return reasoned[reasoned["why"] != ""]


def _why_magnitude(
    pmf: Pmf, truth: int | None, belief: Belief, looks_safe: bool, percent: float, certainty: float
) -> str:
    half_width = (pmf.upper - pmf.lower) / 2
    centre = (pmf.upper + pmf.lower) / 2 if truth is None else truth
    reach = 100 * half_width / centre if centre else np.inf
    if reach <= percent and not looks_safe:
        return ""
    if truth is not None:
        return magnitude_deceives(
            reach, pmf.between(*within_percent(truth, percent)), percent=percent, certainty=certainty
        )
    guess, near = best_guess(pmf, percent)
    return magnitude_deceives(reach, near, percent=percent, certainty=certainty, guess=belief.release.show(guess))
