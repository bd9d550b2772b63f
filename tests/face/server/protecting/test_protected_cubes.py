"""Answers of a cube that was protected beforehand: what their release says is true, and exact for cells of the cube."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import fiberwalk as fw

DIMS = ("sex", "age", "region")
LABELS = {"sex": ["f", "m"], "age": ["0-4", "5-9", "10-14"], "region": ["N", "S"]}
COUNTS = xr.DataArray(np.random.default_rng(5).poisson(3, (2, 3, 2)), dims=DIMS, coords=LABELS)
NOISE = fw.protect.uniform_noise(2)
PTABLE = [[1, 0, 0, 0], [0.3, 0.4, 0.2, 0.1], [0, 0.3, 0.4, 0.3], [0, 0, 0.4, 0.6]]
METHODS = {
    "random_round": {"base": 3},
    "semi_controlled_round": {"base": 3},
    "controlled_round": {"base": 3},
    "round_to": {"base": 5},
    "add_noise": {"noise": NOISE},
    "perturb": {"matrix": PTABLE},
}
RULES = fw.server.ServerRules(max_filters=None, max_labels=None)
REQUESTS = (("sex,age", None), ("region", None), ("age,region", {"sex": "f"}), ("region", {"age": ["0-4", "5-9"]}),
            ("age,sex", {"age": ["0-4"]}), ("sex", {"age": "5-9", "region": "S"}))  # fmt: skip


def served(method, parameters, **options):
    return fw.server.TableServer(
        COUNTS, mechanism=method, parameters=parameters, when="before", rules=RULES, **{"seed": 8} | options
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
def test_the_truth_is_within_the_bounds_of_every_release(method, seed):
    server = served(method, METHODS[method], seed=seed)
    for dims, where in REQUESTS:
        release = server.tabulate(dims, where).release()
        assert ((release.lower <= release.truth) & (release.truth <= release.upper)).all()
        assert (fw.bounds(release)["lower"] <= release.upper.max()).all()
        assert "protected by" in release.applied[0].words or release.likelihood != "support only"


@pytest.mark.parametrize("method", METHODS)
def test_the_cube_itself_is_read_as_the_method_says(method):
    server = served(method, METHODS[method])
    answer = server.tabulate("region,sex,age")
    release = answer.release()
    expected = (
        "support only" if method == "controlled_round" else "cellwise approximation" if "semi" in method else "exact"
    )
    assert release.likelihood == expected
    assert (release.published.transpose(*answer.table.dims).values == answer.table.values).all()


def test_cells_of_the_cube_in_other_tables_are_read_exactly():
    server = served("add_noise", {"noise": NOISE})
    for dims, where in (("age,region", {"sex": "f"}), ("sex", {"age": "5-9", "region": "S"})):
        answer = server.tabulate(dims, where)
        release = answer.release()
        assert release.likelihood == "exact"
        assert (release.published.transpose(*answer.table.dims).values == answer.table.values).all()
    server = served("add_noise", {"noise": NOISE}, noisy_zeros=True)
    release = server.tabulate("age,region", {"sex": "f"}).release()
    assert (release.figures.reshape(3, 2) == server.tabulate("age,region", {"sex": "f"}).table.values).all()


def test_of_swapped_cubes_the_kept_sums_are_told():
    server = served("swap", {"dim": "region", "rate": 0.6, "within": "sex"})
    release = server.tabulate("age,region").release()
    bounds = fw.bounds(release)
    assert release.likelihood == "support only"
    by_age = COUNTS.sum(["sex", "region"])
    for age in LABELS["age"]:
        assert bounds.xs(age, level="age")["upper"].max() <= int(by_age.sel(age=age))
    assert len(fw.bounds(server.tabulate("sex,age").release())) == 0  # these are true
    assert len(fw.bounds(server.tabulate("sex,region").release())) == 0  # so are dim x within
    both = fw.server.TableServer(
        COUNTS, before=("swap", {"dim": "region", "rate": 0.6}), mechanism="random_round", seed=8, rules=RULES
    )
    assert both.tabulate("sex,age").release().likelihood == "exact"
    with pytest.raises(fw.InputError, match="Tables without region are as in the true cube"):
        both.tabulate("sex,region").release()


def test_both_steps_add_up():
    server = fw.server.TableServer(
        COUNTS,
        before=("random_round", {"base": 3}),
        mechanism="add_noise",
        parameters={"noise": NOISE},
        seed=2,
        rules=RULES,
    )
    answer = server.tabulate("sex")
    release = answer.release()
    reach = 2 * 6 + 2  # six cells of the cube, less than 3 away each, then noise
    figures = answer.table.values
    assert (release.upper == figures + reach).all()
    assert (release.lower == np.maximum(figures - reach, figures > 0)).all()
    assert "counted from a cube protected by random-round base=3, then add-noise" in release.applied[0].words


def test_where_nothing_is_known_the_sentence_says_so():
    server = served("pram", {"dim": "region", "stay": 0.8}, risk="r1")
    with pytest.raises(fw.InputError, match=r"what it tells of the truth is not known. Ask for the cube itself"):
        server.tabulate("region").release()
    assert server.tabulate(DIMS).release().applied


def test_tables_of_a_protected_cube_are_protected_by_the_keys_of_its_own_people():
    """A swapped record is in other cells, and so are its draws: the same cells of the protected cube are alike."""
    server = fw.server.TableServer(
        COUNTS, before=("swap", {"dim": "region", "rate": 0.9}), mechanism="add_noise", parameters={"noise": NOISE}, seed=8,
        rules=RULES,
    )  # fmt: skip
    whole = server.tabulate(DIMS).table
    for label in LABELS["region"]:
        xr.testing.assert_equal(server.tabulate("sex,age", {"region": label}).table, whole.sel(region=label, drop=True))
    swapped = server.maker.protected_cube.cut(server.cube.whole()).counts
    assert (whole.values[swapped == 0] == 0).all()


def test_people_of_a_stored_version_keep_their_keys():
    rows = COUNTS.to_series().rename("n").reset_index()
    people = rows.loc[rows.index.repeat(rows["n"])].drop(columns="n").reset_index(drop=True)
    people = people.join(fw.server.record_keys(people, seed=1))
    moved = people.copy()
    moved.loc[0, "region"] = "S" if people.loc[0, "region"] == "N" else "N"
    tables = [
        fw.server.TableServer(data, mechanism="random_round", seed=8, rules=RULES).tabulate("sex,age").table
        for data in (people, moved, pd.concat([moved.iloc[5:], moved.iloc[:5]]))
    ]
    xr.testing.assert_equal(tables[0], tables[1])  # region is not shown: nobody came or went
    xr.testing.assert_equal(tables[0], tables[2])
