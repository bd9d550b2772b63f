"""Forcing one of the exact methods, so that each is tested by itself and against the other."""

from __future__ import annotations

from contextlib import contextmanager
from unittest import mock

from hypothesis import strategies as st

import fiberwalk as fw
from fiberwalk.fiber.exact import chooser as exact

OTHER = {"enumeration": "eliminate_block", "elimination": "enumerate_block"}
methods = st.sampled_from(["auto", *OTHER])


@contextmanager
def only(method: str):
    """With the other exact methods out of order."""
    if method == "auto":
        yield
        return
    with (
        mock.patch.object(exact, OTHER[method], side_effect=fw.TooLarge("switched off")),
        mock.patch.object(exact, "two_way_law", return_value=None),
    ):
        yield
