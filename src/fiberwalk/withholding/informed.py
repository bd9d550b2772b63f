"""The intruder who knows the program: she keeps only tables that it would have suppressed in the same way.

What is sensitive, levels in percent and costs by value follow from the table, and so does the pattern: a table that agrees
with all published figures is excluded if the program would have withheld other figures of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..auditing import audit
from ..base.certificate import Certificate
from ..base.errors import InputError, TooLarge
from ..base.interruption import check_max_seconds, check_time, plain_interrupts, time_limit
from ..base.numbers import check_seed, check_whole
from ..base.progress import Progress, shown
from ..fiber.laws.support import Support
from ..fiber.laws.support import support as support_of
from ..moves.chooser import choose
from ..posterior.belief import METHODS, Belief
from ..posterior.every_table import WeighedTables, every_table
from ..posterior.parts.trials import law_by_trials
from ..protect.withholding.least_suppression import Withheld
from ..protect.withholding.patterns.tied_patterns import MOST_OPEN
from ..results.audited_cells import NEAR
from ..results.informed_audit import InformedAudit
from ..sampler.chains.settings import ChainSettings
from ..sampler.drawn_tables import draw_tables
from .program import Program
from .trials import Published, same_pattern

KNOWS = ("algorithm", "algorithm and seed")
SEEDS, RUNS = 1_000, 50
"""Seeds over which is averaged where the intruder does not know the program's own; and where it is run for each of them."""
TABLES = 2_000
"""Tables for which the program is run."""
LISTED = 500_000
"""Tables that are listed before most are ruled out without running the program."""
DRAWS = 250
"""Of each chain, where there are too many tables to run the program for each."""
CHAINS = 4
BATCHES = 20
"""Parts of the drawn tables from which errors are estimated."""
FEWEST = 100
"""Drawn tables that must be kept."""


class Kept(NamedTuple):
    """Tables, and what each weighs in each of some trials: 0 where the program gives another pattern."""

    cells: np.ndarray
    weights: np.ndarray
    possible: np.ndarray
    """Tables that are not proven to be suppressed otherwise."""
    programs: int
    certificate: Certificate
    looked_at: int
    drawn: bool = False


def informed_audit(  # noqa: PLR0913  (the keywords of a public method are its interface)
    program: Program,
    published: Withheld,
    own_seed: int,
    *,
    knows: str = KNOWS[0],
    law: Any = "uniform",
    method: str = "auto",
    seeds: int | None = None,
    max_tables: int = TABLES,
    draws: int = DRAWS,
    seed: int | None = 1,
    percent: float = NEAR,
    max_seconds: float | None = None,
    progress: Progress | bool | None = None,
) -> InformedAudit:
    """See `Suppression.audit`."""
    check_knows(knows)
    if method not in METHODS:
        raise InputError(f"method={method!r}: there is no such method; use {', '.join(map(repr, METHODS))}.")
    if seeds is None:
        seeds = RUNS if program.targets or program.problem.open.sum() > MOST_OPEN else SEEDS
    check_whole(seeds=seeds, max_tables=max_tables, draws=draws)
    check_seed(seed)
    check_max_seconds(max_seconds)
    program.check_can_be_run()
    if published.stopped:
        raise InputError(
            "knows=: the search for this pattern was ended early, which no intruder can repeat; suppress without "
            "max_seconds."
        )
    with shown(progress) as tell, plain_interrupts(), time_limit(max_seconds):
        without = audit(published.release, law, seed=seed, percent=percent, progress=tell or False)
        ask = Published(program, published.hidden, tell or (lambda line: None))
        support = support_of(published.release, law)
        secret = knows == KNOWS[0]
        random = np.random.SeedSequence(seed)
        own = [own_seed] if not secret else _numbers(random, seeds)
        try:
            if method == "chains":
                raise TooLarge("")
            kept = _one_by_one(ask, support, own, max_tables, secret)
        except TooLarge as problem:
            if method == "exact":
                raise TooLarge(
                    f"{problem} Draw tables (method='chains'), or let more be tried (max_tables=)."
                ) from None
            kept = _drawn(ask, support, None if secret else own_seed, draws, ChainSettings(seed, CHAINS), tell)
    return _result(ask, without, support, kept)


def check_knows(knows: Any, targets: bool = True) -> None:
    """Refuse what an intruder cannot be told to know."""
    if knows not in KNOWS:
        raise InputError(f"knows={knows!r}: {' or '.join(map(repr, KNOWS))}, or leave it out.")
    if not targets:
        raise InputError(
            f"knows={knows!r}: say what is wanted before that intruder (until='p <= 0.5'), or ask the result what she "
            f"learns: audit(knows={knows!r})."
        )


def _numbers(random: np.random.SeedSequence, how_many: int) -> list[int]:
    """Seeds of the program that are tried."""
    return np.random.default_rng(random.spawn(1)[0]).integers(2**62, size=how_many).tolist()


def _one_by_one(ask: Published, support: Support, seeds: list[int], most: int, secret: bool) -> Kept:
    """Every table that agrees with what is published, and with which share of seeds it gives the pattern."""
    tables = every_table(support, LISTED)
    may = np.array([ask.may_be(table) for table in tables.cells])
    if may.sum() > most:
        raise TooLarge(f"the program would be run for {int(may.sum()):,} tables, more than max_tables={most:,}.")
    left = WeighedTables(tables.cells[may], tables.log_weights[may])
    same, possible = same_pattern(ask, left.cells, seeds)
    n, everybody = len(seeds), f"{len(tables.cells):,} tables agree with what is published"
    evidence = everybody, f"{int((~may).sum()):,} of them were excluded without running the program"
    if secret and possible.sum() > 1:
        why = f"every table was counted, with what {n:,} seeds withhold of it, and not every seed there might have been"
        certificate = Certificate("unproven", why, (*evidence, "errors are those of these seeds"))
    else:
        which = "for each of the others" if not secret else "and proven to withhold other figures of all but one"
        certificate = Certificate("exact", f"every table was counted, and the program run {which}", evidence)
        same = possible[:, None].astype(float)
    weights = np.exp(left.log_weights - left.log_weights.max(initial=-np.inf))[:, None] * same
    if not weights.any():
        raise InputError(
            f"knows=: none of {n:,} seeds gave any table that agrees with what is published the same pattern; try more "
            "(seeds=)."
        )
    return Kept(left.cells, weights, possible, ask.programs, certificate, len(tables.cells))


def _drawn(
    ask: Published, support: Support, seed: int | None, draws: int, settings: ChainSettings, tell: Progress | None
) -> Kept:
    """Tables drawn from what others believe, kept where the program gives the same pattern."""
    cells, how = draw_tables(choose(support, progress=tell), settings, draws=draws, progress=tell)
    cells = cells[:, :, : support.release.n_cells].reshape(-1, support.release.n_cells).astype(np.int64)
    each = _numbers(np.random.SeedSequence(settings.seed).spawn(2)[1], len(cells))
    same = np.zeros(len(cells), dtype=bool)
    for number, table in enumerate(cells):
        check_time("drawn tables were suppressed")
        same[number] = ask.gives(table, each[number] if seed is None else seed)
        ask.tell(f"{number + 1:,} of {len(cells):,} drawn tables: {int(same.sum()):,} are suppressed in the same way")
    kept = int(same.sum())
    if kept < FEWEST:
        raise TooLarge(
            f"of {len(cells):,} drawn tables {kept:,} {'is' if kept == 1 else 'are'} suppressed in the same way, which is "
            f"too few to say what an intruder learns who knows the program; draw more (draws=) until {FEWEST} are."
        )
    in_batch = np.arange(len(cells)) * BATCHES // len(cells)
    weights = np.zeros((kept, BATCHES))
    weights[np.arange(kept), in_batch[same]] = 1.0
    why = "tables were drawn, suppressed by the same program, and kept where they gave the same pattern"
    evidence = f"{kept:,} of {len(cells):,} drawn tables were kept", f"drawn tables: {how['certificate']}"
    certificate = Certificate("unproven", why, evidence)
    return Kept(cells[same], weights, np.ones(kept, dtype=bool), ask.programs, certificate, len(cells), True)


def _result(ask: Published, without: Any, support: Support, kept: Kept) -> InformedAudit:
    """What she believes of everything that is withheld."""
    release = without.release
    keys, picked, _ = release.listed(())
    picked = picked[:, : release.n_cells]
    certificate = replace(
        kept.certificate,
        caveats=(*without.certificate.caveats, *ask.caveats),
    )
    pmfs = tuple(law_by_trials(values, kept.weights, kept.possible, certificate) for values in picked @ kept.cells.T)
    exact = certificate.word == "exact"
    belief = Belief(release, support.law, keys, pmfs, int(kept.possible.sum()) if exact else None, certificate)
    sensitive = ask.sensitive(kept.cells[kept.possible])
    return InformedAudit(
        belief, without, sensitive, kept.looked_at, int(kept.possible.sum()), kept.programs, kept.drawn
    )
