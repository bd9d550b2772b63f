"""How kernels take turns: by what their draws cost, and how quickly they move every cell."""

from __future__ import annotations

import pytest

from fiberwalk.sampler.chains.tuning import Turns, _in_short


@pytest.mark.parametrize(
    ("draws", "most", "expected"),
    [
        ((3, 5), 100, (3, 5)),
        ((60, 40), 100, (60, 40)),
        ((600, 400), 100, (60, 40)),
        ((4000, 3), 100, (99, 0)),  # the second has less than one draw of a hundred
    ],
)
def test_a_trial_sees_a_whole_round(draws, most, expected):
    turns = Turns(draws, (1, 7))
    assert _in_short(turns, most) == Turns(expected, (1, 7))
