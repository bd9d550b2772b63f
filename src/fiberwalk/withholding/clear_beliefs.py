"""What an intruder believes of sensitive figures, as precisely as it takes to say whether these reach their targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..base.progress import Progress
from ..posterior.belief import Answers, Belief, believe, budget_for
from ..release.release import Release
from ..sampler.chains.settings import ChainSettings
from .targets import Standing

PRECISIONS = (0.2, 0.05, 0.02)
"""Tolerances in bits, one after the other until every figure is clearly on one side of its target."""
EXACTLY = 300_000_000
"""Operations of exact solving of a block, for one candidate of many: some tenths of a second."""


def clear_belief(
    release: Release,
    law: Any,
    stand: Callable[[Belief], Sequence[Standing]],
    *,
    seed: int,
    known: dict[float, Answers],
    progress: Progress | None,
) -> tuple[Belief, Sequence[Standing]]:
    """A belief, and where figures stand by it; chains go on only where that is not clear.

    What is solved of blocks is put into `known`, by the precision.
    """
    for tolerance in PRECISIONS:
        belief = believe(
            release, law, budget=replace(budget_for("auto", tolerance=tolerance), operations=EXACTLY),
            settings=ChainSettings(seed, tolerance=tolerance), known=known.setdefault(tolerance, {}), progress=progress,
        )  # fmt: skip
        found = stand(belief)
        if belief.converged and (belief.method == "exact" or all(one.clear for one in found)):
            break
    return belief, found


def standing_of(targets: Sequence[Any], pmf: Any, truth: int) -> Standing:
    """Where a figure stands by all of its targets: by the one that it is furthest beyond."""
    each = [target.standing(pmf, truth) for target in targets]
    return Standing(max(one.beyond for one in each), all(one.clear for one in each))
