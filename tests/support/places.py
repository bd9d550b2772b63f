"""Where things are: in a checkout, and the data files of other projects, which are not part of this one."""

import importlib
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "bench"
REFERENCE_DATA = "FIBERWALK_REFERENCE_DATA"
"""The environment variable that names a folder with the data files of other projects."""


def reference(name: str) -> Path:
    """The path of such a file; without folder or file the test that asks is skipped, and says what is missing."""
    folder = os.environ.get(REFERENCE_DATA)
    if not folder:
        pytest.skip(f"{REFERENCE_DATA} names no folder with the data files of other projects")
    path = Path(folder) / name
    if not path.is_file():
        pytest.skip(f"{REFERENCE_DATA} names a folder without {name}")
    return path


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
