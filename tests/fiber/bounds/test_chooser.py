"""Bounds as a user asks for them: what proved each, tables that attain them, and the choice between the methods."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, note
from scipy.optimize import linprog
from support.effort import examples
from support.methods import only
from support.worlds import worlds

import fiberwalk as fw
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.bounds import chooser as methods_of_bounds
from fiberwalk.fiber.solvers.nearest_table import NearestTable
from fiberwalk.fiber.solvers.pushing import Pushing
from fiberwalk.fiber.solvers.table_search import SPENT, TableSearch

TABLE = np.random.default_rng(7).poisson(6, (6, 5))


def proofs(release, **asked):
    frame = fw.bounds(release, explain=True, **asked)
    return set(frame["lower_by"]) | set(frame["upper_by"])


def test_each_release_is_bounded_by_the_method_made_for_it():
    cube = np.random.default_rng(8).poisson(3, (3, 3, 3, 2))
    assert proofs(fw.publish(TABLE, ["A", "B"])) == {"closed form"}
    assert proofs(fw.publish(cube, ["A,B,C", "C,D"])) == {"closed form"}
    assert proofs(fw.publish(cube, ["A,B", "B,C", "A,C", "C,D"])) == {"closed form of smaller tables"}
    assert proofs(fw.suppress(TABLE, where=TABLE < 7)) == {"network flow"}
    groups = {"A": {"low": ["1", "2"], "high": ["3", "4", "5", "6"]}}
    assert proofs(fw.suppress(fw.table(TABLE, hierarchies=groups), where=TABLE < 7)) <= {"network flow", "decided"}
    assert proofs(fw.round_to(TABLE, base=3)) <= {"network flow", "decided"}
    assert proofs(fw.suppress(TABLE, where=[{"A": "1", "B": "1"}])) == {"decided"}
    assert "linear program" in proofs(fw.examples.dfkpr01().release)


def test_hidden_sums_are_arcs_where_they_can_be():
    release = fw.suppress(TABLE, where=TABLE < 9, margins=["B", ""])
    frame = fw.bounds(release, hidden_margins=["A"], explain=True)
    assert frame.loc[("1", "Total"), "upper_by"] == "network flow"


@examples(60)
@given(worlds())
def test_tables_attain_the_bounds(world):
    note(world.story)
    frame, tables = fw.bounds(world.release, hidden_margins=world.hidden_margins, attaining=True)
    found = tables.to_numpy()
    for cells, low, high in world.facts:
        sums = found[sorted(cells)].sum(axis=0)
        assert ((low <= sums) & (sums <= high)).all()
    rows = {world.labels(cell): [cell] for cell in world.hidden}
    for labels, cells in {**world.questions, **rows}.items():
        if labels in frame.index:
            mine = world.own.get(cells[0], 0) if labels in rows else 0
            row = frame.loc[labels]
            assert found[cells, row["lower_table"]].sum() - mine == row["lower"]
            assert found[cells, row["upper_table"]].sum() - mine == row["upper"]


def test_some_tables():
    release = fw.suppress(TABLE, where=TABLE < 9)
    frame, tables = fw.bounds(release, attaining=3)
    assert tables.shape == (30, 3)
    assert set(frame["upper_table"]) <= {-1, 0, 1, 2}
    with pytest.raises(fw.InputError, match=r"attaining=0: True for all"):
        fw.bounds(release, attaining=0)


def test_bounds_of_three_way_tables_are_those_of_every_table():
    release = fw.publish(np.random.default_rng(2).poisson(2, (3, 3, 3)), ["A,B", "A,C", "B,C"])
    with only("enumeration"):
        cells = fw.audit(release).cells
    frame = fw.bounds(release).reindex(cells.index)
    assert (frame["lower"] == cells["lower"]).all()
    assert (frame["upper"] == cells["upper"]).all()


def test_bounds_that_may_be_too_wide_say_so(monkeypatch):
    release = fw.publish(np.random.default_rng(2).poisson(3, (5, 5, 5)), ["A,B", "A,C", "B,C"])
    right = fw.bounds(release)
    monkeypatch.setattr(Pushing, "find", lambda *_: False)
    monkeypatch.setattr(NearestTable, "find", lambda *_: None)
    monkeypatch.setattr(TableSearch, "find", lambda *given: (SPENT, given[1]))
    with pytest.warns(UserWarning, match=r"bounds of \d+ cells and sums hold, but may be wider than need be"):
        frame = fw.bounds(release, sharp=False, explain=True)
    loose = frame["upper_by"] == "not sharp"
    assert loose.any()
    assert (frame["lower"] <= right["lower"]).all()
    assert (frame["upper"] >= right["upper"]).all()
    assert (frame.loc[~loose, "upper"] == right.loc[~loose, "upper"]).all()
    with pytest.warns(UserWarning, match="wider"), pytest.raises(fw.InputError, match="attaining= needs sharp bounds"):
        fw.bounds(release, sharp=False, attaining=True)


def test_progress_goes_up_to_all_that_is_open():
    lines = []
    random = np.random.default_rng(3)
    table = random.poisson(10, (60, 60))
    fw.bounds(fw.suppress(table, where=random.random(table.shape) < 0.5), attaining=3, progress=lines.append)
    told = [re.fullmatch(r"(.*): ([0-9,]+) of ([0-9,]+)( bounds)?", line) for line in lines]
    kinds = [one[1] for one in told]
    assert sorted(kinds) == kinds
    assert set(kinds) == {"bounds of cells and sums", "tables that attain bounds"}
    seen = told[: kinds.count("bounds of cells and sums")]
    done, of = ([int(one[k].replace(",", "")) for one in seen] for k in (2, 3))
    assert done == sorted(done)
    assert {done[-1]} == set(of)


@pytest.mark.parametrize("progress", [None, True, False])
def test_nothing_is_told_where_nobody_watches(progress, capsys):
    fw.bounds(fw.publish(TABLE, ["A", "B"]), progress=progress)
    assert capsys.readouterr() == ("", "")


def test_a_progress_that_is_no_function_is_named():
    with pytest.raises(fw.InputError, match="progress=3: a function that takes a line of text, or False"):
        fw.bounds(fw.publish(TABLE, ["A", "B"]), progress=3)


def test_thousands_of_hidden_cells_in_no_time():
    random = np.random.default_rng(4)
    table = random.poisson(10, (100, 100))
    release = fw.suppress(table, where=random.random(table.shape) < 0.5)
    by_flow = fw.bounds(release)
    outsider = fw.bounds(release.without_truth())
    assert by_flow.equals(outsider)
    solved = presolve(release)
    some = random.choice(len(release.hidden), 3, replace=False)
    block = solved.blocks[0]
    rows = release.picked(release.hidden[some])
    from fiberwalk.fiber.solvers.linear_program import program_bounds

    program = program_bounds(block.A, block.b, block.lower, block.upper, block.start, rows[:, block.columns].tocsr())
    assert (program.low == by_flow["lower"].to_numpy()[some]).all()
    assert (program.high == by_flow["upper"].to_numpy()[some]).all()


def test_blocks_and_decided_cells_of_a_large_table():
    """Squares of hidden cells are blocks; cells alone in their row or column, and chains of such, are decided."""
    mask = np.zeros((500, 500), dtype=bool)
    for k in range(100):
        mask[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = True
    mask[200:, 200:] |= np.eye(300, dtype=bool)  # a path: each row shares a column with the next
    mask[200:499, 201:] |= np.eye(299, dtype=bool)
    table = np.random.default_rng(5).poisson(3, (500, 500)) + 1
    solved = presolve(fw.suppress(table, where=mask))
    assert sorted(len(block.columns) for block in solved.blocks) == [4] * 100
    assert solved.decided.sum() == 250_000 - 400


def test_sums_over_several_blocks_name_every_method():
    joined = methods_of_bounds._joined(
        np.array([["network flow", ""]], dtype=object), np.array([["linear program", "propagation"]], dtype=object)
    )
    assert joined.tolist() == [["network flow + linear program", "propagation"]]


def wrong_total(n, share, seed=1):
    """A crosstab with hidden cells and one row total that is one too high."""
    random = np.random.default_rng(seed)
    values = random.poisson(10, (n, n))
    frame = pd.DataFrame(values, index=[f"r{i}" for i in range(n)], columns=[f"c{j}" for j in range(n)]).astype(float)
    frame = frame.mask(random.random((n, n)) < share)
    frame["All"] = values.sum(1)
    frame.loc["All"] = [*values.sum(0), values.sum()]
    frame.loc["r3", "All"] += 1
    return frame


def test_a_wrong_total_in_a_large_table_is_explained_soon():
    release = fw.from_crosstab(wrong_total(40, 0.5))
    with pytest.raises(fw.Contradiction) as refusal:
        fw.bounds(release)
    # The row totals do not add up to the grand total: nothing else need be said.
    assert len(refusal.value.facts) == 41
    assert any("r3" in fact for fact in refusal.value.facts)


def test_the_clash_that_is_named_is_the_obvious_one():
    table = pd.DataFrame(
        [[4.0, np.nan, 3], [np.nan, np.nan, 9], [8, 4, 12]], index=["N", "S", "All"], columns=["x", "y", "All"]
    )
    with pytest.raises(fw.Contradiction) as refusal:
        fw.bounds(fw.from_crosstab(table))
    assert len(refusal.value.facts) == 2  # a cell of 4 in a row of 3


@pytest.mark.parametrize("decimals", [0, 1])
def test_bounds_in_fractions_are_those_of_plain_linear_programs(decimals):
    """Every fact counts, ranges too; no integer passes them, and where facts are a network they are the sharp ones."""
    cube = np.random.default_rng(3).poisson(2, (3, 3, 3)) / 10**decimals
    release = fw.publish(fw.table(cube, decimals=decimals), ["A,B", "A,C", "B,C"]).knows({"A": "1"}, at_most=100)
    release = release.knows({"A": "1", "B": "2", "C": "1"}, at_least=1 / 10**decimals)
    found = fw.bounds(release, continuous=True, hidden_margins=["A"])
    A, low, high = release.sums.matrix.toarray(), release.sums.lower, release.sums.upper
    for place, row in enumerate(release.listed(["A"])[1].toarray()):
        for side, sign in (("lower", 1), ("upper", -1)):
            plain = linprog(
                sign * row, A_ub=np.vstack([A, -A]), b_ub=np.concatenate([high, -low]),
                bounds=np.stack([release.lower, np.minimum(release.upper, 1e6)], axis=1),
            )  # fmt: skip
            unit = 10**decimals
            assert found[f"{side}_in_fractions"].iloc[place] == pytest.approx(sign * plain.fun / unit)
    assert (found["lower_in_fractions"] <= found["lower"] + 1e-9).all()
    assert (found["upper_in_fractions"] >= found["upper"] - 1e-9).all()
    flat = fw.bounds(fw.round_to(TABLE, base=3), continuous=True)
    assert (flat["upper_in_fractions"] == flat["upper"]).all()
    assert (flat["lower_in_fractions"] == flat["lower"]).all()


def test_bounds_can_be_interrupted():
    def stop(line):
        raise KeyboardInterrupt

    release = fw.publish(np.random.default_rng(1).poisson(3, (6, 6, 6)), ["A,B", "A,C", "B,C"])
    with pytest.raises(KeyboardInterrupt):
        fw.bounds(release, progress=stop)
    random = np.random.default_rng(2)
    blocks = fw.suppress(random.poisson(9, (40, 40)), where=np.kron(np.eye(20), np.ones((2, 2))) > 0)
    with pytest.raises(KeyboardInterrupt):
        fw.bounds(blocks, progress=stop)
