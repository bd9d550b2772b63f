"""How chains are run: checked when it is made, whatever the types of its numbers. Users' sentences: test_auditing.py."""

from __future__ import annotations

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.sampler.chains.settings import DECISIVE, ChainSettings


def test_the_same_numbers_of_other_types_are_the_same_settings():
    plain = ChainSettings(3, 2, 0.1, 2048)
    other = ChainSettings(np.uint8(3), np.int32(2), 0.1, np.int64(2048))
    assert repr(other.decisive) == repr(plain.decisive)
    assert plain.decisive == {"seed": 3, "chains": 2, "tolerance": 0.1, "max_draws": 2048}


def test_an_audit_says_what_its_draws_depend_on():
    audit = fw.audit(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]), seed=5, chains=2, memory=10**7)
    assert {name: audit.settings[name] for name in DECISIVE} == ChainSettings(5, 2).decisive


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"max_draws": 1000}, "max_draws=1000: at least 1,024"),
        ({"seed": None, "checkpoint": "run"}, "a checkpoint needs a seed"),
        ({"tolerance": np.nan}, "tolerance=nan: a number of bits above 0"),
        ({"chains": True}, "chains=True: a whole number of at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused_when_it_is_made(given, words):
    with pytest.raises(fw.InputError, match=words):
        ChainSettings(**given)
