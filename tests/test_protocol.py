"""The protocol for samplers: whatever the kernel, the law and the release, the draws follow the exact law of whole tables.

Small fibers are listed table by table. Draws that are well spaced are compared with the exact law by a chi-square test;
transition matrices are written down exactly and compared with single steps; tallies are compared with exact marginals.
Samplers that are wrong on purpose fail the same tests.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kernels import laws, releases, targets
from protocol import LEAST_P, p_value

import fiberwalk as fw

RELEASES = releases()
DRAWS = 3000


def laws_on(name: str) -> Iterator[tuple[str, fw.Release, object]]:
    yield from laws(RELEASES[name])


# One release for each kernel and each law in the quick suite, all in the slow one.
QUICK = ("two-way", "long lines", "linked in full")


@pytest.mark.parametrize(
    "name", [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in RELEASES]
)
def test_draws_follow_the_law_of_whole_tables(name: str) -> None:
    for law, release, chosen in laws_on(name):
        for target in targets(release, chosen):
            p = p_value(target, 11, DRAWS)
            assert p > LEAST_P, f"{name}, {law}, {target.words}: p = {p}"
