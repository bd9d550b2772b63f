"""Markov perturbation (Duncan and Fienberg 1999; DFKPR01): records move within squares of four cells.

A *square* is two categories of one dim crossed with two of another, everything else fixed. A step changes its top-left
cell w and makes up for it in the other three, so that the two row and two column totals of the square stay. With the top
row total r, the left column total c and the grand total n, w lies between lo = max(0, r + c - n) and hi = min(r, c), and

    published = lo + Binomial(w - lo, 1 - theta) + Binomial(hi - w, f),    f = min(1, w theta / (c - w)),

where f = 0 at w = hi: units that can leave do so with probability theta, and as many as leave on average come in. The law
depends on the corner and on which side is called a row: a square is read so that c >= r, transposed where it is not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context
from math import log, log1p
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.saved_forms import saved
from ...release.facts.facts import Applied, Evidence
from ...release.release import Release, of_table
from ..mechanism.cell_keys import taken_seed
from ..mechanism.mechanism import EXACT, counts_of
from ..mechanism.moved_records import published_as, whole_counts
from .elementary_squares import Squares, chosen_squares
from .kept_totals import with_what_stays
from .theta_prior import ThetaPrior, as_theta

ORDERS = ("random", "secret", "given")
NAME = "Markov perturbation"


@saved("MarkovPerturbation")
@dataclass(frozen=True, eq=False)
class MarkovPerturbation:
    """All that is public of a Markov perturbation: theta, its squares, and whether they stand in the order of the steps."""

    theta: float | ThetaPrior
    squares: Squares
    order_known: bool = True
    capped: bool = True
    """Was the probability of coming in cut off at 1? Otherwise no table was published where it would have had to be."""


# --- the law of one step ------------------------------------------------------------------------------------------


def oriented(row: int, column: int) -> tuple[int, int]:
    """The top row and left column total as the law reads them: the column has at least as many."""
    return (row, column) if column >= row else (column, row)


def corner_range(row: int, column: int, total: int) -> tuple[int, int]:
    """The least and the most that the top-left cell of a square can be."""
    return max(0, row + column - total), min(row, column)


def coming_in(w: int, high: int, column: int, theta: float) -> float:
    """f, the probability that a unit of the bottom-left cell which can come in does so."""
    return 0.0 if w == high else min(1.0, w * theta / (column - w))


def largest_theta(row: int, column: int, total: int) -> float:
    """The largest theta at which f stays below 1 by itself for every w < hi, so that nothing is cut off.

    DFKPR01's range also asks it of w = hi, where no unit is left to come in: 0.2 in their example, and 2/7 here.
    """
    row, column = oriented(row, column)
    low, high = corner_range(row, column, total)
    w = high - 1
    return 1.0 if w < max(low, 1) else min(1.0, (column - w) / w)


def log_step_likelihood(
    published: int, row: int, column: int, total: int, theta: float, capped: bool = True
) -> tuple[int, np.ndarray]:
    """lo, and log P(published | w) of every w from lo to hi: what a published corner says of the true one."""
    from scipy.special import gammaln, xlog1py, xlogy

    row, column = oriented(row, column)
    low, high = corner_range(row, column, total)
    logs = np.full(high - low + 1, -np.inf)
    seen = published - low
    if not 0 <= seen <= high - low or not (capped or theta <= largest_theta(row, column, total)):
        return low, logs
    counts = np.arange(high - low + 1.0)
    log_factorial = gammaln(counts + 1)
    staying, leaving = xlog1py(counts, -theta) - log_factorial, xlogy(counts, theta) - log_factorial
    for w in range(low, high + 1):
        inside, outside, f = w - low, high - w, coming_in(w, high, column, theta)
        least, most = max(0, seen - outside), min(inside, seen)  # of those that stayed; the others seen came in
        least = seen if f == 0 else least
        most = seen - outside if f == 1 else most
        if least > most:
            continue
        stay, leave = slice(least, most + 1), slice(inside - most, inside - least + 1)
        come, keep_out = slice(seen - most, seen - least + 1), slice(outside - seen + least, outside - seen + most + 1)
        log_in, log_out = (log(f) if f > 0 else 0.0), (log1p(-f) if f < 1 else 0.0)
        terms = staying[stay] + leaving[leave][::-1]
        terms += (counts[come] * log_in - log_factorial[come])[::-1]
        terms += counts[keep_out] * log_out - log_factorial[keep_out]
        largest = terms.max()
        if largest > -np.inf:
            ways = log_factorial[inside] + log_factorial[outside]
            logs[w - low] = ways + largest + log(np.exp(terms - largest).sum())
    return low, logs


def step(square: np.ndarray, theta: float, random: np.random.Generator) -> int:
    """How much one step adds to the top-left cell of a square (top left, top right, bottom left, bottom right)."""
    top_left, top_right, bottom_left, bottom_right = square.tolist()
    row, column = oriented(top_left + top_right, top_left + bottom_left)
    low, high = corner_range(row, column, top_left + top_right + bottom_left + bottom_right)
    stay = int(random.binomial(top_left - low, 1.0 - theta))
    come = int(random.binomial(high - top_left, coming_in(top_left, high, column, theta)))
    return low + stay + come - top_left


# --- the method -----------------------------------------------------------------------------------------------------


def markov_perturb(
    table: Any,
    theta: float,
    *,
    squares: Any = "adjacent",
    dims: Any = None,
    order: str = "random",
    capped: bool = True,
    seed: int | None = None,
) -> Release:
    """Publish a table of counts after steps within squares of four cells, each of which keeps the square's totals.

    Figures that no step can change are facts. Where no two squares share a cell, as in DFKPR01's example of one square,
    each published corner tells of the true one. Where they do, the published table is the end of a path whose middle nobody
    sees, and an audit goes through the paths that can have led there: exactly for small tables, by chains for others. The
    public part of the mechanism, with its squares, is `release.applied[-1].mechanism`.

    Parameters
    ----------
    theta
        How likely a person who can leave the top-left cell of a square is to do so, from 0 to 1.
    squares
        "adjacent": every square of neighbouring categories; "all": every square; or a list of squares, each a pair of
        cells ({dim: label}), the top-left and the bottom-right one, that differ in two dims.
    dims
        The pairs of dims in which squares lie, such as ["A,B"]; every pair when left out.
    order
        "random": a random order, which is published; "secret": a random order, which is not; "given": as listed.
    capped
        Cut f off at 1 (as above), at the price of a bias. False: refuse a theta for which that would be needed. Where
        squares share cells that depends on the totals a square has when its turn comes, which nobody sees: that a table
        was published then says that no path was refused, and an audit takes it so.
    seed
        The seed of the random numbers. Left out: a new one, kept in `release.applied`. A seed that can be guessed protects
        nothing.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.protect.markov_perturb([[1, 14], [17, 83]], theta=0.1, seed=1)
    >>> r.published.values.tolist()
    [[2, 13], [16, 84]]
    >>> fw.audit(r).pmf(A="1", B="1").loc[1:4].round(3).to_dict()
    {1: 0.068, 2: 0.699, 3: 0.192, 4: 0.035}
    """
    labelled = counts_of(table, "markov_perturb")
    taken = as_theta(theta)
    if isinstance(taken, ThetaPrior):
        raise InputError(
            "markov_perturb(theta=): one number; what an intruder believes of it is for fw.snooper.table()."
        )
    if order not in ORDERS:
        raise InputError(f"order={order!r}: 'random', 'secret' or 'given'.")
    release = of_table(labelled)
    listed = chosen_squares(squares, dims, release)
    seed = taken_seed(seed)
    random = np.random.default_rng(seed)
    in_order = np.arange(len(listed)) if order == "given" else random.permutation(len(listed))
    values = labelled.values.ravel().copy()
    for number in in_order:
        cells = listed.cells[number]
        if not capped:
            refuse_cut(values[cells], taken, release.words(release.keys[cells[0]]))
        values[cells] += step(values[cells], taken, random) * np.array([1, -1, -1, 1])
    if order == "random":
        listed = Squares(listed.dims[in_order], listed.cells[in_order])
    return _released(release, values, MarkovPerturbation(taken, listed, order != "secret", capped), seed)


def read_markov_perturbed(
    release: Release,
    theta: Any,
    squares: Any = "adjacent",
    dims: Any = None,
    order: str = "random",
    capped: bool = True,
) -> Release:
    """A table that was published after Markov perturbation, as an outsider reads it: squares keep the sums she needs.

    order="given": the squares are listed in the order of the steps. "random" or "secret": she does not know it.
    capped=False: she knows that a theta which is too large for a square on the way would have been refused.
    """
    published = whole_counts(release, "markov_perturb")
    theta = as_theta(theta)
    if order not in ORDERS:
        raise InputError(
            f"order={order!r}: 'given' where the squares are listed in the order of the steps; 'random' or 'secret' where "
            "their order is not known."
        )
    listed = chosen_squares(squares, dims, release)
    return _released(release, published, MarkovPerturbation(theta, listed, order == "given", bool(capped)))


def as_believed(release: Release, theta: Any = None, order_known: bool | None = None) -> Release:
    """A Markov-perturbed release for a reader who knows less of theta or the order, or believes something else."""
    known = [method for method in release.applied if isinstance(method.mechanism, MarkovPerturbation)]
    if len(known) != 1 or release.figures is None:
        raise InputError(
            "this release is not the end of a Markov perturbation: make it with markov_perturb(), or read what was "
            "published with as_protected(published, 'markov_perturb', theta=...)."
        )
    public = known[0].mechanism
    theta = public.theta if theta is None else as_theta(theta)
    order_known = public.order_known if order_known is None else order_known
    return _through(
        replace(release, evidence=()),
        release.figures,
        MarkovPerturbation(theta, public.squares, order_known, public.capped),
        known[0].seed,
    )


def _released(release: Release, published: np.ndarray, public: MarkovPerturbation, seed: int | None = None) -> Release:
    """What everybody can read off a published table: what the squares keep, and how it came about."""
    return _through(with_what_stays(release, public.squares, published), published, public, seed)


def _through(release: Release, published: np.ndarray, public: MarkovPerturbation, seed: int | None) -> Release:
    """A release with what a published table says of the truth: as evidence where every square and theta stand alone."""
    squares, theta = public.squares, public.theta
    in_evidence = not squares.share_cells and not isinstance(theta, ThetaPrior)
    if not isinstance(theta, ThetaPrior):
        in_words = f"theta = {theta:g}"
        if in_evidence:
            release = replace(release, evidence=(*release.evidence, *_evidence(release, squares, published, theta)))
    else:
        in_words = theta.words
    how = "in a published order" if public.order_known else "in an order that is not published"
    which_squares = "one square of four cells" if len(squares) == 1 else f"{len(squares)} squares of four cells, {how},"
    words = f"units moved within {which_squares} with {in_words}, every step keeping its square's totals"
    words += (
        "" if in_evidence else "; the tables in between are hidden: every path to the published one counts by its odds"
    )
    words += "" if in_evidence or public.capped else ", and those on which theta is too large for a square do not"
    # what was read before, with another theta or order, is read no more
    applied = tuple(method for method in release.applied if not isinstance(method.mechanism, MarkovPerturbation))
    notes = tuple(note for note in release.notes if not note.startswith(f"{NAME}: "))
    method = Applied(NAME, EXACT, words, seed, public, beyond_evidence=not in_evidence)
    return published_as(replace(release, applied=applied, notes=notes), published, method)


def refuse_cut(square: np.ndarray, theta: float, corner: str) -> None:
    """Refuse a theta at which units would have to come in with a probability above 1; the corner is named in words."""
    largest = largest_theta(int(square[:2].sum()), int(square[[0, 2]].sum()), int(square.sum()))
    if not 0 <= theta <= largest:
        wrong = "small" if theta < 0 else "large"
        below = float(Context(prec=4, rounding=ROUND_FLOOR).create_decimal_from_float(largest))
        capped = "; choose it smaller, or let capped=True cut the probability of coming in off at 1"
        raise InputError(
            f"theta={theta:g} is too {wrong} for the square with the corner {corner}: there it may be from 0 to {below:g}"
            f"{capped if 0 < theta <= 1 else ''}."
        )


def _evidence(release: Release, squares: Squares, published: np.ndarray, theta: float) -> tuple[Evidence, ...]:
    """What the published corner of every square says of the true one, where no square touches another."""
    evidence = []
    for cells in squares.cells:
        square = published[cells]
        corner, row, column, total = int(square[0]), int(square[:2].sum()), int(square[[0, 2]].sum()), int(square.sum())
        low, logs = log_step_likelihood(corner, row, column, total, theta)
        if len(logs) == 1:
            continue
        key = release.keys[cells[0]]
        if np.isneginf(logs).all():
            raise InputError(
                f"{release.words(key)}, published as {corner}: with theta={theta:g} no step within the square of this "
                "corner ends there, whatever it began with."
            )
        evidence.append(
            Evidence(cells[:1].astype(np.int64), np.ones(1, dtype=np.int64), low, logs, key=key, figure=corner)
        )
    return tuple(evidence)
