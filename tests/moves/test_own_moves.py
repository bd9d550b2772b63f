"""sample with moves of one's own, and of the hidden cells alone."""

from __future__ import annotations

import warnings
from itertools import product
from math import factorial, prod

import numpy as np
import pytest
import xarray as xr
from scipy.stats import chisquare

import fiberwalk as fw

TWO_WAY = ["A,B", "A,C", "B,C"]
SQUARE = np.array([[2, 1, 0], [0, 1, 2], [1, 1, 1]])
# 21 tables that swaps of 2 x 2 x 2 cells join, and one that they do not lead to
ONE_APART = np.array(
    [
        [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 0]],
        [[3, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]],
        [[0, 0, 1, 3], [1, 0, 0, 0], [0, 3, 0, 0]],
    ]
)
REJECTED = 1e-6


def swaps(shape):
    """All swaps of a table of this shape."""
    return fw.moves.basic_moves(fw.publish(np.ones(shape, dtype=int), [""]))


def feasible(table):
    """All 3 x 3 tables with the margins of a table, by trying them."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    found = []
    for a, b, c, d in product(range(int(table.sum()) + 1), repeat=4):
        whole = np.zeros((3, 3), dtype=int)
        whole[:2, :2] = [[a, b], [c, d]]
        whole[:2, 2] = rows[:2] - whole[:2, :2].sum(axis=1)
        whole[2] = columns - whole[:2].sum(axis=0)
        if (whole >= 0).all():
            found.append(whole)
    return found


def test_basic_moves_keep_every_margin():
    moves = fw.moves.basic_moves(fw.publish(np.ones((3, 2, 4), dtype=int), TWO_WAY))
    assert len({move.values.tobytes() for move in moves}) == len(moves) == 3 * 1 * 6
    assert all(abs(move).sum() == 8 and not any(move.sum(dim).any() for dim in "ABC") for move in moves)
    assert moves[0].sel(A="1", B="1", C="1") == 1
    assert (
        len(fw.moves.basic_moves(fw.publish([[[1, 2], [3, 4]]], ["A,B"]))) == 1
    )  # a dim of one label has nothing to swap
    with pytest.raises(fw.TooLarge, match="24,502,500 basic moves, too many to be listed"):
        fw.moves.basic_moves(fw.publish(np.ones((100, 100), dtype=int), ["A", "B"]))
    # a swap between two regions would change what is published of each
    regions = {"A": {"North": ["1", "2"], "South": ["3"]}}
    within = fw.moves.basic_moves(fw.suppress(fw.table(SQUARE, hierarchies=regions), where=SQUARE < 9))
    assert [move.values[2].any() for move in within] == [False] * 3
    linked = fw.linked([fw.publish(SQUARE, ["A"]), fw.publish(xr.DataArray(SQUARE, dims=["A", "C"]), ["A"])])
    with pytest.raises(fw.InputError, match="for one table"):
        fw.moves.basic_moves(linked)


def test_moves_that_connect_draw_from_the_law():
    release = fw.publish(SQUARE, ["A", "B"])
    drawn = fw.sample(release, "hypergeometric", draws=2000, chains=2, thin=20, moves=swaps((3, 3)))
    assert drawn.attrs["certificate"] == "connected"
    assert "a walk through all" in drawn.attrs["certificate_reason"]
    assert drawn.attrs["kernels"] == "hit-and-run along a schedule of 9 moves"
    tables = feasible(SQUARE)
    keys = {table.tobytes(): k for k, table in enumerate(tables)}
    flat = drawn["table"].values.reshape(-1, 3, 3).astype(int)
    seen = np.bincount([keys[one.tobytes()] for one in flat], minlength=len(tables))
    weights = np.array([1 / prod(factorial(x) for x in table.ravel()) for table in tables])
    assert chisquare(seen, len(flat) * weights / weights.sum()).pvalue > REJECTED
    assert chisquare(seen, np.full(len(tables), len(flat) / len(tables))).pvalue < REJECTED  # of another law


def test_the_moves_of_choose_moves_are_the_usual_ones():
    release = fw.suppress(SQUARE + 3, where=~np.eye(3, dtype=bool))
    usual = fw.sample(release, "hypergeometric", draws=20, chains=2)
    same = fw.sample(release, "hypergeometric", draws=20, chains=2, moves=fw.moves.choose_moves(release))
    assert same.identical(usual)


def test_chains_that_moves_keep_apart_disagree():
    release = fw.publish(SQUARE, ["A", "B"])
    few = swaps((3, 3))[:3]  # the last row never changes
    with pytest.warns(
        UserWarning, match="do NOT connect all tables: a walk .* Each chain stays in the part where it starts"
    ):
        drawn = fw.sample(release, draws=20, chains=3, moves=few, thin=5)
    assert drawn.attrs["certificate"] == "unproven"
    assert drawn.attrs["certificate_evidence"].startswith("tables in each part: ")
    assert drawn.attrs["converged"] == "no"
    assert drawn.attrs["rhat"] > 2
    last = drawn["table"].sel(A="3")
    assert (last == last.isel(draw=0)).all()
    assert (last.isel(chain=0) != last.isel(chain=1)).any()


def test_chains_that_agree_on_a_part_are_not_believed():
    release = fw.publish(ONE_APART, TWO_WAY)
    with pytest.warns(UserWarning, match="not to be trusted, whether the chains agree or not"):
        drawn = fw.sample(release, draws=200, chains=4, moves=swaps((3, 3, 4)))
    assert drawn.attrs["converged"] == "yes"
    assert drawn.attrs["rhat"] < 1.01
    assert drawn.attrs["certificate_evidence"] == "tables in each part: 21, 1"
    flat = drawn["table"].values.reshape(-1, 36)
    assert len(np.unique(flat, axis=0)) == 21
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fw.sample(release, draws=50).attrs["certificate"] == "connected"


def test_where_tables_are_many_nothing_is_claimed():
    release = fw.publish(np.full((4, 4), 30), ["A", "B"])
    moves = swaps((4, 4))
    drawn = fw.sample(release, draws=10, chains=2, moves=moves)
    assert (drawn.attrs["certificate"], drawn.attrs["certificate_evidence"]) == ("unproven", "")
    assert drawn.attrs["certificate_reason"] == "moves of your own, which nothing is known about"
    with pytest.warns(UserWarning, match="did not agree well enough"):
        drawn = fw.sample(release, draws=10, chains=2, moves=moves[:6], thin=1)
    words = "no move changes A=3, B=1 and 7 more, which the published figures leave open"
    assert drawn.attrs["certificate_evidence"] == words


def test_bounds_rounded_sums_and_excluded_values_are_kept_to():
    release = fw.round_to([[1, 2], [4, 4]], 3)
    single = np.eye(4, dtype=int).reshape(4, 2, 2)
    moves = [*single, *(a - b for a in single for b in single)]
    drawn = fw.sample(release, draws=500, chains=2, moves=moves, thin=5)
    assert drawn.attrs["certificate"] == "connected"
    assert len(np.unique(drawn["table"].values.reshape(-1, 4), axis=0)) == fw.count(release)
    held = fw.publish([[3, 4], [2, 2]], ["A", "B"])
    law = fw.laws.prior([({"A": "1", "B": "1"}, {1: 0.5, 3: 0.5})])
    drawn = fw.sample(held, law, draws=200, chains=2, moves=[[[1, -1], [-1, 1]]])
    assert drawn.attrs["certificate"] == "connected"
    assert np.unique(drawn["table"].sel(A="1", B="1")).tolist() == [1, 3]


def test_a_move_that_changes_a_sum_known_through_its_range_is_never_made():
    """A rounded total of 0 leaves no room, though it is published as a range."""
    release = fw.round_to([[0, 0, 1], [2, 5, 4]], 3, margins=["A"])
    single = [np.eye(6, dtype=int)[k].reshape(2, 3) for k in range(6)]
    drawn = fw.sample(release, draws=300, chains=2, moves=[*single, *(a - b for a in single for b in single)], thin=5)
    flat = drawn["table"].values.reshape(-1, 6)
    assert len(np.unique(flat, axis=0)) <= fw.count(release)
    low, high = fw.bounds(release, hidden_margins=["A"]).loc[("1", "Total")]
    assert flat[:, :3].sum(axis=1).max() <= high
    assert flat[:, :3].sum(axis=1).min() >= low


def test_other_moves_do_not_take_up_a_checkpoint(tmp_path):
    release = fw.publish(SQUARE, ["A", "B"])
    fw.sample(release, draws=5, chains=2, moves=swaps((3, 3)), checkpoint=tmp_path / "run")
    with pytest.raises(fw.InputError, match="belongs to another release, law, seed or version"):
        fw.sample(release, draws=5, chains=2, moves=swaps((3, 3))[1:], checkpoint=tmp_path / "run")


def test_wrong_moves_are_named():
    release = fw.publish(SQUARE, ["A", "B"])
    with pytest.raises(fw.InputError, match=r"move 1 changes a published figure: A=1, B=Total is 3, by \+1"):
        fw.sample(release, moves=[[[1, 0, 0], [0, 0, 0], [0, 0, 0]]])
    for step in (2.0**63, 1e30, 2**61):  # beyond, sums overflow, and kernels write where they must not
        with pytest.raises(fw.InputError, match=r"move 2 changes cells by .* in all: no table is so large"):
            fw.sample(release, moves=[swaps((3, 3))[0].values, swaps((3, 3))[1].values * step])
    with pytest.raises(fw.InputError, match="what choose_moves gave, or a list of moves"):
        fw.sample(release, moves=5)
    with pytest.raises(fw.InputError, match="another release"):
        fw.sample(release, moves=fw.moves.choose_moves(fw.publish(SQUARE + 1, ["A", "B"])))
    law = fw.laws.expected([[0, 1, 1], [1, 1, 1], [1, 1, 1]])
    with pytest.raises(
        fw.InputError, match=r"for another law, which allows other tables: choose_moves\(release, law\)"
    ):
        fw.sample(release, law, moves=fw.moves.choose_moves(release))
    perturbed = fw.protect.markov_perturb(SQUARE + 5, theta=0.2, seed=1)
    with pytest.raises(fw.InputError, match="Markov perturbation published is sampled by paths"):
        fw.sample(perturbed, moves=swaps((3, 3)))


# --- hidden cells alone --------------------------------------------------------------------------------------------

HIDDEN = fw.suppress(
    np.array([[1, 5, 4], [7, 2, 6], [3, 8, 9]]), where=[{"A": a, "B": b} for a in ("1", "2") for b in ("1", "2")]
)


def test_hidden_cells_are_those_of_the_whole_tables():
    whole = fw.sample(HIDDEN, draws=50, chains=2)["table"]
    hidden = fw.sample(HIDDEN, draws=50, chains=2, which="hidden")
    assert hidden["table"].dims == ("chain", "draw", "cell")
    assert hidden["cell"].values.tolist() == ["A=1, B=1", "A=1, B=2", "A=2, B=1", "A=2, B=2"]
    assert hidden["B"].values.tolist() == ["1", "2", "1", "2"]
    for name, a, b in zip(hidden["cell"].values, hidden["A"].values, hidden["B"].values, strict=True):
        np.testing.assert_array_equal(hidden["table"].sel(cell=name), whole.sel(A=a, B=b))
    assert hidden.attrs["certificate"] == "connected"


def test_arviz_has_nothing_to_warn_of():
    import arviz as az

    hidden = fw.sample(HIDDEN, draws=100, chains=2, which="hidden")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        summary = az.summary(hidden, round_to="none")
    assert summary.index.tolist()[0] == "table[A=1, B=1]"
    assert np.isfinite(summary["r_hat"].astype(float)).all()
    with pytest.warns(RuntimeWarning):  # published cells never change
        az.summary(fw.sample(HIDDEN, draws=100, chains=2))


def test_hidden_cells_of_linked_tables():
    first = fw.suppress(SQUARE + 2, where=[{"A": a, "B": b} for a in ("1", "2") for b in ("1", "2")])
    second = xr.DataArray([[4, 5], [2, 7], [6, 3]], dims=["A", "C"], coords={"A": list("123"), "C": ["x", "y"]})
    linked = fw.linked([first, fw.publish(second, ["A", "C"])])
    drawn = fw.sample(linked, draws=20, chains=2, which="hidden")
    assert len(drawn["cell"]) == 4 + 6
    assert "A=1, B=1, C=Total" in drawn["cell"].values
    assert "A=1, B=Total, C=x" in drawn["cell"].values
    totals = drawn["table"].where(drawn["C"] == "x", drop=True).sum("cell")
    assert (totals == 12).all()
    with pytest.raises(fw.InputError, match="2 linked ones; .* or ask for which='hidden'"):
        fw.sample(linked, draws=20)


def test_wrong_cells_are_named():
    with pytest.raises(fw.InputError, match="which='open': 'all' or 'hidden'"):
        fw.sample(HIDDEN, which="open")
    decided = fw.suppress([[1, 2], [3, 4]], where=[[True, False], [False, False]])
    with pytest.raises(fw.InputError, match="there are no such cells, the published figures decide every cell"):
        fw.sample(decided, which="hidden")


def test_a_dim_of_that_name_gets_an_underscore():
    named = fw.publish(fw.examples.dfkpr01().table.isel(K=[0, 1]).rename({"I": "cell"}), ["cell,J", "J,K"])
    drawn = fw.sample(named, draws=5, chains=2, which="hidden")
    assert set(drawn.coords) == {"chain", "draw", "cell", "cell_", "J", "K"}
