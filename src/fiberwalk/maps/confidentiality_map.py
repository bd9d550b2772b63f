"""ru_map: methods of very different kinds, each by the risk it leaves and the utility it keeps (DFKPR01, section 5)."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..auditing import audit
from ..base.errors import FiberwalkError, InputError, TooLarge, did_you_mean
from ..base.interruption import INTERRUPTED, plain_interrupts
from ..base.progress import Progress, shown
from ..fiber.laws.by_name import as_law
from ..release.release import Release
from ..release.tables.tables import Table, as_table
from ..report.words import ORIGINAL, cell_name, doubts
from ..results.audit_result import Audit
from ..results.map_result import NOT_AUDITED, RUMap, Run
from .map_axis import Measure
from .map_categories import categories, given_axes
from .map_cells import chosen_cells, whose_risk
from .map_methods import Candidate, candidates, check_release, original_of, run_seeds
from .map_risks import Asked, risk_measure
from .map_seen import Seen
from .map_utilities import utility_measure
from .own_functions import in_words

OURS = ("release", "law", "seed", "hidden_margins", "checkpoint", "progress", "intruders")
"""Parameters of audits that the map sets itself, or cannot use."""


def ru_map(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    table: Any,
    mechanisms: Any,
    risk: Any = "entropy",
    utility: Any = "mean squared precision",
    law: Any = "uniform",
    seeds: Any = 10,
    *,
    cell: Any = None,
    where: Any = None,
    over: str = "worst",
    by: Any = None,
    given: Any = None,
    log_base: float = 2,
    harm: Any = None,
    weights: Any = None,
    original: bool = True,
    seed: int = 1,
    progress: Progress | bool | None = None,
    **options: Any,
) -> RUMap:
    """Compare methods of protection on a map of disclosure risk against data utility.

    Each method is applied to the table, random ones once for each seed, and what it published is audited. The audit gives
    the risk, and together with the true table the utility. Where neither axis needs an audit, there is none.

    Parameters
    ----------
    table
        The true table, in any form; or a release that carries its truth.
    mechanisms
        A dict of name -> method. A method is a function of (table, seed), or of the table alone, that returns a release; a
        release, for a publication as it stands; the name of a method such as "random_round"; or a pair of a function or name
        and its parameters. One parameter may be a list: (fw.protect.random_round, {"base": [3, 5, 10]}) gives a line with a
        point for each value (but margins, squares and the like, which are lists by nature, are one value). Functions without
        a parameter `seed` are called once.
    risk
        "entropy": 1/H. "exact": the probability of the true value. "expected harm": sum over k of r(k) p(k), r given by
        `harm=`. Or a function of the `Audit` that returns a number. A cell that is published is known exactly. Risks of
        the table as a whole, for which no cells are chosen: "r2", of the true table and what a user works with (see
        `fiberwalk.risk.r2`; of the table as it is, R1); "r1", of what a user works with, as if that were the truth: it
        ignores that protection hides anything, and is there to be compared with R2; "split", small counts apart from large
        ones, for methods that change counts with known probabilities (see `perturbed_risk`; of the table as it is,
        `split_risk`), which may rise; "split mean", the same with means=True, which hardly ever does; "thin lines", the
        share of rows and columns with one or two occupied cells, shown as they are (see `thin_lines`).
    utility
        "mean squared precision": 1 / E(x - truth)^2, the error averaged over the chosen cells (over all, where none are
        chosen); "overall precision": over all cells in any case. "joint probability": 1 / the mean squared error, over what
        is believed of the table and over all cells, of a cell's share of the total; "conditional probability": of its share
        of the category of `given=` that it is in. Both are exact where the audit is, and otherwise of drawn tables, with the
        error of that as utility_mcse. "published": the share of cells that are published as they are. "hellinger",
        "chi-square", "cramer's v", "margins": 1 less the distance or change (see `fiberwalk.risk`) between the true table
        and what a user works with, withheld cells replaced by their expected values, samples grossed up. "conditional
        entropy": 1 - H(X|Y)/H(X), the share of the true table's entropy that the published one tells, which R2 takes as
        risk. Or a function of (table, release) or (table, release, audit), the table as a DataArray. Larger is better.
    law
        What intruder and user believe beforehand, as for `audit`.
    seeds
        How many times random methods are applied, or the list of seeds. Publish with another, secret seed: whoever can guess
        it undoes what is random.
    cell, where
        The cells that the map is about: one as {dim: label}, or several by a rule such as "< 3", a list, a boolean table or
        a function of the table. Left out: the risk is that of the hidden cells, whichever a method hides; to compare methods
        that hide different cells, say which are sensitive.
    over
        The risk is that of the "worst" of these cells, or their "mean" (of entropy, 1 / the mean entropy). With `by`, of its
        categories instead.
    by
        With risks of the table as a whole: a dim, or a list of dims, each of whose categories is a table by itself, such as
        a row. The risk is that of the worst category or their mean; the utilities "hellinger" and "conditional entropy"
        likewise, the worst having the lowest. Categories that nobody is in are left out (of R2, also those that are
        published as empty).
    given
        With utility="conditional probability": the dim, or list of dims, to condition on. Categories that nobody is in are
        left out; in one that a user takes to be empty, she takes all cells to be equally probable.
    log_base
        Of the logarithm of the entropy: 2 for bits, `math.e` for nats.
    harm
        How bad it is for an intruder to know that a value is k: a function of k, or a dict.
    weights
        Of the terms of risk="r1", "r2", "split" or "split mean", as for these functions.
    original
        Show the table as it is, too, as "original".
    seed
        Of everything random: the seeds of the methods follow from it, unless they are listed, and the audits' chains use it.
    progress, options
        As for `audit`; `options` are handed to every audit (method=, tolerance=, max_draws=, ...).

    Examples
    --------
    >>> import fiberwalk as fw
    >>> table = [[1, 5, 9], [7, 2, 6], [3, 8, 4]]
    >>> methods = {
    ...     "random rounding": (fw.protect.random_round, {"base": [3, 5]}),
    ...     "suppression": lambda t: fw.suppress(t, where=[[True, True, False], [True, True, False], [False] * 3]),
    ... }
    >>> ru = fw.ru_map(table, methods, where="< 3", seeds=3)
    >>> ru.frame[["risk", "utility", "runs"]].round(2)
                             risk  utility  runs
    method          setting
    original                  inf      inf     1
    random rounding base=3   0.69     0.40     3
                    base=5   0.47     0.11     3
    suppression              0.36     0.12     1
    >>> ru.best(max_risk=0.5).index.tolist()
    [('suppression', '')]
    >>> rows = fw.ru_map(table, methods, risk="r2", utility="hellinger", by="A", seeds=3)
    >>> rows.risk
    'R2, the worst A (Antal, Shlomo and Elliot)'
    >>> shares = fw.ru_map(table, methods, where="< 3", utility="conditional probability", given="A", seeds=3)
    >>> shares.utility
    '1 / mean squared error of the probabilities given A'
    """
    true = _true_table(table)
    as_given = true if isinstance(table, Release) else table
    chosen = chosen_cells(cell, where, true)
    names = None if chosen is None else _names(chosen, true)
    parts = categories(by, over, true)
    axes = (
        risk_measure(
            risk, Asked(whose_risk(names, over), over, log_base, harm), weights=weights, table=true,
            chosen=chosen is not None, parts=parts,
        ),
        utility_measure(utility, "all cells" if names is None else f"cell {names[0]}" if len(names) == 1 else
                        f"{len(names)} chosen cells", true, parts, given_axes(given, true)),
    )  # fmt: skip
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InputError(f"seed={seed!r}: a whole number of at least 0, from which all others follow.")
    _check_options(options)
    repeated = run_seeds(seeds, int(seed))
    law_name = as_law(law).name
    points = candidates(mechanisms, as_given, true)
    if original and any(point.method == ORIGINAL for point in points):
        raise InputError(f"{ORIGINAL!r} is the table itself: give your method another name, or say original=False.")
    points = [*([original_of(true)] if original else []), *points]

    runs: list[Run] = []
    todo = list(_in_turn(points, repeated))
    with shown(progress) as tell:
        for done, (point, number) in enumerate(todo):
            try:
                with plain_interrupts():
                    seen = _protected(point, number, true, law, chosen, int(seed), options, _telling(tell, done, todo))
                    run = _run(point, number, seen, *axes)
            except KeyboardInterrupt:
                if not runs:
                    raise  # there is nothing to tell yet
                break
            stopped = seen.audited is not None and INTERRUPTED in seen.audited.stopped
            if not (stopped and runs):
                runs.append(run)
            if stopped:
                break
    order = {(point.method, point.parameter, point.value): place for place, point in enumerate(points)}
    runs.sort(key=lambda run: order[run.method, run.parameter, run.value])
    settings = {
        "risk": axes[0].name,
        "utility": axes[1].name,
        "law": law_name if any(run.certificate != NOT_AUDITED for run in runs) else None,
        "seed": int(seed),
        "seeds": repeated,
        "over": over,
        "by": list(parts.dims) or None,
        "given": [true.dims[axis].name for axis in given_axes(given, true)] or None,
        "base": log_base,
        "cells": names,
    }
    return RUMap(tuple(runs), axes[0].words, axes[1].words, settings, len(todo) - len(runs))


def _true_table(table: Any) -> Table:
    if not isinstance(table, Release):
        return as_table(table)
    if table.truth is None:
        raise InputError("ru_map() needs the true table: this release does not carry its truth.")
    if len(table.grids) != 1:
        raise InputError("ru_map() protects one table; these are several, linked.")
    return Table(table.truth[table.grids[0].cells], table.dims, table.decimals)


def _names(chosen: np.ndarray, table: Table) -> list[str]:
    places = np.argwhere(chosen.reshape(table.values.shape))
    dims = [dim.name for dim in table.dims]
    labels = ([dim.labels[index] for dim, index in zip(table.dims, place, strict=True)] for place in places)
    return [cell_name(of_cell, dims) for of_cell in labels]


def _in_turn(points: list[Candidate], seeds: list[int]) -> Iterator[tuple[Candidate, int | None]]:
    """All points with the first seed, then all with the second: what Ctrl-C leaves is a map, with fewer runs."""
    for place, number in enumerate(seeds):
        for point in points:
            if point.random or place == 0:
                yield point, number if point.random else None


def _telling(tell: Progress | None, done: int, todo: list[tuple[Candidate, int | None]]) -> Progress | bool:
    if tell is None:
        return False
    point = todo[done][0]
    prefix = f"{done + 1} of {len(todo)} runs, {point.method} {point.setting}".strip()
    tell(prefix)
    return lambda line: tell(f"{prefix}: {line}")


def _protected(
    point: Candidate,
    number: int | None,
    table: Table,
    law: Any,
    chosen: np.ndarray | None,
    seed: int,
    options: dict[str, Any],
    tell: Progress | bool,
) -> Seen:
    """One run: the table protected, and how it is audited where a measure asks for that."""
    with _naming(point, number):
        release = in_words(lambda: point.publish(0 if number is None else number))
        check_release(release, table)
    believed = "uniform" if not len(release.hidden) else law  # what is published needs no belief

    def look() -> Audit:
        return audit(release, believed, seed=seed, progress=tell, **options)

    return Seen(table, release, chosen, look)


@contextmanager
def _naming(point: Candidate, number: int | None) -> Iterator[None]:
    """Errors name the method, the parameter and the seed that they come from."""
    try:
        yield
    except FiberwalkError as problem:
        where = f"method {point.method!r}"
        where += f", {point.setting}" if point.setting else ""
        where += f", seed {number}" if number is not None else ""
        kind = TooLarge if isinstance(problem, TooLarge) else InputError
        raise kind(f"{where}: {problem}") from problem


def _check_options(options: dict[str, Any]) -> None:
    """Refuse what no audit takes, before any work."""
    known = [option for option in inspect.signature(audit).parameters if option not in OURS]
    for option in options:
        if option not in known:
            raise InputError(f"ru_map() has no option {option!r}, nor have audits; {did_you_mean(option, known)}")


def _run(point: Candidate, number: int | None, seen: Seen, risk: Measure, utility: Measure) -> Run:
    with _naming(point, number):
        figures = risk.of(seen), utility.of(seen)
        known, at_risk = (seen.known, len(seen.at_risk)) if risk.of_cells else (math.nan, math.nan)
        errors = risk.error(seen), utility.error(seen)
    audit = seen.audit if risk.of_cells else seen.audited
    words = (audit.certificate.likelihood, audit.certificate.word) if audit else (seen.release.likelihood, NOT_AUDITED)
    return Run(
        point.method, point.parameter, point.value, number, *figures, known, *words, audit is None or audit.converged,
        tuple(word for word, _ in doubts(audit)) if audit else (), errors[0], at_risk, errors[1],
    )  # fmt: skip
