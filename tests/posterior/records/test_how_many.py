"""How many populations there are, and how many bits are left: between limits that hold, where they are too many to count."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.posterior.records import how_many
from fiberwalk.posterior.records.among_records import bits_of_falling

AGES = [str(age) for age in range(6)]
PEOPLE = fw.population(
    {"sex": ["f", "m"], "age": AGES, "town": ["A", "B"], "eyes": ["blue", "brown"]},
    recodes={"age": {"old": {"no": AGES[:3], "yes": AGES[3:]}}},
)


def shown(rng, axes, people=12):
    """A table of some people at random, and how old they are together."""
    labels = {"sex": ["f", "m"], "old": ["no", "yes"], "town": ["A", "B"], "age": AGES}
    own = {axis: labels[axis] for axis in axes}
    counts = rng.multinomial(people, np.full(math.prod(map(len, own.values())), 1 / math.prod(map(len, own.values()))))
    return fw.table(counts.reshape([len(one) for one in own.values()]), dims=axes, labels=own)


@pytest.mark.parametrize("people", range(6))
@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_bits_of_falling_are_those_of_every_way(people, k):
    """Where populations count alike each multiset is as probable; where people are independent, as its permutations."""
    ways = Counter(tuple(sorted(way)) for way in itertools.product(range(k), repeat=people))
    p = np.array(list(ways.values())) / k**people
    assert bits_of_falling(np.array([people]), k, True)[0] == pytest.approx(math.log2(len(ways)), abs=1e-9)
    assert bits_of_falling(np.array([people]), k, False)[0] == pytest.approx(-(p @ np.log2(p)), abs=1e-9)


@pytest.mark.parametrize("law", ["uniform", "hypergeometric"])
@pytest.mark.parametrize("method", ["exact", "chains"])
@pytest.mark.parametrize("most_records", [50_000, 0])
def test_limits_hold_where_everything_can_be_counted(law, method, most_records, monkeypatch):
    rng = np.random.default_rng(3)
    for _ in range(2):
        release = PEOPLE.published([shown(rng, ["sex", "age"])]).knows({"town": "A"}, exactly=5)
        found = fw.reconstruct(release, law, method=method, tolerance=0.2, progress=False)
        number = found.populations
        assert number is not None
        assert found.log10_populations_between == (found.log10_populations,) * 2
        monkeypatch.setattr(how_many, "MOST_RECORDS", most_records)
        least, most = how_many.bits_between(found.rebuilt)
        monkeypatch.undo()
        assert 0 < least <= math.log2(number) + 1e-9
        assert math.log2(number) - 1e-9 <= most
        if law == "uniform":
            assert most < 1.2 * math.log2(number) + 2  # it is of use
        if method == "exact" and most_records:
            assert least == pytest.approx(most)


def test_of_too_many_to_be_counted_limits_are_told(monkeypatch, tmp_path):
    """Nobody counts them, but each sex by town is independent of the others, and C(n + 11, 11) by hand."""
    labels = {"sex": ["f", "m"], "town": ["A", "B"]}
    release = PEOPLE.published([fw.table([[30, 20], [10, 40]], dims=list(labels), labels=labels)])
    monkeypatch.setattr(how_many, "MOST_RECORDS", 0)
    found = fw.reconstruct(release, progress=False)
    assert found.populations is None
    assert math.isnan(found.log10_populations)
    number = math.prod(math.comb(n + 11, 11) for n in (30, 20, 10, 40))
    least, most = found.log10_populations_between
    assert least == pytest.approx(math.log10(number), abs=1e-6)
    assert most == pytest.approx(math.log10(number), abs=1e-6)
    assert found.entropy == pytest.approx(math.log2(number), abs=1e-6)
    found.to_html(tmp_path / "who.html")
    assert f"more than 10^{least:.0f}, and at most about 10^{most:.0f}" in (tmp_path / "who.html").read_text()


def test_bits_are_told_by_kinds_that_tell_the_others():
    """In a two-way table of m by n cells whose margins are known, (m - 1)(n - 1) of them tell all."""
    labels = {"sex": ["f", "m"], "age": ["1", "2", "3"]}
    population = fw.population(labels)
    tables = [fw.table(v, dims=d, labels={d: labels[d]}) for v, d in (([6, 7], "sex"), ([4, 5, 4], "age"))]
    found = fw.reconstruct(population.published(tables), "hypergeometric", progress=False)
    every = [(a, b, 6 - a - b) for a in range(5) for b in range(6) if 0 <= 6 - a - b <= 4]
    # f has a of 4, b of 5, c of 4: the weights of the multivariate hypergeometric law
    weights = np.array([math.comb(4, a) * math.comb(5, b) * math.comb(4, c) for a, b, c in every], dtype=float)
    weights /= weights.sum()
    true = -(weights @ np.log2(weights))
    entropies = sorted(
        -sum(p * math.log2(p) for p in law_of_values(weights, [one[place] for one in every]).values())
        for place in range(3)
    )
    assert true < found.entropy == pytest.approx(entropies[0] + entropies[1])
    assert found.populations == len(every)


def law_of_values(weights, values):
    """How probable each value is."""
    total: dict[int, float] = {}
    for weight, value in zip(weights, values, strict=True):
        total[value] = total.get(value, 0.0) + weight
    return total
