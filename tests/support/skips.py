"""Which tests may be left out, and where: `tests/skipped.txt` lists them under what they need, and any other skip fails."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

STORED = Path(__file__).parents[1] / "skipped.txt"


def read(text: str) -> dict[str, set[str]]:
    """For each reason the tests under it: a line that is not indented is a reason, the others are tests."""
    found: dict[str, set[str]] = {}
    reason = ""
    for line in text.splitlines():
        if line.startswith(" "):
            found[reason].add(line.strip())
        elif line and not line.startswith("#"):
            reason = line.strip()
            found[reason] = set()
    return found


def differences(ran: set[str], skipped: Mapping[str, str], listed: Mapping[str, set[str]], whole: bool) -> list[str]:
    """What is not as the list says, a sentence each.

    `ran` are the tests that were not skipped, `skipped` says why the others were. What a machine lacks all tests lack that
    need it. `whole`: all tests were asked for, so that one which is listed and was not there is gone.
    """
    problems = [
        f"{test} was skipped ({why}); tests/skipped.txt does not list it"
        for test, why in sorted(skipped.items())
        if not any(why.startswith(reason) and test in tests for reason, tests in listed.items())
    ]
    for reason, tests in listed.items():
        left_out = tests & set(skipped)
        if left_out:
            problems += [f"{one} ran, though others are skipped: {reason}" for one in sorted(tests & ran)]
        if whole:
            problems += [
                f"{one} is in tests/skipped.txt, and there is no such test" for one in sorted(tests - ran - left_out)
            ]
    return problems
