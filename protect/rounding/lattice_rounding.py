"""Lattice rounding: all tables that are offered are rounded at once, so that each adds up and they agree with each other.

Random rounding by keys is consistent, as a cell has the same key in every table, and does not add up. Controlled rounding of
one table adds up, and differs from that of the next. Here all tables are rounded by one integer program, whose costs are the
keys: each figure goes where its key sends it, but for those that must turn so that everything adds up (SAE15, section 6).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError
from ...fiber.solvers.integer_program import least_cost
from ...release.facts.facts import LABELS, Applied
from ...release.publish import parse_margins
from ...release.release import Release, of_table
from ...release.tables.dims import Dim, Margin
from ...release.tables.table_forms import Hierarchies
from ...release.tables.tables import as_table
from ..mechanism.cell_keys import KEY_WORDS, random_numbers, taken_seed
from ..mechanism.mechanism import SUPPORT
from .lattice import Lattice, Shown, lattice_of
from .random_rounding import RandomRounding
from .rounding import checked_base, with_rounded

MOST_NODES = 1000
"""Of each search for a rounding; lattices of two-way tables need hardly any."""
SEARCHED_OUT, NEAR_ENOUGH = 1_000, 0.05
"""Where more figures can turn the search may end within this share of the best; two-way tables do not need it."""
MOST_FIGURES = 100_000
"""That are rounded at once: of more the program takes hours."""
BEYOND = 10.0
"""What it costs to go to the next multiple but one, in costs of figures that turn: at most 1 each."""


def round_lattice(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    table: Any,
    base: float = 3,
    *,
    margins: Iterable[Any] | None = None,
    max_dims: int | None = None,
    seed: int | None = None,
    keys: Any = LABELS,
    hierarchies: Hierarchies | None = None,
    decimals: int = 0,
    count: str | None = None,
) -> Release:
    """Publish many tables of one cube, rounded so that each adds up and a figure is the same wherever it stands.

    Every figure of every table that is offered becomes one of the two multiples of the base next to it; multiples stay as
    they are. Which of the two is decided by the figure's key, as in `random_round(keys="labels")`, and then as few and as
    undecided keys as possible are overruled, so that cells sum to their margins in all tables at once. Everything is
    rounded in one go: what is published does not depend on who asks for which table first. The cells of the cube itself are
    published only if it is one of the tables.

    Tens of thousands of figures of two-way tables take seconds, and the rounding is the best there is. Where tables of three
    and more dims have more than a thousand figures that can turn, the search may end within 5% of the best: then it depends
    on the version of SciPy, too, whose solver it is, and whoever publishes further tables later keeps the figures.

    An intruder is taken to know that every figure is less than `base` away from the truth. Which rounding was chosen would
    tell her a little more; that is not modelled, so the likelihood is "support only".

    Figures go up about as often as by their keys alone, and a little more often to the nearer multiple: the mean of many
    roundings is not quite the truth.

    **Where there is no such rounding**, which happens among tables that cross in three and more dims, mostly to base 2, some
    figures go to the next multiple but one. That is tried first with the cells of the finest tables, then with all figures,
    and costs as much as ten of the most decided keys. A table in which a figure did so is published as one whose figures,
    all of them, are known to less than twice the base; `release.applied` names these tables. Which figures it was is not
    published: who knew that a figure is *not* one of the two next to the truth would know the truth better than from any
    other figure. How many there were is in `applied.own_words`, for the agency alone. An audit takes the wider range for
    what the intruder knows. She may guess that most figures of the table are nearer, and be right: of these tables an audit
    is a lower bound of what she can learn, the further below the fewer figures were moved.

    Parameters
    ----------
    base
        Figures are published as multiples of it.
    margins
        The tables that are offered: "sex,age" is one, a level's name shows a dim at that level. With each of them come
        all of its own margins, at every level that follows.
    max_dims
        All tables of up to so many dims are offered, besides `margins`. Neither: the table itself, with everything that it
        sums to.
    seed
        Of the keys; whoever has it can undo the rounding. Left out: a new one, which `release.applied` keeps; one that can
        be guessed protects nothing.
    keys
        "labels": the key of a figure follows from its labels and the seed. A table of summed record keys: it follows from
        who is in it, and figures of the same people are alike whatever they are called. None: keys are drawn anew.
    hierarchies, decimals, count
        As for `publish`.

    Examples
    --------
    Two tables share the totals of A. Each adds up, and both show the same totals:

    >>> import fiberwalk as fw
    >>> cube = [[[4, 1], [2, 2]], [[0, 5], [1, 1]], [[2, 2], [7, 1]]]
    >>> r = fw.round_lattice(cube, base=3, margins=["A,B", "A,C"], seed=7)
    >>> print(r.crosstab(mark="").tail(3).to_string())
    C          1   2 All
    A   B
    All 1            12
        2            15
        All   15  12  27
    >>> fw.bounds(r, hidden_margins=["A,B"]).xs("Total", level="C").iloc[0].to_dict()
    {'lower': 4, 'upper': 8}
    """
    labelled = as_table(table, hierarchies=hierarchies, decimals=decimals, count=count)
    step = checked_base(base, labelled.decimals, "round_lattice")
    release = of_table(labelled)
    lattice, offered = _offered(labelled.dims, margins, max_dims)
    shown, matrix = release.margins(offered)
    truth = matrix @ labelled.values.ravel()
    seed = taken_seed(seed)
    numbers, kind = random_numbers(release, shown, matrix, truth, seed, keys)
    found = rounded_lattice(lattice, truth, numbers, step, base)
    names = dict(zip(lattice.tables, offered, strict=True))
    relaxed = [" x ".join(level for level in names[one] if level) or "the grand total" for one in found.relaxed]
    applied = replace(
        applied_lattice(found, relaxed, base, kind), seed=seed, mechanism=RandomRounding(step, labelled.decimals)
    )
    whole = offered[0] == tuple(dim.name for dim in labelled.dims)
    return replace(
        with_rounded(release, shown, matrix, found.figures, found.steps * step, "within"),
        figures=found.figures[: release.n_cells] if whole else None,
        applied=(applied,),
        notes=(f"{applied.name}: {applied.words} (likelihood: {applied.likelihood})",),
    )


def _offered(dims: tuple[Dim, ...], margins: Iterable[Any] | None, max_dims: Any) -> tuple[Lattice, list[Margin]]:
    """The tables that are offered, and what each is called, in the same order: the table itself is the first if it is."""
    names: list[list[str | None]] = [[dim.name, *(level.name for level in dim.levels[::-1]), None] for dim in dims]
    named = None if margins is None else parse_margins(margins, dims)
    wanted = wanted_tables(
        None if named is None else [tuple(names[i].index(one) for i, one in enumerate(margin)) for margin in named],
        max_dims,
        [len(one) - 1 for one in names],
    )
    groups = [[np.unique(dim.nodes_at(one), return_inverse=True)[1] for one in names[i]] for i, dim in enumerate(dims)]
    lattice = offered_lattice(groups, wanted)
    return lattice, [tuple(names[i][level] for i, level in enumerate(one)) for one in lattice.tables]


def wanted_tables(named: Iterable[Shown] | None, max_dims: Any, n_levels: Sequence[int]) -> set[Shown]:
    """The tables that are offered by name, and all of up to so many dims; neither: the finest of all.

    `n_levels` is the number of levels of each dim, without the total, which comes after them.
    """
    if max_dims is None:
        wanted = {(0,) * len(n_levels)} if named is None else set(named)
    elif isinstance(max_dims, bool) or not isinstance(max_dims, (int, np.integer)) or max_dims < 1:
        raise InputError(f"round_lattice(max_dims={max_dims!r}): a whole number of at least 1.")
    else:
        wanted = set(named or ())
        for chosen in combinations(range(len(n_levels)), min(int(max_dims), len(n_levels))):
            wanted |= set(product(*(range(n) if i in chosen else (n,) for i, n in enumerate(n_levels))))
    if not wanted:
        raise InputError(
            "round_lattice(): no table is offered; name some (margins=), or say of how many dims (max_dims=)."
        )
    return wanted


def offered_lattice(dims: Sequence[Sequence[np.ndarray]], wanted: Iterable[Shown]) -> Lattice:
    """The lattice of the tables that are offered, if it can be rounded at once."""
    lattice = lattice_of(dims, wanted)
    if lattice.n_figures > MOST_FIGURES:
        raise InputError(
            f"round_lattice(): {len(lattice.tables):,} tables of {lattice.n_figures:,} figures are offered, more than the "
            f"{MOST_FIGURES:,} that can be rounded at once; offer fewer (margins=), or tables of fewer dims (max_dims=)."
        )
    return lattice


# --- the program -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RoundedLattice:
    """The figures of all tables of a lattice, rounded."""

    figures: np.ndarray
    keyed: np.ndarray
    """What the keys alone would have made of them."""
    steps: np.ndarray
    """Figures are less than so many bases away from the truth: more than one in tables where a figure had to be."""
    relaxed: tuple[Shown, ...]
    """These tables."""
    n_beyond: int
    """How many figures are further away than the multiples next to the truth."""
    proven: bool
    """Is it the nearest to what the keys say?"""


def rounded_lattice(
    lattice: Lattice, values: np.ndarray, numbers: np.ndarray, step: int, base: float
) -> RoundedLattice:
    """All figures of a lattice rounded so that they add up, as near as possible to what their keys say.

    A figure goes up if its number is below its remainder's share of the base. To turn it costs how far the number is from
    that share: the less decided a key, the sooner it is overruled. So its cost is linear in whether it goes up, and the best
    rounding is, but for accidents, the only one. Figures with the same number and value are of the same people, where keys
    are those of records, and stay alike. `base` is the step in the table's own units.
    """
    down, remainder = np.divmod(values, step)
    share = remainder / step
    cost = np.where(remainder > 0, numbers - share, 0.0)
    equations = sp.csr_array(sp.vstack([lattice.additions, _ties(values, numbers)]))
    missing = -(equations @ down)
    finest = np.zeros(len(values), dtype=bool)
    for one in lattice.finest:
        finest[lattice.part(one)] = True
    nowhere = np.zeros(len(values), dtype=bool)
    for free in (nowhere, finest, ~nowhere):
        up, proven = _nearest(equations, missing, cost, remainder > 0, down, free)
        if up is None:
            continue
        beyond = (up < 0) | (up > (remainder > 0))
        relaxed = tuple(one for one in lattice.tables if beyond[lattice.part(one)].any())
        steps = np.ones(len(values), dtype=np.int64)
        for one in relaxed:
            steps[lattice.part(one)] = 2
        keyed = (down + (numbers < share)) * step
        return RoundedLattice((down + up) * step, keyed, steps, relaxed, int(beyond.sum()), proven)
    raise InputError(
        f"round_lattice(base={base}): no rounding was found in which all tables add up, not even with figures that go to "
        "the next multiple but one; offer fewer tables (margins=), or tables of fewer dims (max_dims=)."
    )


def _ties(values: np.ndarray, numbers: np.ndarray) -> Any:
    """Equations by which figures of the same people are equal, each with the one before it."""
    order = np.lexsort((values, numbers))
    first, second = order[:-1], order[1:]
    same = (values[first] == values[second]) & (numbers[first] == numbers[second]) & (values[first] > 0)
    n = int(same.sum())
    where = (np.tile(np.arange(n), 2), np.concatenate([first[same], second[same]]))
    return sp.csr_array((np.repeat([1, -1], n), where), shape=(n, len(values)))


def _nearest(
    equations: Any, missing: np.ndarray, cost: np.ndarray, moving: np.ndarray, down: np.ndarray, free: np.ndarray
) -> tuple[np.ndarray | None, bool]:
    """How many multiples each figure goes up from the one below it, and is that proven to be the best?

    A figure that is free may go one further either way, though not below zero: it then has three variables, whether it goes
    up, one more up, one down.
    """
    n = len(cost)
    ups, more, less = np.flatnonzero(moving), np.flatnonzero(free), np.flatnonzero(free & (down > 0))
    signs = sp.csr_array(
        (
            np.concatenate([np.ones(len(ups) + len(more), np.int64), np.full(len(less), -1)]),
            (np.concatenate([ups, more, less]), np.arange(len(ups) + len(more) + len(less))),
        ),
        shape=(n, len(ups) + len(more) + len(less)),
    )
    price = np.concatenate([cost[ups], BEYOND + cost[more], BEYOND - cost[less]])
    gap = 0.0 if len(ups) <= SEARCHED_OUT else NEAR_ENOUGH
    chosen, proven = least_cost(
        price, equations @ signs, missing, missing, np.ones(len(price)), nodes=MOST_NODES, gap=gap
    )
    return (None if chosen is None else signs @ chosen), proven


def applied_lattice(found: RoundedLattice, relaxed: Sequence[str], base: float, kind: str) -> Applied:
    """What was done, in words for every reader and for the agency; `relaxed` names the tables with wider ranges."""
    said = (
        f"the figures of all tables that are offered go up or down to a multiple of {base}, by their keys as far as all "
        "tables add up and agree; "
    )
    if relaxed:
        said += f"figures of {'; '.join(relaxed)} are known to less than {2 * base}, all others to less than {base}"
    else:
        said += f"each is known to less than {base}"
    turned = int((found.figures != found.keyed).sum())
    own = f"{turned:,} of {len(found.figures):,} figures are not what their keys alone would have made of them"
    own += f", {found.n_beyond:,} of them further from the truth than the next multiple" if found.n_beyond else ""
    own += "" if found.proven else "; as far as was searched: fewer may do"
    return Applied("lattice rounding", SUPPORT, said + KEY_WORDS[kind], keys=kind, own_words=own)
