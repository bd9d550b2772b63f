"""Swapping of households: all members move together, to where a household like theirs was; against a slow twin."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest
from support.naive.moved_records import check_facts, counted, far_off

import fiberwalk as fw
from fiberwalk.protect.records.household_swapping import compositions, exchanged
from fiberwalk.protect.records.swapped_pairs import pairs_wanted


def people_of(random, homes=40, regions=3):
    """Households of one to four people, each in one region and flat."""
    rows = []
    for home in range(homes):
        region, tenure = random.integers(regions), random.integers(2)
        for _ in range(random.integers(1, 5)):
            own = random.choice(["f", "m"]), random.integers(3), random.integers(2)
            rows.append((home, f"r{region}", "own" if tenure else "rent", *own))
    return pd.DataFrame(rows, columns=["home", "region", "tenure", "sex", "age", "job"])


def slow_law(place, strata, first, rate):
    """P(where every household is afterwards), going through all pairs of single households one after the other."""
    law = {tuple(place): 1.0}
    for stratum in sorted(set(strata)):
        homes = [h for h in range(len(place)) if strata[h] == stratum]
        least, more, most = pairs_wanted(np.array(list(Counter(place[h] for h in homes).values())), rate)
        found = defaultdict(float)

        def go_on(unused, now, pairs, chance, found=found):
            ways = [(a, b) for a in unused for b in unused if place[a] != place[b]]
            if not pairs or not ways:
                found[now] += chance
                return
            begin = [a for a in unused if first[a] and any(place[a] != place[b] for b in unused)]
            if begin:
                weighted = [
                    (a, b, 1 / len(begin) / sum(place[a] != place[c] for c in unused)) for a, b in ways if first[a]
                ]
            else:
                weighted = [(a, b, 1 / len(ways)) for a, b in ways]
            for a, b, weight in weighted:
                after = list(now)
                after[a], after[b] = place[b], place[a]
                go_on([h for h in unused if h not in (a, b)], tuple(after), pairs - 1, chance * weight)

        for now, chance in law.items():
            for pairs, share in ((least, 1 - more), (least + 1, more)):
                if share > 0:
                    go_on(homes, now, min(pairs, most), chance * share)
        law = found
    return {np.array(now).tobytes(): chance for now, chance in law.items()}


@pytest.mark.parametrize("targeted", [False, True])
def test_households_have_the_law_of_their_pairs(targeted):
    place, strata = np.array([0, 0, 1, 1, 2, 0, 1]), np.array([0, 0, 0, 0, 0, 1, 1])
    first = np.array([True, False, False, True, False, False, False])
    random = np.random.default_rng(1)
    counts = counted(exchanged(place, strata, first & targeted, 0.7, random) for _ in range(3000))
    assert not far_off(counts, slow_law(place, strata, first & targeted, 0.7))
    assert far_off(counts, slow_law(place, strata, first & (not targeted), 0.7))


def test_households_like_each_other():
    """Against sorted lists of members, one household at a time."""
    random = np.random.default_rng(2)
    home, kind = np.sort(random.integers(0, 30, 80)), random.integers(0, 3, 80)
    home = np.unique(home, return_inverse=True)[1]
    found = compositions(home, kind)
    lists = [tuple(sorted(kind[home == one])) for one in range(home.max() + 1)]
    for a in range(len(lists)):
        for b in range(len(lists)):
            assert (found[a] == found[b]) == (lists[a] == lists[b])
    assert len(set(found)) == len(set(lists)) < len(lists)


@pytest.mark.parametrize("within", ["", "sex", "age,sex"])
@pytest.mark.parametrize(("seed", "rate", "targeted"), [(1, 0.2, None), (2, 0.6, 2), (3, 1.0, None), (4, 1.0, 1)])
def test_members_stay_together_and_margins_stay_as_they_are(seed, rate, targeted, within):
    people = people_of(np.random.default_rng(seed))
    people["who"] = people["home"].map(lambda home: f"h{home}")
    release = fw.protect.swap(
        people, "region,tenure", household="home", columns=["who", "region", "tenure"], within=within, rate=rate,
        targeted=targeted, seed=3,
    )  # fmt: skip
    true = people.groupby("who").size()
    for who in true.index:  # every household is in one place, with all its members
        inside = release.published.sel(who=who).values
        assert inside.max() == inside.sum() == true[who]
    release = fw.protect.swap(
        people, "region", household="home", columns=["region", "sex", "age", "job"], within=within, rate=rate,
        targeted=targeted, seed=3,
    )  # fmt: skip
    check_facts(release)
    published = release.published
    assert (release.truth.reshape(published.shape) != published.values).any()
    others = people.groupby(["sex", "age", "job"]).size()
    for labels, number in others.items():
        assert int(published.sel(dict(zip(others.index.names, map(str, labels), strict=True))).sum()) == number
    kept = ["region", *[one for one in within.split(",") if one]]
    wanted = people.groupby(kept).size()
    for labels, number in wanted.items():
        named = labels if isinstance(labels, tuple) else (labels,)
        place = dict(zip(kept, map(str, named), strict=True))
        assert int(published.sel(place).sum()) == number
    assert int(published.sum()) == len(people)
    assert release.likelihood == "support only"
    assert "LOWER bound" in release.applied[0].words


def test_households_with_people_in_small_cells_come_first():
    """One in ten is alone in its cell; swapping of a fifth then moves all of these, and else only some."""
    rows = [
        (f"h{home}", f"r{home % 2}", "rare" if home < 10 else "usual", home if home < 10 else 10) for home in range(100)
    ]
    people = pd.DataFrame(rows, columns=["home", "region", "kind", "job"])
    options = {"household": "home", "columns": ["region", "kind", "job"], "rate": 0.2, "seed": 5}
    before = pd.crosstab(people["job"], people["region"]).loc[list(range(10))].to_numpy()
    moved = {}
    for targeted in (None, 1):
        published = fw.protect.swap(people, "region", targeted=targeted, **options).published
        after = published.sum("kind").sel(job=[str(i) for i in range(10)]).transpose("job", "region").values
        moved[targeted] = int((after != before).any(axis=1).sum())
    assert moved[1] == 10
    assert moved[None] < 8


def test_controls_may_be_columns_that_the_table_does_not_show():
    people = people_of(np.random.default_rng(8), homes=60)
    people["area"] = people["region"].map({"r0": "north", "r1": "north", "r2": "south"})
    release = fw.protect.swap(
        people, "region", household="home", columns=["region", "sex", "age"], within="area", rate=1.0, seed=1
    )
    true = people.groupby(["region", "sex", "age"]).size()
    shown = release.published.to_series()
    assert all(shown.loc[("r2", sex, str(age))] == true.get(("r2", sex, age), 0) for sex in "fm" for age in range(3))
    assert (shown.loc["r0"].to_numpy() != true.loc["r0"].to_numpy()).any()
    assert "that agree in size, area;" in release.applied[0].words
    free = fw.protect.swap(people, "region", household="home", columns=["region", "sex", "age"], rate=1.0, seed=1)
    moved = free.published.to_series()
    assert any(moved.loc[("r2", sex, str(age))] != true.get(("r2", sex, age), 0) for sex in "fm" for age in range(3))


def test_an_audit_reads_what_stays():
    people = people_of(np.random.default_rng(5), homes=20, regions=2)
    release = fw.protect.swap(people, "region", household="home", columns=["region", "sex"], rate=0.5, seed=1)
    same = fw.publish(people.groupby(["region", "sex"]).size().rename("count").reset_index(), ["region", "sex"])
    for region, sex in (("r0", "f"), ("r1", "m")):
        assert fw.audit(release).pmf(region=region, sex=sex).to_dict() == pytest.approx(
            fw.audit(same).pmf(region=region, sex=sex).to_dict()
        )


PEOPLE = pd.DataFrame({"home": [1, 1, 2, 3], "region": list("NNSS"), "job": list("abab")})


@pytest.mark.parametrize(
    ("people", "dim", "options", "words"),
    [
        (PEOPLE, "region", {"household": "house"}, "the microdata have no column 'house'; did you mean 'home'?"),
        ([[1, 2], [3, 4]], "A", {"household": "home"}, "is of microdata: a DataFrame with one row a person."),
        (
            PEOPLE.assign(region=list("NSSS")),
            "region",
            {"household": "home"},
            "households move as a whole, and members of household '1' differ in 'region'.",
        ),
        (PEOPLE, "job", {"household": "home"}, "members of household '1' differ in 'job'."),
        (PEOPLE, "region", {"household": "home", "within": "region"}, "they cannot agree in it"),
        (PEOPLE, "region", {"household": "home", "within": "age"}, "'age', which is no dim"),
        (PEOPLE, "region", {"household": "home", "columns": ["home", "region"]}, "'home' says who belongs together."),
        (PEOPLE, "region", {"household": "home", "within": 3}, "swap(within=3): what partners agree in"),
        (
            PEOPLE,
            "region",
            {"household": "home", "columns": 3},
            "swap(columns=3): the columns that are dims of the table",
        ),
        (PEOPLE, "region", {"household": "home", "rate": 0}, "swap(rate=0): the share of records"),
        (
            PEOPLE.assign(job=["a", None, "a", "b"]),
            "region",
            {"household": "home"},
            "row 2 of the microdata has no label",
        ),
        (PEOPLE.iloc[:0], "region", {"household": "home"}, "the microdata have no rows."),
        (
            PEOPLE.iloc[:3],
            "region",
            {"household": "home"},
            "there must be households of the same size in two categories",
        ),
    ],
)
def test_errors(people, dim, options, words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        fw.protect.swap(people, dim, **options)


def test_too_many_cells_are_refused():
    many = pd.DataFrame({f"c{i}": range(60) for i in range(5)}).assign(home=range(60))
    with pytest.raises(fw.InputError, match=r"the table would have 777,600,000 cells; name fewer columns="):
        fw.protect.swap(many, "c0", household="home")
