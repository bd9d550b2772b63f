"""Samples with weights and strata: laws against enumeration, totals against their Horvitz-Thompson estimates."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.stats import dirichlet_multinomial, multinomial
from support.naive.populations import agreement, compositions
from support.protocol import LEAST_P

import fiberwalk as fw

P = fw.survey.populations
SAMPLE = xr.DataArray([[2, 1], [1, 2]], coords={"region": ["N", "S"], "sex": ["f", "m"]}, dims=["region", "sex"])
WEIGHTS = xr.DataArray([[1.5, 3.0], [1.0, 2.0]], coords=SAMPLE.coords, dims=SAMPLE.dims)
"""They add up to 11 people."""


def drawn(sample=SAMPLE, people=None, model="log-linear", draws=20_000, **design):
    tables = fw.survey.draw_populations(sample, people, model, draws=draws, **design)["table"].values
    return tables.reshape(-1, np.asarray(tables).shape[-1] * tables.shape[-2])


def independent(table):
    """The probabilities of independent dims with the margins of a table."""
    return np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum() ** 2


def law_of(p, outside, of=multinomial):
    """The law of populations, by all ways in which people can be outside the sample."""
    counts = SAMPLE.values.ravel()
    law = of(outside, p.ravel()) if of is multinomial else of(p.ravel(), outside)
    return {tuple((counts + x).tolist()): float(law.pmf(x)) for x in compositions(outside, len(counts))}


def test_people_stand_for_as_many_outside_as_their_weights_say():
    stands = SAMPLE.values * (WEIGHTS.values - 1)
    tables = drawn(sampling_weights=WEIGHTS)
    assert (tables.sum(axis=1) == 11).all()
    assert agreement(tables, law_of(independent(stands), 5)) > LEAST_P
    assert agreement(tables, law_of(independent(SAMPLE.values), 5)) < LEAST_P, "weights make no difference"
    shares = stands * 6 / stands.sum()
    tables = drawn(model=P.shrunk(strength=2.0, add=0), sampling_weights=WEIGHTS)
    alpha = shares + 2.0 * independent(stands)
    assert agreement(tables, law_of(alpha, 5, of=dirichlet_multinomial)) > LEAST_P


def test_equal_weights_are_those_of_a_simple_random_sample():
    twice = xr.full_like(WEIGHTS, 2.0)
    for model in ("log-linear", "shrunk"):
        assert (drawn(model=model, draws=50, sampling_weights=twice) == drawn(people=12, model=model, draws=50)).all()


def test_totals_are_expected_to_be_what_the_weights_add_up_to():
    random = np.random.default_rng(5)
    sample = random.poisson(6.0, (3, 4)) + 1
    weights = random.uniform(1, 20, (3, 4))
    tables = drawn(sample, sampling_weights=weights, draws=4000).reshape(-1, 3, 4)
    for axis in (0, 1):
        totals = tables.sum(axis=1 + axis)
        error = totals.std(axis=0) / math.sqrt(len(totals))
        estimate = (sample * weights).sum(axis=axis)
        assert np.abs(totals.mean(axis=0) - estimate) == pytest.approx(0, abs=5 * error.max() + 0.5)
        assert np.abs(totals.mean(axis=0) - sample.sum(axis=axis) * 60).max() > 100


def test_who_is_sampled_less_often_is_not_taken_for_rare():
    """The largest religion has a fifth of the others' chance: without weights the population looks spread evenly."""
    people = fw.examples.ase15().table.values
    chance = np.where(np.arange(9) == 0, 0.05, 0.25) * np.ones((10, 1))
    random, found = np.random.default_rng(1), []
    for seed in range(12):
        sample = random.binomial(people, chance)
        weighted = fw.survey.sample_risk(sample, model="log-linear", sampling_weights=1 / chance, draws=100, seed=seed)
        alike = fw.survey.sample_risk(sample, 2449, "log-linear", draws=100, seed=seed)
        found.append([weighted.r1.mean(), alike.r1.mean()])
    off = np.mean(found, axis=0) - fw.risk.r1(people)
    assert abs(off[0]) < 0.02
    assert off[1] < -0.04


def test_weights_of_people_and_of_rows_are_those_of_cells():
    people = [(r, s, w) for r, s, w in [("N", "f", 1.0), ("N", "f", 2.0), ("N", "m", 3.0), ("S", "f", 1.0)]]
    people += [("S", "m", 2.5), ("S", "m", 1.5)]
    frame = pd.DataFrame(people, columns=["region", "sex", "w"])
    rows = frame.groupby(["region", "sex"]).agg(w=("w", "mean"), people=("w", "size")).reset_index()
    by_cell = fw.survey.sample_risk(SAMPLE, model="shrunk", sampling_weights=WEIGHTS, draws=50)
    for form, count in ((frame, None), (rows, "people"), (rows.rename(columns={"people": "n"}), None)):
        found = fw.survey.sample_risk(form, model="shrunk", sampling_weights="w", count=count, draws=50)
        assert found.r2 == pytest.approx(by_cell.r2)
        assert (found.n, found.size) == (6, 11)


def released():
    return fw.protect.draw_sample([[3, 4]], 0.5, seed=1)


SIZES = {"region": {"N": 5, "S": 8}}


def test_every_stratum_has_its_size():
    weights = np.array([[5 / 3], [8 / 3]])
    p = independent(SAMPLE.values * (weights - 1))
    counts = SAMPLE.values
    within = p / p.sum(axis=1, keepdims=True)
    law = {
        (*(counts[0] + x), *(counts[1] + y)): float(multinomial(2, within[0]).pmf(x) * multinomial(5, within[1]).pmf(y))
        for x in compositions(2, 2)
        for y in compositions(5, 2)
    }
    tables = drawn(people=SIZES)
    assert agreement(tables, law) > LEAST_P
    assert (drawn(people=SIZES, model="shrunk", draws=50).reshape(-1, 2, 2).sum(axis=2) == [5, 8]).all()
    assert len(set(drawn(people=13, draws=50).reshape(-1, 2, 2).sum(axis=2)[:, 0])) > 1
    both = drawn(people={"region": {"N": 4, "S": 7}}, sampling_weights=WEIGHTS, draws=50)
    assert (both.reshape(-1, 2, 2).sum(axis=2) == [4, 7]).all()


def test_the_risk_of_a_stratified_sample_knows_how_many_there_are():
    risk = fw.survey.sample_risk(SAMPLE, SIZES, draws=100)
    assert (risk.n, risk.size) == (6, 13)
    assert risk.model == "shrunk"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: drawn(model="urn", sampling_weights=WEIGHTS), "model 'urn' takes no sampling weights and no strata"),
        (lambda: drawn(model=P.known(WEIGHTS), people=SIZES), "model 'known' takes no sampling weights and no strata"),
        (lambda: drawn(model="fiber", people=SIZES), "give the sizes of strata as population totals"),
        (lambda: drawn(sampling_weights=WEIGHTS / 2), "sampling_weights= has 0.75: a weight is a number of at least 1"),
        (lambda: drawn(sampling_weights=WEIGHTS.isel(sex=[0])), "sampling_weights= has the shape (2, 1)"),
        (lambda: drawn(people=50, sampling_weights=WEIGHTS), "weights add up to 11 people, and people= says 50"),
        (lambda: drawn(sampling_weights="w"), "names a column, but the sample is no long frame"),
        (lambda: drawn(pd.DataFrame({"sex": ["f"], "w": ["x"]}), sampling_weights="w"), "row 1: 'x' in column"),
        (lambda: drawn(pd.DataFrame({"sex": ["f"], "w": [2]}), sampling_weights="v"), "there is no column 'v'"),
        (lambda: drawn(people={"region": {"N": 5}}), "'S' has none"),
        (lambda: drawn(people={"region": {"N": 5, "S": 8, "W": 1}}), "there is no 'W'"),
        (lambda: drawn(people={"regions": {}}), "did you mean 'region'"),
        (lambda: drawn(people={"region": {"N": 2, "S": 8}}), "people={'region': {'N': 2}}: the sample has 3 people there"),
        (lambda: drawn(people={"region": {"N": 2.5, "S": 8}}), "people={'region': {'N': 2.5}}: a whole number of people"),
        (lambda: drawn(people={}), "names one dim"),
        (lambda: fw.survey.sample_risk(released(), {"A": {"1": 7}}), "neither sampling weights nor"),
    ],
)  # fmt: skip
def test_wrong_designs_are_refused_in_words(call, words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        call()
