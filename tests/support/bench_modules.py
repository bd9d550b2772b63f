"""Modules of bench/, for tests of them and with them."""

from __future__ import annotations

import importlib
import sys

import pytest

from support.places import BENCH


@pytest.fixture(scope="module")
def bench():
    """Modules of bench/ by their names; as scripts they import each other without a package."""
    before = set(sys.modules)
    sys.path.insert(0, str(BENCH))
    yield importlib.import_module
    sys.path.remove(str(BENCH))
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(BENCH)):
            del sys.modules[name]
