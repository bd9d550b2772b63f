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
        named = {
            dim.name: label
            for dim, label, node in zip(release.dims, labels, release.keys[self.cell], strict=True)
            if node != dim.total
        }
        own = release.own_units(self.own)
        if self.kind == SINGLE:
            return release.knows(named, exactly=own)
        # the second largest knows that another has no less than she
        return release.knows(named, own=own, at_least=release.own_units(2 * self.own) if self.kind == SECOND else None)

    def named(self, release: Release) -> str:
        """Her cell in words, and which of its contributors she is where there may be two."""
        words = release.words(release.keys[self.cell])
        return f"{words} (second)" if self.kind == SECOND else words


def respondents_of(release: Release, magnitude: bool) -> list[Respondent]:
    """The contributors to hidden cells who are known, in the order of the table.

    Without a number of contributors, a count of 1 is one person's cell; a largest contribution that is the whole cell is a
    single contributor's. Of magnitudes, the largest is asked whatever her share, and the second largest where she is known;
    between two she has what the largest leaves.
    """
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
    found = []
    for cell, true, first, next_one, alone, some in zip(hidden, value, largest, second, single, asked, strict=True):
        if alone:
            found.append(Respondent(int(cell), SINGLE, int(true)))
        elif some and (magnitude or 2 * first > true):
            found.append(Respondent(int(cell), DOMINANT if 2 * first > true else LARGEST, int(first), int(next_one)))
            if next_one > 0:
                found.append(Respondent(int(cell), SECOND, int(next_one), int(first)))
    return found


def beliefs_of_respondents(
    base: Belief, magnitude: bool, ask: Callable[[Release], Belief], progress: Progress | None
) -> tuple[dict[Respondent, Belief], str]:
    """What each of them believes. Distributions that her knowledge leaves as they were are those of `base`.

    Where the work was stopped, by Ctrl-C or because time was up, those whose turn had not come are left out; the text says
    how many.
    """
    people = respondents_of(base.release, magnitude)
    found: dict[Respondent, Belief] = {}
    for number, one in enumerate(people, start=1):
        if base.stopped or any(hers.stopped for hers in found.values()):
            break
        try:
            with plain_interrupts():
                if progress is not None:
                    progress(f"respondent {number} of {len(people)}: {one.named(base.release)}")
                hers = ask(one.sees(base.release))
        except (KeyboardInterrupt, TimeUp):
            break
        pmfs = [old if _same(old, new) else new for old, new in zip(base.pmfs, hers.pmfs, strict=True)]
        found[one] = replace(hers, pmfs=tuple(pmfs))
    n = len(people) - len(found)
    return found, f"{n} of {len(people)} respondents {'was' if n == 1 else 'were'} not asked" if n else ""


def respondents_frame(
    base: Belief, seen: Mapping[Respondent, Belief], *, magnitude: bool, percent: float
) -> pd.DataFrame:
    """See `Audit.respondents`."""
    import pandas as pd

    release = base.release
    more = OF_MAGNITUDES if magnitude else ()
    rows = [_row(base, one, hers, percent if magnitude else None) for one, hers in seen.items()]
    index = release.index(release.keys[[one.cell for one in seen]])
    frame = pd.DataFrame(rows, index=index, columns=[*COLUMNS, *more])
    worst = ("times", "risk", *more[1:2], "newly_known")  # the last counts first
    keys = (frame[column].to_numpy(dtype=float) for column in worst)
    return frame.iloc[np.lexsort([-np.nan_to_num(key, posinf=np.inf) for key in keys])]


def find(seen: Mapping[Respondent, Belief], release: Release, key: Sequence[int], second: bool) -> Belief:
    """What the largest (or second largest) respondent in a cell believes."""
    for one, hers in seen.items():
        if tuple(release.keys[one.cell]) == tuple(key) and (one.kind == SECOND) == second:
            return hers
    who = (
        "second largest contributor who is known"
        if second
        else "single or dominant contributor, nor a largest who is known"
    )
    raise InputError(f"{release.words(tuple(key))} has no {who}: `respondents` lists those there are.")


def _row(base: Belief, one: Respondent, hers: Belief, percent: float | None) -> dict[str, Any]:
    """What she learns, and the cell she learns most about that not everybody knows."""
    release = base.release
    her_row = int(np.flatnonzero(release.hidden == one.cell)[0])
    learnt = [
        k
        for k, (old, new) in enumerate(zip(base.pmfs, hers.pmfs, strict=True))
        if old is not new and old.support > 1 and not (one.kind == SINGLE and k == her_row)
    ]
    row = dict(
        kind=one.kind,
        own=release.own_units(one.own),
        newly_known=sum(hers.pmfs[k].support == 1 for k in learnt),
        worst_cell="",
        times=1.0,
        certificate=hers.certificate.word,
        converged=hers.converged,
    )
    if percent is not None and one.kind != SINGLE:
        row |= _other(one, release, hers.pmfs[her_row], percent)
    if not learnt:
        return row
    before, after = (_nearness(belief, learnt, percent) for belief in (base, hers))
    # of several she knows exactly, the one that others know least about
    worst = min(
        learnt, key=lambda k: (hers.pmfs[k].support > 1, -after[k], hers.pmfs[k].entropy, -base.pmfs[k].entropy)
    )
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


def _other(one: Respondent, release: Release, others: Pmf, percent: float) -> dict[str, Any]:
    """What she knows of the largest other contributor to her cell."""
    number = NO_VALUE if release.contributors is None else int(release.contributors[one.cell])
    between = largest_other(others.lower, others.upper, one.own, second=one.kind == SECOND, contributors=number)
    row = dict(other_lower=release.own_units(between.lower), other_upper=release.own_units(between.upper))
    if one.other > 0:
        row |= dict(
            other=release.own_units(one.other),
            other_within=between.exceeds(one.other),
            p_near_other=p_near_other(others, one.other, percent),
        )
    return row


def _nearness(belief: Belief, rows: Sequence[int], percent: float | None) -> dict[int, float]:
    """The probability that cells are within so many percent of their truth; of counts, for which it says little, 0."""
    truth = true_values(belief)
    if percent is None or truth is None:
        return dict.fromkeys(rows, 0.0)
    return {k: belief.pmfs[k].between(*within_percent(int(truth[k]), percent)) for k in rows}


def _risk(pmf: Pmf) -> float:
    return 1 / pmf.entropy if pmf.entropy > 0 else np.inf


def _same(one: Pmf, other: Pmf) -> bool:
    return one is other or (
        (one.first, one.width, one.lower, one.upper) == (other.first, other.width, other.lower, other.upper)
        and len(one.p) == len(other.p)
        and np.allclose(one.p, other.p, rtol=1e-9, atol=1e-15)
    )
