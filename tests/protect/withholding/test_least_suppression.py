"""Suppression problems of every kind against every pattern and every table: the least cost, and what is left possible."""

from __future__ import annotations

import numpy as np
import pytest
from support.naive.suppression import EveryTable, least_cost, tables_of

import fiberwalk as fw
from fiberwalk.protect.withholding.figures.figures import figures_of
from fiberwalk.protect.withholding.least_suppression import least_suppression
from fiberwalk.protect.withholding.patterns import suppression_pattern
from fiberwalk.protect.withholding.patterns.quick_pattern import Patterns

MOST_OPEN = 11
SHAPES = ((2, 3), (3, 2), (2, 2), (4,), (5,), (2, 2, 2), (3, 3))
TREES = {4: {"x": ["1", "2"], "y": ["3", "4"]}, 5: {"x": ["1", "2"], "y": ["3", "4", "5"]}, 3: {"x": ["1", "2"]}}


def random_problem(random):
    """A small table with levels, costs, groups, what must stay and contributors who are alone; None if it is no problem."""
    shape = SHAPES[random.integers(len(SHAPES))]
    table = random.poisson(random.choice([1.0, 1.5]), shape)
    if not 3 <= table.sum() <= (10 if table.size > 6 else 12):
        return None
    tree = {"A": TREES[shape[0]]} if shape[0] in TREES and (shape[0] > 3 or random.random() < 0.5) else None
    wanted = [{}, {"above": int(random.integers(1, 3))}, {"below": 1}, {"width": int(random.integers(1, 4))}]
    keywords = wanted[random.integers(4)] | {"minimise": str(random.choice(["cells", "counts"])), "alone": False}
    keywords["secondary_zeros"] = bool(random.random() < 0.4)
    if random.random() < 0.3:
        keywords["keep"] = "totals"
    if random.random() < 0.4:
        keywords["alone"] = np.where((table > 0) & (random.random(shape) < 0.5), random.choice(list("abc"), shape), "")
    try:
        return fw.protect.problem(fw.table(table, hierarchies=tree), rule="< 3", **keywords)
    except fw.InputError:
        return None


def linked_problem(random):
    """Two tables of the same four or five people or so by towns, and each by something else."""
    first = random.poisson(1.2, (2, 2))
    towns = first.sum(axis=1)
    if not 3 <= first.sum() <= 9:
        return None
    second = np.stack([random.multinomial(total, [0.5, 0.5]) for total in towns])
    tables = [fw.table(first, dims=["town", "size"]), fw.table(second, dims=["town", "age"])]
    try:
        return fw.protect.problem(tables, rule="< 3", minimise=str(random.choice(["cells", "counts"])), width=2)
    except fw.InputError:
        return None


def linked_tables(problem):
    """All pairs of tables with the same people in each town."""
    total = int(problem.truth.max())
    each = tables_of(total, 4)
    pairs = [
        np.column_stack([np.repeat(one[None], len(others), axis=0), others])
        for one in each
        for others in [each[(each[:, 0] + each[:, 1] == one[0] + one[1])]]
    ]
    side_by_side = np.concatenate(pairs)
    numbers = np.concatenate([grid.cells.ravel() for grid in problem.figures.start.grids])
    return side_by_side[:, np.argsort(numbers)]


def by_hand(problem, among=None):
    """The naive twin of a problem, and its least cost."""
    every = EveryTable(problem.figures.start.truth, problem.rows.toarray(), among)
    further = np.ones(problem.sums.shape[0], dtype=bool)
    forced, may = np.append(problem.forced, further), np.append(problem.open, ~further)
    cost = np.append(problem.cost, np.zeros(len(further), dtype=np.int64))
    one = problem.sensitive
    wanted = dict(zip(one.figures.tolist(), zip(one.below, one.above, one.width, strict=True), strict=True))
    contributors = [mine.tolist() for mine in problem.alone]
    if (may & ~forced).sum() > MOST_OPEN:
        return None
    return every, wanted, contributors, least_cost(every, forced, may, cost, wanted, contributors)


@pytest.mark.parametrize("seed", [*range(40), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(40, 160))])
def test_the_least_cost_is_found_and_proven(seed):
    random = np.random.default_rng(seed)
    problem = linked_problem(random) if seed % 4 == 3 else random_problem(random)
    twin = None if problem is None else by_hand(problem, linked_tables(problem) if seed % 4 == 3 else None)
    if twin is None:
        return
    every, wanted, contributors, least = twin
    if least is None:
        with pytest.raises(fw.InputError, match="no suppression can give"):
            least_suppression(problem)
        return
    found = least_suppression(problem)
    assert found.proven
    assert found.cost == least
    hidden = np.append(found.hidden, np.ones(problem.sums.shape[0], dtype=bool))
    assert every.protects(hidden, wanted, contributors)
    assert not len(problem.too_narrow(hidden))


def test_most_of_these_are_problems():
    """Else the test above would test nothing."""
    solved = 0
    for seed in range(160):
        random = np.random.default_rng(seed)
        solved += (linked_problem(random) if seed % 4 == 3 else random_problem(random)) is not None
    assert solved > 70


def test_figures_and_their_relations():
    """Cells, groups and totals; a group of one category is tied to it, and levels that cross are two ways to add up."""
    crossing = np.arange(1, 5)
    import pandas as pd

    rows = pd.DataFrame({"town": list("abcd"), "north": list("xxyy"), "large": list("uvuv"), "count": crossing})
    table = fw.table(rows, count="count", hierarchies={"town": ["north", "large"]})
    figures = figures_of([table])
    assert len(figures) == 4 + 2 + 2 + 1
    assert figures.relations.shape == (4 + 2, 9)  # four groups, and two ways to make the total
    assert not (figures.relations @ figures.values).any()
    single = figures_of([fw.table([[1, 2], [3, 4]], hierarchies={"A": {"x": ["1"], "y": ["2"]}})])
    assert not (single.relations @ single.values).any()
    x, one = single.named({"A": "x", "B": "1"}), single.named({"A": "1", "B": "1"})
    row = np.zeros(len(single), dtype=int)
    row[[x, one]] = 1, -1
    assert (single.relations.toarray() == row).all(axis=1).any()


def test_known_traps():
    """What each of these hides by itself gives something away."""
    # a group of one category that is published beside it
    hidden = least_suppression(
        fw.protect.problem(
            fw.table([[1, 9], [8, 7], [6, 5]], hierarchies={"A": {"x": ["1"], "y": ["2", "3"]}}), rule="< 2"
        )
    )
    figures = hidden.problem.figures
    assert hidden.hidden[figures.named({"A": "x", "B": "1"})]
    # 1 + 1 in a line of two: each of them sees the other
    table, alone = [[1, 1, 8], [9, 7, 6], [5, 4, 9]], [["p", "q", ""], ["", "", ""], ["", "", ""]]
    for who, cells in ((alone, 2), (False, 2)):
        found = least_suppression(fw.protect.problem(table, rule="< 2", alone=who, keep="totals"))
        line = found.hidden[:3]
        assert line[:2].all()
        assert line.sum() > cells if who else line.sum() == cells
    # both are one contributor's: their sum would be known
    same = [["p", "p", ""], ["", "", ""], ["", "", ""]]
    found = least_suppression(fw.protect.problem(table, rule="< 2", alone=same, keep="totals"))
    assert found.hidden[2]
    # a linked table with the same total
    first, second = fw.table([[1, 9], [8, 7]], dims=["town", "size"]), fw.table([10, 15], dims=["town"])
    found = least_suppression(fw.protect.problem([first, second], rule="< 2", keep=[{"town": "1", "size": "2"}]))
    assert found.hidden[found.problem.figures.named({"town": "1"})]


def test_what_cannot_be_asked_is_said():
    table = [[1, 5, 4], [7, 20, 6], [3, 8, 9]]
    for words, given in {
        "which cells are sensitive": {},
        "names the dim 'C'": {"where": [{"C": "1"}]},
        "keep=: A=1, B=1 is sensitive": {"rule": "< 3", "keep": [{"A": "1", "B": "1"}]},
        "keep='all': 'totals', or figures": {"rule": "< 3", "keep": "all"},
        "'cells', 'counts', 'logs', 'entropy', or numbers": {"rule": "< 3", "minimise": "value"},
        "above=: at least 0; -1 is less": {"rule": "< 3", "above": -1},
        "percent=0: more than 0": {"rule": "< 3", "percent": 0},
        "alone=: a table of the shape": {"rule": "< 3", "alone": [["p"]]},
        "where=: the function gave the shape": {"where": lambda values: True},
    }.items():
        with pytest.raises(fw.InputError, match=words):
            fw.protect.problem(table, **given)
    with pytest.raises(fw.InputError, match="no cell is sensitive: rule '< 2' hits none"):
        fw.protect.problem([[2, 5], [4, 3]], rule="< 2")


def test_profits_are_protected_within_what_is_known_beforehand():
    """Cells below 0 are withheld like others; every pattern and every table within the bounds, by hand."""
    values = np.array([[-2, 1], [2, -1]])
    problem = fw.protect.problem(fw.table(values, at_least=-3, at_most=3), where={"A": "1", "B": "1"}, below=1, above=1)
    every = np.array(np.meshgrid(*[range(-3, 4)] * 4, indexing="ij")).reshape(4, -1).T
    twin, wanted, contributors, least = by_hand(problem, every)
    found = least_suppression(problem)
    assert found.proven
    assert found.cost == least
    assert twin.protects(found.hidden, wanted, contributors)
    with pytest.raises(fw.InputError, match="no suppression can give cell A=1, B=1 the wanted interval"):
        least_suppression(
            fw.protect.problem(fw.table(values, at_least=-3, at_most=3), where={"A": "1", "B": "1"}, below=2)
        )
    with pytest.raises(fw.InputError, match="a threshold rule is about figures of at least 0"):
        fw.protect.problem(fw.table(values, at_least=-3), rule="< 3")


def test_costs_and_wishes():
    table = [[1, 5, 4], [7, 20, 6], [3, 8, 9]]
    for minimise in ("cells", "counts", "logs", "entropy", np.full((3, 3), 2.5), lambda values: values * 0 + 1.0):
        found = least_suppression(fw.protect.problem(table, rule="< 3", minimise=minimise))
        assert found.proven
        assert not len(found.problem.too_narrow(found.hidden))
    dear = [{"A": "1", "B": "3"}, {"A": "3", "B": "1"}, {"A": "3", "B": "3"}]
    kept = least_suppression(fw.protect.problem(table, rule="< 3", keep=dear, minimise="counts"))
    assert not any(kept.hidden[kept.problem.figures.named(cell)] for cell in dear)
    liked = {"A": "2", "B": "2"}
    assert least_suppression(fw.protect.problem(table, rule="< 3", prefer=liked, minimise="counts")).hidden[4]
    assert least_suppression(fw.protect.problem(table, rule="< 3", withheld=liked)).hidden[4]


def test_the_first_pattern_and_the_end_of_time(monkeypatch):
    """Interrupted, the search gives what it has; the same seed gives the same pattern."""
    table = np.random.default_rng(3).poisson(5, (4, 4, 4))
    problem = fw.protect.problem(table, rule="< 3")

    def interrupted(line):
        if line.startswith("round"):
            raise KeyboardInterrupt

    found = least_suppression(problem, progress=interrupted)
    assert "the search ended early: it was interrupted" in found.words
    assert not len(problem.too_narrow(found.hidden))
    again = least_suppression(problem, progress=interrupted)
    assert (found.hidden == again.hidden).all()


@pytest.mark.parametrize("after", [0, 1, 2])
def test_interrupted_at_any_step_the_pattern_protects(monkeypatch, after):
    """Ctrl-C while a figure is tried without must not publish it."""
    problem = fw.protect.problem(np.random.default_rng(3).poisson(5, (4, 4, 4)), rule="< 3")
    protecting = least_suppression(problem)
    asked, plain = 0, Patterns._way

    def interrupted(self, demand, hidden, open_too, **how):
        nonlocal asked
        asked += not open_too.any()  # only where figures are given back
        if asked > after:
            raise KeyboardInterrupt
        return plain(self, demand, hidden, open_too, **how)

    monkeypatch.setattr(Patterns, "_way", interrupted)
    found = least_suppression(problem)
    assert "interrupted" in found.words
    assert found.cost > protecting.cost
    assert not len(problem.too_narrow(found.hidden))


def test_a_pattern_whose_demands_are_not_all_met_is_never_taken(monkeypatch):
    """Ways are looked for within limits: where one is not found again, the pattern at hand stays."""
    problem = fw.protect.problem(np.random.default_rng(3).poisson(5, (5, 5, 5)), rule="< 3", minimise="counts")
    calls, plain = 0, Patterns.protect

    def forgetful(self, hidden, demands):
        nonlocal calls
        calls += 1
        return plain(self, hidden, demands) if calls == 1 else demands[0]

    monkeypatch.setattr(Patterns, "protect", forgetful)
    for most in (suppression_pattern.MOST_ATTACKS, 0):  # with the integer program, and with attempts alone
        calls = 0
        monkeypatch.setattr(suppression_pattern, "MOST_ATTACKS", most)
        found = least_suppression(problem)
        assert calls > 1
        assert not len(problem.too_narrow(found.hidden))
