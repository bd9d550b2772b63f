"""audit: from a release to the risk of every hidden cell."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

from .base.errors import Contradiction, InputError, TimeUp
from .base.interruption import INTERRUPTED, TIME_UP, check_max_seconds, plain_interrupts, time_limit
from .base.progress import Progress, shown
from .frames.respondents import INTRUDERS, beliefs_of_respondents, respondents_of
from .posterior.belief import METHODS, Answers, Belief, believe, budget_for
from .release.release import Release, as_release
from .release.tables.dims import margin_list
from .results.audit_result import Audit
from .results.audited_cells import NEAR
from .risk.nearness import check_percent
from .sampler.chains.settings import ChainSettings


def audit(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    release: Release,
    law: Any = "uniform",
    method: str = "auto",
    seed: int | None = 1,
    tolerance: float = 0.02,
    hidden_margins: Iterable[Any] = (),
    executor: Executor | None = None,
    *,
    max_draws: int | None = None,
    max_seconds: float | None = None,
    chains: int = 4,
    checkpoint: str | os.PathLike[str] | None = None,
    limit: int | None = None,
    memory: int | None = None,
    progress: Progress | bool | None = None,
    magnitudes: bool | None = None,
    percent: float = NEAR,
    intruders: str | None = None,
) -> Audit:
    """What an intruder learns from a release about each hidden cell.

    Parameters
    ----------
    release
        From `publish`, `suppress`, `round_to`, `merge`, `linked`, `from_crosstab` or `read_release`.
    law
        What the intruder believes beforehand: "uniform" (every feasible table alike), "hypergeometric" (the log-linear
        model of the published figures), `expected(mu)` or `prior(...)`.
    method
        "exact": every table is counted, or the release refused; "chains": Markov chain Monte Carlo; "auto": exactly where
        that takes seconds, chains elsewhere, block by block (cells that no published sum links are in different blocks).
    seed
        Of the chains. The same seed gives the same answer, whatever the number of threads or processes; None: a new one
        each time.
    tolerance
        Chains go on until three standard errors of every entropy are below so many bits, every cell has 400 effective
        draws (ESS), and R-hat is below 1.01.
    executor
        Where chains run, exact blocks are solved and bounds are found: any `concurrent.futures.Executor`, such as that of a
        Dask client (`client.get_executor()`). By default threads of this process.
    max_draws, max_seconds
        Chains are stopped after so many draws each; the whole call is stopped after so many seconds, whatever it is doing.
        The answer then says that it has not converged; where there is none yet, `TimeUp` is raised. By default neither:
        chains go on until they converge, and are given up only if, after a million draws, they would need more than sixteen
        times as many. Ctrl-C stops them too.
    chains
        How many there are.
    checkpoint
        A file to which the chains are saved now and then. If it is there already they go on from it, to the same end.
    hidden_margins
        Unpublished margins that are asked about too, such as ["I,K"]; "" is the grand total.
    limit
        The most operations (some billions are a second) of exact solving, per block of cells that depend on each other. With
        "auto", where chains take over, as many by default as these are foreseen to take: at least 4e9, more for blocks of
        many cells and for small tolerances.
    memory
        The most bytes that the arrays of exact solving take, per block (by default 6e9; with "auto", where chains take over,
        1e9), and those of all chains together (by default 8e9). What chains take is known before they start: it grows with
        the hidden cells and the number of chains, not with the draws. Python, the release itself and the answer, some
        hundred megabytes for most tables, come on top.
    progress
        Called now and then with a line of text on where the work stands. By default it is shown on a terminal and in a
        notebook; False: not at all.
    magnitudes
        True: a table of magnitudes; False: of counts. By default the release tells (`Audit.magnitude`).
    percent
        Of magnitudes: a guess within so many percent of the true value counts as disclosure.
    intruders
        "respondents": the audit is also made as each contributor would see it who is alone in a hidden cell, has more than
        half of it, or, of magnitudes, is known to be the largest or second largest; she may be after another contributor
        (`Audit.respondents`, `Audit.seen_by`). Needs the truth, and for magnitudes N_OBS or MAX.

    Raises
    ------
    TooLarge
        With method="exact", when the release cannot be solved within `limit` and `memory`, with an estimate of what it
        would take; with chains, when these would take more than `memory`, with what would fit.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> a = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]), law="hypergeometric")
    >>> a.pmf(A="1", B="1").round(3).tolist()
    [0.024, 0.238, 0.476, 0.238, 0.024]
    """
    release = as_release(release)
    if method not in METHODS:
        raise InputError(f"method={method!r}: there is no such method; use {', '.join(map(repr, METHODS))}.")
    if intruders not in INTRUDERS:
        raise InputError(f"intruders={intruders!r}: 'respondents', or leave it out.")
    magnitude = release.of_magnitudes if magnitudes is None else bool(magnitudes)
    if intruders is not None:
        respondents_of(release, magnitude)  # refuse before the work, not after it
    margins = margin_list(hidden_margins, "hidden_margins=")
    check_max_seconds(max_seconds)
    settings = ChainSettings(seed, chains, tolerance, max_draws, executor, checkpoint)
    budget = budget_for(method, limit, memory, settings.tolerance)
    if memory is not None:
        settings = replace(settings, memory=budget.bytes)
    told = {"law": law, "method": method, "hidden_margins": margins, "limit": limit, "memory": memory}
    told |= {"magnitudes": magnitudes, "percent": check_percent(percent, "audit")}
    told |= {"intruders": intruders} | settings.decisive | {"max_seconds": max_seconds}
    known: Answers = {}

    with shown(progress) as tell, plain_interrupts(), time_limit(max_seconds):
        numbers = itertools.count()

        def ask(reading: Release, law: Any = law) -> Belief:
            number, how = next(numbers), settings
            if number and checkpoint is not None:
                how = replace(settings, checkpoint=f"{os.fspath(checkpoint)}.{number}")
            return believe(
                reading, law, hidden_margins=margins, method=method, budget=budget, settings=how, known=known,
                progress=tell,
            )  # fmt: skip

        main = ask(release)
        others, unread = _readings(main, ask)

        def audited(belief: Belief, readings: Mapping[str, Audit], left_out: str = "") -> Audit:
            if intruders is None or belief.release.truth is None:
                return Audit(belief, told, readings, left_out=left_out)
            seen, unasked = beliefs_of_respondents(belief, magnitude, ask, tell)
            return Audit(belief, told, readings, seen, "; ".join(part for part in (left_out, unasked) if part))

        return audited(main, {name: audited(belief, {}) for name, belief in others.items()}, unread)


def _readings(main: Belief, ask: Callable[..., Belief]) -> tuple[dict[str, Belief], str]:
    """What follows from further readings of a release and from variants of a law, and what Ctrl-C left out of these."""
    beliefs: dict[str, Belief] = {}
    variants = main.law.variants(main.release) if hasattr(main.law, "variants") else {}
    readings = {name: (reading, main.law) for name, reading in main.release.readings.items()}
    readings |= {name: (main.release, law) for name, law in variants.items()}
    for done, (name, reading) in enumerate(readings.items()):
        try:
            if any(belief.stopped in (INTERRUPTED, TIME_UP) for belief in (main, *beliefs.values())):
                raise KeyboardInterrupt
            with plain_interrupts():
                beliefs[name] = ask(*reading)
        except Contradiction:
            continue  # no table agrees with what this reading supposes
        except (KeyboardInterrupt, TimeUp):
            total = len(readings)
            left = total - done
            return beliefs, f"{left} of {total} further readings {'was' if left == 1 else 'were'} not looked at"
    return beliefs, ""
