"""What a reconstruction answers, held to sums by hand and to the tables it is from."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pandas as pd
import pytest

import fiberwalk as fw
from fiberwalk.base.errors import InputError
from fiberwalk.recipes.block_of_seven import OLDEST, PUBLISHED, ROUNDED, YOUNGEST_MARRIED
from fiberwalk.report.reconstruction_page import reconstruction_page

LABELS = {"block": ["1", "2"], "sex": ["f", "m"], "age": ["0", "1", "2", "3"]}
PEOPLE = pd.DataFrame(
    [
        ("1", "f", "0"),
        ("1", "f", "3"),
        ("1", "m", "1"),
        ("1", "m", "1"),
        ("2", "f", "1"),
        ("2", "m", "0"),
        ("2", "m", "2"),
    ],
    columns=list(LABELS),
)


def shown(people, axes):
    index = pd.MultiIndex.from_product([LABELS[axis] for axis in axes], names=axes)
    counts = people.groupby(list(axes)).size().reindex(index if len(axes) > 1 else LABELS[axes[0]], fill_value=0)
    values = counts.to_numpy().reshape([len(LABELS[axis]) for axis in axes])
    return fw.table(values, dims=axes, labels={axis: LABELS[axis] for axis in axes})


TABLES = {"by sex": ("block", "sex"), "ages by sex": ("sex", "age"), "ages": ("block", "age")}


def published(people=PEOPLE, tables=tuple(TABLES)):
    return fw.population(LABELS).published({name: shown(people, TABLES[name]) for name in tables})


@pytest.fixture(scope="module")
def found():
    return fw.reconstruct(published(), region="block")


def test_every_population_that_is_drawn_has_the_published_figures(found):
    drawn = found.draw(25, seed=3)
    assert drawn["population"].nunique() == 25
    for _, people in drawn.groupby("population"):
        assert len(people) == len(PEOPLE)
        for axes in TABLES.values():
            assert (shown(people, axes).values == shown(PEOPLE, axes).values).all()


def test_draws_come_as_often_as_was_said(found):
    """A certain record is in every draw; the others by a binomial, at about five standard deviations."""
    drawn, number = found.draw(400, seed=4), 400
    there = drawn.drop_duplicates().groupby(["block", "sex", "age"])["population"].size()
    for row in found.records.itertuples():
        share = there.get((row.block, row.sex, row.age), 0) / number
        assert abs(share - row.p) <= 5 * np.sqrt(row.p * (1 - row.p) / number) + 1e-12


def test_what_is_listed_is_possible_and_what_stands_out_comes_first(found):
    records = found.records
    assert (records["upper"] > 0).all()
    assert (records["p_once"] <= records["p"] + 1e-12).all()
    gain = (records["p"] - records["p_above"]).to_numpy()
    assert (np.diff(gain) <= 1e-6).all()
    assert repr(found).startswith(
        f"<Reconstruction of block, sex, age: {len(found.certain)} records certain, {len(records)} possible"
    )


def test_the_level_above_knows_the_figures_of_all_regions_together(found):
    """All that is said of sex by age in both blocks, and how many people a block has: 4 of 7, and 3 of 7."""
    of_both = PEOPLE.groupby(["sex", "age"]).size()
    for row in found.records.itertuples():
        share = of_both[row.sex, row.age] / 7
        assert row.p_above == pytest.approx(1 - (1 - share) ** {"1": 4, "2": 3}[row.block], abs=1e-7)


def test_the_bits_that_are_left_are_those_of_the_number_of_populations(found):
    """Every population counts alike, and all were counted: by hand, through every way to fill the tables."""
    by_sex, ages_by_sex, ages = (shown(PEOPLE, axes).values for axes in TABLES.values())
    lines = [
        [row for row in itertools.product(range(3), repeat=4) if sum(row) == people]
        for people in by_sex.ravel().tolist()
    ]
    tables = np.array(list(itertools.product(*lines))).reshape(-1, 2, 2, 4)
    agree = (tables.sum(axis=1) == ages_by_sex).all(axis=(1, 2)) & (tables.sum(axis=2) == ages).all(axis=(1, 2))
    number = int(agree.sum())
    assert number > 1
    assert found.populations == number
    assert found.entropy == pytest.approx(np.log2(number))
    assert found.entropy_per_person == pytest.approx(np.log2(number) / len(PEOPLE))


def test_claims_agree_with_the_records_and_joint_ones_with_each_other(found):
    for row in found.records.itertuples():
        who = {"block": row.block, "sex": row.sex, "age": row.age}
        assert found.probability(who) == pytest.approx(row.p, abs=1e-9)
        assert found.probability(who, at_least=1, at_most=1) == pytest.approx(row.p_once, abs=1e-9)
    assert found.probability({"block": "1"}, at_least=4, at_most=4) == 1
    assert found.probability({"block": "1"}, at_least=5) == 0
    one, two = {"block": "1", "sex": "f", "age": "0"}, {"block": "2", "sex": "f", "age": "0"}
    assert found.probability([one, two]) == pytest.approx(0)  # there is one girl of that age


def test_it_is_held_to_the_people_who_there_are(found):
    held = found.against(PEOPLE)
    assert held.impossible == 0
    assert int(held.occupied.sum()) == len(PEOPLE.drop_duplicates())
    open_ = found.records.query("0 < p < 1")
    there = {tuple(row) for row in PEOPLE.itertuples(index=False)}
    exists = np.array([(row.block, row.sex, row.age) in there for row in open_.itertuples()])
    score = -np.log2(np.where(exists, open_["p"], 1 - open_["p"])).mean()
    assert held.log_score == pytest.approx(score)
    assert held.hits["hits"].iloc[-1] == held.occupied.sum()
    strangers = PEOPLE.assign(age="3")
    assert np.isinf(found.against(strangers).log_score)
    with pytest.raises(InputError, match=re.escape("against(truth): the people have no column 'sex'.")):
        found.against(PEOPLE.drop(columns="sex"))
    with pytest.raises(InputError, match=re.escape("against(truth): 'age' has no label '9'")):
        found.against(PEOPLE.assign(age="9"))


def test_tables_tell_what_would_be_left_without_them(found):
    tell = found.tables_tell(progress=False)
    assert list(tell.index) == ["nothing (all tables)", *TABLES]
    for name in TABLES:
        fewer = fw.reconstruct(published(tables=[one for one in TABLES if one != name]))
        assert tell.loc[name, "certain"] <= len(fewer.certain)
        assert tell.loc[name, "possible"] >= int(fewer.records.query("p > 0")["records"].sum())


def test_two_truths_with_the_same_publication_look_the_same():
    """Nobody is in both populations at the same place, and every table is the same."""
    ages, sexes = fw.table([2, 2], dims="age", labels={"age": ["0", "1"]}), {"sex": ["f", "m"]}
    population = fw.population({"age": ["0", "1"], **sexes})
    pages = []
    for values in ([[2, 0], [0, 2]], [[0, 2], [2, 0]]):
        truth = fw.table(values, dims=("age", "sex"), labels={"age": ["0", "1"], **sexes})
        hidden = fw.suppress(truth, where=[{"age": a, "sex": s} for a in "01" for s in "fm"], margins=["age", "sex"])
        found = fw.reconstruct(population.published({"ages": ages, "both": hidden}), method="chains", max_draws=2000)
        pages.append((reconstruction_page(found), found.records.to_csv(), found.draw(3).to_csv()))
    assert pages[0] == pages[1]


def test_the_report_says_the_same_and_escapes_what_comes_from_the_data(tmp_path):
    labels = {"place": ["<b>here</b>", "there"], "sex": ["f", "m"]}
    population = fw.population(labels)
    table = fw.table([[1, 0], [2, 3]], dims=list(labels), labels=labels)
    found = fw.reconstruct(population.published({"<i>all</i>": table}), region="place")
    found.to_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "<b>here</b>" not in page
    assert "<i>all</i>" not in page
    assert "&lt;b&gt;here&lt;/b&gt;" in page
    assert "the tables give away 3 records with certainty" in page
    assert page == reconstruction_page(found)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda r: fw.reconstruct(fw.publish([[1, 2], [3, 4]], ["A", "B"])),
            "reconstruct() needs the tables of a population",
        ),
        (lambda r: fw.reconstruct(r, region="town"), "region='town': the population has no such dim"),
        (lambda r: fw.reconstruct(r, method="guess"), "method='guess': there is no such method"),
        (lambda r: fw.reconstruct(r, law="dirichlet"), "law"),
        (lambda r: fw.reconstruct(r).probability([]), "probability() needs a group, or a list of groups."),
        (lambda r: fw.reconstruct(r).probability({"sex": "f"}, at_least=-1), "probability(at_least=-1)"),
        (lambda r: fw.reconstruct(r).probability({"sex": "x"}), "'x'"),
        (lambda r: fw.reconstruct(r).draw(0), "populations=0"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(call, words):
    with pytest.raises(InputError) as refused:
        call(published())
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("without", "populations", "certain"),
    [
        ((), 1, 7),
        pytest.param(("black females",), 2, 0, marks=pytest.mark.slow),
        pytest.param(("females", "males"), 8, 4, marks=pytest.mark.slow),
    ],
)
def test_the_block_of_seven_is_found_by_its_statistics(without, populations, certain):
    """As Garfinkel, Abowd and Martindale (2019) say, and a search through all populations."""
    ages = [str(age) for age in range(OLDEST + 1)]
    people = fw.population(
        {"sex": ["f", "m"], "race": ["b", "w"], "status": ["married", "single"], "age": ages},
        where=[({"status": "married"}, {"age": ages[YOUNGEST_MARRIED:]})],
    )
    release = people.published({"race": fw.table([4, 3], dims="race", labels={"race": ["b", "w"]})})
    for name, (group, number, middle, average) in PUBLISHED.items():
        if name not in without:
            rounding = "nearest" if name in ROUNDED else "exact"
            facts = fw.facts.median(middle, "age", rounding="exact"), fw.facts.mean(average, "age", rounding=rounding)
            release = release.knows(group, *facts, exactly=number)
    found = fw.reconstruct(release)
    assert found.populations == populations
    assert len(found.certain) == certain
    assert found.method == "exact"
