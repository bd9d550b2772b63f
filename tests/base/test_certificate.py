"""Certificates of several parts: the weakest of them, and what all say together."""

from __future__ import annotations

from fiberwalk.base.certificate import Certificate

EXACT = Certificate("exact", "counted")
ONE, OTHER = Certificate("unproven", "a", ("seen", "far")), Certificate("unproven", "b", ("far",))
JOINED = Certificate("connected", "joined")


def test_the_weakest_is_the_first_of_the_weakest_word():
    assert Certificate.weakest([EXACT, ONE, JOINED, OTHER]) is ONE
    assert Certificate.weakest(iter([EXACT, JOINED])) is JOINED


def test_together_they_say_every_reason_for_the_weakest_word_once():
    assert Certificate.together(iter([EXACT, ONE, JOINED, OTHER, ONE])) == Certificate(
        "unproven", "a; b", ("seen", "far")
    )
    assert Certificate.together([EXACT]) == EXACT
