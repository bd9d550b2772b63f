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
