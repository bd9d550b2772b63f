"""Sampling: the counts of a simple random sample are published in place of the population's."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from ...base.errors import InputError, TooLarge
from ...base.saved_forms import saved
from ...release.facts.facts import NO_VALUE, Applied
from ...release.publish import parse_margins, publish_margins
from ...release.release import Release, of_table
from ..mechanism.cell_keys import taken_seed
from ..mechanism.mechanism import EXACT, Figures, counts_of, figures_of, most_possible, seen_through

MOST_WEIGHTS = 100_000_000
"""The most log-weights that are kept for the cells of one sample: 800 MB."""
MOST_UNITS = 1_000_000_000
"""The generator of random numbers draws from populations below this."""


@saved("Sampling")
@dataclass(frozen=True)
class Sampling:
    """`size` of `population` units are drawn without replacement, every such sample equally probable.

    The sample counts f of the cells F have the probability prod C(F_i, f_i) / C(population, size): a product over cells,
    as long as population and size are known (multivariate hypergeometric).
    """

    population: int
    size: int
    name: str = "sampling"

    @property
    def words(self) -> str:
        """What it does."""
        return f"the counts are those of a simple random sample of {self.size} of the {self.population} units"

    def given(self, figure: int, most: int) -> tuple[int, np.ndarray]:
        """Log C(F, f) for every F that leaves enough units outside the sample, up to the factor that all F share."""
        values = np.arange(figure, min(most, figure + self.population - self.size) + 1)
        if not 0 <= figure <= self.size or not len(values):
            return 0, np.empty(0)
        return figure, gammaln(values + 1.0) - gammaln(values - figure + 1.0) - gammaln(figure + 1.0)


def draw_sample(
    table: Any,
    fraction: float | None = None,
    *,
    size: int | None = None,
    seed: int | None = None,
    exact: Iterable[Any] = ("",),
) -> Release:
    """Publish the counts of a simple random sample without replacement. The likelihood is exact.

    What an intruder then asks is how many there are in the population, given the sample and whatever is published of the
    population itself: its total always, further margins if asked for.

    Parameters
    ----------
    fraction, size
        One of them: the share of the population in the sample (the size is rounded to the nearest whole number), or its
        size.
    seed
        The seed of the random numbers; whoever has it can draw the sample again. Left out: a new one, kept in
        `release.applied`. A seed that can be guessed protects nothing.
    exact
        Margins of the population that are published; the grand total is always among them.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.protect.draw_sample([[3, 1], [2, 4]], size=5, seed=1, exact=["A", "B"])
    >>> r.published.values.tolist()
    [[1, 0], [1, 3]]
    >>> fw.audit(r).pmf(A="1", B="1").round(3).to_dict()
    {2: 0.086, 3: 0.343, 4: 0.571}
    """
    labelled = counts_of(table, "draw_sample")
    truth = labelled.values.ravel()
    population = int(truth.sum())
    if population >= MOST_UNITS:
        raise TooLarge(
            f"draw_sample(): the population has {population:,} units; it can have fewer than {MOST_UNITS:,}."
        )
    mechanism = Sampling(population, _size(fraction, size, population))
    seed = taken_seed(seed)
    published = np.random.default_rng(seed).multivariate_hypergeometric(truth, mechanism.size, method="marginals")
    known = dict.fromkeys([*parse_margins([""], labelled.dims), *parse_margins(exact, labelled.dims)])
    release = publish_margins(of_table(labelled), list(known))
    shown, matrix = figures_of(release, ())
    refuse_too_many(mechanism, published, most_possible(release, matrix))
    return seen_through(
        release, mechanism, Figures(shown, matrix, published), Applied(mechanism.name, EXACT, mechanism.words, seed)
    )


def sampling_of(release: Release) -> Sampling:
    """The sampling that an outsider sees in a release of sample counts and population margins."""
    facts = release.sums
    summed = [tuple(int(node) == dim.total for node, dim in zip(key, release.dims, strict=True)) for key in facts.keys]
    for pattern in dict.fromkeys(summed):
        rows = np.array(
            [i for i, is_summed in enumerate(summed) if is_summed == pattern and facts.lower[i] == facts.upper[i]],
            dtype=int,
        )
        if (np.asarray(facts.matrix[rows].sum(axis=0)).ravel() == 1).all():
            figures = release.figures
            if figures is None or release.sum_figures or (figures == NO_VALUE).any():
                raise InputError(
                    "draw_sample: every cell needs its sample count, and no total may be marked as perturbed."
                )
            return Sampling(int(facts.lower[rows].sum()), int(figures.sum()))
    raise InputError(
        "draw_sample: how large is the population? Give its total, or margins of it, with exact= (in a file: as totals)."
    )


def refuse_too_many(mechanism: Sampling, published: np.ndarray, most: np.ndarray) -> None:
    """Refuse where the weights of all population counts that cells may have would fill the memory."""
    ranges = np.unique(
        np.stack([published, np.minimum(most, published + mechanism.population - mechanism.size)]), axis=1
    )
    needed = int((ranges[1] - ranges[0] + 1).sum(dtype=float))
    if needed > MOST_WEIGHTS:
        raise TooLarge(
            f"the population counts that the sample leaves possible are {needed:,} in all, more than {MOST_WEIGHTS:,}; "
            "publish further population margins with exact=, which limit them, or a table with fewer cells."
        )


def _size(fraction: Any, size: Any, population: int) -> int:
    if (fraction is None) == (size is None):
        raise InputError("draw_sample() needs fraction= or size=, one of them.")
    if size is not None:
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1:
            raise InputError(f"draw_sample(size={size!r}): the size is a whole number of at least 1.")
        if size > population:
            raise InputError(f"draw_sample(size={size}): the population has {population} units only.")
        return int(size)
    if isinstance(fraction, bool) or not isinstance(fraction, (int, float, np.number)) or not 0 < fraction <= 1:
        raise InputError(f"draw_sample(fraction={fraction!r}): a fraction is above 0 and at most 1.")
    rounded = math.floor(float(fraction) * population + 0.5)
    if not rounded:
        raise InputError(f"draw_sample(fraction={fraction}): of {population} units that is a sample of nobody.")
    return rounded
