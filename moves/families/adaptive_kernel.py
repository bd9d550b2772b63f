"""Kernels of adaptive_lattice: bases of a lattice, exchanged column by column, and the vectors that a table leaves room for.

An exchange is a pivot, as of the simplex method. All arithmetic is modulo a prime, with residues about 0. Nothing is lost by
that: see `Given.largest`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit, jit_inner, jit_lean
from ...base.random_streams import below, fraction
from ...fiber.equations.rowspace import PRIME

HALF = PRIME // 2


class Given(NamedTuple):
    """What is the same for every basis and every table."""

    lower: np.ndarray
    upper: np.ndarray
    largest: int
    """Entries up to this are used. What a row of A adds up to is then less than the prime, and 0 if it is 0 modulo the
    prime: so a vector that is used changes no figure, though it was found modulo a prime."""


class Tableau(NamedTuple):
    """A basis of the kernel of A, to be written over: vector f is 1 at column lead[f] and 0 at the other leads."""

    lead: np.ndarray
    dependent: np.ndarray
    entry: np.ndarray
    """entry[f, r]: what vector f is at column dependent[r], modulo the prime."""
    row: np.ndarray
    """The vector that each column leads, or -1."""
    weight: np.ndarray
    """What `arrange` goes by, for each column."""
    inside: np.ndarray
    """The weights of the dependent columns."""
    found: np.ndarray
    """Room for a list of columns or of vectors."""


@jit_inner
def _reduced(value: int) -> int:
    """The residue about 0; most values are small and need no division."""
    if -HALF <= value <= HALF:
        return value
    value %= PRIME
    return value - PRIME if value > HALF else value


@jit_inner
def _inverse(value: int) -> int:
    """1 / value modulo the prime, by Fermat's little theorem."""
    if abs(value) == 1:
        return value
    result, base, power = 1, value, PRIME - 2
    while power:
        if power & 1:
            result = _reduced(result * base)
        base = _reduced(base * base)
        power >>= 1
    return result


@jit_lean
def exchange(tableau: Tableau, vector: int, place: int) -> None:
    """Let vector f be led by its dependent column r, and the column that led it be dependent instead."""
    entry, touched = tableau.entry, tableau.found
    inverse = _inverse(entry[vector, place])
    entry[vector, place] = 1  # what the vector is at its old lead, whose place this is now
    length = 0
    for i in range(entry.shape[1]):
        if entry[vector, i] != 0:
            entry[vector, i] = _reduced(entry[vector, i] * inverse)
            touched[length] = i
            length += 1
    for other in range(entry.shape[0]):
        times = entry[other, place]
        if other != vector and times != 0:
            entry[other, place] = 0
            for number in range(length):
                i = touched[number]
                entry[other, i] = _reduced(entry[other, i] - times * entry[vector, i])
    out, into = tableau.dependent[place], tableau.lead[vector]
    tableau.dependent[place], tableau.lead[vector] = into, out
    tableau.row[into], tableau.row[out] = -1, vector


@jit_inner
def arrange(tableau: Tableau) -> None:
    """Bring the tableau to the basis whose dependent columns have the greatest weights.

    Each vector is a circuit: no other kernel vector has its support within that of this one. In a circuit the column with
    the least weight is not dependent in that basis, because another would be better in its place. So it leads from now on
    and for good, and one pass over the vectors is enough, wherever it starts (the greedy algorithm of matroids, as for
    spanning trees: Tarjan 1983, Data Structures and Network Algorithms, 6.1).
    """
    weight, inside = tableau.weight, tableau.inside
    for place in range(len(inside)):
        inside[place] = weight[tableau.dependent[place]]
    for vector in range(len(tableau.lead)):
        least, least_place = weight[tableau.lead[vector]], -1
        for place in range(len(inside)):
            if inside[place] < least and tableau.entry[vector, place] != 0:
                least, least_place = inside[place], place
        if least_place >= 0:
            inside[least_place] = weight[tableau.lead[vector]]
            exchange(tableau, vector, least_place)


@jit_lean
def shuffle(given: Given, tableau: Tableau, random: np.ndarray) -> None:
    """Draw a basis that owes nothing to the last: columns in random order, those with wide bounds more often dependent.

    The order is that of draws without replacement, in proportion to the widths (Efraimidis and Spirakis 2006).
    """
    for j in range(len(given.lower)):
        tableau.weight[j] = np.log(fraction(random)) / (given.upper[j] - given.lower[j])
    arrange(tableau)


@jit_lean
def wander(tableau: Tableau, random: np.ndarray, times: int) -> None:
    """Change the basis a little: some exchanges at random, which take a fraction of the time of a new basis."""
    for _ in range(times):
        vector, number = below(random, len(tableau.lead)), 0
        for place in range(len(tableau.dependent)):
            if tableau.entry[vector, place] != 0:
                tableau.found[number] = place
                number += 1
        if number:
            exchange(tableau, vector, tableau.found[below(random, number)])


@jit_inner
def can_be_made(given: Given, tableau: Tableau, table: np.ndarray, vector: int) -> bool:
    """Is this vector in whole numbers of ordinary size, and is there a table one step away on either side?"""
    column = tableau.lead[vector]
    ahead, back = table[column] < given.upper[column], table[column] > given.lower[column]
    for place in range(len(tableau.dependent)):
        step = tableau.entry[vector, place]
        if step == 0:
            continue
        if abs(step) > given.largest:
            return False
        column = tableau.dependent[place]
        up, down = given.upper[column] - table[column], table[column] - given.lower[column]
        ahead = ahead and (step <= up if step > 0 else -step <= down)
        back = back and (step <= down if step > 0 else -step <= up)
        if not (ahead or back):
            return False
    return ahead or back


@jit_lean
def directions(given: Given, tableau: Tableau, table: np.ndarray) -> int:
    """Write the vectors of this basis that can be made at this table into `found`; how many these are."""
    number = 0
    for vector in range(len(tableau.lead)):
        if can_be_made(given, tableau, table, vector):
            tableau.found[number] = vector
            number += 1
    return number


@jit_lean
def write(tableau: Tableau, vector: int, sign: int, columns: np.ndarray, steps: np.ndarray) -> int:
    """Write a vector, or its negative, as a move; its length."""
    columns[0], steps[0] = tableau.lead[vector], sign
    length = 1
    for place in range(len(tableau.dependent)):
        if tableau.entry[vector, place] != 0:
            columns[length], steps[length] = tableau.dependent[place], sign * tableau.entry[vector, place]
            length += 1
    return length


@jit_lean
def draw_direction(
    given: Given, tableau: Tableau, random: np.ndarray, table: np.ndarray, columns: np.ndarray, steps: np.ndarray
) -> int:
    """Write one of the vectors that can be made at this table as a move, with either sign; its length, 0 if none can."""
    number = directions(given, tableau, table)
    if number == 0:
        return 0
    vector = tableau.found[below(random, number)]
    return write(tableau, vector, 1 if below(random, 2) == 0 else -1, columns, steps)


@jit_lean
def log_chance(given: Given, tableau: Tableau, table: np.ndarray, columns: np.ndarray) -> float:
    """The log-probability that a draw from this basis at this table gives the vector with these columns, either sign.

    -inf if it is not one of the basis or cannot be made there.
    """
    vector = -1
    for column in columns:
        if tableau.row[column] >= 0:
            if vector >= 0:
                return -np.inf
            vector = tableau.row[column]
    if vector < 0 or not can_be_made(given, tableau, table, vector):
        return -np.inf
    return -np.log(directions(given, tableau, table))


@jit
def is_drawn(given: Given, tableau: Tableau, difference: np.ndarray) -> bool:
    """Is a kernel vector a multiple of one that some basis has and that is used?

    Such a vector is a circuit whose least entry divides all others. The tableau ends at another basis.
    """
    least = 0
    for j in range(len(difference)):
        if difference[j] != 0 and (least == 0 or abs(difference[j]) < least):
            least = abs(difference[j])
    for j in range(len(difference)):
        size = abs(difference[j])
        if size % least != 0 or size > least * given.largest:
            return False
        tableau.weight[j] = 1.0 if size else 0.0
    # As many columns of the support as possible are dependent. If more than one is left, there is another vector within.
    arrange(tableau)
    inside = 0
    for j in range(len(difference)):
        inside += difference[j] != 0 and tableau.row[j] >= 0
    return inside == 1


@jit
def lines(
    given: Given, tableau: Tableau, tables: np.ndarray, weights: np.ndarray, which: np.ndarray, line: np.ndarray
) -> int:
    """For each table and each vector that can be made there, the row of the table and two words that name the line.

    `weights[j]` are two random words for each column. One word of a line is for the vector and one for the point where
    its lead is 0, which is the same from every table of the line. Returns how many there are.
    """
    n = tables.shape[1]
    columns, steps = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    number = 0
    for i in range(len(tables)):
        point = np.uint64(0)
        for j in range(n):
            point += np.uint64(tables[i, j]) * weights[j, 0]
        for place in range(directions(given, tableau, tables[i])):
            length = write(tableau, tableau.found[place], 1, columns, steps)
            shift, along = np.uint64(0), np.uint64(0)
            for k in range(length):
                shift += np.uint64(steps[k]) * weights[columns[k], 0]
                along += np.uint64(steps[k]) * weights[columns[k], 1]
            which[number], line[number, 0], line[number, 1] = i, point - np.uint64(tables[i, columns[0]]) * shift, along
            number += 1
    return number
