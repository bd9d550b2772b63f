"""Every table one after the other, by our own compiled enumeration, forced where something better is at hand."""

from __future__ import annotations

import sys
from pathlib import Path

import fiberwalk as fw

sys.path.append(str(Path(__file__).parents[2] / "tests"))
from support.methods import only

NAME = "compiled enumeration"
NO_LIMIT = 10**13
"""Operations; none of the problems that it is given takes as many."""


def audited(release: fw.Release, law: str) -> fw.Audit:
    """An audit by enumeration alone."""
    with only("enumeration"):
        return fw.audit(release, law=law, method="exact", limit=NO_LIMIT)
