"""The server of flexible tables: what it counts, refuses, protects and tells."""

from __future__ import annotations

import doctest
import importlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import fiberwalk as fw
from fiberwalk.server.cube.reading import as_hypercube
from fiberwalk.server.rules import TOO_THIN

DIMS = ("sex", "age", "region")
LABELS = {"sex": ["f", "m"], "age": ["0-4", "5-9", "10-14"], "region": ["1", "2"]}
STAYS_OFTEN = [[1, 0, 0, 0], [0.3, 0.4, 0.2, 0.1], [0, 0.3, 0.4, 0.3], [0, 0, 0.4, 0.6]]


def people(counts: np.ndarray) -> pd.DataFrame:
    """One row a person."""
    rows = [
        [LABELS[dim][i] for dim, i in zip(DIMS, place, strict=True)]
        for place in np.ndindex(counts.shape)
        for _ in range(counts[place])
    ]
    return pd.DataFrame(rows, columns=list(DIMS), dtype=object)


def cube_of(counts: np.ndarray) -> xr.DataArray:
    return xr.DataArray(counts, dims=DIMS, coords=LABELS)


COUNTS = np.random.default_rng(5).poisson(3, (2, 3, 2))
CUBE = cube_of(COUNTS)
NOISE = fw.protect.uniform_noise(2)
small_counts = st.lists(st.integers(0, 4), min_size=12, max_size=12).filter(any).map(lambda c: np.reshape(c, (2, 3, 2)))


def served(data=CUBE, **settings):
    return fw.server.TableServer(
        data, **{"seed": 7, "rules": fw.server.ServerRules(max_filters=None, max_labels=None), **settings}
    )


# --- counting -----------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(small_counts, st.permutations(DIMS), st.integers(1, 3), st.sets(st.sampled_from(LABELS["age"]), min_size=1))
def test_microdata_and_cube_are_counted_alike(counts, order, number, ages):
    records, dims = people(counts), list(order[:number])
    there = [one for one in ages if one in set(records["age"])]
    if not there:
        return
    naive = Counter(tuple(row[dim] for dim in dims) for _, row in records.iterrows() if row["age"] in there)
    for data in (records, cube_of(counts)):
        table = served(data).tabulate(dims, {"age": there}).table
        assert table.dims == tuple(dims)
        assert int(table.sum()) == sum(naive.values())
        for labels, count in naive.items():
            assert int(table.sel(dict(zip(dims, labels, strict=True)))) == count


def test_every_form_of_the_data_gives_the_same_table(tmp_path):
    series = CUBE.to_series()
    long = series.rename("freq").reset_index()
    long.to_csv(tmp_path / "cube.csv", index=False, sep=";")
    long.to_parquet(tmp_path / "cube.parquet")
    records = people(COUNTS).sample(frac=1, random_state=1).rename_axis("person")
    records.to_csv(tmp_path / "people.csv", index=False)
    for data in (series, long, tmp_path / "cube.csv", tmp_path / "cube.parquet", records, tmp_path / "people.csv"):
        table = served(data).tabulate("age,sex").table
        xr.testing.assert_equal(
            table.sel(CUBE.coords["age"].coords), CUBE.sum("region").transpose("age", "sex").rename("count")
        )


def test_counts_have_the_same_keys_in_every_form_and_order():
    long = CUBE.to_series().rename("freq").reset_index()
    levels = long.assign(child=np.where(long["age"] == "10-14", "no", "yes"))
    one, *others = (
        served(data, mechanism="random_round").tabulate(DIMS).table
        for data in (
            CUBE,
            CUBE.transpose(),
            long.sample(frac=1, random_state=2),
            long[long["freq"] > 0],
            people(COUNTS),
        )
    )
    for other in others:
        xr.testing.assert_equal(one, other.sel(one.coords))
    told = served(levels, mechanism="random_round", hierarchies={"age": "child"}).tabulate(DIMS).table
    xr.testing.assert_equal(one, told.sel(one.coords))


def test_counts_of_the_same_cell_add_up_and_zeros_need_no_row():
    rows = pd.DataFrame({"a": ["x", "x", "y"], "b": ["1", "1", "2"], "n": [2, 3, 0]})
    assert served(rows).tabulate("a,b").table.values.tolist() == [[5, 0], [0, 0]]


def test_labels_are_texts_as_they_are_written_and_in_a_sensible_order(tmp_path):
    (tmp_path / "people.csv").write_text("age,code\n10-14,007\n 5-9,07\n5-9,7\n")
    labels = as_hypercube(tmp_path / "people.csv", seed=1).labels
    assert labels == {"age": ("5-9", "10-14"), "code": ("007", "07", "7")}
    years = pd.DataFrame({"age": [30, 5, 100], "size": pd.Categorical(list("sls"), ["s", "m", "l"], ordered=True)})
    labels = as_hypercube(years, seed=1).labels
    assert labels == {"age": ("5", "30", "100"), "size": ("s", "l")}


def test_a_column_that_follows_from_another_is_its_level():
    rows = pd.DataFrame(
        {"band": ["child", "child", "adult"], "age": ["3", "9", "40"], "sex": ["f", "m", "f"], "n": [4, 5, 6]}
    )
    server = served(rows, hierarchies={"sex": {"anybody": ["f", "m"]}})
    assert {one.name: one.level_of for one in server.cube.columns} == {
        "band": "age", "age": None, "sex": "age", "sex:1": "age"
    }  # fmt: skip
    assert server.tabulate("band").table.to_series().to_dict() == {"child": 9, "adult": 6}
    assert server.tabulate("age,sex:1", {"band": "child"}).table.values.tolist() == [[4], [5], [0]]
    banded = CUBE.assign_coords(band=("age", ["young", "young", "old"]))
    table = served(banded, hierarchies={"age": "band"}).tabulate("band").table
    assert table.to_series().to_dict() == {"young": int(COUNTS[:, :2].sum()), "old": int(COUNTS[:, 2].sum())}


def test_a_label_that_nobody_has_keeps_its_group():
    banded = cube_of(COUNTS * (np.arange(3) < 2)[:, None]).assign_coords(band=("age", ["young", "young", "old"]))
    rows = banded.drop_vars("band").to_series().rename("n").reset_index()
    rows["band"] = np.where(rows["age"] == "10-14", "old", "young")
    noise = {
        "mechanism": "add_noise",
        "parameters": {"noise": {5: 1.0}},
        "when": "before",
        "noisy_zeros": True,
    }  # nobody is left out
    for data, more in ((banded, {"hierarchies": {"age": "band"}}), (rows, {})):
        table = served(data, **noise, **more).tabulate("band").table
        assert int(table.sel(band="old")) == 5 * 4


# --- rules --------------------------------------------------------------------------------------------------------

ONES = cube_of(np.ones((2, 3, 2), dtype=int))


@pytest.mark.parametrize(
    ("rules", "dims", "where", "reason", "notice"),
    [
        ({"max_dims": 2}, DIMS, None, "the table has 3 dims; at most 2 are allowed", None),
        ({"max_filters": 0}, "sex", {"region": "1"}, "the table has 1 filter; at most 0 are allowed", None),
        ({"max_filters": 1}, "sex", {"region": "1", "age": "0-4"}, "the table has 2 filters; at most 1 is allowed", None),
        ({}, "sex", {"age": ["0-4", "5-9"]}, "the filter of 'age' names 2 labels; at most 1 is allowed", None),
        ({"max_cells": 5}, "sex,age", None, "the table has 6 cells; at most 5 are allowed", None),
        ({"min_population": 1000}, "sex", None, "its figures add up to 12; at least 1,000 are needed", TOO_THIN),
        ({"max_small_share": 0.25}, DIMS, None, "100% of its 12 figures are 1 to 2; at most 25% are allowed", TOO_THIN),
        ({"max_small_share": 0.25, "small": 1}, DIMS, None, "of its 12 figures are 1; at most 25% are", TOO_THIN),
        ({"min_mean_cell": 2.5}, "sex,age", None, "its figures are 2 on average; at least 2.5 are needed", TOO_THIN),
        ({"max_dims": 1, "max_filters": 0}, "sex,age", {"region": "1"}, "2 dims; at most 1 is allowed; the table has", None),
    ],
)  # fmt: skip
def test_a_broken_rule_is_told_with_its_figures(rules, dims, where, reason, notice):
    answer = served(ONES, rules=fw.server.ServerRules(**rules)).tabulate(dims, where)
    assert not answer.released
    assert reason in answer.reason
    assert (notice or answer.reason) == answer.notice
    assert answer.table is None
    if notice is None:
        assert answer.withheld is answer.original is answer.utility is None
    else:  # what was made is kept for the agency
        assert (answer.withheld == answer.original).all()
    with pytest.raises(fw.InputError) as error:
        answer.public().to_frame()
    assert str(error.value) == f"there is no table: it was refused, because {answer.notice}."  # and no true figure
    assert repr(answer).endswith(f": refused, because {answer.notice}>")
    assert answer.reason in answer.summary()


def test_nobody_in_the_table():
    rows = pd.DataFrame({"a": ["x", "y"], "b": ["1", "2"], "c": ["p", "p"], "n": [3, 4]})
    for fewest in (None, 10):
        server = served(rows, rules=fw.server.ServerRules(max_filters=2, min_population=fewest))
        nobody, some = (server.tabulate("c", {"a": "x", "b": b}) for b in ("2", "1"))
        assert nobody.reason == f"its figures add up to 0; at least {fewest or 1} {'are' if fewest else 'is'} needed"
        assert nobody.notice == TOO_THIN
    assert nobody.notice == some.notice  # which does not tell whether there is anybody
    seven = fw.server.ServerRules(min_population=7)
    assert served(rows, rules=seven).tabulate("c").released  # exactly as many as needed


def test_what_follows_by_chance_is_no_less_risky():
    """Everybody in a town has the same job: the empty cells beside are what discloses it."""
    towns = np.repeat(["a", "b", "c"], 20)
    records = pd.DataFrame({"town": towns, "job": np.where(towns == "a", "baker", "smith")})
    answer = served(records).tabulate("town,job")
    assert answer.risk_before == fw.risk.split_risk([[20, 0], [0, 20], [0, 20]])
    assert answer.cells == 3  # that can be occupied, if job is a level of town


def test_numbers_of_rows_are_no_dim(tmp_path):
    rows = pd.DataFrame([(a, b, 5) for a in range(10) for b in range(10)], columns=["a", "b", "count"])
    with pytest.raises(fw.InputError, match="column 'number' has another label in every row, as if it numbered them"):
        served(rows.assign(number=range(100)))
    assert served(rows.assign(group=rows["a"] // 2)).tabulate("a,b").cells == 100  # a level is welcome
    rows[rows["b"] > 4].to_parquet(tmp_path / "cube.parquet")  # with the index of the rows that were picked
    assert list(served(tmp_path / "cube.parquet").cube.labels) == ["a", "b"]


def test_a_level_beside_its_dim_does_not_make_small_cells_rare():
    banded = ONES.assign_coords(band=("age", ["young", "young", "old"]))
    server = served(banded, hierarchies={"age": "band"}, rules=fw.server.ServerRules(max_small_share=0.6))
    assert "100% of its 12 figures" in server.tabulate("region,age,sex").reason
    beside = served(
        banded, hierarchies={"age": "band"}, mechanism="random_round", rules=fw.server.ServerRules(max_dims=4)
    )
    plain, nested = (beside.tabulate(dims) for dims in ("age,sex,region", "age,band,sex,region"))
    assert nested.table.size == 2 * plain.table.size
    assert (nested.size, nested.risk_before, nested.risk_after) == (plain.size, plain.risk_before, plain.risk_after)
    some = beside.tabulate("band,age", {"age": ["0-4", "5-9"]})
    assert some.cells == 2


def test_labels_that_never_meet():
    rows = people(ONES.values).assign(child=lambda them: np.where(them["age"] == "10-14", "no", "yes"))
    server = served(rows, mechanism="perturb", parameters={"matrix": STAYS_OFTEN})
    answer = server.tabulate("age,child", {"age": "10-14", "child": "yes"})
    assert (answer.table.values.tolist(), answer.cells) == ([[0]], 0)  # a part of the table of all ages
    for label in ("1", "2"):  # keys of empty cells where two filters are set
        rows = pd.DataFrame({"a": ["x", "y"], "b": ["1", "2"], "c": ["1", "2"], "d": ["p", "q"]})
        table = served(rows, mechanism="perturb", parameters={"matrix": STAYS_OFTEN}).tabulate(
            "d", {"b": label, "c": label}
        )
        assert table.released


def test_a_figure_beyond_a_limit_is_told_apart_from_it():
    rows = pd.DataFrame({"a": ["x", "y"], "n": [12_999, 13_000]})
    reason = served(rows, rules=fw.server.ServerRules(min_mean_cell=13_000)).tabulate("a").reason
    assert reason == "its figures are 12,999.5 on average; at least 13,000 are needed"
    assert served(rows, rules=fw.server.ServerRules(min_mean_cell=12_999.5)).tabulate("a").released


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        ({"max_dims": 0}, "max_dims=0): a whole number of at least 1"),
        ({"min_population": 2.5}, "min_population=2.5): a whole number of at least 0"),
        ({"min_mean_cell": "x"}, "min_mean_cell='x'): a number of at least 0"),
        ({"max_small_share": 10}, "max_small_share=10): a share of cells, from 0 to 1"),
        ({"small": None}, "small=None): a whole number of at least 1"),
        ({"dims": []}, "dims=[]): a list of names"),
        ({"areas": ["region"]}, "areas=['region']): the name of one dim"),
        ({"max_cells": 0}, "max_cells=0): a whole number of at least 1"),
    ],
)
def test_rules_are_checked(rules, problem):
    with pytest.raises(fw.InputError) as found:
        fw.server.ServerRules(**rules)
    assert problem in str(found.value)


# --- the five steps -----------------------------------------------------------------------------------------------


def test_risk_and_utility_are_those_of_the_measures():
    answer = served(mechanism="random-round", parameters={"base": 3}, max_risk=1).tabulate("age,sex", by="age")
    true = CUBE.sum("region").transpose("sex", "age")
    shown = answer.table.transpose("sex", "age")
    changes = fw.risk.changes_of("random_round", {"base": 3})
    assert answer.released
    assert (answer.table % 3 == 0).all()
    assert answer.risk_before == pytest.approx(fw.risk.split_risk(true.values))
    assert answer.risk_after == pytest.approx(fw.risk.perturbed_risk(true.values, shown.values, changes))
    assert answer.utility == pytest.approx(fw.risk.hellinger_utility(true.values, shown.values))
    xr.testing.assert_equal(answer.original, true.transpose("age", "sex").rename("count"))
    xr.testing.assert_allclose(answer.risk_by_before, fw.risk.split_risk(true, by="age"))
    assert answer.risk_by_after.dims == ("age",)
    assert (answer.population, answer.cells, answer.mean_cell) == (COUNTS.sum(), 6, COUNTS.sum() / 6)
    told = answer.summary()
    assert "age x sex: released." in told
    assert "Protected by random-round base=3." in told
    other = served(mechanism="random_round", risk="r1").tabulate("sex,age")
    assert other.risk_before == pytest.approx(fw.risk.r1(true.values))
    assert other.risk_after == pytest.approx(fw.risk.r2(true.values, other.table.values))


def test_what_is_too_risky_is_told_to_the_agency_alone():
    answer, calm = served(mechanism="random_round", max_risk=0.001).tabulate(DIMS), served(max_risk=1).tabulate("sex")
    assert answer.released
    assert (answer.needs_protection, answer.too_risky) == (True, True)
    assert (calm.needs_protection, calm.too_risky) == (False, False)
    assert f"{answer.risk_after:.3f} after (above 0.001)" in answer.summary()
    assert answer.table.equals(served(mechanism="random_round").tabulate(DIMS).table)
    assert served(mechanism="random_round").tabulate(DIMS).too_risky is None
    assert served(max_risk=0.001).tabulate(DIMS).risk_after == pytest.approx(fw.risk.split_risk(COUNTS))


def test_before_the_cube_is_protected_once():
    rows = pd.concat([people(COUNTS), people(COUNTS)])
    rows["child"] = np.where(rows["age"] == "10-14", "no", "yes")
    server = served(rows, mechanism="swap", parameters={"dim": "region", "rate": 0.5}, when="before")
    whole = server.tabulate(DIMS).table
    assert not whole.equals(server.tabulate(DIMS).original)
    for dims in ("region", "age,region", "sex,age"):
        xr.testing.assert_equal(
            server.tabulate(dims).table, whole.sum(set(DIMS) - set(dims.split(","))).transpose(*dims.split(","))
        )
    xr.testing.assert_equal(server.tabulate("sex,age").table, server.tabulate("sex,age").original)
    levels = server.tabulate("child,region").table
    assert int(levels.sel(child="no", region="1")) == int(whole.sel(age="10-14", region="1").sum())
    answer, swapping = server.tabulate("sex,age"), fw.risk.changes_of("swap", {"dim": "region", "rate": 0.5})
    assert answer.risk_after == pytest.approx(fw.risk.perturbed_risk(answer.original, answer.table, swapping))


def test_the_cube_first_and_then_every_table():
    both = served(mechanism="random_round", before=("swap", {"dim": "region", "rate": 0.5}))
    answer = both.tabulate("age,region")
    assert (answer.table % 3 == 0).all()
    rounding = fw.risk.changes_of("random_round", {"base": 3})
    left = fw.risk.perturbed_risk(answer.original, answer.table, rounding, multiplier=0.5 / 3)
    assert answer.risk_after == pytest.approx(left)
    assert "swap dim=region rate=0.5 on the cube, then random-round" in answer.summary()


# --- consistency --------------------------------------------------------------------------------------------------

KEYED = {
    "random_round": {"base": 3},
    "perturb": {"matrix": STAYS_OFTEN, "last_rows": 2},
    "add_noise": {"noise": NOISE},
}


@settings(max_examples=25, deadline=None)
@given(small_counts, st.sampled_from(sorted(KEYED)), st.booleans())
def test_the_same_people_are_published_alike_in_every_table(counts, method, as_records):
    data = people(counts) if as_records else cube_of(counts)
    server = served(data, mechanism=method, parameters=KEYED[method])
    whole = server.tabulate(DIMS).table
    for dim in DIMS:
        rest = [one for one in DIMS if one != dim]
        for label in whole[dim].values:
            # The same cells, cut out by a filter: those without anybody are alike, too.
            answer = server.tabulate(rest[::-1], {dim: label})
            if answer.released:
                xr.testing.assert_equal(answer.table.transpose(*rest), whole.sel({dim: label}, drop=True))
        table, true = server.tabulate(rest).table, server.tabulate(DIMS).original
        # A sum of which all people are in one cell is that cell.
        alone = ((true > 0).sum(dim) == 1) & (true.sum(dim) > 0)
        same = whole.where(true > 0).max(dim)
        assert bool((table == same).where(alone, True).all())


def test_another_seed_changes_other_cells_and_the_same_request_none():
    tables = [served(mechanism="random_round", seed=seed).tabulate(DIMS).table for seed in (1, 1, 2)]
    assert tables[0].equals(tables[1])
    assert not tables[0].equals(tables[2])
    assert served(seed=None).seed != served(seed=None).seed


def test_a_request_and_its_transpose_are_one_for_every_method():
    for method, parameters in {"add_noise": {"noise": NOISE}, "round_to": {"base": 5}}.items():
        server = served(mechanism=method, parameters=parameters)
        xr.testing.assert_equal(
            server.tabulate("age,sex").table, server.tabulate("sex,age").table.transpose("age", "sex")
        )


def test_the_same_people_in_other_words_bring_no_second_draw():
    rows = pd.concat([people(COUNTS)] * 3)
    rows["child"] = np.where(rows["age"] == "10-14", "no", "yes")
    server = served(rows, mechanism="random_round", parameters={"base": 7})
    one, other = (server.tabulate("sex,region", where) for where in ({"child": "yes"}, {"age": ["0-4", "5-9"]}))
    xr.testing.assert_equal(one.table, other.table)
    assert not one.table.equals(one.original)


def test_groups_at_will_average_out_what_is_random():
    """Why filters name one label unless the agency says otherwise."""
    random, ages = np.random.default_rng(3), [str(age) for age in range(8)]
    counts = xr.DataArray(random.poisson(9, (8, 3)), dims=["age", "sex"], coords={"age": ages, "sex": list("fmx")})
    server = served(counts, mechanism="random_round")
    groups = random.random((200, 8)) < 0.5
    groups = groups[groups.any(axis=1) & ~groups.all(axis=1)]
    seen = [
        server.tabulate("sex", {"age": [a for a, there in zip(ages, g, strict=True) if there]}).table for g in groups
    ]
    found = np.linalg.lstsq(groups.astype(float), np.array(seen, dtype=float), rcond=None)[0]
    assert (np.rint(found) == counts.values).mean() > 0.8 > (server.tabulate("age,sex").table == counts).mean()


@pytest.mark.parametrize(
    "own", [lambda n: np.random.default_rng(1).random(n), np.arange, lambda n: n * 10.0 ** np.arange(-n, 0)]
)
def test_record_keys_of_ones_own(own):
    records = people(COUNTS)
    records["key"] = own(len(records))
    shuffled = records.sample(frac=1, random_state=3)
    one, other = (
        served(data, keys="key", mechanism="random_round").tabulate(DIMS).table for data in (records, shuffled)
    )
    xr.testing.assert_equal(one, other)
    tables = [served(records, keys="key", mechanism="random_round", seed=seed).tabulate(DIMS).table for seed in (1, 2)]
    assert not tables[0].equals(tables[1])
    up = [float((table > served().tabulate(DIMS).table).mean()) for table in tables]
    assert 0.1 < np.mean(up) < 0.7  # small whole numbers do not all lie near 0


def test_stored_keys_are_found_and_any_engine_can_add_them_up():
    records = people(COUNTS)
    records = records.join(fw.server.record_keys(records, seed=3)).sample(frac=1, random_state=4)
    halves = ["record_key_high", "record_key_low"]
    assert (records[halves] < 2**32).all(axis=None)
    server = served(records, mechanism="random_round")
    assert list(server.cube.labels) == list(DIMS)
    table = server.tabulate(DIMS).table
    named = records.rename(columns={"record_key_high": "h", "record_key_low": "l"})
    xr.testing.assert_equal(table, served(named, keys=["h", "l"], mechanism="random_round").tabulate(DIMS).table)
    assert not table.equals(served(records[list(DIMS)], mechanism="random_round").tabulate(DIMS).table)
    summed = records.groupby(list(DIMS))[halves].sum().to_xarray().sel(CUBE.coords).fillna(0)
    for keys in (summed, {half: summed[half].astype(np.int64) for half in halves}):
        by_function = fw.protect.random_round(CUBE, keys=keys, seed=server.seed).published.rename("count")
        xr.testing.assert_equal(table, by_function)
    with pytest.raises(fw.InputError, match=r"the data have keys already \(record_key_high, record_key_low\)"):
        fw.server.record_keys(records)
    assert not fw.server.record_keys(people(COUNTS)).equals(fw.server.record_keys(people(COUNTS)))


# --- the release --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "parameters"),
    [*KEYED.items(), ("round_to", {"base": 5})],
)
def test_the_release_has_the_figures_of_the_table(method, parameters):
    answer = served(mechanism=method, parameters=parameters).tabulate(
        "region,age,sex" if method == "perturb" else "age,sex"
    )
    release = answer.release()
    assert (release.published.transpose(*answer.table.dims).values == answer.table.values).all()
    assert not answer.table.equals(answer.original)
    assert (release.truth.reshape(release.published.shape) == answer.original.transpose(*release.published.dims)).all()


def test_an_audit_of_the_release_says_how_probable_each_count_is():
    answer = served(mechanism="random_round", parameters={"base": 3}).tabulate("sex", {"region": "1"})
    audit = fw.audit(answer.release(exact=[""]))
    shown, total = answer.table.sel(sex="f").item(), answer.original.sum().item()
    f = np.arange(max(0, shown - 2), shown + 3)
    weight = np.maximum(1 - np.abs(f - shown) / 3, 0) * np.maximum(
        1 - np.abs(total - f - answer.table.sel(sex="m").item()) / 3, 0
    )
    expected = {int(value): w / weight.sum() for value, w in zip(f, weight, strict=True) if w > 0}
    assert audit.pmf(sex="f").to_dict() == pytest.approx(expected)
    assert len(fw.audit(served().tabulate("sex").release()).cells) == 0  # nothing is hidden


# --- wrong input --------------------------------------------------------------------------------------------------

ROWS = pd.DataFrame({"sex": ["f", "m", "f"], "age": ["1", "2", "3"], "count": [1, 2, 3]})


@pytest.mark.parametrize(
    ("data", "settings", "problem"),
    [
        (ROWS.assign(sex=["f", None, "m"]), {}, "row 2 has no label in column 'sex'"),
        (ROWS.assign(sex=["f", "m", " "]), {}, "row 3 has no label in column 'sex'"),
        (ROWS.assign(count=[1, -2, 3]), {}, "row 2: the count '-2' in column 'count' is negative"),
        (ROWS.assign(count=[1, 2, 3.5]), {}, "row 3: the count '3.5' in column 'count' is not a whole number"),
        (ROWS.assign(count=["1", "x", "3"]), {}, "row 2: the count 'x' in column 'count' is no number"),
        (ROWS.assign(count=0), {}, "all counts are zero: there is nobody to be counted"),
        (ROWS.assign(sex=["f", "m", "Total"]), {}, "column 'sex' has the label 'Total', the word kept for sums"),
        (ROWS.assign(n=1), {}, "it is not clear which of count, n holds the counts; give count=."),
        (ROWS, {"count": "cuont"}, "there is no column 'cuont'; did you mean 'count'?"),
        (ROWS, {"columns": ["sex", "agee"]}, "there is no column 'agee'; did you mean 'age'?"),
        (ROWS, {"keys": "age"}, "keys= belongs to records, one row a person"),
        (ROWS[["sex", "age"]].assign(k=7), {"keys": "k"}, "the keys in 'k' are 1 numbers for 3 records: every person needs"),
        (ROWS[["sex", "age"]].assign(k=[1, 2, -3]), {"keys": "k"}, "the column of keys, 'k', has negative numbers"),
        (ROWS[["sex", "age"]].assign(h=[1, 2, 3], l=[1, 2, 2**32]), {"keys": ["h", "l"]}, "'l' holds halves of record keys"),
        (ROWS[["sex", "age"]], {"keys": ["sex", "age", "sex"]}, "keys= names a column of numbers, or the two of stored"),
        (ROWS[["sex", "age"]].assign(band=["a", "b", "a"], sex="f").replace({"age": "3"}, "2"),
         {"hierarchies": {"age": "band"}}, "'band' is said to be a level of 'age', but age=2 has 'a' and 'b'"),
        (CUBE, {"impossible": {"age": "0-4"}}, "impossible= is a list of combinations"),
        (CUBE, {"impossible": [{"agee": "0-4"}]}, "impossible= names the dim 'agee'; did you mean 'age'?"),
        (CUBE, {"impossible": [{"age": "0-44"}]}, "impossible= names the label '0-44' of dim 'age'; did you mean '0-4'?"),
        (CUBE, {"impossible": [{"age": ["0-4"], "sex": "f"}]}, "impossible= has age=['0-4'] and sex=f, and "),
        (CUBE, {"impossible": ["age"]}, "a combination is a dict of dim to label, or to labels"),
        (CUBE, {"rules": fw.server.ServerRules(dims="sex,agee")}, "ServerRules(dims=...) names 'agee'; did you mean 'age'?"),
        (CUBE, {"rules": fw.server.ServerRules(areas="regoin")}, "ServerRules(areas=...) names 'regoin'; did you mean"),
        (CUBE, {"mechanism": "perturb", "parameters": {"matrix": [[0.5, 0.5], [0, 1]]}}, "the first row of the matrix"),
        (CUBE, {"mechanism": "add_noise", "parameters": {"noise": NOISE, "floor": False}}, "a figure below 0 would tell"),
        (CUBE, {"mechanism": "add_noise", "parameters": {"noise": NOISE, "noisy_zeros": True}}, "has 'noisy_zeros'"),
        (CUBE, {"mechanism": "swap", "parameters": {"dim": "region"}}, "swap treats a table as a whole: the same people"),
        (CUBE, {"mechanism": "controlled_round"}, "Protect the cube once (when='before'), round all tables"),
        (CUBE, {"mechanism": "semi_controlled_round"}, "or take a method that follows record keys: random_round, add_noise"),
        (CUBE, {"mechanism": "perturb", "parameters": {"matrix": STAYS_OFTEN, "preserve_totals": True}}, "treats a table"),
        (CUBE, {"mechanism": "perturb", "parameters": {"matrix": STAYS_OFTEN, "additive": ["sex"]}}, "treats a table as a"),
        (ROWS[["sex", "age"]], {"keys": "sex"}, "row 1 has no number in the column of keys, 'sex'"),
        (pd.DataFrame({"sex": ["f", "m"] * 30, "id": range(60)}), {}, "column 'id' has another label in every row"),
        (ROWS.assign(sex=[["f"], ["m"], ["f"]]), {}, "column 'sex' holds something else than labels"),
        (ROWS[["count"]], {}, "no column is left for a dim"),
        (ROWS.head(0), {}, "the data have no rows"),
        (ROWS, {"hierarchies": {"agee": {"all": ["1"]}}}, "a hierarchy is given for 'agee'; did you mean 'age'?"),
        (CUBE - 9, {}, "is negative"),
        (CUBE + 0.5, {}, "is not a whole number"),
        (CUBE * 0, {}, "all counts are zero"),
        (CUBE, {"count": "n"}, "count= goes with a long frame or file"),
        ("nowhere.csv", {}, "nowhere.csv: there is no such file"),
        ("nowhere.parquet", {}, "nowhere.parquet: there is no such file"),
        (CUBE, {"mechanism": "randomround"}, "there is no method 'randomround'; did you mean 'random_round'?"),
        (CUBE, {"mechanism": "suppress"}, "suppress"),
        (CUBE, {"mechanism": 3}, "mechanism= is the name of a method"),
        (CUBE, {"parameters": {"base": 3}}, "parameters= needs a mechanism="),
        (CUBE, {"mechanism": "random_round", "parameters": {"seed": 3}}, "parameters= has 'seed', which the server"),
        (CUBE, {"mechanism": "random_round", "parameters": {"bas": 3}}, "random_round has no parameter 'bas'; did"),
        (CUBE, {"mechanism": "random_round", "when": "now"}, "when='now': 'after' (every table is protected) or 'before'"),
        (CUBE, {"before": ("add_noise", {"noise": NOISE}), "mechanism": "random_round", "noisy_zeros": True}, "floor=True"),
        (CUBE, {"before": "swap"}, "before= is a pair of a method and its parameters"),
        (CUBE, {"before": ("swap", {}), "when": "before", "mechanism": "swap"}, "give one of them"),
        (CUBE, {"max_risk": -1}, "max_risk=-1: a number of at least 0"),
        (CUBE, {"risk": "r3"}, "risk='r3': there is no such measure; known: 'split', 'split mean', 'r1'"),
        (CUBE, {"rules": {"max_dims": 3}}, "rules= are ServerRules(...)"),
        (CUBE, {"seed": -1}, "seed=-1: a whole number of at least 0"),
    ],
)  # fmt: skip
def test_wrong_data_and_settings_are_one_sentence(data, settings, problem):
    with pytest.raises(fw.InputError) as found:
        served(data, **settings)
    assert problem in str(found.value)


@pytest.mark.parametrize(
    ("dims", "where", "problem"),
    [
        ("sex,agee", None, "there is no dim 'agee'; did you mean 'age'?"),
        ("", None, "a table needs at least one dim; known: 'sex', 'age', 'region'"),
        (["sex", "sex"], None, "the dim 'sex' is asked for twice"),
        (3, None, "dims= is a list of dims, or a text such as 'sex,age'"),
        ("sex", {"regin": "1"}, "filters= names the dim 'regin'; did you mean 'region'?"),
        ("sex", {"age": "10-15"}, "dim 'age' has no label '10-15'; did you mean '10-14'?"),
        ("sex", {"age": []}, "filters= names no label of the dim 'age'"),
        ("sex", "region=1", "filters= is a dict of dim to label"),
    ],
)
def test_wrong_requests_are_one_sentence(dims, where, problem):
    with pytest.raises(fw.InputError) as found:
        served().tabulate(dims, where)
    assert problem in str(found.value)


def test_what_is_swapped_must_be_a_dim_of_the_cube():
    rows = people(COUNTS).assign(town=lambda them: them["region"] + them["sex"])
    with pytest.raises(fw.InputError, match="'region' is a level of 'town', whose labels would no longer suit"):
        served(rows, mechanism="swap", parameters={"dim": "region"}, when="before")
    with pytest.raises(fw.InputError, match="'regin', which is no dim; did you mean 'region'"):
        served(mechanism="swap", parameters={"dim": "regin"}, when="before")


def test_by_must_be_a_dim_of_the_table():
    with pytest.raises(fw.InputError, match="by='region' is no dim of the table; known: 'sex', 'age'"):
        served().tabulate("sex,age", by="region")


def test_files_of_one_table(tmp_path):
    answer = fw.server.tabulate(CUBE, "sex,age", {"region": 1}, mechanism="random_round", seed=3)
    answer.public().to_csv(tmp_path / "table.csv")
    answer.public().to_parquet(tmp_path / "table.parquet")
    for back in (pd.read_csv(tmp_path / "table.csv"), pd.read_parquet(tmp_path / "table.parquet")):
        assert back["count"].tolist() == answer.table.values.ravel().tolist()
        assert back.columns.tolist() == ["sex", "age", "count"]


def test_columns_of_more_cells_than_a_number_can_count():
    random = np.random.default_rng(1)
    rows = pd.DataFrame({f"c{i}": random.integers(0, 40, 60).astype(str) for i in range(14)})
    cube = as_hypercube(rows, seed=1)
    assert len(cube.counts) == 60
    with pytest.raises(fw.InputError, match="more than the 20,000,000 that are held; ask for fewer dims"):
        fw.server.tabulate(rows, list(rows)[:6], rules=fw.server.ServerRules(max_dims=None))
    with pytest.raises(
        fw.InputError, match="more than the 20,000,000 that can be protected at once: choose fewer columns"
    ):
        fw.server.TableServer(rows, mechanism="random_round", when="before")
    again = as_hypercube(pd.concat([rows, rows]), seed=1)
    assert (again.counts == 2).all()
    assert replace(cube).population == 60


@pytest.mark.parametrize("module", ["rules", "table_server", "answer", "cube.keys_of_people"])
def test_examples_in_docstrings(module):
    assert doctest.testmod(importlib.import_module(f"fiberwalk.server.{module}")).failed == 0


def test_numbers_in_labels_are_sorted_however_long_they_are():
    ages = ["9" * 5_000, "10-14", "5-9", "007", "1" + "0" * 5_000, "7a"]
    cube = as_hypercube(pd.DataFrame({"age": ages, "sex": list("fmfmfm")}), seed=1)
    assert list(cube.labels["age"]) == ["5-9", "007", "7a", "10-14", "9" * 5_000, "1" + "0" * 5_000]


def test_files_of_very_many_columns_are_refused_before_they_are_read(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("," * 500_000)
    with pytest.raises(fw.InputError, match="wide.csv: 500,001 columns; data have one row a person or cell"):
        fw.server.TableServer(path, seed=1)
    names = [f"c{k}" for k in range(300)]
    path.write_text("\n".join([",".join(names), *(",".join([one] * 300) for one in "aba")]))
    with pytest.raises(fw.InputError, match=r"wide.csv: 300 columns would be dims; say which of them are \(columns=\)"):
        fw.server.TableServer(path, seed=1)
    assert fw.server.TableServer(path, columns="c1,c2", seed=1).cube.population == 3


def test_a_file_of_byte_order_marks_is_empty(tmp_path):
    path = tmp_path / "marks.csv"
    path.write_bytes(b"\xef\xbb\xbf" * 2)
    with pytest.raises(fw.InputError, match="marks.csv: the file is empty"):
        fw.server.TableServer(path, seed=1)


def test_labels_that_are_kept_are_right_for_many_threads_at_once(monkeypatch):
    monkeypatch.setattr("fiberwalk.server.tables.MOST_KEPT", 2)  # so that what is kept is emptied again and again
    server = fw.server.TableServer(np.arange(1, 25).reshape(2, 3, 4), seed=1)
    shapes = {"A": (2,), "B": (3,), "C": (4,), "A,B": (2, 3), "C,A": (4, 2), "B,C": (3, 4)}
    asked = list(shapes) * 100
    with ThreadPoolExecutor(8) as threads:
        found = threads.map(lambda dims: server.look(dims).table.shape, asked)
        assert list(found) == [shapes[dims] for dims in asked]
