"""Tables that were published elsewhere before: the same groups are answered as there, and tell what they tell there."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import fiberwalk as fw

AGES = {"0-9": "young", "10-19": "young", "20-59": "old", "60+": "old"}


def people(n=200, seed=2):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": random.choice(list(AGES), n), "region": random.choice(list("NESW"), n)})
    return frame.assign(sex=random.choice(["f", "m"], n))


def served(frame=None, method="random_round", **options):
    parameters = None if method is None else {"base": 3}
    return fw.server.TableServer(
        people() if frame is None else frame, mechanism=method, parameters=parameters, seed=3,
        hierarchies={"age": {"young": ["0-9", "10-19"], "old": ["20-59", "60+"]}}, **options,
    )  # fmt: skip


def by_age_and_region():
    return people().pivot_table(index="age", columns="region", values="sex", aggfunc="count", fill_value=0)


def rounded(**options):
    return fw.protect.random_round(by_age_and_region(), base=5, seed=1, **options)


def test_the_same_groups_are_answered_as_there_in_every_form():
    published = rounded(margins=["age", ""])
    server = served(published_before=published)
    figures = published.published
    table = server.tabulate("region,age").table.transpose(*figures.dims)
    np.testing.assert_array_equal(table.sel(figures.coords), figures)
    one = server.tabulate("age", {"region": "N"})
    np.testing.assert_array_equal(one.table, table.sel(region="N"))
    assert one.notice == "4 figures are as published elsewhere before"
    three = server.tabulate("age,region,sex", totals="consistent").table
    np.testing.assert_array_equal(three.sel(sex="Total")[:-1, :-1], table.transpose("age", "region"))
    crosstab = published.crosstab()
    assert three.sel(sex="Total", age="Total", region="Total") == crosstab.to_numpy()[-1, -1]
    by_region, without = server.tabulate("region"), served().tabulate("region")
    np.testing.assert_array_equal(by_region.table, without.table)  # that margin was not published
    assert by_region.notice == ""


def test_who_happens_to_be_the_same_people_is_not_told():
    """All people of an age are women: the figure from elsewhere (to base 5) is not repeated for the women of that age."""
    frame = people()
    frame.loc[frame.age == "60+", "sex"] = "f"
    table = frame.groupby("age").size().rename("count").reset_index()
    server = served(frame, published_before=fw.protect.random_round(table, base=5, seed=1))
    by_age, by_sex = server.tabulate("age").table, server.tabulate("age,sex").table
    assert (by_age % 5 == 0).all()
    assert (by_sex % 3 == 0).all()
    assert (by_age % 3 != 0).any()


def test_levels_are_groups_as_well():
    bands = people().assign(age=lambda frame: frame.age.map(AGES)).groupby("age").size()
    hierarchies = {"age": {"young": ["0-9", "10-19"], "old": ["20-59", "60+"]}}
    by_age = fw.table(people().groupby("age").size().rename("count").reset_index(), hierarchies=hierarchies)
    level = by_age.dims[0].levels[0].name
    server = served(published_before=fw.publish(by_age, margins=[level]))
    table = server.tabulate(level).table
    assert dict(zip(table[level].values, table.values, strict=True)) == bands.to_dict()
    assert "2 figures were published elsewhere, 2 of them true counts" in " ".join(server.notes)


def test_the_release_tells_what_the_figures_told_there():
    published = rounded()
    here, there = (
        fw.bounds(release)
        for release in (served(published_before=published).tabulate("age,region").release(), published)
    )
    pd.testing.assert_frame_equal(here.sort_index(), there.sort_index(), check_dtype=False)
    audited, known = (
        fw.audit(release, seed=1).cells.sort_index()
        for release in (served(published_before=published).tabulate("age,region").release(), published)
    )
    np.testing.assert_allclose(audited["entropy"], known["entropy"], atol=1e-9)
    exact = served(published_before=by_age_and_region()).tabulate("age,region").release()
    bounds = fw.bounds(exact)
    assert (bounds["lower"] == bounds["upper"]).all()
    nearest = served(published_before=fw.round_to(by_age_and_region(), base=10)).tabulate("age,region").release()
    expected = fw.bounds(fw.round_to(by_age_and_region(), base=10)).sort_index()
    pd.testing.assert_frame_equal(fw.bounds(nearest).sort_index(), expected, check_dtype=False)


def test_a_table_of_unknown_making_is_answered_but_not_audited():
    table = by_age_and_region()
    table.iloc[0, 0] += 1
    answer = served(published_before=table).tabulate("age,region")
    assert int(answer.table.sel(age=table.index[0], region=table.columns[0])) == table.iloc[0, 0]
    with pytest.raises(fw.InputError, match="was published elsewhere, and it is not known what that figure tells"):
        answer.release()


def test_methods_that_treat_a_cube_or_an_offer_as_a_whole_say_what_differs():
    published = rounded()
    for options in ({"when": "before"}, {"method": "round_lattice"}):
        server = served(published_before=published, **options)
        answer = server.tabulate("age,region")
        differ = int((answer.table != published.published.transpose("age", "region").reindex_like(answer.table)).sum())
        assert answer.notice == f"{differ} figures were published elsewhere as another number"
        assert "this method does not repeat them" in " ".join(server.notes)
        answer.release()


def test_two_tables_that_disagree_are_told_to_the_agency():
    first, second = rounded(), fw.round_to(by_age_and_region(), base=10)
    notes = " ".join(served(published_before=[first, second]).notes)
    number = re.search(r"(\d+) groups were published as two figures, of which the first is taken", notes)
    assert int(number[1]) == int((first.published != second.published).sum())


def test_what_makes_no_sense_is_refused():
    table = by_age_and_region()
    with pytest.raises(fw.InputError, match=re.escape("published_before=: there is no dim 'town'; known: 'age', ")):
        served(published_before=table.rename_axis(columns="town"))
    with pytest.raises(
        fw.InputError, match=re.escape("published_before=, table 2: dim 'region' has no label 'X'; known:")
    ):
        served(published_before=[table, table.rename(columns={"N": "X"})])
