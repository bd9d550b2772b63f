"""The server of flexible tables: the five steps from a request to a protected table (SAE15, section 2.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..base.errors import InputError, did_you_mean
from ..base.numbers import is_number
from ..protect.mechanism.cell_keys import taken_seed
from ..release.tables.dims import Dim
from ..release.tables.table_forms import Hierarchies
from .answer import Answer, Tables
from .hypercube import Counted
from .measures import SAMPLE, Measure, MeasuredTable, as_measure
from .offered_tables import METHOD as LATTICE
from .offered_tables import RoundedTables, rounded_tables
from .protection import Protection, as_protection
from .reading import as_hypercube
from .request import Request, as_request
from .rules import Broken, ServerRules, Size, plain
from .sample_measure import SampledTable, SampleMeasure, as_sample_measure


class TableServer:
    """Tables on request, from microdata or a hypercube, each ruled, measured, protected and measured again.

    The same request gets the same table, in whatever order its dims are named. With `random_round`, `perturb` and
    `add_noise`, the same people are published as the same count in every table that shows them as a cell (record keys: the
    cell-key method of Fraser and Wooton 2005); cells with nobody in them are changed by their labels. With
    `semi_controlled_round` this holds for most cells: keys rank them, and the table decides how many go up; who sees a cell
    go up in one table and down in another knows it within one. All other methods treat every table by itself, the same
    people in the same cells alike.

    Other groups of people are changed anew: their sums need not agree, and many tables tell more than one of them (see
    `ServerRules`, max_labels, for how much). Refusals tell something of the true table, too. What is the same in all tables,
    however many there are, is what the cube went through (`when="before"`), and what `round_lattice` offers.

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
        ages, is a level of it; tables may be asked for by either.
    rules
        Which requests are refused at once (see `ServerRules`).
    mechanism, parameters
        How tables are protected: the name of a method such as "random_round" (see `fiberwalk protect --list`), and the
        parameters of its function. None: not at all.
    when
        "after": every table, after it was counted. "before": the cube, once, before tables are counted from it.
    before
        A method that the cube goes through beforehand while tables go through `mechanism`: ("swap", {"dim": "region"}).
    max_risk
        Tables whose risk after protection is higher are refused. None: it is only told.
    always
        False: a table whose risk is at most `max_risk` is published as it is. Take care: true counts beside protected ones
        help to undo the protection of others.
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
    seed
        From which all random numbers follow; keep it secret, and use the same for as long as the data are published. Left
        out: a new one (`server.seed`).
    count, columns
        Of a long frame or file: the column of counts, and those that are dims (all others, when left out).
    keys
        Of microdata: the column of record keys, whole numbers or numbers from 0 to 1. Left out, they follow from the seed
        and the place of a record, so that a file in another order has other keys.
    hierarchies
        {dim: hierarchy}: how labels make groups, as for `publish`; a level can be asked for by its name.

    Examples
    --------
    >>> import fiberwalk as fw, numpy as np, pandas as pd
    >>> random = np.random.default_rng(1)
    >>> people = pd.DataFrame({"sex": random.choice(["f", "m"], 500), "age": random.integers(1, 5, 500) * 20,
    ...                        "region": random.choice(["N", "S"], 500)})
    >>> server = fw.server.TableServer(people, mechanism="random_round", parameters={"base": 3}, max_risk=0.3, seed=4711,
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
        max_risk: float | None = None,
        always: bool = True,
        risk: str = "split",
        weights: Any = None,
        people: int | Mapping[str, Mapping[str, int]] | None = None,
        model: Any = None,
        sampling_weights: Any = None,
        draws: int = 1000,
        seed: int | None = None,
        count: str | None = None,
        columns: Sequence[str] | None = None,
        keys: str | None = None,
        hierarchies: Hierarchies | None = None,
    ) -> None:
        self.rules = ServerRules() if rules is None else rules
        if not isinstance(self.rules, ServerRules):
            raise InputError(f"rules= are ServerRules(...); this is {rules!r}.")
        if max_risk is not None and not (is_number(max_risk) and max_risk >= 0):
            raise InputError(f"max_risk={max_risk!r}: a number of at least 0, or None.")
        self.max_risk, self.always = max_risk, always
        self.before, self.after = _protections(mechanism, parameters, when, before)
        if not always and (max_risk is None or self.before is not None):
            raise InputError(
                "always=False publishes tables of little risk as they are: it needs max_risk=, and a method that goes "
                "through tables, not the cube."
            )
        self.measure: Measure | SampleMeasure
        if risk != SAMPLE:
            _refuse_of_samples(people=people, model=model, sampling_weights=sampling_weights)
            self.measure = as_measure(risk, weights, [step for step in (self.before, self.after) if step is not None])
        self.seed = taken_seed(seed)
        self.cube = as_hypercube(
            data, count=count, keys=keys, columns=columns, hierarchies=hierarchies, seed=self.seed,
            sampling_weights=sampling_weights,
        )  # fmt: skip
        if risk == SAMPLE:
            self.measure, self.cube = as_sample_measure(self.cube, people, model, weights, draws)
        self.protected_cube = None if self.before is None else self.before.of_cube(self.cube)
        self.lattice = self._rounded_tables()
        self._outside = self.after if self.lattice is None else Protection("random_round", {"base": self.lattice.step})

    def __repr__(self) -> str:
        return f"<TableServer on {self.cube!r}>"

    def tabulate(self, dims: Any, filters: Mapping[str, Any] | None = None, *, by: Any = None) -> Answer:
        """Answer a request for a table.

        Parameters
        ----------
        dims
            What spans the table: a list of dims, or "sex,age".
        filters
            Who is in it: {"region": "1"}, or several labels, {"age": ["0-4", "5-9"]}. A dim of the table that is named here
            shows these labels only.
        by
            A dim of the table: the answer tells the risk of each of its categories, too.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> server = fw.server.TableServer([[30, 12], [9, 25]], mechanism="random_round", parameters={"base": 3}, seed=1)
        >>> server.tabulate("B", filters={"A": "1"}).table.values.tolist()
        [30, 12]
        """
        request = as_request(dims, filters, self.cube.labels)
        # 1. the preliminary rules
        broken = self.rules.broken_by_request(request)
        if broken:
            return _refused(request, broken)
        counted = self.cube.cut(request)
        true = counted.counts
        cuts = self.cube.cuts(request)
        sizes = [self.rules.size_of(true[cut]) for cut in cuts]
        for size in sizes:
            broken = self.rules.broken_by_size(size)
            if broken:
                return _refused(request, broken, size)
        # 2. is protection needed?
        seed = self.cube.table_seed(counted.keys)
        dims_shown = tuple(Dim(name, labels) for name, labels in self.cube.shown(request).items())
        measured = self.measure.on(counted, dims_shown, request, seed)
        try:
            risk = max(measured.before(cut) for cut in cuts)
        except InputError as problem:
            return _refused(request, [_not_measured(problem)], sizes[0])
        as_it_is = not self.always and self.max_risk is not None and risk <= self.max_risk
        # 3. protection
        shown = None if self.lattice is None else self.lattice.shown(request)
        if shown is None:
            published, numbers = self._protected(request, counted, seed, as_it_is)
            after = None if as_it_is else self._outside
        else:
            published, numbers, after = shown.counts, None, self.after
        protected = after is not None or self.before is not None
        # 4. is it safe now?
        try:
            left = max(measured.after(published, cut) for cut in cuts) if protected else risk
        except InputError as problem:
            return _refused(request, [_not_measured(problem)], sizes[0])
        findings: dict[str, Any] = {
            "size": sizes[0],
            "risk_before": risk,
            "risk_after": left,
            "max_risk": self.max_risk,
        }
        findings["rises"] = self.measure.may_rise if left > risk else ""
        if by is not None:
            findings |= _risk_by(by, measured, dims_shown, true, published if protected else true)
        if self.max_risk is not None and left > self.max_risk:
            reason = f"its risk is {plain(left, self.max_risk)} after protection; at most {self.max_risk:g} is allowed"
            return _refused(request, [Broken(reason, "it is too risky, also when it is protected")], **findings)
        # 5. the table, and what is kept of it
        tables = Tables(dims_shown, true, published, numbers, seed)
        if self.lattice is not None:
            tables = replace(tables, lattice=None if shown is None else self.lattice, beside_offered=shown is None)
        utility = self.measure.utility(true, published)
        return Answer(
            request, True, "", "", utility=utility, before=self.before, after=after, tables=tables, **findings
        )

    def _rounded_tables(self) -> RoundedTables | None:
        """The tables that are offered, if some are rounded together."""
        if self.after is None or self.after.name != LATTICE:
            return None
        if self.before is not None or not self.always:
            raise InputError(
                f"{LATTICE} rounds the tables that are offered from the true counts, all of them: leave out before= and "
                "always=."
            )
        return rounded_tables(self.cube, self.after.parameters, self.seed)

    def _protected(
        self, request: Request, counted: Counted, seed: int, as_it_is: bool
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """The counts that are published of a table by itself, and what decided about each where its records' keys did."""
        counts = counted.counts if self.protected_cube is None else self.protected_cube.cut(request).counts
        if self._outside is None or as_it_is:
            return counts, None
        numbers = self._outside.numbers(self.cube, request, counted.keys)
        if self.lattice is not None and numbers is not None:
            numbers = self.lattice.deciding(counted, numbers)
        return self._outside.publish(counts, self.cube, request, seed, numbers), numbers


def _risk_by(
    by: Any, measured: MeasuredTable | SampledTable, dims: Sequence[Dim], true: np.ndarray, published: np.ndarray
) -> dict[str, Any]:
    """The risk of each category of a dim, before and after."""
    names = [dim.name for dim in dims]
    if by not in names:
        raise InputError(f"by={by!r} is no dim of the table; {did_you_mean(str(by), names)}")
    before = measured.by(by, true)
    return {"risk_by_before": before, "risk_by_after": before if published is true else measured.by(by, published)}


def _refuse_of_samples(**options: Any) -> None:
    """Refuse options about a sample where the data are none."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name}= is about data that are a sample: it goes with risk='sample'.")


def _not_measured(problem: InputError) -> Broken:
    """Why the risk of a table is not known: its figures are for the agency alone."""
    return Broken(f"its risk cannot be measured: {str(problem).removesuffix('.')}", "its risk cannot be measured")


def _protections(method: Any, parameters: Any, when: Any, before: Any) -> tuple[Protection | None, Protection | None]:
    """What the cube goes through, and what every table does."""
    if when not in ("after", "before"):
        raise InputError(f"when={when!r}: 'after' (every table is protected) or 'before' (the cube is, once).")
    protection = as_protection(method, parameters)
    if before is None:
        return (protection, None) if when == "before" else (None, protection)
    if when == "before":
        raise InputError("before= names what the cube goes through, and so does when='before': give one of them.")
    if isinstance(before, str) or not isinstance(before, Sequence) or len(before) != 2:
        raise InputError("before= is a pair of a method and its parameters, such as ('swap', {'dim': 'region'}).")
    return as_protection(*before), protection


def _refused(request: Request, broken: list[Broken], size: Size | None = None, **findings: Any) -> Answer:
    reason, notice = ("; ".join(words) for words in zip(*broken, strict=True))
    return Answer(request, False, reason, notice, size=findings.pop("size", size), **findings)


def tabulate(
    data: Any, dims: Any, filters: Mapping[str, Any] | None = None, *, by: Any = None, **options: Any
) -> Answer:
    """One table on request.

    For several tables of the same data set up a `TableServer`, whose answers agree with each other as far as they can.

    Parameters
    ----------
    data, options
        As for `TableServer`: microdata or a hypercube; rules, mechanism, parameters, max_risk, seed...
    dims, filters, by
        As for `TableServer.tabulate`: what spans the table, who is in it, and whose risk is told apart.

    Examples
    --------
    >>> import fiberwalk as fw, pandas as pd
    >>> people = pd.DataFrame({"sex": list("ffmm") * 5, "town": list("abab") * 5, "job": list("xxxyy") * 4})
    >>> rounding = {"mechanism": "random_round", "parameters": {"base": 3}, "seed": 1}
    >>> answer = fw.server.tabulate(people, "sex,town", {"job": "x"}, **rounding)
    >>> answer.table.values.tolist()
    [[3, 3], [3, 3]]
    """
    return TableServer(data, **options).tabulate(dims, filters, by=by)
