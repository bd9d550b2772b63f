"""Cells together: joint probabilities against every table, and the most probable table."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from support.effort import examples
from support.naive import tables as naive
from support.worlds import worlds

import fiberwalk as fw


@examples(25)
@given(worlds(), st.sampled_from(["uniform", "expected"]), st.data())
def test_joint_probabilities_of_cells_and_sums(world, law, data):
    note(world.story)
    n = world.values.size
    means = data.draw(st.lists(st.sampled_from([0.1, 0.7, 2.0]), min_size=n, max_size=n))
    weight = naive.uniform if law == "uniform" else naive.besides_own(naive.poisson(means), world.own)
    given_law = law if law == "uniform" else fw.laws.expected(np.array(means).reshape(world.values.shape))
    audit = fw.audit(world.release, given_law, hidden_margins=world.hidden_margins)
    known = {**world.questions, **{world.labels(cell): [cell] for cell in world.hidden}}
    rows = {labels: known[labels] for labels in audit.cells.index if labels in known}
    chosen = data.draw(st.lists(st.sampled_from(sorted(rows)), min_size=1, max_size=3, unique=True))
    names = [dim.name for dim in world.release.dims]
    found = audit.joint([dict(zip(names, labels, strict=True)) for labels in chosen])
    expected: Counter = Counter()
    single = {world.labels(cell) for cell in world.hidden}
    for table in world.tables():
        values = []
        for labels in chosen:
            mine = world.own.get(rows[labels][0], 0) if labels in single else 0
            values.append(sum(table[c] for c in rows[labels]) - mine)
        expected[tuple(values)] += weight(table)
    total = sum(expected.values())
    assert found.attrs["method"] == "exact"
    assert found.index.tolist() == sorted(expected)
    assert found.to_dict() == pytest.approx({key: p / total for key, p in expected.items()}, abs=1e-12)
    for level, labels in enumerate(chosen):
        pmf = audit.pmf(dict(zip(names, labels, strict=True)))
        assert found.groupby(level=level).sum().to_dict() == pytest.approx(pmf.to_dict())


CELLS = [{"A": "1", "B": "1"}, {"A": "2", "B": "2"}]


def test_cells_are_named_in_words_and_own_units():
    audit = fw.audit(fw.publish(fw.table([[0.3, 0.1], [0.2, 0.4]], decimals=1), ["A", "B"]))
    found = audit.joint(CELLS)
    assert found.index.names == ["A=1, B=1", "A=2, B=2"]
    assert found.index.tolist()[0] == (0.0, 0.1)
    assert found.to_numpy() == pytest.approx([0.2] * 5)
    assert (found.attrs["certificate"], found.attrs["reason"]) == ("exact", "every table was counted, by enumeration")


def test_chains_agree_with_counting():
    release = fw.publish([[2, 1, 1], [1, 2, 1]], ["A", "B"])
    audit = fw.audit(release, "hypergeometric")
    exact = audit.joint(CELLS)
    sampled = replace(audit, settings={**audit.settings, "method": "chains"}).joint(CELLS)
    assert (sampled.attrs["method"], sampled.attrs["converged"]) == ("chains", True)
    assert sampled.attrs["certificate"] == "connected"
    assert sampled.attrs["ess"] >= 400
    error = np.sqrt(exact * (1 - exact) / sampled.attrs["ess"])
    assert (np.abs(sampled.reindex(exact.index, fill_value=0) - exact) <= 5 * error).all()
    assert set(sampled.index) <= set(exact.index)


def test_independent_blocks_and_known_cells_together():
    table = [[1, 2, 5, 6], [3, 1, 7, 8], [5, 6, 2, 1], [7, 8, 1, 3]]
    hidden = [{"A": a, "B": b} for corner in ("12", "34") for a in corner for b in corner]
    release = fw.suppress(table, where=[*hidden, {"A": "1", "B": "4"}])
    audit = fw.audit(release)
    asked = [hidden[0], hidden[7], {"A": "1", "B": "4"}]
    found = audit.joint(asked)
    apart = [audit.pmf(cell) for cell in asked]
    expected = np.einsum("i,j,k->ijk", *(one.to_numpy() for one in apart)).ravel()
    assert found.to_numpy() == pytest.approx(expected)
    assert found.index.get_level_values(2).unique().tolist() == [6]
    both = replace(audit, settings={**audit.settings, "method": "chains", "tolerance": 0.1}).joint(asked)
    assert both.attrs["method"] == "chains"
    assert both.reindex(found.index, fill_value=0).to_numpy() == pytest.approx(expected, abs=0.03)


def test_what_joint_refuses():
    audit = fw.audit(fw.publish([[300, 100, 200], [200, 400, 300]], ["A", "B"]))
    with pytest.raises(fw.InputError, match="takes a list of cells"):
        audit.joint(CELLS[0])
    with pytest.raises(fw.InputError, match="from one to 12 different cells"):
        audit.joint([CELLS[0], CELLS[0]])
    with pytest.raises(fw.InputError, match="from one to 12 different cells"):
        audit.joint([])
    with pytest.raises(fw.InputError, match="combinations of values, more than the 1,000,000"):
        audit.joint([*CELLS, {"A": "1", "B": "3"}])
    sampled = replace(audit, settings={**audit.settings, "method": "chains"})
    with pytest.raises(fw.InputError, match="combinations of values, more than the 1,000,000"):
        sampled.joint([*CELLS, {"A": "1", "B": "3"}])
