"""compare_margins: which margins of a table may be published together?"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

from .auditing import audit
from .base.errors import FiberwalkError, InputError, TooLarge, did_you_mean
from .base.interruption import INTERRUPTED
from .base.progress import Progress, shown
from .fiber.laws.by_name import as_law
from .release.publish import publish
from .release.tables.dims import margin_list, parse_margin
from .release.tables.tables import Table, as_table
from .results.audit_result import Audit
from .results.margin_sets import Margins, MarginSets, independent_figures, maximal

MOST_SETS = 200
"""More sets are not listed unasked: four dims have 165, five 7,578."""
OURS = ("release", "law", "hidden_margins", "progress")
"""What the comparison says to audits itself."""


def compare_margins(
    table: Any,
    sets: Iterable[Any] | None = None,
    law: Any = "uniform",
    *,
    ways: int | None = None,
    progress: Progress | bool | None = None,
    **options: Any,
) -> MarginSets:
    """Which margins of a table may be published together? Every set of them, each audited.

    Parameters
    ----------
    table
        The true table, in any form.
    sets
        The sets to compare, each a list of margins such as ["I,J", "K"]. What follows from another margin of its set is
        left out. By default all sets of which no margin follows from another: 17 for three dims, 165 for four.
    law
        What the intruder believes beforehand, as for `audit`.
    ways
        Only margins of at most so many dims; with `sets` left out.
    progress
        As for `audit`.
    options
        Whatever else `audit` takes, the same for each set; with `checkpoint=`, the set's number is put after the name. Few
        margins leave many tables: a lower `limit=` has chains begin sooner, and `tolerance=0.1` has them end sooner.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> sets = fw.studies.compare_margins([[3, 1, 0], [2, 4, 5]], law="hypergeometric")
    >>> sets.frame[["independent", "tables", "risk"]].round(2)
             independent tables  risk
    margins
    A                  2   1170  0.52
    B                  3    216  0.45
    A + B              4     15  0.56
    >>> sets.best(max_risk=0.54).index.tolist()
    ['B', 'A']
    """
    true = as_table(table)
    as_law(law)
    _check_options(options)
    chosen = _named(_all_sets(true, ways) if sets is None else _given(sets, ways, true), true)
    audits: dict[str, Audit] = {}
    with shown(progress) as tell:
        for place, (name, margins) in enumerate(chosen.items(), start=1):
            own = dict(options)
            if options.get("checkpoint") is not None:  # a file of its own for each set
                own["checkpoint"] = f"{os.fspath(options['checkpoint'])}.{place}"
            try:
                audits[name] = audit(
                    publish(true, margins),
                    law,
                    progress=_telling(tell, f"{place} of {len(chosen)} sets, {name}"),
                    **own,
                )
            except KeyboardInterrupt:
                if not audits:
                    raise  # there is nothing to tell yet
                break
            except FiberwalkError as problem:
                kind = TooLarge if isinstance(problem, TooLarge) else InputError
                raise kind(f"margins {name}: {problem}") from problem
            if INTERRUPTED in audits[name].stopped:
                break
    left_out = tuple(name for name in chosen if name not in audits)
    return MarginSets(audits, {name: chosen[name] for name in audits}, {"order": ways, **options}, left_out)


def _telling(tell: Progress | None, prefix: str) -> Progress | bool:
    if tell is None:
        return False
    tell(prefix)
    return lambda line: tell(f"{prefix}: {line}")


def _all_sets(table: Table, ways: int | None) -> list[Margins]:
    """Every set of margins of at most so many dims of which none follows from another.

    These are the generators of the hierarchical log-linear models of the table.
    """
    names = [dim.name for dim in table.dims]
    if len(names) < 2:
        raise InputError(f"compare_margins() needs a table of two or more dims; this has one, {names[0]!r}.")
    if ways is None:
        ways = len(names) - 1
    elif isinstance(ways, bool) or not isinstance(ways, (int, np.integer)) or not 1 <= ways < len(names):
        raise InputError(f"ways={ways!r}: of how many dims a margin may be, 1 to {len(names) - 1}.")
    margins = [frozenset(dims) for k in range(1, ways + 1) for dims in combinations(names, k)]
    sets = []
    for antichain in _antichains(margins):
        sets.append(maximal(antichain, names))
        if len(sets) > MOST_SETS:
            raise InputError(
                f"a table of {len(names)} dims has more than {MOST_SETS} sets of margins of up to {ways} dims: name those "
                "to be compared, sets=[['A,B', 'C'], ...]" + (", or give a lower ways=." if ways > 1 else ".")
            )
    return sets


def _antichains(margins: list[frozenset[str]], chosen: tuple[frozenset[str], ...] = ()) -> Iterator[Any]:
    """All non-empty choices among the margins, added to those chosen, of which none is part of another."""
    for place, margin in enumerate(margins):
        if not any(margin <= other or other <= margin for other in chosen):
            yield (*chosen, margin)
            yield from _antichains(margins[place + 1 :], (*chosen, margin))


def _given(sets: Any, ways: int | None, table: Table) -> list[Margins]:
    """The sets that the user names."""
    if ways is not None:
        raise InputError("compare_margins(): ways= is for when sets= is left out.")
    if isinstance(sets, str) or not isinstance(sets, Iterable):
        raise InputError(f"sets= is a list of sets of margins such as [['I,J', 'K'], ['J,K']]; it is {sets!r}.")
    names, read = [dim.name for dim in table.dims], []
    for listed in sets:
        margins = [parse_margin(margin, table.dims) for margin in margin_list(listed, "sets=")]
        if not margins:
            raise InputError(f"sets=: {listed!r} names no margin.")
        read.append(maximal([[dim for dim in margin if dim] for margin in margins], names))
        if len(read[-1][0]) == len(names):
            raise InputError(f"sets=: {listed!r} publishes the table itself: nothing is hidden.")
    if not read:
        raise InputError("compare_margins() needs at least one set of margins, and two to compare.")
    return read


def _named(sets: list[Margins], table: Table) -> dict[str, Margins]:
    """The sets by their names, from the one that tells least to the one that tells most."""
    sizes = {dim.name: len(dim.labels) for dim in table.dims}
    ordered = sorted(dict.fromkeys(sets), key=lambda margins: independent_figures(margins, sizes))
    return {" + ".join(",".join(margin) or "grand total" for margin in margins): margins for margins in ordered}


def _check_options(options: dict[str, Any]) -> None:
    """Refuse what no audit takes, before any work."""
    known = [option for option in inspect.signature(audit).parameters if option not in OURS]
    for option in options:
        if option not in known:
            raise InputError(
                f"compare_margins() has no option {option!r}, nor have audits; {did_you_mean(option, known)}"
            )
