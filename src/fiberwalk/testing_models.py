"""conditional_test: does a log-linear model fit a table, whatever its counts?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .base.certificate import Certificate
from .base.errors import InputError
from .base.interruption import check_max_seconds, plain_interrupts, time_limit
from .base.progress import Progress, shown
from .fiber.blocks.presolve import presolve
from .fiber.laws.support import support
from .moves.chooser import choose
from .posterior.goodness_of_fit.drawn import by_draws
from .posterior.goodness_of_fit.enumerated import over_all_tables
from .posterior.goodness_of_fit.models import degrees_of_freedom, expected_counts, release_of_model
from .posterior.goodness_of_fit.statistics import HAS_CHI_SQUARE_LIMIT, statistic_of
from .release.tables.tables import as_table
from .results.conditional_test_result import ConditionalTest
from .sampler.chains.settings import ChainSettings

METHODS = ("auto", "exact", "chains")


def conditional_test(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    table: Any,
    hypothesis: Any,
    statistic: str | Callable[[np.ndarray], float] = "chi-square",
    *,
    impossible: Any = None,
    method: str = "auto",
    max_error: float = 0.001,
    chains: int = 4,
    seed: int | None = 1,
    max_seconds: float | None = None,
    progress: Progress | bool | None = None,
) -> ConditionalTest:
    """Does a log-linear model fit a table? The conditional (exact) test, which needs no large counts.

    The sums that the model keeps are its sufficient statistics: given these, a table x has a probability proportional to
    1 / prod x!, whatever the parameters. The p-value is the probability of a statistic at least as large as the observed one
    among the tables with these sums. Where all can be listed in seconds it is exact; else tables are drawn by Markov chains
    (Diaconis and Sturmfels, 1998) until its standard error is small.

    Parameters
    ----------
    table
        Counts, in any form of a table.
    hypothesis
        The margins that the model keeps: `["A", "B"]` is independence, `["A,B", "B,C", "A,C"]` no three-way interaction.
        A list may also have tables of 0 and 1 of the same shape: sums of the cells marked 1. Square tables have models by
        name: "quasi-independence", "symmetry", "quasi-symmetry". Or a release of the table, with whatever exact facts and
        bounds it has.
    statistic
        "chi-square" (Pearson's), "likelihood-ratio", "freeman-tukey" (4 sum (sqrt x - sqrt mu)^2), "probability" (tables
        that are no more probable than the observed one: Fisher's test), or a function that takes a table as an array and
        gives a number, larger for a worse fit.
    impossible
        Structural zeros: cells that can only be empty, as a list of cells {dim: label}, a boolean table, or a function of
        the table.
    method
        "exact": all tables, or `fiberwalk.TooLarge`. "chains": drawn tables. "auto": all tables where these are not too
        many.
    max_error
        Tables are drawn until the standard error of the p-value is at most this, at two looks in a row.
    chains, seed, max_seconds, progress
        As for `audit`.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> satisfaction = [[1, 3, 10, 6], [2, 3, 10, 7], [1, 6, 14, 12], [0, 1, 9, 11]]
    >>> test = fw.laws.conditional_test(satisfaction, ["A", "B"])
    >>> round(test.observed, 2), test.df, abs(test.p - 0.770) < 0.004
    (5.97, 9, True)

    Fisher's exact test of tea and milk:

    >>> fw.laws.conditional_test([[3, 1], [1, 3]], ["A", "B"], "probability").p
    0.4857142857142857

    Occupations of fathers and sons: are the two independent among those whose occupations differ?

    >>> test = fw.laws.conditional_test([[50, 9, 1], [2, 40, 9], [8, 3, 30]], "quasi-independence")
    >>> test.tables, round(test.p, 4)
    (10, 0.001)
    """
    observed = as_table(table)
    settings = ChainSettings(seed, chains)
    check_max_seconds(max_seconds)
    if isinstance(max_error, bool) or not isinstance(max_error, (int, float)) or not 0 < max_error < 1:
        raise InputError(f"max_error={max_error!r}: the standard error of the p-value that is wanted, such as 0.001.")
    if method not in METHODS:
        raise InputError(f"method={method!r}: 'auto', 'exact' or 'chains'.")
    release, words = release_of_model(observed, hypothesis, impossible)
    with shown(progress) as tell, plain_interrupts(), time_limit(max_seconds):
        solved = presolve(release)
        expected, settled = expected_counts(solved)
        chosen = statistic_of(statistic, expected, observed.values.shape)
        value = float(chosen.of(observed.values.ravel()))
        fit: dict[str, Any] = {
            "model": words,
            "statistic": chosen.name,
            "observed": value,
            "df": degrees_of_freedom(solved),
            "has_limit": chosen.name in HAS_CHI_SQUARE_LIMIT,
            "expected": expected.reshape(observed.values.shape),
            "fitted": settled,
        }
        exact = None if method == "chains" else over_all_tables(solved, chosen, value, all_of_them=method == "exact")
        if exact is not None:
            certificate = Certificate("exact", f"all {exact.tables:,} tables with these sums")
            return ConditionalTest(exact.p, 0.0, "exact", certificate, tables=exact.tables, **fit)
        moves = choose(support(release, "hypergeometric"), progress=tell)
        drawn = by_draws(moves, chosen, value, settings, tolerance=float(max_error), progress=tell)
    facts = drawn.facts
    certificate = Certificate(
        facts["certificate"], facts["certificate_reason"], tuple(filter(None, [facts["certificate_evidence"]]))
    )
    return ConditionalTest(
        drawn.p, drawn.error, "chains", certificate, draws=drawn.draws, ess=drawn.ess, rhat=drawn.rhat,
        settled=drawn.settled, stopped=drawn.stopped, seed=seed, **fit,
    )  # fmt: skip
