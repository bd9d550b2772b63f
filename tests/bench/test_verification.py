"""Verification at length, shortly: a few releases pass, wrong samplers do not, and a report says what failed."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.places import BENCH

sys.path.append(str(BENCH))

import verify
from verification import NAMES, calibration, hidden_paths, joint_beliefs, kinds, laws, part, properties, report
from verification.exact_laws import wrong_samplers
from verification.exact_laws.exact_law import Believed, every_table, exact_law
from verification.exact_laws.spacing import p_value
from verification.parts import Check, Part, Setting
from waiting.releases import RELEASES

import fiberwalk as fw


def test_every_part_can_be_run_and_says_what_it_does():
    for name in NAMES:
        assert part(name).WORDS.endswith(".")
        assert callable(part(name).run)
        assert callable(part(name).pictures)


def test_the_sampler_passes_and_wrong_ones_do_not():
    """Kinds of releases whose kernels other tests compile anyway; the others are in `make verify`."""
    few = (0, 1, 5, 13)
    found = [laws.tried(3, number) for number in few]
    controls = {name: [wrong_samplers.tried(name, 3, k) for k in range(12)] for name in wrong_samplers.NAMES}
    told = laws.judged(found, controls)
    assert all(one.passed for one in told.checks), told.checks
    assert sum(one.words.startswith("control") for one in told.checks) == len(wrong_samplers.NAMES)
    wrong = [replace(one, p=1e-12) for one in found]
    assert not all(one.passed for one in laws.judged(wrong, controls).checks)
    slow = [replace(found[0], slow=True)] + 100 * found[1:]
    assert all(one.passed for one in laws.judged(slow, {}).checks if "slowly" in one.words or "move:" in one.words)
    for wrong_one in ({"joined": False}, {"moved": 0.0}):
        told = laws.judged([replace(slow[0], **wrong_one), *slow[1:]], controls)
        assert not all(one.passed for one in told.checks if "slowly" in one.words or "move:" in one.words)
    for everywhere in ({"slow": True}, {"unproven": 2}):
        assert not all(
            one.passed for one in laws.judged([replace(one, **everywhere) for one in found], controls).checks
        )
    blind = {**controls, wrong_samplers.FORGETS: [0.1, 0.3, 0.5, 0.7, 0.9]}
    assert not all(one.passed for one in laws.judged(found, blind).checks)


def test_the_exact_law_is_that_of_the_product():
    release = fw.suppress([[3, 1, 2], [0, 2, 4], [2, 1, 1]], where=np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]]) > 0)
    law = exact_law(release, Believed("hypergeometric", "hypergeometric", np.ones(9)))
    assert law is not None
    assert len(every_table(release)) == fw.count(release) == len(law.p)
    audit = fw.audit(release, "hypergeometric")
    pmf = audit.pmf(A="1", B="1")
    found = np.bincount(law.tables[:, 0], law.p)
    assert pmf.to_numpy() == pytest.approx(found[pmf.index.to_numpy()])


def test_p_values_of_the_law_itself_are_even():
    release = fw.publish([[3, 1, 2], [0, 2, 4], [2, 1, 1]], ["A", "B"])
    law = exact_law(release, Believed("uniform", "uniform"))
    assert law is not None
    rng = np.random.default_rng(1)
    p = [p_value(law, rng.choice(len(law.p), 2000, p=law.p), rng) for _ in range(300)]
    assert laws.evenness(p) > 1e-3
    tilted = law.p * np.exp(0.3 * law.tables[:, 0])
    wrong = [p_value(law, rng.choice(len(law.p), 2000, p=tilted / tilted.sum()), rng) for _ in range(20)]
    assert laws.evenness(wrong) < 1e-6


def test_errors_that_are_stated_too_small_or_too_large_fail():
    rng = np.random.default_rng(1)
    right = calibration.Calibration(*(tuple(rng.normal(size=5000)) for _ in range(5)))
    assert all(one.passed for one in calibration.judged(right, 100).checks)
    for factor in (1.3, 0.5):
        for of in ("common", "tail", "mean"):
            wrong = replace(right, **{of: tuple(factor * z for z in getattr(right, of))})
            assert not all(one.passed for one in calibration.judged(wrong, 100).checks)


def test_what_other_programs_print_is_read():
    line = (
        "cells: 120 ranks by fifths [1, 2], p = {p}\n"
        "theta: 60 ranks by fifths [1, 2], p = 0.300\n"
        "0 of 120 did not converge\n"
    )
    told = hidden_paths.judged(line.format(p=0.4) * 2)
    assert all(one.passed for one in told.checks)
    assert not all(one.passed for one in hidden_paths.judged(line.format(p="0.000") * 2).checks)
    assert not all(one.passed for one in hidden_paths.judged("").checks)
    assert not all(one.passed for one in hidden_paths.judged((line.format(p=0.4) * 2)[:-5]).checks)
    lines = ["FAILED tests/moves/test_chooser.py::test_one - assert", "== 1 failed, 3 passed in 2.00s =="]
    (check,) = properties.judged(1, lines, "5").checks
    assert (check.passed, check.found) == (False, "1 failed, 3 passed in 2.00s")


def test_a_report_says_what_failed_in_its_first_line(tmp_path, monkeypatch, capsys):
    passed, wrong = Check("one and one is two", True, "2"), Check("two and two is five", False, "4")
    given = {"hard_starts": Part((passed,)), "three_way": Part((passed, wrong), ("A paragraph.",))}
    for name, one in given.items():
        monkeypatch.setattr(part(name), "run", lambda setting, one=one: one)
    monkeypatch.setattr(report, "store", lambda found, keep=report.store: keep(found, tmp_path))
    monkeypatch.setattr(report, "RESULTS", tmp_path / "a" / "b")
    monkeypatch.setattr(Path, "relative_to", lambda path, other: path)
    monkeypatch.setattr(verify.quoted, "into_readme", lambda: tmp_path / "README.md")
    assert verify.main(["hard_starts", "--store"]) == 0
    first = (tmp_path / "verification.md").read_text().splitlines()[0]
    assert first.startswith("# Verification: all 1 checks passed (not run: laws,")
    assert verify.main(["three_way", "--store"]) == 1
    text = (tmp_path / "verification.md").read_text()
    assert text.splitlines()[0] == "# Verification FAILED: 1 of 3 checks"
    assert "| two and two is five | **FAILED** | 4 |" in text
    assert "numba" in text
    assert "FAILED: two and two is five: 4" in capsys.readouterr().out
    assert verify.main(["hard_starts"]) == 0

    def breaks_off(setting):
        raise RuntimeError("no room left")

    monkeypatch.setattr(part("hard_starts"), "run", breaks_off)
    assert verify.main(["hard_starts", "--store"]) == 1
    assert (
        "| it runs to its end | **FAILED** | RuntimeError: no room left |" in (tmp_path / "verification.md").read_text()
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["nonsense"], "there is no part 'nonsense'; there are: laws, calibration"),
        (["laws", "--releases", "0"], "--releases 0: there must be at least 1."),
        (["laws", "--workers", "-1"], "--workers -1: there must be at least 1."),
    ],
    ids=["part", "releases", "workers"],
)
def test_what_cannot_be_run_is_refused_in_words(given, said, capsys):
    with pytest.raises(SystemExit):
        verify.main(given)
    assert said in capsys.readouterr().err


def test_workers_change_nothing():
    tasks = [(2, 1.0), (3, 2.0)]
    assert list(Setting(workers=1).each(pow, tasks, "powers")) == list(Setting().each(pow, tasks, "powers")) == [2, 9]


# --- kind by kind ----------------------------------------------------------------------------------------------------


def runs(factor: float, seeds: int = 60, cells: int = 30, seed: int = 2) -> list[kinds.Found]:
    """Entropies whose errors are so many times what is stated."""
    rng = np.random.default_rng(seed)
    truth, error = rng.uniform(1, 3, cells), rng.uniform(0.002, 0.005, cells)
    return [kinds.Found(truth + factor * error * rng.normal(size=cells), error, True) for _ in range(seeds)]


@pytest.mark.parametrize(("factor", "right"), [(0.9, True), (1.0, True), (0.6, False), (1.3, False)])
def test_a_kind_whose_errors_are_stated_wrongly_fails(factor, right):
    one = kinds.judged_kind(runs(factor), 0.02, np.random.default_rng(1))
    assert one.ratio == pytest.approx(factor, rel=0.06)
    assert one.low < one.ratio < one.high
    part = kinds.judged({("a release", "uniform", 0.02): one}, 60)
    assert part.checks[0].passed == right
    assert part.checks[1].passed == (factor <= 1.0)
    assert part.checks[3].passed
    assert ("a release (uniform)" in part.checks[0].found) == (not right)


def test_entropies_beyond_the_tolerance_and_runs_that_do_not_converge_fail():
    far = [found._replace(converged=k > 0) for k, found in enumerate(runs(1.0))]
    part = kinds.judged({("a release", "uniform", 0.005): kinds.judged_kind(far, 0.005, np.random.default_rng(1))}, 60)
    assert [one.passed for one in part.checks] == [True, True, False, False]


def test_a_kind_is_sampled_and_judged():
    found = [kinds.sampled("4 x 4, Snee", "hypergeometric", 0.3, seed) for seed in range(3)]
    assert all(one.converged and len(one.entropy) == 16 and (one.error > 0).all() for one in found)
    assert not np.array_equal(found[0].entropy, found[1].entropy)
    assert set(kinds.KINDS) <= set(RELEASES)


def test_beliefs_of_many_answers_are_held_to_the_truth():
    good = [joint_beliefs.Log((k + 0.5) / 40, 10, 10, 0, True) for k in range(40)]
    told = joint_beliefs.judged(["random_round"] * 40, good)
    assert all(one.passed for one in told.checks), told.checks
    for wrong in ({"rank": 0.99}, {"right": 9}, {"outside": 1}):
        many = [replace(log, **wrong) for log in good]
        assert sum(not one.passed for one in joint_beliefs.judged(["random_round"] * 40, many).checks) == 1
