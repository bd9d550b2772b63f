"""The list of tests that may be skipped: it is read as it is written, and whatever is not as it says is told."""

from __future__ import annotations

from support import skips

LISTED = skips.read("# a remark\nneeds a browser\n  a::one\n  a::two\n\nneeds 4ti2\n    b::three\n")


def test_the_list_is_read():
    assert {"needs a browser": {"a::one", "a::two"}, "needs 4ti2": {"b::three"}} == LISTED
    assert all(skips.read(skips.STORED.read_text(encoding="utf-8")).values())


def test_what_a_machine_lacks_may_be_skipped():
    everything = {"a::one", "a::two", "b::three", "c::four"}
    assert skips.differences(everything, {}, LISTED, True) == []
    without = dict.fromkeys(("a::one", "a::two"), "needs a browser: none here")
    assert skips.differences({"b::three", "c::four"}, without, LISTED, True) == []
    assert skips.differences({"c::four"}, {}, LISTED, False) == []


def test_any_other_list_is_told():
    assert skips.differences(set(), {"c::four": "too slow"}, LISTED, False) == [
        "c::four was skipped (too slow); tests/skipped.txt does not list it"
    ]
    (found,) = skips.differences(set(), {"a::one": "needs 4ti2"}, LISTED, False)
    assert found.startswith("a::one was skipped (needs 4ti2)")
    assert skips.differences({"a::two"}, {"a::one": "needs a browser"}, LISTED, False) == [
        "a::two ran, though others are skipped: needs a browser"
    ]
    assert skips.differences({"a::one", "a::two"}, {}, LISTED, True) == [
        "b::three is in tests/skipped.txt, and there is no such test"
    ]
