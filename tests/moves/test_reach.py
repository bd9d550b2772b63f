"""choose_moves and check_connected as users meet them: laws, gaps, moves of their own, words."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import xarray as xr
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples
from support.long_file import LONG
from support.worlds import worlds

import fiberwalk as fw
from fiberwalk.commands.main import main
from fiberwalk.fiber.equations.twins import network_of_twins, without_twins
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.families.cycles import cycles

HARD = fw.publish(np.random.default_rng(1).poisson(1, (3, 3, 3, 3)), ["A,B", "A,C", "A,D", "B,C", "B,D", "C,D"])
ORDERS = [[0, 1, 2], [0, 2, 1], [2, 0, 1]]
SQUARE = np.array([[3, 1, 2], [0, 2, 4], [1, 1, 5]])


def seen(cell: int, first: int, weights: list[float]) -> fw.protect.Evidence:
    with np.errstate(divide="ignore"):
        return fw.protect.Evidence(np.array([cell]), np.array([1]), first, np.log(np.array(weights, dtype=float)))


def with_evidence(release, *items):
    from dataclasses import replace

    return replace(release, evidence=tuple(items))


# --- the law's support ---------------------------------------------------------------------------------------------


def test_zero_weights_at_the_ends_are_bounds():
    release = fw.publish([[3, 1], [2, 4]], ["A", "B"])
    inside = support(with_evidence(release, seen(0, 0, [0, 0, 1, 1, 0])))
    assert not inside.gaps.any()
    reach = fw.moves.check_connected(with_evidence(release, seen(0, 0, [0, 0, 1, 1, 0])))
    assert reach.tables == 2


def test_a_mean_of_zero_makes_a_cell_zero():
    release = fw.publish([[0, 3, 2], [2, 1, 4]], ["A", "B"])
    law = fw.laws.expected([[0, 1, 1], [1, 1, 1]])
    assert fw.moves.check_connected(release, law=law).tables == len(fw.audit(release, law=law).pmf(A="1", B="2"))
    with pytest.raises(fw.InputError, match="leave no possible table"):
        fw.moves.choose_moves(fw.publish([[3, 1], [2, 4]], ["A", "B"]), law=fw.laws.expected([[0, 0], [1, 1]]))


def test_gaps_are_crossed_by_whole_combinations_only():
    release = fw.publish([[3, 1], [2, 4]], ["A", "B"])
    holey = with_evidence(release, seen(0, 0, [1, 0, 0, 1, 1]))
    assert support(holey).gaps.tolist() == [True, False, False, False]
    moves = fw.moves.choose_moves(holey)
    assert "LatticeMoves" in repr(moves)
    assert any("excluded" in line for line in moves.certificate.evidence)
    reach = fw.moves.check_connected(holey, moves)
    assert (reach.tables, reach.connected) == (3, True)
    assert fw.moves.check_connected(holey, [[[1, -1], [-1, 1]]]).connected  # a line is crossed at once


def test_gaps_may_keep_swaps_from_getting_across():
    """The sum of the diagonal is 0 or 3, so that only all three cells together may change."""
    table = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    diagonal = fw.protect.Evidence(
        np.array([0, 4, 8]), np.ones(3, dtype=int), 0, np.array([0.0, -np.inf, -np.inf, 0.0])
    )
    release = with_evidence(fw.publish(table, ["A", "B"]), diagonal)
    swap = np.array([[1, -1, 0], [-1, 1, 0], [0, 0, 0]])
    swaps = [swap[np.ix_(rows, columns)] for rows in ORDERS for columns in ORDERS]
    assert repr(fw.moves.check_connected(release, swaps)) == "<NOT connected: 3 tables in 3 parts>"
    assert fw.moves.check_connected(release).connected
    odd = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]
    parity = with_evidence(fw.publish([[2, 2, 1], [2, 2, 3]], ["A", "B"]), *(seen(cell, 0, odd) for cell in range(3)))
    with pytest.raises(fw.InputError, match="leave no possible table"):
        fw.moves.check_connected(parity)


@examples(40)
@given(worlds(kinds=("publish", "suppress"), outside=False), st.integers(0, 2**32))
def test_evidence_of_any_kind_is_kept_to(world, seed):
    """All tables that the walk finds have positive weight, and none is missing."""
    tables = world.tables()
    rng = np.random.default_rng(seed)
    cell = int(rng.choice(world.hidden))
    top = max(table[cell] for table in tables)
    weights = np.where(rng.random(top + 1) < 0.6, 1.0, 0.0)
    weights[world.values.ravel()[cell]] = 1.0
    release = with_evidence(world.release, seen(cell, 0, weights.tolist()))
    reach = fw.moves.check_connected(release)
    assert reach.connected
    assert reach.tables == sum(weights[table[cell]] > 0 for table in tables)


# --- moves of one's own --------------------------------------------------------------------------------------------


def test_moves_of_ones_own_come_in_several_forms():
    release = fw.publish(SQUARE, ["A", "B"])
    swap = np.zeros((3, 3), dtype=int)
    swap[:2, :2] = [[1, -1], [-1, 1]]
    one = fw.moves.check_connected(release, [swap])
    assert one.parts > 1
    assert fw.moves.check_connected(release, xr.DataArray(swap[None])).parts == one.parts
    assert fw.moves.check_connected(release, sp.csr_array(swap.reshape(1, -1))).parts == one.parts
    assert fw.moves.check_connected(release).parts == 1
    assert fw.moves.check_connected(release).tables == fw.count(release) == one.tables


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ([[[1, 0, 0], [0, 0, 0], [0, 0, 0]]], r"move 1 changes a published figure: A=1, B=Total is 6, by \+1"),
        ([[[1, -1], [-1, 1]]], r"move 1 has the shape \(2, 2\); the table has \(3, 3\)"),
        ([np.zeros((3, 3)), [1, 2]], r"move 2 has the shape \(2,\); the table has \(3, 3\)"),
        ([[[0.5, -0.5, 0], [-0.5, 0.5, 0], [0, 0, 0]]], "moves are whole numbers"),
        ([np.full((3, 3), np.inf)], "moves are whole numbers"),
        (sp.csr_array(np.ones((1, 4))), r"sparse moves are rows of 9 cells each; these have the shape \(1, 4\)"),
        (sp.coo_array(np.ones(9)), "sparse moves are rows of 9 cells each"),
        ([np.full((3, 3), "a")], "move 1 must be a table of numbers"),
        (5, "what choose_moves gave, or a list of moves; it is a int"),
    ],
)
def test_wrong_moves_are_refused(moves, words):
    with pytest.raises(fw.InputError, match=words):
        fw.moves.check_connected(fw.publish(SQUARE, ["A", "B"]), moves)


def test_wrong_calls_are_refused():
    release = fw.publish(SQUARE, ["A", "B"])
    with pytest.raises(fw.InputError, match="needs a release"):
        fw.moves.choose_moves(SQUARE)
    with pytest.raises(fw.InputError, match="needs a release"):
        fw.moves.check_connected(SQUARE)
    with pytest.raises(fw.InputError, match="max_seconds=-1"):
        fw.moves.choose_moves(release, max_seconds=-1)
    with pytest.raises(fw.InputError, match="there is no law"):
        fw.moves.choose_moves(release, "unifrom")
    for other in (fw.publish(SQUARE[:2], ["A", "B"]), fw.publish(SQUARE, ["A"]), fw.publish(SQUARE + 1, ["A", "B"])):
        with pytest.raises(fw.InputError, match="another release"):
            fw.moves.check_connected(other, fw.moves.choose_moves(release))
    assert fw.moves.check_connected(fw.publish(SQUARE, ["A", "B"]), fw.moves.choose_moves(release)).connected
    for most in (-1, 0, "a", True):
        with pytest.raises(fw.InputError, match="a number of tables, at least 1"):
            fw.moves.check_connected(release, max_tables=most)
    assert "given no time" in " ".join(fw.moves.choose_moves(HARD, max_seconds=0).certificate.evidence)


def test_a_move_that_changes_two_blocks_at_once_is_no_two_moves():
    release = fw.publish(np.ones((2, 2, 2), int), ["A,B", "A,C"])
    swap = np.array([[1, -1], [-1, 1]])
    nothing = np.zeros((2, 2), int)
    joint = fw.moves.check_connected(release, [np.stack([swap, swap])])
    assert (joint.tables, joint.parts) == (9, 5)
    assert len(joint.apart().columns) == 2
    single = fw.moves.check_connected(release, [np.stack([swap, nothing]), np.stack([nothing, swap])])
    assert (single.tables, single.parts, len(single.blocks)) == (9, 1, 2)


def test_labelled_moves_are_matched_by_their_labels():
    release = fw.publish([[1, 1, 2], [3, 2, 1]], ["A", "B"])
    move = xr.DataArray([[1, -1, 0], [-1, 1, 0]], dims=["A", "B"], coords={"A": ["1", "2"], "B": ["1", "2", "3"]})
    plain = fw.moves.check_connected(release, [move]).parts
    assert fw.moves.check_connected(release, [move.isel(B=[2, 0, 1])]).parts == plain
    assert fw.moves.check_connected(release, [move.transpose()]).parts == plain
    assert fw.moves.check_connected(release, [move.to_pandas()]).parts == plain


def test_rounded_sums_may_change_within_their_range():
    release = fw.round_to([[1, 2], [4, 4]], 3)
    single = np.eye(4, dtype=int).reshape(4, 2, 2)
    pairs = [a - b for a in single for b in single]
    assert fw.moves.check_connected(release, [*single, *pairs]).tables == fw.count(release)


def test_where_everything_is_decided_there_is_nothing_to_move():
    release = fw.suppress(SQUARE, where=SQUARE == 4)
    moves = fw.moves.choose_moves(release)
    assert moves.sets == ()
    assert (moves.certificate.word, moves.certificate.reason) == ("exact", "the published figures decide every cell")
    assert repr(fw.moves.check_connected(release)) == "<connected: 1 table in 1 part>"
    assert len(moves.blocks) == 0


def test_the_weakest_block_speaks_for_all():
    rng = np.random.default_rng(1)
    table = rng.poisson(2, (2, 3, 3, 2, 2))
    moves = fw.moves.choose_moves(fw.publish(table, ["A,B,C,D", "A,B,C,E", "D,E"]))
    frame = moves.blocks
    assert list(frame.columns) == ["cells", "moves", "certificate", "reason"]
    assert frame.index.name == "block"
    assert set(frame["certificate"]) == {moves.certificate.word}


# --- twins ---------------------------------------------------------------------------------------------------------


def test_two_layers_are_one_table():
    release = fw.publish(np.arange(18).reshape(2, 3, 3) % 5, ["A,B", "A,C", "B,C"])
    (block,) = support(release).solved.blocks
    assert block.network is None
    network, spread = network_of_twins(block.A)
    assert len(network.tail) == 9
    assert spread.shape == (18, 9)
    around = cycles(block)
    assert not abs(block.A @ around.listed().T).sum()
    assert around.listed().shape == (15, 18)
    assert "complement" in fw.moves.choose_moves(release).certificate.reason


def test_twins_that_clash_are_left_alone():
    assert without_twins(sp.csr_array([[1, 1, 0], [1, -1, 0]])) is None
    same = without_twins(sp.csr_array([[1, 1, 0], [1, 1, 0], [1, 0, 2]]))
    assert same.spread.toarray().tolist() == [[1, 0], [-1, 0], [0, 1]]
    assert same.A.toarray().tolist() == [[1, 2]]
    assert network_of_twins(sp.csr_array([[1, 1, 1]])) is None


# --- the command line ----------------------------------------------------------------------------------------------


def test_moves_on_the_command_line(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(LONG)
    result = CliRunner().invoke(main, ["moves", str(path), "--check"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("connected: swaps in two rows and two columns join all complete two-way tables")
    assert "Checked by walking through all tables (7): every one is reached." in result.output
    assert "fiberwalk moves table.csv" in CliRunner().invoke(main, ["moves", "--help"]).output


def test_excluded_values_at_the_end_of_a_sums_range_are_kept_to():
    release = fw.publish([[2, 1], [0, 3]], ["A"])
    with np.errstate(divide="ignore"):
        weights = np.log(np.array([1.0, 1.0, 1.0, 1.0, 0.0, 1.0]))
    seen_sum = fw.protect.Evidence(np.array([0, 2]), np.array([1, 1]), 0, weights)
    release = with_evidence(release, seen_sum).knows({"A": "1", "B": "1"}, at_most=2)
    release = release.knows({"A": "2", "B": "1"}, at_most=2)
    reach = fw.moves.check_connected(release)
    tables = [(a, b) for a in range(3) for b in range(3) if a + b <= 3]
    assert (reach.tables, reach.connected) == (len(tables), True)
