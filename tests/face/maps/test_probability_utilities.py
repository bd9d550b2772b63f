"""Users who estimate joint and conditional probabilities: their mean squared error against every table, one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import fiberwalk as fw
from fiberwalk import risk
from fiberwalk.maps import map_probabilities

TRUTH = np.array([[2, 1, 3], [4, 0, 2]])
JOINT, CONDITIONAL = {"utility": "joint probability"}, {"utility": "conditional probability"}


def slow_error(true, taken, axes):
    """Of one table, a category and a cell at a time; None where nobody is in any category."""
    errors = []
    for labels in product(*(range(true.shape[axis]) for axis in axes)):
        place = tuple(labels[axes.index(axis)] if axis in axes else slice(None) for axis in range(true.ndim))
        right, other = true[place].ravel(), taken[place].ravel()
        if right.sum():
            for cell in range(right.size):
                share = other[cell] / other.sum() if other.sum() else 1 / right.size
                errors.append((right[cell] / right.sum() - share) ** 2)
    return np.mean(errors)


TABLES = hnp.arrays(int, (2, 3, 2), elements=st.integers(0, 5)).filter(lambda table: table.sum() > 0)


@given(TABLES, TABLES, st.sampled_from([(), (0,), (1,), (0, 2)]))
def test_the_error_of_one_table(F, G, axes):
    found = np.asarray(risk.probability_error(F, G, by=list(axes) or None))
    assert np.nanmean(found) == pytest.approx(slow_error(F, G, axes), abs=1e-12)
    stack = np.asarray(risk.probability_error(F, np.stack([G, F]), stacked=True, by=list(axes) or None))
    assert np.nanmean(stack[0]) == pytest.approx(slow_error(F, G, axes), abs=1e-12)
    assert np.nanmax(stack[1]) == 0


EVERY = np.indices((7,) * 6).reshape(6, -1).T.reshape(-1, 2, 3)
"""All tables of 2 x 3 cells up to 6."""


def mean_error(possible, axes):
    """Of all tables that are possible."""
    tables = EVERY[possible(EVERY)]
    return np.mean([slow_error(TRUTH, table, axes) for table in tables])


def keeps(*axes):
    """Which tables have the same totals over each of some axes?"""
    return lambda tables: np.all(
        [(tables.sum(axis=axis + 1) == TRUTH.sum(axis=axis)).all(axis=1) for axis in axes], axis=0
    )


RELEASES = {
    "all totals": (
        lambda table: fw.publish(table, ["A", "B"]),
        keeps(0, 1),
    ),
    "one margin": (lambda table: fw.publish(table, ["B"]), keeps(0)),
    "rounded": (
        lambda table: fw.round_to(table, 3, margins=[]),
        lambda tables: ((tables + 1) // 3 == (TRUTH + 1) // 3).all(axis=(1, 2)),
    ),
    "a cell hidden": (
        lambda table: fw.suppress(table, where=[{"A": "1", "B": "1"}], margins=[]).knows(
            {"A": "1", "B": "1"}, at_most=6
        ),
        lambda tables: (tables.reshape(-1, 6)[:, 1:] == TRUTH.ravel()[1:]).all(axis=1),
    ),
}


@pytest.mark.parametrize("kind", RELEASES)
@pytest.mark.parametrize("axes", [(), (0,), (1,)])
def test_exactly_the_mean_over_every_table(kind, axes):
    publish, possible = RELEASES[kind]
    slow = mean_error(possible, axes)
    asked = {**CONDITIONAL, "given": ["AB"[axis] for axis in axes]} if axes else JOINT
    found = fw.ru_map(TRUTH, {"it": publish}, **asked, original=False).frame.iloc[0]
    assert found["utility"] == pytest.approx(1 / slow)
    assert found["utility_mcse"] == 0


def test_under_another_law_and_of_a_random_method():
    """Rounded at random, every cell by itself: the posterior is a product, and totals are not known."""
    release = fw.protect.random_round(TRUTH, 3, seed=3)
    law = fw.laws.expected(np.full((2, 3), 2.0))
    cells = fw.audit(release, law=law)
    pmfs = [cells.pmf(A=a, B=b) for a in "12" for b in "123"]
    slow = {
        axes: sum(
            np.prod([pmf[value] for pmf, value in zip(pmfs, values, strict=True)])
            * slow_error(TRUTH, np.array(values).reshape(2, 3), axes)
            for values in product(*(pmf.index for pmf in pmfs))
        )
        for axes in ((), (0,))
    }
    for axes, asked in (((), JOINT), ((0,), {**CONDITIONAL, "given": "A"})):
        found = fw.ru_map(TRUTH, {"it": release}, law=law, **asked, original=False).frame.iloc[0]
        assert found["utility"] == pytest.approx(1 / slow[axes])


@pytest.mark.parametrize("asked", [JOINT, {**CONDITIONAL, "given": "A"}])
def test_draws_come_within_their_own_error(asked, monkeypatch):
    publish, possible = RELEASES["one margin"]
    axes = (0,) if "given" in asked else ()
    slow = mean_error(possible, axes)
    monkeypatch.setattr(map_probabilities, "MOST_PAIRS", -1)
    found = fw.ru_map(TRUTH, {"it": publish}, **asked, original=False, method="chains", seed=1).frame.iloc[0]
    assert 0 < found["utility_mcse"] < 0.1 * found["utility"]
    assert abs(found["utility"] - 1 / slow) < 5 * found["utility_mcse"]
    other = mean_error(possible, (1,))
    assert abs(found["utility"] - 1 / other) > 5 * found["utility_mcse"]  # it could fail


def test_nothing_is_lost_where_all_is_published_and_less_where_more_is():
    methods = {one: RELEASES[one][0] for one in ("all totals", "one margin")}
    frame = fw.ru_map(TRUTH, methods, **CONDITIONAL, given="A").frame
    assert frame["utility"].iloc[0] == np.inf
    assert frame["utility"].iloc[1] > frame["utility"].iloc[2]
    decimals = fw.ru_map(fw.table(TRUTH / 10, decimals=1), {"it": lambda t: fw.publish(t, ["A", "B"])}, **JOINT)
    whole = fw.ru_map(TRUTH, {"it": lambda t: fw.publish(t, ["A", "B"])}, **JOINT)
    assert decimals.frame["utility"].iloc[1] == pytest.approx(whole.frame["utility"].iloc[1])


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (CONDITIONAL, "utility='conditional probability' needs given=, the dim or dims to condition on"),
        ({**JOINT, "given": "A"}, "given=, the dims to condition on, goes with utility='conditional probability'"),
        ({"utility": "published", "given": "A"}, "goes with utility='conditional probability'"),
        ({**CONDITIONAL, "given": ["A", "B"]}, "given= names every dim: given all of them, nothing is left"),
        ({**CONDITIONAL, "given": "C"}, "given='C': the table has no dim 'C'"),
    ],
)
def test_what_cannot_be_given(asked, words):
    with pytest.raises(fw.InputError, match=words):
        fw.ru_map(TRUTH, {"it": RELEASES["one margin"][0]}, **asked)
    with pytest.raises(fw.InputError, match="nothing can be measured of an empty table"):
        fw.ru_map(TRUTH * 0, {"it": RELEASES["one margin"][0]}, **JOINT)


def test_on_the_command_line(tmp_path):
    from click.testing import CliRunner

    from fiberwalk.commands.main import main

    path = tmp_path / "table.csv"
    path.write_text(
        "A,B,n\n" + "".join(f"{a},{b},{TRUTH[i, j]}\n" for i, a in enumerate("xy") for j, b in enumerate("uvw"))
    )
    arguments = ["ru-map", str(path), "--mechanism", "round-to base=3", "--utility", "conditional probability"]
    told = CliRunner().invoke(main, [*arguments, "--given", "A"])
    assert told.exit_code == 0, told.output
    assert "Utility: 1 / mean squared error of the probabilities given A." in told.output
    refused = CliRunner().invoke(main, arguments)
    assert refused.exit_code == 2
    assert "needs --given, the dim or dims to condition on" in refused.output
