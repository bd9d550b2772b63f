"""The release as each of its known contributors sees it: she knows her own part, and may work out another's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base.errors import InputError, TimeUp
from ..base.interruption import plain_interrupts
from ..base.progress import Progress
from ..base.saved_forms import saved
from ..posterior.belief import Belief
from ..posterior.parts.pmf import Pmf
from ..release.facts.facts import NO_VALUE
from ..release.release import Release
from ..risk.nearness import within_percent
from .cell_frame import true_values
from .largest_other import largest_other, p_near_other

if TYPE_CHECKING:
    import pandas as pd

SINGLE, DOMINANT, LARGEST, SECOND = "single", "dominant", "largest", "second"
INTRUDERS = (None, "respondents")
COLUMNS = (
    "kind", "own", "newly_known", "worst_cell", "risk_before", "risk", "times", "p_modal_before", "p_modal", "certificate",
    "converged",
)  # fmt: skip
OF_MAGNITUDES = ("p_near_before", "p_near", "other_lower", "other_upper", "other", "other_within", "p_near_other")


@saved("Respondent")
class Respondent(NamedTuple):
    """A contributor to a hidden cell: all of it is hers (single), more than half (dominant), or she is first or second."""

    cell: int
    kind: str
    own: int
    other: int = NO_VALUE
    """The true amount of the largest other contributor, where it is known."""

    def sees(self, release: Release) -> Release:
        """The release with what she knows of her own cell."""
        labels = release.index(release.keys[[self.cell]])[0]
        # a dim that the cell's table does not have is summed over
        cell = {
            dim.name: label
            for dim, label, node in zip(release.dims, labels, release.keys[self.cell], strict=True)
            if node != dim.total
        }
        own = release.own_units(self.own)
        if self.kind == SINGLE:
            return release.knows(cell, exactly=own)
        # the second largest knows that another has no less than she
        return release.knows(cell, own=own, at_least=release.own_units(2 * self.own) if self.kind == SECOND else None)

    def named(self, release: Release) -> str:
        """Her cell in words, and which of its contributors she is where there may be two."""
        words = release.words(release.keys[self.cell])
        return f"{words} (second)" if self.kind == SECOND else words


def respondents_of(release: Release, magnitude: bool) -> list[Respondent]:
    """The contributors to hidden cells who are known, in the order of the table.

    Where the number of contributors is not given, a count of 1 is one person's cell, and a cell that its largest
    contribution fills has a single contributor. Of magnitudes, the largest is asked whatever her share, and the second
    largest where she is known; where two contribute, she has what the largest leaves.
    """
    if release.signed:
        raise InputError(
            "intruders='respondents': where cells may be negative, nobody's part of one bounds the others'."
        )
    if magnitude and release.contributors is None and release.largest is None:
        raise InputError(
            "intruders='respondents' needs to know who is alone in a cell of magnitudes, or has most of it: give the "
            "columns N_OBS or MAX, or fw.table(contributors=) or fw.table(largest=)."
        )
    if release.truth is None:
        raise InputError(
            "intruders='respondents' needs a release that carries the truth: what a respondent knows of her own cell is "
            "its true value."
        )
    hidden = release.hidden
    value = release.truth[hidden]
    largest = np.full(len(hidden), NO_VALUE) if release.largest is None else release.largest[hidden]
    if release.contributors is not None:
        number = release.contributors[hidden]
    else:
        number = np.full(len(hidden), NO_VALUE) if magnitude else value
    single = (number == 1) | ((number == NO_VALUE) & (largest == value) & (value > 0))
    asked = ~single & (number != 0) & (largest > 0)
    second = np.full(len(hidden), NO_VALUE) if release.second is None else release.second[hidden]
    second = np.where(asked & (number == 2), value - largest, second) if magnitude else np.full(len(hidden), NO_VALUE)
    respondents = []
    for cell, true, first, runner_up, alone, others in zip(hidden, value, largest, second, single, asked, strict=True):
        if alone:
            respondents.append(Respondent(int(cell), SINGLE, int(true)))
        elif others and (magnitude or 2 * first > true):
            respondents.append(
                Respondent(int(cell), DOMINANT if 2 * first > true else LARGEST, int(first), int(runner_up))
            )
            if runner_up > 0:
                respondents.append(Respondent(int(cell), SECOND, int(runner_up), int(first)))
    return respondents


def beliefs_of_respondents(
    base: Belief, magnitude: bool, ask: Callable[[Release], Belief], progress: Progress | None
) -> tuple[dict[Respondent, Belief], str]:
    """What each respondent believes. Distributions that her knowledge does not change are those of `base`.

    Where the work was stopped, by Ctrl-C or because time was up, the text says how many respondents are left out.
    """
    people = respondents_of(base.release, magnitude)
    beliefs: dict[Respondent, Belief] = {}
    for number, respondent in enumerate(people, start=1):
        if base.stopped or any(hers.stopped for hers in beliefs.values()):
            break
        try:
            with plain_interrupts():
                if progress is not None:
                    progress(f"respondent {number} of {len(people)}: {respondent.named(base.release)}")
                hers = ask(respondent.sees(base.release))
        except (KeyboardInterrupt, TimeUp):
            break
        pmfs = [old if _same(old, new) else new for old, new in zip(base.pmfs, hers.pmfs, strict=True)]
        beliefs[respondent] = replace(hers, pmfs=tuple(pmfs))
    left = len(people) - len(beliefs)
    return beliefs, f"{left} of {len(people)} respondents {'was' if left == 1 else 'were'} not asked" if left else ""


def respondents_frame(
    base: Belief, seen: Mapping[Respondent, Belief], *, magnitude: bool, percent: float
) -> pd.DataFrame:
    """See `Audit.respondents`."""
    import pandas as pd

    release = base.release
    more = OF_MAGNITUDES if magnitude else ()
    rows = [_row(base, respondent, hers, percent if magnitude else None) for respondent, hers in seen.items()]
    index = release.index(release.keys[[respondent.cell for respondent in seen]])
    frame = pd.DataFrame(rows, index=index, columns=[*COLUMNS, *more])
    worst = ("times", "risk", *more[1:2], "newly_known")  # the last counts first
    keys = (frame[column].to_numpy(dtype=float) for column in worst)
    return frame.iloc[np.lexsort([-np.nan_to_num(key, posinf=np.inf) for key in keys])]


def find(seen: Mapping[Respondent, Belief], release: Release, key: Sequence[int], second: bool) -> Belief:
    """What the largest (or second largest) respondent in a cell believes."""
    for respondent, hers in seen.items():
        if tuple(release.keys[respondent.cell]) == tuple(key) and (respondent.kind == SECOND) == second:
            return hers
    who = (
        "second largest contributor who is known"
        if second
        else "single or dominant contributor, nor a largest who is known"
    )
    raise InputError(f"{release.words(tuple(key))} has no {who}: `respondents` lists those there are.")


def _row(base: Belief, respondent: Respondent, hers: Belief, percent: float | None) -> dict[str, Any]:
    """What she learns, and the cell she learns most about that not everybody knows."""
    release = base.release
    her_row = int(np.flatnonzero(release.hidden == respondent.cell)[0])
    learnt = [
        place
        for place, (old, new) in enumerate(zip(base.pmfs, hers.pmfs, strict=True))
        if old is not new and old.support > 1 and not (respondent.kind == SINGLE and place == her_row)
    ]
    row = dict(
        kind=respondent.kind,
        own=release.own_units(respondent.own),
        newly_known=sum(hers.pmfs[place].support == 1 for place in learnt),
        worst_cell="",
        times=1.0,
        certificate=hers.certificate.word,
        converged=hers.converged,
    )
    if percent is not None and respondent.kind != SINGLE:
        row |= _other(respondent, release, hers.pmfs[her_row], percent)
    if not learnt:
        return row
    before, after = (_nearness(belief, learnt, percent) for belief in (base, hers))

    def riskiest_first(place: int) -> tuple[bool, float, float, float]:
        pmf = hers.pmfs[place]
        # of several cells that she knows exactly, the one that others know least about
        return pmf.support > 1, -after[place], pmf.entropy, -base.pmfs[place].entropy

    worst = min(learnt, key=riskiest_first)
    old, new = base.pmfs[worst], hers.pmfs[worst]
    row |= dict(
        worst_cell=release.words(tuple(base.keys[worst])),
        risk_before=_risk(old),
        risk=_risk(new),
        times=_risk(new) / _risk(old) if old.entropy > 0 else 1.0,
        p_modal_before=old.modal[1],
        p_modal=new.modal[1],
        p_near_before=before[worst],
        p_near=after[worst],
    )
    return row


def _other(respondent: Respondent, release: Release, others: Pmf, percent: float) -> dict[str, Any]:
    """What she knows of the largest other contributor to her cell."""
    number = NO_VALUE if release.contributors is None else int(release.contributors[respondent.cell])
    second = respondent.kind == SECOND
    between = largest_other(others.lower, others.upper, respondent.own, second=second, contributors=number)
    row = dict(other_lower=release.own_units(between.lower), other_upper=release.own_units(between.upper))
    if respondent.other > 0:
        row |= dict(
            other=release.own_units(respondent.other),
            other_within=between.exceeds(respondent.other),
            p_near_other=p_near_other(others, respondent.other, percent),
        )
    return row


def _nearness(belief: Belief, rows: Sequence[int], percent: float | None) -> dict[int, float]:
    """The probability that cells are within so many percent of their truth; of counts, for which it says little, 0."""
    truth = true_values(belief)
    if percent is None or truth is None:
        return dict.fromkeys(rows, 0.0)
    return {row: belief.pmfs[row].between(*within_percent(int(truth[row]), percent)) for row in rows}


def _risk(pmf: Pmf) -> float:
    return 1 / pmf.entropy if pmf.entropy > 0 else np.inf


def _same(first: Pmf, second: Pmf) -> bool:
    return first is second or (
        (first.first, first.width, first.lower, first.upper) == (second.first, second.width, second.lower, second.upper)
        and len(first.p) == len(second.p)
        and np.allclose(first.p, second.p, rtol=1e-9, atol=1e-15)
    )
