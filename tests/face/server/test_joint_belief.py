"""What several answers of a server tell together, held to every table of a tiny server and every draw of its figures."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import xarray as xr
from support.keyed_figures.twin import Shown, by_matrix, law_of_sum, noisy, posterior, rounded

import fiberwalk as fw

RULES = fw.server.ServerRules(max_dims=None, max_filters=None, max_labels=None)
NOISE = {-2: 0.2, -1: 0.2, 0: 0.3, 1: 0.2, 2: 0.1}
PTABLE = [[1, 0, 0, 0], [0.4, 0.3, 0.3, 0], [0.2, 0.2, 0.4, 0.2], [0, 0.2, 0, 0.8]]
BANDS = {"a": "low", "b": "low", "c": "high"}
LABELS = {"sex": ["f", "m"], "age": ["a", "b", "c"]}
FINEST = [dict(zip(LABELS, labels, strict=True)) for labels in product(*LABELS.values())]
METHODS = {
    "random_round": (dict(mechanism="random_round", parameters={"base": 3}), rounded(3)),
    "add_noise": (dict(mechanism="add_noise", parameters={"noise": NOISE}), noisy(NOISE)),
    "noisy zeros": (
        dict(mechanism="add_noise", parameters={"noise": NOISE}, noisy_zeros=True),
        noisy(NOISE, floor=False, zeros_stay=False),
    ),
    "noisy zeros, floored": (
        dict(mechanism="add_noise", parameters={"noise": NOISE, "floor": True}, noisy_zeros=True),
        noisy(NOISE, zeros_stay=False),
    ),
    "perturb": (dict(mechanism="perturb", parameters={"matrix": PTABLE}), by_matrix(PTABLE)),
    "round_to": (
        dict(mechanism="round_to", parameters={"base": 3}),
        lambda figure, count: float(figure == (count + 1) // 3 * 3),
    ),
    "nothing": ({}, lambda figure, count: float(figure == count)),
}
REQUESTS = {
    "rows, columns and cells": [("sex", {}), ("age", {}), ("sex,age", {})],
    "transposed, and by filters": [("age,sex", {}), ("sex", {"age": "a"}), ("age", {"sex": ["f"]}), ("sex,age", {})],
    "levels": [("band", {}), ("band,sex", {}), ("age", {}), ("age,band", {})],
    "several labels": [
        ("sex", {"age": ["a", "c"]}),
        ("sex", {"age": ["a", "b"]}),
        ("age", {}),
        ("sex", {"band": "low"}),
    ],
    "a part of a table": [("sex,age", {"age": ["a", "b"]}), ("age", {}), ("sex", {})],
}


def served(counts, seed, **options):
    cube = xr.DataArray(
        np.array(counts).reshape(2, 3), dims=list(LABELS), coords=LABELS | {"band": ("age", list(BANDS.values()))}
    )
    return fw.server.TableServer(cube, seed=seed, hierarchies={"age": ["band"]}, **{"rules": RULES} | options)


def counts_of(number):
    return np.random.default_rng(number).poisson([1.2, 0.3, 0.0, 0.9, 2.5, 0.4]).tolist()


def value_of(cell, dim):
    return BANDS[cell["age"]] if dim == "band" else cell[dim]


def shown_in(answers, impossible=frozenset()):
    """The figures of answers, by their labels."""
    for answer, filters in answers:
        table = answer.withheld if answer.table is None else answer.table
        where = {dim: [labels] if isinstance(labels, str) else labels for dim, labels in filters.items()}
        for labels in product(*(table[dim].values.tolist() for dim in table.dims)):
            chosen = dict(zip(table.dims, labels, strict=True))
            cells = frozenset(
                place for place, cell in enumerate(FINEST)
                if all(value_of(cell, dim) == label for dim, label in chosen.items())
                and all(value_of(cell, dim) in given for dim, given in where.items())
            )  # fmt: skip
            if cells - impossible:
                called = tuple(frozenset(FINEST[cell][dim] for cell in cells) for dim in LABELS)
                yield Shown(cells, int(table.loc[chosen]), called)


def highest_of(shown, chance, impossible=frozenset()):
    most = []
    for cell in range(len(FINEST)):
        able = [max(c for c in range(16) if chance(one.figure, c) > 0) for one in shown if cell in one.cells]
        most.append(0 if cell in impossible else min(able))
    return most


def held_to_every_table(server, requests, chance, law="uniform", weigh=lambda cell, value: 1.0, impossible=frozenset()):
    answers = [(server.tabulate(dims, filters), filters) for dims, filters in requests]
    shown = list(shown_in(answers, impossible))
    tables = posterior(highest_of(shown, chance, impossible), weigh, shown, chance)
    audit = server.believe([answer for answer, _ in answers], law, method="exact", hidden_margins=["sex", ""])
    dims = [dim.name for dim in audit.release.dims]
    for labels in audit.cells.index:
        named = dict(zip(dims, [labels] if isinstance(labels, str) else labels, strict=True))
        cells = [
            place for place, cell in enumerate(FINEST)
            if all(label == "Total" or cell[dim] in label.split(" or ") or label == value_of(cell, "band")
                   for dim, label in named.items())
        ]  # fmt: skip
        want = law_of_sum(tables, cells)
        pmf = audit.pmf(named)
        assert pmf.index.tolist() == list(want)
        assert pmf.to_numpy() == pytest.approx(list(want.values()), abs=1e-9)
    return audit, tables


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("asked", REQUESTS)
def test_the_belief_is_that_of_every_table_and_draw(method, asked):
    options, chance = METHODS[method]
    for number in range(2):
        audit, _ = held_to_every_table(served(counts_of(number), number, **options), REQUESTS[asked], chance)
        assert audit.certificate.word == "exact"
        assert audit.release.truth is None
