"""Populations that agree with every fact of a release, drawn by our chains from laws of single cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.errors import Contradiction, InputError
from ...fiber.laws.law import Law
from ...fiber.laws.support import support
from ...moves.chooser import choose
from ...sampler.chains.settings import ChainSettings
from ...sampler.drawn_tables import table_portions
from .outside_laws import DirichletOutside, MultinomialOutside
from .population import PORTION, Drawing, Drawn, Each
from .sample_table import SampleTable


@dataclass(frozen=True, eq=False)
class Fiber:
    """Populations drawn by chains, or independently where the fiber and the law allow it."""

    sample: SampleTable
    laws: Sequence[Law]
    """Each is as probable as the others."""
    apart: bool
    """Are the laws of the people outside the sample, the sample itself taken into account?"""

    def each(self, function: Each, how: Drawing) -> Drawn:
        """As many draws from each law, one after the other."""
        draws = -(-how.draws // (how.chains * len(self.laws)))
        seeds = [how.seed] if len(self.laws) == 1 else _seeds(how.seed, len(self.laws))
        by_law, facts = [], []
        for law, seed in zip(self.laws, seeds, strict=True):
            values, how_drawn = self._drawn(law, function, replace(how, draws=draws, seed=seed))
            by_law.append(values)
            facts.append(how_drawn)
        return Drawn(np.stack(by_law, axis=2).reshape(how.chains, -1, *by_law[0].shape[2:]), _together(facts))

    def _drawn(self, law: Law, function: Each, how: Drawing) -> tuple[np.ndarray, dict[str, Any]]:
        """Portion by portion, of all chains together."""
        release = self.sample.release_of_outside if self.apart else self.sample.release
        assert release is not None
        in_sample = self.sample.counts if self.apart else 0
        portions, facts = table_portions(
            choose(support(release, law), progress=how.progress),
            ChainSettings(how.seed, how.chains),
            draws=how.draws,
            portion=max(1, PORTION // (how.chains * release.n_cells)),
            progress=how.progress,
        )
        values = [
            np.stack([function(tables + in_sample) for tables in portion.astype(np.int64)]) for portion in portions
        ]
        return np.concatenate(values, axis=1), facts


@dataclass(frozen=True, eq=False)
class ModelGivenFacts:
    """The people outside the sample as a model has them, given all that a release says: chains draw what groups cannot."""

    sample: SampleTable
    laws: Sequence[MultinomialOutside | DirichletOutside]
    model: str

    def each(self, function: Each, how: Drawing) -> Drawn:
        """As of the fiber, without the cells that the model holds for impossible."""
        never = ~self.laws[0].possible
        release = self.sample.release
        assert release is not None
        closed = replace(release, upper=np.where(never, np.minimum(release.upper, self.sample.counts), release.upper))
        drawn = Fiber(replace(self.sample, release=closed), self.laws, apart=True)
        try:
            return drawn.each(function, how)
        except Contradiction as problem:
            if not (never & ~self.sample.outside_facts.shut).any():
                raise
            raise InputError(
                f"model {self.model!r} holds cells for impossible that the facts of the release need: "
                f"{_without_end(str(problem))}; give it add=, or take 'shrunk'."
            ) from None


def _without_end(sentence: str) -> str:
    return sentence.removesuffix(".")


def _seeds(seed: int | None, number: int) -> list[int]:
    return [int(child.generate_state(1, np.uint64)[0]) for child in np.random.SeedSequence(seed).spawn(number)]


def _together(facts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How tables were drawn from several laws: the worst of each figure."""
    return {
        **facts[0],
        "rhat": max(law_facts["rhat"] for law_facts in facts),
        "ess": min(law_facts["ess"] for law_facts in facts),
        "never_moved": max(law_facts["never_moved"] for law_facts in facts),
        "converged": min(law_facts["converged"] for law_facts in facts),  # "no" comes before "yes"
    }
