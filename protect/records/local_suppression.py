"""Local suppression (de Waal and Willenborg 1998; DFKPR01): in some records the value of one variable is blanked.

A table of such records counts, in every cell, the records whose value was left, and beside each line, all other dims fixed,
how many are blank: the table of all other dims stays as it is. A true count is what was left and as many of the line's
blanks as were its own. Blanked at random, each with the same known probability, x records leave a binomial number, and the
counts of the cells are independent: the likelihood is *exact*. Which records a rule blanks depends on what they are, and an
intruder is not taken to draw conclusions from that: the likelihood is *support only*.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.errors import InputError, TooLarge, did_you_mean
from ...base.numbers import is_number
from ...base.saved_forms import saved
from ...release.facts.facts import NO_LIMIT, Applied
from ...release.facts.knowledge import Rule
from ...release.publish import parse_margins, publish_margins
from ...release.release import Release, of_table
from ...release.tables.table_forms import Hierarchies
from ..mechanism.cell_keys import taken_seed
from ..mechanism.mechanism import EXACT, SUPPORT, Figures, figures_of, seen_through
from .microdata import table_or_microdata

MOST_COUNT = 10_000_000
"""The most records that a line may have, of whose blanks any may be a cell's."""


@saved("LocalSuppression")
@dataclass(frozen=True)
class LocalSuppression:
    """Each record's value of a dim is blank with the probability `rate`; without one, nobody says which are."""

    dim: str
    rate: float | None = None
    name: str = "local suppression"

    @property
    def words(self) -> str:
        """What it does."""
        how = "of some records" if self.rate is None else f"of each record, with a probability of {self.rate:g},"
        return f"the {self.dim} {how} is blanked, and a cell counts the others"

    def given(self, figure: int, most: int) -> tuple[int, np.ndarray]:
        """Log of the binomial probability that so many of x records were left, for every x from the figure on."""
        if most >= NO_LIMIT:
            raise InputError(
                f"local_suppress: how many {self.dim} are blank? Give the table of all other dims with exact= (in a file: "
                "as totals), which counts every record."
            )
        if figure < 0 or figure > most:
            return 0, np.empty(0)
        if most - figure > MOST_COUNT:
            raise TooLarge(f"local_suppress(): a line has more than {MOST_COUNT:,} records.")
        values = np.arange(figure, most + 1)
        if self.rate is None:
            return figure, np.zeros(len(values))
        from scipy.stats import binom

        return figure, binom.logpmf(figure, values, 1 - self.rate)


def local_suppress(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    table: Any,
    dim: str,
    *,
    rule: str | None = None,
    rate: float | None = None,
    seed: int | None = None,
    exact: Iterable[Any] = (),
    columns: Any = None,
    hierarchies: Hierarchies | None = None,
    decimals: int = 0,
    count: str | None = None,
) -> Release:
    """Publish a table of counts of records in some of which the value of one variable is blank.

    A cell counts the records whose value was left. The table of all other dims counts all records, blank or not, and is a
    fact. With `rate` the likelihood is exact; with `rule`, by which the blanks depend on what they hide, support only.

    Parameters
    ----------
    dim
        The variable whose values are blanked.
    rule
        A threshold such as "< 3": every record in a cell that it hits is blanked, as rare combinations are.
    rate
        Instead of a rule: how probable it is that a record's value is blanked, whichever it is.
    seed
        Of the random numbers, with `rate`. Left out: a new one, which
        `release.applied` keeps; one that can be guessed protects nothing.
    exact
        Further margins that are published as they are.
    columns
        Of microdata, one row a person: the columns that are dims of the table, as "region,sex" or a list.
    hierarchies, count
        As for `publish`; decimals must be 0.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.local_suppress([[1, 9], [5, 2], [4, 8]], "A", rule="< 3")
    >>> r.published.values.tolist()
    [[0, 9], [5, 0], [4, 8]]
    >>> fw.audit(r).cells.loc[("1", "1"), ["published", "lower", "upper"]].tolist()
    [0, 0, 1]
    >>> some = fw.local_suppress([[1, 9], [5, 2], [4, 8]], "A", rate=0.3, seed=1)
    >>> some.likelihood
    'exact'
    """
    labelled = table_or_microdata(table, columns, "local_suppress", hierarchies, decimals, count)
    names = [one.name for one in labelled.dims]
    if rate is None and rule is None:
        raise InputError("local_suppress() needs rule= (such as '< 3') or rate=: which values are blanked.")
    mechanism = checked(names, dim, rate, rule)
    truth = labelled.values.ravel()
    if rule is not None:
        if seed is not None:
            raise InputError("local_suppress(rule=): nothing is random; leave out seed=.")
        hit = Rule.parse(rule)
        figures = np.where((truth >= hit.lower) & (truth <= hit.upper), 0, truth)
        if (figures == truth).all():
            raise InputError(f"local_suppress(): no record is blanked: rule {rule!r} hits no cell.")
    else:
        seed = taken_seed(seed)
        figures = np.random.default_rng(seed).binomial(truth, 1 - float(rate))  # type: ignore[arg-type]
    all_others = tuple(None if name == dim else name for name in names)
    release = publish_margins(of_table(labelled), [all_others, *parse_margins(exact, labelled.dims)])
    keys, matrix = figures_of(release, ())
    which = "" if rule is None else f"blank are the records in cells {rule}"
    applied = Applied(
        mechanism.name, likelihood_of(mechanism), mechanism.words, seed, mechanism, own_words=which
    )  # fmt: skip
    return seen_through(release, mechanism, Figures(keys, matrix, figures), applied)


def checked(names: list[str], dim: Any, rate: Any, rule: Any = None) -> LocalSuppression:
    """Refuse parameters that make no sense."""
    if dim not in names:
        raise InputError(
            f"local_suppress() blanks the values of {dim!r}, which is no dim; {did_you_mean(str(dim), names)}"
        )
    if rate is not None and rule is not None:
        raise InputError("local_suppress() takes rule= or rate=, one of them.")
    if rate is not None and (not is_number(rate) or not 0 < rate < 1):
        raise InputError(f"local_suppress(rate={rate!r}): the probability that a value is blanked, between 0 and 1.")
    return LocalSuppression(dim, None if rate is None else float(rate))


def likelihood_of(mechanism: LocalSuppression) -> str:
    """How well it is known."""
    return SUPPORT if mechanism.rate is None else EXACT
