"""Log-linear fits: against closed forms, against the equations that define them, and what is said when they fail."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, note
from hypothesis import strategies as st
from support.effort import examples
from support.worlds import arrays

import fiberwalk as fw
from fiberwalk.fiber.laws import log_linear_model as log_linear
from fiberwalk.fiber.laws.log_linear_model import fit

EVERY_PAIR = ["A,B", "B,C", "A,C"]


@examples(30)
@given(arrays(least_dims=3, most_dims=3, most_cells=18))
def test_decomposable_margins_have_a_closed_form(values):
    pairs, others, middle = values.sum(axis=2, keepdims=True), values.sum(axis=0, keepdims=True), values.sum((0, 2))
    by_hand = pairs * others / np.maximum(middle, 1)[None, :, None]
    assert fw.laws.log_linear(values, ["A,B", "B,C"]).values == pytest.approx(by_hand, rel=1e-9, abs=1e-12)
    one = values.sum((1, 2))[:, None, None] * np.ones(values.shape) / (values.shape[1] * values.shape[2])
    assert fw.laws.log_linear(values, ["A"]).values == pytest.approx(one, rel=1e-9, abs=1e-12)


@examples(30)
@given(arrays(least_dims=2, most_dims=4, most_cells=16), st.data())
def test_a_fit_keeps_its_margins_and_has_no_other_interaction(values, data):
    names = "ABCD"[: values.ndim]
    choices = ["".join(c) for r in range(values.ndim + 1) for c in itertools.combinations(names, r)]
    margins = data.draw(st.lists(st.sampled_from(choices), min_size=1, max_size=3, unique=True))
    note(f"{values.tolist()}, {margins}")
    found = fit(values, [",".join(one) for one in margins])
    assert found.converged
    rows = []  # the sums of every margin, one by one
    for margin in margins:
        for picked in itertools.product(*(range(n) for n in values.shape)):
            inside = [all(names[i] not in margin or cell[i] == picked[i] for i in range(values.ndim))
                      for cell in itertools.product(*(range(n) for n in values.shape))]  # fmt: skip
            rows.append(inside)
    design = np.array(rows, dtype=float)
    flat = found.expected.ravel()
    assert design @ flat == pytest.approx(design @ values.ravel(), rel=1e-8, abs=1e-8)
    # On the cells that can be filled, log mu is a sum of the margins' effects.
    part = design[:, flat > 0]
    if part.shape[1]:
        effects = np.linalg.lstsq(part.T, np.log(flat[flat > 0]), rcond=None)[0]
        assert part.T @ effects == pytest.approx(np.log(flat[flat > 0]), abs=1e-6)
        assert found.df == part.shape[1] - np.linalg.matrix_rank(part)


def test_the_tests_of_fit_by_hand():
    found = fit([[8, 2], [4, 6]], ["A", "B"])
    assert found.expected.tolist() == [[6, 4], [6, 4]]
    assert found.x2 == pytest.approx(2 * 4 / 6 + 2 * 4 / 4)
    assert found.g2 == pytest.approx(
        2 * (8 * math.log(8 / 6) + 2 * math.log(0.5) + 4 * math.log(4 / 6) + 6 * math.log(1.5))
    )
    assert found.df == 1
    assert found.p == pytest.approx(math.erfc(math.sqrt(found.g2 / 2)))
    assert found.p_pearson == pytest.approx(math.erfc(math.sqrt(found.x2 / 2)))
    assert repr(found) == "<Fit of A; B: G2 3.452, X2 3.333>"
    whole = fit([[8, 2], [4, 6]], ["A,B"])
    assert (whole.g2, whole.df, whole.p) == (0, 0, 1)


def test_cells_that_no_table_with_these_margins_can_fill():
    """Haberman's pattern: every margin is positive, and yet two opposite empty corners can only be empty."""
    values = np.full((2, 2, 2), 3)
    values[0, 0, 0] = values[1, 1, 1] = 0
    found = fit(values, EVERY_PAIR)
    assert found.converged
    assert found.expected == pytest.approx(values.astype(float))
    assert found.df == 0
    values[1, 1, 1] = 1  # one empty corner alone can be filled
    assert (fit(values, EVERY_PAIR).expected > 0).all()
    assert fw.laws.log_linear([[0, 0], [3, 5]], ["A", "B"]).values.tolist() == [[0, 0], [3, 5]]
    assert fw.laws.log_linear([[0, 0], [3, 5]], ["A", "B"], add=0.5).values.sum(axis=1).tolist() == pytest.approx(
        [1, 9]
    )


def test_levels_are_margins_too():
    table = xr.DataArray([[1, 3, 5], [2, 2, 8]], dims=["sex", "town"], coords={"town": ["a", "b", "c"]})
    regions = {"town": {"north": ["a", "b"], "south": ["c"]}}
    found = fit(fw.table(table, hierarchies=regions), [("sex", "town:1"), "town"])
    by_hand = [[4 * 3 / 8, 4 * 5 / 8, 5], [4 * 3 / 8, 4 * 5 / 8, 8]]
    assert found.expected == pytest.approx(np.array(by_hand))
    assert found.df == 1
    shown = fw.laws.log_linear(fw.table(table, hierarchies=regions), [("sex", "town:1"), "town"])
    assert shown.dims == ("sex", "town")
    assert shown["town"].values.tolist() == ["a", "b", "c"]
    release = fw.publish(table, ["sex", "town"])
    assert fw.audit(release, fw.laws.expected(shown)).pmf(sex="1", town="a").sum() == pytest.approx(1)


def test_magnitudes_are_in_their_own_units():
    assert fw.laws.log_linear(fw.table([[0.8, 0.2], [0.4, 0.6]], decimals=1), ["A", "B"]).values == pytest.approx(
        np.array([[0.6, 0.4], [0.6, 0.4]])
    )


def test_what_is_refused_and_warned_of(monkeypatch):
    for margins, words in [
        (None, "needs margins="),
        ([], "needs at least one margin"),
        (["A,X"], "'X', which is no dim"),
    ]:
        with pytest.raises(fw.InputError, match=words):
            fw.laws.log_linear([[1, 2], [3, 4]], margins)
    with pytest.raises(fw.InputError, match=r"log_linear\(add=-1\): a number of at least 0"):
        fw.laws.log_linear([[1, 2], [3, 4]], ["A"], add=-1)
    monkeypatch.setattr(log_linear, "MOST_SUMS", 2)
    with pytest.raises(fw.TooLarge, match="degrees of freedom of 3 sums of a table with empty cells are too many"):
        _ = fit([[1, 0], [3, 0]], ["A", "B"]).df
    monkeypatch.setattr(log_linear, "SOON", 2)
    monkeypatch.setattr(log_linear, "MOST_ROUNDS", 2)
    values = np.arange(1, 9).reshape(2, 2, 2) ** 2
    with pytest.warns(UserWarning, match="has not come to rest.*add=0.5"):
        found = fit(values, EVERY_PAIR)
    assert not found.converged
