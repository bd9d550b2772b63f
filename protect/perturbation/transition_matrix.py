"""Transition matrices of counts: how probable it is that a true count is published as another.

Row i belongs to the true count i, column j to the published count j. A matrix ends at a cap L; its last rows say what
happens to larger counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.saved_forms import saved
from ...release.tables.tables import as_table

TOLERANCE = 1e-9
"""How far a row may be from summing to 1; it is then divided by its sum."""


class MadeForTable(np.ndarray):
    """A transition matrix under which the frequencies of a table's counts stay as they are. Whoever has it has these."""


class GoesBeyond(np.ndarray):
    """A transition matrix whose rows end at a count that may be published as a larger one: it has more columns than rows."""


@saved("Transitions")
@dataclass(frozen=True, eq=False)
class Transitions:
    """A transition matrix over 0..L and how it goes on: larger counts take the last `above` rows in turn.

    A larger count moves by the same differences, with the same probabilities, as the count of its row; with above = 0 it
    is left as it is.
    """

    matrix: np.ndarray
    above: int
    made_for_table: bool = False
    """Does the matrix tell how often each count occurs in the table?"""

    @property
    def cap(self) -> int:
        """The largest count with a row of its own."""
        return len(self.matrix) - 1

    @property
    def largest(self) -> int:
        """The largest count that one with a row of its own may be published as."""
        return self.matrix.shape[1] - 1

    def rows(self, values: np.ndarray) -> np.ndarray:
        """The row that each count takes; -1 where it is left as it is."""
        beyond = np.asarray(values) - self.cap - 1
        repeated = self.cap + 1 - self.above + beyond % self.above if self.above else -1
        return np.where(beyond < 0, values, repeated)

    def tally(self, values: np.ndarray) -> np.ndarray:
        """How many counts take each row."""
        rows = self.rows(values)
        return np.bincount(rows[rows >= 0], minlength=self.cap + 1)

    def probability(self, figure: int | np.ndarray, values: np.ndarray) -> np.ndarray:
        """P(published as the figure | value) for each value; or of as many figures, each for its own value."""
        rows = self.rows(values)
        columns = np.where(rows < 0, -1, figure - values + rows)
        inside = (columns >= 0) & (columns <= self.largest)
        moved = self.matrix[np.where(inside, rows, 0), np.where(inside, columns, 0)]
        return np.where(inside, moved, ((rows < 0) & (values == figure)).astype(float))

    def drawn(self, values: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The published counts, each by its own random number: the inverse of the row's cumulated probabilities."""
        columns, edges = self._steps
        rows = self.rows(values)
        inside = np.maximum(rows, 0)
        passed = np.zeros(len(values), dtype=np.intp)
        for edge in edges.T:  # all alike, whatever the counts are
            passed += edge[inside] <= u
        return np.where(rows < 0, values, values + columns[inside, passed] - rows)

    @cached_property
    def _steps(self) -> tuple[np.ndarray, np.ndarray]:
        """Of every row the possible columns, and the cumulated probabilities between them (2 where there are none)."""
        width = int((self.matrix > 0).sum(axis=1).max())
        columns = np.argsort(self.matrix == 0, axis=1, kind="stable")[:, :width]
        possible = np.take_along_axis(self.matrix, columns, axis=1)
        edges = np.cumsum(possible, axis=1)[:, :-1]
        return columns, np.where(possible[:, 1:] > 0, edges, 2.0)

    @cached_property
    def fingerprint(self) -> str:
        """A few characters that tell this matrix from others."""
        content = np.ascontiguousarray(self.matrix).tobytes() + bytes([self.above % 256])
        return hashlib.blake2b(content, digest_size=4).hexdigest()


def as_transitions(matrix: Any, last_rows: int = 1, normalise: bool = False) -> Transitions:
    """Check a transition matrix as a user gives it: an array, a list of rows, or a DataFrame labelled by the counts."""
    if isinstance(matrix, Transitions):
        return matrix  # checked before
    _refuse_other_labels(matrix)
    try:
        checked = np.array(matrix, dtype=float)
    except (TypeError, ValueError):
        raise InputError("the transition matrix has entries that are not numbers.") from None
    beyond = isinstance(matrix, GoesBeyond) and checked.ndim == 2 and checked.shape[0] <= checked.shape[1]
    if checked.ndim != 2 or not (checked.shape[0] == checked.shape[1] or beyond) or not checked.size:
        shape = " x ".join(map(str, checked.shape)) or "a single number"
        raise InputError(
            f"a transition matrix is square, with a row and a column for every count from 0 to its cap; this is {shape}."
        )
    bad = np.argwhere(~np.isfinite(checked) | (checked < 0))
    if len(bad):
        row, column = bad[0]
        raise InputError(
            f"the transition matrix has {checked[row, column]:g} in row {row}, column {column}; probabilities are at "
            "least 0."
        )
    sums = checked.sum(axis=1)
    wrong = np.flatnonzero((sums <= 0) if normalise else (np.abs(sums - 1) > TOLERANCE))
    if len(wrong):
        hint = "" if normalise else "; correct it, or divide every row by its sum with normalise=True"
        raise InputError(f"row {wrong[0]} of the transition matrix sums to {sums[wrong[0]]:.10g}, not to 1{hint}.")
    if (
        isinstance(last_rows, bool)
        or not isinstance(last_rows, (int, np.integer))
        or not 0 <= last_rows <= len(checked)
    ):
        raise InputError(
            f"last_rows={last_rows!r}: how many of them larger counts take in turn, from 0 (they stay) to {len(checked)}."
        )
    checked /= sums[:, None]
    checked.setflags(write=False)
    return Transitions(checked, int(last_rows), isinstance(matrix, MadeForTable))


def _refuse_other_labels(matrix: Any) -> None:
    if not (hasattr(matrix, "index") and hasattr(matrix, "columns")):
        return
    for labels, side in ((matrix.index, "rows"), (matrix.columns, "columns")):
        try:
            counts = [int(label) for label in labels]
        except (TypeError, ValueError):
            continue  # names that are no counts: their order decides
        if counts != list(range(len(counts))):
            raise InputError(f"the {side} of the transition matrix must be the counts 0, 1, 2, ... in this order.")


def window_matrix(stay: Sequence[float], window: Sequence[int]) -> np.ndarray:
    """Build a transition matrix in which a count stays, or goes to any other count of a window around it.

    Zeros stay zeros and nothing becomes one. The window of a count is centred on it and pushed inside 1..L, so that all
    of its other counts are equally probable.

    Parameters
    ----------
    stay, window
        For the counts 1..L: the probability to stay, and how many counts the window has (itself among them).

    Examples
    --------
    The matrix of Shlomo, Antal and Elliot (2015, table 3), whose last five rows repeat for larger counts (`last_rows=5`):

    >>> import fiberwalk as fw
    >>> matrix = fw.protect.window_matrix(stay=[0.5] * 2 + [0.9] * 13, window=[5] * 2 + [7] * 13)
    >>> (60 * matrix[3, :9]).round(9).tolist()
    [0.0, 1.0, 1.0, 54.0, 1.0, 1.0, 1.0, 1.0, 0.0]
    """
    if np.ndim(stay) != 1 or np.ndim(window) != 1 or not 0 < (largest := len(stay)) == len(window):
        raise InputError("window_matrix() needs stay= and width= for the same counts 1, 2, ..., one of each.")
    matrix = np.zeros((largest + 1, largest + 1))
    matrix[0, 0] = 1.0
    for count, (kept, wide) in enumerate(zip(stay, window, strict=True), start=1):
        if not 0 <= kept <= 1:
            raise InputError(
                f"window_matrix(): the count {count} stays with probability {kept}; it must be from 0 to 1."
            )
        if not 1 <= wide <= largest or (wide == 1 and kept < 1):
            raise InputError(
                f"window_matrix(): the count {count} has a window of {wide} counts; it must have from 2 (1 where it "
                f"stays) to {largest}."
            )
        first = min(max(count - wide // 2, 1), largest + 1 - wide)
        matrix[count, first : first + wide] = (1 - kept) / max(wide - 1, 1)
        matrix[count, count] = kept
    return matrix


def invariant_matrix(
    matrix: Any, frequencies: Any, *, alpha: float | str = 1.0, last_rows: int = 1, normalise: bool = False
) -> np.ndarray:
    """Build from a transition matrix one that keeps the frequencies of counts in expectation: t R = t.

    The two steps of Gouweleeuw et al. (1998) and Shlomo and Young (2008): the matrix P perturbs a count, and Bayes'
    theorem sends the result back to a count it may have come from, Q[j, k] = P[k, j] t[k] / sum_l P[l, j] t[l]; R = P Q is
    invariant, and so is alpha R + (1 - alpha) I. Counts that do not occur are never published. Whoever has the matrix has
    its stationary vector, hence how often each count occurs: `perturb` with it is read as a cellwise approximation.

    Parameters
    ----------
    matrix
        A row per true count 0..L, a column per published one, as an array or a DataFrame.
    frequencies
        How often each count 0..L occurs, as a list or an array with one axis; or a table, whose cells are tallied (an array
        with one axis is never a table). Counts above L are tallied with the row they take.
    alpha
        How much of R is taken; less leaves more counts as they are. R changes more of them than P does, having two steps;
        "alike": so much of it that on average as many counts change as by P (at most all).
    last_rows, normalise
        As for `perturb`. Where larger counts take the last rows, it is the rows whose frequencies are kept, and so the
        expected total, not the frequency of each of the larger counts.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.protect.invariant_matrix([[0.8, 0.2], [0.2, 0.8]], [30, 10]).round(4).tolist()
    [[0.8242, 0.1758], [0.5275, 0.4725]]
    """
    transitions = as_transitions(matrix, last_rows, normalise)
    alike = alpha == "alike"
    if not alike and (isinstance(alpha, (bool, str)) or not 0 <= alpha <= 1):
        raise InputError(f"alpha={alpha!r}: a number from 0 (nothing is changed) to 1, or 'alike'.")
    if transitions.largest > transitions.cap:
        raise InputError(
            f"the transition matrix has rows for the counts up to {transitions.cap} and publishes up to "
            f"{transitions.largest}; no such matrix can be made invariant: give it a row for every count that is published."
        )
    t = _frequencies(frequencies, transitions)
    reached = transitions.matrix * t[:, None]  # from k to j
    back = np.divide(reached, reached.sum(axis=0), out=np.zeros_like(reached), where=reached.sum(axis=0) > 0).T
    invariant = transitions.matrix @ back
    # A count that does not occur may have gone where nothing that occurs goes: it stays.
    invariant[np.diag_indices_from(invariant)] += np.maximum(1 - invariant.sum(axis=1), 0.0)
    share = _share_alike(t, transitions.matrix, invariant) if alike else float(alpha)
    invariant = share * invariant + (1 - share) * np.eye(len(invariant))
    made: np.ndarray = (invariant / invariant.sum(axis=1, keepdims=True)).view(MadeForTable)
    return made


def _share_alike(t: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """The share of the second matrix that changes as many counts as the first does."""
    wanted, most = (float(t @ (1 - np.diag(matrix))) for matrix in (first, second))
    return min(wanted / most, 1.0) if most > 0 else 1.0


def _frequencies(frequencies: Any, transitions: Transitions) -> np.ndarray:
    listed = isinstance(frequencies, np.ndarray) or (
        isinstance(frequencies, Sequence) and not isinstance(frequencies, str)
    )
    if not listed or np.ndim(frequencies) != 1:
        return transitions.tally(as_table(frequencies).values.ravel()).astype(float)
    try:
        t = np.array(frequencies, dtype=float)
    except (TypeError, ValueError):
        raise InputError("the frequencies of counts must be numbers.") from None
    if len(t) != transitions.cap + 1:
        raise InputError(
            f"the transition matrix has rows for the counts 0 to {transitions.cap}, so that there must be "
            f"{transitions.cap + 1} frequencies; there are {len(t)}."
        )
    if not np.isfinite(t).all() or (t < 0).any() or not t.any():
        raise InputError("the frequencies of counts must be at least 0, and not all 0.")
    return t
