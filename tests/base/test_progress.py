"""Progress: the user's own function, silence, and nothing beside what the work around shows."""

from __future__ import annotations

import pytest

from fiberwalk.base.errors import InputError
from fiberwalk.base.progress import shown


def test_what_is_called_shows_nothing_beside_the_work_around():
    lines = []
    with shown(lines.append) as outer, shown() as inner:
        inner("within")
        assert inner is outer
    with shown(False), shown() as inner:
        assert inner is None
    with shown(False), shown(lines.append) as told:
        told("asked for")
    assert lines == ["within", "asked for"]
    with shown(lines.append):
        pass
    with shown() as after:  # nothing is left of it, and nobody watches a test
        assert after is None


def test_what_cannot_be_told_is_refused():
    with (
        pytest.raises(InputError, match="progress=3: a function that takes a line of text, or False for silence"),
        shown(3),
    ):
        pass
