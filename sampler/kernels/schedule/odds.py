"""How often each move of a list stands in the schedule of its walk, learnt in a warm-up and frozen after it.

To look at a blocked move costs next to nothing, so what counts is what a move does when it is open. A move stands there in
proportion to the mean square of its steps when it is open (its squared jump distance), times powers of one over the number
of its columns (short moves are made quickly) and of how often it is open. A floor leaves every move its turn, because a
rare one may be the only way to some tables.
"""

from __future__ import annotations

import numpy as np

from ....base.interruption import check_time
from ....base.random_streams import next_word
from ...lines.weights import ALIKE, MIXED, Weights
from .walk import ENDLESS, ListedArrays, room_for, scheduled, walk_entries

FLOOR = 0.05
"""The part of the schedule that all moves share alike."""
OPENNESS, SHORTNESS = (0.5, 0.25), (3.0, 1.0)
"""Powers of how often a move was open and of one over its columns, without weights and with them: more favours what is
quickly made, and starves rare moves that are needed."""
PRIOR = 4.0
"""Steps of the mean of moves of the same length that are added to what was seen of a move."""
ROUNDS = 256
ENOUGH = 80
"""Steps that were made, for each move: a lesson is over sooner where moves are open, and steps cost most."""
AT_ONCE = 200_000
"""Entries after which it matters how much time is left."""
MOST_ENTRIES, MOST_TIMES = 32_768, 64
WATCHED = 4096
"""Entries by which the cost of one is told."""
BLOCKED, MADE, EVENLY, BY_RATIOS, LISTED = 15.0, 20.0, 18.0, 6.0, 12.0
"""Nanoseconds of an entry, more of a step that is made, and of each of its columns: without weights, and for about each
point of its line where these are ratios of counts or looked up."""
MOST_POINTS = 8.0
"""As many points of a short line take as long as the few of a slice, by which a point of a long line is drawn."""
WIDTH, LEAST_WIDTH = 7.0, 8
"""A window on a long line, in root mean squares of the steps of its move."""


def entry_cost(
    arrays: ListedArrays,
    weights: Weights,
    lower: np.ndarray,
    upper: np.ndarray,
    table: np.ndarray,
    random: np.ndarray,
) -> float:
    """About how many nanoseconds an entry takes, by how often moves are open and how far they lead on a walk (which changes
    the table)."""
    if not len(arrays.middle):
        return BLOCKED
    room = room_for(arrays, noting=True)
    walk_entries(arrays, weights, lower, upper, table, random, WATCHED, room)
    made = room.noted[:, 0]
    if not made.any():
        return BLOCKED
    length, step = float(made @ np.diff(arrays.start)), float(np.sqrt(room.noted[:, 1].sum() / made.sum()))
    points = min(1.0 + 3.0 * step, MOST_POINTS)
    each = EVENLY if weights.kind == ALIKE else (LISTED if weights.kind == MIXED else BY_RATIOS) * points
    return float(BLOCKED + (MADE * made.sum() + each * length) / WATCHED)


def learn_odds(
    arrays: ListedArrays,
    weights: Weights,
    lower: np.ndarray,
    upper: np.ndarray,
    table: np.ndarray,
    random: np.ndarray,
    steps: int,
) -> ListedArrays:
    """Walk so many steps at most from a table (which is changed) and give back the moves in a better schedule."""
    n_moves = len(arrays.middle)
    if not n_moves:
        return arrays
    room = room_for(arrays, noting=True)
    noted = room.noted
    at_bound = np.zeros(len(table))
    at_a_time, walked = max(1, steps // ROUNDS), 0
    while walked < at_a_time * ROUNDS and noted[:, 0].sum() < ENOUGH * n_moves:
        walk_entries(arrays, weights, lower, upper, table, random, at_a_time, room)
        walked += at_a_time
        at_bound += table == lower
        if arrays.capped:
            at_bound += table == upper
        if walked > AT_ONCE:
            check_time("chains were tuned")
    length = np.diff(arrays.start)
    by_length = np.array([np.bincount(length, weights=noted_column) for noted_column in noted.T])
    likely = ((by_length[1] + 1e-3) / (by_length[0] + 1.0))[length]
    usual = (noted[:, 1] + PRIOR * likely) / (noted[:, 0] + PRIOR)
    openness, shortness = OPENNESS[weights.kind != ALIKE], SHORTNESS[weights.kind != ALIKE]
    looks = walked * np.bincount(arrays.order, minlength=n_moves) / len(arrays.order)
    odds = usual * ((noted[:, 0] + 0.5) / (looks + 1.0)) ** openness * length**-shortness
    odds = (1.0 - FLOOR) * odds / odds.sum() + FLOOR / n_moves
    words = arrays.needs.shape[1] // 2  # a schedule that does not fit into the cache is slow
    entries = min(MOST_TIMES * n_moves, max(MOST_ENTRIES // words, 2 * n_moves))
    times = np.maximum(1, np.round(entries * odds)).astype(np.int64)
    rng = np.random.default_rng(int(next_word(random)))
    order = rng.permutation(np.repeat(np.arange(n_moves), times))
    # A narrow window might not reach across excluded values.
    narrow = (noted[:, 0] > 0) & ~np.isneginf(weights.value).any()
    window = np.where(narrow, np.maximum(LEAST_WIDTH, np.ceil(WIDTH * np.sqrt(usual))), ENDLESS).astype(np.int64)
    return scheduled(arrays._replace(window=window), order, np.argsort(-at_bound, kind="stable"))
