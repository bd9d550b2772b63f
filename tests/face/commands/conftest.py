"""What tests of several commands start from."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.long_file import LONG


@pytest.fixture
def table(tmp_path) -> Path:
    """A small published table in a file."""
    path = tmp_path / "table.csv"
    path.write_text(LONG)
    return path
