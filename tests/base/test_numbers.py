"""Numbers of users: how they are ordered and refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples

from fiberwalk.base.errors import InputError
from fiberwalk.base.numbers import largest_first, scaled


@examples(200)
@given(st.lists(st.integers(-5, 5), max_size=12), st.integers(0, 2**32 - 1), st.integers(-200, 200))
def test_what_differs_only_by_rounding_keeps_its_order(steps, seed, power):
    """The same figures on two processors: apart by the last digits, and shown in the same order."""
    rng = np.random.default_rng(seed)
    here = np.array(steps) * 1.1 * 10.0**power
    there = here * (1 + rng.uniform(-1e-14, 1e-14, len(here)))
    expected = sorted(range(len(steps)), key=lambda i: -steps[i])
    assert largest_first(here).tolist() == largest_first(there).tolist() == expected


def test_what_is_infinite_comes_first_and_what_is_missing_last():
    assert largest_first([0.5, math.nan, math.inf, 0.0, -1.0, 2e-300]).tolist() == [2, 0, 5, 3, 4, 1]
    assert largest_first([]).tolist() == []


LONG = {
    "text": "1" * 5000,
    "negative": "-" + "9" * 5000,
    "number": 10**5000,
    "with decimals": "1" * 5000 + ".5",
    "no number": "x" * 5000,
}


@pytest.mark.parametrize("value", LONG.values(), ids=LONG)
def test_numbers_of_thousands_of_digits_are_refused_in_a_short_sentence(value):
    with pytest.raises(InputError, match=r"^here: .* (is too large to be held exactly|is not a number)") as told:
        scaled(value, 2, "here")
    assert len(str(told.value)) < 140
