"""What decides about a cell: the same people draw alike in whatever way they are asked for, all others independently.

Thresholds lie near 1e-6, seeds are fixed, and a server that takes sums of keys unhashed must fail the same tests.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, kstest, norm
from support.mechanisms import PTABLE

import fiberwalk as fw
from fiberwalk.protect.mechanism.cell_keys import cell_numbers
from fiberwalk.protect.mechanism.keyed_hash import from_0_to_1
from fiberwalk.server.cube.request import as_request

SURE = 1e-6
RULES = fw.server.ServerRules(max_dims=None, max_filters=None, max_labels=None)
NOISE = fw.protect.uniform_noise(2)
METHODS = {
    "random_round": {"base": 3},
    "add_noise": {"noise": NOISE},
    "perturb": {"matrix": PTABLE},
}


def people(n=300, seed=1):
    random = np.random.default_rng(seed)
    age = random.integers(0, 8, n)
    return pd.DataFrame(
        {
            "sex": random.choice(list("fm"), n),
            "age": age.astype(str),
            "region": random.choice(list("NSE"), n, p=[0.7, 0.2, 0.1]),
            "trade": random.choice(list("abcde"), n),
        }
    )


BANDS = {"age": {"band": ["0", "1", "2", "3"], "rest": ["4", "5", "6", "7"]}}


def served(data=None, method="random_round", **options):
    data = people() if data is None else data
    return fw.server.TableServer(
        data, rules=RULES, mechanism=method, parameters=METHODS[method], **{"seed": 5} | options
    )


# --- independence -------------------------------------------------------------------------------------------------------


def groups_and_sums(kind: str, n: int = 4000):
    """Many times: the sums of keys of three disjoint groups of people, of two of them, and of all."""
    random = np.random.default_rng(17)
    keys = random.integers(0, 2**64, (n, 3), dtype=np.uint64)
    if kind == "alike":  # cells of a cube, whose keys follow from labels and counts
        cube = xr.DataArray(np.tile([1, 1, 2], (n, 1)), dims=["a", "b"])
        keys = fw.server.TableServer(cube, seed=4).cube.keys.reshape(n, 3)
    return np.column_stack([keys, keys[:, 0] + keys[:, 1], keys.sum(axis=1, dtype=np.uint64)])


def hashed(sums: np.ndarray) -> np.ndarray:
    return np.concatenate([cell_numbers(part, seed) for seed, part in enumerate(np.split(sums, 10))])  # of ten secrets


def p_of_dependence(numbers: np.ndarray, bins: int = 2) -> float:
    """The p-value of a chi-squared test that all columns together are uniform and independent."""
    cells = Counter(map(tuple, (numbers * bins).astype(int).tolist()))
    expected = len(numbers) / bins ** numbers.shape[1]
    observed = np.array([cells[place] for place in np.ndindex((bins,) * numbers.shape[1])])
    return float(chi2.sf(((observed - expected) ** 2 / expected).sum(), len(observed) - 1))


@pytest.mark.parametrize("kind", ["records", "alike"])
def test_groups_and_their_parts_draw_independently(kind):
    sums = groups_and_sums(kind)
    for bins in (2, 3):
        assert p_of_dependence(hashed(sums), bins) > SURE
        assert p_of_dependence(from_0_to_1(sums), bins) < SURE  # unhashed, a sum is tied to its parts


def test_three_cells_and_their_sum_come_out_in_every_way():
    """Of 1, 1 and 2 people: 3, 3 and 0, in 1/3 1/3 1/3 of all cases, whatever their sum is."""
    n, found = 4000, 0
    sums = groups_and_sums("records", n)
    rounded = {}
    for name, numbers in (("hashed", hashed(sums)), ("unhashed", from_0_to_1(sums))):
        up = np.column_stack([numbers[:, i] < share for i, share in enumerate((1 / 3, 1 / 3, 2 / 3))])
        whole = numbers[:, 4] < 1 / 3
        rounded[name] = int((up[:, 0] & up[:, 1] & ~up[:, 2] & ~whole).sum())
    p = (1 / 3) ** 3 * 2 / 3
    for name, found in rounded.items():
        z = (found - n * p) / np.sqrt(n * p * (1 - p))
        assert (abs(norm.isf(SURE / 2)) > abs(z)) == (name == "hashed"), (name, found)


def test_draws_of_servers_with_other_seeds_and_of_neighbouring_groups_are_uniform():
    sums = np.arange(20_000, dtype=np.uint64)  # keys that are as unlike random ones as can be
    numbers = cell_numbers(sums, 3)
    assert kstest(numbers, "uniform").pvalue > SURE
    assert p_of_dependence(np.column_stack([numbers[:-2], numbers[1:-1], numbers[2:]]), 4) > SURE
    other = cell_numbers(sums, 4)
    assert p_of_dependence(np.column_stack([numbers, other]), 8) > SURE


# --- the law ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_the_marginal_law_is_that_of_the_method(method):
    """Published figures of cells of each true count, over many cells and seeds."""
    expected = {
        "random_round": lambda x: {x // 3 * 3: 1 - x % 3 / 3, x // 3 * 3 + 3: x % 3 / 3},
        "add_noise": lambda x: {0: 1.0} if x == 0 else noisy(x),
        "perturb": lambda x: dict(enumerate(PTABLE[x])) if x < 5 else {x - 2: 0.2, x - 1: 0.2, x: 0.6},
    }[method]
    counts = xr.DataArray(np.repeat(np.arange(7), 300).reshape(70, 30), dims=["a", "b"])
    seen = {x: Counter() for x in range(7)}
    for seed in range(10):
        answer = served(counts, method, seed=seed).tabulate("a,b")
        for x, y in zip(answer.original.values.ravel().tolist(), answer.table.values.ravel().tolist(), strict=True):
            seen[x][y] += 1
    for x, published in seen.items():
        law = {y: p for y, p in expected(x).items() if p > 0}
        n = sum(published.values())
        assert set(published) <= set(law)
        statistic = sum((published[y] - n * p) ** 2 / (n * p) for y, p in law.items())
        assert chi2.sf(statistic, max(len(law) - 1, 1)) > SURE, (x, published)


def noisy(x: int) -> Counter:
    law = Counter()
    for difference, p in NOISE.items():
        law[max(x + difference, 0)] += p
    return law


# --- the same people ----------------------------------------------------------------------------------------------------


def figures_of_groups(server, records, requests) -> dict[tuple[int, ...], set[int]]:
    """For every group of people that is a cell of some table, the figures that it was published with."""
    seen: dict[tuple[int, ...], set[int]] = {}
    for dims, where in requests:
        answer = server.tabulate(dims, where)
        table = answer.table if answer.released else answer.withheld
        inside = records
        for dim, labels in (where or {}).items():
            inside = inside[inside[dim].isin([labels] if isinstance(labels, str) else labels)]
        for labels, who in inside.groupby(list(dims)):
            place = dict(zip(dims, labels, strict=True))
            seen.setdefault(tuple(sorted(who["person"])), set()).add(int(table.sel(place)))
    return seen


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(sorted(METHODS)), st.booleans(), st.integers(20, 120))
def test_the_same_people_draw_alike_in_every_order_form_and_level(seed, method, stored, n):
    records = people(n, seed)
    if stored:
        records = records.join(fw.server.record_keys(records, seed=seed))
    told = (
        {"hierarchies": {"age": {"young": list("0123"), "old": list("4567")}}}
        if set("01234567") <= set(records["age"])
        else {}
    )
    server = served(records, method, crossing=True, **told)
    level = next((one.name for one in server.cube.columns if one.name not in records), None)
    records = records.assign(person=range(n))
    if level is not None:
        records[level] = np.where(records["age"] < "4", "young", "old")
    names = ["sex", "age", "region", "trade", *([level] if level else [])]
    requests = [(dims, None) for k in (1, 2) for dims in permutations(names, k)] + [(tuple(names[2::-1]), None)]
    requests += [((a,), {b: label}) for a, b in permutations(names, 2) for label in records[b].unique()]
    requests += [((a,), {"age": list("012")}) for a in names if a != "age" and set("012") <= set(records["age"])]
    requests += [((a, b), {b: [label]}) for a, b in permutations(names, 2) for label in records[b].unique()]
    assert all(len(figures) == 1 for figures in figures_of_groups(server, records, requests).values())
    shuffled = served(records.drop(columns=["person", *([level] if level else [])]).sample(frac=1, random_state=seed),
                      method, crossing=True, **told)  # fmt: skip
    for dims in permutations(names, 2):
        xr.testing.assert_equal(server.tabulate(dims).table, shuffled.tabulate(dims).table)


IN_ANOTHER_PROCESS = """
import sys
import numpy as np, pandas as pd
import fiberwalk as fw
records = pd.read_csv(sys.argv[1], dtype=str).sample(frac=1, random_state=8)
server = fw.server.TableServer(records, mechanism="random_round", parameters={"base": 3}, seed=5)
for dims in ("sex,age", "age,region", "trade"):
    print(server.tabulate(dims).table.values.ravel().tolist())
"""


def test_another_process_draws_alike(tmp_path):
    records = people()
    records.to_csv(tmp_path / "people.csv", index=False)
    server = fw.server.TableServer(records, mechanism="random_round", parameters={"base": 3}, seed=5)
    here = [str(server.tabulate(dims).table.values.ravel().tolist()) for dims in ("sex,age", "age,region", "trade")]
    done = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS, str(tmp_path / "people.csv")],
        env=os.environ | {"PYTHONHASHSEED": "1"}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == here


# --- one record more or less --------------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["change", "add", "remove"]), st.booleans(), st.integers(5, 60))
def test_a_change_of_one_record_changes_only_cells_that_it_is_in(seed, what, stored, n):
    random = np.random.default_rng(seed)
    records = people(n, seed)
    labels = {dim: sorted(people(2000)[dim].unique()) for dim in records}
    for dim, known in labels.items():
        records[dim] = pd.Categorical(records[dim], categories=known, ordered=True)
    if stored:
        records = records.join(fw.server.record_keys(records, seed=seed))
    new, who = records.copy(), int(random.integers(n))
    touched = [records.iloc[who]] if what != "add" else []
    if what == "remove":
        new = new.drop(index=who)
    else:
        record = records.iloc[[who]].copy()
        for dim, known in labels.items():
            record[dim] = pd.Categorical([random.choice(known)], categories=known, ordered=True)
        touched.append(record.iloc[0])
        if what == "change":
            new = pd.concat([new.drop(index=who), record])
        else:
            if stored:
                record["record_key_low"] = int(random.integers(2**32))
            new = pd.concat([new, record])
    # All labels are known, so that tables have the same cells: by one request for the whole, without rules.
    old_server, new_server = (served(one, "perturb", crossing=True) for one in (records, new))
    for dims in (("sex", "age"), ("trade", "region", "age"), ("region",)):
        old, other = (server.tabulate(dims) for server in (old_server, new_server))
        tables = [(one.table if one.released else one.withheld).to_series() for one in (old, other)]
        before, after = tables[0].align(tables[1], fill_value=0)
        changed = {labels if isinstance(labels, tuple) else (labels,) for labels in before.index[before != after]}
        assert changed <= {tuple(str(record[dim]) for dim in dims) for record in touched}


def test_numbers_of_cells_are_uniform():
    counts = xr.DataArray(np.random.default_rng(2).integers(0, 3, (40, 50)), dims=["a", "b"])
    cube = served(counts).cube
    request = as_request("a,b", None, cube.labels)
    numbers = cube.numbers(cube.cut(request).keys)
    assert kstest(numbers[counts.values > 0], "uniform").pvalue > SURE
