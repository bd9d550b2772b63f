"""The contest *time to answer*: its list, and what it says where nothing can be run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import fiberwalk as fw

HOME = Path(__file__).parents[2]


def test_the_list_is_as_long_as_it_was_when_it_was_made(bench):
    """None may be taken out."""
    releases = bench("waiting.releases")
    cases = releases.cases()
    assert len(releases.RELEASES) >= 49
    assert len(set(cases)) == len(cases) >= 86


@pytest.mark.parametrize("name", ["4 x 4 x 4", "hierarchical", "linked", "turnover", "15 x 15, noise", "a sample"])
def test_a_release_of_the_list_is_the_same_each_time(bench, name):
    first, second = (bench("waiting.releases").RELEASES[name].release() for _ in range(2))
    assert len(first.hidden) == len(second.hidden) > 0
    assert (first.sums.lower == second.sums.lower).all()


def test_what_an_answer_says_of_itself(bench):
    measured = bench("waiting.measured")
    said = measured.told(fw.audit(fw.publish([[3, 1], [2, 4]], ["A", "B"])))
    assert said["method"] == "exact"
    assert said["cells"] == 4
    assert said["error"] == 0.0
    assert measured.geometric_mean([2.0, 8.0]) == pytest.approx(4.0)


def test_what_was_found_is_kept_and_told(bench, tmp_path):
    report, measured = bench("waiting.report"), bench("waiting.measured")

    def answer(seconds, converged=True, method="chains"):
        memory, error = 300 * 2**20, 0.0 if method == "exact" else 0.0188 if converged else 0.04
        return measured.Waited(
            seconds, memory, 0, method, "connected", converged, cells=12, error=error, rhat=1.0, ess=9e3, entropy=[1.5]
        )

    kept = {
        "4 x 4, uniform": {"here": [answer(3.0), answer(1.0), answer(2.0)], "v1": [answer(8.0)] * 3},
        "9 x 9, uniform": {"here": [answer(30.0)], "v1": [answer(60.0, converged=False)]},
        "2 x 2, uniform": {"here": [answer(1.0, method="exact")], "v1": [answer(1.0, method="exact")]},
    }
    report.write(tmp_path / "kept", kept)
    assert report.read(tmp_path / "kept") == kept
    assert report.read(tmp_path / "nothing") == {}
    assert report.ratio(kept["4 x 4, uniform"], "v1") == 4.0
    for cold in (False, True):
        report.store(kept, 60.0, cold, 10.0, tmp_path)
    told = (tmp_path / "waiting.md").read_text()
    assert told.count("3 of 3 (100%) are done within 60 s; none takes more than 300 MB.") == 2
    assert "Against v1: 2.0 times as quick in the geometric mean, 1.00 times at the least; by what is foreseen" in told
    assert "of those that were stopped 3.2 times, 1.00 at the least." in told
    assert "| 4 x 4, uniform | 12 | 2.0 s | 0.0188 | 300 | 8.0 s | 4.0 |" in told
    assert "| 9 x 9, uniform | 12 | 30.0 s | 0.0188 | 300 | 60.0 s, not done (0.0400) | 2.0 |" in told
    assert "| 2 x 2, uniform | 12 | 1.0 s | exact |" in told
    assert "Nothing compiled" in told
    assert "entropy" not in (tmp_path / "waiting.json").read_text()


@pytest.mark.parametrize(("rhat", "times"), [(1.05, 8.0), (6.0, 2.0)])
def test_only_chains_that_agree_foretell_how_long_they_would_take(bench, rhat, times):
    report, measured = bench("waiting.report"), bench("waiting.measured")
    done = measured.Waited(30.0, 0, 0, "chains", "connected", True, error=0.01, rhat=1.0)
    stopped = measured.Waited(60.0, 0, 0, "chains", "connected", False, error=0.04, rhat=rhat)
    assert report.foreseen_ratio({"here": [done], "v1": [stopped]}, "v1") == pytest.approx(times)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing like it"], "no release has"),
        (["--against", "nowhere"], "git knows no commit"),
    ],
)
def test_what_cannot_be_run_is_said_in_a_sentence(words, said):
    done = subprocess.run(
        [sys.executable, "bench/waiting", *words], cwd=HOME, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
