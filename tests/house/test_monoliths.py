"""Large functions: ruff refuses them, and where one stays all the same, its line says why."""

from __future__ import annotations

import re

from support.places import ROOT

SIZES = ("C901", "PLR0913", "PLR0915")
"""Branches, parameters and statements of a function."""
FOLDERS = ("base", "release", "fiber", "moves", "sampler", "protect", "posterior", "risk", "src", "bench", "tests")


def test_what_stays_large_says_why():
    without_a_reason = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                said = re.search(r"#\s*noqa:\s*((?:[A-Z]+[0-9]+[,\s]*)+)(.*)$", line)
                if said and any(code in said[1] for code in SIZES) and not re.fullmatch(r"\(.{10,}\)", said[2]):
                    without_a_reason.append(f"{path.relative_to(ROOT)}:{number}")
    assert not without_a_reason
