"""The intruder who knows the program: against every table and every pattern, with its seed and without."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest
from support.naive.known_program import NaiveProgram

import fiberwalk as fw

TABLE = [[1, 5, 4], [7, 2, 6], [3, 8, 9]]
SEEDS = 2000


def small_cases(number):
    """Small tables that suppression has a pattern for, with a seed each, and a naive program."""
    random, found = np.random.default_rng(4), 0
    while found < number:
        shape = [(2, 3), (3, 2), (2, 2), (3, 3)][random.integers(4)]
        table = random.poisson(1.4, shape)
        minimise = str(random.choice(["cells", "counts"]))
        if not 4 <= table.sum() <= (7 if shape == (3, 3) else 10):
            continue
        try:
            result = fw.protect.suppression(table, rule="< 2", minimise=minimise, seed=int(random.integers(1000)))
        except fw.InputError:
            continue
        found += 1
        yield table, result, NaiveProgram(shape, int(table.sum()), 2, minimise)


def in_naive_order(result, naive):
    """The number of each naive figure among those of a problem."""
    rows = result.withheld.problem.figures.matrix.toarray()
    return np.array([int(np.flatnonzero((rows == row).all(axis=1))[0]) for row in naive.rows])


def added(seed, figures):
    """What a seed adds to the cost of each figure."""
    return np.floor(np.random.default_rng([seed, 1]).random(figures) * 4096)


def distributions(naive, figure, agree, p):
    """{value: probability} of a figure."""
    values = naive.figures[agree, figure]
    return {int(v): float(p[values == v].sum()) for v in np.unique(values[p > 0])}


def test_with_the_seed_the_posterior_is_that_of_every_table_run_through_a_naive_program():
    """Not so without knowing the program: the negative control."""
    differs = 0
    for number, (table, result, naive) in enumerate(small_cases(20)):
        order, law = in_naive_order(result, naive), ("uniform", "hypergeometric")[number % 2]
        hidden, true = result.withheld.hidden[order], naive.rows @ table.ravel()
        dear = added(result.seed, len(order))[order][None, :]

        def weigh(cells, law=law):
            return 1.0 if law == "uniform" else 1 / np.prod([factorial(int(one)) for one in cells])

        agree, p = naive.posterior(true, hidden, dear, weigh)
        informed = result.audit(knows="algorithm and seed", law=law)
        assert informed.method == "exact"
        assert informed.tables == (p > 0).sum()
        assert informed.looked_at == len(agree)
        for place, key in enumerate(informed.belief.keys):
            figure = int(np.flatnonzero((result.withheld.problem.figures.keys[order] == key).all(axis=1))[0])
            wanted, pmf = distributions(naive, figure, agree, p), informed.belief.pmfs[place]
            found = dict(zip(pmf.values.tolist(), pmf.probabilities.tolist(), strict=True))
            assert found == pytest.approx(wanted, abs=1e-9)
            before = informed.without.belief.pmfs[place]
            differs += len(before.values) != len(pmf.values)
    assert differs >= 20


def test_without_the_seed_the_posterior_is_that_of_all_seeds_within_its_errors():
    """What is never possible is left out for certain; the rest is within five stated errors."""
    away, undecided = [], 0
    for table, result, naive in small_cases(10):
        order = in_naive_order(result, naive)
        hidden, true = result.withheld.hidden[order], naive.rows @ table.ravel()
        dear = np.random.default_rng(2).random((20_000, len(order)))
        agree, p = naive.posterior(true, hidden, dear)
        informed = result.audit(knows="algorithm", seeds=SEEDS)
        assert informed.kept == (p > 0).sum()
        assert informed.method == ("exact" if informed.kept == 1 else "chains")
        undecided += informed.kept > 1
        for place, key in enumerate(informed.belief.keys):
            figure = int(np.flatnonzero((result.withheld.problem.figures.keys[order] == key).all(axis=1))[0])
            pmf = informed.belief.pmfs[place]
            wanted = distributions(naive, figure, agree, p)
            assert set(pmf.values.tolist()) == set(wanted)
            for value, probability, error in zip(pmf.values.tolist(), pmf.probabilities, pmf.errors, strict=True):
                away.append(abs(probability - wanted[value]) / max(error, 0.004))
    assert undecided >= 3
    assert max(away) < 5


def test_the_seed_alone_decides_among_equally_cheap_patterns():
    """Every one of them is taken by some seed, none by all; the cost stays what it was."""
    table = np.array([[1, 5, 4], [7, 20, 6], [3, 8, 9]])
    patterns = {}
    for seed in range(40):
        found = fw.protect.suppression(table, rule="< 3", seed=seed)
        assert found.cost == 4
        assert found.proven
        patterns.setdefault(found.withheld.hidden.tobytes(), []).append(seed)
    assert len(patterns) >= 8
    assert max(map(len, patterns.values())) <= 15
    one, other = (fw.protect.suppression(table, rule="< 3") for _ in range(2))
    assert one.seed != other.seed
    again = fw.protect.suppression(table, rule="< 3", seed=one.seed)
    assert (again.withheld.hidden == one.withheld.hidden).all()


def test_drawn_tables_agree_with_all_tables():
    result = fw.protect.suppression(TABLE, rule="< 3", seed=1)
    every = result.audit(knows="algorithm")
    drawn = result.audit(knows="algorithm", method="chains", draws=150)
    assert drawn.drawn
    assert drawn.certificate.word == "unproven"
    assert "drawn tables were kept" in drawn.certificate.evidence[0]
    assert drawn.tables is None
    for cell in every.cells.index:
        one, other = (audit.cells.loc[cell] for audit in (every, drawn))
        of_the_same = drawn.pmf(A=cell[0], B=cell[1]).get(one["modal"], 0.0)
        assert abs(one["p_modal"] - of_the_same) < 0.25  # some hundred kept tables
        assert other["entropy_mcse"] > 0
    assert "drawn tables" in drawn.words


def test_a_problem_is_posed_for_another_table():
    """What follows from the table follows from the other one, what was said figure by figure stays."""
    problem = fw.protect.problem(
        TABLE, rule="< 3", percent=50, minimise="counts", prefer=[{"A": "3"}], where=lambda values: values == 9
    )
    other = np.array([[4, 2, 4], [4, 5, 6], [3, 8, 9]])
    posed, fresh = problem.for_table(other.ravel()), fw.protect.problem(
        other, rule="< 3", percent=50, minimise="counts", prefer=[{"A": "3"}], where=lambda values: values == 9
    )  # fmt: skip
    for name in ("primary", "cost", "open", "before", "truth"):
        assert (getattr(posed, name) == getattr(fresh, name)).all(), name
    assert (posed.sensitive.above == fresh.sensitive.above).all()
    assert problem.fixed == ("prefer",)
    fixed = fw.protect.problem(TABLE, where={"A": "1", "B": "1"})
    assert (fixed.for_table(other.ravel()).primary == fixed.primary).all()
    with pytest.raises(fw.InputError, match="no cell is sensitive"):
        fw.protect.problem(TABLE, rule="< 2").for_table(np.full(9, 5))
    informed = fw.protect.suppression(fixed, seed=1).audit(knows="algorithm and seed")
    assert "(where=) is taken as known to her" in informed.certificate.caveats[0]


def test_what_is_learnt_stands_beside_what_others_learn():
    result = fw.protect.suppression(TABLE, rule="< 3", seed=1)
    informed = result.audit(knows="algorithm and seed")
    cells, plain = informed.cells, result.audit().cells
    assert (cells["entropy_without"] == plain.loc[cells.index, "entropy"]).all()
    assert (cells["p_truth"] == 1).all()
    assert (cells["p_truth_without"] < 0.2).all()
    assert informed.words.startswith("of 7 tables 1 may have been suppressed in the same way; of 4 withheld cells and ")
    assert "4 become known, and 2.81 bits are lost on average" in repr(informed)
    assert informed.most_learned == pytest.approx(np.log2(7))
    assert informed.pmf(A="1", B="1").to_dict() == {1: 1.0}


def test_contributors_and_targets_are_part_of_the_program():
    """The truth is always among the tables that are kept."""
    alone = [["p", "p", ""], ["", "", ""], ["", "", ""]]
    for result in (
        fw.protect.suppression([[1, 1, 8], [9, 7, 6], [5, 4, 9]], rule="< 2", alone=alone, seed=2),
        fw.protect.suppression([[1, 2, 3], [2, 4, 1]], rule="< 2", until="p <= 0.5", seed=2),
    ):
        informed = result.audit(knows="algorithm and seed")
        assert 1 <= informed.kept <= informed.looked_at
        assert (informed.cells["p_truth"] > 0).all()
        assert informed.programs >= 1


def test_targets_before_whom_knows_the_program():
    """What passes holds in an audit of its own; what does not is refused and says what is believed of which cell."""
    passed = refused = 0
    for seed in range(12):
        table = np.random.default_rng(seed).poisson(1.2, (2, 3)) + np.array([[0, 1, 0], [1, 0, 1]])
        for knows in ("algorithm and seed", "algorithm")[: 2 if seed < 2 else 1]:
            try:
                found = fw.protect.suppression(table, rule="< 2", until="p <= 0.6", knows=knows, seed=1)
            except fw.InputError as problem:
                refused += "an intruder who knows the program keeps" in str(problem)
                continue
            passed += 1
            cells = found.audit(knows=knows, seeds=30, seed=3).cells
            sensitive = found.figures.index[found.figures["why"] == "sensitive"]
            slack = 0.0 if knows == "algorithm and seed" else 0.1  # other seeds of the program than those of the check
            assert (cells.loc[sensitive, "p_modal"] <= 0.6 + slack + 1e-9).all()
            assert f"also for who knows the {knows}" in found.words
    assert passed >= 1
    assert refused >= 3


def test_what_is_refused():
    result = fw.protect.suppression(TABLE, rule="< 3", seed=1)
    with pytest.raises(fw.InputError, match="knows='secret': 'algorithm' or 'algorithm and seed', or leave it out"):
        result.audit(knows="secret")
    with pytest.raises(fw.InputError, match="method='guess': there is no such method"):
        result.audit(knows="algorithm", method="guess")
    with pytest.raises(fw.TooLarge, match=r"run for 4 tables, more than max_tables=2\. Draw tables"):
        result.audit(knows="algorithm", max_tables=2, method="exact")
    with pytest.raises(fw.TooLarge, match="too few to say what an intruder learns who knows the program"):
        result.audit(knows="algorithm", max_tables=2, draws=10)
    with pytest.raises(fw.InputError, match=r"say what is wanted before that intruder \(until='p <= 0.5'\)"):
        fw.protect.suppression(TABLE, rule="< 3", knows="algorithm")
    with pytest.raises(fw.InputError, match="knows='all': 'algorithm' or 'algorithm and seed'"):
        fw.protect.suppression(TABLE, rule="< 3", knows="all", until="p <= 0.5")
    large = np.random.default_rng(0).integers(3_000, 4_000, (2, 2))
    with pytest.raises(fw.TooLarge, match="until= with knows= is for small problems: "):
        fw.protect.suppression(
            large, where={"A": "1", "B": "1"}, keep="totals", knows="algorithm", until="p <= 0.5", seed=1
        )
    with pytest.raises(fw.InputError, match="seeds=0"):
        result.audit(knows="algorithm", seeds=0)

    def interrupted(line):
        if "reaches the target" in line:
            raise KeyboardInterrupt

    ended = fw.protect.suppression(TABLE, rule="< 3", until="bits >= 3", progress=interrupted, seed=1)
    with pytest.raises(fw.InputError, match="was ended early, which no intruder can repeat"):
        ended.audit(knows="algorithm")
