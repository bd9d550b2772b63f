"""Stochastic perturbation of counts with a transition matrix (Shlomo, Antal and Elliot 2015, section 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.saved_forms import saved
from ...fiber.laws.raking import groups_of, members
from ...release.facts.facts import Applied
from ...release.publish import parse_margins, publish_margins
from ...release.release import Release, of_table
from ...release.tables.dims import Margin, parse_margin
from ...release.tables.tables import Table
from ..mechanism.cell_keys import taken_seed
from ..mechanism.mechanism import CELLWISE, SUPPORT, Figures, counts_of, figures_of, protected, seen_through
from ..rounding.controlled_rounding import unbiased_rounding
from .additivity import additive_table
from .transition_matrix import Transitions, as_transitions

MADE = "the matrix is made for the table and tells how often each count occurs, which is not used"
_PARTS = 2**36
"""Expected numbers of cells are held as whole numbers of 1 / 2^36 of a cell."""


@saved("Perturbation")
@dataclass(frozen=True, eq=False)
class Perturbation:
    """A count is published as another with the probabilities of its row of a transition matrix."""

    transitions: Transitions
    name: str = "stochastic perturbation"

    @property
    def words(self) -> str:
        """What it does."""
        kept = float(np.diag(self.transitions.matrix).mean())
        above = self.transitions.above
        larger = "like its last row" if above == 1 else f"like its last {above} rows in turn" if above else "not at all"
        return (
            f"counts are changed by the transition matrix {self.transitions.fingerprint} over 0 to {self.transitions.cap} "
            f"(mean diagonal {kept:.3g}), larger ones {larger}"
        )

    def publish(self, values: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The count where the cumulated probabilities of the row pass the random number."""
        return self.transitions.drawn(values, u)

    def given(self, figure: int, most: int) -> tuple[int, np.ndarray]:
        """The column of the figure, and the larger counts that may have come down to it."""
        first = max(figure - self.transitions.largest, 0)
        values = np.arange(first, min(figure + self.transitions.cap, most) + 1)
        probability = self.transitions.probability(figure, values)
        possible = np.flatnonzero(probability > 0)
        if not len(possible):
            return 0, np.empty(0)
        with np.errstate(divide="ignore"):
            return first + int(possible[0]), np.log(probability[possible[0] : possible[-1] + 1])


def perturb(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    table: Any,
    matrix: Any,
    *,
    last_rows: int = 1,
    normalise: bool = False,
    preserve_totals: bool = False,
    within: Any = None,
    additive: Iterable[Any] = (),
    seed: int | None = None,
    margins: Iterable[Any] = (),
    exact: Iterable[Any] = (),
    keys: Any = None,
) -> Release:
    """Publish every count changed at random by a transition matrix.

    Each cell by itself: the likelihood is exact. With a matrix from `invariant_matrix`, which tells how often each count
    occurs, it is a cellwise approximation: an audit does not use that.

    Parameters
    ----------
    matrix
        A row for every true count 0..L and a column for every published one; rows sum to 1 (see `invariant_matrix`,
        `window_matrix`, and `read_ptable` for files of other tools). An array or a DataFrame.
    last_rows
        How many of the last rows counts above L take in turn: they change by the same differences with the same
        probabilities. 1: all like L; 5: by their remainder to base 5 (as Shlomo, Antal and Elliot do); 0: not changed.
    normalise
        Divide rows by their sums, for printed matrices with rounded entries.
    preserve_totals
        The cells to change are chosen without replacement: of the n cells of a row, n p go to a column with probability p,
        that number going up or down at random where it is not whole, so that every cell still has the probabilities of
        the matrix. With a matrix that is invariant for this table (`invariant_matrix(matrix, table)`) the published cells
        have the true total and, where no count is above L, every count occurs as often as in the truth. The likelihood is
        a cellwise approximation (see the notes).
    within
        With `preserve_totals`, a dim or margin: cells are chosen in each of its categories. Their totals are kept where the
        matrix is invariant for each category by itself, and nearly where it is so for the whole table; for categories
        that are to have each a matrix of its own, perturb their tables one by one.
    additive
        Margins that the published cells are fitted to and add up to exactly (iterative proportional fitting, then whole
        numbers near by), so that these margins are true. The likelihood is then "support only".
    seed
        The seed of the random numbers; whoever has it can undo the perturbation. Left out: a new one, kept in
        `release.applied`. A seed that can be guessed protects nothing.
    margins
        Margins that are published too, each perturbed by itself, so that they need not add up.
    exact
        Margins that are published as they are.
    keys
        None: every figure has a random number of its own. "labels": it follows from the labels and the seed, so that a
        cell or total is changed alike in every table. A table of summed record keys, whole numbers of
        64 bits, or a dict of those of their halves (`fw.server.record_keys`): it follows from who is in the cell.

    Notes
    -----
    With `preserve_totals` cells depend on each other, and an intruder who knows that the matrix was made for this table
    knows how often each count occurs; the approximation leaves out both. Of cells whose counts 0 to 3 are equally likely
    beforehand, three in five of which stay, the approximate distribution of a cell given what was published differs from
    the true one by a total variation of 0.083 on average in tables of 3 cells and of 0.096 in tables of 4; with the
    invariant matrix, by 0.136 and 0.141 (its test, `gap`, computes it from all tables).

    Examples
    --------
    >>> import fiberwalk as fw
    >>> matrix = [[1, 0, 0], [0.2, 0.6, 0.2], [0, 0.2, 0.8]]
    >>> r = fw.protect.perturb([[1, 2], [2, 0]], matrix, last_rows=0, seed=4, exact=["A"])
    >>> r.published.values.tolist()
    [[2, 2], [2, 0]]
    >>> fw.audit(r).pmf(A="1", B="1").round(3).to_dict()
    {1: 0.5, 2: 0.5}
    """
    transitions = as_transitions(matrix, last_rows, normalise)
    labelled = counts_of(table, "perturb")
    mechanism = Perturbation(transitions)
    fitted = parse_margins(additive, labelled.dims)
    inside = parse_margin(() if within is None else within, labelled.dims)
    refuse_undecided(preserve_totals, within, keys)
    if not preserve_totals and not fitted:
        release = protected(labelled, mechanism, seed=seed, margins=margins, exact=exact, keys=keys)
        return _read_cellwise(release) if transitions.made_for_table else release
    if parse_margins(margins, labelled.dims):
        raise InputError(
            "with preserve_totals= or additive= margins are the sums of the published cells: leave out margins=."
        )
    if preserve_totals:
        release = _without_replacement(labelled, mechanism, taken_seed(seed), exact, inside)
    else:
        release = protected(labelled, mechanism, seed=seed, exact=exact, keys=keys)
    return _fitted(release, fitted) if fitted else release


def _read_cellwise(release: Release) -> Release:
    """A perturbed table whose matrix tells how often each count occurs, which is not used."""
    made = release.applied[-1]
    words = f"{made.words}; {MADE}"
    applied = replace(made, likelihood=CELLWISE, words=words)
    note = f"{applied.name}: {applied.words} (likelihood: {applied.likelihood})"
    return replace(release, applied=(*release.applied[:-1], applied), notes=(*release.notes[:-1], note))


def refuse_undecided(preserve_totals: bool, within: Any, keys: Any) -> None:
    """Refuse what contradicts the choice of cells without replacement, or needs it."""
    if preserve_totals and keys is not None:
        raise InputError(
            "with preserve_totals=True cells are chosen among all, and no key can decide: leave out keys=."
        )
    if within is not None and not preserve_totals:
        raise InputError(
            f"perturb(within={within!r}) says where totals are kept: give preserve_totals=True with it, or leave it out."
        )


def _without_replacement(
    table: Table, mechanism: Perturbation, seed: int, exact: Iterable[Any], within: Margin
) -> Release:
    """Publish a table whose cells were chosen without replacement, seen as if each were treated by itself."""
    truth, transitions = table.values.ravel(), mechanism.transitions
    release = of_table(table)
    groups, _ = groups_of(release, within)
    published = chosen_within(truth, transitions, groups, np.random.default_rng(seed))
    release = publish_margins(release, parse_margins(exact, table.dims))
    among = ", ".join(level for level in within if level)
    words = f"{mechanism.words}; the cells to change are chosen without replacement"
    words += f" in each category of {among}" if among else ""
    words += ", but seen as if each were by itself"
    if all(keeps_frequencies(truth[cells], transitions) for cells in members(groups)):
        release = publish_margins(release, [within])
        kept_sums = f"the totals of {among}, which are facts" if among else "the total, which is a fact"
        words += f"; it keeps {kept_sums}, and how often each row of the matrix is taken, which is not used"
    applied = Applied(mechanism.name, CELLWISE, words, seed, mechanism)
    return seen_through(release, mechanism, Figures(*figures_of(release, ()), published), applied)


def keeps_frequencies(truth: np.ndarray, transitions: Transitions) -> bool:
    """Is the matrix invariant for this table?"""
    if transitions.largest > transitions.cap:
        return False
    t = transitions.tally(truth)
    return bool(np.abs(t @ transitions.matrix - t).max() < 1e-7)


def chosen_within(
    truth: np.ndarray, transitions: Transitions, groups: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Perturbed counts, with the expected number of changes in every group of cells."""
    published = truth.copy()
    for cells in members(groups):
        published[cells] = chosen_cells(truth[cells], transitions, rng)
    return published


def chosen_cells(truth: np.ndarray, transitions: Transitions, rng: np.random.Generator) -> np.ndarray:
    """Perturbed counts, with the expected number of changes from every row to every column."""
    moved = numbers_moved(transitions, truth, lambda part, whole: int(rng.integers(whole)) < part)
    rows = transitions.rows(truth)
    published = truth.copy()
    for row in np.unique(rows[rows >= 0]).tolist():
        cells = rng.permutation(np.flatnonzero(rows == row))
        published[cells] += np.repeat(np.arange(moved.shape[1]), moved[row]) - row
    return published


def numbers_moved(transitions: Transitions, truth: np.ndarray, chance: Callable[[int, int], bool]) -> np.ndarray:
    """How many cells go from each row to each column: the expected number, up or down to a whole one at random.

    It is right on average and adds up: all cells of a row go somewhere, and as many come to a column as are expected to
    where that number is whole.
    """
    tally = transitions.tally(truth)
    parts = np.rint(tally[:, None] * transitions.matrix * _PARTS).astype(np.int64)
    parts[np.arange(len(parts)), parts.argmax(axis=1)] += tally * _PARTS - parts.sum(axis=1)
    return unbiased_rounding(parts, _PARTS, chance) // _PARTS


def _fitted(release: Release, margins: Sequence[Margin]) -> Release:
    """A perturbed table made to add up to true margins, which become facts; the cells then say nothing that is modelled."""
    assert release.figures is not None
    made = release.applied[-1]
    words = (
        f"{made.words}; then fitted to true margins, which are facts, and made whole again; what its cells say besides is "
        "not modelled, so that an intruder may learn more than an audit shows"
    )
    applied = Applied(made.name, SUPPORT, words, made.seed, made.mechanism)
    return replace(
        publish_margins(release, margins),
        evidence=(),
        figures=additive_table(release.figures, release, margins),
        applied=(applied,),
        notes=(*release.notes[:-1], f"{applied.name}: {applied.words} (likelihood: {applied.likelihood})"),
    )
