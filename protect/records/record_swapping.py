"""Record swapping (Dalenius and Reiss 1982; SAE15 3.1; the confidentiality edit of DFKPR01).

Records in pairs exchange their value of one dim, such as the region, or of several together, with a partner from another
category who is alike in some control dims. This keeps, whatever happens, how many records each category has within each
stratum of the controls, and the table of all other dims together. Of microdata, whole households do so
(`household_swapping`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...fiber.laws.raking import groups_of
from ...release.facts.facts import Applied
from ...release.release import Release, of_table
from ..mechanism.cell_keys import taken_seed
from ..mechanism.mechanism import CELLWISE, counts_of
from ..mechanism.moved_records import published_as
from .household_swapping import swap_households
from .swapped_pairs import strata_of, swapped_within
from .swapping_checks import (
    NAME,
    Swapping,
    checked_swap,
    kept_margins,
    refuse_too_many,
    refuse_useless,
    words_of,
)
from .swapping_evidence import cell_evidence

WHY = (
    "cells are taken one by one, each for its share of the degrees of freedom, although a pair of records changes four at "
    "once"
)


def swap(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    table: Any,
    dim: str | Sequence[str],
    *,
    rate: float = 0.1,
    within: Any = (),
    targeted: int | None = None,
    household: str | None = None,
    columns: Sequence[str] | None = None,
    seed: int | None = None,
    exact: Iterable[Any] = (),
) -> Release:
    """Publish a table of counts after pairs of records have exchanged their value of one dim, or of several together.

    In every stratum of `within` with N records, `rate` N / 2 pairs (up or down at random where that is no whole number)
    are formed one after the other, each uniformly among all pairs of records from different categories of `dim` that are
    in no pair yet. The margins dim x within and all other dims together (at the level of `dim` that `within` names) stay
    as they are, and are facts. Of several dims, what is exchanged is the combination of their values.

    With `household`, the table is microdata, one row a person, and households exchange their place as offices do it: all
    members move together, to where a household was that has as many members, and as many of every combination of `within`
    (with "age,sex", the same ages and sexes). The same margins stay, and are all that is modelled: the likelihood is
    *support only*, and an audit gives a lower bound of what an intruder can learn.

    The likelihood is a cellwise approximation. Measured as the total variation between the law of a cell that an audit
    gives and the true one, on average over what may be published: on 3 x 3 tables with all sums 3, of which a third are
    swapped, it is 0.05 off (0.26 without the evidence), with targeted=1 0.12 (0.36); on 2 x 3 tables 0.01 (0.09); on 2 x 2
    tables without targeting it is exact. (pytest tests/protect/records -k gap)

    Parameters
    ----------
    dim
        The dim whose values are exchanged; or several, "region,tenure" or a list, whose values go together.
    rate
        The expected share of records, or households, that are swapped; fewer where a stratum runs out of partners.
    within
        Dims (or levels of dims) in which partners agree, as a margin; `dim` itself only at a coarser level. Of households,
        further columns of the microdata, too.
    targeted
        Records in cells of at most this many come first: while there are any, a pair begins with one of them. Of households,
        those with a member in such a cell.
    household
        The column of microdata that says which household a person is in.
    columns
        With `household`: the columns that are dims of the table (all others but that of the household, when left out).
    seed
        The seed of the random numbers. Left out: a new one, kept in `release.applied`. A seed that can be guessed protects
        nothing.
    exact
        Further margins that are published as they are.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.protect.swap([[4, 9], [2, 7]], "A", rate=0.1, seed=9)
    >>> r.published.values.tolist()
    [[3, 10], [3, 6]]
    >>> fw.audit(r).pmf(A="1", B="1").round(2).to_dict()
    {1: 0.02, 2: 0.31, 3: 0.46, 4: 0.2, 5: 0.01}
    >>> import pandas as pd
    >>> people = pd.DataFrame({"home": [1, 1, 2, 2, 3, 4], "region": list("NNSSNS"), "job": list("abccab")})
    >>> fw.protect.swap(people, "region", household="home", rate=1.0, seed=1).published.values.tolist()
    [[0, 1, 2], [2, 1, 0]]
    """
    if household is not None:
        return swap_households(
            table, dim, household, columns, rate=rate, within=within, targeted=targeted, seed=seed, exact=exact,
        )  # fmt: skip
    if columns is not None:
        raise InputError("swap(columns=) names the dims of microdata, and goes with household=.")
    labelled = counts_of(table, "swap")
    exchange = checked_swap(labelled.dims, dim, rate, within, targeted)
    names = exchange.names(labelled.dims)
    release = kept_margins(of_table(labelled), exchange, exact)
    seed = taken_seed(seed)
    strata = strata_of(groups_of(release, exchange.alike)[0], groups_of(release, exchange.categories(labelled.dims))[0])
    refuse_useless(labelled.values.ravel(), strata, names)
    refuse_too_many(rate, int(labelled.values.sum()))
    figures = swapped_within(labelled.values.ravel(), strata, rate, targeted or 0, np.random.default_rng(seed))
    evidence = [item for cells in strata for item in cell_evidence(release, cells, figures[cells], rate, targeted or 0)]
    alike = ", ".join(level for level in exchange.alike if level)
    words = words_of("records", names, rate, alike, f"records in cells of at most {targeted}" if targeted else "")
    applied = Applied(NAME, CELLWISE, f"{words}; {WHY}", seed, Swapping(float(rate)))
    return published_as(replace(release, evidence=(*release.evidence, *evidence)), figures, applied)
