"""A server whose data are a sample: the risk of each table is R2 over the populations behind it, and no figure leaves."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import fiberwalk as fw
from fiberwalk.server.cube.request import Request
from fiberwalk.server.rules import TOO_THIN

RANDOM = np.random.default_rng(8)
PEOPLE = pd.DataFrame(
    {
        "region": RANDOM.choice(["N", "S"], 300, p=[0.3, 0.7]),
        "age": RANDOM.choice(["0-4", "5-9", "10-14", "15-19"], 300, p=[0.1, 0.2, 0.3, 0.4]),
        "health": RANDOM.choice(["good", "fair", "bad"], 300, p=[0.7, 0.25, 0.05]),
        "w": np.round(RANDOM.uniform(2, 9, 300), 1),
    }
)
ALL = PEOPLE.drop(columns="w")
N = 1500


def served(data=ALL, **settings):
    return fw.server.TableServer(data, **({"risk": "sample", "people": N, "seed": 5, "draws": 200} | settings))


def seed_of(server, answer):
    """The seed of the populations behind a table: it follows from who is in its cells."""
    return server.cube.table_seed(server.cube.cut(Request(answer.request.dims, answer.request.where)).keys)


@pytest.mark.parametrize("model", ["log-linear", "urn", "shrunk", fw.survey.populations.shrunk(strength=20.0)])
def test_the_risk_of_a_table_is_that_of_the_sample(model):
    server = served(model=model, mechanism="random_round", parameters={"base": 3})
    answer = server.tabulate("age,health", by="health")
    sample = ALL[["age", "health"]].value_counts().rename("count").reset_index()
    table = answer.original
    assert int(table.sum()) == 300
    assert dict(zip(zip(sample["age"], sample["health"], strict=True), sample["count"], strict=True))[
        "0-4", "good"
    ] == int(table.sel(age="0-4", health="good"))
    asked = {"people": N, "model": model, "draws": 200, "seed": seed_of(server, answer)}
    populations = fw.survey.draw_populations(table, **asked)["table"].values[0]
    whole = populations.reshape(200, -1)
    assert answer.risk_before == pytest.approx(fw.survey.sample_risk(table, **asked).r2.mean())
    published = answer.table.values
    assert answer.risk_after == pytest.approx(fw.risk.r2(whole, published.ravel(), stacked=True).mean())
    assert answer.risk_after != answer.risk_before
    for place, label in enumerate(table["health"].values):
        given = fw.risk.r2(populations[:, :, place], table.values[:, place], stacked=True)
        assert float(answer.risk_by_before.sel(health=label)) == pytest.approx(given.mean())
    again = served(model=model, mechanism="random_round", parameters={"base": 3}).tabulate("health,age")
    assert (again.risk_before, again.risk_after) == (answer.risk_before, answer.risk_after)


def test_whom_a_filter_leaves_stand_for_their_share_of_the_population():
    server = served(model="log-linear")
    answer = server.tabulate("age,health", {"region": "N"})
    n = int((ALL["region"] == "N").sum())
    asked = {"people": round(n * N / 300), "model": "log-linear", "draws": 200, "seed": seed_of(server, answer)}
    assert answer.risk_before == pytest.approx(fw.survey.sample_risk(answer.original, **asked).r2.mean())
    asked["people"] = N
    assert answer.risk_before != pytest.approx(fw.survey.sample_risk(answer.original, **asked).r2.mean())


@pytest.mark.parametrize("form", ["people", "cells", "table"])
def test_sampling_weights(form):
    summed = PEOPLE.assign(n=1).groupby(["region", "age", "health"]).agg(n=("n", "sum"), w=("w", "mean"))
    if form == "table":
        cells = summed["n"].to_xarray().fillna(0).astype(int)
        data, weights = cells, summed["w"].to_xarray().fillna(1.0)
    else:
        data, weights = (PEOPLE if form == "people" else summed.reset_index()), "w"
    server = served(data, people=None, sampling_weights=weights)
    answer = server.tabulate("age,health", {"region": "S"})
    some = PEOPLE[PEOPLE["region"] == "S"].drop(columns="region")
    of_cells = (
        some.groupby(["age", "health"])["w"]
        .mean()
        .reindex(
            pd.MultiIndex.from_product(
                [answer.original[dim].values for dim in ("age", "health")], names=["age", "health"]
            )
        )
    )
    expected = fw.survey.sample_risk(
        answer.original, sampling_weights=of_cells.fillna(1.0).to_xarray().sel(answer.original.coords), draws=200,
        seed=seed_of(server, answer),
    )  # fmt: skip
    assert expected.size == round(some["w"].sum())
    assert answer.risk_before == pytest.approx(expected.r2.mean())
    assert server.tabulate("age").released


def test_strata():
    sizes = {"region": {"N": 200, "S": 1300}}
    server = served(people=sizes, model="log-linear")
    answer = server.tabulate("region,health")
    asked = {"model": "log-linear", "draws": 200, "seed": seed_of(server, answer)}
    assert answer.risk_before == pytest.approx(fw.survey.sample_risk(answer.original, sizes, **asked).r2.mean())
    assert answer.risk_before != pytest.approx(fw.survey.sample_risk(answer.original, N, **asked).r2.mean())
    # where the table does not show the strata, people stand for as many as in their stratum
    hidden = server.tabulate("health")
    people = ALL.assign(w=ALL["region"].map({one: sizes["region"][one] / (ALL["region"] == one).sum() for one in "NS"}))
    weights = people.groupby("health")["w"].mean().to_xarray().sel(health=hidden.original["health"].values)
    asked["seed"] = seed_of(server, hidden)
    assert hidden.risk_before == pytest.approx(
        fw.survey.sample_risk(hidden.original, sampling_weights=weights, **asked).r2.mean()
    )
    only = server.tabulate("region,health", {"region": "S"})
    asked["seed"] = seed_of(server, only)
    risk = fw.survey.sample_risk(only.original, {"region": {"S": 1300}}, **asked)
    assert only.risk_before == pytest.approx(risk.r2.mean())


def test_cells_that_cannot_be_are_structural_zeros():
    bands = {"age": {"young": ["0-4", "5-9"], "old": ["10-14", "15-19"]}}
    server = served(model="log-linear", hierarchies={"age": bands["age"]})
    level = next(one.name for one in server.cube.columns if one.level_of == "age")
    answer = server.tabulate(["age", level])
    table = answer.original
    release = fw.protect.as_protected(table, "draw_sample", exact=[N])
    possible = np.zeros(table.shape, dtype=bool)
    for i, age in enumerate(table["age"].values):
        for j, band in enumerate(table[level].values):
            possible[i, j] = age in bands["age"][str(band)]
            if not possible[i, j]:
                release = release.knows({"age": age, level: band}, exactly=0)
    drawn = fw.survey.draw_populations(release, model="log-linear", draws=200, seed=seed_of(server, answer))[
        "table"
    ].values[0]
    inside = possible.ravel()
    risk = fw.risk.r2(drawn.reshape(200, -1)[:, inside], table.values.ravel()[inside], stacked=True).mean()
    assert answer.risk_before == pytest.approx(risk)


# --- what whoever asks may see ------------------------------------------------------------------------------------------


def test_what_the_risk_is_does_not_decide_who_is_answered():
    server = served(max_risk=0.01)
    answer = server.tabulate("age,health")
    assert answer.released
    assert answer.too_risky
    assert f"{answer.risk_before:.3f}" in answer.summary()
    assert f"{answer.risk_before:.3f}" not in repr(answer) + answer.notice + (answer._repr_html_() or "")
    plain = fw.server.TableServer(ALL, risk="r1", max_risk=0.01, seed=5).tabulate("age,health")
    assert (plain.notice, repr(plain)) == (answer.notice, repr(answer))


@pytest.mark.parametrize(
    "model", [fw.survey.populations.urn(zeros=7), fw.survey.populations.log_linear(["age,health"])]
)
def test_a_model_that_fails_on_a_table_tells_its_figures_to_the_agency_alone(model):
    for people in (ALL, ALL.iloc[:280]):
        answer = served(people, model=model).tabulate("region,age")
        assert answer.notice == ""
        assert repr(answer) == "<Answer to region x age: released>"
        assert re.search("Its risk cannot be measured: .{40}", answer.summary())
        with pytest.raises(fw.InputError):
            _ = answer.risk_before


def test_a_table_that_protection_emptied_is_refused():
    few = pd.DataFrame({"age": ["a", "b"] * 3, "sex": ["f", "m", "m"] * 2, "region": ["N"] * 6})
    seeds = range(30)
    answers = [
        served(few, people=50, mechanism="random_round", parameters={"base": 50}, seed=one).tabulate("age,sex")
        for one in seeds
    ]
    emptied = [one for one in answers if not one.released]
    assert emptied
    assert all(one.notice == TOO_THIN for one in emptied)
    assert all(one.table.sum() > 0 for one in answers if one.released)


@pytest.mark.parametrize(
    ("data", "settings", "words"),
    [
        (ALL, {"people": None}, "risk='sample': how large is the population that these 300 people were drawn from?"),
        (ALL, {"people": 20}, "people=20: the sample has 300 people, and cannot be larger"),
        (ALL, {"risk": "r1"}, "people= is about data that are a sample: it goes with risk='sample'."),
        (ALL, {"risk": "r1", "people": None, "model": "urn"}, "model= is about data that are a sample"),
        (ALL, {"model": "fiber"}, "model 'fiber' knows of one table only, and a server has many"),
        (ALL, {"model": fw.survey.populations.known([1, 2])}, "model 'known' knows of one table only"),
        (ALL, {"model": "urns"}, "there is no model 'urns'; did you mean 'urn'"),
        (ALL, {"draws": 0}, "draws=0: a whole number of at least 1"),
        (ALL, {"weights": (1, 2)}, "there are 3 terms, each with a weight"),
        (PEOPLE, {"sampling_weights": "w"}, "the sampling weights add up to"),
        (PEOPLE, {"sampling_weights": "w", "people": None, "model": "urn"}, "model 'urn' takes no sampling weights"),
        (PEOPLE, {"sampling_weights": "v"}, "there is no column 'v'"),
        (PEOPLE.assign(w=0.5), {"sampling_weights": "w"}, "sampling_weights= has 0.5: a weight is a number of at least 1"),
        (PEOPLE, {"sampling_weights": [1.0]}, "sampling_weights= of a long frame or file is the name of a column"),
        (ALL, {"people": {"region": {"N": 200}}}, "'S' has none"),
        (ALL, {"people": {"region": {"N": 2, "S": 1300}}}, "people={'region': {'N': 2}}: the sample has"),
    ],
)  # fmt: skip
def test_wrong_settings_are_refused_in_words(data, settings, words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        served(data, **settings)
