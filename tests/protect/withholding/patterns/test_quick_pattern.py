"""Every way that proves a demand is one: published sums stay, nobody's knowledge is contradicted, and it goes far enough."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

import fiberwalk as fw
from fiberwalk.protect.withholding.patterns import ways
from fiberwalk.protect.withholding.patterns.narrowing import Narrowing, Needed
from fiberwalk.protect.withholding.patterns.quick_pattern import Demand, Patterns
from fiberwalk.protect.withholding.patterns.ways import Way

SHAPES = ((5, 6), (3, 4, 5), (4, 4, 4), (2, 3, 3, 3))


def random_task(random):
    """What a table wants that has levels, and contributors who are alone in some cells; None if that is impossible."""
    shape = SHAPES[random.integers(len(SHAPES))]
    table = random.poisson(2.5, shape)
    alone = np.where((table > 0) & (random.random(shape) < 0.2), random.choice(list("abc"), shape), "")
    try:
        return fw.protect.problem(
            table, rule="< 3", above=int(random.integers(1, 4)), alone=alone, minimise="counts", secondary_zeros=True
        ).task()
    except fw.InputError:
        return None


def wrong_with(way, demand, task, hidden):
    """What is wrong with a way as the proof of a demand, told by the definitions alone; nothing if it proves it."""
    changes = np.zeros(len(hidden), dtype=np.int64)
    changes[way.figures] = way.changes
    if (task.room.sums @ changes).any():
        return "a published sum changes"
    if changes[~hidden].any():
        return "a published figure changes"
    if changes[task.known[demand.attacker]].any():
        return "what the attacker knows changes"
    if (changes > task.room.up).any() or (-changes > task.room.down).any():
        return "a figure leaves its room"
    if changes[demand.figure] * np.sign(demand.change) < abs(demand.change):
        return "it does not go far enough"
    return ""


def found_quickly(seeds):
    """Random tasks, what they demand, and the pattern that is found first; those without one are left out."""
    for seed in seeds:
        task = random_task(np.random.default_rng(seed))
        if task is None:
            continue
        demands, hidden = task.demands({}), task.forced.copy()
        patterns = Patterns(task.room, task.cost, task.open, task.known, lambda line: None)
        if patterns.protect(hidden, demands) is None:
            yield seed, task, demands, patterns, hidden


@pytest.mark.parametrize("units", [ways.UNITS, (12,)])
def test_every_way_proves_its_demand(monkeypatch, units):
    """Before pruning and after it, and where only ways in dozens are looked for: these go further than was asked."""
    monkeypatch.setattr(ways, "UNITS", units)
    shared, proven, further = 0, 0, 0
    for seed, task, demands, patterns, hidden in found_quickly(range(4, 12)):
        for stage in ("found", "pruned"):
            if stage == "pruned":
                patterns.prune(hidden, task.forced)
            for demand in demands:
                way = patterns.proof[demand]
                assert not wrong_with(way, demand, task, hidden), (seed, stage, demand)
                further += abs(way.changes[np.flatnonzero(way.figures == demand.figure)[0]]) > abs(demand.change)
        proven += len(demands)
        shared += len(demands) - len(set(patterns.proof.values()))
    assert proven > 200
    assert shared > proven / 10
    assert further > 0


def test_what_is_no_proof_is_seen():
    """Else the test above could not fail."""
    task = next(filter(None, (random_task(np.random.default_rng(seed)) for seed in range(99))))
    demands, hidden = task.demands({}), task.forced | task.open
    patterns = Patterns(task.room, task.cost, task.open, task.known, lambda line: None)
    assert patterns.protect(hidden, demands) is None
    demand = demands[0]
    way = patterns.proof[demand]
    figures, changes = way.figures, way.changes
    for other, asked, words in (
        (Way(figures[1:], changes[1:]), demand, "a published sum changes"),
        (Way(figures, changes * 10**6), demand, "a figure leaves its room"),
        (way, Demand(demand.figure, 10**6 * demand.change), "it does not go far enough"),
        (way, Demand(demand.figure, -demand.change), "it does not go far enough"),
    ):
        assert wrong_with(other, asked, task, hidden) == words
    assert wrong_with(way, demand, task, np.zeros_like(hidden)) == "a published figure changes"


def furthest(task, hidden, figure, sign):
    """How far a figure can be from its true value, as a plain linear program has it."""
    objective = np.zeros(len(hidden))
    objective[figure] = -sign
    limits = np.column_stack([np.where(hidden, -task.room.down, 0), np.where(hidden, task.room.up, 0)])
    sums = task.room.sums
    found = linprog(objective, A_eq=sums, b_eq=np.zeros(sums.shape[0]), bounds=limits, method="highs")
    assert found.status == 0
    return abs(found.fun)


def test_what_is_told_to_be_stuck_is():
    """A figure that is told to be needed is needed, by a linear program; and many that are needed are told."""
    told, missed = 0, 0
    for seed, task, demands, patterns, hidden in found_quickly(range(4, 9)):
        patterns.prune(hidden, task.forced)
        narrowing = Narrowing(sp.csr_array(task.room.sums), task.room.down, task.room.up)
        needed = Needed.of([(one.figure, one.change) for one in demands], len(hidden))
        for figure in np.flatnonzero(hidden & ~task.forced).tolist():
            without = hidden.copy()
            without[figure] = False
            if narrowing.stuck(figure, hidden, needed):
                told += 1
                assert any(
                    furthest(task, without, one.figure, np.sign(one.change)) < abs(one.change) - 1e-6 for one in demands
                ), (seed, figure)
            else:
                missed += patterns._ways_without(figure, hidden, thorough=True) is None
    assert told > 20
    assert told > missed / 2, (told, missed)
