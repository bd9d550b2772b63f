"""The server of flexible tables: the steps from a request to a protected table, or a refusal (SAE15, section 2.3)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..base.errors import InputError, did_you_mean
from ..base.numbers import check_whole, is_number
from ..base.progress import Progress, shown
from ..protect.mechanism.cell_keys import taken_seed
from ..release.tables.table_forms import Hierarchies
from .answer import Answer
from .answering import Answering
from .auditor.auditor import REFUSED, Auditor
from .catalogue import Catalogue, catalogue_of
from .cube.label_sets import as_boxes
from .cube.levels import refuse_crossing
from .cube.magnitudes import Magnitude, as_magnitudes
from .cube.reading import as_hypercube
from .cube.request import Request, as_request
from .cube.roles import Roles
from .engines.counting import cube_of_engine
from .engines.engine import Engine
from .judging import Judge
from .log.entries import digest_of, version_of
from .log.log import Log
from .measuring.measures import SAMPLE, Measure, as_measure
from .protecting.making import Maker
from .protecting.offered_tables import METHOD as LATTICE
from .protecting.offered_tables import RoundedTables, rounded_tables
from .protecting.protection import protections
from .protecting.published_elsewhere import as_elsewhere
from .ranking.ranking import Ranking, answered_again
from .ranking.setting_up import ranking_of
from .rules import ServerRules

if TYPE_CHECKING:
    import pandas as pd

    from ..results.audit_result import Audit
    from .auditor.guard import Guard
    from .measuring.sample_measure import SampleMeasure


class TableServer:
    """Tables on request, from microdata or a hypercube, each protected, and ruled by what was protected.

    What holds, with `random_round`, `perturb` and `add_noise`:

    - The same people are published as the same count in every table that shows them as a cell: in any order of dims, by a
      filter or as a row, at any level, in any process that has the same seed and data. Their record keys add up to a number
      whose keyed hash decides (SipHash-2-4; the cell-key method of Fraser and Wooton 2005 takes the sum itself).
    - Other people, also some of these or some more, are changed independently. So sums need not agree, and many tables of
      overlapping groups tell more than one of them: see `ServerRules`, max_labels.
    - A change of one record changes only cells that it was in or comes to be in.
    - True zeros stay zero, and with rounding, noise and most matrices small counts may become zero. So an empty cell has no
      draw that could be compared with that of another table.
    - To choose labels of a dim that is shown is to look at a part of the whole table. A refusal is decided by the request
      or by the protected table: it tells at most what that table would have told. No measure of the true table decides.

    `round_to` has no random numbers, and is consistent by itself. What is the same in all tables, however many there are,
    and adds up, is what the cube went through (`when="before"`), and what `round_lattice` offers. Other methods change the
    same people differently from table to table, and are for the cube only. Still, noise has limits, and who compares many
    tables can prove some counts: audit the answers together (`believe`).

    With `round_lattice` the tables that its parameters offer (margins, max_dims) are rounded when the server is set up, all
    at once: each adds up, and all agree. A request is answered from them if one of them shows its dims and those of its
    filters together; a filter by several labels sums their figures. However many such requests there are, they tell no more
    than what is offered. Any other request is answered by `random_round` with the same base and keys: the same people have
    the same count as in the tables that are offered, but sums need not agree. `server.lattice.applied` says what was done,
    and its `own_words` how many figures are not what their keys alone would have made of them.

    Parameters
    ----------
    data
        Microdata: a DataFrame, or a CSV or Parquet file, with one row a person and a column for every dim. Or counts: such a
        frame or file with a count column (count, counts, freq, frequency, n, value, or the one that `count` names), a
        DataArray, a crosstab, a Series with a MultiIndex. A column whose label follows from another's, as age bands do from
        ages, is a level of it; tables may be asked for by either. Or microdata of any size, which somebody else counts: see
        `fw.server.engines`.
    rules
        Which requests are refused (see `ServerRules`).
    mechanism, parameters
        How tables are protected: the name of a method such as "random_round" (see `fiberwalk protect --list`), and the
        parameters of its function; `matrix` of "perturb" may be the file of a perturbation table (`fw.protect.read_ptable`).
        None: not at all.
    when
        "after": every table, after it was counted. "before": the cube, once, before tables are counted from it.
    before
        A method that the cube goes through beforehand while tables go through `mechanism`: ("swap", {"dim": "region"}).
    noisy_zeros
        Zeros are changed by noise, too. Nobody is in an empty cell, and so its number can only follow from its labels: those
        of the finest dims that it stands for, however a request says so. The price: where people are in one category of a
        further dim, their cell repeats in its table, and an empty one is drawn anew, so that who compares tables by many
        dims finds empty cells. Of a cube that is protected beforehand zeros are changed once, and there is no such price.
    impossible
        Combinations that nobody can have (structural zeros), each a dict of dim to label or labels: [{"age": "0-4",
        "status": ["married", "widowed"]}]. They are always published as 0, and everybody knows it.
    crossing
        True: levels of one dim are offered that are not nested in each other. By default they are refused, because two
        tables by bands of ten years that begin in different years tell of groups of five years.
    max_risk
        The risk above which the agency wants no table: an answer tells it (`too_risky`, `needs_protection`). It looks at the
        true table, and so does not decide what is answered.
    risk, weights
        "split": `risk.split_risk` before and `risk.perturbed_risk` after protection, which may be larger. "split mean": the
        same with means=True, which hardly ever is. "r1": `risk.r1` and `risk.r2`. "thin lines": `risk.thin_lines`, the share
        of rows and columns with one or two occupied cells. "sample": the data are a sample, and the risk of a table is its
        mean R2 over populations that may stand behind it (see `sample_risk`), before and after protection. With their own
        weights, or these.
    people, model, sampling_weights, draws
        Of a sample: how many people the population has, or each stratum ({"region": {"N": 1000, "S": 500}}); "log-linear",
        "urn" or "shrunk" (the default), or one of these from `fw.survey.populations`; the column of sampling weights, or of
        a table, a table of them; and how many populations are drawn for a table. Those whom a filter leaves are taken for as
        many people of the population as they stand for. Rules are about the people in the sample.
    weighted_base
        Tables show weighted counts, in multiples of this number: how many people of the population those in a cell stand for
        by `sampling_weights`, changed in proportion to their count.
    summed
        Columns of numbers whose sums and means can be asked for, each a name, or {name: Magnitude(...)}. They need record
        keys. A sum or mean is withheld where fewer people are published than the rule `min_contributors` says.
    published_before
        A table that was published elsewhere before, or a list of them, as tables or releases: whoever is a figure there is
        answered as that figure in every table (the method permitting: otherwise an answer tells how many differ).
    seed
        From which all random numbers follow; keep it secret, and use the same for as long as the data are published. Left
        out: a new one (`server.seed`).
    count, columns
        Of a long frame or file: the column of counts, and those that are dims (all others, when left out).
    keys
        Of microdata: record keys, as the name of a column of numbers that every person has of her own, or of the two columns
        that `record_keys` makes (which are found by their names). Left out, or of counts: keys follow from the labels of a
        record in all columns and from a number among those alike, so that the order of the data means nothing. Store keys
        where data have versions: a record whose labels are corrected has other keys otherwise.
    labels
        Of microdata or a frame: {dim: [label, ...]}, all labels that a dim can have, in order. Left out, those that somebody
        has, which tells that somebody does.
    hierarchies
        {dim: hierarchy}: how labels make groups, as for `publish`; a level can be asked for by its name.
    log
        The file of a log that was kept before, or is to be made: an SQLite database for the agency alone. Left out: the log
        of this server is kept in memory (`server.log`).
    auditor
        Who refuses what might tell too much together with all earlier answers of the log: see `Auditor`.

    Examples
    --------
    >>> import fiberwalk as fw, numpy as np, pandas as pd
    >>> random = np.random.default_rng(1)
    >>> people = pd.DataFrame({"sex": random.choice(["f", "m"], 500), "age": random.integers(1, 5, 500) * 20,
    ...                        "region": random.choice(["N", "S"], 500)})
    >>> server = fw.server.TableServer(people, mechanism="random_round", parameters={"base": 3}, seed=4711,
    ...                         rules=fw.server.ServerRules(min_population=100))
    >>> answer = server.tabulate("sex,age", filters={"region": "N"})
    >>> answer.released, answer.table.shape, bool((answer.table % 3 == 0).all())
    (True, (2, 4), True)
    >>> server.tabulate("sex", filters={"age": 20, "region": "N"})
    <Answer to sex where age=20 and region=N: refused, because the table has 2 filters; at most 1 is allowed>
    """

    def __init__(  # noqa: PLR0913  (a public name: its keywords are its interface)
        self,
        data: Any,
        *,
        rules: ServerRules | None = None,
        mechanism: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        when: str = "after",
        before: tuple[str, Mapping[str, Any]] | None = None,
        noisy_zeros: bool = False,
        impossible: Sequence[Mapping[str, Any]] | None = None,
        crossing: bool = False,
        max_risk: float | None = None,
        risk: str = "split",
        weights: Any = None,
        people: int | Mapping[str, Mapping[str, int]] | None = None,
        model: Any = None,
        sampling_weights: Any = None,
        draws: int = 1000,
        weighted_base: int | None = None,
        summed: Mapping[str, Magnitude] | Sequence[str] | None = None,
        published_before: Any = None,
        seed: int | None = None,
        count: str | None = None,
        columns: Sequence[str] | None = None,
        labels: Mapping[str, Sequence[Any]] | None = None,
        keys: str | Sequence[str] | None = None,
        hierarchies: Hierarchies | None = None,
        log: str | os.PathLike[str] | None = None,
        auditor: Auditor | None = None,
    ) -> None:
        self.rules = ServerRules() if rules is None else rules
        if not isinstance(self.rules, ServerRules):
            raise InputError(f"rules= are ServerRules(...); this is {rules!r}.")
        if max_risk is not None and not (is_number(max_risk) and max_risk >= 0):
            raise InputError(f"max_risk={max_risk!r}: a number of at least 0, or None.")
        self.before, self.after = protections(mechanism, parameters, when, before, noisy_zeros)
        measure: Measure | SampleMeasure
        if risk != SAMPLE:
            weights_of_risk = sampling_weights if weighted_base is None else None
            _refuse_of_samples(people=people, model=model, sampling_weights=weights_of_risk)
            measure = as_measure(risk, weights, [step for step in (self.before, self.after) if step is not None])
        self.seed = taken_seed(seed)
        measured_by = as_magnitudes(summed)
        if measured_by and self.before is not None:
            raise InputError("summed= goes with tables that are protected after they were counted, not with before=.")
        roles = Roles(count, keys, columns, hierarchies, sampling_weights, labels, measured_by)
        read = cube_of_engine if isinstance(data, Engine) else as_hypercube
        cube = read(data, self.seed, roles)
        self.cube = replace(cube, impossible=as_boxes(cube, impossible))
        if risk == SAMPLE:
            # chains behind it: not read where nobody needs them
            from .measuring.sample_measure import as_sample_measure

            measure, self.cube = as_sample_measure(self.cube, people, model, weights, draws)
        offered = self.rules.offered(tuple(self.cube.labels))
        if not crossing:
            refuse_crossing(self.cube, offered)
        self.offered = {name: self.cube.labels[name] for name in offered}
        protected_cube = None if self.before is None else self.before.of_cube(self.cube)
        lattice = self._rounded_tables()
        self.maker = Maker(
            self.cube, protected_cube, self.after, lattice, self.seed,
            as_elsewhere(self.cube, published_before, repeated=self.before is None and lattice is None),
            measured_by, self._weighted_base(weighted_base, sampling_weights), self.rules.min_contributors or 1,
        )  # fmt: skip
        last = self.maker.by_cells or self.before
        small = self.rules.small if last is None else last.small(self.rules.small)
        judge = Judge(self.rules, self.cube, small)
        self._answering = Answering(self.maker, judge, measure, self.before, max_risk)
        self.log = Log(log)
        before_words = "" if self.before is None else self.before.words
        self._version = self.log.number_of(version_of(self.maker, self.rules, before_words))
        self._guard = None if auditor is None else self._watched_by(auditor)
        if self._guard is not None:
            self._guard.catch_up(self.log, self._answering.of, self._digest)

    def _watched_by(self, auditor: Auditor) -> Guard:
        from .auditor.guard import Guard  # kernels behind it: not read where nobody needs them

        return Guard(auditor, self.maker, self.offered, self.rules)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the agency should know before others may ask."""
        notes = [] if self.after or self.before else ["tables are published as they are: nothing is protected"]
        method = self.maker.by_cells
        notes += [] if method is None else method.notes
        for column in (self.cube.column[name] for name in self.offered):
            if column.level_of is not None and column.told_level_of is None:
                notes.append(
                    f"{column.name!r} follows from {column.level_of!r} in these data, but nobody said that it is a level: "
                    "rules count cells where they never meet, too. Say so by hierarchies= if everybody knows it"
                )
        found = [name for name in self.offered if not self.cube.column[name].declared]
        if found:
            notes.append(
                f"labels of {', '.join(found)} are those that somebody has, and so tell that somebody does: declare "
                "all that there can be by labels="
            )
        if self.maker.magnitudes:
            notes.append(
                "sums add up, so that one that is withheld follows from others: they tell in which cells there is anybody"
            )
        if self.maker.elsewhere is not None:
            notes.append(self.maker.elsewhere.words)
        if self._guard is not None:
            notes += self._guard.notes
        return tuple(notes)

    def __repr__(self) -> str:
        return f"<TableServer on {self.cube!r}>"

    @property
    def lattice(self) -> RoundedTables | None:
        """The tables that are offered, where some are rounded together."""
        return self.maker.lattice

    @cached_property
    def catalogue(self) -> Catalogue:
        """What may be asked for, as everybody may know it: dims, levels and labels in order, and what the rules allow."""
        return catalogue_of(self)

    def tabulate(
        self, dims: Any, filters: Mapping[str, Any] | None = None, *, sum_of: str | None = None,
        mean_of: str | None = None, totals: str | None = None, by: Any = None, user: str = "",
    ) -> Answer:  # fmt: skip
        """Answer a request for a table.

        Parameters
        ----------
        dims
            What spans the table: a list of dims, or "sex,age".
        filters
            Who is in it: {"region": "1"}, or several labels, {"age": ["0-4", "5-9"]}. A dim of the table that is named here
            shows these labels only: the whole table is made, and these are cut out.
        sum_of, mean_of
            A magnitude (see `summed`) whose sums or means the table shows; a mean is the published sum divided by the
            published count. Left out: people are counted.
        totals
            "consistent": every total is the figure of a table without the dim, the same for the same people wherever it is
            asked for; cells need not add up to it. "added": totals are sums of the figures that are shown; other tables may
            show others. Left out: no totals.
        by
            A dim of the table: the answer tells the agency the risk of each of its categories, too.
        user
            Who asks, for the log.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> server = fw.server.TableServer([[30, 12], [9, 25]], mechanism="random_round", parameters={"base": 3}, seed=1)
        >>> server.tabulate("B", filters={"A": "1"}).table.values.tolist()
        [30, 12]
        >>> server.tabulate("A,B", totals="added").table.values.tolist()
        [[30, 12, 42], [9, 27, 36], [39, 39, 78]]
        """
        request = self._request(dims, filters, sum_of, mean_of, totals, by)
        with self._in_turn():
            answer = self._answer(request, by)
            self.log.append(
                str(user), request, answer.released, answer.notice, answer.tables is not None, self._version,
                self._digest(answer),
            )  # fmt: skip
        return answer

    def look(
        self, dims: Any, filters: Mapping[str, Any] | None = None, *, sum_of: str | None = None,
        mean_of: str | None = None, totals: str | None = None, by: Any = None,
    ) -> Answer:  # fmt: skip
        """What `tabulate` would answer, for the agency's own eyes: nobody is told, and so nothing is written down.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> server = fw.server.TableServer([[30, 12], [9, 25]], mechanism="random_round", parameters={"base": 3}, seed=1)
        >>> server.look("A").table.values.tolist(), len(server.log)
        ([42, 33], 0)
        """
        request = self._request(dims, filters, sum_of, mean_of, totals, by)
        with self._in_turn():
            return self._answer(request, by)

    def by_method(
        self, dims: Any, filters: Mapping[str, Any] | None = None, *, mechanisms: Mapping[str, Any] | None = None
    ) -> pd.DataFrame:
        """What other methods would make of a table: the risk that each leaves, and the utility that it keeps.

        For the agency's own eyes; nothing is written down. Each row is about the figures that a server with this seed and
        that method would give, whether rules release them or not; "changed" is the share that is not the true count.

        Parameters
        ----------
        dims, filters
            As for `tabulate`.
        mechanisms
            Methods with their parameters, by names for them, as for `fw.ru_map`; left out: roundings and noise of some
            sizes.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> server = fw.server.TableServer([[3, 12], [9, 1]], mechanism="random_round", parameters={"base": 3}, seed=1)
        >>> server.by_method("A,B", mechanisms={"base 5": ("random_round", {"base": 5})})["changed"].to_dict()
        {'unprotected': 0.0, 'this server': 0.25, 'base 5': 1.0}
        """
        from .by_method import by_method

        return by_method(self._answering, self._request(dims, filters, None, None, None, None), mechanisms)

    def _request(self, dims: Any, filters: Any, sum_of: Any, mean_of: Any, totals: Any, by: Any) -> Request:
        """What is asked for, read."""
        summed = self.maker.magnitudes
        request = as_request(dims, filters, self.offered, sum_of=sum_of, mean_of=mean_of, totals=totals, summed=summed)
        if by is not None and by not in request.dims:
            raise InputError(f"by={by!r} is no dim of the table; {did_you_mean(str(by), request.dims)}")
        return request

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """With an auditor: when all earlier answers are known, of other processes too, and before there are any others."""
        if self._guard is None:
            yield
            return
        with self._guard.lock, self.log.alone():
            self._guard.catch_up(self.log, self._answering.of, self._digest)
            yield

    def _digest(self, answer: Answer) -> str:
        return digest_of(None if answer.tables is None else answer.tables.shown, self.seed)

    def _answer(self, request: Request, by: Any = None) -> Answer:
        """The answer to a request, whoever asks."""
        broken = self.rules.broken_by_request(request, self.cube.cells(request))
        if broken:
            return self._answering.refused(request, "; ".join(broken))
        if self._guard is not None and not self._guard.allows(request):
            return self._answering.refused(request, REFUSED)
        return self._answering.of(request, by)

    def believe(self, answers: Answer | Sequence[Answer], law: Any = "uniform", **options: Any) -> Audit:
        """What an intruder believes of the finest cells who has several answers of this server.

        In all of them the same people are one random number: a figure that repeats where its people are one category of a
        further dim tells that they are, and one that does not tells that they are not. `fw.linked` of releases takes the
        random numbers for independent. Requests that were refused by their figures count as what they would have told.

        Parameters
        ----------
        answers
            What `tabulate` of this server gave.
        law
            What she believes beforehand, as for `fw.audit`; tables that it needs have the dims of the cells below.
        options
            As for `fw.audit`: method, seed, tolerance, hidden_margins...

        Returns
        -------
        An `Audit` of the cells that the answers tell apart, over the finest dims that they name: labels that no answer
        tells apart are one. Small cases are solved exactly; else chains walk over all tables, and say if they did not
        converge.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> server = fw.server.TableServer([[1, 0], [9, 25]], mechanism="random_round", parameters={"base": 3}, seed=2)
        >>> answers = [server.tabulate("A"), server.tabulate("A,B")]
        >>> server.believe(answers).pmf(A="1", B="1").round(3).to_dict()
        {0: 0.635, 1: 0.259, 2: 0.106}
        """
        from .joint_belief import believe

        return believe(self.cube, answers, law, options)

    def audit(
        self, *, user: str | None = None, filters: Mapping[str, Any] | None = None, sure: float = 0.95, small: int = 2,
        progress: Progress | bool | None = None,
    ) -> Ranking:  # fmt: skip
        """Who could be known by now, from everything that was answered: a ranking of cells, which later answers update.

        It is for the agency. Figures are read in neighbourhoods, exactly: of the same people, by up to two dims more. That
        is less than an intruder could read, and so what is certain is certain, and probabilities are no limits; ask
        `believe` about named answers for these.

        Parameters
        ----------
        user
            The one whose answers are read; left out: everybody's.
        filters
            The part of the people that is looked at: {"region": "1"}.
        sure
            From which probability on a cell counts as known.
        small
            The largest count that is looked at.
        progress
            True: a line that says how far it is; or a function that is called with words.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> cube = fw.table([[1, 30, 12], [9, 2, 25]], dims=["sex", "age"])
        >>> server = fw.server.TableServer(cube, mechanism="random_round", parameters={"base": 3}, seed=4)
        >>> for dims in ("sex", "age", "sex,age"):
        ...     _ = server.tabulate(dims, user="anna")
        >>> server.audit().cells.loc["sex=1, age=1", ["lower", "upper"]].tolist()
        [1, 4]
        """
        with shown(progress) as tell:
            return self.ranking(user=user, filters=filters, sure=sure, small=small).update(tell)

    def ranking(
        self, *, user: str | None = None, filters: Mapping[str, Any] | None = None, sure: float = 0.95, small: int = 2
    ) -> Ranking:
        """What `audit` gives before it has read anything: a long log is read in steps by its `update(most=...)`.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> server = fw.server.TableServer([[1, 30], [9, 2]], mechanism="random_round", parameters={"base": 3}, seed=4)
        >>> _ = server.tabulate("A"), server.tabulate("B"), server.tabulate("A,B")
        >>> ranking = server.ranking().update(most=2)
        >>> ranking.waiting, ranking.update().waiting
        (1, 0)
        """
        again = answered_again(self._answering.of, self._version, self.seed)
        return ranking_of(self, again, user, filters, sure, small)

    def _weighted_base(self, base: Any, sampling_weights: Any) -> int | None:
        """What weighted counts are rounded to; None: counts are shown."""
        if base is None:
            return None
        check_whole(weighted_base=base)
        if self.cube.weights is None or sampling_weights is None:
            raise InputError(
                "weighted_base= shows weighted counts: say which weights people have by sampling_weights=."
            )
        if self.before is not None:
            raise InputError(
                "weighted_base= goes with tables that are protected after they were counted, not with before=."
            )
        return int(base)

    def _rounded_tables(self) -> RoundedTables | None:
        """The tables that are offered, if some are rounded together."""
        if self.after is None or self.after.name != LATTICE:
            return None
        if self.before is not None:
            raise InputError(
                f"{LATTICE} rounds the tables that are offered from the true counts, all of them: leave out before=."
            )
        return rounded_tables(self.cube, self.after.parameters, self.seed)


def _refuse_of_samples(**options: Any) -> None:
    """Refuse options about a sample where the data are none."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name}= is about data that are a sample: it goes with risk='sample'.")


def tabulate(
    data: Any, dims: Any, filters: Mapping[str, Any] | None = None, *, sum_of: str | None = None, mean_of: str | None = None,
    totals: str | None = None, by: Any = None, **options: Any,
) -> Answer:  # fmt: skip
    """One table on request.

    For several tables of the same data set up a `TableServer`, whose answers agree with each other as far as they can.

    Parameters
    ----------
    data, options
        As for `TableServer`: microdata or a hypercube; rules, mechanism, parameters, max_risk, seed...
    dims, filters, sum_of, mean_of, totals, by
        As for `TableServer.tabulate`: what spans the table, who is in it, what it shows, and whose risk is told apart.

    Examples
    --------
    >>> import fiberwalk as fw, pandas as pd
    >>> people = pd.DataFrame({"sex": list("ffmm") * 5, "town": list("abab") * 5, "job": list("xxxyy") * 4})
    >>> rounding = {"mechanism": "random_round", "parameters": {"base": 3}, "seed": 1}
    >>> answer = fw.server.tabulate(people, "sex,town", {"job": "x"}, **rounding)
    >>> answer.table.values.tolist()
    [[3, 3], [3, 3]]
    """
    asked = {"sum_of": sum_of, "mean_of": mean_of, "totals": totals, "by": by}
    return TableServer(data, **options).tabulate(dims, filters, **asked)
