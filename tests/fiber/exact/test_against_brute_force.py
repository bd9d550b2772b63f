"""Bounds, counts and probabilities of random small releases equal a brute-force reference (support.naive.tables)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st
from support.effort import examples
from support.methods import methods, only
from support.naive import tables as naive
from support.worlds import arrays, worlds

import fiberwalk as fw

MANY, FEWER = examples(250), examples(100)


def assert_same_law(pmf, expected: dict[int, float]) -> None:
    assert pmf.index.tolist() == list(expected)
    assert pmf.to_numpy() == pytest.approx(np.array(list(expected.values())), abs=1e-12, rel=1e-9)


@MANY
@given(worlds(), methods)
def test_bounds_and_count(world, method):
    note(world.story)
    found = world.tables()
    with only(method):
        assert fw.count(world.release) == len(found)
    bounds = fw.bounds(world.release, hidden_margins=world.hidden_margins)
    rows = {world.labels(cell): [cell] for cell in world.hidden}
    for labels, cells in {**world.questions, **rows}.items():
        if labels not in bounds.index:
            # a sum that consists of one published cell is no question
            assert len(cells) == 1
            continue
        mine = world.own.get(cells[0], 0) if len(cells) == 1 and labels in rows else 0
        sums = [sum(table[c] for c in cells) - mine for table in found]
        assert bounds.loc[labels].tolist() == [min(sums), max(sums)]
    assert set(rows) <= set(bounds.index)


@MANY
@given(worlds(), st.sampled_from(["uniform", "hypergeometric", "expected"]), methods, st.data())
def test_probabilities(world, law, method, data):
    note(world.story)
    found = world.tables()
    weight = naive.uniform
    given_law = law
    if law == "hypergeometric":
        # rounded figures leave the means open, and these are tested by themselves
        assume("round" not in world.story[:5])
        weight = naive.hypergeometric
    if law == "expected":
        n = world.values.size
        means = data.draw(st.lists(st.sampled_from([0.0, 0.1, 0.7, 2.0, 9.0]), min_size=n, max_size=n))
        weight = naive.poisson(means)
        assume(any(weight(table) > 0 for table in found))
        found = [table for table in found if weight(table) > 0]
        given_law = fw.laws.expected(np.array(means).reshape(world.values.shape))
    if law != "uniform":
        weight = naive.besides_own(weight, world.own)
    with only(method):
        audit = fw.audit(world.release, law=given_law, hidden_margins=world.hidden_margins)
    names = [dim.name for dim in world.release.dims]
    rows = {world.labels(cell): [cell] for cell in world.hidden}
    for labels, cells in {**world.questions, **rows}.items():
        if labels not in audit.cells.index:
            assert len(cells) == 1
            continue
        mine = world.own.get(cells[0], 0) if len(cells) == 1 and labels in rows else 0
        expected = {value - mine: p for value, p in naive.pmf(found, cells, weight).items()}
        assert_same_law(audit.pmf(dict(zip(names, labels, strict=True))), expected)
        row = audit.cells.loc[labels]
        assert row["entropy"] == pytest.approx(naive.entropy(expected), abs=1e-9)
        assert row["support"] == len(expected)
        assert row["mean"] == pytest.approx(sum(v * p for v, p in expected.items()), abs=1e-9)
        assert row["p_modal"] == pytest.approx(max(expected.values()))
        assert row["understatement"] >= 1
    assert audit.tables == len(found)


@FEWER
@given(worlds(kinds=("publish", "suppress"), outside=False, most_cells=8, most_count=3), methods, st.data())
def test_evidence_on_cells_and_sums_multiplies_with_the_law(world, method, data):
    note(world.story)
    found = world.tables()
    n = world.values.size
    items, effects = [], []
    for _ in range(data.draw(st.integers(1, 2))):
        cells = sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=3)))
        actual = int(world.values.ravel()[cells].sum())
        first = max(0, actual - data.draw(st.integers(0, 2)))
        weights = data.draw(
            st.lists(st.sampled_from([0.0, 0.2, 1.0, 3.0]), min_size=actual - first + 1, max_size=actual - first + 4)
        )
        weights[actual - first] = 1.0
        with np.errstate(divide="ignore"):
            logs = np.log(np.array(weights))
        items.append(fw.protect.Evidence(np.array(cells), np.ones(len(cells), dtype=np.int64), first, logs))
        effects.append((cells, first, weights))

    def weight(table):
        total = naive.hypergeometric(table)
        for cells, first, weights in effects:
            k = sum(table[c] for c in cells) - first
            total *= weights[k] if 0 <= k < len(weights) else 0.0
        return total

    found = [table for table in found if weight(table) > 0]
    with only(method):
        audit = fw.audit(replace(world.release, evidence=tuple(items)), law="hypergeometric")
    assert audit.tables == len(found)
    for cell in world.hidden:
        pmf = audit.pmf(dict(zip([d.name for d in world.release.dims], world.labels(cell), strict=True)))
        assert_same_law(pmf, naive.pmf(found, [cell], weight))


def _linked_pair(values, data):
    """Shapes and random masks of two tables that share the dim A, the whole they come from, and their releases."""
    shapes = [(values.shape[0], values.shape[1]), (values.shape[0], values.shape[2])]
    masks = [
        np.array(data.draw(st.lists(st.booleans(), min_size=a * b, max_size=a * b))).reshape(a, b) for a, b in shapes
    ]
    assume(masks[0].any() and masks[1].any())
    return shapes, masks, *_two_tables(values, *masks)


def _two_tables(values, mask_one, mask_two):
    """Tables A x B and A x C of one A x B x C table, each with some cells hidden and all margins published."""
    import xarray as xr

    whole = xr.DataArray(
        values,
        dims=["A", "B", "C"],
        coords={d: [str(i + 1) for i in range(n)] for d, n in zip("ABC", values.shape, strict=True)},
    )
    one = fw.suppress(whole.sum("C"), where=mask_one, margins=["B", ""])
    two = fw.suppress(whole.sum("B"), where=mask_two, margins=["C", ""])
    return whole, one, two


def _released_facts(table, mask, offset=0):
    flat, n = table.ravel().tolist(), table.size
    facts = [(frozenset([offset + i]), v, v) for i, v in enumerate(flat) if not mask.ravel()[i]]
    for groups in (
        [["*"] * table.shape[0], list(range(table.shape[1]))],
        [["*"] * table.shape[0], ["*"] * table.shape[1]],
    ):
        facts += [(frozenset(offset + c for c in cells), lo, hi) for cells, lo, hi in naive.margin_facts(table, groups)]
    assert n == len(flat)
    return facts


@FEWER
@given(arrays(least_dims=3, most_dims=3, most_cells=12, most_count=2), methods, st.data())
def test_linked_tables(values, method, data):
    shapes, masks, whole, one, two = _linked_pair(values, data)
    first, second = whole.sum("C").values, whole.sum("B").values
    facts = _released_facts(first, masks[0]) + _released_facts(second, masks[1], first.size)
    try:
        found = naive.tables(first.size + second.size, facts)
    except naive.TooMany:
        assume(False)
    rows = [
        (
            [i * shapes[0][1] + j for j in range(shapes[0][1])],
            [first.size + i * shapes[1][1] + k for k in range(shapes[1][1])],
        )
        for i in range(values.shape[0])
    ]
    found = [t for t in found if all(sum(t[c] for c in a) == sum(t[c] for c in b) for a, b in rows)]
    both = fw.linked([one, two])
    with only(method):
        assert fw.count(both) == len(found)
        audit = fw.audit(both)
    bounds = fw.bounds(both)
    for which, (mask, offset) in enumerate(((masks[0], 0), (masks[1], first.size))):
        for i, j in np.argwhere(mask):
            labels = {"A": str(i + 1), "BC"[which]: str(j + 1)}
            cell = offset + i * mask.shape[1] + j
            law = naive.pmf(found, [cell], naive.uniform)
            assert_same_law(audit.pmf(labels), law)
            key = tuple(labels.get(dim.name, "Total") for dim in both.dims)
            assert bounds.loc[key].tolist() == [min(law), max(law)]


@FEWER
@given(arrays(least_dims=3, most_dims=3, most_cells=8, most_count=2), methods, st.data())
def test_linked_tables_as_margins_of_the_crossed_one(values, method, data):
    _, masks, whole, one, two = _linked_pair(values, data)
    number = np.arange(values.size).reshape(values.shape)
    facts = []
    for table, mask, axis in ((whole.sum("C").values, masks[0], 2), (whole.sum("B").values, masks[1], 1)):
        for cells, low, high in _released_facts(table, mask):
            inside = np.moveaxis(number, axis, -1).reshape(table.size, -1)[sorted(cells)]
            facts.append((frozenset(inside.ravel().tolist()), low, high))
    try:
        found = naive.tables(values.size, facts)
    except naive.TooMany:
        assume(False)
    with only(method):
        audit = fw.audit(fw.linked([one, two], full=True))
    assert audit.tables == len(found)
    for cell in range(values.size):
        labels = dict(zip("ABC", (str(i + 1) for i in np.unravel_index(cell, values.shape)), strict=True))
        assert_same_law(audit.pmf(labels), naive.pmf(found, [cell], naive.uniform))


@FEWER
@given(arrays(least_dims=2, most_dims=2, most_cells=9, most_count=3), st.data())
def test_an_impossible_publication_is_refused_and_a_possible_one_is_not(values, data):
    """Row and column totals, some cells missing, one figure changed: a contradiction exactly where nothing fits."""
    import pandas as pd

    rows, columns = values.shape
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=values.size, max_size=values.size))).reshape(
        values.shape
    )
    assume(mask.any())
    bordered = np.zeros((rows + 1, columns + 1))
    bordered[:rows, :columns] = values
    bordered[-1, :-1], bordered[:-1, -1], bordered[-1, -1] = values.sum(0), values.sum(1), values.sum()
    i, j = data.draw(st.integers(0, rows)), data.draw(st.integers(0, columns))
    bordered[i, j] = max(0, bordered[i, j] + data.draw(st.integers(-2, 2)))
    bordered[:rows, :columns][mask] = np.nan
    frame = pd.DataFrame(
        bordered, index=[*(f"r{i}" for i in range(rows)), "All"], columns=[*(f"c{j}" for j in range(columns)), "All"]
    )
    facts = []
    for i in range(rows + 1):
        for j in range(columns + 1):
            if math.isnan(bordered[i, j]):
                continue
            a = range(rows) if i == rows else [i]
            b = range(columns) if j == columns else [j]
            facts.append((frozenset(r * columns + c for r in a for c in b), int(bordered[i, j]), int(bordered[i, j])))
    try:
        found = naive.tables(values.size, facts)
    except naive.TooMany:
        assume(False)
    if found:
        assert fw.count(fw.from_crosstab(frame)) == len(found)
        return
    with pytest.raises(fw.InputError) as refusal:
        fw.count(fw.from_crosstab(frame))
    if isinstance(refusal.value, fw.Contradiction):
        assert refusal.value.facts
    else:
        assert "but its cells sum to" in str(refusal.value)
