"""The ranking: cells that could be known from everything that was answered, and the requests that told."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import fiberwalk as fw

BANDS = {"young": ["a", "b"], "old": ["c", "d"]}
LABELS = {"age": list("abcd"), "sex": ["f", "m"], "region": list("NSE")}
RULES = fw.server.ServerRules(max_filters=2, max_labels=None)
METHODS = {
    "random_round": {"base": 3},
    "add_noise": {"noise": {-1: 0.25, 0: 0.5, 1: 0.25}},
    "perturb": {"matrix": [[1, 0, 0, 0], [0.4, 0.3, 0.3, 0], [0.2, 0.2, 0.4, 0.2], [0, 0.2, 0, 0.8]]},
    "round_to": {"base": 5},
    None: None,
}


def people(n=60, seed=1):
    random = np.random.default_rng(seed)
    return pd.DataFrame({dim: random.choice(labels, n) for dim, labels in LABELS.items()})


def served(method="random_round", seed=3, frame=None, rules=RULES, **options):
    return fw.server.TableServer(
        people(seed=seed) if frame is None else frame, mechanism=method, parameters=METHODS[method], seed=seed, rules=rules,
        labels=LABELS, hierarchies={"age": BANDS}, **options,
    )  # fmt: skip


def level_of(server):
    return next(name for name in server.offered if name not in LABELS)


def asked_at_random(server, number, seed):
    """Requests of up to three dims, with filters of one or more labels, levels and totals."""
    random = np.random.default_rng(seed)
    names = [*LABELS, level_of(server)]
    while number:
        dims = [names[place] for place in random.permutation(4)[: random.integers(1, 4)]]
        free = [name for name in LABELS if name not in dims]
        filters = {}
        if free and random.random() < 0.5:
            name = free[random.integers(len(free))]
            filters[name] = random.choice(LABELS[name], random.integers(1, 3), replace=False).tolist()
        number -= 1
        yield dims, filters, random.choice([None, "consistent", "added"])


def truth_of(ranking, frame, group):
    inside = np.ones(len(frame), dtype=bool)
    for dim, number in enumerate(group):
        labels = np.array(ranking.groups.cube.labels[ranking.groups.dims[dim]])
        inside &= frame[ranking.groups.dims[dim]].isin(labels[ranking.groups.meant(dim, number)])
    return int(inside.sum())


@pytest.mark.parametrize("method", METHODS)
def test_what_is_certain_is_certain(method):
    found = known = 0
    for seed in range(4):
        server = served(method, seed)
        for dims, filters, totals in asked_at_random(server, 12, seed):
            server.tabulate(dims, filters, totals=totals)
        ranking = server.audit()
        for group, cell in ranking.known.items():
            true = truth_of(ranking, people(seed=seed), group)
            assert cell.told.lower <= true <= cell.told.upper, ranking.groups.words(group)
            known += cell.told.lower == cell.told.upper
            found += 1
    assert found > 50
    assert known > 0 or method in ("round_to", "random_round")


@pytest.mark.parametrize("method", [name for name in METHODS if name])
def test_of_two_dims_it_is_the_joint_belief(method):
    """All figures are in one neighbourhood then, and nothing is left out."""
    server = served(method)
    answers = [server.tabulate(dims) for dims in ("sex", "region", "sex,region")]
    ranking, belief = server.audit(small=100), server.believe(answers, method="exact")
    rows = 0
    for group, cell in ranking.known.items():
        labels = {
            ranking.groups.dims[dim]: ranking.groups.label(dim, number) for dim, number in enumerate(group) if number
        }
        if set(labels) == {"sex", "region"}:
            pmf = belief.pmf(labels)
            assert cell.told.p == pytest.approx(pmf.max(), abs=1e-9)
            assert (cell.told.lower, cell.told.upper) == (pmf.index[0], pmf.index[-1])
            rows += 1
    assert rows == 6


def test_taken_up_one_by_one_or_all_at_once_is_the_same():
    one_by_one, at_once = served(), served()
    ranking = one_by_one.audit()
    for dims, filters, totals in asked_at_random(one_by_one, 15, 1):
        one_by_one.tabulate(dims, filters, totals=totals)
        assert ranking.update() is ranking
        at_once.tabulate(dims, filters, totals=totals)
    pd.testing.assert_frame_equal(ranking.cells, at_once.audit().cells)
    assert "request" in ranking.cells
    before = ranking.cells
    one_by_one.tabulate("sex")
    one_by_one.tabulate("sex")
    pd.testing.assert_frame_equal(ranking.update().cells.drop(columns="request"), before.drop(columns="request"))


def two_safe_tables():
    """One woman of 8 people in the south; figures are published as they are, and each table alone has no cell of 1."""
    frame = pd.DataFrame(
        [("f", "N")] * 11 + [("m", "N")] * 20 + [("f", "S")] * 1 + [("m", "S")] * 7, columns=["sex", "region"]
    )
    server = fw.server.TableServer(frame, labels={"sex": ["f", "m"], "region": ["N", "S"]}, seed=1)
    return server


def test_two_safe_tables_that_tell_together():
    server = two_safe_tables()
    server.tabulate("sex", user="anna")
    ranking = server.audit()
    assert not len(ranking.sure)
    server.tabulate("sex", {"region": "N"}, user="ben")
    sure = ranking.update().sure
    assert sure.loc["sex=f, region=S", ["lower", "upper", "known", "request"]].tolist() == [1, 1, True, 2]
    why = ranking.why("sex=f, region=S")
    assert why["asked"].tolist() == ["sex", "sex where region=N"]
    assert why["user"].tolist() == ["anna", "ben"]
    assert why["p_alone"].isna().all()
    assert why["p_without"].isna().all()
    assert "1 known for certain" in ranking.summary()
    assert "came to be known by request 2: 1 (sex where region=N)" in ranking.summary()
    assert not len(server.audit(user="anna").sure)
    assert not len(server.audit(user="ben").sure)


def test_refusals_by_figures_count_as_what_they_would_have_told():
    rules = fw.server.ServerRules(min_population=10**6)
    server = served(None, rules=rules)
    for dims in ("sex,region", "sex,region,age"):
        assert not server.tabulate(dims).released
    free = served(None)
    for dims in ("sex,region", "sex,region,age"):
        free.tabulate(dims)
    pd.testing.assert_frame_equal(server.audit().cells, free.audit().cells)
    assert len(free.audit().cells)


def test_one_region_is_a_part():
    server = served()
    for dims, filters, totals in asked_at_random(server, 15, 5):
        server.tabulate(dims, filters, totals=totals)
    whole, part = server.audit().cells, server.audit(filters={"region": "N"}).cells
    assert 0 < len(part) < len(whole)
    assert all("region=N" in cell for cell in part.index)


def test_answers_of_another_version_are_left_out(tmp_path):
    path = tmp_path / "log.sqlite"
    first = served(seed=3, log=path)
    first.tabulate("sex,age")
    second = served(seed=3, frame=people(seed=9), log=path)
    second.tabulate("sex,region")
    ranking = second.audit()
    assert ranking.left_out == {"requests that were answered by other data, keys, rules, method or seed": 1}
    assert "Left out: 1 requests that were answered by other data, keys, rules, method or seed." in ranking.summary()


def test_what_it_does_not_read_it_says():
    frame = people().assign(income=10.0)
    frame = frame.join(fw.server.record_keys(frame, seed=1))
    server = served(frame=frame, columns=list(LABELS), summed="income")
    server.tabulate("sex")
    server.tabulate("sex", sum_of="income")
    assert server.audit().left_out == {"tables of weighted counts, sums or means": 1}


REFUSED = {
    "user='eve' has asked for nothing; did you mean 'eva'?": lambda: asked().audit(user="eve"),
    "sure=2: a probability from which on a cell counts as known, such as 0.95.": lambda: asked().audit(sure=2),
    "small=0": lambda: asked().audit(small=0),
    "dim 'region' has no label 'X'": lambda: asked().audit(filters={"region": "X"}),
    "'sex=x': there is no such cell in the ranking": lambda: asked().audit().why("sex=x"),
    "no ranking reads them: audit answers one by one": lambda: served(when="before").audit(),
}


def asked():
    server = served()
    server.tabulate("sex", user="eva")
    return server


@pytest.mark.parametrize("words", REFUSED)
def test_what_makes_no_sense_is_refused(words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        REFUSED[words]()
