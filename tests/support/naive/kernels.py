"""Exact transition matrices of kernels on small fibers, written from the definitions of the kernels and slowly."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

Log = Callable[[tuple[int, ...]], float]


def slice_row(weight: Sequence[float], here: int) -> np.ndarray:
    """Where a shrinking slice (Neal 2003) leads from one point of a line, given the weights of all points.

    The level is uniform below the weight of the current point, so between two neighbouring weights the points above it
    are the same. For each such set: follow the interval as it shrinks.
    """
    weight = np.asarray(weight, dtype=float)
    n, row = len(weight), np.zeros(len(weight))
    levels = np.unique(np.append(weight[weight <= weight[here]], 0.0))
    for low, high in pairwise(levels):
        above = weight >= high
        # reached[a, b]: how probable it is that the interval is ever a, ..., b
        reached = np.zeros((here + 1, n))
        reached[0, n - 1] = (high - low) / weight[here]
        for a in range(here + 1):
            for b in range(n - 1, here - 1, -1):
                each = reached[a, b] / (b - a + 1)
                if each == 0.0:
                    continue
                for t in range(a, b + 1):
                    if above[t] or t == here:
                        row[t] += each
                    elif t < here:
                        reached[t + 1, b] += each
                    else:
                        reached[a, t - 1] += each
    return row


def line_row(logs: Sequence[float], here: int, alike: bool, longest: int) -> np.ndarray:
    """Where a step leads from one point of a line: to any by its weight; along long lines by a slice."""
    n = len(logs)
    if alike:
        return np.full(n, 1.0 / n)
    weight = np.exp(np.asarray(logs) - max(logs))
    return slice_row(weight, here) if n > longest else weight / weight.sum()


def hit_and_run(
    tables: Sequence[tuple[int, ...]],
    moves: Sequence[Sequence[int]],
    inside: Callable[[tuple[int, ...]], bool],
    log: Log,
    alike: bool,
    longest: int,
) -> np.ndarray:
    """P for moves that are picked with equal odds, whatever the table. `tables` are those with any weight."""

    def row(line: list[tuple[int, ...]], here: int) -> Sequence[float]:
        return line_row([log(point) for point in line], here, alike, longest)

    return _along_lines(tables, moves, inside, row)


def mirrored(
    tables: Sequence[tuple[int, ...]],
    moves: Sequence[Sequence[int]],
    inside: Callable[[tuple[int, ...]], bool],
    fresh: float,
) -> np.ndarray:
    """P where a point of the line is drawn with this chance, and its mirror image taken else; every table alike."""

    def row(line: list[tuple[int, ...]], here: int) -> Sequence[float]:
        image = len(line) - 1 - here
        return [fresh / len(line) + (1 - fresh) * (place == image) for place in range(len(line))]

    return _along_lines(tables, moves, inside, row)


def _along_lines(
    tables: Sequence[tuple[int, ...]],
    moves: Sequence[Sequence[int]],
    inside: Callable[[tuple[int, ...]], bool],
    row: Callable[[list[tuple[int, ...]], int], Sequence[float]],
) -> np.ndarray:
    """P where a move is picked, and then a point of its line by the chances of `row`, given where on it the table is."""
    place = {table: k for k, table in enumerate(tables)}
    P = np.zeros((len(tables), len(tables)))
    for k, table in enumerate(tables):
        for move in moves:
            line, here = whole_line(table, move, inside)
            for point, chance in zip(line, row(line, here), strict=True):
                if chance > 0:
                    P[k, place[point]] += chance / len(moves)
    return P


def whole_line(
    table: tuple[int, ...], move: Sequence[int], inside: Callable[[tuple[int, ...]], bool]
) -> tuple[list[tuple[int, ...]], int]:
    """All points of the line of a move through a table, and the place of the table among them."""

    def moved(times: int) -> tuple[int, ...]:
        return tuple(x + times * m for x, m in zip(table, move, strict=True))

    low = high = 0
    while inside(moved(low - 1)):
        low -= 1
    while inside(moved(high + 1)):
        high += 1
    return [moved(t) for t in range(low, high + 1)], -low


def along_a_basis(
    tables: Sequence[tuple[int, ...]],
    basis: Sequence[Sequence[int]],
    inside: Callable[[tuple[int, ...]], bool],
    log: Log,
    alike: bool,
    longest: int,
) -> np.ndarray:
    """P for vectors of one basis, of which one that can be made at the table is drawn; so a step may be refused."""
    place = {table: k for k, table in enumerate(tables)}

    def open_lines(table: tuple[int, ...]) -> list[Sequence[int]]:
        return [vector for vector in basis if len(whole_line(table, vector, inside)[0]) > 1]

    P = np.zeros((len(tables), len(tables)))
    for k, table in enumerate(tables):
        there = open_lines(table)
        if not there:
            P[k, k] = 1.0
        for vector in there:
            line, here = whole_line(table, vector, inside)
            row = line_row([log(point) for point in line], here, alike, longest) / len(there)
            for point, chance in zip(line, row, strict=True):
                if chance == 0:
                    continue
                accepted = min(1.0, len(there) / len(open_lines(point)))
                P[k, place[point]] += chance * accepted
                P[k, k] += chance * (1.0 - accepted)
    return P


def redrawn(tables: Sequence[tuple[int, ...]], parts: Sequence[Sequence[int]], p: np.ndarray) -> np.ndarray:
    """P for sub-tables picked with equal odds and redrawn from the law given all other cells."""
    P = np.zeros((len(tables), len(tables)))
    for part in parts:
        rest = [tuple(x for j, x in enumerate(table) if j not in set(part)) for table in tables]
        for k in range(len(tables)):
            same = np.array([other == rest[k] for other in rest])
            P[k] += np.where(same, p, 0.0) / p[same].sum() / len(parts)
    return P


def proposed(
    tables: Sequence[tuple[int, ...]], moves: Sequence[Sequence[int]], reach: Sequence[int], log: Log
) -> np.ndarray:
    """P for a move at random, forwards or backwards, so many times up to its reach; accepted by the ratio of weights."""
    place = {table: k for k, table in enumerate(tables)}
    P = np.zeros((len(tables), len(tables)))
    for k, table in enumerate(tables):
        for move, farthest in zip(moves, reach, strict=True):
            for times in [t for t in range(-farthest, farthest + 1) if t]:
                share = 1.0 / (len(moves) * 2 * farthest)
                there = tuple(x + times * step for x, step in zip(table, move, strict=True))
                accepted = np.exp(min(0.0, log(there) - log(table)))
                if accepted > 0.0:
                    P[k, place[there]] += share * accepted
                P[k, k] += share * (1.0 - accepted)
    return P


def exchanged(
    tables: Sequence[tuple[int, ...]], A: np.ndarray, row_of: np.ndarray, odds: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """P for people of a few figures of a class, taken out at random and put in again by the law; every choice in turn."""
    P = np.zeros((len(tables), len(tables)))
    figures: dict[tuple[tuple[int, int], ...], float] = Counter()
    share = dict(zip(itertools.product(range(len(row_of)), repeat=3), odds, strict=True))
    for (of, one, two), chance in share.items():
        for rows, probability in corners(A, row_of[of].tolist(), row_of[one].tolist(), row_of[two].tolist()):
            for number in (1, 2):
                people = tuple(sorted((row, number + (len(rows) == 1)) for row in rows))
                figures[people] += chance * probability / 2
    for x, table in enumerate(tables):
        left = 1.0
        for people, chance in figures.items():
            ways = [list(taken_out(table, np.flatnonzero(A[row]).tolist(), k)) for row, k in people]
            if not all(ways):
                continue
            left -= chance
            for parts in itertools.product(*ways):
                rest = np.array(table) - sum(np.array(out) for out, _ in parts)
                weights = np.array([back(rest, z, sum(k for _, k in people)) * p[row] for row, z in enumerate(tables)])
                P[x] += chance * float(np.prod([share for _, share in parts])) * weights / weights.sum()
        P[x, x] += left
    return P


def corners(A: np.ndarray, of: list[int], one: list[int], two: list[int]) -> Iterator[tuple[tuple[int, ...], float]]:
    """The figures of a class that are drawn together, with their probability: pairs, or squares of four."""
    n = len(of)
    for corner in range(n):
        if min(of[corner], one[corner], two[corner]) < 0:
            continue
        rows, columns = (np.flatnonzero(A[line[corner]]).tolist() for line in (one, two))
        if one == two:
            for along in rows:
                if of[along] >= 0:
                    yield tuple({of[corner], of[along]}), 1 / n / len(rows)
            continue
        for along, down in itertools.product(rows, columns):
            if min(of[along], two[along], of[down], one[down]) < 0:
                continue
            both = np.flatnonzero(A[two[along]] * A[one[down]]).tolist()
            for opposite in both:
                square = {of[corner], of[along], of[down], of[opposite]}
                if of[opposite] >= 0 and len(square) == 4:
                    yield tuple(square), 1 / n / len(rows) / len(columns) / len(both)


def taken_out(table: Sequence[int], columns: Sequence[int], number: int) -> Iterator[tuple[list[int], float]]:
    """Every way to take people out of some columns, with its probability where each is as likely as any other."""
    total = sum(table[column] for column in columns)
    for counts in itertools.product(*(range(min(table[column], number) + 1) for column in columns)):
        if sum(counts) == number:
            out = [0] * len(table)
            for column, count in zip(columns, counts, strict=True):
                out[column] = count
            ways = math.prod(math.comb(table[column], out[column]) for column in columns)
            yield out, ways / math.comb(total, number)


def back(rest: np.ndarray, table: Sequence[int], people: int) -> int:
    """In how many ways the people whom a table has more than the rest could have been those who were taken out."""
    more = np.array(table) - rest
    if (more < 0).any() or more.sum() != people:
        return 0
    return math.prod(math.comb(int(now), int(added)) for now, added in zip(table, more, strict=True))


Edge = tuple[int, int]


def repaired(
    tables: Sequence[tuple[int, ...]],
    A: np.ndarray,
    edges: Sequence[Edge],
    between: Callable[[Sequence[int]], bool],
    p: np.ndarray,
    longest: int,
) -> np.ndarray:
    """P for rounds of replaced people: every round there is, with the odds of going it there and back."""
    P = np.zeros((len(tables), len(tables)))
    place = {table: row for row, table in enumerate(tables)}
    for row, table in enumerate(tables):
        for round_, rows, there in rounds_from(table, A, edges, between, longest):
            end = list(table)
            for one, other in round_:
                end[one] -= 1
                end[other] += 1
            to = place.get(tuple(end))
            if to is None:  # the law excludes it
                continue
            backwards = [(other, one) for one, other in reversed(round_)]
            back_again = chance_of(tuple(end), backwards, rows[::-1], A, edges, between)
            P[row, to] += there * min(1.0, p[to] * back_again / (p[row] * there))
        P[row, row] += 1.0 - P[row].sum()
    return P


def rounds_from(
    table: tuple[int, ...], A: np.ndarray, edges: Sequence[Edge], between: Callable[[Sequence[int]], bool], longest: int
) -> Iterator[tuple[list[Edge], list[int], float]]:
    """Every round from a table: who is replaced by whom, the rows that are mended, and its probability."""
    begun: list[tuple[list[Edge], list[int], float]] = [
        ([edge], [], 1.0 / len(table) / sum(one == edge[0] for one, _ in edges)) for edge in edges
    ]
    for done in range(1, longest + 1):
        going_on = []
        for round_, rows, probability in begun:
            here = np.array(table)
            for one, other in round_:
                here[one] -= 1
                here[other] += 1
            wrong = A @ (here - np.array(table))
            if not between(here.tolist()) or np.abs(wrong).sum() >= 40:
                continue
            if not wrong.any():
                yield round_, rows, probability
            elif done < longest:
                for row, edge, chance in followers(here, wrong, round_[-1], A, edges, between):
                    going_on.append(([*round_, edge], [*rows, row], probability * chance))
        begun = going_on


def followers(
    here: np.ndarray,
    wrong: np.ndarray,
    last: Edge,
    A: np.ndarray,
    edges: Sequence[Edge],
    between: Callable[[Sequence[int]], bool],
) -> Iterator[tuple[int, Edge, float]]:
    """Which row the last replacement broke and which replacement mends it, with the odds of both."""
    sizes = A.sum(axis=1)
    change = A[:, last[1]] - A[:, last[0]]
    broken = np.flatnonzero(change * wrong > 0)
    for row in broken.tolist():
        weights: dict[Edge, float] = {}
        for one, other in edges:
            after = here.copy()
            after[one] -= 1
            after[other] += 1
            far = np.abs(wrong + A[:, other] - A[:, one]).sum()
            if (A[row, other] - A[row, one]) * wrong[row] < 0 and between(after.tolist()) and far < 40:
                alike = (one == last[1]) + (other == last[0])
                weights[one, other] = math.exp(-far) * (1.0, 0.1, 0.0)[alike]
        of_row = 1 / sizes[row] / (1 / sizes[broken]).sum()
        for edge, weight in weights.items():
            if weight > 0:
                yield row, edge, of_row * weight / sum(weights.values())


def chance_of(
    table: tuple[int, ...],
    round_: list[Edge],
    rows: list[int],
    A: np.ndarray,
    edges: Sequence[Edge],
    between: Callable[[Sequence[int]], bool],
) -> float:
    """How probable just this round is, with just these rows mended."""
    chance = 1.0 / len(table) / sum(one == round_[0][0] for one, _ in edges)
    here = np.array(table)
    for k, (one, other) in enumerate(round_):
        if k > 0:
            found = followers(here, A @ (here - np.array(table)), round_[k - 1], A, edges, between)
            chance *= sum(odds for row, edge, odds in found if row == rows[k - 1] and edge == (one, other))
        here[one] -= 1
        here[other] += 1
    return chance
