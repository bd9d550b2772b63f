"""The most probable table, against the weights of every table."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from hypothesis import assume, given, note
from hypothesis import strategies as st
from support.effort import examples
from support.naive import tables as naive
from support.worlds import worlds

import fiberwalk as fw
from fiberwalk.posterior import most_probable


@examples(20)
@given(worlds(most_cells=9, most_count=6), st.booleans(), st.booleans(), st.data())
def test_no_table_is_more_probable(world, with_prior, with_evidence, data):
    note(world.story)
    n, shape = world.values.size, world.values.shape
    means = data.draw(st.lists(st.sampled_from([0.1, 0.7, 2.0, 5.0]), min_size=n, max_size=n))
    law, release = fw.laws.expected(np.array(means).reshape(shape)), world.release
    odds, seen = {}, {}
    if with_prior:
        cell = data.draw(st.sampled_from(world.hidden))
        odds[cell] = data.draw(st.lists(st.sampled_from([0.0, 0.1, 1.0, 2.5]), min_size=3, max_size=12))
        cells = dict(zip([dim.name for dim in release.dims], world.labels(cell), strict=True))
        law = fw.laws.prior([(cells, lambda x: odds[cell][x] if x < len(odds[cell]) else 0.0)], law)
    if with_evidence:
        some = sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=3)))
        actual = int(world.values.ravel()[some].sum())
        weights = [
            0.5,
            *data.draw(st.lists(st.sampled_from([0.0, 0.1, 1.0]), min_size=actual, max_size=actual + 2)),
            0.3,
        ]
        with np.errstate(divide="ignore"):
            item = fw.protect.Evidence(np.array(some), np.ones(len(some), dtype=np.int64), 0, np.log(weights))
        seen = dict(enumerate(weights))
        release = replace(release, evidence=(item,), truth=None)

    def weight(table):
        found = seen.get(sum(table[c] for c in some), 0.0) if with_evidence else 1.0
        for c, x in enumerate(table):
            if c in odds:
                found *= odds[c][x] if x < len(odds[c]) else 0.0
            else:
                found *= means[c] ** x / math.factorial(x)
        return found

    besides_hers = naive.besides_own(weight, world.own)
    weights = {table: besides_hers(table) for table in world.tables()}
    assume(max(weights.values()) > 0)
    best = fw.audit(release, law).most_probable_table()
    mine = weights[tuple(best.values.ravel().tolist())]
    assert mine == pytest.approx(max(weights.values()), rel=1e-4)
    assert best.attrs["log_weight"] == pytest.approx(math.log(mine), abs=1e-6)


def test_wide_cells_are_found_by_cutting_planes():
    values = np.array([[400, 100, 300], [200, 500, 100]])
    audit = fw.audit(fw.publish(values, ["A", "B"]), "hypergeometric", limit=10**10)
    best = audit.most_probable_table()
    assert (best.sum("A").values == values.sum(axis=0)).all()
    assert best.dims == ("A", "B")

    def weight(table):
        return -sum(math.lgamma(x + 1) for x in table.ravel().tolist())

    assert best.attrs["log_weight"] == pytest.approx(weight(best.values))
    for i, j in ((0, 1), (0, 2), (1, 2)):  # no swap makes it better, and the weights bend downwards: none is
        for step in (-1, 1):
            other = best.values.copy()
            other[:, i] += [step, -step]
            other[:, j] -= [step, -step]
            assert weight(other) <= weight(best.values) + 1e-6


def test_what_is_refused(monkeypatch):
    release = fw.publish([[3, 1], [2, 4]], ["A", "B"])
    with pytest.raises(fw.InputError, match="every feasible table is equally probable under the law 'uniform'"):
        fw.audit(release).most_probable_table()
    alone = fw.suppress([[3, 1], [2, 4]], where=[{"A": "1", "B": "1"}])
    assert fw.audit(alone).most_probable_table().values.tolist() == [[3, 1], [2, 4]]  # there is only one
    monkeypatch.setattr(most_probable, "MOST_CHOICES", 3)
    law = fw.laws.prior([({"A": "1", "B": "1"}, {0: 1, 1: 0.1, 2: 1, 3: 2})])
    with pytest.raises(fw.TooLarge, match="leave 4 values to choose from, more than the 3"):
        fw.audit(release, law).most_probable_table()
    other = xr.DataArray([[3, 1], [2, 4]], dims=["A", "C"])
    linked = fw.linked([release, fw.publish(other, ["A", "C"])])
    with pytest.raises(fw.InputError, match="these are 2 linked ones"):
        fw.audit(linked).most_probable_table()


def test_own_units():
    with pytest.warns(UserWarning, match="depends on the unit"):
        audit = fw.audit(fw.publish(fw.table([[0.3, 0.1], [0.2, 0.4]], decimals=1), ["A", "B"]), "hypergeometric")
    with pytest.warns(UserWarning, match="depends on the unit"):
        best = audit.most_probable_table()
    assert best.values.tolist() == [[0.2, 0.2], [0.3, 0.3]]
