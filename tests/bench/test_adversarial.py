"""Cases that are made to mislead chains, a few of each kind; and what was wrong before is found out."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace

import numpy as np
import pytest
from support.places import BENCH

sys.path.append(str(BENCH))

from verification.adversarial import judged, the_case, tried
from verification.adversaries import KINDS
from verification.adversaries.case import Case, Outcome, audited
from verification.adversaries.large_counts import limit

import fiberwalk as fw
from fiberwalk.sampler.chains import diagnostics, unit_run
from fiberwalk.sampler.tallies.resolution import Reading
from fiberwalk.sampler.tallies.windows import empty_windows


@pytest.mark.parametrize("name", ["thin_fibers", "chance", "insiders"])
def test_chains_are_not_misled(name: str) -> None:
    cases = [
        replace(the_case(name, 5, number), seconds=600.0) for number in range(4)
    ]  # no clock, however busy the machine
    found = [audited(case, name, number, 1) for number, case in enumerate(cases)]
    assert not [one for one in found if one.wrong], found
    assert sum(one.converged for one in found) >= 3


def large() -> Case:
    """3 x 3 x 3 with counts about a million, given its two-way margins: entropies came out 1.5 bits too high."""
    table = np.round(1e6 * np.random.default_rng(1).uniform(0.7, 1.3, (3, 3, 3))).astype(np.int64)
    release = fw.publish(table, margins=["A,B", "B,C", "A,C"])
    rows = []
    for axis in range(3):
        groups = np.broadcast_to(np.arange(9).reshape([1 if k == axis else 3 for k in range(3)]), (3, 3, 3)).ravel()
        rows += [(groups == one).astype(float) for one in range(9)]
    laws = limit(table.ravel().astype(float), np.array(rows), np.zeros(27))
    assert laws is not None
    cells = [{"A": str(i), "B": str(j), "C": str(k)} for i in "123" for j in "123" for k in "123"]
    return Case("large counts", release, "hypergeometric", tuple(zip(cells, laws, strict=True)), seconds=600.0)


def test_large_counts_are_counted_finely_enough() -> None:
    found = audited(large(), "large_counts", 0, 1)
    assert found.converged
    assert not found.wrong
    assert found.entropy_off < 0.01
    assert found.entropy < 4.5
    assert found.mean < 4.5


def test_the_code_as_it_was_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows that only widen, and bins that are taken to cost nothing."""

    def stay(windows, *given):
        return empty_windows(windows.origin, windows.size, windows.shift)

    def free(windows, *given):
        nothing = np.zeros(len(windows.start))
        return Reading(windows, nothing, nothing)

    monkeypatch.setattr(unit_run, "where_the_mass_is", stay)
    monkeypatch.setattr(unit_run, "read", free)
    found = audited(large(), "large_counts", 0, 1)
    assert found.converged
    assert found.wrong
    assert found.entropy_off > 0.5


def test_what_no_chain_ever_met_is_not_taken_for_impossible(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine tables; the one that is met least has probability 0.0005, and chains that meet it stay there for long."""
    assert not tried("thin_fibers", 12, 119, 2).wrong
    monkeypatch.setattr(diagnostics, "CAUTION", 0.1)
    assert tried("thin_fibers", 12, 119, 2).wrong


def test_what_is_wrong_is_told() -> None:
    right = Outcome("peaks", 0, 1, "two peaks", True, 1.0, limits=1000)
    assert all(one.passed for one in judged([right] * 10).checks)
    json.dumps(asdict(judged([right] * 10)))  # as it is stored, after half an hour
    for wrong in (
        replace(right, entropy=6.0),
        replace(right, mean=6.0),
        replace(right, common=6.0),
        replace(right, entropy_off=0.03),
        replace(right, problem="an error"),
    ):
        part = judged([right] * 9 + [wrong])
        assert not part.checks[0].passed
        assert "two peaks" in part.paragraphs[-1]
        assert not replace(wrong, converged=False, problem="").wrong
    assert not all(one.passed for one in judged([replace(right, converged=False)] * 10).checks)
    assert not all(one.passed for one in judged([replace(right, rare=9.0)] * 10).checks)
    assert not all(one.passed for one in judged([replace(right, uncovered=9)] * 10).checks)


def test_every_kind_makes_cases() -> None:
    for name in KINDS:
        case = the_case(name, 3, 0)
        assert case.known
        assert case.words
