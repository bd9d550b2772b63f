"""The probability of claims about groups of people, one or several together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.progress import Progress
from ...fiber.exact.solved import Budget
from ...release.population.domain import Inside
from ...release.population.population import PopulationRelease
from ...sampler.chains.settings import ChainSettings
from ..joint import Joint, joint_law
from .laws_of_kinds import law_of_kinds, mean_table


@dataclass(frozen=True, eq=False)
class Claim:
    """That a group has at least and at most so many people."""

    group: Inside
    at_least: int = 0
    at_most: int | None = None


def probability_of(
    release: PopulationRelease,
    law: Any,
    claims: Sequence[Claim],
    *,
    method: str = "auto",
    budget: Budget | None = None,
    settings: ChainSettings | None = None,
    progress: Progress | None = None,
) -> tuple[float, Joint]:
    """The probability that all claims hold, and the joint law of the numbers of people in their groups."""
    means = mean_table(law, release.population.domain)
    kinds = release.kinds_apart([claim.group for claim in claims], means)
    rows = sp.csr_array(np.array([kinds.of_group(claim.group) > 0 for claim in claims], dtype=np.int64))
    joint = joint_law(
        kinds.release,
        law_of_kinds(law, kinds, means, release.kinds),
        rows,
        method=method,
        budget=budget,
        settings=settings,
        progress=progress,
    )
    p = joint.p
    for axis, claim in enumerate(claims):
        values = joint.first[axis] + np.arange(joint.p.shape[axis])
        holds = (values >= claim.at_least) & (values <= (np.inf if claim.at_most is None else claim.at_most))
        p = p * holds.reshape([-1 if other == axis else 1 for other in range(len(claims))])
    return float(np.clip(p.sum() / max(joint.p.sum(), 1e-300), 0.0, 1.0)), joint
