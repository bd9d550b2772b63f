"""population: who may exist; and what is published of them, table by table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ...base.errors import InputError, did_you_mean
from ...base.numbers import is_number
from ...base.saved_forms import saved
from ..facts.knowledge import as_fact
from .domain import Domain, Inside, domain_of
from .kinds import Kinds, Known, by_name, kinds_of
from .mean_table import MeanTable
from .possible_records import Rule
from .published_table import PublishedTable, published_table


@saved("Population")
@dataclass(frozen=True, eq=False, repr=False)
class Population:
    """Who may exist: every combination of labels that no rule excludes. Made by `population`."""

    domain: Domain
    rules: tuple[Rule, ...] = ()

    def __repr__(self) -> str:
        dims = ", ".join(
            f"{name} ({len(labels)})" for name, labels in zip(self.domain.names, self.domain.labels, strict=True)
        )
        rules = f", {len(self.rules)} rule{'s' * (len(self.rules) > 1)}" if self.rules else ""
        return f"<Population of {dims}{rules}>"

    def published(self, tables: Mapping[str, Any] | Sequence[Any]) -> PopulationRelease:
        """What is published of the population: tables over any of its dims and recodes.

        Parameters
        ----------
        tables
            {name: table}, or a list of tables. A table is a DataArray, a Series with a MultiIndex or a long frame with a
            column of counts, whose dims are dims or recodes of the population; or a release of such a table, suppressed,
            rounded or changed by any method. A table about a part of the people only is (table, {dim: labels}).

        Examples
        --------
        >>> import fiberwalk as fw
        >>> people = fw.population({"sex": ["f", "m"], "age": ["young", "old"]})
        >>> by_sex = fw.table([3, 2], dims="sex", labels={"sex": ["f", "m"]})
        >>> by_age = fw.table([4, 1], dims="age", labels={"age": ["young", "old"]})
        >>> people.published({"by sex": by_sex, "by age": by_age})
        <PopulationRelease of sex, age: 2 tables>
        """
        if isinstance(tables, str) or not isinstance(tables, (Mapping, Sequence)) or not len(tables):
            raise InputError("published() takes tables: {name: table}, or a list of at least one.")
        read = tuple(published_table(name, given, self.domain) for name, given in by_name(tables))
        return PopulationRelease(self, read)


@saved("PopulationRelease")
@dataclass(frozen=True, eq=False, repr=False)
class PopulationRelease:
    """All that is told of a population, by tables and by what else is known. `fw.reconstruct` says who may be in it."""

    population: Population
    tables: tuple[PublishedTable, ...]
    known: tuple[Known, ...] = ()

    def __repr__(self) -> str:
        more = f", {len(self.known)} further facts" if self.known else ""
        tables = f"{len(self.tables)} table{'s' * (len(self.tables) > 1)}"
        return f"<PopulationRelease of {', '.join(self.population.domain.names)}: {tables}{more}>"

    def knows(
        self,
        group: Mapping[str, Any],
        *facts: Any,
        at_least: int | None = None,
        at_most: int | None = None,
        exactly: int | None = None,
    ) -> PopulationRelease:
        """The same as read by someone who knows more about a group.

        Parameters
        ----------
        group
            {dim or recode: label or labels}; dims that are left out are summed over.
        facts
            What else is published of the group, such as `fw.facts.median(30, "age")`.
        at_least, at_most, exactly
            What is known of the number of people in it.
        """
        whom = self.population.domain.inside(group, "knows()")
        given = {"at_least": at_least, "at_most": at_most, "exactly": exactly}
        amounts = {name: amount for name, amount in given.items() if amount is not None}
        if not amounts and not facts:
            raise InputError("knows() needs at_least=, at_most= or exactly=, or a fact of fw.facts.")
        for name, amount in amounts.items():
            if not is_number(amount) or not float(amount).is_integer() or amount < 0:
                raise InputError(
                    f"knows({whom.words}, {name}={amount!r}): a number of people is a whole number of at least 0."
                )
        if any(getattr(fact, "of_amounts", False) for fact in facts):
            raise InputError(
                "knows(): the tables of a population count people, who contribute no amounts; a mean is of a dim."
            )
        amounts = {name: int(amount) for name, amount in amounts.items()}
        low = max((amounts[name] for name in ("at_least", "exactly") if name in amounts), default=None)
        high = min((amounts[name] for name in ("at_most", "exactly") if name in amounts), default=None)
        if low is not None and high is not None and low > high:
            raise InputError(f"knows({whom.words}): at least {low} and at most {high} cannot both be.")
        more = Known(whom, tuple(as_fact(fact) for fact in facts), low, high)
        return replace(self, known=(*self.known, more))

    def without(self, table: str) -> PopulationRelease:
        """The same without one of its tables, by its name."""
        left = tuple(one for one in self.tables if one.name != table)
        if len(left) == len(self.tables):
            raise InputError(f"there is no table {table!r}; {did_you_mean(table, [one.name for one in self.tables])}")
        return replace(self, tables=left)

    @cached_property
    def kinds(self) -> Kinds:
        """The kinds of people that may exist by it."""
        return self.kinds_apart(())

    @cached_property
    def records_apart(self) -> Kinds:
        """The kinds where each record is one by itself."""
        return kinds_of(self.population.domain, self.tables, self.population.rules, self.known, every_record=True)

    def kinds_apart(self, groups: Sequence[Inside], means: MeanTable | None = None) -> Kinds:
        """The kinds where who is in one of some groups and who is not are never of one kind, nor are records of different
        expected counts."""
        return kinds_of(self.population.domain, self.tables, self.population.rules, self.known, groups, means)


def population(
    dims: Mapping[str, Any],
    *,
    recodes: Mapping[str, Any] | None = None,
    where: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]] = (),
) -> Population:
    """Who may exist: the dims of a population with their labels. Nothing is crossed, however many combinations there are.

    Parameters
    ----------
    dims
        {dim: labels}; ages are numbers: {"sex": ["f", "m"], "age": range(116)}.
    recodes
        How tables group the labels of some dims: {dim: {recode: {group: labels}}}. Groups may overlap, and may leave labels
        out.
    where
        Rules that everybody keeps to, as pairs of groups: who is in the first is in the second.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.population(
    ...     {"age": range(116), "marital": ["married", "single"]},
    ...     recodes={"age": {"of age": {"no": range(18), "yes": range(18, 116)}}},
    ...     where=[({"marital": "married"}, {"age": range(15, 116)})],
    ... )
    <Population of age (116), marital (2), 1 rule>
    """
    domain = domain_of(dims, recodes)
    rules = []
    if isinstance(where, Mapping) or not isinstance(where, Sequence):
        raise InputError("population(where=) is a list of pairs of groups: who is in the first is in the second.")
    for pair in where:
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            raise InputError(
                "population(where=): a rule is a pair of groups, such as ({'marital': 'married'}, {'age': range(15, 116)}); "
                f"this is {pair!r}."
            )
        rules.append((domain.inside(pair[0], "population(where=)"), domain.inside(pair[1], "population(where=)")))
    return Population(domain, tuple(rules))
