"""All cheapest patterns of small problems, against every pattern by its definition, and what seeds take of them."""

from __future__ import annotations

import numpy as np
from support.naive.known_program import NaiveProgram

import fiberwalk as fw
from fiberwalk.protect.withholding.least_suppression import least_suppression
from fiberwalk.protect.withholding.patterns.suppression_task import by_chance
from fiberwalk.protect.withholding.patterns.tied_patterns import cheapest_patterns, taken


def problems(number):
    """Small problems with a pattern, and naive programs."""
    random, found = np.random.default_rng(8), 0
    while found < number:
        shape = [(2, 3), (3, 2), (2, 2), (3, 3)][random.integers(4)]
        table, minimise = random.poisson(1.4, shape), str(random.choice(["cells", "counts"]))
        if not 4 <= table.sum() <= (7 if shape == (3, 3) else 10):
            continue
        try:
            problem = fw.protect.problem(table, rule="< 2", minimise=minimise)
            least = least_suppression(problem, seed=3, break_ties=True)
        except fw.InputError:
            continue
        found += 1
        yield problem, least, NaiveProgram(shape, int(table.sum()), 2, minimise), table


def test_they_are_those_of_every_pattern():
    several = 0
    for problem, least, naive, table in problems(25):
        rows = problem.figures.matrix.toarray()
        order = [int(np.flatnonzero((rows == row).all(axis=1))[0]) for row in naive.rows]
        wanted = {hidden.tobytes() for hidden in naive.cheapest(naive.rows @ table.ravel())}
        found = cheapest_patterns(problem.task(), least.cost)
        assert {one[order].tobytes() for one in found} == wanted
        several += len(wanted) > 1
    assert several >= 8


def test_a_seed_takes_what_suppression_takes():
    for problem, _, _, _ in problems(8):
        task = problem.task()
        for seed in range(5):
            found = least_suppression(problem, seed=seed, break_ties=True)
            assert found.proven
            assert found.settled
            patterns = cheapest_patterns(task, found.cost)
            number = taken(patterns, task.dear(by_chance(seed, len(task.cost))[None, :]))[0]
            assert (patterns[number] == found.hidden).all()


def test_large_problems_are_left_alone():
    problem = fw.protect.problem(np.arange(1, 37).reshape(6, 6), rule="< 3")
    assert cheapest_patterns(problem.task(), 10) is None


def test_contributors_count():
    """A pattern that would let one contributor see another is none of the cheapest."""
    table, alone = [[1, 1, 8], [9, 7, 6], [5, 4, 9]], [["p", "q", ""], ["", "", ""], ["", "", ""]]
    problem = fw.protect.problem(table, rule="< 2", alone=alone)
    found = least_suppression(problem, seed=1, break_ties=True)
    patterns = cheapest_patterns(problem.task(), found.cost)
    assert (patterns[:, : len(found.hidden)] == found.hidden).all(axis=1).any()
    assert not any(len(problem.too_narrow(one)) for one in patterns)
