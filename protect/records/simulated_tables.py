"""Simulated tables (Fienberg, Makov and Steele 1998; DFKPR01): a draw from its own fiber replaces the table.

Under the log-linear model of some margins, the tables with these margins have the probabilities prod 1/x!, whatever its
parameters. Such a draw needs the margins and nothing else of the true table.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...fiber.laws.log_linear_model import fit
from ...moves.chooser import choose
from ...release.facts.facts import Applied
from ...release.publish import parse_margins, publish_margins
from ...release.release import Release, of_table
from ...release.tables.table_forms import Hierarchies
from ...release.tables.tables import Table
from ...sampler.drawn_tables import draw_tables
from ..mechanism.cell_keys import taken_seed
from ..mechanism.mechanism import EXACT, counts_of
from ..mechanism.moved_records import published_as

NAME = "simulated table"
CHAINS = 4
TESTS = ("likelihood ratio", "pearson")


def simulate(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    table: Any,
    margins: Iterable[Any],
    *,
    fits: Iterable[Any] | None = None,
    level: float = 0.05,
    test: str = "likelihood ratio",
    most_tries: int = 400,
    seed: int | None = None,
    hierarchies: Hierarchies | None = None,
    decimals: int = 0,
    count: str | None = None,
) -> Release:
    """Publish a simulated table instead of the true one: a draw from all tables with its margins, prod 1/x! probable.

    The draw, and whether it is kept, depend on the true table through its published margins only. So the likelihood is
    exact: the published cells say nothing of the truth beyond these margins, which are facts, however well or badly the
    chains that drew them mixed. (Badly mixed chains make a table that is less typical of its law; then the words say so.)

    Parameters
    ----------
    margins
        The margins of the true table that the simulated one keeps.
    fits
        Margins of a richer log-linear model: a draw is kept only if this model fits it.
    level
        It fits where its test has a p-value of at least this.
    test
        "likelihood ratio" or "pearson".
    most_tries
        How many draws are looked at.
    seed
        Of the random numbers. Left out: a new one, which
        `release.applied` keeps; one that can be guessed protects nothing.
    hierarchies, count
        As for `publish`; decimals must be 0.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.simulate([[4, 9, 1], [2, 7, 3]], ["A", "B"], seed=1)
    >>> r.published.sum("A").values.tolist(), r.published.sum("B").values.tolist(), r.likelihood
    ([6, 16, 4], [14, 12], 'exact')
    """
    labelled = counts_of(table, "simulate", hierarchies, decimals, count)
    kept = parse_margins(margins, labelled.dims) if margins is not None else []
    if not kept:
        raise InputError("simulate() needs margins=, those that the simulated table keeps, such as ['I,J', 'J,K'].")
    if test not in TESTS:
        raise InputError(f"simulate(test={test!r}): 'likelihood ratio' or 'pearson'.")
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise InputError(f"simulate(level={level!r}): the least p-value of a fit, between 0 and 1.")
    if isinstance(most_tries, bool) or not isinstance(most_tries, (int, np.integer)) or most_tries < 1:
        raise InputError(f"simulate(most_tries={most_tries!r}): a whole number of at least 1.")
    richer = None if fits is None else parse_margins(fits, labelled.dims)
    release = publish_margins(of_table(labelled), kept)
    seed = taken_seed(seed)
    tables, facts = draws_of(release, 1 if richer is None else int(most_tries), seed)
    named = "; ".join(",".join(level for level in margin if level) or "the grand total" for margin in kept)
    words = f"a draw from all tables with the same margins ({named}), prod 1/x! probable, replaces the table"
    words += f" ({facts['kernels']})"
    if facts["certificate"] == "unproven" or facts["converged"] == "no":
        rhat = f", largest R-hat {facts['rhat']:.3f}"
        words += f"; the chains are {_doubt(facts)}{rhat}, so the draw may be less typical of its law than it should be"
    if richer is not None:
        words += f"; kept because a richer log-linear model fits it ({test} test, p at least {level:g})"
        tables = _fitting(tables, labelled, richer, level, test)
    words += "; it says nothing of the true table beyond these margins"
    return published_as(release, tables[0].astype(np.int64), Applied(NAME, EXACT, words, seed))


def draws_of(release: Release, draws: int, seed: int) -> tuple[np.ndarray, dict[str, Any]]:
    """Tables with the facts of a release under prod 1/x!, one a row, and how they were drawn.

    The truth is taken away first: nothing, not even where chains start, can depend on it.
    """
    moves = choose(release.without_truth(), "hypergeometric")
    if not moves.sets:
        raise InputError(
            "these margins decide every cell: a simulated table would be the true one; keep fewer margins."
        )
    tables, facts = draw_tables(moves, draws=-(-draws // CHAINS), chains=CHAINS, seed=seed)
    return tables.swapaxes(0, 1).reshape(-1, release.n_cells)[:draws], facts


def _doubt(facts: dict[str, Any]) -> str:
    doubts = ["not proven to reach every table"] if facts["certificate"] == "unproven" else []
    return " and ".join(doubts + (["NOT CONVERGED"] if facts["converged"] == "no" else []))


def _fitting(tables: np.ndarray, like: Table, margins: list[Any], level: float, test: str) -> np.ndarray:
    """The first table that a log-linear model fits, as the only row."""
    best = 0.0
    for one in tables:
        found = fit(Table(one.astype(np.int64).reshape(like.values.shape), like.dims), margins)
        p = found.p if test == TESTS[0] else found.p_pearson
        if p >= level:
            return one[None]
        best = max(best, p)
    raise InputError(
        f"the model of fits= fits none of {len(tables)} simulated tables (largest p-value {best:.2g}): ask for a richer "
        "model, keep more margins, or raise most_tries=."
    )
