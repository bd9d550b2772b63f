"""What several answers of a server tell together, held to every table of a tiny server and every draw of its figures."""

from __future__ import annotations

import math
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
                called = tuple(frozenset(FINEST[cell][dim] for cell in cells - impossible) for dim in LABELS)
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
    number = list(METHODS).index(method) + list(REQUESTS).index(asked)
    audit, _ = held_to_every_table(served(counts_of(number), number, **options), REQUESTS[asked], chance)
    assert audit.certificate.word == "exact"
    assert audit.release.truth is None


def test_structural_zeros_are_known_to_be_empty():
    """Nobody of age c is m: no figure tells of them, and they are not listed as found out."""
    counts = [2, 1, 0, 1, 3, 0]
    nobody = frozenset([5])
    for method, asked in (
        ("random_round", "levels"),
        ("noisy zeros", "levels"),
        ("noisy zeros", "rows, columns and cells"),
    ):
        options, chance = METHODS[method]
        server = served(counts, 4, impossible=[{"sex": "m", "age": "c"}], **options)
        audit, _ = held_to_every_table(server, REQUESTS[asked], chance, impossible=nobody)
        assert ("m", "c") not in [tuple(labels)[::-1] for labels in audit.cells.index]
        assert len(audit.cells) == 5 + 3  # and the sums that are asked for


def test_refused_tables_count_as_what_they_would_have_told():
    options, chance = METHODS["add_noise"]
    rules = fw.server.ServerRules(max_dims=None, min_population=2, min_mean_cell=3)
    server = served([3, 2, 0, 2, 2, 4], 1, rules=rules, **options)
    answers = [server.tabulate("age"), server.tabulate("sex,age")]
    assert [answer.released for answer in answers] == [True, False]
    held_to_every_table(server, [("age", {}), ("sex,age", {})], chance)


def test_the_law_of_expected_counts_multiplies():
    options, chance = METHODS["add_noise"]
    mu = xr.DataArray([[1.0, 0.5, 0.2], [0.4, 2.0, 1.5]], dims=list(LABELS), coords=LABELS)

    def weigh(cell, value):
        return float(mu.values.ravel()[cell]) ** value / math.factorial(value)

    requests = REQUESTS["rows, columns and cells"]
    held_to_every_table(served(counts_of(4), 4, **options), requests, chance, fw.laws.expected(mu), weigh)
    server = served(counts_of(4), 4, **options)
    fitted = server.believe([server.tabulate(*request) for request in requests], "hypergeometric")
    assert fitted.belief.law.name == "hypergeometric"


def test_labels_that_no_answer_tells_apart_are_one():
    server = served(counts_of(1), 1, **METHODS["random_round"][0])
    audit = server.believe([server.tabulate("sex", {"age": "a"}), server.tabulate("sex")])
    assert sorted(audit.cells.index.get_level_values("age").unique()) == ["a", "b or c"]
    audit = server.believe([server.tabulate("sex,band")])
    assert sorted(audit.cells.index.get_level_values("age").unique()) == ["c", "low"]
    audit = server.believe(server.tabulate("sex", {"age": "a"}))  # of other ages nothing was said
    assert audit.release.dims[1].labels == ("a",)


def test_chains_agree_with_the_exact_belief():
    for method, seed in (("random_round", 3), ("noisy zeros", 4), ("perturb", 5)):
        server = served(counts_of(seed), seed, **METHODS[method][0])
        answers = [server.tabulate(*request) for request in REQUESTS["levels"]]
        exact = server.believe(answers, method="exact")
        chains = server.believe(answers, method="chains", seed=seed, tolerance=0.05)
        assert chains.converged
        assert chains.certificate.word == "connected"
        for one, other in zip(exact.belief.pmfs, chains.belief.pmfs, strict=True):
            for value in range(one.lower, one.upper + 1):
                error = max(other.between_error(value, value), 1e-9)
                assert abs(one.between(value, value) - other.between(value, value)) < 5 * error


def test_only_what_was_published_is_used():
    """Two populations with the same figures are believed to be the same, by the same chains."""
    requests, by_figures = [("sex", {}), ("sex,age", {})], {}
    for number in range(400):
        counts = np.random.default_rng(number).integers(0, 3, 6).tolist()
        server = served(counts, number, **METHODS["random_round"][0])
        answers = [server.tabulate(*request) for request in requests]
        key = tuple(int(value) for answer in answers for value in answer.table.values.ravel())
        other = by_figures.setdefault(key, (counts, server, answers))
        if other[0] != counts:
            break
    else:
        pytest.fail("no two populations have the same figures")
    beliefs = [
        of.believe(these, law, method=method, tolerance=0.2)
        for _, of, these in (other, (counts, server, answers))
        for law, method in (("hypergeometric", "chains"), ("uniform", "exact"))
    ]
    for one, same in zip(beliefs[:2], beliefs[2:], strict=True):
        assert one.release.truth is None
        assert one.cells.to_csv() == same.cells.to_csv()
        assert one.release.notes == same.release.notes
        assert one.certificate == same.certificate


def test_taken_for_independent_the_same_answers_tell_something_else():
    """A row of figures that repeats: nobody is in the rest, or the draws happen to be alike."""
    server = served([1, 0, 0, 0, 2, 2], 1, **METHODS["add_noise"][0])
    answers = [server.tabulate("sex"), server.tabulate("sex,age")]
    linked = fw.audit(fw.linked([answer.release() for answer in answers], full=True))
    assert linked.certificate.likelihood == "cellwise approximation"
    joint = server.believe(answers)
    assert joint.certificate.likelihood == "exact"
    gaps = [abs(joint.pmf(cell) - linked.pmf(cell)).max() for cell in ({"sex": "f", "age": age} for age in "abc")]
    assert max(gaps) > 0.02


def test_refusals_say_what_to_do():
    server = served([3, 2, 0, 2, 2, 4], 1, **METHODS["random_round"][0])
    other = served([3, 2, 0, 2, 2, 4], 2, **METHODS["random_round"][0])
    answer = server.tabulate("sex,age")
    with pytest.raises(fw.InputError, match="the answer to sex x age is of another server"):
        server.believe([other.tabulate("sex,age")])
    with pytest.raises(fw.InputError, match="takes answers of this server, as tabulate\\(\\) gives them; this is 3"):
        server.believe([answer, 3])
    with pytest.raises(fw.InputError, match="needs answers of this server"):
        server.believe([])
    with pytest.raises(fw.InputError, match="no figure of the answers counts the people with sex=m, age=b, who may be"):
        server.believe([server.tabulate("sex", {"age": "a"}), server.tabulate("age", {"sex": "f"})])
    strict = served([3, 2, 0, 2, 2, 4], 1, rules=fw.server.ServerRules(max_dims=1), **METHODS["random_round"][0])
    with pytest.raises(fw.InputError, match="were refused as such"):
        strict.believe([strict.tabulate("sex,age")])
    before = served([3, 2, 0, 2, 2, 4], 1, when="before", **METHODS["random_round"][0])
    with pytest.raises(fw.InputError, match=r"each figure is a sum of changed cells.*answer\.release\(\)"):
        before.believe([before.tabulate("sex,age")])
    lattice = served([3, 2, 0, 2, 2, 4], 1, mechanism="round_lattice", parameters={"base": 3, "margins": ["sex,age"]})
    with pytest.raises(fw.InputError, match="rounded together"):
        lattice.believe([lattice.tabulate("sex")])


def test_what_is_no_product_is_refused_elsewhere():
    """The release of a joint belief must not be read as if every figure had a draw of its own."""
    server = served([3, 2, 0, 2, 2, 4], 1, **METHODS["random_round"][0])
    release = server.believe([server.tabulate("sex,age")]).release
    for ask in (fw.sample, fw.count):
        with pytest.raises(
            fw.InputError, match="is not worked out where the same people are published by one random number"
        ):
            ask(release)
    assert fw.bounds(release)["upper"].max() < 20
